"""What a turn mail costs: to make it, with its picture, and to send it, beside a plain loop.

For each game three take turns: the turn mails of matches that are played on are made from their
rows in the outbox and not sent (``made``); the mailer leases, makes and sends them (``sent``); and
a loop with smtplib hands the same bytes to the same relay (``smtplib``).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from smtplib import SMTP
from statistics import median

from sqlalchemy import text
from sqlmodel import select

from pbem.bench._copies import GAMES, open_link, open_match, play_example
from pbem.bench._places import place
from pbem.bench._relay import Relay, running
from pbem.bench._rounds import BenchOptions, Figures, Round, each, in_turns, summary, timed
from pbem.mail.mailer import post_due
from pbem.mail.render import render
from pbem.service import Service
from pbem.store.models import UNPAID_MAILS, Mail
from pbem.store.names import MailKind

#: Matches of each game. Each gives one mail or more in a go.
MATCHES = 4


def measure(asked: BenchOptions) -> Figures:
    """``summary`` of each of the three, for each game; ``kb``: the median of the mails' sizes."""
    found: Figures = {}
    with ExitStack() as stack:
        relay = stack.enter_context(running())
        here = stack.enter_context(place("sqlite", asked.scratch))
        service = stack.enter_context(here.service(relay.port))
        for game in GAMES:
            one = _Game(service, relay, game)
            for warm_up in one.goes().values():
                warm_up()
            for what, rounds in in_turns(asked, game, one.goes()).items():
                found[f"{game}: {what}"] = summary(rounds)
            found[f"{game}: made"]["kb"] = round(median(one.sizes) / 1000)
    return found


@dataclass
class _Game:
    """Matches of one game that are played on."""

    service: Service
    relay: Relay
    game: str
    matches: list[str] = field(default_factory=list)
    #: What was made last, and how large all were.
    made: list[bytes] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def goes(self) -> dict[str, Callable[[], Round]]:
        return {"made": self._make, "sent": self._send, "smtplib": self._hand_over}

    def _owed(self) -> list[Mail]:
        """New turn mails: a move is made in each match, until somebody is asked."""
        while True:
            while len(self.matches) < MATCHES:
                self.matches.append(open_match(self.service, self.game))
            self._pay("")
            for match_id in list(self.matches):
                if link := open_link(self.service, match_id):
                    play_example(self.service, link)
                else:
                    self.matches.remove(match_id)
            self._pay(f"AND kind <> '{MailKind.YOUR_TURN}'")
            with self.service.database.read() as session:
                owed = session.exec(select(Mail).where(text(UNPAID_MAILS))).all()
            if owed:
                return list(owed)

    def _pay(self, which: str) -> None:
        """Mails that are owed count as sent."""
        with self.service.database.write("bench") as session:
            paid = f"UPDATE outbox SET status = 'sent' WHERE {UNPAID_MAILS} {which}"  # noqa: S608
            session.connection().execute(text(paid))

    def _make(self) -> Round:
        owed = iter(mails := self._owed())
        self.made = []

        def make() -> None:
            self.made.append(render(self.service, next(owed)).content)

        taken = timed(lambda: each(make, len(mails)))
        self.sizes += map(len, self.made)
        return taken

    def _send(self) -> Round:
        count = len(self._owed())
        return timed(lambda: _evenly(lambda: post_due(self.service, count), count))

    def _hand_over(self) -> Round:
        def send() -> None:
            with SMTP("127.0.0.1", self.relay.port) as relay:
                for mail in self.made:
                    relay.sendmail("pbem@example.org", ["somebody@example.org"], mail)

        return timed(lambda: _evenly(send, len(self.made)))


def _evenly(do: Callable[[], object], count: int) -> list[float]:
    """What is done for many at once takes the same time for each."""
    (spent,) = each(do, 1)
    return [spent / count] * count
