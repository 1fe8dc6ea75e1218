"""Simulated people who play by mail: when they answer, and when they are away.

Most are reliable; each kind of absence has its share. A key always gives the same person, and their
answering times do not depend on the clock they play on.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

#: Medians of the time that people take to answer, in hours, with nights and work.
HOURS = (0.5, 1, 2, 3, 6, 12)
#: The standard deviation of the logarithm of one person's answering times.
SCATTER = 0.9
#: Shares of people who go away for days, whose mail is refused, who vanish, who play at weekends.
AWAY, REFUSED, VANISHED, WEEKENDS = 0.30, 0.08, 0.06, 0.70
#: The share of those who go away who announce it, if the clock has vacation days.
ANNOUNCES = 0.6
#: The share of mails that are overlooked until the next one comes, or if none comes, until the
#: person looks by themselves.
OVERLOOKED = 0.02
WONDERING = timedelta(days=7)
#: The longest time that anybody takes to answer who is there.
LONGEST_ANSWER = timedelta(days=20)
#: How long after coming home a person begins to answer.
UNPACKING = timedelta(hours=6)
#: How long before going away people announce it.
PACKING = timedelta(days=1)

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Person:
    """How one person plays by mail."""

    #: The median of their answering times, in hours.
    hours: float = 1.0
    weekends: bool = True
    #: The share of mails they overlook.
    overlooks: float = 0.0
    #: When they are away and answer nothing.
    away: Span | None = None
    #: Whether they announce it.
    announces: bool = False
    #: When mail to them begins to be refused, until the address is corrected.
    refused: datetime | None = None
    #: When they vanish for good.
    vanished: datetime | None = None

    def answers(self, asked_at: datetime, chance: random.Random) -> datetime | None:
        """When they answer a mail that comes at this instant; None: never."""
        span = timedelta(hours=self.hours * chance.lognormvariate(0, SCATTER))
        return self.there(asked_at + min(span, LONGEST_ANSWER))

    def there(self, at: datetime) -> datetime | None:
        """The first instant from ``at`` on at which they play; None: never."""
        while True:
            if self.away is not None and self.is_away(at):
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
    """The person of this key, for a match that begins at ``start``."""
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
