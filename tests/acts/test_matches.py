"""A match is opened, joined and started."""

import hashlib
import json
import threading
from dataclasses import replace

import pytest

from engine.dice import fields
from engine.errors import OptionsError, UnknownGame
from pbem.acts import matches, starting
from pbem.acts.matches import Joining, NewMatch, NewSeat, Person
from pbem.errors import BadInput, NotPossible, TooMany
from pbem.store.names import Purpose
from tests.parts.cast import House, address, people


def ask(**changes) -> NewMatch:
    asked = {
        "game": "dog",
        "host": Person(name="Alice", email=address("alice")),
        "seats": people(4),
    }
    return NewMatch(**{**asked, **changes})


def join_all(house: House, match, phrases=("red", "green", "blue", "black")) -> None:
    for seat, phrase in enumerate(phrases):
        link = house.link(match, Purpose.JOIN, seat)
        matches.join(house.service, link, Joining(phrase=phrase))


def test_opening_a_match_owes_every_player_an_invitation_and_the_host_a_link(house):
    match = house.open(confirmed=False)

    assert match.status == "lobby"
    assert [mail.seat for mail in house.mails("invitation")] == [0, 1, 2, 3]
    assert [mail.seat for mail in house.mails("match_opened")] == [-1]


def test_the_secret_seed_is_committed_to_before_anybody_joins(house):
    match = house.open(confirmed=False)

    assert len(match.seed) == 32
    assert match.commitment == hashlib.sha256(fields(match.id, match.seed)).hexdigest()


def test_the_match_starts_when_the_last_player_has_joined(house):
    match = house.open(confirmed=False)

    join_all(house, match)

    started = house.match(match.id)
    assert started.status == "running"
    assert house.plies(match)[0].ply == 0
    founding = json.loads(house.plies(match)[0].move_json)
    assert founding["phrases"] == ["red", "green", "blue", "black"]
    assert founding["commitment"] == match.commitment


def test_joining_twice_changes_nothing(house):
    match = house.open(confirmed=False)
    link = house.link(match, Purpose.JOIN, 1)
    first = matches.join(house.service, link, Joining(phrase="green"))

    second = matches.join(house.service, link, Joining(phrase="something else"))

    assert (first.phrase, second.phrase) == ("green", "green")


def test_a_player_who_gives_no_phrase_gets_one_drawn(house):
    match = house.open(confirmed=False)

    seat = matches.join(house.service, house.link(match, Purpose.JOIN, 2), Joining())

    assert len((seat.phrase or "").split()) == 5


def test_a_player_sets_name_zone_and_language_on_joining(house):
    match = house.open(confirmed=False)
    joining = Joining(name="Robert", zone="Europe/Madrid", language="es")

    matches.join(house.service, house.link(match, Purpose.JOIN, 1), joining)

    seat = house.seat(match, 1)
    assert (seat.name, seat.zone, seat.language) == ("Robert", "Europe/Madrid", "es")


def test_confirmed_seats_skip_the_invitations_where_that_is_allowed(house):
    match = house.open(confirmed=True)

    assert house.match(match.id).status == "running"
    assert not house.mails("invitation")


def test_a_service_that_sends_mail_does_not_confirm_for_others(house):
    settings = house.service.settings.model_copy(update={"allow_confirmed_seats": False})
    object.__setattr__(house.service, "settings", settings)

    with pytest.raises(NotPossible, match="sends invitations"):
        house.open(confirmed=True)
    assert not house.mails()


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"game": "chess"}, UnknownGame, "no game called chess. There are: dog"),
        ({"options": {"colour": 1}}, OptionsError, "no option called colour"),
        ({"seats": [NewSeat(bot="easy")] * 7}, OptionsError, "not 7"),
        ({"seats": [NewSeat(bot="hal")] * 4}, BadInput, "no bot called hal"),
        ({"seats": [NewSeat()] * 4}, BadInput, "needs an e-mail address or a bot"),
        (
            {"seats": [NewSeat(name="A", email="a@b.org")] * 4},
            BadInput,
            "same e-mail address",
        ),
        ({"host": Person(name="x" * 1_000_000, email="a@b.org")}, BadInput, "at most 60"),
        ({"clock": {"turn": "soon"}}, BadInput, "length of time"),
        ({"zone": "Moon"}, BadInput, "not a time zone"),
        ({"language": "tlh"}, BadInput, "not a language"),
    ],
)
def test_a_match_that_cannot_be_is_refused_and_nothing_is_written(house, change, error, sentence):
    with pytest.raises(error, match=sentence):
        matches.create(house.service, ask(**change))

    assert not house.mails()


def test_a_host_has_at_most_so_many_open_matches(house):
    limits = house.service.settings.limits.model_copy(update={"open_matches_per_host": 2})
    settings = house.service.settings.model_copy(update={"limits": limits})
    object.__setattr__(house.service, "settings", settings)
    house.open()
    house.open()

    with pytest.raises(TooMany, match="2 open matches"):
        house.open()


def test_two_matches_that_are_opened_at_once_both_count(any_house):
    limits = any_house.service.settings.limits.model_copy(update={"open_matches_per_host": 1})
    settings = any_house.service.settings.model_copy(update={"limits": limits})
    any_house.service = replace(any_house.service, settings=settings)
    refused = []

    def open_another():
        with pytest.raises(TooMany) as error:
            any_house.open()
        refused.append(error)

    other = threading.Thread(target=open_another)

    def meanwhile(session, match):
        other.start()
        other.join(1)

    matches.create(any_house.service, ask(confirmed=True), also=meanwhile)
    other.join()

    assert refused


def test_a_match_of_bots_alone_plays_itself_to_the_end(house):
    match = house.open(bots=4, host=Person(name="Alice", email=address("alice")))

    house.work()

    assert house.match(match.id).status == "finished"
    assert [mail.seat for mail in house.mails("match_over")] == [-1]


def test_a_match_whose_last_player_was_cut_off_is_started_by_a_worker(house, monkeypatch):
    """The process ended between joining and starting: nobody asks again."""
    match = house.open(confirmed=False)
    monkeypatch.setattr(starting, "start_when_full", lambda *_: False)
    for seat in range(4):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    monkeypatch.undo()

    house.work()

    assert house.match(match.id).status == "running"
    assert house.waiting(match) == [0, 1, 2, 3]
