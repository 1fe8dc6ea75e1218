"""A soak: storms of faults, and after each a rest in which everything must be found in order."""

from __future__ import annotations

import hashlib
import math
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from sqlmodel import col, select

from pbem.store.models import Mail, Match, Submission
from pbem.store.names import MailStatus, MatchStatus
from tests.faults.invariants import check, check_mails, is_on_record, lost_and_doubled
from tests.faults.soak.clock import TIMES
from tests.faults.soak.faults import Fault, Killer, schedule
from tests.faults.soak.house import House, Kind

#: Seconds of a storm, at most.
STORM = 60.0
#: Seconds after which a fault comes although nothing was done since the last one.
IDLE = 1.0
#: Seconds within which everything must be in order after one: the lease of a mail that its mailer
#: died with is ten of them, and a mail may be put off for as many as sixty.
PATIENCE = 150.0
#: Seconds after which it does not matter any more that each time something else is not in order.
NO_END = 4 * PATIENCE
#: Seconds by which a deadline may be kept late: all processes are just starting again.
LATE = 20


@dataclass
class Result:
    """What a soak saw: the lines of its table."""

    database: str
    seed: str
    seconds: float = 0
    kills: dict[str, int] = field(default_factory=dict)
    whiles: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    matches: int = 0
    over: int = 0
    plies: int = 0
    #: Moves with a receipt, and letters that were taken.
    moves: int = 0
    letters: int = 0
    again: dict[str, int] = field(default_factory=dict)
    mails: int = 0
    #: Second copies of a mail, each with its doubt on record; mails that were given up, on record.
    copies: int = 0
    given_up: int = 0
    lost: int = 0
    doubled: int = 0
    #: Sentences: what did not hold, and when.
    breaches: list[str] = field(default_factory=list)
    kept: str = ""

    @property
    def killed(self) -> int:
        return sum(self.kills.values())

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "killed": self.killed}


def soak(
    kind: Kind,
    seed: str,
    seconds: float,
    pause: float,
    say: Callable[[str], None] = lambda _: None,
) -> Result:
    """Plays and kills for so many seconds, ``pause`` apart; ends early at the first breach."""
    house = House(kind, seed)
    try:
        running = _Soak(house, Result(kind, seed), say)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, running.end_early)
        return running.run(schedule(seed, pause), seconds)
    finally:
        house.close()


