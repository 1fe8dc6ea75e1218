"""Vacations, pauses, outages, seats given up: nobody is charged for what was not theirs."""

from datetime import timedelta

import pytest

from pbem.acts import absence, deliverability, matches, outbox
from pbem.errors import BadInput, NotPossible
from pbem.looks import match_look, stalled
from pbem.store import links
from pbem.store.models import Heartbeat
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import House

HOURS = {"clock": {"turn": "10h", "grace": "1h"}}


def acts(house: House, match) -> list[str]:
    return [line.act.act for line in match_look.table(house.service, match.id).lines if line.act]


def test_days_of_vacation_are_spent_by_themselves_before_anything_times_out(house):
    match = house.running(clock={"turn": "10h", "grace": "1h", "vacation_days": 2})

    house.wait(hours=11, seconds=1)
    assert 0 in house.waiting(match)
    assert house.seat(match, 0).vacation_days == 1
    house.wait(hours=26)
    assert house.seat(match, 0).vacation_days == 0
    house.wait(hours=26)

    assert house.seat(match, 0).missed == 1
    assert acts(house, match).count("vacation_day") == 8


def test_a_day_of_vacation_is_a_day_and_not_the_reserve_once_more(house):
    match = house.running(
        clock={"turn": "10h", "reserve": "96h", "grace": "1h", "vacation_days": 2}
    )

    house.wait(hours=107, seconds=1)
    assert house.seat(match, 0).vacation_days == 1
    assert house.seat(match, 0).reserve == 0
    house.wait(hours=25, seconds=1)
    assert house.seat(match, 0).vacation_days == 0
    house.wait(hours=25, seconds=1)

    assert house.seat(match, 0).missed == 1


def test_a_pause_lets_all_clocks_stand_and_ends_by_itself(house):
    match = house.running(**HOURS)
    house.clock.move(timedelta(hours=4))
    remedies.pause(house.service, match.id, "7d", actor="host")

    house.wait(days=6)
    assert house.match(match.id).paused_until is not None
    assert not house.mails("reminder")
    house.wait(days=1, seconds=1)

    assert house.match(match.id).paused_until is None
    assert house.turn(match, 0).due_at == house.clock.now() + timedelta(hours=6)
    assert acts(house, match)[-2:] == ["paused", "resumed"]


def test_moves_are_taken_in_a_pause_and_the_next_turns_stand_too(house):
    match = house.running(**HOURS)
    remedies.pause(house.service, match.id, "7d", actor="host")

    house.play_on(match, plies=8)

    (seat,) = house.waiting(match)
    assert house.turn(match, seat).held_why == "pause"
    absence.resume(house.service, match.id, actor="host")
    assert house.turn(match, seat).held_at is None


def test_a_seat_whose_mail_is_refused_stays_held_when_the_pause_ends(house):
    match = house.running(**HOURS)
    remedies.pause(house.service, match.id, "7d", actor="host")
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550")

    absence.resume(house.service, match.id, actor="host")

    assert house.turn(match, 1).held_why == "mail"
    assert house.turn(match, 0).held_at is None


def test_an_address_that_is_corrected_in_a_pause_waits_for_its_end(house):
    match = house.running(**HOURS)
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550")
    remedies.pause(house.service, match.id, "7d", actor="host")

    remedies.correct_address(house.service, match.id, 1, "bob@example.net", actor="operator")

    assert house.turn(match, 1).held_why == "pause"


def test_a_pause_has_an_end_that_is_not_too_far(house):
    match = house.running(**HOURS)

    with pytest.raises(BadInput, match="between 1s and 60d"):
        remedies.pause(house.service, match.id, "61d", actor="host")
    with pytest.raises(NotPossible, match="not paused"):
        absence.resume(house.service, match.id, actor="host")


# --- mail that is refused for good ---


def without_bobs_mail(house: House, **asked):
    """A match that waits for Bob alone, whose address takes no mail."""
    match = house.running(**{**HOURS, **asked})
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550 no such user")
    house.play_on(match, without=1)
    assert house.waiting(match) == [1]
    return match


def told_of_mail(house: House) -> list[bool]:
    """The mails to the host about it: whether each of them was one more."""
    return [outbox.data(mail)["again"] for mail in house.mails("stalled")]


def test_a_host_who_does_nothing_about_refused_mail_is_told_again_after_a_week(house):
    match = without_bobs_mail(house)
    assert told_of_mail(house) == [False]

    house.wait(days=7, seconds=1)

    assert told_of_mail(house) == [False, True]
    assert house.seat(match, 1).bot is None
    assert house.turn(match, 1).held_at is not None


