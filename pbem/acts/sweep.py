"""One round over all that is due in the matches. Beat rings it; many workers may run it."""

from __future__ import annotations

from pbem.acts import absence, advance, lobby
from pbem.service import Service


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due, at most so much of each kind; returns how much there was."""
    return (
        absence.resume_due(service, most)
        + absence.care_due(service, most)
        + lobby.care_due(service, most)
        + advance.advance_due(service, most)
    )
