"""What is sent to a door is read or refused, and never passed over."""

from __future__ import annotations

import io

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.store.names import Purpose
from tests.parts.cast import address, sensible_order
from tests.web.house import WebHouse, hidden, secret
from tests.web.open_tables import HERE, asked_for, opened
from tests.web.routes import paths, tokens

#: A letter, whose whole body is read; that it is none is said of it.
LETTERS = {"hooks.mail": 401, "dev.receive": 202}
#: What is no form and no JSON, by its type.
OTHERS = {
    "text/plain": b"do=again&listed=yes",
    "application/octet-stream": b"do=again",
    "": b"do=again",
    "multipart/form-data": b"do=again",
    "multipart/form-data; boundary=x": b'--x\r\nContent-Disposition: form-data; name="do"',
}


def test_a_body_of_json_is_read_or_refused_by_every_door(
    web: WebHouse, client: FlaskClient
) -> None:
    """Who reads it finds the field that it does not know; to who does not it is no form."""
    match = web.running()
    web.log_in(client)
    csrf = {"X-CSRFToken": secret(client.get(f"/operator/match/{match.id}"))}
    posts = [(rule.endpoint, path) for rule, path in paths(web, match, "POST")]
    before = web.dump()

    answers = {
        endpoint: client.post(path, json={"is_host": "1"}, headers=csrf)
        for endpoint, path in posts
        if endpoint not in LETTERS
    }

    assert len(answers) > 40
    assert {name for name, answer in answers.items() if not _says_why(answer)} == set()
    assert web.dump() == before


def _says_why(answer: TestResponse) -> bool:
    error = answer.get_json()["error"]
    if answer.status_code == 415:
        return str(error["message"]).startswith("Send this as a form")
    return answer.status_code == 422 and "is_host" in error["message"]


@pytest.mark.parametrize("kind", OTHERS)
def test_a_body_of_another_kind_is_refused_by_every_door(
    web: WebHouse, client: FlaskClient, kind: str
) -> None:
    match = web.running()
    web.log_in(client)
    csrf = {"X-CSRFToken": secret(client.get(f"/operator/match/{match.id}"))}
    posts = [(rule.endpoint, path) for rule, path in paths(web, match, "POST")]
    before = web.dump()

    statuses = {
        endpoint: client.post(path, data=OTHERS[kind], content_type=kind, headers=csrf).status_code
        for endpoint, path in posts
        if endpoint not in LETTERS
    }

    assert {name: status for name, status in statuses.items() if status != 415} == {}
    assert web.dump() == before


def test_a_file_is_no_field_of_a_form(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)
    never = f"{web.path(match, Purpose.JOIN, 0)}/never"

    answer = client.post(never, data={"do": (io.BytesIO(b"again"), "again.txt")})

    assert answer.status_code == 422
    assert "Never invite me again" in client.get(never).text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"List-Unsubscribe": "One-Click"}, "application/x-www-form-urlencoded"),
        ({"List-Unsubscribe": "One-Click"}, "multipart/form-data"),
        (b"", "application/x-www-form-urlencoded"),
        (b"", None),
    ],
)
def test_a_mail_program_ends_the_mail_by_one_click(
    web: WebHouse, client: FlaskClient, body: dict[str, str] | bytes, kind: str | None
) -> None:
    """RFC 8058 allows both kinds of a form; an empty one is what the button of the page sends."""
    match = web.running()

    answer = client.post(f"/u/{tokens(web, match)['u']}", data=body, content_type=kind)

    assert answer.status_code == 200
    assert web.seat(match, 0).muted_at is not None


def test_a_program_joins_with_what_a_form_has(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)
    path = web.path(match, Purpose.JOIN, 1)
    wanted = {
        "phrase": "my own words",
        "name": "Robert",
        "zone": "Europe/Madrid",
        "language": "es",
        "reminders": "no",
    }

    invited = client.get(path, headers=HERE).get_json()
    refused = client.post(path, json=wanted | {"reminders": False})
    joined = client.post(path, json=wanted)
    again = client.post(path, json={})

    assert (invited["match"], invited["seat"]) == (match.id, 1)
    assert refused.get_json()["error"]["message"] == "reminders must be one of these: yes, no."
    assert joined.status_code == again.status_code == 200
    assert joined.get_json()["seats"][1] == {
        "seat": 1,
        "name": "Robert",
        "kind": "player",
        "joined": True,
    }
    seat = web.seat(match, 1)
    assert (seat.phrase, seat.zone, seat.language, seat.reminders) == (
        "my own words",
        "Europe/Madrid",
        "es",
        False,
    )


def test_a_program_that_cannot_join_is_told_why(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)

    answer = client.post(web.path(match, Purpose.JOIN, 1), json={"name": "alice"})

    assert answer.status_code == 422
    assert "alice" in answer.get_json()["error"]["message"].lower()
    assert web.seat(match, 1).joined_at is None


def test_a_program_takes_a_seat_with_what_a_form_has(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web, free=2)
    path = asked_for(web, client, match, "Erin")
    wanted = {"phrase": "my own words", "name": "Erin the First", "seat": 3, "zone": "Asia/Tokyo"}

    nowhere = client.post(path, json=wanted | {"seat": 7})
    taken = client.post(path, json=wanted)
    again = client.post(path, json=wanted)

    assert nowhere.status_code == 422
    assert taken.status_code == 201
    assert again.status_code == 200
    assert taken.get_json() == again.get_json() == {"match": match.id, "seat": 3}
    seat = web.seat(match, 3)
    assert (seat.name, seat.email, seat.phrase, seat.zone) == (
        "Erin the First",
        address("erin"),
        "my own words",
        "Asia/Tokyo",
    )


def test_a_program_whose_seat_is_gone_takes_none_by_the_same_link(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web, free=2)
    path = asked_for(web, client, match, "Erin")
    client.post(path, json={})
    client.post(web.path(match, Purpose.SEAT, 2), data={"do": "leave-table", "sure": "yes"})

    answer = client.post(path, json={})

    assert answer.status_code == 409
    assert "used already" in answer.get_json()["error"]["message"]


@pytest.mark.parametrize("lost", ["ply", "submission"])
def test_a_form_that_came_without_what_stands_hidden_in_it_says_what_to_do(
    web: WebHouse, client: FlaskClient, lost: str
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)
    order = sensible_order(web.table(match), 0)
    form = hidden(client.post(f"{path}/preview", data={"order": order}))
    form.pop(lost)

    page = client.post(f"{path}/confirm", data=form)

    assert page.status_code == 422
    assert "nothing was played. Open the page of your turn anew, and choose again." in page.text
    assert web.table(match).match.ply == 0
