"""Clocks that fit lives: whole days over summer time, weekends, quiet hours, banks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.clocks import deadlines
from pbem.clocks.deadlines import ClockPolicy
from pbem.errors import BadInput

DAY, HOUR, SECOND = 86400, 3600, timedelta(seconds=1)
MADRID, AUCKLAND, KIRITIMATI, PAGO = (
    "Europe/Madrid",
    "Pacific/Auckland",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
)


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def wall(instant: datetime | None, zone: str) -> str:
    assert instant is not None
    return f"{instant.astimezone(ZoneInfo(zone)):%a %Y-%m-%d %H:%M}"


def due(policy: ClockPolicy, opened: str, zone: str = "UTC", reserve: int = 0) -> str:
    deadline = deadlines.open_turn(policy, zone, at(opened, zone), reserve)
    return wall(deadline.due_at, zone)


# --- whole days are wall-clock days ---


def test_three_days_over_the_night_summer_time_begins_end_at_the_same_hour():
    """Madrid, 2026-03-29: 02:00 becomes 03:00."""
    policy = ClockPolicy(turn=3 * DAY)

    assert due(policy, "2026-03-27T20:00", MADRID) == "Mon 2026-03-30 20:00"


def test_three_days_over_the_night_summer_time_ends_end_at_the_same_hour():
    """Madrid, 2026-10-25: 03:00 becomes 02:00."""
    policy = ClockPolicy(turn=3 * DAY)

    assert due(policy, "2026-10-23T20:00", MADRID) == "Mon 2026-10-26 20:00"


def test_an_hour_that_summer_time_skips_is_the_one_after_the_skip():
    policy = ClockPolicy(turn=DAY)

    assert due(policy, "2026-03-28T02:30", MADRID) == "Sun 2026-03-29 03:30"


def test_hours_are_hours_whatever_the_wall_says():
    """Five hours from midnight of the short night end at six."""
    policy = ClockPolicy(turn=5 * HOUR)

    assert due(policy, "2026-03-29T00:00", MADRID) == "Sun 2026-03-29 06:00"


def test_a_turn_over_the_end_of_february_counts_the_days_there_are():
    policy = ClockPolicy(turn=3 * DAY)

    assert due(policy, "2028-02-27T12:00") == "Wed 2028-03-01 12:00"
    assert due(policy, "2026-02-27T12:00") == "Mon 2026-03-02 12:00"


# --- one hour of the day ---


def test_a_daily_deadline_is_the_first_that_is_twelve_hours_away():
    policy = ClockPolicy(kind="daily", daily_at=20 * 60)

    assert due(policy, "2026-06-02T07:59", MADRID) == "Tue 2026-06-02 20:00"
    assert due(policy, "2026-06-02T08:01", MADRID) == "Wed 2026-06-03 20:00"


@pytest.mark.parametrize("zone", [KIRITIMATI, PAGO, AUCKLAND, MADRID, "UTC"])
def test_a_daily_deadline_is_at_its_hour_on_both_sides_of_the_date_line(zone):
    policy = ClockPolicy(kind="daily", daily_at=20 * 60)

    deadline = deadlines.open_turn(policy, zone, at("2026-06-02T11:00"), 0)

    assert wall(deadline.due_at, zone).endswith("20:00")
    assert deadline.due_at >= at("2026-06-02T11:00") + timedelta(hours=12)


def test_a_daily_deadline_keeps_its_hour_over_the_change_of_clocks():
    policy = ClockPolicy(kind="daily", daily_at=20 * 60)

    assert due(policy, "2026-03-28T21:00", MADRID) == "Sun 2026-03-29 20:00"


def test_a_daily_deadline_leaves_the_weekend_out():
    policy = ClockPolicy(kind="daily", daily_at=20 * 60, weekends=True)

    assert due(policy, "2026-06-05T12:00", MADRID) == "Mon 2026-06-08 20:00"


# --- weekends ---


def test_the_clock_stands_from_friday_midnight_to_monday():
    policy = ClockPolicy(turn=10 * HOUR, weekends=True)

    assert due(policy, "2026-06-05T20:00", MADRID) == "Mon 2026-06-08 06:00"


def test_whole_days_skip_the_weekend_and_keep_the_hour():
    policy = ClockPolicy(turn=3 * DAY, weekends=True)

    assert due(policy, "2026-06-04T18:00", MADRID) == "Tue 2026-06-09 18:00"


def test_a_turn_that_opens_in_a_weekend_begins_on_monday():
    policy = ClockPolicy(turn=6 * HOUR, weekends=True)

    assert due(policy, "2026-06-06T15:00", MADRID) == "Mon 2026-06-08 06:00"


def test_the_weekend_is_that_of_the_matchs_zone():
    """Friday noon in UTC is Saturday morning in Auckland."""
    policy = ClockPolicy(turn=6 * HOUR, weekends=True)
    opened = at("2026-06-05T22:00")

    assert deadlines.open_turn(policy, AUCKLAND, opened, 0).due_at == at(
        "2026-06-08T06:00", AUCKLAND
    )
    assert deadlines.open_turn(policy, "UTC", opened, 0).due_at == at("2026-06-08T04:00")


def test_a_weekend_costs_no_reserve():
    policy = ClockPolicy(weekends=True)
    friday, monday = at("2026-06-05T20:00"), at("2026-06-08T03:00")

    left = deadlines.reserve_after(policy, "UTC", 10 * HOUR, friday, friday, monday)

    assert left == 3 * HOUR


# --- quiet hours ---


def test_a_deadline_in_the_quiet_hours_waits_for_their_end():
    policy = ClockPolicy(turn=10 * HOUR, quiet=(22 * 60, 8 * 60))

    assert due(policy, "2026-06-02T13:00", MADRID) == "Wed 2026-06-03 08:00"
    assert due(policy, "2026-06-02T16:00", MADRID) == "Wed 2026-06-03 08:00"
    assert due(policy, "2026-06-02T11:00", MADRID) == "Tue 2026-06-02 21:00"
    assert due(policy, "2026-06-02T12:00", MADRID) == "Wed 2026-06-03 08:00"


@pytest.mark.parametrize("end", [23, 8])
def test_a_deadline_at_the_very_beginning_of_the_quiet_hours_waits_too(end):
    policy = ClockPolicy(turn=HOUR, quiet=(21 * 60, end * 60))

    assert due(policy, "2026-06-02T20:00").endswith(f"{end:02}:00")


def test_quiet_hours_that_end_in_a_weekend_go_on_to_monday():
    policy = ClockPolicy(turn=10 * HOUR, weekends=True, quiet=(22 * 60, 8 * 60))

    assert due(policy, "2026-06-05T13:00", MADRID) == "Mon 2026-06-08 08:00"


# --- the bank ---


def test_a_bank_gives_what_it_holds_and_every_turn_tops_it_up_to_the_cap():
    policy = ClockPolicy(kind="bank", turn=DAY, reserve=4 * DAY, cap=5 * DAY)
    opened = at("2026-06-02T12:00")

    assert deadlines.first_reserve(policy) == 5 * DAY
    deadline = deadlines.open_turn(policy, "UTC", opened, 5 * DAY)
    assert deadline.due_at == opened + timedelta(days=5)
    after = deadlines.reserve_after(
        policy, "UTC", 5 * DAY, opened, deadline.due_at, opened + timedelta(days=3)
    )
    assert after == 3 * DAY
    quick = deadlines.reserve_after(
        policy, "UTC", 5 * DAY, opened, deadline.due_at, opened + timedelta(hours=1)
    )
    assert quick == 5 * DAY


def test_a_bank_that_ran_out_still_gets_the_next_turns_addition():
    policy = ClockPolicy(kind="bank", turn=DAY, cap=5 * DAY)
    opened = at("2026-06-02T12:00")

    left = deadlines.reserve_after(policy, "UTC", DAY, opened, opened, opened + timedelta(days=9))

    assert left == DAY


# --- reminders ---


def test_nobody_is_reminded_in_their_own_night():
    clock_from, due_at = at("2026-06-02T16:00", MADRID), at("2026-06-04T06:00", MADRID)

    instants = [deadlines.reminder_at(clock_from, due_at, n, MADRID) for n in range(3)]

    assert [wall(instant, MADRID) for instant in instants] == [
        "Wed 2026-06-03 11:00",
        "Thu 2026-06-04 08:00",
        "Thu 2026-06-04 08:00",
    ]


def test_the_night_counts_from_turns_of_a_day_on():
    opened = at("2026-06-02T12:00")

    assert deadlines.reminder_at(opened, opened + timedelta(hours=24), 0) == at("2026-06-03T08:00")
    assert deadlines.reminder_at(opened, opened + timedelta(hours=23), 0) == at("2026-06-02T23:30")


def test_two_reminders_that_wait_for_the_same_morning_are_one():
    clock_from, due_at = at("2026-06-02T16:00", MADRID), at("2026-06-04T06:00", MADRID)
    morning = at("2026-06-04T08:00", MADRID)

    assert deadlines.reminders_passed(clock_from, due_at, morning, MADRID) == 3


# --- laws ---

ZONES = st.sampled_from([MADRID, AUCKLAND, KIRITIMATI, PAGO, "UTC", "America/St_Johns"])
INSTANTS = st.integers(0, 3 * 365 * DAY).map(
    lambda passed: at("2026-01-01T00:00") + passed * SECOND
)
POLICIES = st.builds(
    ClockPolicy,
    kind=st.sampled_from(["turn", "daily", "bank"]),
    turn=st.integers(12 * HOUR, 14 * DAY),
    grace=st.integers(0, DAY),
    cap=st.integers(DAY, 20 * DAY),
    daily_at=st.integers(0, 1439),
    weekends=st.booleans(),
    quiet=st.none() | st.just((22 * 60, 8 * 60)) | st.just((1 * 60, 5 * 60)),
)


@given(POLICIES, ZONES, INSTANTS, st.integers(12 * HOUR, 10 * DAY))
def test_a_deadline_is_never_nearer_than_twelve_hours_and_the_order_is_kept(
    policy, zone, opened, reserve
):
    deadline = deadlines.open_turn(policy, zone, opened, reserve)

    assert deadline.due_at >= opened + timedelta(hours=12)
    assert deadline.final_at >= deadline.due_at
    reminders = [deadlines.reminder_at(opened, deadline.due_at, n, zone) for n in range(3)]
    assert reminders == sorted(reminders)
    assert reminders[0] >= opened


@given(POLICIES, ZONES, INSTANTS, INSTANTS, st.integers(DAY, 10 * DAY))
def test_who_opens_later_is_never_due_earlier(policy, zone, one, other, reserve):
    first, second = sorted((one, other))

    assert deadlines.open_turn(policy, zone, first, reserve).due_at <= deadlines.open_turn(
        policy, zone, second, reserve
    ).due_at + timedelta(hours=1)


@given(ZONES, INSTANTS, st.integers(0, 20 * DAY))
def test_time_that_was_added_has_run(zone, start, seconds):
    policy = ClockPolicy(weekends=True)

    end = deadlines.add_time(policy, zone, start, seconds)

    ran = deadlines.running_time(policy, zone, start, end)
    # whole days are wall-clock days: over a change of clocks they are an hour longer or shorter
    assert abs(ran - seconds) <= HOUR or _weekend_start(start, zone)


def _weekend_start(start: datetime, zone: str) -> bool:
    return start.astimezone(ZoneInfo(zone)).weekday() >= 5


# --- what a host asks for ---


def test_a_host_composes_a_clock():
    policy = deadlines.read_policy(
        {
            "kind": "daily",
            "daily_at": "21:30",
            "weekends": True,
            "quiet": "23:00-07:00",
            "vacation_days": 10,
        },
        ClockPolicy(),
    )

    assert (policy.kind, policy.daily_at, policy.weekends) == ("daily", 21 * 60 + 30, True)
    assert (policy.quiet, policy.vacation_days) == ((23 * 60, 7 * 60), 10)


def test_quiet_hours_may_leave_just_eight_hours_of_the_day():
    policy = deadlines.read_policy({"quiet": "22:00-14:00"}, ClockPolicy())

    assert policy.quiet == (22 * 60, 14 * 60)


@pytest.mark.parametrize("days", [0, 60])
def test_a_host_gives_none_to_sixty_days_of_vacation(days):
    assert deadlines.read_policy({"vacation_days": days}, ClockPolicy()).vacation_days == days


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"kind": "hourglass"}, "turn, daily, bank or none"),
        ({"kind": "daily", "daily_at": "8pm"}, "an hour like 20:00"),
        ({"kind": "daily", "daily_at": "24:00"}, "an hour like 20:00"),
        ({"kind": "daily", "daily_at": "20:60"}, "an hour like 20:00"),
        ({"kind": "daily", "daily_at": "x8:00"}, "an hour like 20:00"),
        ({"kind": "bank", "cap": "91d"}, "between 1s and 90d"),
        ({"quiet": "22:00"}, "quiet hours are like 22:00-08:00"),
        ({"quiet": "22:00-14:01"}, "at least eight hours"),
        ({"weekends": "yes"}, "true or false"),
        ({"vacation_days": 61}, "from 0 to 60"),
        ({"vacation_days": -1}, "from 0 to 60"),
        ({"vacation_days": True}, "from 0 to 60"),
        ({"kind": "none", "quiet": "nonsense"}, "quiet hours are like 22:00-08:00"),
        ({"kind": "none", "vacation_days": "many"}, "from 0 to 60"),
        ({"kind": "none", "turn": "91d"}, "between 1s and 90d"),
        ({"daily_at": "20:00"}, "of the kind turn has no daily_at. It has: kind, turn, reserve"),
        ({"kind": "bank", "daily_at": "20:00"}, "of the kind bank has no daily_at"),
        ({"kind": "daily", "cap": "9d"}, "of the kind daily has no cap"),
        ({"turn": "none", "daily_at": "20:00"}, "of the kind none has no daily_at"),
        ({"cap": "none"}, "cap is not a length of time"),
        ({"turn": "none", "kind": "nonsense"}, "turn, daily, bank or none"),
    ],
)
def test_a_composed_clock_that_cannot_be_is_refused(given_, sentence):
    with pytest.raises(BadInput, match=sentence):
        deadlines.read_policy(given_, ClockPolicy())
