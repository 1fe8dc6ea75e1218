"""One pass over all that is due in matches. Beat rings it; several workers may run it at once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import or_
from sqlmodel import col, select

from pbem.acts import absence, advance, beginning, lobby, permissions, remedies
from pbem.service import Service
from pbem.store.models import Turn

# EXISTS would drop the ORDER BY, and PostgreSQL would not use the index of turns that are due
_FIRST_TURN: Any = absence.TURNS_DUE.with_only_columns(col(Turn.id)).limit(1).scalar_subquery()
#: Nearly always nothing is due: then a sweep is one query, which is built once.
_ANYTHING_DUE: Any = select(
    or_(
        absence.PAUSES_DUE.exists(),
        _FIRST_TURN.is_not(None),
        lobby.LOBBIES_DUE.exists(),
        permissions.DUE.exists(),
        advance.MATCHES_DUE.exists(),
        beginning.MATCHES_DUE.exists(),
    )
)


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due, at most ``most`` rows of each kind; returns how many there were."""
    with service.database.ask() as session:
        if not session.execute(_ANYTHING_DUE, {"now": service.now()}).scalar():
            return 0
    return (
        absence.resume_due(service, most)
        + absence.care_due(service, most)
        + lobby.care_due(service, most)
        + remedies.care_due(service, most)
        + advance.advance_due(service, most)
        # last: it asks servers elsewhere
        + beginning.begin_due(service, most)
    )