def test_after_two_weeks_of_refused_mail_a_bot_plays_until_the_player_is_back(house):
    match = without_bobs_mail(house)
    ply = house.match(match.id).ply

    house.wait(days=7, seconds=1)
    house.wait(days=7)

    assert house.seat(match, 1).bot == "easy"
    assert house.match(match.id).ply > ply
    remedies.correct_address(house.service, match.id, 1, "bob@example.net", actor="operator")
    absence.come_back(house.service, house.link(match, Purpose.SEAT, 1))
    assert house.seat(match, 1).bot is None


def test_an_address_that_is_corrected_in_time_keeps_the_bot_away(house):
    match = without_bobs_mail(house)
    house.wait(days=8)

    remedies.correct_address(house.service, match.id, 1, "bob@example.net", actor="operator")
    before = house.turn(match, 1).due_at
    house.wait(hours=1)

    assert house.turn(match, 1).held_at is None
    assert before > house.clock.now()
    assert house.seat(match, 1).missed == 0


def test_a_pause_is_no_time_in_which_mail_was_refused(house):
    match = without_bobs_mail(house)
    house.wait(days=5)
    remedies.pause(house.service, match.id, "20d", actor="host")

    house.wait(days=19)
    house.wait(days=2)
    assert house.match(match.id).paused_until is None
    assert told_of_mail(house) == [False]
    house.wait(days=6, seconds=1)

    assert told_of_mail(house) == [False, True]
    assert house.seat(match, 1).bot is None


def test_a_host_whose_own_address_is_refused_is_not_written_to_but_the_bot_comes(house):
    match = house.running(**HOURS)
    deliverability.mail_refused(house.service, match.id, 0, "alice@example.org", "550")
    house.play_on(match, without=0)

    house.wait(days=7, seconds=1)
    house.wait(days=7)

    assert house.mails("stalled") == []
    assert house.seat(match, 0).bot == "easy"


# --- no limit ---


def test_without_a_limit_a_player_is_reminded_three_times_and_then_the_host_is_told(house):
    match = house.play_on(house.running(clock={"turn": "none"}), plies=6)
    (mover,) = house.waiting(match)

    reminded = []
    for day in range(1, 31):
        house.wait(days=1)
        if len(house.mails("reminder")) > len(reminded):
            reminded.append(day)

    assert reminded == [3, 7, 14]
    assert [mail.seat for mail in house.mails("reminder")] == [mover] * 3
    assert [mail.seat for mail in house.mails("stalled")] == [links.HOST]
    assert [stall.reason for stall in stalled.find(house.service)] == ["silent"]
    assert house.waiting(match) == [mover]


def test_without_a_limit_the_host_is_told_again_of_who_moved_in_their_turn_since(house):
    match = house.play_on(house.of_game("skirmish", clock={"turn": "none"}), plies=4)
    (mover,) = house.waiting(match)
    turn = house.turn(match, mover)
    house.wait(days=15)
    house.play(match, mover, house.good_order(match, mover), "deployed")
    assert house.turn(match, mover).id == turn.id

    house.wait(days=15)

    assert [mail.seat for mail in house.mails("stalled")] == [links.HOST] * 2


def test_who_wants_no_reminders_gets_none_and_the_host_is_told_all_the_same(house):
    match = house.running(clock={"turn": "none"})
    (mover,) = house.waiting(match)[:1]
    matches.set_preferences(
        house.service, house.link(match, Purpose.SEAT, mover), "", "", reminders=False
    )

    for _ in range(30):
        house.wait(days=1)

    assert mover not in {mail.seat for mail in house.mails("reminder")}
    assert links.HOST in {mail.seat for mail in house.mails("stalled")}


def test_an_outage_is_given_back_without_a_limit_too(house):
    match = house.running(clock={"turn": "none"})
    sweep_for(house, 1)
    begun = house.turn(match, 0).clock_from

    house.clock.move(timedelta(days=3))
    sweep_for(house, 0.2)

    given = house.turn(match, 0).clock_from - begun
    assert timedelta(days=3) <= given <= timedelta(days=3, minutes=5)
    assert not house.mails("reminder")


# --- the service was down ---


def sweep_for(house: House, hours: float) -> None:
    """The service runs: a worker sweeps every five minutes."""
    for _ in range(int(hours * 12)):
        house.clock.move(timedelta(minutes=5))
        absence.notice_outage(house.service)
        house.work()


