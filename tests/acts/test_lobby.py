"""Matches that wait for their players, and matches that are opened again."""

import io

import pytest

from pbem.acts import lobby, matches, outbox, standing_orders
from pbem.acts.matches import Joining
from pbem.errors import NotPossible
from pbem.looks import stalled
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import SHORT, address, people
from tests.parts.logged import logged, told


def test_who_has_not_joined_is_reminded_three_times(house):
    match = house.open(confirmed=False)
    matches.join(house.service, house.link(match, Purpose.JOIN, 0), Joining())

    counts = []
    for _ in range(13):
        house.wait(days=1)
        counts.append(len(house.mails("invitation")))

    assert counts == [7, 7, 10, 10, 10, 10, 13, 13, 13, 13, 13, 13, 13]
    assert [mail.seat for mail in house.mails("invitation")].count(0) == 1


def test_whoever_is_invited_late_is_reminded_a_day_later(house):
    new = matches.NewMatch(
        game="dog", host=matches.Person("Alice", address("alice")), seats=people(4)
    )
    match = matches.create(house.service, new, proved=False)
    house.wait(hours=71)
    matches.send_invitations(house.service, match.id)

    counts = []
    for _ in range(13):
        house.wait(hours=2)
        counts.append(len(house.mails("invitation")))

    assert counts == [4] * 11 + [8] * 2


def test_a_reminder_of_one_substitute_counts_none_of_another(house):
    match = house.running()
    remedies.replace(house.service, match.id, 1, "Erin", address("erin"), actor="operator")
    house.wait(hours=2)
    remedies.replace(house.service, match.id, 2, "Frank", address("frank"), actor="operator")

    with logged(io.StringIO()) as written:
        for _ in range(4 * 24):
            house.wait(hours=1)

    reminders = [mail.seat for mail in house.mails("invitation")][2:]
    counted = [line["seat"] for line in told(written) if line["event"] == "reminded"]
    assert sorted(reminders) == [1, 1, 2, 2]
    assert sorted(seat for seat in counted if seat in (1, 2)) == [1, 1, 2, 2]


def test_a_reminder_of_one_substitute_is_not_put_off_by_another(house):
    match = house.running()
    remedies.replace(house.service, match.id, 1, "Erin", address("erin"), actor="operator")
    house.wait(hours=23)
    remedies.replace(house.service, match.id, 2, "Frank", address("frank"), actor="operator")

    house.wait(hours=1)

    assert [mail.seat for mail in house.mails("invitation")] == [1, 2, 1]


def test_a_match_that_never_fills_is_closed_after_two_weeks(house):
    match = house.open(confirmed=False)

    house.wait(days=14, seconds=1)

    assert house.match(match.id).status == "aborted"
    assert [mail.seat for mail in house.mails("match_aborted")] == [0, 1, 2, 3]


def test_a_lobby_that_was_not_swept_for_days_sends_one_reminder_for_all(house):
    house.open(confirmed=False)

    house.wait(days=5)

    assert len(house.mails("invitation")) == 8


def test_who_declines_is_told_to_the_host_and_not_reminded(house):
    match = house.open(confirmed=False)

    lobby.decline(house.service, house.link(match, Purpose.JOIN, 3))
    house.wait(days=1)

    assert [mail.seat for mail in house.mails("stalled")] == [-1]
    assert [mail.seat for mail in house.mails("invitation")].count(3) == 1
    assert ("declined", 3) in [
        (stall.reason, stall.seat) for stall in stalled.find(house.service, [match.id])
    ]


def test_who_declined_may_still_join(house):
    match = house.open(confirmed=False)
    link = house.link(match, Purpose.JOIN, 3)
    lobby.decline(house.service, link)

    matches.join(house.service, link, Joining())

    assert house.seat(match, 3).resigned_at is None
    assert house.seat(match, 3).joined_at is not None


