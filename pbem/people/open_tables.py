"""Matches that look for players: which are listed for everybody, and how one finds them.

A seat that is open can be taken by whoever has the table's address (``/open/ID``). A listed table
is shown to everybody besides, at ``/open``, for as long as it waits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal, NamedTuple

from sqlalchemy import bindparam, exists
from sqlalchemy import select as columns
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, select

from engine.codec import decode
from pbem.acts import lobby, matches
from pbem.clocks.deadlines import ClockPolicy
from pbem.errors import BadInput, NotPossible
from pbem.looks import match_list
from pbem.people import settings, talk
from pbem.service import Service
from pbem.store import plain, statements
from pbem.store.models import Match, OpenTable, Seat
from pbem.store.names import Actor, MatchStatus
from pbem.store.plain import PlainMatch

#: Tables on one page.
PAGE = 20
#: How fast a match goes, and the longest time for a turn that still counts as that, in seconds.
PACES: Mapping[str, int] = {"lively": 2 * 86400, "usual": 6 * 86400}
SLOWEST = "by-post"
#: After that a table that was opened then waits no more: it has begun, or was called off.
LISTED = lobby.CLOSED_AFTER + timedelta(days=1)


class NewTable(matches.NewMatch, frozen=True, forbid_unknown_fields=True):
    """A match as a host asks for it, with what else is set as it is opened."""

    #: Whether everybody is to see that it looks for players.
    listed: bool = False
    #: Whether players may talk at the table; None: as the game has it.
    talk: Literal["on", "off"] | None = None


@dataclass(frozen=True)
class TableFilter:
    """What somebody looks for. "" and 0: anything."""

    game: str = ""
    seats: int = 0
    pace: str = ""
    language: str = ""


class SeatFound(NamedTuple):
    """A seat of a table that waits, as far as everybody may know it: see ``Seat``."""

    number: int
    name: str
    bot: str | None
    joined_at: datetime | None
    is_open: bool


@dataclass(frozen=True)
class WaitingMatch:
    """A match that waits for players, with its seats."""

    match: PlainMatch
    seats: tuple[SeatFound, ...]


@dataclass(frozen=True)
class Page:
    """Tables, the newest first. ``following``: where the next page begins, "" if there is none."""

    tables: tuple[WaitingMatch, ...]
    following: str


def create(
    service: Service,
    new: NewTable,
    *,
    proved: bool,
    actor: Actor = Actor.HOST,
    match_id: str | None = None,
) -> Match:
    """Opens a match (``matches.create``), and in the same transaction lists it and sets whether it
    is talked in, as is asked.

    Whoever is invited has their own zone and language there, if they set them. With a ``match_id``
    that is ``opened`` at the same moment: that match.
    """
    new = settings.with_zones(service, new)
    if new.listed and not any(seat.open for seat in new.seats):
        raise BadInput("Only a table with an open seat can be listed.", field="listed")

    def also(session: Session, match: Match) -> None:
        if new.listed:
            _put(session, match)
        if new.talk is not None:
            talk.open_with(session, match, allowed=new.talk == "on")

    try:
        return matches.create(
            service, new, actor=actor, proved=proved, also=also, match_id=match_id
        )
    except IntegrityError:
        # it was asked for twice at the same moment
        if there := opened(service, match_id):
            return there
        raise


def opened(service: Service, match_id: str | None) -> Match | None:
    """The match of this id, if it is there already."""
    if match_id is None:
        return None
    with service.database.read() as session:
        return session.get(Match, match_id)


def show(service: Service, match_id: str, *, listed: bool) -> None:
    """Its host lists a table, or takes it off the list. Idempotent."""
    match = service.read(match_id).match
    if match.status != MatchStatus.LOBBY:
        raise NotPossible("This table is not looking for players.")
    with service.database.write("open_table") as session:
        if listed:
            _put(session, match)
        else:
            session.execute(delete(OpenTable).where(col(OpenTable.match_id) == match_id))


def _put(session: Session, match: Match) -> None:
    row = {
        "match_id": match.id,
        "game": match.game,
        "seats": match.seat_count,
        "language": match.language,
        "pace": pace(decode(ClockPolicy, match.clock_json)),
        "created_at": match.created_at,
        "told": 0,
    }
    statements.upsert(session, OpenTable, [row], unique=("match_id",))


def pace(policy: ClockPolicy) -> str:
    """How fast a match with this clock goes: of ``PACES``, or ``SLOWEST``."""
    if policy.kind == "none":
        return SLOWEST
    turn = 86400 if policy.kind == "daily" else policy.turn
    return next((name for name, most in PACES.items() if turn <= most), SLOWEST)


def is_listed(service: Service, match_id: str) -> bool:
    with service.database.read() as session:
        return session.get(OpenTable, match_id) is not None


_FREE = exists().where(
    col(Seat.match_id) == col(OpenTable.match_id), col(Seat.left_open), col(Seat.email).is_(None)
)
_WAITS = exists().where(
    col(Match.id) == col(OpenTable.match_id),
    col(Match.status) == MatchStatus.LOBBY,
    col(Match.unproved_host).is_(False),
)
_THESE: Any = bindparam("these", expanding=True)
#: Of matches and their seats, what the list tells.
_LISTED: Any = columns(*plain.MATCH).where(col(Match.id).in_(_THESE))
_THEIR_SEATS: Any = (
    columns(
        *(col(Seat.match_id), col(Seat.number), col(Seat.name), col(Seat.bot), col(Seat.joined_at)),
        col(Seat.left_open) & col(Seat.email).is_(None),
    )
    .where(col(Seat.match_id).in_(_THESE))
    .order_by(col(Seat.number))
)


@cache
def _newest(wanted: tuple[str, ...], *, after: bool) -> Any:
    """The ids of listed tables that wait, whose hosts have proved their address, with an open seat.

    ``wanted``: the columns that are asked for. It is no join: SQLite would begin with all matches
    that wait.
    """
    older = (col(OpenTable.created_at) < bindparam("at")) | (
        col(OpenTable.match_id) < bindparam("last")
    )
    place = [col(OpenTable.created_at) <= bindparam("at"), older] if after else []
    return (
        select(OpenTable.match_id)
        .where(_WAITS, _FREE, col(OpenTable.created_at) > bindparam("since"), *place)
        .where(*(getattr(OpenTable, name) == bindparam(name) for name in wanted))
        .order_by(col(OpenTable.created_at).desc(), col(OpenTable.match_id).desc())
        .limit(PAGE + 1)
    )


def newest(service: Service, wanted: TableFilter = TableFilter(), after: str = "") -> Page:
    """A page of the list. ``after``: the ``following`` of the page before, else the first."""
    given = {name: asked for name, asked in asdict(wanted).items() if asked}
    place = match_list.place_of(after)
    query = _newest(tuple(given), after=place is not None)
    values: dict[str, Any] = {**given, "since": service.now() - LISTED}
    if place is not None:
        values["at"], values["last"] = place
    with service.database.read() as session:
        # for plain columns a connection is the shorter way
        connection = session.connection()
        ids = connection.execute(query, values).scalars().all()
        which = {"these": ids[:PAGE]}
        found = {row.id: plain.match_of(row) for row in connection.execute(_LISTED, which)}
        seats = defaultdict(list)
        for match_id, *seat in connection.execute(_THEIR_SEATS, which):
            seats[match_id].append(SeatFound(*seat))
    tables = [WaitingMatch(found[match_id], tuple(seats[match_id])) for match_id in ids[:PAGE]]
    last = tables[-1].match if len(ids) > PAGE else None
    following = match_list.mark_of(last.created_at, last.id) if last is not None else ""
    return Page(tuple(tables), following)


def forget(service: Service, most: int) -> int:
    """Deletes rows of tables that cannot wait any more, at most ``most``; returns how many."""
    old = select(OpenTable.match_id).where(col(OpenTable.created_at) <= service.now() - LISTED)
    with service.database.ask() as session:
        ids = session.exec(old.limit(most)).all()
    if not ids:
        return 0
    with service.database.write("open_table.forget") as session:
        gone = delete(OpenTable).where(col(OpenTable.match_id).in_(ids))
        return statements.rowcount(session, gone)
