"""Seats that a host leaves open: who takes them, who leaves, and two who want the last one."""

import threading
from dataclasses import replace

import pytest

from pbem.acts import lobby, matches, open_seats
from pbem.acts.matches import NewSeat
from pbem.acts.open_seats import Taking
from pbem.errors import BadInput, NotPossible, TooMany
from pbem.store.names import MatchStatus, Purpose
from tests.parts import remedies
from tests.parts.cast import address, people


def table(house, sitting=2, free=2, **asked):
    return house.open(seats=[*people(sitting), *[NewSeat(open=True)] * free], **asked)


def taking(name, **asked):
    return Taking(name=name, email=address(name), **asked)


def test_a_match_with_an_open_seat_waits_until_it_is_taken(house):
    match = table(house, sitting=3, free=1)
    house.work()
    waited = house.match(match.id).status

    seat = open_seats.take(house.service, match.id, taking("Erin", phrase="five green apples"))

    assert waited == MatchStatus.LOBBY
    assert (seat.number, seat.name, seat.phrase) == (3, "Erin", "five green apples")
    assert house.match(match.id).status == MatchStatus.RUNNING


def test_who_takes_a_seat_is_mailed_its_link(house):
    match = table(house)

    open_seats.take(house.service, match.id, taking("Erin", seat=3))

    assert [mail.seat for mail in house.mails("seat_link")] == [3]
    assert house.link(match, Purpose.SEAT, 3)


def test_nobody_takes_a_seat_that_somebody_has(house):
    match = table(house)
    open_seats.take(house.service, match.id, taking("Erin", seat=2))

    with pytest.raises(NotPossible, match="Somebody else has taken this seat"):
        open_seats.take(house.service, match.id, taking("Frank", seat=2))

    assert house.seat(match, 2).name == "Erin"
    assert house.seat(match, 3).is_open


def test_who_names_a_seat_that_is_not_at_the_table_reads_so(house):
    match = table(house)

    with pytest.raises(BadInput, match="There is no such seat"):
        open_seats.take(house.service, match.id, taking("Erin", seat=9))


def test_who_names_a_seat_that_never_was_open_reads_that_somebody_has_it(house):
    match = table(house)

    with pytest.raises(NotPossible, match="Somebody else has taken this seat"):
        open_seats.take(house.service, match.id, taking("Erin", seat=0))


def test_who_comes_too_late_for_the_last_seat_reads_that_somebody_has_it(house):
    match = table(house)
    for name, seat in (("Erin", 2), ("Frank", 3)):
        open_seats.take(house.service, match.id, taking(name, seat=seat))

    with pytest.raises(NotPossible, match="Somebody else has taken this seat"):
        open_seats.take(house.service, match.id, taking("Carol", seat=3))


def test_an_address_has_one_seat_at_a_table(house):
    match = table(house)
    open_seats.take(house.service, match.id, taking("Erin"))

    with pytest.raises(NotPossible, match="seat at this table already"):
        open_seats.take(house.service, match.id, Taking(name="E", email="ERIN@example.org"))


def test_nobody_takes_a_seat_of_a_table_whose_host_is_not_proved(house):
    new = matches.NewMatch(
        game="dog",
        host=matches.Person("Alice", address("alice")),
        seats=[NewSeat(open=True)] * 4,
    )
    match = matches.create(house.service, new, proved=False)

    with pytest.raises(NotPossible):
        open_seats.take(house.service, match.id, taking("Erin"))
    matches.send_invitations(house.service, match.id)

    assert open_seats.take(house.service, match.id, taking("Erin")).name == "Erin"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("erin@example.org", "erin@example.org"),
        ("Erin@example.org", "erin@example.org"),
        ("erin@example.org", "ERIN@example.org"),
    ],
)
def test_an_address_takes_a_few_seats_at_once_however_it_is_written(house, before, now):
    limits = house.service.settings.limits.model_copy(update={"open_seats_per_address": 1})
    settings = house.service.settings.model_copy(update={"limits": limits})
    house.service = replace(house.service, settings=settings)
    one, other = table(house), table(house)
    open_seats.take(house.service, one.id, Taking(name="Erin", email=before))

    with pytest.raises(TooMany):
        open_seats.take(house.service, other.id, Taking(name="Erin", email=now))

    assert house.seat(other, 2).is_open


