"""The matches of an address: those it plays and those it hosts. Only reads.

For its home page and its mails. However many matches there are, the number of queries is the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, case, false, null, union
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, select

from pbem.looks import stalled
from pbem.store import links, plain
from pbem.store.keys import Keys
from pbem.store.models import Link, Match, Ply, Seat, Turn
from pbem.store.names import MatchStatus, Purpose
from pbem.store.plain import PlainMatch, PlainSeat

#: How far back the last ply that everybody may know of is looked for.
MOST_HIDDEN = 30


class Sitter(NamedTuple):
    """A seat as everybody may know it, and since when it is waited for; None if it is not."""

    number: int
    name: str
    joined: bool
    #: Whether anybody can take it now.
    is_open: bool = False
    since: datetime | None = None


class OpenTurn(NamedTuple):
    """A turn that an address has to play, and when it ends if its clock runs."""

    id: int
    due_at: datetime | None
    #: When its reserve and the grace are over, too.
    final_at: datetime | None
    held_at: datetime | None


class OwnMatch(NamedTuple):
    """A match of an address: as a player, or as its host, without a seat."""

    match: PlainMatch
    #: All seats, by number; none before they were read (``with_sitters``).
    sitters: tuple[Sitter, ...] = ()
    seat: PlainSeat | None = None
    turn: OpenTurn | None = None
    #: The row of the link that is useful now: to the open turn, else to join, else to the seat's
    #: own page, or the host's; None if it was not made yet.
    link_id: int | None = None

    def url(self, keys: Keys, base_url: str) -> str:
        """The link that is useful now; "" if it was not made yet."""
        if self.link_id is None:
            return ""
        turn_id = self.turn.id if self.turn is not None else 0
        about = links.row(self.purpose, self.match, self.seat, self.match.created_at, turn_id)
        return links.url_of_row(keys, base_url, self.link_id, about)

    @property
    def purpose(self) -> Purpose:
        """What the link that is useful now is for."""
        if self.seat is None:
            return Purpose.HOST
        if self.turn is not None:
            return Purpose.TURN
        return Purpose.JOIN if self.seat.joined_at is None else Purpose.SEAT


class Outline(NamedTuple):
    """A match that goes on as far as one must know it to sort it: a home can have hundreds."""

    match_id: str
    unproved_host: bool
    #: The row of the address's seat; None: it hosts the match.
    seat_id: int | None = None
    joined: bool = False
    resigned: bool = False
    #: The row of its open turn.
    turn_id: int | None = None
    #: Of a match that it hosts: whether it may stall (``pbem.looks.stalled``).
    may_stall: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether the address has been invited here, and has not answered."""
        is_free = not self.joined and not self.resigned
        return self.seat_id is not None and is_free and not self.unproved_host

    @property
    def waits(self) -> bool:
        """Whether the address plays here, and others are to move."""
        return self.joined and not self.resigned and self.turn_id is None


# Statements are made once: to make one takes longer than to run it.
_ADDRESS: Any = bindparam("address")
_THESE: Any = bindparam("these", expanding=True)
#: Not over. By the status, because of ``ended_at`` there is an index, which is not the one to use:
#: of the matches that go on, an address has few.
#: And no list of them: it would be written into the statement each time anew.
_GOES_ON = (col(Match.status) != MatchStatus.FINISHED) & (col(Match.status) != MatchStatus.ABORTED)
_OPEN_TURN: Any = (
    (col(Turn.match_id) == col(Seat.match_id))
    & (col(Turn.seat) == col(Seat.number))
    & col(Turn.closed_at).is_(None)
)
_HAS_TURN = col(Turn.id).is_not(None)
#: When an open turn ends, if its clock runs.
_ENDS: Any = case((col(Turn.held_at).is_(None), col(Turn.due_at)))
#: The columns of an ``Outline``. The database sorts them, so that no time must be read.
_PLAYED: Any = (
    columns(
        *(col(Match.id), col(Match.unproved_host), col(Seat.id)),
        *(col(Seat.joined_at).is_not(None), col(Seat.resigned_at).is_not(None), col(Turn.id)),
        false(),
    )
    .select_from(Seat)
    .join(Match, col(Match.id) == col(Seat.match_id))
    .outerjoin(Turn, _OPEN_TURN)
    .where(func.lower(Seat.email) == _ADDRESS, _GOES_ON)
    .order_by(
        *(~_HAS_TURN, _ENDS.is_(None), func.coalesce(_ENDS, Turn.opened_at, Match.created_at)),
        *(col(Turn.id), col(Match.id)),
    )
)
_HOSTED: Any = (
    columns(
        *(col(Match.id), col(Match.unproved_host), null(), false(), false(), null()),
        stalled.MAY_STALL,
    )
    .where(func.lower(Match.host_email) == _ADDRESS, _GOES_ON)
    # by the plain column SQLite would read all matches there are in that order, instead of theirs
    .order_by(func.coalesce(Match.created_at, Match.started_at), col(Match.id))
)


