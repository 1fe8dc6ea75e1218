"""A remedy is done as it was previewed, and once: the form of a preview says of which moment it is.

Without that, a button that is pressed twice, or long after, plays the next turn as well, or does to
whoever has the seat by then what was shown of somebody else.
"""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import col, func, select

from pbem.acts.remedy import RemedyRequest
from pbem.errors import NotPossible
from pbem.service import Access, Service, Work
from pbem.store.models import Audit
from pbem.store.names import Actor
from pbem.store.table import Table

#: The last thing that the host or the operator did to a match.
_LAST: Any = select(func.max(Audit.number)).where(
    col(Audit.match_id) == bindparam("match_id"),
    col(Audit.actor).in_((Actor.HOST, Actor.OPERATOR)),
)


class MovedOn(NotPossible):
    """Something happened since a remedy was previewed."""

    code = "moved_on"

    def __init__(self) -> None:
        super().__init__("Something has happened here since you looked: nothing was done now.")


def moment(service: Service, table: Table, asked: RemedyRequest) -> str:
    """Stands for a match as a preview found it.

    It follows from the public moves, who has the seat, and what host and operator did. Nothing else
    goes into it, because that it has passed must not tell of anything hidden.
    """
    with service.database.ask() as session:
        last = session.connection().execute(_LAST, {"match_id": table.match.id}).scalar()
    match, seat = table.match, None if asked.seat is None else table.seat(asked.seat)
    holder = None if seat is None else (seat.name, seat.epoch, seat.bot)
    known = (match.id, match.status, match.public_ply, match.public_head, holder, last)
    return hashlib.sha256(repr(known).encode()).hexdigest()[:20]


class AsPreviewed(Access):
    """A remedy is done while its match is as it was previewed, or MovedOn."""

    def __init__(self, asked: RemedyRequest, seen: str) -> None:
        self.asked = asked
        #: The moment of the preview; None once something was written: that changes it.
        self.seen: str | None = seen

    def read(self, service: Service, match_id: str) -> Table:
        # what is written claims the match as it was read here, before its moment was looked at
        table = super().read(service, match_id)
        if self.seen is not None and moment(service, table, self.asked) != self.seen:
            raise MovedOn()
        return table

    def write(self, service: Service, work: Work) -> None:
        super().write(service, work)
        # an act may read and write again
        self.seen = None
