"""Work that is due at once in many matches: reminders, and turns whose time is up.

One process does it, and as many as there are processors, by turns.

A time-out counts when all that follows from it is done: the default move is played and written, its
player's mail is owed, and the match is advanced to the next turn, whose mail is owed too.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Executable
from sqlmodel import col, func, select

from pbem.bench._copies import open_match
from pbem.bench._places import place
from pbem.bench._rounds import BenchOptions, Figures
from pbem.bench._sweepers import sweepers
from pbem.clock import ManualClock
from pbem.clocks.deadlines import ClockPolicy
from pbem.service import Service
from pbem.store.models import Mail, Ply, Turn
from pbem.store.names import MadeBy

START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
#: How many matches of each game are open.
MATCHES = {"dog": 400, "dogs-of-war": 200, "skirmish": 100}
#: After each missed turn the default move; the host is never asked.
POLICY = ClockPolicy(reserve=0, host_asked_at=10**6, bot_at=10**6)
#: Until the first reminders, none of which goes out at night, and from there until the turns have
#: timed out.
REMINDED, TIMED_OUT = timedelta(hours=46), timedelta(hours=28)
#: What is due, after which time, and the rows that say that it was done.
DUE: dict[str, tuple[timedelta, Any]] = {
    "reminders": (REMINDED, select(func.count()).where(Mail.kind == "reminder")),
    "time_outs": (
        TIMED_OUT,
        select(func.count()).where(col(Ply.made_by) == MadeBy.DEADLINE),
    ),
}


def measure(asked: BenchOptions) -> Figures:
    """For each database and game ``reminders_per_second`` and ``time_outs_per_second`` of one
    process, and ``..._per_processor_second`` as if it never waited; ``..._by_all`` of as many
    processes as there are processors.
    """
    found: Figures = {}
    for database in asked.databases:
        with place(database, asked.scratch) as here:
            for game in MATCHES:
                asked.say(f"{here.kind}, {game}")
                with here.service() as service:
                    found[f"{here.kind}, {game}"] = run(service, game, asked.seconds)
    return found


@dataclass
class _Work:
    """What was done so far of one kind, by one process or by all."""

    rows: int = 0
    #: By the clock, and of all processors.
    seconds: float = 0.0
    used: float = 0.0


def run(service: Service, game: str, seconds: float) -> dict[str, float]:
    """The figures for new matches of a game, over about so many seconds."""
    clock, numbers = ManualClock(START), itertools.count()
    service = replace(service, clock=clock)
    processors = os.cpu_count() or 1
    work = {(what, by): _Work() for by in (1, processors) for what in DUE}
    waiting = select(func.count()).where(col(Turn.closed_at).is_(None))
    # neither always comes after the other
    turns = itertools.cycle([1, processors, processors, 1])
    with sweepers(service.settings, processors) as sweep_all:
        for by in turns:
            if not _count(service, waiting):
                # at first, and when all are over: sweeps that find nothing must not count
                for number in itertools.islice(numbers, MATCHES[game]):
                    open_match(service, game, f".{number}", POLICY)
            for what, (span, rows) in DUE.items():
                clock.move(span)
                now, before = work[what, by], _count(service, rows)
                took, used = sweep_all(by, clock.now())
                now.rows += _count(service, rows) - before
                now.seconds += took
                now.used += used
            if sum(one.seconds for one in work.values()) > seconds and all(
                one.rows for one in work.values()
            ):
                break
    figures: dict[str, float] = {"matches": MATCHES[game]}
    for what in DUE:
        alone, together = work[what, 1], work[what, processors]
        figures |= {
            f"{what}_per_second": round(alone.rows / alone.seconds),
            f"{what}_per_second_by_all": round(together.rows / together.seconds),
            f"{what}_per_processor_second": round(alone.rows / alone.used),
        }
    return figures


def _count(service: Service, question: Executable) -> int:
    with service.database.read() as session:
        return int(session.execute(question).scalar_one())