def played(session: Session, address: str) -> list[Outline]:
    """The matches that an address plays, or is invited to, and that are not over.

    First its open turns, the one whose time ends first before the others; then the oldest matches.
    """
    which = {"address": address.lower()}
    return list(map(Outline._make, _rows(session, _PLAYED, which)))


def hosted(session: Session, address: str, now: datetime) -> list[Outline]:
    """The matches that an address hosts and that are not over, the oldest first."""
    which = {"address": address.lower(), **stalled.may_stall(now)}
    return list(map(Outline._make, _rows(session, _HOSTED, which)))


def turns(some: Iterable[Outline]) -> list[Outline]:
    """Those with an open turn, the one whose time ends first before the others."""
    return [one for one in some if one.turn_id is not None]


_OWN_SEATS: Any = (
    columns(
        *(*plain.MATCH, *plain.SEAT, col(Link.id)),
        *(col(Turn.id), col(Turn.due_at), col(Turn.final_at), col(Turn.held_at)),
    )
    .select_from(Seat)
    .join(Match, col(Match.id) == col(Seat.match_id))
    .outerjoin(Turn, _OPEN_TURN)
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
    .where(col(Seat.id).in_(_THESE))
)
_AS_HOST: Any = (
    columns(*plain.MATCH, col(Link.id))
    .outerjoin(
        Link,
        (col(Link.purpose) == str(Purpose.HOST))
        & (col(Link.match_id) == col(Match.id))
        & (col(Link.seat) == links.HOST)
        & (col(Link.turn_id) == 0)
        & (col(Link.epoch) == col(Match.host_epoch)),
    )
    .where(col(Match.id).in_(_THESE))
)


def whole(session: Session, some: Sequence[Outline]) -> list[OwnMatch]:
    """These matches, in their order. At most two queries."""
    seats = [one.seat_id for one in some if one.seat_id is not None]
    matches = [one.match_id for one in some if one.seat_id is None]
    played = {}
    for row in _of(session, _OWN_SEATS, seats):
        match, seat = plain.both_of(row)
        link_id, *turn = row[-5:]
        played[seat.id] = OwnMatch(match, (), seat, OpenTurn(*turn) if turn[0] else None, link_id)
    rows = _of(session, _AS_HOST, matches)
    hosted = {row.id: OwnMatch(plain.match_of(row), link_id=row[-1]) for row in rows}
    return [hosted[one.match_id] if one.seat_id is None else played[one.seat_id] for one in some]


def _rows(session: Session, query: Any, values: Mapping[str, Any]) -> Sequence[Any]:
    # for plain columns a connection is the shorter way
    return session.connection().execute(query, values).all()


def _of(session: Session, query: Any, these: Collection[Any]) -> Sequence[Any]:
    """The rows of these; of none, no query."""
    return _rows(session, query, {"these": these}) if these else ()


def next_turn(session: Session, address: str) -> OwnMatch | None:
    """The open turn of an address whose time ends first."""
    first = turns(played(session, address))[:1]
    return next(iter(whole(session, first)), None)


def going_on(session: Session, address: str, now: datetime) -> list[OwnMatch]:
    """All matches of an address that are not over: first those it plays, then those it hosts."""
    return whole(session, [*played(session, address), *hosted(session, address, now)])


def with_sitters(session: Session, some: Sequence[OwnMatch]) -> list[OwnMatch]:
    """The same, with who sits at each table. One query."""
    around = sitters(session, {own.match.id for own in some})
    return [own._replace(sitters=around[own.match.id]) for own in some]


