"""People who play by mail, made up for a trial: when they answer, and when they are not there.

Most are reliable; each kind of absence has its share. Who is drawn under a key is always the same
person, and their answers scatter in the same way whatever clock they play on.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

#: Medians of how long people take to answer, in hours, nights and work included.
HOURS = (0.5, 1, 2, 3, 6, 12)
#: How far one person's answers scatter (of the logarithm).
SCATTER = 0.9
#: Shares of people: away for days, refused by a mail server, gone for good, playing at weekends.
AWAY, REFUSED, VANISHED, WEEKENDS = 0.30, 0.08, 0.06, 0.70
#: Share of those who go away who say so before, where there is a way to.
ANNOUNCES = 0.6
#: Share of the mails that are overlooked until the next one comes, or, where none does, until its
#: reader wonders and looks.
OVERLOOKED = 0.02
WONDERING = timedelta(days=7)
#: Nobody takes longer than this who is there.
LONGEST_ANSWER = timedelta(days=20)
#: After coming home there is other mail to read first.
UNPACKING = timedelta(hours=6)
#: How long before going away people say so.
PACKING = timedelta(days=1)

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Person:
    """How somebody plays by mail."""

    #: The median of their answers, in hours.
    hours: float = 1.0
    weekends: bool = True
    #: The share of mails they overlook.
    overlooks: float = 0.0
    #: From when to when they answer nothing.
    away: Span | None = None
    #: Whether they say so before.
    announces: bool = False
    #: From when on mail to them is refused, until somebody corrects the address.
    refused: datetime | None = None
    #: From when on they never come again.
    vanished: datetime | None = None

    def answers(self, asked_at: datetime, chance: random.Random) -> datetime | None:
        """When they answer a mail of this instant; None: never."""
        span = timedelta(hours=self.hours * chance.lognormvariate(0, SCATTER))
        return self.there(asked_at + min(span, LONGEST_ANSWER))

    def there(self, at: datetime) -> datetime | None:
        """The first instant from ``at`` on at which they sit down to play; None: never."""
        while True:
            if self.away is not None and self.away[0] <= at < self.away[1]:
                at = self.away[1] + UNPACKING
            elif not self.weekends and at.weekday() >= 5:
                at += timedelta(days=7 - at.weekday())
            else:
                break
        return None if self.is_gone(at) else at

    def is_gone(self, at: datetime) -> bool:
        return self.vanished is not None and at >= self.vanished

    def is_away(self, at: datetime) -> bool:
        return self.away is not None and self.away[0] <= at < self.away[1]


def drawn(key: str, start: datetime) -> Person:
    """One of those who play a match that begins at ``start``."""
    chance = random.Random(key)
    hours = chance.choice(HOURS)

    def day(first: int, last: int) -> datetime:
        return start + timedelta(days=chance.uniform(first, last))

    away = None
    if chance.random() < AWAY:
        begun = day(5, 70)
        away = (begun, begun + timedelta(days=chance.choice([4, 7, 10, 14])))
    refused = day(2, 50) if chance.random() < REFUSED else None
    vanished = day(5, 80) if chance.random() < VANISHED else None
    weekends = chance.random() < WEEKENDS
    announces = chance.random() < ANNOUNCES
    return Person(hours, weekends, OVERLOOKED, away, announces, refused, vanished)
