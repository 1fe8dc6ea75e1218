"""One match over months of simulated time, with people who are not always there.

The acts, the sweep and the outbox are the real ones, on a database of its own. Only the mailer is
left out: a mail is read when it is owed, unless mail to that person is refused. Time jumps from one
instant at which something is due to the next.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

from sqlmodel import col, func, select

from engine.dice import SeededDice
from pbem.acts import absence, deliverability, remedies, turns, vacations
from pbem.acts.outbox import data
from pbem.acts.remedy import RemedyRequest
from pbem.acts.sweep import sweep
from pbem.bench._people import PACKING, WONDERING, Person
from pbem.clock import ManualClock
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Mail, Match, Turn
from pbem.store.names import Actor, Purpose
from pbem.store.table import Table, load

#: How long a person takes for a further decision in the same turn, which the page shows at once.
NEXT_QUESTION = timedelta(minutes=5)
#: How long a host needs to find a person's right address.
ASKING_AROUND = timedelta(days=1)


@dataclass
class Trial:
    """An open match and its people. The person on the first seat is the host."""

    service: Service
    clock: ManualClock
    match_id: str
    people: tuple[Person, ...]
    key: str
    #: Whether the service notices that mail is refused.
    notices_refusal: bool = True
    host_acts: Counter[str] = field(default_factory=Counter)
    _events: list[tuple[datetime, int, Callable[[], None]]] = field(default_factory=list)
    _order: Any = field(default_factory=count)
    _heard: int = 0
    _overlooked: set[int] = field(default_factory=set)
    _bounced: set[int] = field(default_factory=set)
    _corrected: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for seat, person in enumerate(self.people):
            if person.announces and person.away is not None:
                leaves = person.away[0] - PACKING
                self._at(leaves, partial(self._announce, seat))
        self._chances = [random.Random(f"{self.key}:{seat}") for seat in range(len(self.people))]

    def run(self, end: datetime) -> None:
        """Runs until the match is over, or until ``end``."""
        while True:
            due = self._due()
            while due is not None and due <= self.clock.now():
                sweep(self.service)
                due = self._due()
            self._read_mails()
            if self.is_over():
                return
            instants = [at for at in (due, self._events[0][0] if self._events else None) if at]
            if not instants or min(instants) >= end:
                self.clock.set(end)
                return
            self.clock.set(max(min(instants), self.clock.now()))
            while self._events and self._events[0][0] <= self.clock.now():
                heapq.heappop(self._events)[2]()

    def is_over(self) -> bool:
        with self.service.database.read() as session:
            ended = select(Match.ended_at).where(Match.id == self.match_id)
            return session.exec(ended).one() is not None

    def _due(self) -> datetime | None:
        """When the workers have something to do next."""
        with self.service.database.read() as session:
            match = session.exec(
                select(Match.advance_due_at, Match.paused_until).where(Match.id == self.match_id)
            ).one()
            turn = session.exec(
                select(func.min(Turn.next_at)).where(
                    Turn.match_id == self.match_id, col(Turn.closed_at).is_(None)
                )
            ).one()
        return min((at for at in (*match, turn) if at is not None), default=None)

    def _at(self, instant: datetime | None, act: Callable[[], None]) -> None:
        if instant is not None:
            heapq.heappush(self._events, (instant, next(self._order), act))

    # --- mails are read ---

    def _read_mails(self) -> None:
        with self.service.database.read() as session:
            mails = session.exec(
                select(Mail).where(col(Mail.id) > self._heard).order_by(col(Mail.id))
            ).all()
        for mail in mails:
            self._heard = mail.id or 0
            if mail.seat == links.HOST:
                self._read_by_host(mail)
            elif mail.seat is not None:
                self._read(mail, mail.seat)

    def _read(self, mail: Mail, seat: int) -> None:
        if self._is_refused(seat):
            self._refuse(seat)
            return
        person, chance, turn_id = self.people[seat], self._chances[seat], mail.turn_id or 0
        now = self.clock.now()
        if mail.kind == "your_turn":
            if chance.random() < person.overlooks:
                self._overlooked.add(turn_id)
                now += WONDERING
            self._at(person.answers(now, chance), lambda: self._answer(seat, turn_id))
        elif mail.kind == "reminder" and turn_id in self._overlooked:
            self._overlooked.discard(turn_id)
            self._at(person.answers(now, chance), lambda: self._answer(seat, turn_id))
        elif mail.kind == "bot_took_over":
            self._at(person.answers(now, chance), lambda: self._come_back(seat))

    def _is_refused(self, seat: int) -> bool:
        refused = self.people[seat].refused
        return refused is not None and refused <= self.clock.now() and seat not in self._corrected

    def _refuse(self, seat: int) -> None:
        if seat in self._bounced:
            return
        self._bounced.add(seat)
        if self.notices_refusal:
            email = self.service.read(self.match_id).seats[seat].email or ""
            deliverability.mail_refused(
                self.service, self.match_id, seat, email, "550 no such user"
            )
        if seat == 0 or not self.notices_refusal:
            # nobody is told of it, or it is the host: they look by themselves in the end
            wonders = self.people[seat].there(self.clock.now() + WONDERING)
            self._at(wonders, lambda: self._correct(seat))

    # --- players ---

    def _look(self, seat: int, purpose: Purpose, turn_id: int = 0) -> tuple[Table, Link | None]:
        """The table as it is now, and the person's link to their turn or their seat."""
        with self.service.database.read() as session:
            table = load(session, self.match_id)
            return table, links.there(session, purpose, table.match, table.seat(seat), turn_id)

    def _answer(self, seat: int, turn_id: int) -> None:
        """The person looks at a turn and moves; if a bot has the seat, takes it back."""
        table, link = self._look(seat, Purpose.TURN, turn_id)
        turn = table.open_turns.get(seat)
        if table.running and table.seats[seat].bot is not None:
            self._come_back(seat)
        elif link is not None and turn is not None and turn.id == turn_id:
            order = self._choice(table, seat)
            turns.submit(self.service, link, order, f"{turn_id} {table.match.ply}")
            if not self._closed(turn_id):
                again = self.clock.now() + NEXT_QUESTION
                self._at(again, lambda: self._answer(seat, turn_id))

    def _choice(self, table: Table, seat: int) -> str:
        game = table.game
        legal = tuple(game.legal_moves(table.state, seat))
        dice = SeededDice.from_text(f"{self.key} {table.match.ply} {seat}")
        return game.format(game.choose(game.view(table.state, seat), legal, dice))

    def _closed(self, turn_id: int) -> bool:
        with self.service.database.read() as session:
            turn = session.get(Turn, turn_id)
        return turn is None or turn.closed_at is not None

    def _announce(self, seat: int) -> None:
        """The person announces a vacation, for as many days as the seat has left."""
        table, link = self._look(seat, Purpose.SEAT)
        away, days = self.people[seat].away, table.seats[seat].vacation_days
        if (
            away is None
            or link is None
            or not days
            or vacations.why_not(table, table.seats[seat]) is not None
        ):
            return
        first = away[0].date()
        last = min(away[1].date(), first + timedelta(days=days - 1))
        vacations.announce(self.service, link, first, last)

    def _come_back(self, seat: int) -> None:
        table, link = self._look(seat, Purpose.SEAT)
        if link is not None and table.running and table.seats[seat].bot is not None:
            absence.come_back(self.service, link)

    # --- the host ---

    def _read_by_host(self, mail: Mail) -> None:
        """The host reads a mail about a stall, and acts on it when they are there."""
        if mail.kind not in ("host_asked", "stalled") or self._is_refused(0):
            return
        absent = int(data(mail).get("absent", 0))
        chance = random.Random(f"{self.key} host {mail.id}")
        reads = self.people[0].answers(self.clock.now(), chance)
        if mail.kind == "host_asked" or data(mail).get("reason") == "silent":
            self._at(reads, lambda: self._decide(absent, mail.turn_id or 0))
        elif reads is not None and data(mail).get("reason") == "mail":
            found = self.people[0].there(reads + ASKING_AROUND)
            self._at(found, lambda: self._correct(absent))

    def _decide(self, seat: int, turn_id: int) -> None:
        """Gives more time to a person who announced to be away; else puts a bot on the seat."""
        if self._closed(turn_id) or self.is_over():
            return
        person, now = self.people[seat], self.clock.now()
        told = person.announces and person.is_away(now)
        if told and person.away is not None and self._is_limited(seat):
            hours = int((person.away[1] - now) / timedelta(hours=1)) + 24
            self._as_host(RemedyRequest("extend", seat, by=f"{hours}h"))
        else:
            self._as_host(RemedyRequest("bot", seat))

    def _as_host(self, asked: RemedyRequest) -> None:
        remedies.carry_out(self.service, self.match_id, asked, Actor.HOST)
        self.host_acts[asked.remedy] += 1

    def _is_limited(self, seat: int) -> bool:
        turn = self.service.read(self.match_id).open_turns.get(seat)
        return turn is not None and turn.due_at is not None

    def _correct(self, seat: int) -> None:
        """The host corrects the address; the new mails reach the person."""
        if seat in self._corrected or self.is_over():
            return
        self._corrected.add(seat)
        self._as_host(RemedyRequest("correct-address", seat, email=f"new{seat}@example.org"))