# a union of two queries: with OR between them PostgreSQL reads all matches
_THEIRS: Any = union(
    select(Match.id).where(func.lower(Match.host_email) == _ADDRESS),
    select(Seat.match_id).where(func.lower(Seat.email) == _ADDRESS),
)
_OVER: Any = (
    columns(*plain.MATCH, *plain.SEAT)
    .select_from(Match)
    .outerjoin(Seat, (col(Seat.match_id) == col(Match.id)) & (func.lower(Seat.email) == _ADDRESS))
    .where(col(Match.ended_at).is_not(None), col(Match.id).in_(_THEIRS))
    .order_by(col(Match.ended_at).desc(), col(Match.id))
    .limit(bindparam("most"))
)
_OVER_BEFORE: Any = _OVER.where(
    (col(Match.ended_at) < bindparam("at"))
    | ((col(Match.ended_at) == bindparam("at")) & (col(Match.id) > bindparam("last")))
)


def finished(
    session: Session, address: str, most: int, before: tuple[datetime, str] | None = None
) -> list[OwnMatch]:
    """The matches of an address that are over, newest first, at most ``most``.

    A match that it both played and hosted counts once. ``before``: only those after this place (the
    end and the id of a match) in this order.
    """
    which: dict[str, Any] = {"address": address.lower(), "most": most}
    if before is None:
        rows = _rows(session, _OVER, which)
    else:
        at, last = before
        rows = _rows(session, _OVER_BEFORE, {**which, "at": at, "last": last})
    found = {}
    for row in rows:
        match, seat = plain.both_of(row)
        # who only hosted it has none
        found[match.id] = OwnMatch(match, (), seat if seat.id else None)
    return list(found.values())


def plays_here(session: Session, address: str) -> bool:
    """Whether somebody with this address has joined, or hosts, any match, over or not.

    An address that others entered, and that has answered to nothing, does not count.
    """
    folded = address.lower()
    joined = (func.lower(Seat.email) == folded, col(Seat.joined_at).is_not(None))
    proved = (func.lower(Match.host_email) == folded, col(Match.unproved_host).is_(False))
    seat, host = select(Seat.id).where(*joined), select(Match.id).where(*proved)
    return any(session.exec(one.limit(1)).first() is not None for one in (seat, host))


_AROUND: Any = (
    columns(
        *(col(Seat.match_id), col(Seat.number), col(Seat.name), col(Seat.joined_at).is_not(None)),
        col(Seat.left_open) & col(Seat.email).is_(None),
        case((_HAS_TURN, func.coalesce(Turn.public_opened_at, Turn.opened_at))),
    )
    .select_from(Seat)
    .outerjoin(Turn, _OPEN_TURN)
    .where(col(Seat.match_id).in_(_THESE))
    .order_by(col(Seat.match_id), col(Seat.number))
)


def sitters(session: Session, match_ids: Collection[str]) -> dict[str, tuple[Sitter, ...]]:
    """The seats of each of these matches, by number."""
    found: dict[str, list[Sitter]] = defaultdict(list)
    for match_id, number, name, joined, is_open, since in _of(session, _AROUND, match_ids):
        sitter = Sitter(number, name or f"#{number + 1}", joined, bool(is_open), since)
        found[match_id].append(sitter)
    return defaultdict(tuple, {match_id: tuple(seats) for match_id, seats in found.items()})


@dataclass(frozen=True)
class LastMove:
    """The last ply of a match that told everybody something."""

    seat: int
    at: datetime


_LAST: Any = (
    columns(col(Ply.match_id), col(Ply.seat), col(Ply.made_at))
    .join(Match, col(Match.id) == col(Ply.match_id))
    .where(
        col(Ply.match_id).in_(_THESE),
        col(Ply.ply) > col(Match.ply) - MOST_HIDDEN,
        func.coalesce(Ply.public_ply, Ply.ply) == func.coalesce(Match.public_ply, Match.ply),
    )
    # the first with this number told it, the others are hidden
    .order_by(col(Ply.match_id), col(Ply.ply).desc())
)


def last_moves(session: Session, matches: Iterable[PlainMatch]) -> dict[str, LastMove]:
    """Who moved last in each of these matches, as everybody may know it; one query."""
    return {
        match_id: LastMove(seat, made_at)
        for match_id, seat, made_at in _of(session, _LAST, [match.id for match in matches])
        if seat is not None
    }
