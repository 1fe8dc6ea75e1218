"""A name stands for one seat of a table, whoever comes by which door."""

import threading

import pytest

from pbem.acts import matches, open_seats, remedies
from pbem.acts.matches import NewSeat, named_apart
from pbem.acts.open_seats import Taking
from pbem.acts.remedy import RemedyRequest
from pbem.errors import BadInput
from pbem.looks import match_look
from pbem.people import privacy
from pbem.record import verify
from pbem.store.canonical import canonical
from pbem.store.models import Seat
from pbem.store.names import Actor, Purpose
from tests.parts import remedies as by_hand
from tests.parts.cast import address, people

#: The same name to whoever reads it.
SAME = ["Bob", "BOB", " bob ", "Ｂｏｂ", "Bo\u200db"]


def names(house, match):
    return [seat.name for seat in house.table(match).seats]


def rename(house, match, number, name):
    """A name of before there was a rule."""
    with house.service.database.write("test") as session:
        session.get_one(Seat, house.seat(match, number).id).name = name


@pytest.mark.parametrize("name", SAME)
def test_a_match_with_two_equal_names_is_not_opened(house, name):
    with pytest.raises(BadInput, match="Two seats have the same name") as refused:
        house.open(seats=[*people(3), NewSeat(name=name, email=address("dave"))])

    assert refused.value.field == "seats"


@pytest.mark.parametrize("name", SAME)
def test_nobody_takes_an_open_seat_under_a_name_of_the_table(house, name):
    match = house.open(seats=[*people(3), NewSeat(open=True)])

    with pytest.raises(BadInput, match="called Bob already") as refused:
        open_seats.take(house.service, match.id, Taking(name, address("erin")))

    assert refused.value.field == "name"
    assert house.seat(match, 3).is_open


def test_of_two_who_come_with_one_name_at_once_one_has_to_choose_another(any_house):
    match = any_house.open(seats=[*people(2), *[NewSeat(open=True)] * 2])
    told = []

    def take(name, seat):
        try:
            open_seats.take(any_house.service, match.id, Taking("Max", address(name), seat))
        except BadInput as error:
            told.append(error.field)

    wanted = (("Erin", 2), ("Frank", 3))
    threads = [threading.Thread(target=take, args=one) for one in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert told == ["name"]
    assert sorted(names(any_house, match)[2:]) == ["", "Max"]


def test_who_joins_takes_no_name_of_the_table_and_keeps_their_own(house):
    match = house.open(confirmed=False)
    link = house.link(match, Purpose.JOIN, 0)

    with pytest.raises(BadInput, match="called Bob already"):
        matches.join(house.service, link, matches.Joining(name="bob"))
    matches.join(house.service, link, matches.Joining(name="ALICE"))

    assert names(house, match) == ["ALICE", "Bob", "Carol", "Dave"]


def test_a_substitute_has_another_name_than_those_who_stay(house):
    match = house.open(confirmed=False)

    with pytest.raises(BadInput, match="called Carol already"):
        by_hand.replace(house.service, match.id, 1, "carol", address("frank"), actor="host")
    by_hand.replace(house.service, match.id, 1, "bob", address("frank"), actor="host")

    assert names(house, match) == ["Alice", "bob", "Carol", "Dave"]


def test_an_owner_is_not_asked_about_a_substitute_with_a_name_of_the_table(house):
    match = house.running()
    asked = RemedyRequest("replace", 1, name="Carol", email=address("frank"))

    with pytest.raises(BadInput, match="called Carol already"):
        remedies.carry_out(house.service, match.id, asked, Actor.HOST)

    assert not house.mails("permission_asked")


def test_a_bot_is_called_as_nobody_else_is(house):
    bot = NewSeat(bot="easy")
    match = house.open(
        seats=[NewSeat(name="bot 2", email=address("bob")), bot, bot, NewSeat(open=True)]
    )

    by_hand.put_bot(house.service, match.id, 3, actor="host")

    assert names(house, match) == ["bot 2", "Bot 3", "Bot 4", "Bot 5"]


def test_a_bot_has_no_name_of_a_person(house):
    with pytest.raises(BadInput, match="Two seats have the same name"):
        house.open(seats=[*people(3), NewSeat(name="Bob", bot="easy")])


def test_who_is_forgotten_is_called_as_nobody_else_is(house):
    seats = [*people(3), NewSeat(name="Former player 2", email=address("dave"))]
    match = house.running(seats=seats)

    privacy.forget(house.service, address("bob"), Actor.PLAYER)

    assert names(house, match) == ["Alice", "Former player 2 2", "Carol", "Former player 2"]


def test_a_match_of_before_the_rule_goes_on_and_its_record_verifies(house):
    match = house.open(confirmed=False)
    rename(house, match, 2, "Bob")
    for number in range(4):
        joining = matches.Joining(name=house.seat(match, number).name)
        matches.join(house.service, house.link(match, Purpose.JOIN, number), joining)
    house.work()
    house.play_on(match, plies=8)

    by_hand.abort(house.service, match.id, actor="host")

    record = match_look.record(house.service, match.id)
    assert verify.verify(canonical(record)).wrong == ()
    assert names(house, match) == ["Alice", "Bob", "Bob", "Dave"]


def test_in_a_rematch_the_second_of_two_equal_names_has_a_number(house):
    match = house.running()
    by_hand.abort(house.service, match.id, actor="host")
    rename(house, match, 2, "Bob")

    again = matches.rematch(house.service, match.id, actor=Actor.HOST)

    assert names(house, again) == ["Alice", "Bob", "Bob 2", "Dave"]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["Ben", "ben", "BEN"], ["Ben", "ben 2", "BEN 3"]),
        (["Ben", "Ben", "Ben 2"], ["Ben", "Ben 3", "Ben 2"]),
        ([None, "Ben", None], [None, "Ben", None]),
        (["x" * 60, "x" * 60], ["x" * 60, "x" * 58 + " 2"]),
        # a sign that is compared as 18, of which 120 count
        (["\ufdfa" * 10, "\ufdfa" * 10], ["\ufdfa" * 10, "\ufdfa" * 6 + " 2"]),
    ],
)
def test_equal_names_are_numbered_in_their_order(given, found):
    seats = [NewSeat(name=name) for name in given]

    assert [seat.name for seat in named_apart(seats)] == found
