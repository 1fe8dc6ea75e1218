"""Signing in on a device by a mailed link, and out again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.acts import deliverability
from pbem.people import proofs
from pbem.people.sweep import sweep
from pbem.store.models import AddressLink, Device
from pbem.store.names import MailKind, Purpose
from pbem.web import devices
from tests.parts.cast import address
from tests.web.house import WebHouse, found


def link_of(web: WebHouse, name: str = "bob") -> str:
    """The path of a new link that signs in."""
    proofs.owe(web.service, MailKind.SIGN_IN, address(name), "en")
    with web.service.database.read() as session:
        row = max(session.exec(select(AddressLink)), key=lambda link: link.id or 0)
    return f"/home/{proofs.token(web.service.keys, row)}"


def signed_in(web: WebHouse, name: str = "bob", browser: str = "") -> FlaskClient:
    """Somebody's browser, signed in."""
    client = web.app.test_client()
    client.post(link_of(web, name), headers={"User-Agent": browser} if browser else {})
    return client


def rows(web: WebHouse) -> list[Device]:
    with web.service.database.read() as session:
        return list(session.exec(select(Device)))


# --- asking ---


def test_every_address_gets_the_same_answer(web: WebHouse, client: FlaskClient) -> None:
    """Threat 1.3: playing, hosting, muted, absent."""
    match = web.running()
    deliverability.mute(web.service, web.link(match, Purpose.SEAT, 2))
    asked = ["alice@example.org", "carol@example.org", "nobody@example.org"]

    answers = [client.post("/home", data={"email": email}) for email in asked]

    assert {answer.status_code for answer in answers} == {202}
    told = zip(answers, asked, strict=True)
    assert len({answer.text.replace(email, "ADDRESS") for answer, email in told}) == 1
    assert [mail.address for mail in web.mails("sign_in")] == asked


def test_one_network_asks_for_so_many_links_only(web: WebHouse, client: FlaskClient) -> None:
    far = {"REMOTE_ADDR": "203.0.113.9"}
    most = web.service.settings.limits.links_per_network_per_hour

    statuses = [
        client.post("/home", data={"email": f"p{number}@b.org"}, environ_base=far).status_code
        for number in range(most + 1)
    ]

    assert statuses == [202] * most + [429]


def test_an_address_is_asked_for_a_few_times_only(web: WebHouse, client: FlaskClient) -> None:
    answers = [client.post("/home", data={"email": "bob@example.org"}) for _ in range(12)]

    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.data for answer in answers}) == 1
    most = web.service.settings.limits.links_per_address_per_hour + 1
    assert len(web.mails("sign_in")) == most


def test_a_program_asks_and_signs_in_with_json(web: WebHouse, client: FlaskClient) -> None:
    asked = client.post("/home", json={"email": address("bob")})
    stranger = client.get("/home", headers={"Accept": "application/json"})
    path = link_of(web)
    shown = client.get(path, headers={"Accept": "application/json"}).json
    taken = client.post(path, json={}).json
    seen = client.get("/home", headers={"Accept": "application/json"})

    assert asked.status_code == 202
    assert (stranger.status_code, stranger.json["error"]["code"]) == (401, "not_signed_in")
    assert shown == {"address": address("bob"), "used": False}
    assert taken == {"address": address("bob"), "until": "2026-07-02T12:00:00+00:00"}
    assert seen.status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/home/settings"),
        ("GET", "/series/new"),
        ("GET", "/home/next"),
        ("POST", "/home/away"),
    ],
)
def test_a_page_for_who_is_signed_in_says_so_to_others_and_has_the_form(
    client: FlaskClient, method: str, path: str
) -> None:
    page = client.open(path, method=method)

    assert page.status_code == 401
    assert "You are not signed in on this device." in page.text
    assert 'name="email"' in page.text


def test_where_one_asked_for_links_before_leads_here(web: WebHouse, client: FlaskClient) -> None:
    answer = client.get("/links")

    assert (answer.status_code, answer.location) == (308, "/home")


# --- the link ---


