"""When a turn ends and when to remind."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.clocks import away, deadlines
from pbem.clocks.deadlines import ClockPolicy
from pbem.clocks.durations import parse_span, span_text
from pbem.errors import BadInput

NOON = datetime(2026, 6, 2, 12, tzinfo=UTC)
HOUR = 3600


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("72h", 72 * HOUR),
        ("15m", 900),
        ("1d12h", 36 * HOUR),
        ("20s", 20),
        ("1 h 5 m", 3900),
        ("2w", 336 * HOUR),
        ("0", 0),
        ("3 days", 72 * HOUR),
        ("1 week", 168 * HOUR),
        ("90 min", 5400),
        ("1 Day and 12 hours", 36 * HOUR),
        ("3 días", 72 * HOUR),
        ("3 di\u0301as", 72 * HOUR),
        ("2 días y 12 horas", 60 * HOUR),
        ("1 semana", 168 * HOUR),
        ("3\u00a0days, 2 hrs.", 74 * HOUR),
    ],
)
def test_spans_are_read_as_people_write_them(text, seconds):
    assert parse_span(text, "turn") == seconds


@pytest.mark.parametrize(
    "text", ["", "h", "72", "-3h", "1.5h", "3 months", "h72", "9" * 30 + "h", "1d " * 40]
)
def test_what_is_no_span_is_refused_with_an_example(text):
    with pytest.raises(BadInput, match="write it like 72h"):
        parse_span(text, "turn")


@given(st.integers(0, 90 * 86400))
def test_a_span_is_read_back_as_it_was_written(seconds):
    assert parse_span(span_text(seconds), "turn") == seconds


def test_a_turn_is_due_after_its_time_and_missed_after_reserve_and_grace():
    policy = ClockPolicy(turn=72 * HOUR, grace=900)

    deadline = deadlines.open_turn(policy, "UTC", NOON, reserve=96 * HOUR)

    assert deadline.due_at == NOON + timedelta(hours=72)
    assert deadline.final_at == NOON + timedelta(hours=168, minutes=15)


def test_a_match_without_limit_has_no_deadline():
    assert deadlines.open_turn(ClockPolicy(kind="none"), "UTC", NOON, 0).due_at is None
    assert deadlines.next_at(NOON, None, None, len(deadlines.UNLIMITED_REMINDERS)) is None


def test_without_a_limit_reminders_come_in_the_players_day():
    """Three days after noon in UTC it is two in the morning in Kiritimati."""
    assert deadlines.next_at(NOON, None, None, 0) == NOON + timedelta(days=3)
    assert deadlines.next_at(NOON, None, None, 0, "Pacific/Kiritimati") == NOON + timedelta(
        days=3, hours=6
    )


def test_reminders_come_at_half_at_nine_tenths_and_at_the_deadline():
    due = NOON + timedelta(hours=10)

    instants = [deadlines.reminder_at(NOON, due, number) for number in range(4)]

    assert instants == [NOON + timedelta(hours=5), NOON + timedelta(hours=9), due, None]


def test_after_the_last_reminder_a_turn_needs_care_when_it_is_missed():
    due, final = NOON + timedelta(hours=10), NOON + timedelta(hours=11)

    assert deadlines.next_at(NOON, due, final, 3) == final


def test_a_late_sweep_counts_all_the_reminders_it_missed():
    due = NOON + timedelta(hours=10)

    assert deadlines.reminders_passed(NOON, due, NOON + timedelta(hours=9, minutes=30)) == 2


def test_the_reserve_pays_only_for_what_came_after_the_deadline():
    policy, opened = ClockPolicy(), NOON - timedelta(hours=72)

    def left(closed_at: datetime) -> int:
        return deadlines.reserve_after(policy, "UTC", 100, opened, NOON, closed_at)

    assert left(NOON - timedelta(hours=1)) == 100
    assert left(NOON + timedelta(seconds=40)) == 60
    assert left(NOON + timedelta(days=1)) == 0
    assert deadlines.reserve_after(policy, "UTC", 100, opened, None, NOON) == 100


def test_a_host_who_sets_only_the_turn_gets_no_reserve_and_a_grace_in_proportion():
    policy = deadlines.read_policy({"turn": "20s"}, ClockPolicy())

    assert (policy.turn, policy.reserve, policy.grace, policy.host_time) == (20, 0, 2, 20)


def test_a_host_can_set_every_part_of_the_clock():
    given = {"turn": "48h", "reserve": "24h", "grace": "1h", "host_time": "12h"}

    policy = deadlines.read_policy(given, ClockPolicy())

    assert (policy.turn, policy.reserve) == (48 * HOUR, 24 * HOUR)
    assert (policy.grace, policy.host_time) == (HOUR, 12 * HOUR)


def test_a_clock_can_be_none():
    assert deadlines.read_policy({"turn": "none"}, ClockPolicy()).kind == "none"


def test_a_reserve_and_a_grace_of_none_are_none_at_all():
    policy = deadlines.read_policy({"reserve": "none", "grace": "None"}, ClockPolicy())

    assert (policy.kind, policy.reserve, policy.grace) == ("turn", 0, 0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"trun": "72h"}, "no part called trun"),
        ({"turn": 72}, "must be a text like 72h"),
        ({"turn": "0s"}, "between 1s and 90d"),
        ({"turn": "91d"}, "between 1s and 90d"),
        ({"turn": "72h", "grace": "3d"}, "between 0s and 2d"),
        ({"reserve": "400d"}, "between 0s and 90d"),
        ({"host_time": "4d"}, "between 1s and 3d"),
    ],
)
def test_a_clock_that_cannot_be_is_refused_with_a_sentence(given, sentence):
    with pytest.raises(BadInput, match=sentence):
        deadlines.read_policy(given, ClockPolicy())


@given(
    turn=st.integers(1, 90 * 86400),
    reserve=st.integers(0, 90 * 86400),
    grace=st.integers(0, 2 * 86400),
    reminders=st.integers(0, 3),
)
def test_care_never_comes_after_the_end_and_reminders_keep_their_order(
    turn, reserve, grace, reminders
):
    policy = ClockPolicy(turn=turn, grace=grace)
    deadline = deadlines.open_turn(policy, "UTC", NOON, reserve)
    assert deadline.due_at is not None
    assert deadline.final_at is not None

    care = deadlines.next_at(NOON, deadline.due_at, deadline.final_at, reminders)

    assert care is not None
    assert NOON <= care <= deadline.final_at
    later = deadlines.next_at(NOON, deadline.due_at, deadline.final_at, reminders + 1)
    assert later is not None
    assert care <= later


@pytest.mark.parametrize(
    ("quiet", "turn", "zone", "opened"),
    [
        ((1260, 150), 1800, "Europe/Madrid", datetime(2026, 10, 25, 0, 40, tzinfo=UTC)),
        ((1020, 90), 43200, "America/New_York", datetime(2026, 10, 31, 18, 20, tzinfo=UTC)),
        ((1260, 195), 1800, "Pacific/Chatham", datetime(2027, 4, 3, 13, 46, tzinfo=UTC)),
        ((1260, 105), 1800, "Australia/Lord_Howe", datetime(2027, 4, 3, 14, 56, tzinfo=UTC)),
    ],
)
def test_quiet_hours_that_end_in_an_hour_that_comes_twice_shorten_no_turn(
    quiet: tuple[int, int], turn: int, zone: str, opened: datetime
) -> None:
    policy = ClockPolicy(turn=turn, reserve=0, quiet=quiet)

    due = deadlines.open_turn(policy, zone, opened, 0).due_at

    assert due is not None
    assert due - opened >= timedelta(seconds=turn)


@pytest.mark.parametrize("zone", ["Europe/Madrid", "America/New_York", "Australia/Sydney", "UTC"])
def test_days_away_stay_those_that_were_announced_in_another_zone(zone: str) -> None:
    # with a change to summer time among them
    first, last = date(2027, 3, 26), date(2027, 3, 29)

    announced = away.of_days(first, last, "Europe/Madrid")

    assert away.first_and_last(announced, zone) == (first, last)
