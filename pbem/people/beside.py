"""What the page of a turn shows beside its match: a series, the talk, a note, the way to the seat.

It is found with the link, by the same query: a query for each took longer than all that it finds.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, exists
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from pbem.people import talk
from pbem.people.series.rows import OfMatch
from pbem.store import links
from pbem.store.keys import Keys
from pbem.store.models import Link, Message, Seat, Series, SeriesMatch, TalkNote, TalkRule
from pbem.store.names import Purpose


class Beside(NamedTuple):
    """The columns of that query, those after the link."""

    series_id: str | None
    series_name: str | None
    talk_allowed: bool | None
    talk_reason: str | None
    talk_onlookers: str | None
    note: str | None
    #: The number of the link to the seat's own page; None if there is none yet.
    own_page: int | None
    #: Whether anything was said in the match, to whomever.
    talked: bool

    @property
    def series(self) -> OfMatch | None:
        """The series that the match was opened for."""
        if self.series_id is None or self.series_name is None:
            return None
        return OfMatch(self.series_id, self.series_name)

    @property
    def rule(self) -> talk.Rule | None:
        """What the host has set of the talk."""
        if self.talk_allowed is None:
            return None
        return self.talk_allowed, self.talk_reason or "", self.talk_onlookers or ""


_OWN = aliased(Link)
_COLUMNS: Any = (
    *(Series.id, Series.name, TalkRule.allowed, TalkRule.reason, TalkRule.onlookers),
    *(TalkNote.text, _OWN.id, exists().where(col(Message.match_id) == col(Link.match_id))),
)
_FOUND: Any = (
    links.FOUND.add_columns(*_COLUMNS)
    .outerjoin(SeriesMatch, col(SeriesMatch.match_id) == col(Link.match_id))
    .outerjoin(Series, col(Series.id) == col(SeriesMatch.series_id))
    .outerjoin(TalkRule, col(TalkRule.match_id) == col(Link.match_id))
    .outerjoin(TalkNote, talk.OWN_NOTE)
    .outerjoin(
        _OWN,
        and_(
            col(_OWN.purpose) == Purpose.SEAT,
            col(_OWN.match_id) == col(Link.match_id),
            col(_OWN.seat) == col(Link.seat),
            col(_OWN.turn_id) == 0,
            col(_OWN.epoch) == col(Seat.epoch),
        ),
    )
)


def find(session: Session, keys: Keys, token: str, now: datetime) -> tuple[Link, Beside]:
    """The link of a turn, as by ``links.find``, and what is beside it."""
    row = links.row_of(token)
    found = session.exec(_FOUND, params={"row": row}).first() if row is not None else None
    link, epoch, *beside = found or (None, None)
    link = links.checked(keys, token, Purpose.TURN, now, link, epoch)
    return link, Beside._make(beside)


def of(session: Session, link: Link) -> Beside:
    """What is beside a turn whose link is known."""
    return Beside._make(session.exec(_FOUND, params={"row": link.id}).one()[2:])
