"""After a move this device can go on to the player's next turn, without waiting for its mail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from pbem.acts import deliverability
from pbem.config.sections import Mail
from pbem.store.models import Match
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.web.house import WebHouse
from tests.web.test_signing_in import signed_in


@pytest.fixture
def relayed(web: WebHouse) -> WebHouse:
    """The same house, whose mails go to a relay: nobody can read them here."""
    settings = web.service.settings.model_copy(update={"mail": Mail(mode="smtp")})
    return WebHouse(replace(web.service, settings=settings))


@pytest.fixture
def client(relayed: WebHouse) -> FlaskClient:
    return relayed.app.test_client()


def moved(web: WebHouse, client: FlaskClient, match: Match, seat: int) -> str:
    """The path of the turn in which this seat has just moved by its page."""
    path, order = web.turn_path(match, seat), web.orders(match, seat)[0]
    form = {"order": order, "ply": str(web.match(match.id).ply), "submission": f"{seat}"}
    page = client.post(f"{path}/confirm", data=form)
    assert page.status_code == 200
    return path


def next_link(client: FlaskClient, path: str) -> Any:
    answer = client.get(f"{path}/next", headers={"Accept": "application/json"})
    return answer.get_json()["link"] if answer.status_code == 200 else answer.status_code


def others_move(web: WebHouse, match: Match, seat: int) -> None:
    while seat not in web.waiting(match):
        web.play(match, web.waiting(match)[0])
        web.work()


def test_the_next_turn_is_offered_on_the_device_that_moved(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()

    path = moved(web, client, match, 0)
    before = next_link(client, path)
    nowhere = client.get(f"{path}/next", follow_redirects=True)
    others_move(web, match, 0)
    after = next_link(client, path)
    page = client.get(f"{path}/next", follow_redirects=True)

    assert before is None
    assert "No turn waits for you now." in nowhere.text
    assert "No turn waits for you now." not in client.get(path).text
    assert after == web.turn_path(match, 0)
    assert after != path
    assert "<h1>Your move</h1>" in page.text


def test_only_where_a_bot_sits_it_is_said_that_bots_answer_within_seconds(
    web: WebHouse, client: FlaskClient
) -> None:
    of_people, with_a_bot = web.running(), web.running(bots=1)

    pages = [client.get(moved(web, client, match, 0)).text for match in (of_people, with_a_bot)]

    assert ["Bots answer within seconds." in page for page in pages] == [False, True]


@pytest.mark.parametrize("by", ["the match", "all turns"])
def test_who_wants_no_mail_is_promised_none(web: WebHouse, client: FlaskClient, by: str) -> None:
    match = web.running()
    if by == "the match":
        deliverability.mute(web.service, web.link(match, Purpose.SEAT, 0))
    else:
        client = signed_in(web, "alice")
        client.post("/home/settings", data={"mails": "none"})

    path = moved(web, client, match, 0)
    page = client.get(path).text

    assert "This page shows when it is your turn again." in page
    assert "mail when it is your turn" not in page


def test_pages_of_a_seat_promise_a_mail_to_none_who_wants_none(
    web: WebHouse, client: FlaskClient
) -> None:
    match, lobby = web.running(), web.open(confirmed=False)
    ended = web.running()
    remedies.abort(web.service, ended.id, actor="host")
    client = signed_in(web, "alice")
    client.post("/home/settings", data={"mails": "none"})
    own = web.path(match, Purpose.SEAT, 0)
    web.play(match, 0)

    pages = [client.post(own, data={"do": "take-back", "sure": "yes"}).text]
    remedies.put_bot(web.service, match.id, 0, actor="operator")
    pages.append(client.post(own, data={"do": "come-back"}).text)
    pages.append(client.post(web.path(lobby, Purpose.JOIN, 0)).text)
    for seat in range(4):
        again = web.path(ended, Purpose.SEAT, seat) + "/rematch"
        client.post(again, data={"game": "dog", "answer": "yes"})
    pages.append(client.get(web.path(ended, Purpose.SEAT, 0) + "/rematch").text)

    done = ["Your move was taken back", "Welcome back.", "You have joined", "The rematch is open."]
    for page, sentence in zip(pages, done, strict=True):
        assert sentence in page
        assert "you get a mail" not in page
        assert "A mail brings you the link of your turn" not in page


def test_a_host_who_wants_no_mail_of_turns_is_promised_none(web: WebHouse) -> None:
    bots = {f"seat-{number}-kind": "easy" for number in range(1, 4)}
    form = {"game": "dog", "players": "4", "i_play": "yes", "confirmed": "yes", **bots}
    host = {"host_name": "Alice", "host_email": "alice@example.org"}
    client = signed_in(web, "alice")
    client.post("/home/settings", data={"mails": "none"})

    page = client.post("/new", data={**form, **host}).text

    assert "The match has begun. You get a mail with your host link." in page
    assert "When it is your turn you get a mail." not in page


def test_another_device_is_led_nowhere(
    web: WebHouse, relayed: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = moved(web, client, match, 0)
    others_move(web, match, 0)

    stranger = relayed.app.test_client()

    assert next_link(stranger, path) == 404
    assert "My next turn" not in stranger.get(path).text


def test_a_turn_at_another_table_is_offered_if_the_device_moved_there_too(
    web: WebHouse, client: FlaskClient
) -> None:
    one, other = web.running(), web.running()
    moved(web, client, other, 0)
    path = moved(web, client, one, 0)

    others_move(web, other, 0)

    assert next_link(client, path) == web.turn_path(other, 0)


def test_after_six_hours_nothing_is_offered(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = moved(web, client, match, 0)
    others_move(web, match, 0)

    web.wait(hours=6, minutes=1)

    assert next_link(client, path) == 404


def test_new_links_for_the_seat_end_it(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = moved(web, client, match, 0)
    others_move(web, match, 0)

    remedies.reissue(web.service, match.id, 0, actor=Actor.OPERATOR)

    assert next_link(client, path) == 404


def test_the_device_can_be_told_to_forget(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = moved(web, client, match, 0)
    others_move(web, match, 0)

    client.post(f"{path}/forget")

    assert next_link(client, path) == 404


def test_the_cookie_is_for_turns_only_and_no_script_reads_it(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    moved(web, client, match, 0)

    cookie = client.get_cookie("pbem_played", path="/t/")

    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Lax"