def test_looking_at_the_link_signs_nobody_in_and_its_button_does(
    web: WebHouse, client: FlaskClient
) -> None:
    path = link_of(web)

    shown = client.get(path)
    before = client.get("/home")
    answer = client.post(path)

    assert "sign in as bob@example.org on this device" in shown.text
    assert 'name="email"' in before.text
    assert (answer.status_code, answer.location) == (303, "/home")
    assert "bob@example.org" in client.get("/home").text


def test_a_link_signs_in_once(web: WebHouse, client: FlaskClient) -> None:
    path = link_of(web)
    client.post(path)

    again = client.post(path)
    elsewhere = web.app.test_client().post(path)
    shown = web.app.test_client().get(path)

    # the button pressed twice does no harm
    assert (again.status_code, again.location) == (303, "/home")
    assert elsewhere.status_code == 409
    assert "used already" in shown.text
    assert len(rows(web)) == 1


def test_an_old_link_and_one_of_another_service_are_not_found(
    web: WebHouse, client: FlaskClient
) -> None:
    path = link_of(web)
    forged = path[:-1] + ("b" if path[-1] == "a" else "a")

    assert client.post(forged).status_code == 404
    web.clock.move(proofs.LIFE)
    assert client.post(path).status_code == 404
    assert rows(web) == []


# --- devices ---


def test_the_cookie_is_for_this_site_alone_and_its_secret_is_not_stored(web: WebHouse) -> None:
    client = web.app.test_client()

    answer = client.post(link_of(web))

    (cookie,) = [one for one in answer.headers.getlist("Set-Cookie") if devices.COOKIE in one]
    secret = cookie.partition("=")[2].partition(";")[0]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert len(secret) >= 40
    assert secret not in web.dump()


def test_a_device_is_signed_in_for_thirty_days(web: WebHouse) -> None:
    client = signed_in(web)
    web.clock.move(timedelta(days=30) - timedelta(seconds=1))
    assert "bob@example.org" in client.get("/home").text

    web.clock.move(timedelta(seconds=1))

    assert 'name="email"' in client.get("/home").text


def test_signing_in_as_somebody_else_on_a_device_ends_who_was(web: WebHouse) -> None:
    client = signed_in(web)
    secret = client.get_cookie(devices.COOKIE)

    client.post(link_of(web, "carol"))

    assert "carol@example.org" in client.get("/home").text
    assert client.get_cookie(devices.COOKIE) != secret
    assert len(rows(web)) == 1


def test_devices_are_listed_and_one_is_signed_out(web: WebHouse) -> None:
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
    phone = "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/126.0 Mobile Safari/537.36"
    here, there = signed_in(web, browser=firefox), signed_in(web, browser=phone)

    listed = here.get("/home/settings")
    number = found(listed, r'name="device" value="(\d+)"')
    answer = here.post("/home/devices", data={"device": number})

    assert "Firefox, Linux" in listed.text
    assert "Chrome, Android" in listed.text
    assert answer.location == "/home/settings#devices"
    assert 'name="email"' in there.get("/home").text
    assert "bob@example.org" in here.get("/home").text


def test_all_devices_are_signed_out_at_once_and_nobody_elses(web: WebHouse) -> None:
    here, there, carols = signed_in(web), signed_in(web), signed_in(web, "carol")

    here.post("/home/devices", data={"device": str(rows(web)[2].id)})
    answer = here.post("/home/devices")

    assert answer.location == "/home"
    for client in (here, there):
        assert 'name="email"' in client.get("/home").text
    assert "carol@example.org" in carols.get("/home").text


def test_a_person_has_so_many_devices_and_the_oldest_goes(web: WebHouse) -> None:
    first = signed_in(web)
    for _ in range(devices.MOST):
        signed_in(web)

    assert 'name="email"' in first.get("/home").text
    assert len(rows(web)) == devices.MOST


def test_devices_whose_time_is_over_are_swept(web: WebHouse) -> None:
    signed_in(web)
    web.clock.move(devices.LIFE)
    signed_in(web, "carol")

    sweep(web.service)

    assert len(rows(web)) == 1
