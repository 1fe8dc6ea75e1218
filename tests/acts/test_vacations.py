"""A player says when they are away: the deadline moves at once, and is never made shorter."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem import present
from pbem.acts import absence, matches, vacations
from pbem.clocks import away, deadlines
from pbem.clocks.deadlines import ClockPolicy, TurnClock
from pbem.errors import BadInput, NotPossible
from pbem.looks import match_look
from pbem.store.models import Link, Match
from pbem.store.names import Purpose
from pbem.words.i18n import translator
from tests.clocks.test_composed_clock import (
    AUCKLAND,
    DAY,
    HOUR,
    INSTANTS,
    KIRITIMATI,
    MADRID,
    POLICIES,
    ZONES,
    at,
    wall,
)
from tests.parts import remedies
from tests.parts.cast import House

CLOCK = {"turn": "72h", "reserve": "96h", "vacation_days": 7}
#: The house's clock stands at noon of Tuesday, 2 June 2026.
TODAY = date(2026, 6, 2)


def seat_link(house: House, match: Match, seat: int = 0) -> Link:
    return house.link(match, Purpose.SEAT, seat)


def days(number: int) -> timedelta:
    return timedelta(days=number)


# --- announced while a turn is open ---


def test_the_deadline_of_an_open_turn_moves_at_once_by_the_days_away(house):
    match = house.running(clock=CLOCK)
    before = house.turn(match, 0)

    vacations.announce(house.service, seat_link(house, match), TODAY + days(1), TODAY + days(4))

    after = house.turn(match, 0)
    assert after.due_at - before.due_at == days(4)
    assert after.final_at - before.final_at == days(4)
    assert house.seat(match, 0).vacation_days == 3


def test_nobody_is_reminded_while_away_and_reminders_begin_anew_afterwards(house):
    match = house.running(clock=CLOCK)
    vacations.announce(house.service, seat_link(house, match), TODAY + days(1), TODAY + days(4))

    for _ in range(4):
        house.wait(days=1)
    reminded_away = [mail.seat for mail in house.mails("reminder")]
    for _ in range(3):
        house.wait(days=1)

    assert 0 not in reminded_away
    assert [mail.seat for mail in house.mails("reminder")].count(0) == 2


def test_who_was_reminded_before_days_away_is_reminded_anew_after_them(house):
    match = house.running(clock=CLOCK)
    house.wait(days=2)
    before = house.turn(match, 0).reminders

    vacations.announce(house.service, seat_link(house, match), TODAY + days(3), TODAY + days(4))

    assert (before, house.turn(match, 0).reminders) == (1, 0)


def test_a_vacation_behind_the_deadline_leaves_it_where_it_is(house):
    match = house.running(clock={"turn": "24h", "reserve": "24h", "vacation_days": 7})
    before = house.turn(match, 0)

    vacations.announce(house.service, seat_link(house, match), TODAY + days(10), TODAY + days(12))

    after = house.turn(match, 0)
    assert (after.due_at, after.final_at) == (before.due_at, before.final_at)


def test_the_reserve_stands_while_its_owner_is_away(house):
    match = house.play_on(house.running(clock={**CLOCK, "turn": "24h"}), plies=6)
    (mover,) = house.waiting(match)
    before, has = house.turn(match, mover), house.seat(match, mover).reserve
    first = before.due_at.date() + days(1)
    vacations.announce(house.service, seat_link(house, match, mover), first, first + days(2))
    assert house.turn(match, mover).due_at == before.due_at
    assert house.turn(match, mover).final_at == before.final_at + days(3)

    while house.clock.now() < away.midnight(first + days(3), "UTC") + timedelta(hours=5):
        house.wait(hours=12)
    gone = house.clock.now() - before.due_at
    house.play(match, mover)

    assert mover not in house.waiting(match)
    assert house.seat(match, mover).reserve == has - int((gone - days(3)).total_seconds())


# --- announced beforehand ---


def test_a_turn_that_opens_while_its_player_is_away_begins_when_they_are_back(house):
    match = house.running(clock=CLOCK)
    link = seat_link(house, match, 2)
    turn = house.turn(match, 2)
    house.play(match, 2)
    vacations.announce(house.service, link, TODAY + days(1), TODAY + days(3))
    house.clock.move(days(1))

    house.play_on(match, without=2)

    opened = house.turn(match, 2)
    assert opened.id != turn.id
    assert opened.due_at == away.midnight(TODAY + days(4), "UTC") + days(3)


def test_who_plays_on_vacation_is_not_charged_and_goes_on(house):
    match = house.running(clock=CLOCK)
    vacations.announce(house.service, seat_link(house, match), TODAY, TODAY + days(3))
    house.wait(days=2)

    house.play(match, 0)

    assert house.seat(match, 0).reserve == 96 * HOUR
    assert house.seat(match, 0).missed == 0


# --- taken back ---


def test_days_that_have_not_begun_are_given_back(house):
    match = house.running(clock=CLOCK)
    link = seat_link(house, match)
    house.play(match, 0)
    vacations.announce(house.service, link, TODAY, TODAY + days(4))
    house.wait(days=1)

    vacations.take_back(house.service, link)
    vacations.take_back(house.service, link)

    assert house.seat(match, 0).vacation_days == 7 - 2
    assert house.seat(match, 0).away_until == datetime(2026, 6, 4, tzinfo=UTC)


def test_days_that_have_not_begun_are_given_back_in_another_zone_too(house):
    match = house.running(clock=CLOCK)
    link = seat_link(house, match)
    matches.set_preferences(house.service, link, "Europe/Madrid", "")
    house.play(match, 0)
    vacations.announce(house.service, link, TODAY + days(10), TODAY + days(12))
    matches.set_preferences(house.service, link, "America/New_York", "")
    # noon in New York, ten hours before the first day begins in Madrid
    house.clock.set(datetime(2026, 6, 11, 16, tzinfo=UTC))

    back = vacations.take_back(house.service, link)

    assert (back.back, back.away, back.left) == (3, None, 7)


def test_days_by_which_a_deadline_was_moved_are_spent(house):
    match = house.running(clock=CLOCK)
    link = seat_link(house, match)
    vacations.announce(house.service, link, TODAY + days(1), TODAY + days(4))
    due = house.turn(match, 0).due_at

    with pytest.raises(NotPossible, match="deadline was moved"):
        vacations.take_back(house.service, link)

    assert house.turn(match, 0).due_at == due
    assert house.seat(match, 0).vacation_days == 3


# --- what is refused ---


def test_no_more_days_than_are_left(house):
    match = house.running(clock=CLOCK)

    with pytest.raises(NotPossible, match="These are 8 days, and you have 7 left"):
        vacations.announce(house.service, seat_link(house, match), TODAY, TODAY + days(7))


def test_one_vacation_at_a_time(house):
    match = house.running(clock=CLOCK)
    vacations.announce(house.service, seat_link(house, match), TODAY, TODAY)

    with pytest.raises(NotPossible, match="Take it back"):
        vacations.announce(house.service, seat_link(house, match), TODAY, TODAY + days(1))


def test_the_same_vacation_said_twice_is_one(house):
    match = house.running(clock=CLOCK)
    first, last = TODAY + days(1), TODAY + days(4)

    said = [
        vacations.announce(house.service, seat_link(house, match), first, last) for _ in range(2)
    ]

    assert said[0] == said[1]
    assert said[0].due_at == house.turn(match, 0).due_at
    assert (said[0].left, house.seat(match, 0).vacation_days) == (3, 3)


def test_a_match_without_days_of_vacation_says_so(house):
    match = house.running(clock={"turn": "72h"})

    with pytest.raises(NotPossible, match="has no days of vacation"):
        vacations.announce(house.service, seat_link(house, match), TODAY, TODAY)


@pytest.mark.parametrize("first", [date(2026, 6, 3), date(9999, 12, 31)])
def test_the_last_day_there_is_ends_no_vacation(house, first):
    match = house.running(clock=CLOCK)

    with pytest.raises((BadInput, NotPossible)):
        vacations.announce(house.service, seat_link(house, match), first, date(9999, 12, 31))


@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [(-1, 0, "in the past"), (2, 1, "before the first"), (400, 401, "within a year")],
)
def test_days_that_cannot_be_a_vacation_are_refused(house, first, last, sentence):
    match = house.running(clock=CLOCK)

    with pytest.raises(BadInput, match=sentence):
        vacations.announce(
            house.service, seat_link(house, match), TODAY + days(first), TODAY + days(last)
        )


def test_a_day_has_to_be_written_in_full():
    assert vacations.read_day(" 2026-07-31 ", "from") == date(2026, 7, 31)
    for text in ("", "31.7.2026", "2026-07-32", "2026-07-315"):
        with pytest.raises(BadInput, match="write it like 2026-07-31"):
            vacations.read_day(text, "from")


def test_who_gave_the_seat_up_announces_nothing(house):
    match = house.running(clock=CLOCK)
    absence.resign(house.service, seat_link(house, match))

    with pytest.raises(NotPossible, match="resigned from this seat"):
        vacations.announce(house.service, seat_link(house, match), TODAY, TODAY)


def test_without_a_limit_there_is_nothing_to_announce(house):
    match = house.running(clock={"turn": "none"})

    with pytest.raises(NotPossible, match="no vacation is needed"):
        vacations.announce(house.service, seat_link(house, match), TODAY, TODAY)


# --- the table sees it ---


def test_the_table_shows_who_is_away_until_when(house):
    match = house.running(clock=CLOCK)
    vacations.announce(house.service, seat_link(house, match), TODAY, TODAY + days(1))

    def notes() -> tuple[str, ...]:
        look = match_look.table(house.service, match.id)
        return present.table(look, translator("en"), zone="UTC", base_url="").seats[0].notes

    while_away = notes()
    house.wait(days=3)

    assert while_away == ("away until Wednesday, 3 June 2026",)
    assert notes() == ()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def test_the_history_tells_the_same_days_as_the_seat(house, zone):
    match = house.running(clock=CLOCK)

    vacations.announce(house.service, seat_link(house, match), TODAY + days(1), TODAY + days(4))
    look = match_look.table(house.service, match.id)
    table = present.table(look, translator("en"), zone=zone, base_url="")

    told = table.lines[-1].sentences[0]
    assert told == f"Alice is {table.seats[0].notes[0]}."
    assert "from Wednesday, 3 June 2026 until Saturday, 6 June 2026" in told


def test_who_takes_a_seat_over_is_not_away(house):
    match = house.running(clock=CLOCK)
    vacations.announce(house.service, seat_link(house, match), TODAY, TODAY + days(1))
    remedies.replace(house.service, match.id, 0, "Frank", "frank@example.org", actor="operator")

    matches.join(house.service, house.link(match, Purpose.JOIN, 0), matches.Joining())

    assert house.seat(match, 0).away_until is None


# --- whole days of the player's zone ---


def test_days_away_are_whole_days_of_the_players_zone():
    gone = away.of_days(date(2026, 6, 10), date(2026, 6, 11), KIRITIMATI)

    assert gone.begins == datetime(2026, 6, 9, 10, 0, tzinfo=UTC)
    assert gone.days == 2


@pytest.mark.parametrize("day", [date(2026, 3, 28), date(2026, 10, 24)])
def test_a_day_is_a_day_when_the_clocks_change(day):
    gone = away.of_days(day, day + days(2), MADRID)

    assert gone.days == 3
    assert away.not_begun(gone, MADRID, gone.begins + timedelta(hours=1)) == 2


def test_a_deadline_keeps_its_hour_when_the_clocks_change_while_its_player_is_away():
    """Madrid, 2026-03-29: 02:00 becomes 03:00."""
    opened, due_at = at("2026-03-27T20:00", MADRID), at("2026-03-30T20:00", MADRID)
    gone = away.of_days(date(2026, 3, 28), date(2026, 3, 30), MADRID)
    clock = TurnClock(opened, due_at, due_at)

    moved = away.moved(ClockPolicy(reserve=0), MADRID, clock, 0, gone)

    assert wall(moved.due_at, MADRID) == "Thu 2026-04-02 20:00"


def test_a_reserve_does_not_end_in_the_hour_by_which_a_day_away_is_longer():
    """Madrid, 2026-10-25 has 25 hours; the match is in UTC."""
    gone = away.of_days(date(2026, 10, 25), date(2026, 10, 25), MADRID)
    clock = TurnClock(
        gone.begins - days(2), gone.begins - days(1), gone.begins + timedelta(minutes=10)
    )

    moved = away.moved(ClockPolicy(), "UTC", clock, 0, gone)

    assert moved.due_at == clock.due_at
    assert moved.final_at == gone.ends


@pytest.mark.parametrize(
    ("policy", "due_at"),
    [
        (ClockPolicy(turn=3 * DAY), "Sun 2026-06-07 12:00"),
        (ClockPolicy(kind="daily", daily_at=3 * 60), "Mon 2026-06-08 03:00"),
    ],
)
def test_nobody_comes_home_to_a_deadline_nearer_than_twelve_hours(policy, due_at):
    """It was at three of the first of two days away."""
    gone = away.of_days(date(2026, 6, 5), date(2026, 6, 6), "UTC")
    clock = TurnClock(at("2026-06-02T03:00"), at("2026-06-05T03:00"), at("2026-06-05T04:00"))

    moved = away.moved(policy, "UTC", clock, 0, gone)

    assert wall(moved.due_at, "UTC") == due_at


def test_a_daily_deadline_stays_at_its_hour():
    policy = ClockPolicy(kind="daily", daily_at=20 * 60, reserve=0)
    gone = away.of_days(date(2026, 6, 3), date(2026, 6, 5), AUCKLAND)

    clock = away.open_turn(policy, MADRID, at("2026-06-02T21:00", MADRID), 0, gone)

    assert wall(clock.due_at, MADRID).endswith("20:00")
    assert clock.due_at >= gone.ends + timedelta(hours=12)


AWAY = st.builds(
    lambda begun, length, zone: away.of_days(
        begun.astimezone(ZoneInfo(zone)).date(),
        begun.astimezone(ZoneInfo(zone)).date() + days(length),
        zone,
    ),
    INSTANTS,
    st.integers(0, 30),
    ZONES,
)


@given(POLICIES, ZONES, AWAY, st.integers(0, 20 * DAY), st.integers(0, 10 * DAY))
def test_an_announced_vacation_never_makes_a_clock_shorter(policy, zone, gone, early, reserve):
    """Nor does a turn end before its player has been back for half a day."""
    opened = gone.begins - timedelta(seconds=early)
    clock = deadlines.open_turn(policy, zone, opened, reserve)

    moved = away.moved(policy, zone, clock, reserve, gone)

    assert moved.due_at >= clock.due_at
    assert moved.final_at >= clock.final_at
    assert moved.final_at >= moved.due_at >= moved.clock_from
    assert not gone.begins < moved.due_at < gone.ends + timedelta(hours=12)
    assert not gone.begins < moved.final_at < gone.ends


@given(POLICIES, ZONES, AWAY, INSTANTS, st.integers(12 * HOUR, 10 * DAY))
def test_a_turn_of_somebody_who_goes_away_is_never_shorter_than_of_who_stays(
    policy, zone, gone, opened, reserve
):
    stays = deadlines.open_turn(policy, zone, opened, reserve)

    clock = away.open_turn(policy, zone, opened, reserve, gone)

    assert clock.due_at >= stays.due_at
    assert clock.final_at >= stays.final_at
    assert clock.due_at >= opened + timedelta(hours=12)
    assert clock.clock_from >= opened


@given(POLICIES, ZONES, AWAY, INSTANTS, st.integers(0, 20 * DAY), st.integers(0, 10 * DAY))
def test_who_is_away_is_never_charged_more_than_who_is_not(
    policy, zone, gone, opened, took, reserve
):
    due_at, closed = opened + timedelta(hours=12), opened + timedelta(seconds=took)

    there = deadlines.reserve_after(policy, zone, reserve, opened, due_at, closed)
    off = deadlines.reserve_after(policy, zone, reserve, opened, due_at, closed, [gone.span])

    assert off >= there