def test_nobody_leaves_the_lobby_of_a_match_that_runs(house):
    match = house.open(confirmed=False)
    link = house.link(match, Purpose.JOIN, 0)
    for seat in range(4):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())

    with pytest.raises(NotPossible, match="has begun"):
        lobby.decline(house.service, link)


def test_a_rematch_invites_the_same_people_to_the_same_match_once(house):
    match = house.open(bots=2, clock={"turn": "48h", "weekends": True}, options=SHORT)
    house.work()
    with pytest.raises(NotPossible, match="not over"):
        matches.rematch(house.service, match.id, actor="host")
    match = house.play_on(match)

    again = matches.rematch(house.service, match.id, actor="host")
    twice = matches.rematch(house.service, match.id, actor="host")

    assert again.id == twice.id != match.id
    assert again.clock_json == match.clock_json
    assert [seat.name for seat in house.table(again).seats] == [
        seat.name for seat in house.table(match).seats
    ]
    assert again.status == "lobby"


# --- who is invited to take over a seat ---


def stand_in(house):
    """A running match in which Frank is invited to Bob's seat, which it waits for."""
    match = house.running(clock={"turn": "72h"})
    remedies.replace(house.service, match.id, 1, "Frank", "frank@example.org", actor="operator")
    house.work()
    return match


def test_a_stand_in_is_reminded_and_after_a_week_a_bot_plays_until_they_join(house):
    match = stand_in(house)

    counts = []
    for _ in range(8):
        house.wait(days=1)
        counts.append([mail.seat for mail in house.mails("invitation")].count(1))
    held = house.seat(match, 1).bot
    matches.join(house.service, house.link(match, Purpose.JOIN, 1), Joining())
    house.work()

    assert counts == [2, 2, 3, 3, 3, 3, 4, 4]
    assert held == "easy"
    assert house.seat(match, 1).bot is None
    assert not [stall for stall in stalled.find(house.service, [match.id]) if stall.seat == 1]


def test_a_match_does_not_wait_for_a_stand_in_and_a_host_who_are_both_gone(house):
    match = stand_in(house)

    for _ in range(60):
        house.wait(days=1)

    assert house.match(match.id).ply > 20


def test_a_match_does_not_wait_for_a_host_who_is_gone_when_a_stand_in_said_no(house):
    match = stand_in(house)
    lobby.decline(house.service, house.link(match, Purpose.JOIN, 1))

    for _ in range(60):
        house.wait(days=1)

    assert house.match(match.id).ply > 20
    assert [outbox.data(mail)["how"] for mail in house.mails("bot_seated")][:1] == ["declined"]
    assert [mail.seat for mail in house.mails("invitation")].count(1) == 1


def test_a_stand_in_says_no_and_the_host_knows(house):
    match = stand_in(house)
    phrase = house.seat(match, 1).phrase

    lobby.decline(house.service, house.link(match, Purpose.JOIN, 1))

    assert [one.reason for one in stalled.find(house.service, [match.id])] == ["declined"]
    assert [mail.seat for mail in house.mails("stalled")] == [-1]
    assert house.seat(match, 1).phrase == phrase


def test_since_when_a_stand_in_is_waited_for_is_since_they_were_invited(house):
    match = house.running(clock={"turn": "72h"})
    house.wait(days=1)
    remedies.replace(house.service, match.id, 1, "Frank", "frank@example.org", actor="operator")

    (stall,) = stalled.find(house.service, [match.id])

    assert (stall.reason, stall.since) == ("absent", house.clock.now())


def test_a_stand_in_is_not_left_the_orders_of_whoever_had_the_seat(house):
    match = house.running(clock={"turn": "72h"})
    standing_orders.leave(house.service, house.link(match, Purpose.SEAT, 1), ["K out"])

    remedies.replace(house.service, match.id, 1, "Frank", "frank@example.org", actor="operator")

    assert house.table(match).standing == ()
