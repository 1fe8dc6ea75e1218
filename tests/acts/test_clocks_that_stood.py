"""Clocks that stood go on: around weekends, quiet hours and days announced away, all at once."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import example, given
from hypothesis import strategies as st

from pbem.acts import absence, vacations
from pbem.clocks import away, deadlines
from pbem.clocks.deadlines import ClockPolicy
from pbem.store.models import Link, Match
from pbem.store.names import Purpose
from tests.clocks.test_composed_clock import (
    DAY,
    HOUR,
    INSTANTS,
    MADRID,
    POLICIES,
    SECOND,
    ZONES,
    at,
    wall,
)
from tests.parts import remedies
from tests.parts.cast import House

#: The house's clock stands at noon of Tuesday, 2 June 2026.
TODAY = date(2026, 6, 2)
VACATION = {"turn": "72h", "reserve": "24h", "vacation_days": 10}
WORKING = {"turn": "72h", "reserve": "0", "weekends": True}


def seat_link(house: House, match: Match, seat: int = 0) -> Link:
    return house.link(match, Purpose.SEAT, seat)


def days(number: float) -> timedelta:
    return timedelta(days=number)


# --- into days that were announced ---


def test_a_pause_that_pushes_a_deadline_into_days_away_moves_it_around_them(house):
    match = house.running(clock=VACATION)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(4), TODAY + days(7))
    before = house.turn(match, 0)

    remedies.pause(house.service, match.id, "2d", actor="host")
    house.wait(days=2)

    after = house.turn(match, 0)
    assert before.due_at == datetime(2026, 6, 5, 12, tzinfo=UTC)
    assert after.due_at == before.due_at + days(2) + days(4)
    assert after.final_at >= after.due_at + days(1)
    assert after.reminders == 0


def test_a_pause_before_days_away_that_the_reserve_skips_gives_its_own_time_alone(house):
    match = house.running(clock=VACATION)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(4), TODAY + days(5))
    before = house.turn(match, 0)

    remedies.pause(house.service, match.id, "6h", actor="host")
    house.wait(hours=6)

    after = house.turn(match, 0)
    assert before.final_at.date() == TODAY + days(6)
    assert after.due_at - before.due_at == timedelta(hours=6)
    assert after.final_at - before.final_at == timedelta(hours=6)


def test_a_pause_that_pushes_the_end_of_the_reserve_into_days_away_moves_it_around_them(house):
    match = house.running(clock=VACATION)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(5), TODAY + days(6))
    before = house.turn(match, 0)

    remedies.pause(house.service, match.id, "18h", actor="host")
    house.wait(hours=18)

    after = house.turn(match, 0)
    assert after.due_at - before.due_at == timedelta(hours=18)
    assert after.final_at - before.final_at == timedelta(hours=18) + days(2)


def test_a_pause_through_days_away_does_not_give_them_back_once_more(house):
    match = house.running(clock=VACATION)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(4), TODAY + days(5))

    remedies.pause(house.service, match.id, "10d", actor="host")
    house.wait(days=10)

    assert house.turn(match, 0).due_at == datetime(2026, 6, 15, 12, tzinfo=UTC)


def test_a_pause_that_ends_among_days_away_gives_those_that_are_left(house):
    match = house.running(clock=VACATION)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(4), TODAY + days(7))

    remedies.pause(house.service, match.id, "5d", actor="host")
    house.wait(days=5)

    # three days were left, and the 9th is the last one away
    assert house.turn(match, 0).due_at == datetime(2026, 6, 10, tzinfo=UTC) + days(3)


def test_a_pause_in_days_away_by_which_the_deadline_was_moved_gives_nothing_more(house):
    match = house.running(clock=VACATION)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(2), TODAY + days(5))
    due = house.turn(match, 0).due_at
    house.wait(days=3)

    remedies.pause(house.service, match.id, "2d", actor="host")
    house.wait(days=2)

    assert house.turn(match, 0).due_at == due == datetime(2026, 6, 9, 12, tzinfo=UTC)


def test_a_pause_after_the_deadline_moves_the_end_of_the_reserve_alone(house):
    match = house.running(clock={"turn": "24h", "reserve": "72h"})
    before = house.turn(match, 0)
    house.wait(days=2)

    remedies.pause(house.service, match.id, "2d", actor="host")
    house.wait(days=2)

    after = house.turn(match, 0)
    assert (after.due_at, after.clock_from) == (before.due_at, before.clock_from)
    assert after.final_at == before.final_at + days(2)
    assert after.reminders == 3


def test_an_outage_that_pushes_a_deadline_into_days_away_moves_it_around_them(house):
    match = house.running(clock=VACATION)
    absence.notice_outage(house.service)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(4), TODAY + days(7))

    house.clock.move(days(2))
    absence.notice_outage(house.service)
    house.work()

    assert house.turn(match, 0).due_at == datetime(2026, 6, 7, 12, tzinfo=UTC) + days(4)
    assert house.turn(match, 1).due_at == datetime(2026, 6, 7, 12, tzinfo=UTC)


def test_more_time_that_ends_among_days_away_goes_on_after_them(house):
    match = house.running(clock=VACATION)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(5), TODAY + days(6))

    remedies.extend(house.service, match.id, 0, "48h", actor="host")

    assert house.turn(match, 0).due_at == datetime(2026, 6, 7, 12, tzinfo=UTC) + days(2)


def test_more_time_after_a_vacation_does_not_add_its_days_again(house):
    match = house.running(clock={**VACATION, "reserve": "480h"})
    vacations.announce(house.service, seat_link(house, match), TODAY + days(4), TODAY + days(7))
    for _ in range(10):
        house.wait(days=1)

    remedies.extend(house.service, match.id, 0, "24h", actor="host")

    assert house.turn(match, 0).due_at == house.clock.now() + days(1)


# --- weekends and quiet hours ---


def test_a_weekend_after_a_pause_takes_nothing_of_what_was_left(house):
    match = house.running(clock=WORKING)

    remedies.pause(house.service, match.id, "3d", actor="host")
    house.wait(days=3)

    # three working days from Friday noon
    assert wall(house.turn(match, 0).due_at, "UTC") == "Wed 2026-06-10 12:00"


def test_a_weekend_in_a_pause_is_not_given_back_twice(house):
    match = house.running(clock=WORKING)
    house.wait(days=2)

    remedies.pause(house.service, match.id, "4d", actor="host")
    house.wait(days=4)

    # a day was left on Thursday noon, and it is Monday noon
    assert wall(house.turn(match, 0).due_at, "UTC") == "Tue 2026-06-09 12:00"


def test_a_pause_pushes_no_deadline_into_the_quiet_hours(house):
    match = house.running(clock={"turn": "24h", "reserve": "0", "quiet": "22:00-08:00"})

    remedies.pause(house.service, match.id, "12h", actor="host")
    house.wait(hours=12)

    turn = house.turn(match, 0)
    assert wall(turn.due_at, "UTC") == "Thu 2026-06-04 08:00"
    assert turn.final_at > turn.due_at


def test_more_time_that_ends_in_a_weekend_ends_on_monday(house):
    match = house.running(clock=WORKING)

    remedies.extend(house.service, match.id, 0, "24h", actor="host")

    assert wall(house.turn(match, 0).due_at, "UTC") == "Mon 2026-06-08 12:00"


def test_a_day_of_vacation_keeps_the_hour_when_the_clocks_change(house):
    """Madrid, 2026-10-25: 03:00 becomes 02:00."""
    house.clock.move(at("2026-10-21T20:00", MADRID) - house.clock.now())
    match = house.running(
        zone=MADRID, clock={"turn": "72h", "reserve": "0", "grace": "1s", "vacation_days": 1}
    )

    house.wait(hours=72, seconds=1)

    assert house.seat(match, 0).vacation_days == 0
    assert wall(house.turn(match, 0).due_at, MADRID) == "Sun 2026-10-25 20:00"


# --- laws ---


def night(instant: datetime, zone: str) -> bool:
    return not 8 <= instant.astimezone(ZoneInfo(zone)).hour < 22


def quiet(policy: ClockPolicy, instant: datetime, zone: str) -> bool:
    return deadlines.after_quiet(policy, zone, instant) != instant


@given(
    POLICIES,
    ZONES,
    ZONES,
    INSTANTS,
    st.tuples(st.integers(0, 20 * DAY), st.integers(0, 20 * DAY)),
    st.tuples(st.integers(0, 20), st.integers(0, 20)),
    st.tuples(st.floats(0, 1), st.integers(0, 20 * DAY)),
    st.integers(0, 10 * DAY),
)
@example(
    ClockPolicy(turn=3 * DAY, grace=0, weekends=True, quiet=(22 * 60, 8 * 60)),
    MADRID,
    "Pacific/Kiritimati",
    at("2026-03-26T20:00", MADRID),
    (HOUR, 0),
    (3, 5),
    (0.5, 5 * DAY),
    DAY,
)
@example(  # it was overdue when it was held, and went on in a weekend
    ClockPolicy(turn=12 * HOUR, grace=0, cap=DAY, daily_at=0, weekends=True),
    MADRID,
    MADRID,
    at("2026-01-01T00:00"),
    (157062, 0),
    (0, 0),
    (0.0, 55339),
    0,
)
def test_whatever_comes_together_a_clock_that_stood_is_not_shorter_and_keeps_its_order(
    policy, zone, own_zone, opened, told_and_held, vacation, pause, reserve
):
    at_first = deadlines.open_turn(policy, zone, opened, max(reserve, 12 * HOUR))
    told = opened + told_and_held[0] * SECOND
    first = told.astimezone(ZoneInfo(own_zone)).date() + timedelta(days=vacation[0])
    gone = away.of_days(first, first + timedelta(days=vacation[1]), own_zone)
    announced = away.moved(policy, zone, at_first, reserve, gone)
    held = told + pause[0] * max(timedelta(), announced.final_at - told)
    ended = held + pause[1] * SECOND
    rest = away.still_to_come(gone, own_zone, ended)

    clock = away.stood(policy, zone, announced, (held, ended), reserve, gone)

    assert clock.due_at >= announced.due_at >= at_first.due_at
    assert clock.final_at >= announced.final_at >= at_first.final_at
    assert clock.final_at >= clock.due_at >= clock.clock_from
    # nothing of what was left is lost, but the hour by which a day can be shorter
    there = deadlines.outside((held, announced.due_at), [gone.span])
    left = sum(deadlines.running_time(policy, zone, *span) for span in there)
    assert deadlines.running_time(policy, zone, ended, clock.due_at) >= left - HOUR - 1
    # nobody comes home to a deadline, or to one that is hours away
    if rest is not None and clock.due_at > ended:
        assert not rest.begins < clock.due_at < gone.ends + timedelta(hours=12)
        assert not rest.begins < clock.final_at < gone.ends
    assert not quiet(policy, clock.due_at, zone)
    reminders = [
        deadlines.reminder_at(clock.clock_from, clock.due_at, n, own_zone) for n in (0, 1, 2)
    ]
    assert reminders == sorted(reminders)
    assert deadlines.reminder_at(clock.clock_from, clock.due_at, 3, own_zone) is None
    if clock.due_at - clock.clock_from >= days(1):
        assert not any(night(reminder, own_zone) for reminder in reminders)