def test_two_seats_that_one_address_takes_at_once_both_count(any_house):
    limits = any_house.service.settings.limits.model_copy(update={"open_seats_per_address": 1})
    settings = any_house.service.settings.model_copy(update={"limits": limits})
    any_house.service = replace(any_house.service, settings=settings)
    one, other = table(any_house), table(any_house)
    refused = []

    def take_another():
        with pytest.raises(TooMany) as error:
            open_seats.take(any_house.service, other.id, taking("Erin"))
        refused.append(error)

    second = threading.Thread(target=take_another)

    def meanwhile(session):
        second.start()
        second.join(1)

    open_seats.take(any_house.service, one.id, taking("Erin"), also=meanwhile)
    second.join()

    assert refused


def test_an_open_seat_has_no_name_beforehand(house):
    with pytest.raises(BadInput):
        house.open(seats=[*people(3), NewSeat(open=True, name="Erin")])


def test_who_leaves_before_the_start_leaves_nothing_behind(house):
    match = table(house)
    open_seats.take(house.service, match.id, taking("Erin", language="es"))
    matches.set_preferences(house.service, house.link(match, Purpose.SEAT, 2), "", "", False)
    before = house.seat(match, 2)

    lobby.decline(house.service, house.link(match, Purpose.SEAT, 2))

    seat = house.seat(match, 2)
    assert seat.is_open
    assert (seat.name, seat.phrase, seat.language) == ("", None, match.language)
    assert (before.reminders, seat.reminders) == (False, True)
    assert seat.epoch == before.epoch + 1
    assert not house.mails("stalled")
    assert open_seats.take(house.service, match.id, taking("Frank")).number == 2


def test_a_table_that_does_not_fill_ends_and_tells_those_who_sit_there(house):
    match = table(house, sitting=1, free=3)
    open_seats.take(house.service, match.id, taking("Erin"))

    house.wait(days=14, seconds=1)

    assert house.match(match.id).status == MatchStatus.ABORTED
    assert [mail.seat for mail in house.mails("match_aborted")] == [0, 1]


def test_nobody_is_reminded_of_an_open_seat(house):
    table(house)

    house.wait(days=8)

    assert not house.mails("invitation")


def test_a_bot_takes_an_open_seat_when_the_host_wants_so(house):
    match = table(house, sitting=3, free=1)

    remedies.put_bot(house.service, match.id, 3, actor="host")

    seat = house.seat(match, 3)
    assert (seat.name, seat.bot, seat.left_open) == ("Bot 4", "easy", False)
    assert house.match(match.id).status == MatchStatus.RUNNING
    assert not house.mails("bot_took_over")


def test_the_host_invites_somebody_to_an_open_seat(house):
    match = table(house, sitting=3, free=1)

    remedies.replace(house.service, match.id, 3, "Frank", address("frank"), actor="host")

    assert [mail.seat for mail in house.mails("invitation")] == [3]
    assert not house.seat(match, 3).left_open


def test_of_two_who_want_the_last_seat_one_gets_it(any_house):
    match = table(any_house, sitting=3, free=1)
    told = []

    def take(name):
        try:
            open_seats.take(any_house.service, match.id, taking(name))
        except NotPossible as error:
            told.append(str(error))

    threads = [threading.Thread(target=take, args=(name,)) for name in ("Erin", "Frank")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(told) == 1
    assert any_house.seat(match, 3).name in ("Erin", "Frank")
    assert any_house.match(match.id).status == MatchStatus.RUNNING
