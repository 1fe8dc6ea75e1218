"""A hundred matches of Dog over ninety days of pretended time, with people as they are.

``python -m tests.bench.ninety_days [MATCHES]`` (default 100) plays the same people twice: on the
service's own clock (a turn, a reserve, vacations, weekends), and on a plain fixed one. Some people
answer late, some go away, some have an address that begins to refuse mail and is corrected by the
host a day after, some vanish. Everything is seeded; the acts and the sweep are the real ones, on a
SQLite file; only the mailer is left out: who would be mailed simply knows, or does not.
"""

from __future__ import annotations

import heapq
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Rows
from sqlalchemy import event
from sqlmodel import col, func, select

from engine.dice import SeededDice
from pbem import absence, db, matches, reach, remedies, stalled, turns
from pbem.clock import ManualClock
from pbem.config import Limits, Settings
from pbem.db import Database
from pbem.keys import Keys
from pbem.models import Link, MadeBy, Match, Ply, Purpose, Turn
from pbem.service import Service
from pbem.sweep import sweep
from pbem.table import load

START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
END = START + timedelta(days=90)
#: How often the workers sweep, and how often a host looks at what stalls.
STEP = timedelta(hours=1)
HOST_LOOKS = 24
CLOCKS: dict[str, dict[str, Any]] = {
    "composed": {"turn": "72h", "reserve": "96h", "weekends": True, "vacation_days": 7},
    "plain": {"turn": "72h", "grace": "15m"},
}


@dataclass(frozen=True)
class Person:
    """How somebody plays by mail. Hours are of pretended time."""

    #: The median of their answer, and how far it scatters (of a logarithm).
    hours: float
    scatter: float
    #: From when to when they are away: they answer nothing.
    away: tuple[datetime, datetime] | None
    #: From when on mail to them is refused, until the host corrects the address.
    refused: datetime | None
    #: From when on they never come again.
    vanished: datetime | None
    #: Whether they play on Saturdays and Sundays.
    weekends: bool


def drawn(seed: str) -> Person:
    """One of those who play: most are reliable, each kind of absence has its share."""
    chance = random.Random(seed)
    hours = chance.choice([0.5, 1, 2, 3, 6, 12])

    def day(first: int, last: int) -> datetime:
        return START + timedelta(days=chance.uniform(first, last))

    away = None
    if chance.random() < 0.30:
        begun = day(5, 70)
        away = (begun, begun + timedelta(days=chance.choice([4, 7, 10, 14])))
    refused = day(2, 50) if chance.random() < 0.08 else None
    vanished = day(5, 80) if chance.random() < 0.06 else None
    return Person(hours, 0.9, away, refused, vanished, chance.random() < 0.7)


