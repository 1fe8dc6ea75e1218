"""What is said at a table, through its doors: pages, forms and programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.acts.matches import Joining, Person, join
from pbem.people import privacy, talk
from pbem.store import links
from pbem.store.models import Match, Message, TalkMute, TalkNote
from pbem.store.names import Actor, Onlookers, Purpose
from tests.parts import remedies
from tests.parts.cast import address, by
from tests.web.house import WebHouse, found, hidden, matches_of, secret

JSON = {"Accept": "application/json"}


@pytest.fixture
def match(web: WebHouse) -> Match:
    """A match of Dogs of War: its rules let people talk."""
    return web.of_game("dogs-of-war", host=Person(name="Gina", email=address("gina")))


def talk_of(client: FlaskClient, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(path, headers=JSON).get_json()["talk"]
    return found


def test_a_program_says_something_and_reads_it_where_it_may(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    turn = web.turn_path(match, web.waiting(match)[0])
    mover = web.waiting(match)[0]
    other = next(seat for seat in range(3) if seat != mover)

    said = client.post(f"{turn}/say", json={"to": "table", "text": "Hello all"})
    alone = client.post(f"{turn}/say", json={"to": other, "text": "Psst"})

    assert said.get_json() == {
        "seat": mover,
        "to": "table",
        "ply": web.match(match.id).counted,
        "text": "Hello all",
        "at": web.clock.now().isoformat(),
    }
    assert (alone.status_code, alone.get_json()["to"]) == (200, other)
    assert talk_of(client, f"/m/{match.id}") == [said.get_json()]
    for seat in range(3):
        texts = [one["text"] for one in talk_of(client, web.path(match, Purpose.SEAT, seat))]
        assert texts == ["Hello all", *(["Psst"] if seat in (mover, other) else [])]
    assert [one["text"] for one in talk_of(client, turn)] == ["Hello all", "Psst"]


def test_the_match_for_programs_is_what_the_interface_says_and_its_talk(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    told = client.get(f"/api/matches/{match.id}").get_json()

    assert client.get(f"/m/{match.id}", headers=JSON).get_json() == {
        **told,
        "talk": [],
        "series": None,
    }


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"text": "a\x00b"}, 422),
        ({"text": "x" * 1001}, 422),
        ({"text": ""}, 422),
        ({"text": "Hello", "to": 99}, 422),
        ({"text": "Hello", "to": "everybody"}, 422),
        ({"text": "Hello", "from": 1}, 422),
    ],
)
def test_what_is_no_message_is_refused(
    web: WebHouse, client: FlaskClient, match: Match, given: dict[str, Any], status: int
) -> None:
    turn = web.turn_path(match, web.waiting(match)[0])

    answer = client.post(f"{turn}/say", json=given)

    assert (answer.status_code, "error" in answer.get_json()) == (status, True)
    assert talk_of(client, f"/m/{match.id}") == []


def test_a_key_makes_two_requests_one_message(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    turn = web.turn_path(match, web.waiting(match)[0])

    for _ in range(2):
        client.post(f"{turn}/say", json={"text": "Hello", "key": "mine"})

    assert len(talk_of(client, f"/m/{match.id}")) == 1


def test_words_with_a_move_are_said_once_when_it_is_taken(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    seat = web.waiting(match)[0]
    turn = web.turn_path(match, seat)
    form = {"order": web.good_order(match, seat), "say": "Take <this>!", "say_to": "table"}
    preview = client.post(f"{turn}/preview", data=form)
    assert "Take &lt;this&gt;!" in preview.text
    assert talk_of(client, f"/m/{match.id}") == []
    confirm = hidden(preview) | {"say": "Take <this>!"}

    # the third time it is another page of the same turn, and that is over
    pages = [client.post(f"{turn}/confirm", data=confirm) for _ in range(2)]
    late = client.post(f"{turn}/confirm", data={**confirm, "submission": "another"})

    assert [page.status_code for page in (*pages, late)] == [200, 200, 409]
    assert all("Said: Take &lt;this&gt;!" in page.text for page in pages)
    assert [one["text"] for one in talk_of(client, f"/m/{match.id}")] == ["Take <this>!"]


def test_words_that_cannot_be_said_are_refused_before_the_move_is_made(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    seat, ply = web.waiting(match)[0], web.match(match.id).ply
    form = {"order": web.good_order(match, seat), "say": "x" * 1001, "say_to": "table"}

    page = client.post(f"{web.turn_path(match, seat)}/preview", data=form)

    assert page.status_code == 422
    assert "at most 1000 characters" in page.text
    assert web.match(match.id).ply == ply


def test_a_move_is_made_even_if_its_words_cannot_be_said(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    seat, ply = web.waiting(match)[0], web.match(match.id).ply
    turn = web.turn_path(match, seat)
    preview = client.post(
        f"{turn}/preview", data={"order": web.good_order(match, seat), "say": "Hello"}
    )
    talk.allow(web.service, match.id, False, actor=Actor.HOST)

    page = client.post(f"{turn}/confirm", data=hidden(preview))

    assert web.match(match.id).ply > ply
    assert "There is no talk in this match." in page.text


def test_words_for_somebody_do_not_reach_whoever_has_the_seat_since(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    page = web.path(match, Purpose.SEAT, 0)
    (whom,) = re.findall(r'<option value="([^"]+)" *>Carol alone', client.get(page).text)
    form = {"do": "say", "say": "Psst", "say_to": whom, "say_key": "k"}

    said = client.post(page, data=form)
    remedies.replace(web.service, match.id, 2, "Frank", "frank@example.org", actor="operator")
    join(web.service, web.link(match, Purpose.JOIN, 2), Joining())
    late = client.post(page, data={**form, "say": "Psst again"})

    assert said.status_code == 200
    assert late.status_code == 409
    assert "The table has moved on since you looked." in late.text
    with web.service.database.read() as session:
        assert [one.text for one in session.exec(select(Message))] == ["Psst"]


def test_something_is_said_alone_and_what_was_chosen_is_kept(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    seat, ply = web.waiting(match)[0], web.match(match.id).ply
    turn = web.turn_path(match, seat)
    form = {"order": "half an order", "say": "One moment", "say_to": "table", "say_key": "k"}

    pages = [client.post(f"{turn}/say", data=form) for _ in range(2)]

    assert all("Said: One moment" in page.text for page in pages)
    assert 'value="half an order"' in pages[0].text
    assert web.match(match.id).ply == ply
    assert len(talk_of(client, f"/m/{match.id}")) == 1


def test_who_has_moved_says_something_by_the_closed_turn(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    seat = web.waiting(match)[0]
    turn = web.turn_path(match, seat)
    other = next(one for one in range(3) if one != seat)
    talk.say(web.service, by(web.service, match.id, other), seat, "A secret", "1")
    web.play(match, seat, web.good_order(match, seat))
    web.work()

    page = client.post(f"{turn}/say", data={"say": "That was it", "say_to": "table"})

    assert page.status_code == 200
    assert "Said: That was it" in page.text
    # such a link may be forwarded: it shows what onlookers see
    assert [one["text"] for one in talk_of(client, turn)] == ["That was it"]
    assert "A secret" not in client.get(turn).text


def test_the_history_of_each_page_has_what_its_reader_may_read(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    seat = web.waiting(match)[0]
    other, third = (one for one in range(3) if one != seat)
    talk.say(web.service, by(web.service, match.id, other), "table", "Said <to> all", "1")
    talk.say(web.service, by(web.service, match.id, other), seat, "Said to one", "2")
    for path, alone in (
        (f"/m/{match.id}", False),
        (f"/m/{match.id}?ply=0", False),
        (web.path(match, Purpose.HOST, links.HOST), False),
        (web.turn_path(match, seat), True),
        (web.path(match, Purpose.SEAT, seat), True),
        (web.path(match, Purpose.SEAT, other), True),
        (web.path(match, Purpose.SEAT, third), False),
    ):
        text = client.get(path).text

        assert ("Said &lt;to&gt; all" in text) is True, path
        assert ("Said to one" in text) is alone, path


def test_a_seat_mutes_another_and_keeps_a_note(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    seat = web.waiting(match)[0]
    own, turn = web.path(match, Purpose.SEAT, seat), web.turn_path(match, seat)
    other = next(one for one in range(3) if one != seat)
    talk.say(web.service, by(web.service, match.id, other), "table", "Blah", "1")

    client.post(own, data={"do": "mute-seat", "muted": f"{other}"})
    client.post(own, data={"do": "note", "note": "He <bluffs>\r\nalways"})

    for path in (own, turn):
        page = client.get(path).text
        assert "Blah" not in page
        assert "He &lt;bluffs&gt;\nalways" in page
    assert "Blah" in client.get(f"/m/{match.id}").text
    client.post(own, data={"do": "hear-seat", "muted": f"{other}"})
    assert "Blah" in client.get(own).text


def test_the_host_says_hides_and_ends_the_talk(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    page = web.path(match, Purpose.HOST, links.HOST)
    client.post(f"{page}/say", data={"say": "Welcome", "say_to": "table"})
    talk.say(web.service, by(web.service, match.id, 1), 2, "Between two", "0")
    sign = talk.sign(talk.say(web.service, by(web.service, match.id, 1), "table", "Insults", "1"))
    listed = client.get(page).text

    shown = client.post(f"{page}/talk", data={"do": "hide", "message": sign, "reason": "Insults"})
    ended = client.post(
        f"{page}/talk", data={"do": "off", "onlookers": "end", "reason": "Too loud"}
    )

    signs = re.findall(r'name="message" value="(\w+)"', listed)
    assert (len(signs), signs[0]) == (2, sign)
    assert "The host hid a message: Insults" in shown.text
    assert [one["text"] for one in talk_of(client, web.path(match, Purpose.SEAT, 0))] == ["Welcome"]
    assert "The host ended the talk at the table. Too loud" in ended.text
    assert talk_of(client, f"/m/{match.id}") == []
    own = client.get(web.path(match, Purpose.SEAT, 0)).text
    assert "There is no talk in this match. Too loud" in " ".join(own.split())


def test_a_reason_is_kept_and_can_be_given_when_there_is_no_talk_already(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    page = web.path(match, Purpose.HOST, links.HOST)
    seat = web.path(match, Purpose.SEAT, 0)
    talk.allow(web.service, match.id, False, actor=Actor.HOST)

    given = {"do": "off", "onlookers": "end", "reason": "Too loud"}
    told = client.post(f"{page}/talk", data=given).text
    field = found(client.get(page), '(<input id="talk-reason"[^>]*>)')

    assert "There is no talk in this match. Too loud" in told
    assert 'value="Too loud"' in field
    assert "There is no talk in this match. Too loud" in " ".join(client.get(seat).text.split())


def test_the_operator_hides_a_message(web: WebHouse, client: FlaskClient, match: Match) -> None:
    talk.say(web.service, by(web.service, match.id, 1), 2, "Between two", "2")
    sign = talk.sign(talk.say(web.service, by(web.service, match.id, 1), "table", "Insults", "1"))
    path = f"/operator/match/{match.id}/talk"
    given = {"do": "hide", "message": sign, "reason": "Insults"}
    assert client.post(path, data=given).status_code == 401
    web.log_in(client)
    page = client.get(f"/operator/match/{match.id}")

    shown = client.post(path, data={**given, "csrf_token": secret(page)})

    assert "Between two" not in page.text
    assert "The operator hid a message: Insults" in shown.text
    assert talk_of(client, f"/m/{match.id}") == []


def test_dog_says_why_nothing_is_said(web: WebHouse, client: FlaskClient) -> None:
    """DOG-4: no talk about cards held or wanted."""
    match = web.running()
    seat = web.waiting(match)[0]

    for path in (web.turn_path(match, seat), web.path(match, Purpose.SEAT, seat)):
        text = client.get(path).text
        assert "Nobody talks about the cards they hold or want." in text
        assert f'href="/m/{match.id}/rules#DOG-4"' in text
        assert 'name="say"' not in text


def test_onlookers_read_when_the_host_wants(
    web: WebHouse, client: FlaskClient, match: Match
) -> None:
    talk.say(web.service, by(web.service, match.id, 1), "table", "Hello", "1")
    talk.allow(web.service, match.id, True, actor=Actor.HOST, onlookers=Onlookers.END)

    assert talk_of(client, f"/m/{match.id}") == []
    assert not re.search("Hello", client.get(f"/m/{match.id}").text)


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (Onlookers.NOW, "Onlookers may read what is said to all."),
        (Onlookers.END, "When the match is over, onlookers may read what was said to all."),
        (Onlookers.NEVER, ""),
    ],
)
def test_who_says_something_is_told_when_onlookers_read_it(
    web: WebHouse, client: FlaskClient, match: Match, when: Onlookers, said: str
) -> None:
    talk.allow(web.service, match.id, True, actor=Actor.HOST, onlookers=when)

    turn = client.get(web.turn_path(match, web.waiting(match)[0])).text
    seat = client.get(web.path(match, Purpose.SEAT, 0)).text

    for page in (turn, seat):
        assert "To be said with" in page or "Say something" in page
        assert said in page
        assert ("nlookers may read" in page) is bool(said)


@pytest.mark.parametrize(
    ("game", "asked", "may"),
    [
        ("dog", None, False),
        ("dog", "on", True),
        ("dogs-of-war", None, True),
        ("dogs-of-war", "off", False),
    ],
)
def test_whoever_opens_a_match_says_whether_it_is_talked_in(
    game: str, asked: str | None, may: bool, web: WebHouse, client: FlaskClient
) -> None:
    """By the form and by the interface for programs; else as the game has it (DOG-4)."""
    names = ("Alice", "Bob", "Carol")
    seats = [{"name": name, "email": address(name)} for name in names]
    given = {"game": game, "host": seats[0], "seats": seats}
    by_program = client.post("/api/matches", json={**given, **({"talk": asked} if asked else {})})
    form = {"game": game, "players": "3", "talk": asked or "", "i_play": "yes", "pace": "usual"}
    form |= {"host_name": "Alice", "host_email": address("alice"), "sure": "yes"}
    for seat, name in enumerate(names[1:], 1):
        form |= {f"seat-{seat}-name": name, f"seat-{seat}-email": address(name)}
    by_form = client.post("/new", data=form)

    assert (by_program.status_code, by_form.status_code) == (201, 201)
    found = matches_of(web)
    assert len(found) == 2
    with web.service.database.read() as session:
        assert {talk.rules(session, match).allowed for match in found} == {may}


def test_a_form_that_is_sent_again_leaves_what_the_host_has_decided_since(
    web: WebHouse, client: FlaskClient
) -> None:
    form = {"game": "dog", "players": "3", "talk": "on", "i_play": "yes", "form_key": "k"}
    form |= {"host_name": "Alice", "host_email": address("alice"), "pace": "usual"}
    form |= {"seat-1-kind": "easy", "seat-2-kind": "easy"}
    client.post("/new", data=form)
    (match,) = matches_of(web)
    talk.allow(web.service, match.id, False, actor=Actor.HOST, reason="Too loud")
    before = web.dump()

    again = client.post("/new", data=form)

    assert again.status_code == 201
    assert web.dump() == before


def test_another_answer_than_on_and_off_is_refused(client: FlaskClient) -> None:
    seats = [{"name": "Alice", "email": address("alice")}, {"bot": "easy"}, {"bot": "easy"}]
    given = {"game": "dog", "host": seats[0], "seats": seats, "talk": "perhaps"}

    assert client.post("/api/matches", json=given).status_code == 422


@pytest.mark.parametrize(
    ("purpose", "then", "sent"),
    [
        (Purpose.SEAT, "", {"data": {"do": "say", "say": "Late"}}),
        (Purpose.SEAT, "", {"data": {"do": "note", "note": "Late"}}),
        (Purpose.SEAT, "", {"data": {"do": "mute-seat", "muted": "2"}}),
        (Purpose.TURN, "/say", {"data": {"say": "Late"}}),
        (Purpose.TURN, "/say", {"json": {"text": "Late"}}),
        (Purpose.HOST, "/say", {"data": {"say": "Late"}}),
    ],
)
def test_nothing_is_kept_of_whoever_is_forgotten_at_that_moment(
    web: WebHouse,
    client: FlaskClient,
    match: Match,
    monkeypatch: pytest.MonkeyPatch,
    purpose: Purpose,
    then: str,
    sent: dict[str, Any],
) -> None:
    seat = web.waiting(match)[0]
    whom = address("gina") if purpose == Purpose.HOST else str(web.seat(match, seat).email)
    path = web.path(match, purpose, links.HOST if purpose == Purpose.HOST else seat)

    def late(act: Callable[..., object], *given: object, **named: object) -> object:
        privacy.forget(web.service, whom, Actor.PLAYER)
        return act(*given, **named)

    for act in (talk.say, talk.mute, talk.write_note):
        monkeypatch.setattr(talk, act.__name__, partial(late, act))
    answer = client.post(path + then, **sent)

    assert answer.status_code in (404, 422)
    with web.service.database.read() as session:
        for table in (Message, TalkNote, TalkMute):
            assert session.exec(select(table)).all() == []
