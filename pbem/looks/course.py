"""How a match that is over came about: a number for each seat after each of its plies."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sqlmodel import Session

from engine.errors import Sentence
from pbem.errors import UnreadableMatch
from pbem.lru import LruCache
from pbem.service import Service
from pbem.store import match_log, packed
from pbem.store.table import Table, load


@dataclass(frozen=True)
class Course:
    """What ``engine.game.Game.progress`` says along a match."""

    #: What is counted.
    what: Sentence
    #: A ply, and the number of each seat after it; in order.
    points: tuple[tuple[int, tuple[int, ...]], ...]
    #: The plies at which a history has a heading, such as a new deal.
    headings: tuple[tuple[int, Sentence], ...]


#: Courses that a process keeps: making one plays a whole match again.
KEPT = 200
_courses = LruCache["Course | None"](KEPT)


def course(service: Service, match_id: str) -> Course | None:
    """The course of a match.

    None while it runs, if its game says nothing of it, and if it cannot be read.
    """
    with suppress(UnreadableMatch), service.database.read() as session:
        table = load(session, match_id)
        if table.match.ended_at is not None and table.state is not None:
            return _courses.get_or_make(table.match.chain_head, lambda: _made(session, table))
    return None


def _made(session: Session, table: Table) -> Course | None:
    rows = packed.plies(session, table.match)
    game, points, what = table.game, [], None
    headings = []
    for row, state in match_log.states(table.match, table.seats, rows):
        if (progress := game.progress(state)) is not None:
            what = progress.what
            points.append((row.ply, progress.values))
        events = match_log.read_events(table.match, row, None)
        found = (game.heading(event) for event in events)
        headings += [(row.ply, heading) for heading in found if heading is not None]
    return Course(what, tuple(points), tuple(headings)) if what is not None else None