@dataclass
class World:
    """A service in which time is pretended, its matches and their people."""

    service: Service
    clock: ManualClock
    people: dict[tuple[str, int], Person] = field(default_factory=dict)
    #: The number of each match, by its id.
    place: dict[str, int] = field(default_factory=dict)
    #: Answers to come: when, match, seat, turn.
    answers: list[tuple[datetime, str, int, int]] = field(default_factory=list)
    #: The last turn that its person has heard of.
    heard: int = 0
    #: Mail that is refused and known to be so: since when.
    bounced: dict[tuple[str, int], datetime] = field(default_factory=dict)
    corrected: set[tuple[str, int]] = field(default_factory=set)
    host_acts: Counter[str] = field(default_factory=Counter)

    # --- people ---

    def notice(self) -> None:
        """New turns reach their people, who will answer some time, or never."""
        with self.service.database.read() as session:
            found = session.exec(
                select(Turn.id, Turn.match_id, Turn.seat, Turn.opened_at)
                .where(col(Turn.closed_at).is_(None), col(Turn.id) > self.heard)
                .order_by(col(Turn.id))
            ).all()
        for turn_id, match_id, seat, opened_at in found:
            self.heard = turn_id or 0
            if self.is_refused(match_id, seat):
                self.bounce(match_id, seat)
                continue
            self.will_answer(match_id, seat, turn_id or 0, opened_at)

    def is_refused(self, match_id: str, seat: int) -> bool:
        person = self.people[match_id, seat]
        begun = person.refused is not None and person.refused <= self.clock.now()
        return begun and (match_id, seat) not in self.corrected

    def bounce(self, match_id: str, seat: int) -> None:
        if (match_id, seat) in self.bounced:
            return
        with self.service.database.read() as session:
            email = load(session, match_id).seats[seat].email or ""
        reach.mail_refused(self.service, match_id, seat, email, "550 no such user")
        self.bounced[match_id, seat] = self.clock.now()

    def will_answer(self, match_id: str, seat: int, turn_id: int, asked_at: datetime) -> None:
        person = self.people[match_id, seat]
        chance = random.Random(f"{self.place[match_id]}:{seat}:{asked_at.isoformat()}")
        hours = person.hours * chance.lognormvariate(0, person.scatter)
        at = asked_at + timedelta(hours=min(hours, 24 * 20))
        at = awake(person, at)
        if person.vanished is None or at < person.vanished:
            heapq.heappush(self.answers, (at, match_id, seat, turn_id))

    def answer_due(self) -> None:
        """Those whose hour has come play; who finds a bot on their seat takes it back."""
        end = self.clock.now()
        while self.answers and self.answers[0][0] <= end:
            _, match_id, seat, turn_id = heapq.heappop(self.answers)
            self.answer(match_id, seat, turn_id)

    def answer(self, match_id: str, seat: int, turn_id: int) -> None:
        with self.service.database.read() as session:
            table = load(session, match_id)
            link = session.exec(
                select(Link)
                .where(Link.purpose == Purpose.TURN, Link.turn_id == turn_id)
                .order_by(col(Link.id).desc())
            ).first()
            own = session.exec(
                select(Link)
                .where(Link.purpose == Purpose.SEAT, Link.match_id == match_id, Link.seat == seat)
                .order_by(col(Link.id).desc())
            ).first()
        if not table.running or link is None or own is None:
            return
        if table.seats[seat].bot is not None:
            absence.come_back(self.service, own)
            return
        turn = table.open_turns.get(seat)
        if turn is None or turn.id != turn_id:
            return
        game = table.game
        legal = list(game.legal_moves(table.state, seat))
        dice = SeededDice.from_text(f"{self.place[match_id]}:{table.match.ply}:{seat}")
        move = game.choose(game.view(table.state, seat), legal, dice)
        turns.submit(self.service, link, game.format(move), f"{turn_id}")

    # --- hosts ---

    def host_looks(self) -> None:
        """Once a day each host does the likeliest thing about what stalls."""
        for stall in stalled.find(self.service):
            if stall.seat is None:
                continue
            place = (stall.match_id, stall.seat)
            if stall.reason == "mail" and place in self.bounced:
                if self.clock.now() - self.bounced[place] >= timedelta(days=1):
                    self.correct(*place)
            elif stall.reason == "overdue" and stall.detail == "host":
                remedies.put_bot(self.service, *place, actor="host")
                self.host_acts["bot"] += 1

    def correct(self, match_id: str, seat: int) -> None:
        self.corrected.add((match_id, seat))
        number = self.place[match_id]
        reach.correct_address(
            self.service, match_id, seat, f"new{seat}.m{number}@example.org", actor="host"
        )
        self.host_acts["correct-address"] += 1
        with self.service.database.read() as session:
            turn = load(session, match_id).open_turns.get(seat)
        if turn is not None:
            self.will_answer(match_id, seat, turn.id or 0, self.clock.now())


