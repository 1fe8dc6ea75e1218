"""Reasons to stall that come together: shown with a remedy, or the match goes on by itself."""

from datetime import timedelta

import pytest

from pbem import present
from pbem.acts import absence, advance, deliverability, going_back, lobby, matches, vacations
from pbem.acts.matches import Joining
from pbem.acts.remedies import carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.looks import match_look, stalled
from pbem.store.models import Match
from pbem.store.names import Purpose, StallReason
from pbem.words.i18n import translator
from tests.acts.stalls import CLOCK, stall
from tests.parts import questions, remedies
from tests.parts.cast import House


def reasons(house: House, match: Match) -> set[str]:
    return {stall.reason for stall in stalled.find(house.service, [match.id])}


def days_pass(house: House, number: int) -> None:
    for _ in range(number):
        house.wait(days=1)


def over(house: House, match: Match) -> bool:
    return house.match(match.id).ended_at is not None


def test_paused_refused_away_and_without_a_host_it_goes_on_by_itself(house: House):
    """Alice hosts and plays; her own address is refused, too, and nobody does anything."""
    match = house.running(clock={**CLOCK, "vacation_days": 5})
    today = house.clock.now().date()
    vacations.announce(house.service, house.link(match, Purpose.SEAT, 2), today, today)
    for seat in (0, 1):
        email = house.seat(match, seat).email or ""
        deliverability.mail_refused(house.service, match.id, seat, email, "550 no such user")
    remedies.pause(house.service, match.id, "3d", actor="host")
    at_once = reasons(house, match)

    days_pass(house, 120)

    assert at_once == {"mail", "paused"}
    assert over(house, match)


def test_one_player_among_bots_whose_mail_is_refused_ends_with_a_bot(house: House):
    match = house.running(clock=CLOCK, bots=3)
    deliverability.mail_refused(house.service, match.id, 0, "alice@example.org", "550 no such user")
    shown = reasons(house, match)

    days_pass(house, 30)

    assert shown == {"mail"}
    assert over(house, match)


def test_a_match_set_aside_while_paused_goes_on_after_a_retry(house: House, monkeypatch):
    match = house.play_on(house.running(clock=CLOCK), plies=6)
    (mover,) = house.waiting(match)
    remedies.pause(house.service, match.id, "2d", actor="host")
    house.play(match, mover, house.good_order(match, mover))
    with monkeypatch.context() as broken:
        broken.setattr(advance, "_carry_on", lambda table: 1 / 0)
        for _ in range(6):
            house.wait(minutes=5)
    days_pass(house, 3)
    shown = reasons(house, match)

    carry_out(house.service, match.id, RemedyRequest("retry"), "host")
    house.work()

    assert {"set_aside", "paused"} <= shown
    assert reasons(house, match) == set()
    assert house.play_on(match, plies=12).ply >= 12


def test_a_lobby_whose_invitation_came_back_is_shown_and_closed(house: House):
    match = house.open(confirmed=False, clock=CLOCK)
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550 no such user")
    matches.join(house.service, house.link(match, Purpose.JOIN, 0), Joining())
    lobby.decline(house.service, house.link(match, Purpose.JOIN, 2))
    days_pass(house, 3)
    shown = reasons(house, match)

    days_pass(house, 12)

    assert shown == {"lobby", "mail", "declined"}
    assert house.match(match.id).status == "aborted"
    assert reasons(house, match) == set()


def test_a_question_that_nobody_answers_holds_up_nothing(house: House):
    match = house.play_on(house.running(clock=CLOCK), plies=6)
    (mover,) = house.waiting(match)
    house.play(match, mover, house.good_order(match, mover))
    house.work()
    before = house.match(match.id).ply
    going_back.propose(house.service, house.link(match, Purpose.SEAT, mover))

    days_pass(house, 10)

    assert house.match(match.id).ply > before


def test_set_back_to_where_all_decide_at_once_all_are_asked_and_the_refused_are_held(house: House):
    match = house.play_on(house.running(clock=CLOCK), plies=6)
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550 no such user")
    remedies.pause(house.service, match.id, "2d", actor="host")

    going_back.roll_back(house.service, match.id, 0, actor="operator")
    house.work()
    held = {seat: house.turn(match, seat).held_why for seat in house.waiting(match)}
    days_pass(house, 60)

    assert held == {0: "pause", 1: "mail", 2: "pause", 3: "pause"}
    assert house.match(match.id).ply > 10


def test_a_clock_that_stands_shows_no_deadline_at_the_table(house: House):
    match = house.running(clock=CLOCK)
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550 no such user")
    remedies.pause(house.service, match.id, "2d", actor="host")

    look = match_look.table(house.service, match.id)
    seats = present.table(look, translator("en"), zone="UTC", base_url="").seats

    assert all(seat.waiting and seat.due is None for seat in seats)
    assert seats[0].notes == ("the match is paused, so the clock is stopped",)
    assert seats[1].notes == ("mail does not arrive, so the clock is stopped",)


def test_that_a_clock_is_stopped_is_said_of_a_clock_that_is(house: House):
    """A seat whose mail is refused, and for which a bot plays, or whose match is over."""

    def note(match: Match) -> tuple[str, ...]:
        look = match_look.table(house.service, match.id)
        return present.table(look, translator("en"), zone="UTC", base_url="").seats[1].notes

    def refused(match: Match) -> Match:
        email = house.table(match).seats[1].email
        deliverability.mail_refused(house.service, match.id, 1, email, "550 no such user")
        return match

    given_up = house.running(clock=CLOCK)
    absence.resign(house.service, house.link(given_up, Purpose.SEAT, 1))
    house.work()
    ended = refused(house.running(clock=CLOCK))
    remedies.abort(house.service, ended.id, actor="host")

    assert note(refused(given_up)) == ("a bot plays for now", "mail does not arrive")
    assert note(ended) == ()


@pytest.mark.parametrize("reason", StallReason)
def test_whatever_stalls_is_told_to_the_host_of_one_match(house: House, reason, monkeypatch):
    match = stall(house, reason, monkeypatch).match
    # what others may know of a deadline is over later
    house.clock.move(timedelta(days=1))

    told = stalled.of_match(house.service, match.id, public=True)

    assert told == stalled.find(house.service, [match.id], public=True)
    assert told


def test_a_match_in_which_nothing_stalls_is_asked_once(house: House):
    match = house.running()

    with questions.counted() as asked:
        told = stalled.of_match(house.service, match.id, public=True)

    assert told == []
    assert len([one for one in asked if "SELECT" in one]) == 1
