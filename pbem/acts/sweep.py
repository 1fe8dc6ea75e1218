"""One pass over all that is due in matches. Beat rings it; several workers may run it at once."""

from __future__ import annotations

from pbem.acts import absence, advance, lobby
from pbem.service import Service


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due, at most ``most`` rows of each kind; returns how many there were."""
    return (
        absence.resume_due(service, most)
        + absence.care_due(service, most)
        + lobby.care_due(service, most)
        + advance.advance_due(service, most)
    )
