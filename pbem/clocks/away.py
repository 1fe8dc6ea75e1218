"""Announced vacations and the clock: pure functions, beside ``pbem.clocks.deadlines``.

Days of an announced vacation are not charged. A turn that would end within them ends that many days
later; a turn that opens within them begins when they are over; if only the reserve would run within
them, the reserve stands still. An announced deadline is never moved to an earlier instant, and
nobody comes home to a deadline nearer than ``deadlines.NOTICE``.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from pbem.clocks import deadlines
from pbem.clocks.deadlines import ClockPolicy, Span, TurnClock

_DAY = timedelta(days=1)


class Away(msgspec.Struct, frozen=True):
    """Whole days of the player's own zone, as instants: ``ends`` is the midnight after the last."""

    begins: datetime
    ends: datetime

    @property
    def span(self) -> Span:
        return self.begins, self.ends

    @property
    def days(self) -> int:
        """The number of days; the change to summer time makes one of them an hour shorter."""
        return round((self.ends - self.begins) / _DAY)


def of_days(first: date, last: date, zone: str) -> Away:
    """The days from ``first`` to ``last``, both included, in this zone."""
    return Away(midnight(first, zone), midnight(last + _DAY, zone))


def first_and_last(away: Away, zone: str) -> tuple[date, date]:
    """The first and the last day of a vacation, in this zone.

    By their noons, so that the days stay those that were announced if the player has taken another
    zone since, up to twelve hours away.
    """
    place, noon = ZoneInfo(zone), _DAY / 2
    first, last = away.begins + noon, away.ends - noon
    return first.astimezone(place).date(), last.astimezone(place).date()


def midnight(day: date, zone: str) -> datetime:
    """The instant at which a day begins in a zone."""
    return deadlines.at_hour(day, time(0), ZoneInfo(zone))


def open_turn(
    policy: ClockPolicy, zone: str, opened_at: datetime, reserve: int, away: Away | None
) -> TurnClock:
    """The clock of a turn that opens now for a seat that is, or will be, away."""
    if away is not None and away.begins <= opened_at < away.ends:
        opened_at = away.ends
    clock = deadlines.open_turn(policy, zone, opened_at, reserve)
    if away is None or opened_at >= away.ends:
        return clock
    return moved(policy, zone, clock, reserve, away)


def moved(policy: ClockPolicy, zone: str, clock: TurnClock, reserve: int, away: Away) -> TurnClock:
    """The clock of an open turn, moved past the days away. ``zone`` is the match's.

    If only reserve and grace run into them, the deadline stays and ``final_at`` moves.
    """
    if clock.due_at is None or clock.final_at is None or clock.final_at <= away.begins:
        return clock
    # a day of the player's zone can be an hour longer than one of the match's
    final_at = max(deadlines.days_later(policy, zone, clock.final_at, away.days), away.ends)
    if clock.due_at <= away.begins:
        return msgspec.structs.replace(clock, final_at=max(final_at, clock.final_at))
    due_at = max(clock.due_at, deadlines.days_later(policy, zone, clock.due_at, away.days))
    if due_at < away.ends + deadlines.NOTICE:
        due_at = deadlines.first_after(policy, zone, away.ends)
    final_at = max(final_at, deadlines.final_at(policy, zone, due_at, reserve))
    return TurnClock(max(clock.clock_from, away.ends), due_at, final_at, anew=True)


def stood(
    policy: ClockPolicy, zone: str, clock: TurnClock, span: Span, reserve: int, away: Away | None
) -> TurnClock:
    """The clock of an open turn after it stood still for a span: it gets the time back.

    Of days away nothing is given back once more. A deadline that was over by then stays; one that
    was before the days away, and gets moved among them, is moved past them too.
    """
    ran = deadlines.outside(span, [away.span] if away else [])

    def later(instant: datetime) -> datetime:
        for begun, ended in ran:
            instant = deadlines.after_standing(policy, zone, instant, begun, ended)
        return instant

    begun, clock_from, due_at = span[0], clock.clock_from, clock.due_at
    # a deadline that was moved began its time anew: what was before moves it alone
    if begun >= clock_from and (due_at is None or begun < due_at):
        clock_from = later(clock_from)
    if due_at is None or clock.final_at is None:
        return msgspec.structs.replace(clock, clock_from=clock_from)
    was_due = due_at
    if begun < due_at:
        due_at = deadlines.days_later(policy, zone, later(due_at), 0)
    fresh = deadlines.final_at(policy, zone, due_at, reserve)
    final_at = max(deadlines.days_later(policy, zone, later(clock.final_at), 0), fresh)
    after = TurnClock(clock_from, due_at, final_at, clock.anew)
    if away is None or was_due > away.begins:
        return after
    # the announcement has moved an end that these days touched
    if due_at > away.begins:
        after = TurnClock(clock_from, due_at, fresh, clock.anew)
    elif clock.final_at > away.begins:
        return after
    around = moved(policy, zone, after, reserve, away)
    assert around.final_at is not None
    return msgspec.structs.replace(around, final_at=max(around.final_at, final_at))


def still_to_come(away: Away | None, zone: str, now: datetime) -> Away | None:
    """What is left of a vacation, today included; None if it is over."""
    if away is None or now >= away.ends:
        return None
    today = midnight(now.astimezone(ZoneInfo(zone)).date(), zone)
    return Away(max(away.begins, today), away.ends)


def not_begun(away: Away, zone: str, after: datetime) -> int:
    """How many of the days begin at or after an instant: these can be given back."""
    first, _ = first_and_last(away, zone)
    days = (midnight(first + timedelta(days=number), zone) for number in range(away.days))
    return sum(1 for day in days if day >= after)
