"""The operator looks at a whole table, hidden things included; the audit log has it with a reason.

Players read that entry when the match is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.codec import plain
from pbem.acts.writing import act, read, writing
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store.names import Actor, AuditAct
from pbem.store.table import Table
from pbem.words import texts

LONGEST_REASON = 200


@dataclass(frozen=True)
class WholeTable:
    """Everything there is on a table."""

    table: Table
    #: The view of each seat, by its number.
    views: tuple[Any, ...]
    #: The game's state as plain values.
    state: Any


@act
def look(service: Service, match_id: str, reason: str) -> WholeTable:
    """Commits that the operator looked, and why; only then returns everything."""
    reason = texts.clean(reason, "reason", LONGEST_REASON)
    table, now = read(service, match_id)
    if table.state is None:
        raise NotPossible("The match has not begun: nothing is hidden yet.")
    with writing(service, table, "look", Actor.OPERATOR, now) as write:
        write.audit(AuditAct.LOOKED, None, {"reason": reason})
    views = tuple(table.game.view(table.state, seat.number) for seat in table.seats)
    return WholeTable(table, views, plain(table.state))
