"""What people set at home for all their matches: name, zone, mails, invitations, days away."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.parts.cast import address
from tests.web.house import WebHouse, found
from tests.web.test_home import at_home
from tests.web.test_signing_in import signed_in


def test_one_button_of_the_settings_stands_out(web: WebHouse) -> None:
    page = signed_in(web).get("/home/settings").text
    [main] = re.findall(r"<main.*</main>", page, re.DOTALL)

    assert re.findall(r"<button(?![^>]*quiet)[^>]*>([^<]*)", main) == ["Save"]


def test_settings_are_saved_and_given_back(any_web: WebHouse) -> None:
    web = any_web
    client = signed_in(web, "bob")
    wished = {
        "name": "Bobby",
        "language": "es",
        "zone": "Europe/Madrid",
        "night": "23:30-9:00",
        "mails": "digest",
        "digest_hour": 7,
        "reminders": False,
        "invitations": False,
    }

    told = client.post("/home/settings", json=wished).json
    shown = at_home(client)["settings"]
    page = client.post("/home/settings", data={"name": "Bob", "reminders": "true"})

    assert told == shown
    assert {name: shown[name] for name in wished} == {**wished, "night": "23:30-09:00"}
    assert "Guardado." in page.text
    after = at_home(client)["settings"]
    assert (after["name"], after["reminders"], after["mails"]) == ("Bob", True, "digest")


def test_a_new_name_is_not_that_of_seats_one_has_and_the_settings_say_so(web: WebHouse) -> None:
    match = web.running()
    bob = signed_in(web, "bob")

    page = bob.post("/home/settings", data={"name": "Bobby"}).text

    assert "In those that you have joined you keep the name you play under." in page
    assert web.seat(match, 1).name == "Bob"


@pytest.mark.parametrize(
    "wrong",
    [
        *({"zone": "Nowhere/Land"}, {"language": "xx"}, {"night": "late"}, {"mails": "some"}),
        *({"night": "10:00-09:00"}, {"digest_hour": 24}, {"name": "www.example.org"}),
        *({"name": "a\x00b"}, {"name": "x" * 61}, {"reminders": "perhaps"}, {"unknown": 1}),
    ],
)
def test_what_cannot_be_set_is_refused_and_nothing_changes(
    web: WebHouse, wrong: dict[str, Any]
) -> None:
    client = signed_in(web, "bob")
    before = at_home(client)["settings"]

    answer = client.post("/home/settings", json={"digest_hour": 3, **wrong})

    assert answer.status_code == 422
    assert at_home(client)["settings"] == before


def test_a_setting_of_another_kind_is_named_with_what_it_can_be(web: WebHouse) -> None:
    client = signed_in(web, "bob")

    asked = client.post("/home/settings", json={"digest_hour": "late"}).json
    typed = client.post("/home/settings", data={"reminders": "perhaps"})

    assert asked["error"]["message"] == "digest_hour must be a whole number."
    assert "reminders must be true or false." in typed.text


@pytest.mark.parametrize(
    ("path", "typed", "field", "kept"),
    [
        ("settings", {"night": "late", "name": "Bobby"}, "night", 'value="Bobby"'),
        ("settings", {"name": "www.example.org", "night": "22:00-06:00"}, "name", "22:00-06:00"),
        ("settings", {"digest_hour": "24", "mails": "none"}, "", 'value="none" checked'),
        ("away", {"from": "2020-01-01", "until": "2026-06-12"}, "from", 'value="2026-06-12"'),
        ("groups", {"group": "Friends", "people": "Bob bob@"}, "people", 'value="Friends"'),
        ("player", {"public_name": "www.example.org"}, "public_name", 'value="www.example.org"'),
    ],
)
def test_a_form_of_the_settings_says_at_its_field_what_is_wrong_and_keeps_what_was_typed(
    web: WebHouse, path: str, typed: dict[str, str], field: str, kept: str
) -> None:
    client = signed_in(web, "bob")

    page = client.post(f"/home/{path}", data=typed)

    assert page.status_code == 422
    assert page.text.count('id="problem"') == 1
    assert re.findall(r'name="(\w+)"[^>]*aria-invalid', page.text) == ([field] if field else [])
    assert kept in page.text


def test_zone_and_language_hold_at_all_tables_now_and_where_one_is_invited_later(
    web: WebHouse,
) -> None:
    before = web.running()
    client = signed_in(web, "bob")

    client.post("/home/settings", data={"language": "es", "zone": "America/Lima"})
    later = web.app.test_client().post(
        "/api/matches",
        json={
            "game": "dog",
            "host": {"name": "Erin", "email": address("erin")},
            "seats": [
                *({"name": "Bob", "email": "BOB@example.org"}, {"bot": "easy"}),
                *({"bot": "easy"}, {"bot": "easy"}),
            ],
        },
    )

    for match, number in ((before, 1), (web.match(later.json["match"]), 0)):
        seat = web.seat(match, number)
        assert (seat.zone, seat.language) == ("America/Lima", "es")
    assert web.seat(before, 0).language == "en"


def test_who_first_signs_in_is_known_by_the_name_and_zone_of_their_seat(web: WebHouse) -> None:
    web.running(zone="Asia/Tokyo")

    known = at_home(signed_in(web, "carol"))["settings"]

    assert (known["name"], known["zone"]) == ("Carol", "Asia/Tokyo")


def test_who_never_wants_an_invitation_says_so_once(web: WebHouse) -> None:
    client = signed_in(web, "bob")

    client.post("/home/settings", data={"invitations": "false"})
    with pytest.raises(Exception, match="wants no invitations"):
        web.open(confirmed=False)
    client.post("/home/settings", data={"invitations": "true"})

    assert web.open(confirmed=False).id


def test_days_away_hold_in_all_matches_and_it_is_said_where_not(web: WebHouse) -> None:
    clock = {"turn": "3d", "vacation_days": 20}
    with_days, without = web.running(clock=clock), web.running()
    client = signed_in(web, "bob")

    page = client.post("/home/away", data={"from": "2026-06-10", "until": "2026-06-12"})
    again = client.post("/home/away", json={"from": "2026-06-10", "until": "2026-06-12"}).json
    away = web.seat(with_days, 1).away_from
    back = client.post("/home/away", json={"back": "yes"}).json

    assert "You are away in 1 match." in page.text
    assert "This match has no days of vacation." in page.text
    assert away is not None
    assert again["matches"] == [with_days.id]
    assert [one["match"] for one in again["refused"]] == [without.id]
    assert with_days.id in back["matches"]
    assert web.seat(with_days, 1).away_from is None
    assert client.post("/home/away", json={"from": "2020-01-01", "until": ""}).status_code == 422


def test_the_form_for_days_away_says_when_no_match_has_any(web: WebHouse) -> None:
    web.running()
    client = signed_in(web, "bob")
    none = "none of your matches has any"

    before = client.get("/home/settings").text
    web.running(clock={"turn": "3d", "vacation_days": 20})
    after = client.get("/home/settings").text

    assert none in before
    assert none not in after


def test_only_who_has_announced_days_away_can_say_that_they_are_back(web: WebHouse) -> None:
    web.running(clock={"turn": "3d", "vacation_days": 20})
    client, back = signed_in(web, "bob"), "I am back"

    before = client.get("/home/settings").text
    away = client.post("/home/away", data={"from": "2026-06-10", "until": "2026-06-12"}).text
    after = client.post("/home/away", data={"back": "yes"}).text

    assert [back in page for page in (before, away, after)] == [False, True, False]


def test_a_device_is_signed_out_by_its_number(web: WebHouse) -> None:
    client = signed_in(web)
    number = found(client.get("/home/settings"), r'name="device" value="(\d+)"')

    none = client.post("/home/devices", json={"device": "Firefox"})
    other = client.post("/home/devices", json={"device": int(number) + 1})
    this = client.post("/home/devices", json={"device": int(number)})

    assert none.get_json()["error"]["message"] == "device must be a whole number."
    assert other.get_json() == {"signed_out": False}
    assert this.get_json() == {"signed_out": True}