def awake(person: Person, at: datetime) -> datetime:
    """The first instant from ``at`` on at which the person is there."""
    for _ in range(4):
        if person.away is not None and person.away[0] <= at < person.away[1]:
            at = person.away[1] + timedelta(hours=6)
        elif not person.weekends and at.weekday() >= 5:
            at += timedelta(days=7 - at.weekday())
        else:
            break
    return at


def build(home: Path, clock_parts: dict[str, Any], count: int) -> World:
    settings = Settings(home=home, limits=Limits(open_matches_per_host=10_000))
    db.upgrade(settings.database_url)
    database = Database(settings.database_url)
    for engine in (database._writer, database._reader):
        # nothing of this must outlive the machine
        event.listen(engine, "connect", lambda found, _: found.execute("PRAGMA synchronous = OFF"))
    clock = ManualClock(START)
    entropy = random.Random("ninety days").randbytes
    world = World(Service(settings, database, Keys((b"k" * 32,)), clock, entropy=entropy), clock)
    for number in range(count):
        seats = [
            matches.NewSeat(name=f"P{seat}", email=f"p{seat}.m{number}@example.org")
            for seat in range(4)
        ]
        host = matches.Person(name="P0", email=f"p0.m{number}@example.org")
        new = matches.NewMatch(
            game="dog", host=host, seats=seats, clock=clock_parts, confirmed=True
        )
        match = matches.create(world.service, new)
        world.place[match.id] = number
        for seat in range(4):
            world.people[match.id, seat] = drawn(f"{number}:{seat}")
    return world


def run(name: str, count: int) -> dict[str, Any]:
    """Ninety days on one of the clocks; what came of the matches."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="pbem-ninety-") as scratch:
        world = build(Path(scratch), CLOCKS[name], count)
        hours = 0
        while world.clock.now() < END and running(world):
            while sweep(world.service, 500):
                pass
            world.notice()
            world.clock.move(STEP)
            world.answer_due()
            hours += 1
            if hours % HOST_LOOKS == 0:
                world.host_looks()
        figures = outcome(world)
        world.service.database.close()
    return {**figures, "minutes of this machine": round((time.perf_counter() - begun) / 60, 1)}


def running(world: World) -> int:
    with world.service.database.read() as session:
        query = select(func.count()).select_from(Match).where(Match.status == "running")
        return session.exec(query).one()


def outcome(world: World) -> dict[str, Any]:
    with world.service.database.read() as session:
        rows = session.exec(select(Match)).all()
        made = Counter(session.exec(select(Ply.made_by)).all())
    ended = sorted(
        (row.ended_at - row.created_at) / timedelta(days=1) for row in rows if row.ended_at
    )
    people = sum(made[by] for by in (MadeBy.LINK, MadeBy.MAIL))
    total = people + made[MadeBy.BOT] + made[MadeBy.DEADLINE] + made[MadeBy.HOST]
    return {
        "matches": len(rows),
        "finished in 90 days": len(ended),
        "days, median": round(ended[len(ended) // 2], 1) if ended else "-",
        "days, nine of ten": round(ended[len(ended) * 9 // 10], 1) if ended else "-",
        "decisions by people": people,
        "played for who was late": made[MadeBy.DEADLINE],
        "played by bots": made[MadeBy.BOT],
        "decided by who had the seat, %": round(100 * people / max(1, total), 1),
        "host: addresses corrected": world.host_acts["correct-address"],
        "host: bots put in": world.host_acts["bot"],
        "still stalled at the end": len(stalled.find(world.service)),
    }


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with multiprocessing.Pool(len(CLOCKS)) as pool:
        found = dict(
            zip(CLOCKS, pool.starmap(run, [(name, count) for name in CLOCKS]), strict=True)
        )
    rows = Rows("", *CLOCKS, box=None, pad_edge=False)
    for figure in found["plain"]:
        rows.add_row(figure, *(str(found[name][figure]) for name in CLOCKS))
    Console(highlight=False).print(rows)


if __name__ == "__main__":
    main()
