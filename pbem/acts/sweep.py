"""One pass over all that is due in matches. Beat rings it; several workers may run it at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, or_, select

from pbem.acts import absence, advance, beginning, lobby, permissions, remedies
from pbem.service import Service


def _is_due(question: Any) -> ColumnElement[bool]:
    """Whether there is a first row. EXISTS would drop the ORDER BY, without which PostgreSQL reads
    all rows instead of the index of what is due, once it no longer looks at the instant."""
    first, *_ = question.selected_columns
    row: ColumnElement[Any] = question.with_only_columns(first).limit(1).scalar_subquery()
    return row.is_not(None)


#: What can be due, and who does it, in this order.
_KINDS: dict[ColumnElement[bool], Callable[[Service, int], int]] = {
    _is_due(absence.PAUSES_DUE): absence.resume_due,
    _is_due(absence.TURNS_DUE): absence.care_due,
    _is_due(lobby.LOBBIES_DUE): lobby.care_due,
    _is_due(permissions.DUE): remedies.care_due,
    _is_due(advance.MATCHES_DUE): advance.advance_due,
    # last: it asks servers elsewhere
    _is_due(beginning.MATCHES_DUE): beginning.begin_due,
}
#: Nearly always nothing is due: then a sweep is one query of one value, which is built once.
_ANYTHING_DUE: Any = select(or_(*_KINDS))
_DUE: Any = select(*_KINDS)


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due, at most ``most`` rows of each kind; returns how many there were."""
    with service.database.ask() as session:
        if not session.execute(_ANYTHING_DUE, {"now": service.now()}).scalar():
            return 0
    done, due = 0, _due(service)
    for place, care in enumerate(_KINDS.values()):
        if due[place]:
            done += care(service, most)
            # more may be due by what was done
            due = _due(service)
    return done


def _due(service: Service) -> Sequence[bool]:
    """Whether something of each kind is due now."""
    with service.database.ask() as session:
        return session.execute(_DUE, {"now": service.now()}).one()
