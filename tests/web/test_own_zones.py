"""Everybody's zone and language are their own: what the host has is nobody else's guess."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.acts import matches
from pbem.mail.mailer import post_due
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.web.house import WebHouse, matches_of
from tests.web.test_signing_in import signed_in

HOSTS = {"zone": "Europe/Madrid", "language": "es"}


def test_a_guests_page_guesses_their_zone_though_the_host_has_one(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False, **HOSTS)

    page = client.get(web.path(match, Purpose.JOIN, 1))

    assert "data-guess-zone" in page.text


def test_a_zone_that_was_chosen_is_not_guessed_again(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False, **HOSTS)
    path = web.path(match, Purpose.JOIN, 1)
    typed = {"name": "B" * 61, "zone": "Asia/Tokyo", "language": "en"}

    joining = client.post(path, data=typed)
    opening = client.get("/new?game=dog&zone=Asia/Tokyo")

    assert joining.status_code == 422
    for page in (joining, opening):
        assert "<option selected>Asia/Tokyo</option>" in page.text
        assert "data-guess-zone" not in page.text


def test_a_guest_is_met_in_the_language_of_their_browser(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False, **HOSTS)
    path = web.path(match, Purpose.JOIN, 1)

    english = client.get(path, headers={"Accept-Language": "en-GB,en"})
    unknown = client.get(path)

    assert '<html lang="en">' in english.text
    assert '<option value="en" selected>' in english.text
    assert '<html lang="es">' in unknown.text


def test_a_guest_says_no_in_the_language_of_their_browser(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False, **HOSTS)
    post_due(web.service)
    never = web.path(match, Purpose.JOIN, 1) + "/never"
    mute = f"/u/{web.token(web.link(match, Purpose.MUTE, 1))}"

    for path in (never, mute):
        english = client.get(path, headers={"Accept-Language": "en-GB,en"})
        unknown = client.get(path)

        assert '<html lang="en">' in english.text
        assert '<html lang="es">' in unknown.text


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_where_times_are_in_utc_it_is_said_that_another_zone_can_be_set(
    web: WebHouse, zone: str
) -> None:
    match = web.running(zone=zone)
    client = signed_in(web, "alice")
    seat = web.path(match, Purpose.SEAT, 0)
    pages = {"/home": "/home/settings", web.turn_path(match, 0): seat}

    for path in (*pages, seat, "/home/settings"):
        page = client.get(path).text
        assert ("Times are in UTC until you set another time zone." in page) is (zone == "UTC")
        if path in pages:
            assert (f'href="{pages[path]}#zone"' in page) is (zone == "UTC")


def test_a_demo_match_is_in_the_newcomers_zone(web: WebHouse, client: FlaskClient) -> None:
    client.post("/demo", data={"game": "dog", "zone": "America/Lima"})
    client.post("/demo", data={"game": "dog", "zone": "Mars/Base"})

    assert {match.zone for match in matches_of(web)} == {"America/Lima", "UTC"}


def test_who_takes_over_a_seat_does_not_get_the_zone_of_who_had_it(web: WebHouse) -> None:
    match = web.running(**HOSTS)
    matches.set_preferences(web.service, web.link(match, Purpose.SEAT, 1), "Asia/Tokyo", "en")

    remedies.replace(web.service, match.id, 1, "Frank", "frank@example.org", actor="operator")

    assert (web.seat(match, 1).zone, web.seat(match, 1).language) == ("Europe/Madrid", "es")


def test_a_rematch_keeps_everybodys_own_zone_and_language(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(**HOSTS)
    matches.set_preferences(web.service, web.link(match, Purpose.SEAT, 1), "Asia/Tokyo", "en")
    remedies.abort(web.service, match.id, actor="host")

    again = matches.rematch(web.service, match.id, actor="host")
    page = client.get(web.path(again, Purpose.JOIN, 1), headers={"Accept-Language": "es"})

    assert (web.seat(again, 1).zone, web.seat(again, 1).language) == ("Asia/Tokyo", "en")
    assert '<html lang="en">' in page.text
    assert "data-guess-zone" not in page.text
