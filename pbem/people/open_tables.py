"""Matches that look for players: which are listed for everybody, and how one finds them.

A seat that is open can be taken by whoever has the table's address (``/open/ID``). A listed table
is shown to everybody besides, at ``/open``, for as long as it waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from sqlalchemy import CursorResult, exists
from sqlmodel import Session, col, delete, select

from engine.codec import decode
from pbem.acts import lobby, matches
from pbem.clocks.deadlines import ClockPolicy
from pbem.errors import BadInput, NotPossible
from pbem.looks import match_list
from pbem.people import settings
from pbem.service import Service
from pbem.store import once
from pbem.store.models import Match, OpenTable, Seat
from pbem.store.names import Actor, MatchStatus
from pbem.store.table import load_all

#: Tables on one page.
PAGE = 50
#: How fast a match goes, and the longest time for a turn that still counts as that, in seconds.
PACES: Mapping[str, int] = {"lively": 2 * 86400, "usual": 6 * 86400}
SLOWEST = "by-post"
#: After that a table that was opened then waits no more: it has begun, or was called off.
LISTED = lobby.CLOSED_AFTER + timedelta(days=1)


class NewTable(matches.NewMatch, frozen=True, forbid_unknown_fields=True):
    """A match as a host asks for it, and whether everybody is to see that it looks for players."""

    listed: bool = False


@dataclass(frozen=True)
class Wanted:
    """What somebody looks for. "" and 0: anything."""

    game: str = ""
    seats: int = 0
    pace: str = ""
    language: str = ""


@dataclass(frozen=True)
class Found:
    """A match that waits for players, with its seats."""

    match: Match
    seats: tuple[Seat, ...]


@dataclass(frozen=True)
class Page:
    """Tables, the newest first. ``following``: where the next page begins, "" if there is none."""

    tables: tuple[Found, ...]
    following: str


def create(service: Service, new: NewTable, *, proved: bool, actor: Actor = Actor.HOST) -> Match:
    """Opens a match (``matches.create``), and lists it in the same transaction if it is asked.

    Whoever is invited has their own zone and language there, if they set them.
    """
    new = settings.with_zones(service, new)
    if not new.listed:
        return matches.create(service, new, actor=actor, proved=proved)
    if not any(seat.open for seat in new.seats):
        raise BadInput("Only a table with an open seat can be listed.", field="listed")
    return matches.create(service, new, actor=actor, proved=proved, also=_put)


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
    once.put(session, OpenTable, [row], unique=("match_id",))


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
#: Listed tables that wait, whose hosts have proved their address, and at which a seat is open.
#: It is no join: SQLite would begin with all matches that wait.
_WAITING: Any = select(OpenTable.match_id).where(_WAITS, _FREE)


def newest(service: Service, wanted: Wanted = Wanted(), after: str = "") -> Page:
    """A page of the list. ``after``: the ``following`` of the page before, else the first."""
    newest_first = (col(OpenTable.created_at).desc(), col(OpenTable.match_id).desc())
    query = _WAITING.where(col(OpenTable.created_at) > service.now() - LISTED)
    query = query.order_by(*newest_first).limit(PAGE + 1)
    for name in ("game", "seats", "pace", "language"):
        if asked := getattr(wanted, name):
            query = query.where(getattr(OpenTable, name) == asked)
    if (place := match_list.place_of(after)) is not None:
        at, last = place
        older = (col(OpenTable.created_at) < at) | (col(OpenTable.match_id) < last)
        query = query.where(col(OpenTable.created_at) <= at, older)
    with service.database.read() as session:
        ids = session.exec(query).all()
        tables = load_all(session, ids[:PAGE])
    shown = [tables[match_id] for match_id in ids[:PAGE]]
    following = match_list.mark_of(shown[-1].match) if len(ids) > PAGE else ""
    return Page(tuple(Found(table.match, table.seats) for table in shown), following)


def forget(service: Service, most: int) -> int:
    """Deletes rows of tables that cannot wait any more, at most ``most``; returns how many."""
    old = select(OpenTable.match_id).where(col(OpenTable.created_at) <= service.now() - LISTED)
    with service.database.ask() as session:
        ids = session.exec(old.limit(most)).all()
    if not ids:
        return 0
    with service.database.write("open_table.forget") as session:
        gone = delete(OpenTable).where(col(OpenTable.match_id).in_(ids))
        return cast(CursorResult[None], session.execute(gone)).rowcount
