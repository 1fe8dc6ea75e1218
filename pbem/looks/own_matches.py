"""The matches of an address: those it plays and those it hosts. Only reads.

For its home page and its mails. However many matches there are, the number of queries is the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import case, union
from sqlalchemy import select as columns
from sqlalchemy.orm import aliased, defer
from sqlmodel import Session, col, func, select

from pbem.store import links
from pbem.store.keys import Keys
from pbem.store.models import Link, Match, Ply, Seat, Turn
from pbem.store.names import MatchStatus, Purpose

#: How far back the last ply that everybody may know of is looked for.
MOST_HIDDEN = 30
#: What a match has and nothing here needs.
_HEAVY = (
    *(Match.state_json, Match.seed, Match.clock_json, Match.beacon_json, Match.set_aside_error),
)


@dataclass(frozen=True)
class Sitter:
    """A seat as everybody may know it, and since when it is waited for; None if it is not."""

    number: int
    name: str
    joined: bool
    #: Whether anybody can take it now.
    is_open: bool = False
    since: datetime | None = None


@dataclass(frozen=True)
class Own:
    """A match of an address: as a player, or as its host, without a seat.

    ``match`` is without its state.
    """

    match: Match
    #: All seats, by number; none before they were read (``with_sitters``).
    sitters: tuple[Sitter, ...] = ()
    seat: Seat | None = None
    turn: Turn | None = None
    #: The row of the link that is useful now: to the open turn, else to join, else to the seat's
    #: own page, or the host's; None if it was not made yet.
    link_id: int | None = None
    #: With an open turn: the row of the link to the seat's own page.
    page_id: int | None = None

    def url(self, keys: Keys, base_url: str) -> str:
        """The link that is useful now; "" if it was not made yet."""
        return self._url(keys, base_url, self.purpose, self.link_id)

    def page_url(self, keys: Keys, base_url: str) -> str:
        """With an open turn: the link to the seat's own page; "" if it was not made yet."""
        return self._url(keys, base_url, Purpose.SEAT, self.page_id)

    def _url(self, keys: Keys, base_url: str, purpose: Purpose, number: int | None) -> str:
        if number is None:
            return ""
        turn_id = self.turn.id or 0 if purpose == Purpose.TURN and self.turn is not None else 0
        about = links.row(purpose, self.match, self.seat, self.match.created_at, turn_id)
        return links.url_of_row(keys, base_url, number, about)

    @property
    def purpose(self) -> Purpose:
        """What ``link`` is for."""
        if self.seat is None:
            return Purpose.HOST
        if self.turn is not None:
            return Purpose.TURN
        return Purpose.JOIN if self.seat.joined_at is None else Purpose.SEAT

    @property
    def is_asked(self) -> bool:
        """Whether the address has been invited here, and has not answered."""
        seat = self.seat
        return (
            seat is not None
            and seat.joined_at is None
            and seat.resigned_at is None
            and not self.match.unproved_host
        )


#: Not over. By the status, because of ``ended_at`` there is an index, which is not the one to use:
#: of the matches that go on, an address has few.
_GOES_ON = col(Match.status).not_in([MatchStatus.FINISHED, MatchStatus.ABORTED])
_WITHOUT: Any = [
    defer(column, raiseload=True)  # type: ignore[arg-type]
    for column in (*_HEAVY, Match.outcome_json)
]
_SeatLink = aliased(Link)
_HAS_TURN = col(Turn.id).is_not(None)
_FOUND: Any = (
    columns(Match, Seat, Turn, col(Link.id), col(_SeatLink.id))
    .select_from(Seat)
    .join(Match, col(Match.id) == col(Seat.match_id))
    .outerjoin(
        Turn,
        (col(Turn.match_id) == col(Seat.match_id))
        & (col(Turn.seat) == col(Seat.number))
        & col(Turn.closed_at).is_(None),
    )
    .outerjoin(
        Link,
        (
            col(Link.purpose)
            == case(
                (_HAS_TURN, str(Purpose.TURN)),
                (col(Seat.joined_at).is_(None), str(Purpose.JOIN)),
                else_=str(Purpose.SEAT),
            )
        )
        & (col(Link.match_id) == col(Seat.match_id))
        & (col(Link.seat) == col(Seat.number))
        & (col(Link.turn_id) == func.coalesce(col(Turn.id), 0))
        & (col(Link.epoch) == col(Seat.epoch)),
    )
    .outerjoin(
        _SeatLink,
        _HAS_TURN
        & (col(_SeatLink.purpose) == str(Purpose.SEAT))
        & (col(_SeatLink.match_id) == col(Seat.match_id))
        & (col(_SeatLink.seat) == col(Seat.number))
        & (col(_SeatLink.turn_id) == 0)
        & (col(_SeatLink.epoch) == col(Seat.epoch)),
    )
    .options(*_WITHOUT)
)
_HOSTED: Any = columns(col(Match.id), col(Link.id)).outerjoin(
    Link,
    (col(Link.purpose) == str(Purpose.HOST))
    & (col(Link.match_id) == col(Match.id))
    & (col(Link.seat) == links.HOST)
    & (col(Link.turn_id) == 0)
    & (col(Link.epoch) == col(Match.host_epoch)),
)


