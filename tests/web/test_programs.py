"""The doors for programs: JSON in, JSON out."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.web.house import WebHouse, matches_of

#: What opens a match, if nothing in it is changed.
MATCH = {
    "game": "dog",
    "host": {"name": "Alice", "email": "alice@example.org"},
    "seats": [{"bot": "easy"}] * 4,
}


def test_a_program_opens_a_match(web: WebHouse, client: FlaskClient) -> None:
    body = {
        "game": "dog",
        "options": {"discard": "one"},
        "host": {"name": "Alice", "email": "alice@example.org"},
        "seats": [{"name": "Alice", "email": "alice@example.org"}, *([{"bot": "easy"}] * 3)],
        "clock": {"turn": "72h", "reserve": "96h", "grace": "15m"},
        "language": "en",
        "confirmed": True,
    }

    answer = client.post("/api/matches", json=body)
    web.work()
    known = client.get(f"/api/matches/{answer.get_json()['match']}").get_json()

    assert answer.status_code == 201
    assert known["status"] == "running"
    assert known["seats"][0] == {"seat": 0, "name": "Alice", "kind": "player", "joined": True}
    assert [turn["seat"] for turn in known["open_turns"]] == [0]
    assert known["open_turns"][0]["due_at"] == "2026-06-05T12:00:00+00:00"
    assert len(known["commitment"]) == len(known["chain_head"]) == 64
    assert "example.org" not in str(known).replace(known["url"], "")


@pytest.mark.parametrize(
    ("change", "status", "word"),
    [
        ({"is_host": True}, 422, "is_host"),
        ({"seats": []}, 422, "players"),
        ({"game": "chess"}, 422, "chess"),
        ({"options": {"nonsense": 1}}, 422, "nonsense"),
        ({"options": {"discard": "two"}}, 422, "discard"),
        ({"clock": {"turn": "soon"}}, 422, "turn"),
        ({"host": {"name": "A", "email": "a"}}, 422, "e-mail"),
        ({"seats": [{"name": "A", "email": "a@b.c", "bot": "easy"}] * 4}, 422, "both"),
        ({"language": "fr"}, 422, "fr"),
        ({"zone": "Mars"}, 422, "Mars"),
    ],
)
def test_what_a_program_cannot_open(
    web: WebHouse, client: FlaskClient, change: dict[str, object], status: int, word: str
) -> None:
    answer = client.post("/api/matches", json={**MATCH, **change})

    assert answer.status_code == status
    assert word in answer.get_json()["error"]["message"]
    assert matches_of(web) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"host": {"name": "Alice"}}, "host.email is missing."),
        ({"seats": [{"name": 7}]}, "seats[0].name must be a text."),
        ({"seats": "four"}, "seats must be a list."),
        ({"clock": "72h"}, "clock must be an object with fields."),
        ({"confirmed": "yes"}, "confirmed must be true or false."),
        ({"talk": "loud"}, "talk must be one of these: on, off."),
        ({"is_host": True}, "There is no field called is_host here."),
    ],
)
def test_what_is_of_another_kind_is_named_with_what_it_can_be(
    client: FlaskClient, change: dict[str, object], said: str
) -> None:
    answer = client.post("/api/matches", json={**MATCH, **change})

    assert answer.status_code == 422
    assert answer.get_json()["error"]["message"] == said


def test_a_body_that_is_no_object_is_said_to_be_so(client: FlaskClient) -> None:
    answer = client.post("/api/matches", json=["dog"], headers={"Accept-Language": "es"})

    assert answer.status_code == 422
    assert answer.get_json()["error"]["message"] == "La petición debe ser un objeto con campos."


def test_what_is_not_json_is_said_to_be_so(web: WebHouse, client: FlaskClient) -> None:
    bad = [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":NaN}']

    answers = [
        client.post("/api/matches", data=body, content_type="application/json") for body in bad
    ]
    form = client.post("/api/matches", data={"game": "dog"})

    assert [answer.status_code for answer in answers] == [400] * len(bad)
    assert form.status_code == 415