def test_after_an_outage_open_deadlines_are_extended_by_its_length(house):
    match = house.running(**HOURS)
    sweep_for(house, 2)
    before = house.turn(match, 0).due_at

    house.clock.move(timedelta(days=2))
    sweep_for(house, 0.2)

    after = house.turn(match, 0).due_at
    assert timedelta(days=2) <= after - before <= timedelta(days=2, minutes=5)
    assert house.match(match.id).ply == 0
    assert not house.mails("played_for_you")


def test_an_outage_is_credited_once(house):
    match = house.running(**HOURS)
    sweep_for(house, 2)
    house.clock.move(timedelta(days=1))
    sweep_for(house, 4)
    due = house.turn(match, 0).due_at

    sweep_for(house, 2)

    assert house.turn(match, 0).due_at == due


def test_the_service_down_for_a_day_sends_no_flood_of_mail(house):
    for _ in range(5):
        house.running(**HOURS)
    sweep_for(house, 1)
    count = len(house.mails())

    house.clock.move(timedelta(days=1))
    sweep_for(house, 0.2)

    assert len(house.mails()) == count


def test_short_gaps_are_no_outage(house):
    match = house.running(**HOURS)
    due = house.turn(match, 0).due_at

    sweep_for(house, 9.5)

    assert house.turn(match, 0).due_at == due


# --- a clock that jumps, a worker that stands still ---


def clock_ahead_for_a_sweep(house: House, days: int) -> None:
    house.clock.move(timedelta(days=days))
    sweep_for(house, 0.2)
    house.clock.move(-timedelta(days=days))
    sweep_for(house, 0.2)


def test_an_outage_after_a_clock_was_set_back_is_given_back(house):
    sweep_for(house, 1)
    clock_ahead_for_a_sweep(house, 10)
    match = house.running(**HOURS)
    before = house.turn(match, 0).due_at

    house.clock.move(timedelta(days=2))
    sweep_for(house, 0.2)

    assert timedelta(days=2) <= house.turn(match, 0).due_at - before <= timedelta(days=2, minutes=9)
    assert house.seat(match, 0).missed == 0


def test_an_outage_that_never_was_gives_later_turns_no_time(house):
    sweep_for(house, 1)
    clock_ahead_for_a_sweep(house, 10)
    match = house.running(**HOURS)

    sweep_for(house, 12)

    assert house.seat(match, 0).missed == 1


def test_a_worker_that_stood_still_with_a_turn_in_its_hands_leaves_it_to_the_next_sweep(house):
    match = house.running(**HOURS)
    sweep_for(house, 9)
    turn = house.turn(match, 0)
    taken = house.clock.now() + timedelta(minutes=1)
    with house.service.database.write("test") as session:
        session.merge(turn.model_copy(update={"next_at": taken}))

    house.clock.move(timedelta(days=1))
    absence.care(house.service, match.id, turn.id, taken, [])
    assert house.seat(match, 0).missed == 0
    sweep_for(house, 0.2)

    assert house.seat(match, 0).missed == 0
    assert house.turn(match, 0).due_at > house.clock.now()


# --- the service was down while a clock stood ---


def swept(house: House) -> None:
    """The service has run until now."""
    with house.service.database.write("test") as session:
        session.merge(Heartbeat(name=absence.SWEEP, at=house.clock.now()))


def down(house: House, **span: float) -> None:
    """The service has run until now, is down for so long, and runs again."""
    swept(house)
    house.clock.move(timedelta(**span))
    absence.notice_outage(house.service)
    house.work()


def paused(house: House, match) -> None:
    remedies.pause(house.service, match.id, "3d", actor="host")


def unreached(house: House, match) -> None:
    deliverability.mail_refused(house.service, match.id, 0, "alice@example.org", "550")


def goes_on(house: House, match) -> None:
    if house.match(match.id).paused_until is not None:
        absence.resume(house.service, match.id, actor="host")
    else:
        remedies.correct_address(house.service, match.id, 0, "alice@example.net", actor="operator")


HELD = pytest.mark.parametrize("hold", [paused, unreached])


def after_care(house: House, match):
    """The deadline of the first seat's turn once it has been given care, a minute before it."""
    house.clock.move(house.turn(match, 0).due_at - house.clock.now() - timedelta(minutes=1))
    house.work()
    return house.turn(match, 0).due_at


