"""The doors for programs: JSON in, JSON out."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient

from pbem.clocks.deadlines import PARTS
from pbem.errors import Refused
from pbem.people import open_tables
from tests.docs.pages import FENCE, ROOT
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


@pytest.mark.parametrize("name", ["", "  "])
@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("game", "There is no game called (nothing). There are: dog, dogs-of-war, skirmish."),
        ("bot", "Dog has no bot called (nothing). It has: easy, steady."),
        ("option", "Dog has no option called (nothing). It has: seven_burns_own,"),
        ("clock", "The clock has no part called (nothing). It has: kind,"),
        ("field", "There is no field called (nothing) here."),
    ],
)
def test_a_name_of_nothing_is_told_to_be_none(
    client: FlaskClient, field: str, said: str, name: str
) -> None:
    change: dict[str, object] = {
        "game": {"game": name},
        "bot": {"seats": [{"bot": name}] * 4},
        "option": {"options": {name: True}},
        "clock": {"clock": {name: "1d"}},
        "field": {name: "1d"},
    }[field]

    answer = client.post("/api/matches", json={**MATCH, **change})
    spanish = client.post(
        "/api/matches", json={**MATCH, **change}, headers={"Accept-Language": "es"}
    )

    assert answer.get_json()["error"]["message"].startswith(said)
    assert "(nada)" in spanish.get_json()["error"]["message"]


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
        ({"host": {"mail": ""}}, "There is no field called host.mail here."),
        ({"clock": {"daily_at": 20}}, "The clock's daily_at must be a text like 20:00."),
        ({"clock": {"quiet": []}}, "The clock's quiet must be a text like 22:00-08:00."),
        (
            {"clock": {"daily_at": "20:00"}},
            "A clock of the kind turn has no daily_at. It has: kind, turn, reserve, grace,"
            " host_time, weekends, quiet, vacation_days.",
        ),
        ({"clock": {"kind": None}}, "The clock's kind is turn, daily, bank or none."),
        (
            {"seats": [{"bot": "easy"}, {"name": "x" * 61, "email": "a@example.org"}] * 2},
            "The name of seat 2 has at most 60 characters.",
        ),
        (
            {"seats": [{"name": "A", "email": ""}] * 4},
            "Seat 1 needs an e-mail address or a bot, or is open.",
        ),
        (
            {"seats": [{"bot": "easy"}, {"open": True, "name": "A"}] * 2},
            "Seat 2 is open: it has no name, no address and no bot yet.",
        ),
        (
            {"seats": [{"bot": "easy"}, {"bot": "easy", "email": "a@example.org"}] * 2},
            "Seat 2 is for a person or for a bot, not for both.",
        ),
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


PAGE = (ROOT / "docs/api.md").read_text()


def part(heading: str) -> str:
    """What the page for programs says under a heading."""
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def fields(heading: str) -> set[str]:
    """The fields in the first column of a table there."""
    rows = re.findall(r"^\| (`.*?) \|", part(heading), re.M)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def example(heading: str, number: int = 0) -> dict[str, object]:
    shown: dict[str, object] = json.loads(FENCE.findall(part(heading))[number][1])
    return shown


def test_the_page_for_programs_has_every_field_of_a_request() -> None:
    (clock,) = (line for line in PAGE.splitlines() if line.startswith("| `clock`"))

    assert fields("Open a match") == set(open_tables.NewTable.__struct_fields__)
    assert set(PARTS) <= set(re.findall(r"`(\w+)`", clock))


def test_what_the_page_for_programs_shows_is_answered(web: WebHouse, client: FlaskClient) -> None:
    asked = example("Open a match") | {"confirmed": True}
    seats = [{"name": "Alice", "email": "alice@example.org"}, *([{"bot": "easy"}] * 3)]

    opened = client.post("/api/matches", json=asked)
    running = client.post("/api/matches", json=asked | {"seats": seats}).get_json()["match"]
    web.work()
    known = client.get(f"/api/matches/{running}").get_json()
    (match,) = (one for one in matches_of(web) if one.id == running)
    path = web.turn_path(match, 0)
    turn = client.get(path, headers={"Accept": "application/json"}).get_json()
    order = {"order": turn["orders"][0], "submission": "mine", "ply": turn["ply"]}
    stale = client.post(path, json=order | {"ply": 0})
    unreadable = client.post(path, json=order | {"order": "castle"})
    taken = client.post(path, json=order)
    closed = client.post(path, json=order | {"submission": "again"})

    assert opened.status_code == 201
    assert opened.headers["Location"].endswith(opened.get_json()["match"])
    assert set(known) == fields("A match")
    assert set(turn) == fields("A turn")
    assert set(order) == set(example("A turn"))
    assert taken.status_code == 200
    assert set(taken.get_json()) == set(example("A turn", 1))
    assert (stale.status_code, stale.get_json()["error"]["code"]) == (409, "stale")
    assert (closed.status_code, closed.get_json()["error"]["code"]) == (409, "turn_closed")
    assert unreadable.status_code == 422
    assert set(unreadable.get_json()["error"]) == set(
        example("What is refused")["error"]  # type: ignore[call-overload]
    )


def test_the_page_for_programs_has_every_code_with_its_status() -> None:
    told = dict(re.findall(r"^\| ([\d, ]+) \| (.*) \|$", part("What is refused"), re.M))

    def kinds(kind: type[Refused]) -> list[type[Refused]]:
        return [kind, *(inner for one in kind.__subclasses__() for inner in kinds(one))]

    # of letters, of the remedies' forms, of a mailbox that is switched off
    elsewhere = {"refused", "signature", "moved_on", "unconfirmed"}
    for one in kinds(Refused):
        if one.code not in elsewhere:
            (row,) = (row for statuses, row in told.items() if str(one.status) in statuses)
            assert f"`{one.code}`" in row, one
