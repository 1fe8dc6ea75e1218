"""A remedy is done as it was previewed, and once: twice or too late, its button does nothing."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.acts.previewed import moment
from pbem.acts.remedy import RemedyRequest
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.acts.stalls import CLOCK
from tests.parts import remedies
from tests.web.house import WebHouse, hidden, secret

NOTHING = "nothing was done now"
FRANK = {"name": "Frank", "email": "frank@example.org"}


@pytest.fixture(params=["host", "operator"])
def who(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def page_of(web: WebHouse, client: FlaskClient, who: str, match: Match) -> str:
    """The page on which they find remedies for the match; the operator logs in."""
    if who == "host":
        return web.path(match, Purpose.HOST, -1)
    web.log_in(client)
    return f"/operator/match/{match.id}"


def previewed(client: FlaskClient, page: str, **asked: str) -> dict[str, str]:
    """The form that does it, from the page that says what it would do."""
    own = hidden(client.get(page))
    secrets = {"csrf_token": own["csrf_token"]} if "csrf_token" in own else {}
    shown = client.post(f"{page}/preview", data={**secrets, **asked})
    assert shown.status_code == 200, shown.text
    return {**hidden(shown), "sure": "yes"}


def test_more_time_is_given_once_however_often_the_button_is_pressed(
    web: WebHouse, client: FlaskClient, who: str
) -> None:
    match = web.running(clock=CLOCK)
    page = page_of(web, client, who, match)
    form = previewed(client, page, remedy="extend", seat="1", by="24h")

    first = client.post(f"{page}/apply", data=form)
    until = web.turn(match, 1).due_at
    second = client.post(f"{page}/apply", data=form)

    assert (first.status_code, second.status_code) == (200, 409)
    assert NOTHING in second.text
    assert web.turn(match, 1).due_at == until
    # it says what it would do now, and can be done
    again = client.post(f"{page}/apply", data={**hidden(second), "sure": "yes"})
    assert again.status_code == 200
    assert web.turn(match, 1).due_at != until


def test_a_preview_names_its_match(web: WebHouse, client: FlaskClient, who: str) -> None:
    match = web.running(name="Friday table")
    page = page_of(web, client, who, match)
    own = hidden(client.get(page))
    secrets = {"csrf_token": own["csrf_token"]} if "csrf_token" in own else {}

    shown = client.post(f"{page}/preview", data={**secrets, "remedy": "abort"}).text

    head = shown.partition("<h1>")[2].partition("<form")[0]
    assert "Friday table · Dog" in head
    assert match.id in head


def test_without_the_tick_the_preview_stays_and_says_what_is_missing(
    web: WebHouse, client: FlaskClient, who: str
) -> None:
    match = web.running(clock=CLOCK)
    page = page_of(web, client, who, match)
    form = previewed(client, page, remedy="extend", seat="1", by="24h")

    answer = client.post(f"{page}/apply", data={**form, "sure": ""})
    done = client.post(f"{page}/apply", data={**hidden(answer), "sure": "yes"})

    assert (answer.status_code, done.status_code) == (422, 200)
    assert "Tick the box if you are sure." in answer.text
    assert "Bob has until" in answer.text
    assert web.turn(match, 1).due_at != web.turn(match, 0).due_at


def test_without_the_tick_the_preview_of_several_matches_stays(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    web.log_in(client)
    asked = {"remedy": "extend", "by": "24h", "csrf_token": secret(client.get("/operator"))}
    preview = client.post("/operator/several/preview", data={**asked, "stall": f"{match.id}:1"})

    answer = client.post("/operator/several/apply", data=hidden(preview))
    done = client.post("/operator/several/apply", data={**hidden(answer), "sure": "yes"})

    assert (answer.status_code, done.status_code) == (422, 200)
    assert "Tick the box if you are sure." in answer.text
    assert "Bob has until" in answer.text
    assert web.turn(match, 1).due_at != web.turn(match, 0).due_at


def test_a_default_move_is_not_played_in_the_next_turn_as_well(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(clock=CLOCK), plies=6)
    page = page_of(web, client, "operator", match)
    (seat,) = web.waiting(match)
    form = previewed(client, page, remedy="default", seat=str(seat))

    first = client.post(f"{page}/apply", data=form)
    web.work()
    while web.waiting(match) != [seat]:
        web.play(match, web.waiting(match)[0])
        web.work()
    ply = web.match(match.id).ply
    second = client.post(f"{page}/apply", data=form)

    assert (first.status_code, second.status_code) == (200, 409)
    assert web.match(match.id).ply == ply


def test_who_was_given_a_seat_does_not_lose_it_by_the_same_button(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    page = page_of(web, client, "operator", match)
    form = previewed(client, page, remedy="replace", seat="1", **FRANK)

    assert client.post(f"{page}/apply", data=form).status_code == 200
    epoch = web.seat(match, 1).epoch
    assert client.post(f"{page}/apply", data=form).status_code == 409
    assert web.seat(match, 1).epoch == epoch


def test_what_was_shown_of_one_player_is_not_done_to_the_next(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    page = page_of(web, client, "operator", match)
    form = previewed(client, page, remedy="bot", seat="1", bot="easy")
    remedies.replace(web.service, match.id, 1, **FRANK, actor="operator")

    late = client.post(f"{page}/apply", data=form)

    assert late.status_code == 409
    assert NOTHING in late.text
    assert "Frank" in late.text
    assert web.seat(match, 1).bot is None


def test_several_matches_are_mended_once(web: WebHouse, client: FlaskClient) -> None:
    one, two = (web.running(clock=CLOCK) for _ in range(2))
    web.log_in(client)
    asked = {"remedy": "extend", "by": "24h", "csrf_token": secret(client.get("/operator"))}
    ticked = [f"{one.id}:1", f"{two.id}:1"]
    preview = client.post("/operator/several/preview", data={**asked, "stall": ticked})
    places = re.findall(r'name="stall" value="([^"]+)"', preview.text)
    form = {**hidden(preview), "stall": places, "sure": "yes"}

    client.post("/operator/several/apply", data={**form, "stall": places[:1]})
    until = web.turn(one, 1).due_at
    both = client.post("/operator/several/apply", data=form)

    assert both.text.count(NOTHING) == 1
    assert web.turn(one, 1).due_at == until == web.turn(two, 1).due_at


def test_that_a_preview_is_past_tells_of_no_hidden_move(web: WebHouse) -> None:
    """Threat 2: of a move that nobody may know yet only these columns of its match change."""
    match, asked = web.running(clock=CLOCK), RemedyRequest("extend", 1, "24h")
    table = web.service.read(match.id)
    seen = moment(web.service, table, asked)

    hidden_from_all = table.match
    hidden_from_all.ply += 1
    hidden_from_all.revision += 1
    hidden_from_all.chain_head = "0" * 64

    assert moment(web.service, table, asked) == seen
    hidden_from_all.public_ply += 1
    assert moment(web.service, table, asked) != seen
