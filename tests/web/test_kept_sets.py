"""Sets of options that are kept under a name on one device."""

from __future__ import annotations

import html
import re

from flask.testing import FlaskClient

from pbem.web.kept_sets import COOKIE, MOST
from tests.web.house import WebHouse, matches_of
from tests.web.test_opening import FORM

KEEP = {**FORM, "pace": "own", "keep": "yes"}


def test_options_are_kept_under_a_name_and_chosen_again(web: WebHouse, client: FlaskClient) -> None:
    kept = client.post("/new", data={**KEEP, "set": "Friday & friends"})
    again = client.get("/new?set=Friday+%26+friends")

    assert kept.status_code == 200
    assert matches_of(web) == []
    assert 'value="bob@example.org"' in kept.text  # the form stays as it was
    assert 'href="/new?set=Friday+%26+friends"' in html.unescape(again.text)
    assert re.search(r'<input[^>]* name="turn"[^>]* value="2d"', again.text)
    assert '<option value="one" selected>' in again.text
    assert "bob@example.org" not in again.text


def test_a_set_holds_nobody_s_name_or_address(client: FlaskClient) -> None:
    client.post("/new", data={**KEEP, "set": "Friday"})
    cookie = client.get_cookie(COOKIE, path="/new")

    assert cookie is not None
    signed = client.application.test_client()
    signed.set_cookie(COOKIE, cookie.value, path="/new")
    assert "Friday" in signed.get("/new").text
    assert "Alice" not in signed.get("/new?set=Friday").text


def test_a_set_is_forgotten(client: FlaskClient) -> None:
    for name in ("Friday", "Sunday"):
        client.post("/new", data={**KEEP, "set": name})

    answer = client.post("/new/forget", data={"set": "Friday"})
    page = client.get("/new?game=dog").text

    assert answer.status_code == 303
    assert "set=Sunday" in page
    assert "set=Friday" not in page


def test_so_many_sets_are_kept_and_no_more(client: FlaskClient) -> None:
    answers = [
        client.post("/new", data={**KEEP, "set": f"Set {number}"}) for number in range(MOST + 1)
    ]

    assert [answer.status_code for answer in answers] == [200] * MOST + [422]
    assert "Forget one first" in answers[-1].text


def test_a_set_that_others_wrote_is_none(client: FlaskClient) -> None:
    client.set_cookie(COOKIE, "W1siRnJpZGF5Iix7ImdhbWUiOiJkb2cifV1d.forged", path="/new")

    page = client.get("/new?set=Friday")

    assert page.status_code == 200
    assert "Kept options" not in page.text


def test_a_set_needs_a_name(client: FlaskClient) -> None:
    answer = client.post("/new", data={**KEEP, "set": " "})

    assert answer.status_code == 422
    assert client.get_cookie(COOKIE, path="/new") is None