def going_on(session: Session, address: str) -> list[Own]:
    """The matches of an address that are not over: first those it plays, then those it hosts.

    Each part begins with the oldest. At most three queries.
    """
    folded = address.lower()
    order = (col(Match.created_at), col(Match.id))
    played = session.execute(
        _FOUND.where(func.lower(Seat.email) == folded, _GOES_ON).order_by(*order)
    ).all()
    hosted = session.execute(
        _HOSTED.where(func.lower(Match.host_email) == folded, _GOES_ON).order_by(*order)
    ).all()
    known = {row[0].id: row[0] for row in played}
    more = [match_id for match_id, _ in hosted if match_id not in known]
    if more:
        rest = select(Match).where(col(Match.id).in_(more)).options(*_WITHOUT)
        known |= {match.id: match for match in session.exec(rest)}
    return [
        Own(match, (), seat, turn, link, own_page) for match, seat, turn, link, own_page in played
    ] + [Own(known[match_id], link_id=link) for match_id, link in hosted]


def with_sitters(session: Session, *some: Sequence[Own]) -> Iterator[list[Own]]:
    """The same lists, with who sits at each table; one query for all of them."""
    around = _sitters(session, {own.match.id for owns in some for own in owns})
    for owns in some:
        yield [replace(own, sitters=around[own.match.id]) for own in owns]


def finished(
    session: Session, address: str, most: int, before: tuple[datetime, str] | None = None
) -> list[Own]:
    """The matches of an address that are over, newest first, at most ``most``.

    A match that it both played and hosted counts once. ``before``: only those after this place (the
    end and the id of a match) in this order.
    """
    query = (
        select(Match)
        .where(_theirs(address))
        .options(
            *(defer(column, raiseload=True) for column in _HEAVY)  # type: ignore[arg-type]
        )
    )
    if before is not None:
        at, last = before
        query = query.where(
            (col(Match.ended_at) < at) | ((col(Match.ended_at) == at) & (col(Match.id) > last))
        )
    ordered = query.order_by(col(Match.ended_at).desc(), col(Match.id)).limit(most)
    found = session.exec(ordered).all()
    ids = [match.id for match in found]
    if not ids:
        return []
    own = {
        seat.match_id: seat
        for seat in session.exec(
            select(Seat).where(
                col(Seat.match_id).in_(ids), func.lower(Seat.email) == address.lower()
            )
        )
    }
    around = _sitters(session, ids)
    return [Own(match, around[match.id], own.get(match.id)) for match in found]


def _theirs(address: str) -> Any:
    # a union of two queries: with OR between them PostgreSQL reads all matches
    hosted = select(Match.id).where(func.lower(Match.host_email) == address.lower())
    played = select(Seat.match_id).where(func.lower(Seat.email) == address.lower())
    return col(Match.ended_at).is_not(None) & col(Match.id).in_(union(hosted, played))


def plays_here(session: Session, address: str) -> bool:
    """Whether somebody with this address has joined, or hosts, any match, over or not.

    An address that others entered, and that has answered to nothing, does not count.
    """
    folded = address.lower()
    joined = (func.lower(Seat.email) == folded, col(Seat.joined_at).is_not(None))
    proved = (func.lower(Match.host_email) == folded, col(Match.unproved_host).is_(False))
    seat, host = select(Seat.id).where(*joined), select(Match.id).where(*proved)
    return any(session.exec(one.limit(1)).first() is not None for one in (seat, host))


def _sitters(session: Session, match_ids: Collection[str]) -> dict[str, tuple[Sitter, ...]]:
    """The seats of each of these matches, by number."""
    rows = session.execute(
        columns(
            *(col(Seat.match_id), col(Seat.number), col(Seat.name), col(Seat.joined_at)),
            *(col(Seat.left_open) & col(Seat.email).is_(None), col(Turn.id)),
            func.coalesce(Turn.public_opened_at, Turn.opened_at),
        )
        .select_from(Seat)
        .outerjoin(
            Turn,
            (col(Turn.match_id) == col(Seat.match_id))
            & (col(Turn.seat) == col(Seat.number))
            & col(Turn.closed_at).is_(None),
        )
        .where(col(Seat.match_id).in_(match_ids))
        .order_by(col(Seat.match_id), col(Seat.number))
    )
    found: dict[str, list[Sitter]] = defaultdict(list)
    for match_id, number, name, joined_at, is_open, turn, since in rows:
        joined, waited = joined_at is not None, since if turn else None
        sitter = Sitter(number, name or f"#{number + 1}", joined, bool(is_open), waited)
        found[match_id].append(sitter)
    return defaultdict(tuple, {match_id: tuple(seats) for match_id, seats in found.items()})


@dataclass(frozen=True)
class LastMove:
    """The last ply of a match that told everybody something."""

    seat: int
    at: datetime


def last_moves(session: Session, matches: Iterable[Match]) -> dict[str, LastMove]:
    """Who moved last in each of these matches, as everybody may know it; one query."""
    ids = [match.id for match in matches]
    shown = func.coalesce(Ply.public_ply, Ply.ply)
    rows = session.execute(
        columns(col(Ply.match_id), col(Ply.ply), col(Ply.seat), col(Ply.made_at))
        .join(Match, col(Match.id) == col(Ply.match_id))
        .where(
            col(Ply.match_id).in_(ids),
            col(Ply.ply) > col(Match.ply) - MOST_HIDDEN,
            shown == func.coalesce(Match.public_ply, Match.ply),
        )
        # the first with this number told it, the others are hidden
        .order_by(col(Ply.match_id), col(Ply.ply).desc())
    )
    return {
        match_id: LastMove(seat, made_at)
        for match_id, _ply, seat, made_at in rows
        if seat is not None
    }


def by_deadline(own: Iterable[Own]) -> list[Own]:
    """Those with an open turn, the one whose time ends first before the others."""
    mine = [one for one in own if one.turn is not None]
    return sorted(mine, key=lambda one: _ends(one.turn))


def _ends(turn: Turn | None) -> tuple[bool, Any, int]:
    assert turn is not None
    timed = turn.due_at is not None and turn.held_at is None
    return (not timed, turn.due_at if timed else turn.opened_at, turn.id or 0)
