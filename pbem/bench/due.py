"""Work that is due at once in many matches: reminders, and turns whose time is up.

A time-out counts when all that follows from it is done: the default move is played and written, its
player's mail is owed, and the match is advanced to the next turn, whose mail is owed too.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import Executable
from sqlmodel import col, func, select

from pbem.acts import matches
from pbem.acts.sweep import sweep
from pbem.bench._copies import GAMES, carry_on
from pbem.bench._places import place
from pbem.bench._rounds import BenchOptions, Figures
from pbem.clock import ManualClock
from pbem.clocks.deadlines import ClockPolicy
from pbem.running import forked
from pbem.service import Service
from pbem.store.models import Mail, Ply, Turn
from pbem.store.names import MadeBy

START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
#: How many matches of each game are open.
MATCHES = {"dog": 100, "dogs-of-war": 50, "skirmish": 20}
#: After each missed turn the default move; the host is never asked.
POLICY = ClockPolicy(reserve=0, host_asked_at=10**6, bot_at=10**6)
#: Until the first reminders, none of which goes out at night, and from there until the turns have
#: timed out.
REMINDED, TIMED_OUT = timedelta(hours=46), timedelta(hours=28)


def measure(asked: BenchOptions) -> Figures:
    """For each database and game ``reminders_per_second`` and ``time_outs_per_second``;
    ``..._per_processor_second`` says the same of a process that never waits.
    """
    found: Figures = {}
    for database in asked.databases:
        with place(database, asked.scratch) as here:
            for game, count in MATCHES.items():
                asked.say(f"{here.kind}, {game}")
                with here.service() as service:
                    found[f"{here.kind}, {game}"] = run(service, game, count, asked.seconds)
    return found


def run(service: Service, game: str, count: int, seconds: float) -> dict[str, float]:
    """The figures for so many new matches of a game, over about so many seconds."""
    clock = ManualClock(START)
    service = replace(service, clock=clock)
    numbers = itertools.count()
    done = {"reminders": 0, "time_outs": 0}
    spent = dict.fromkeys(done, 0.0)
    busy = dict.fromkeys(done, 0.0)
    counts: dict[str, Callable[[], int]] = {
        "reminders": lambda: _count(service, select(func.count()).where(Mail.kind == "reminder")),
        "time_outs": lambda: _count(
            service, select(func.count()).where(col(Ply.made_by) == MadeBy.DEADLINE)
        ),
    }
    waiting = select(func.count()).where(col(Turn.closed_at).is_(None))
    while not all(done.values()) or sum(spent.values()) < seconds:
        if not _count(service, waiting):
            # at first, and when all are over: sweeps that find nothing must not count
            for number in itertools.islice(numbers, count):
                _open(service, game, number)
            # as in a worker: the garbage collector leaves alone what is there now
            forked.keep_shared()
        for what, span in (("reminders", REMINDED), ("time_outs", TIMED_OUT)):
            clock.move(span)
            before, begun, worked = counts[what](), time.perf_counter(), time.process_time()
            while sweep(service):
                pass
            spent[what] += time.perf_counter() - begun
            busy[what] += time.process_time() - worked
            done[what] += counts[what]() - before
    return {
        "matches": count,
        **{f"{what}_per_second": round(done[what] / spent[what]) for what in done},
        **{f"{what}_per_processor_second": round(done[what] / busy[what]) for what in done},
    }


def _open(service: Service, game: str, number: int) -> None:
    people = [
        matches.NewSeat(name=f"P{seat}", email=f"p{seat}.{number}@example.org")
        for seat in range(GAMES[game])
    ]
    host = matches.Person(name="P0", email=f"p0.{number}@example.org")
    new = matches.NewMatch(game=game, host=host, seats=people, confirmed=True)
    match = matches.create(service, new, policy=POLICY)
    carry_on(service, match.id)


def _count(service: Service, question: Executable) -> int:
    with service.database.read() as session:
        return int(session.execute(question).scalar_one())
