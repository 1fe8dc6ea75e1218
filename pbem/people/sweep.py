"""One pass over what is due in this room. Beat rings it; several workers may run it at once.

Each part looks whether anything is due before it takes a lock, does at most ``most`` rows, and
leaves the rest to the next pass.
"""

from __future__ import annotations

from pbem.people import pools, proofs, results
from pbem.service import Service


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due; returns how much it was."""
    return (
        proofs.forget(service, most)
        + results.enter_due(service, most)
        + pools.rate_due(service, most)
    )