@HELD
def test_an_outage_while_a_clock_stands_is_given_back_once(house, hold):
    match = house.running(clock={"turn": "72h"})
    due = house.turn(match, 0).due_at
    house.wait(days=2)

    hold(house, match)
    house.wait(days=1)
    down(house, hours=24)
    house.wait(hours=23)
    goes_on(house, match)

    assert after_care(house, match) == due + timedelta(days=2, hours=23)


def test_an_outage_before_a_deadline_is_extended_is_given_back_too(house):
    match = house.running(clock={"turn": "72h"})
    due = house.turn(match, 0).due_at
    house.wait(hours=1)

    down(house, hours=24)
    remedies.extend(house.service, match.id, 0, by="24h", actor="host")

    assert after_care(house, match) == due + timedelta(days=2)


@HELD
def test_an_outage_before_a_clock_is_held_is_given_back_with_it(house, hold):
    match = house.running(clock={"turn": "72h"})
    due = house.turn(match, 0).due_at

    down(house, hours=24)
    hold(house, match)
    house.wait(days=2)
    goes_on(house, match)

    assert after_care(house, match) == due + timedelta(days=1 + 2)


@HELD
def test_an_outage_after_a_clock_was_held_is_given_back_too(house, hold):
    match = house.running(clock={"turn": "72h"})
    due = house.turn(match, 0).due_at

    hold(house, match)
    house.wait(days=2)
    goes_on(house, match)
    down(house, hours=24)

    assert after_care(house, match) == due + timedelta(days=2 + 1)


@HELD
def test_of_an_outage_in_which_a_clock_was_held_the_time_before_is_given_back_too(house, hold):
    match = house.running(clock={"turn": "72h"})
    due = house.turn(match, 0).due_at
    swept(house)

    house.clock.move(timedelta(hours=12))
    hold(house, match)
    house.clock.move(timedelta(hours=12))
    absence.notice_outage(house.service)
    house.wait(days=2)
    goes_on(house, match)

    assert after_care(house, match) == due + timedelta(days=1 + 2)


@HELD
def test_of_an_outage_in_which_a_clock_went_on_the_time_after_is_given_back_too(house, hold):
    match = house.running(clock={"turn": "72h"})
    due = house.turn(match, 0).due_at
    hold(house, match)
    house.wait(days=2)
    swept(house)

    house.clock.move(timedelta(hours=12))
    goes_on(house, match)
    house.clock.move(timedelta(hours=12))
    absence.notice_outage(house.service)

    assert after_care(house, match) == due + timedelta(days=2 + 1)


def test_a_pause_that_ends_in_an_outage_ends_with_it(house):
    match = house.running(clock={"turn": "72h"})
    due = house.turn(match, 0).due_at

    paused(house, match)
    house.wait(days=2)
    down(house, days=2)

    assert after_care(house, match) == due + timedelta(days=2 + 2)


def test_an_outage_before_a_decision_gives_the_decision_no_time(house):
    """The second outage: the first has been given back to the same turn before."""
    match = house.play_on(house.of_game("skirmish", clock={"turn": "72h"}), plies=4)
    (seat,) = house.waiting(match)
    turn = house.turn(match, seat)
    down(house, hours=24)
    house.wait(days=1)
    down(house, hours=6)

    house.play(match, seat, house.good_order(match, seat), "deployed")
    due = house.turn(match, seat).due_at
    house.wait(days=2)

    assert house.turn(match, seat).id == turn.id
    assert house.turn(match, seat).due_at == due


# --- giving up ---


def test_who_gives_the_seat_up_is_followed_by_a_bot_and_not_offered_it_back(house):
    match = house.running(**HOURS)
    link = house.link(match, Purpose.SEAT, 2)

    absence.resign(house.service, link)
    absence.resign(house.service, link)
    house.work()

    assert house.seat(match, 2).bot == "easy"
    assert house.seat(match, 2).resigned_at is not None
    assert [mail.seat for mail in house.mails("bot_took_over")] == [2]
    with pytest.raises(NotPossible, match="resigned from this seat"):
        absence.come_back(house.service, link)


def test_the_host_takes_a_seat_from_a_player_and_gives_it_to_another(house):
    match = house.running(**HOURS)

    remedies.resign(house.service, match.id, 2, actor="operator")
    remedies.replace(house.service, match.id, 2, "Frank", "frank@example.org", actor="operator")

    assert house.seat(match, 2).resigned_at is None
    assert [mail.seat for mail in house.mails("invitation")] == [2]