class _Soak:
    def __init__(self, house: House, result: Result, say: Callable[[str], None]) -> None:
        self._house, self._result, self._say = house, result, say
        self._killer = Killer(house)
        #: Matches that are over and were found in order.
        self._done: set[str] = set()
        self._began = time.monotonic()
        self._until = math.inf

    def end_early(self, number: int, _frame: object) -> None:
        """Ends the storm; what follows is as always."""
        self._say(f"        told to end by {signal.Signals(number).name}")
        self._until = 0

    def run(self, faults: Iterator[Fault], seconds: float) -> Result:
        try:
            self._house.warm_up(PATIENCE)
            self._until = min(self._until, time.monotonic() + seconds)
            while time.monotonic() < self._until:
                self._storm(faults, time.monotonic() + STORM)
                self._in_order()
            self._done.clear()
            self._in_order(at_the_end=True)
        except AssertionError as error:
            self._killer.bring_back(all_=True)
            self._breach(str(error))
        self._count()
        return self._result

    def _storm(self, faults: Iterator[Fault], until: float) -> None:
        self._house.go_on()
        told = time.monotonic()
        for fault in faults:
            self._wait(fault.after, until)
            if time.monotonic() >= min(until, self._until):
                break
            self._killer.do(fault)
            assert self._house.up.process.poll() is None, "pbem up ended by itself"
            if time.monotonic() > told + 10:
                told = time.monotonic()
                self._tell()
        self._killer.bring_back(all_=True)

    def _wait(self, seconds: float, until: float) -> None:
        """Waits before a fault: so many seconds, and until anything was done since the last one.

        A slow machine would otherwise be killed before it begins.
        """
        begun, done = time.monotonic(), self._house.done()
        while time.monotonic() < min(until, self._until):
            waited = time.monotonic() - begun
            if waited >= seconds and (self._house.done() > done or waited >= IDLE):
                return
            self._killer.bring_back()
            time.sleep(0.02)

    def _tell(self) -> None:
        notes = self._house.notes
        self._say(
            f"{time.monotonic() - self._began:6.0f} s  {self._killer.kills.total()} kills, "
            f"{len(notes.taken)} moves, {len(notes.letters)} letters, "
            f"{self._house.office.copies.total()} mails, {notes.matches} matches"
        )

    # --- the rest after a storm ---

    def _in_order(self, *, at_the_end: bool = False) -> None:
        """Returns when all holds; AssertionError with what does not hold for ``PATIENCE``.

        The clock is fast, so deadlines pass while it waits, and on a slow machine there is always
        something under way: it is wrong only if the same stands still, or if there is no end.
        """
        began, since = time.monotonic(), self._house.service.now()
        changed, before = began, ""
        self._house.rest(PATIENCE)
        while True:
            try:
                self._check(since if at_the_end else None)
                return
            except AssertionError as error:
                why, now = str(error), time.monotonic()
                if why != before:
                    changed, before = now, why
                if now > changed + PATIENCE or now > began + NO_END:
                    raise
            self._say(f"        not yet: {why.splitlines()[0][:150]}")
            time.sleep(2)

    def _check(self, no_mail_of_before: datetime | None) -> None:
        """Raises AssertionError. Mails of before that instant, if any, must all have gone out."""
        house, notes = self._house, self._house.notes
        house.office.sort()
        copies = Counter(house.office.copies)
        assert not notes.wrong, f"nobody should be told: {notes.wrong}"
        check(house.service, notes.taken, lag=timedelta(seconds=LATE * TIMES), but=self._done)
        check_mails(house.service, copies)
        with house.service.database.read() as session:
            keys = set(session.exec(select(Submission.key)).all())
            matches = session.exec(select(Match)).all()
            owed = session.exec(
                select(Mail).where(col(Mail.status).in_(["pending", "leased", "in_doubt"]))
            ).all()
            answered = session.exec(select(Mail.dedupe).where(Mail.kind == "reply_answer")).all()
        counted = keys & set(notes.refused)
        assert not counted, f"refused, and in the log: {counted}"
        aside = [match.id for match in matches if match.set_aside_at is not None]
        assert not aside, f"set aside: {aside}"
        answers = Counter(dedupe.rpartition(":")[2] for dedupe in answered)
        for letter in notes.letters:
            assert answers[_key(letter)] == 1, f"letter {letter} is not answered once"
        late = [
            (mail.dedupe, mail.status)
            for mail in owed
            if no_mail_of_before is not None and mail.created_at < no_mail_of_before
        ]
        assert not late, f"still owed: {late}"
        self._done |= {match.id for match in matches if match.status != MatchStatus.RUNNING}

    # --- the end ---

    def _breach(self, what: str) -> None:
        at = time.monotonic() - self._began
        self._result.breaches.append(f"after {at:.0f} s: {what}")
        self._say(f"BREACH {self._result.breaches[-1]}")
        kept = Path(tempfile.mkdtemp(prefix="pbem-soak-kept-"))
        self._house.keep(kept)
        self._result.kept = str(kept)

    def _count(self) -> None:
        house, notes, result = self._house, self._house.notes, self._result
        house.office.sort()
        with house.service.database.read() as session:
            lost, doubled = lost_and_doubled(session, notes.taken)
            matches = session.exec(select(Match)).all()
            dead = session.exec(select(Mail).where(Mail.status == MailStatus.DEAD)).all()
        result.lost, result.doubled = len(lost), len(doubled)
        result.seconds = round(time.monotonic() - self._began)
        result.kills = dict(self._killer.kills)
        result.whiles = dict(self._killer.whiles)
        if house.no_disk:
            result.skipped["disk is full"] = house.no_disk
        result.matches = len(matches)
        result.over = sum(match.status != MatchStatus.RUNNING for match in matches)
        result.plies = sum(match.ply for match in matches)
        result.moves, result.letters = len(notes.taken), len(notes.letters)
        result.again = dict(notes.again)
        result.mails = len(house.office.copies)
        result.copies = house.office.copies.total() - len(house.office.copies)
        result.given_up = sum(is_on_record(mail) for mail in dead)


def _key(message_id: str) -> str:
    """As ``letter.read`` makes it."""
    return hashlib.sha256(message_id.encode()).hexdigest()[:32]
