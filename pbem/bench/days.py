"""How matches of Dog go with simulated people, on several clocks.

The same people (``pbem.bench._people``) play the same matches on each clock for ``DAYS`` days of
simulated time, each match on a database of its own (``pbem.bench._trial``), in as many processes
as there are processors.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from sqlalchemy import event
from sqlmodel import col, select

from pbem.acts import matches
from pbem.bench._people import Person, drawn
from pbem.bench._rounds import BenchOptions, Figures
from pbem.bench._trial import Trial
from pbem.clock import ManualClock
from pbem.clocks.deadlines import ClockPolicy, Hold
from pbem.config import Settings
from pbem.looks import stalled
from pbem.service import Service
from pbem.store import db
from pbem.store.db import Database
from pbem.store.keys import Keys
from pbem.store.models import Mail, Match, Ply, Turn
from pbem.store.names import MadeBy

#: How many matches are played by default, and the default seed of their people.
MATCHES = 100
SEED = "ninety days"
START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
#: The days within which matches should be over, and the days for which they are simulated at most.
TERM, DAYS = 90, 180
SEATS = 4

#: More missed turns than any seat can have: the host is never asked, and no bot comes.
_NEVER = 10**6


class Rules(msgspec.Struct, frozen=True):
    """The clock and the care that one simulated service gives."""

    policy: ClockPolicy
    #: Whether the service notices refused mail, holds the clock and tells the host.
    notices_refusal: bool = True
    #: Whether people are ever away.
    absences: bool = True


FIXED = ClockPolicy(reserve=0, grace=0, host_asked_at=_NEVER, bot_at=_NEVER)
CLOCKS = {
    # nobody is ever away: it shows how fast these people play
    "all there": Rules(ClockPolicy(kind="none", reserve=0), absences=False),
    "default": Rules(ClockPolicy()),
    "gentle": Rules(ClockPolicy(weekends=True, vacation_days=7)),
    "no reserve": Rules(ClockPolicy(reserve=0)),
    # a plain clock: after three days the default move, each time, and nothing else
    "fixed": Rules(FIXED, notices_refusal=False),
    "no limit": Rules(ClockPolicy(kind="none", reserve=0), notices_refusal=False),
}


class Played(msgspec.Struct, frozen=True):
    """The result of one match. Times are in days; the rest are counts."""

    #: When it was over; None if it was not within ``DAYS``.
    days: float | None
    #: Plies by the players themselves; those by default and by a bot, each with how many of them
    #: were for a player who was to come back.
    own: int
    late: int
    late_of_those_who_return: int
    by_bot: int
    by_bot_of_those_who_return: int
    host_acts: dict[str, int]
    mails: int
    reminders: int
    #: Days of waiting, by the state of the person who was waited for.
    waited: dict[str, float]
    #: The reasons why it is stalled at the end.
    stalls: list[str]


def measure(asked: BenchOptions) -> Figures:
    """Figures for each clock, over so many matches of the people that the seed gives."""
    template = asked.scratch / "template.sqlite3"
    db.upgrade(f"sqlite:///{template}")
    clocks = asked.clocks or tuple(CLOCKS)
    numbers, seed = range(asked.matches or MATCHES), asked.seed or SEED
    jobs = [(name, number, seed, str(template)) for number in numbers for name in clocks]
    found: dict[str, list[Played]] = {name: [] for name in clocks}
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(os.cpu_count() or 1, len(jobs))) as pool:
        for done, (name, played) in enumerate(pool.imap_unordered(_job, jobs), 1):
            found[name].append(played)
            asked.say(f"matches: {done} of {len(jobs)}")
    return {name: figures(played) for name, played in found.items()}


def _job(job: tuple[str, int, str, str]) -> tuple[str, Played]:
    name, number, seed, template = job
    with tempfile.TemporaryDirectory(prefix="pbem-days-") as home:
        shutil.copy(template, Path(home) / "pbem.sqlite3")
        return name, play(CLOCKS[name], f"{seed}:{number}", Path(home))


def play(rules: Rules, key: str, home: Path) -> Played:
    """Plays one match on the migrated database in ``home``."""
    settings = Settings(home=home)
    database = Database(settings.database_url)
    for engine in (database._writer, database._reader):
        # nothing of it has to survive a crash of the machine
        event.listen(engine, "connect", lambda found, _: found.execute("PRAGMA synchronous = OFF"))
    clock = ManualClock(START)
    entropy = random.Random(key).randbytes
    service = Service(settings, database, Keys((b"k" * 32,)), clock, entropy=entropy)
    people = [
        matches.NewSeat(name=f"P{seat}", email=f"p{seat}@example.org") for seat in range(SEATS)
    ]
    new = matches.NewMatch(
        game="dog",
        host=matches.Person(name="P0", email="p0@example.org"),
        seats=people,
        confirmed=True,
    )
    match = matches.create(service, new, policy=rules.policy)
    trial = Trial(service, clock, match.id, _people(rules, key), key, rules.notices_refusal)
    trial.run(START + timedelta(days=DAYS))
    played = _played(trial)
    database.close()
    return played


def _people(rules: Rules, key: str) -> tuple[Person, ...]:
    people = tuple(drawn(f"{key}:{seat}", START) for seat in range(SEATS))
    if rules.absences:
        return people
    # the same people, but never away
    return tuple(Person(person.hours, person.weekends) for person in people)


def _played(trial: Trial) -> Played:
    with trial.service.database.read() as session:
        match = session.exec(select(Match).where(Match.id == trial.match_id)).one()
        plies = session.exec(select(Ply).where(col(Ply.ply) > 0)).all()
        turns = session.exec(select(Turn)).all()
        mails = Counter(session.exec(select(Mail.kind)).all())
    made: Counter[str] = Counter()
    returning: Counter[str] = Counter()
    for ply in plies:
        made[ply.made_by] += 1
        if ply.seat is not None and not trial.people[ply.seat].is_gone(ply.made_at):
            returning[ply.made_by] += 1
    waited: dict[str, float] = {}
    for turn in turns:
        end = turn.closed_at or trial.clock.now()
        matter = _matter(trial.people[turn.seat], turn, end)
        waited[matter] = waited.get(matter, 0) + (end - turn.opened_at) / timedelta(days=1)
    running = match.ended_at is None
    return Played(
        days=(match.ended_at - START) / timedelta(days=1) if match.ended_at else None,
        own=made[MadeBy.LINK],
        late=made[MadeBy.DEADLINE],
        late_of_those_who_return=returning[MadeBy.DEADLINE],
        by_bot=made[MadeBy.BOT],
        by_bot_of_those_who_return=returning[MadeBy.BOT],
        host_acts=dict(trial.host_acts),
        mails=mails.total(),
        reminders=mails["reminder"],
        waited=waited,
        stalls=[stall.reason for stall in stalled.find(trial.service)] if running else [],
    )


def _matter(person: Person, turn: Turn, end: datetime) -> str:
    if person.vanished is not None and person.vanished < end:
        return "gone"
    if person.away is not None and person.away[0] < end and turn.opened_at < person.away[1]:
        return "away"
    if person.refused is not None and turn.held_why == Hold.MAIL:
        return "refused"
    return "there"


def figures(played: list[Played]) -> dict[str, float]:
    """The figures of one clock. A match that did not end counts as longer than all others."""
    count = len(played)
    days = sorted(match.days if match.days is not None else float(DAYS) for match in played)
    decided = sum(match.own + match.late + match.by_bot for match in played)
    acts, stalls = Counter[str](), Counter[str]()
    for match in played:
        acts.update(match.host_acts)
        stalls.update(match.stalls)

    def each(name: str) -> float:
        return round(float(sum(getattr(match, name) for match in played)) / count, 2)

    return {
        "matches": count,
        f"over_in_{TERM}_days": sum(day <= TERM for day in days),
        f"over_in_{DAYS}_days": sum(match.days is not None for match in played),
        "days_median": round(days[count // 2], 1),
        "days_nine_of_ten": round(days[count * 9 // 10], 1),
        "own_decisions_percent": round(100 * sum(match.own for match in played) / decided, 2),
        "own_decisions_a_match": each("own"),
        "default_moves_a_match": each("late"),
        "default_moves_for_who_returns_a_match": each("late_of_those_who_return"),
        "bot_moves_a_match": each("by_bot"),
        "bot_moves_for_who_returns_a_match": each("by_bot_of_those_who_return"),
        "mails_a_match": each("mails"),
        "reminders_a_match": each("reminders"),
        "host_puts_a_bot": acts["bot"],
        "host_gives_more_time": acts["extend"],
        "host_corrects_an_address": acts["correct-address"],
        **{
            f"days_waited_for_who_is_{why}_a_match": round(
                sum(match.waited.get(why, 0) for match in played) / count, 1
            )
            for why in ("there", "away", "refused", "gone")
        },
        **{f"stalled_in_the_end_{why}": stalls[why] for why in ("overdue", "silent", "mail")},
    }
