"""How the dice came about stands on every page that a player sees of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem import beacon
from pbem.config.sections import BeaconRounds
from pbem.record import verify_dice
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.web.house import WebHouse
from tests.web.test_opening import FORM
from tests.web.test_programs import MATCH


def test_the_page_of_a_finished_match_leads_through_its_check_in_three_steps(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    running = client.get(f"/m/{match.id}").text
    remedies.abort(web.service, match.id, actor="host")

    over = client.get(f"/m/{match.id}").text

    assert 'id="check"' not in running
    steps = over.split('id="check"')[1].split("<ol>")[1].split("</ol>")[0]
    assert steps.count("<li>") == 3
    assert f'href="/m/{match.id}/record"' in steps
    assert 'href="/check/verify_dice.html"' in steps
    assert match.commitment in steps
    # there is none in this match
    assert "beacon" not in steps
    for text in (running, over):
        assert "sits at the table could have chosen the dice" in " ".join(text.split())


@pytest.mark.parametrize("name", ["verify_dice.html", "verify_dice.py"])
def test_the_checks_are_files_to_take_away(name: str, client: FlaskClient) -> None:
    answer = client.get(f"/check/{name}")

    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.data == Path(verify_dice.__file__).with_name(name).read_bytes()
    assert client.get("/check/verify.py").status_code == 404
    assert client.get("/check/../verify.py").status_code == 404


def test_the_file_for_browsers_can_ask_and_send_nothing() -> None:
    text = Path(verify_dice.__file__).with_suffix(".html").read_text()

    assert "default-src 'none'" in text
    assert "connect-src" not in text
    assert not [word for word in ("http://", "https://", " src=", "fetch(") if word in text]


def test_a_host_insists_on_the_beacon_by_the_form(web: WebHouse, client: FlaskClient) -> None:
    web.use_beacon()
    page = client.get("/new?game=dog")

    client.post("/new", data={**FORM, "beacon": "required"})

    assert 'name="beacon"' in page.text
    (match,) = [one for one in _all(web) if one.beacon_required]
    link = web.link(match, Purpose.JOIN, 0)
    text = " ".join(client.get(f"/j/{web.token(link)}").text.split())
    assert "no empieza sin ella" in text or "does not begin without it" in text


def test_a_program_insists_on_the_beacon_and_sees_the_round(
    web: WebHouse, client: FlaskClient
) -> None:
    web.use_beacon()
    people = [
        {"name": name, "email": f"{name.lower()}@example.org"}
        for name in ("Alice", "Bob", "Carol", "Dave")
    ]
    asked = {"game": "dog", "host": people[0], "seats": people, "confirmed": True}

    told = client.post("/api/matches", json={**asked, "beacon": "required"}).json

    assert told["status"] == "lobby"
    assert told["beacon"]["required"] is True
    assert told["beacon"]["round"] > 0
    assert client.post("/api/matches", json={**asked, "beacon": "sometimes"}).status_code == 422
    page = " ".join(client.get(f"/m/{told['match']}").text.split())
    assert f"round {told['beacon']['round']} of the public beacon drand (quicknet)" in page


def test_nobody_insists_on_the_beacon_where_the_dice_have_none(
    web: WebHouse, client: FlaskClient
) -> None:
    """Without a word in the settings: in the trial, and where only this machine has the pages."""
    settings = web.service.settings.model_copy(update={"beacon": BeaconRounds()})
    web.service = web.app.extensions["pbem"] = replace(web.service, settings=settings)

    page = client.get("/new?game=dog")
    by_form = client.post("/new", data={**FORM, "beacon": "required"})
    by_program = client.post("/api/matches", json={**MATCH, "beacon": "required"})

    assert not settings.uses_beacon
    assert 'name="beacon"' not in page.text
    assert by_form.status_code == by_program.status_code == 409
    assert "switched off" in by_program.get_json()["error"]["message"]
    assert _all(web) == []


def test_a_match_with_a_round_says_so(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    drawn = beacon.rule(beacon.QUICKNET, web.clock.now(), required=False).with_round("00" * 48)
    with web.service.database.write("test") as session:
        row = session.get(Match, match.id)
        assert row is not None
        row.beacon_json = beacon.written(drawn)

    page = " ".join(client.get(f"/m/{match.id}").text.split())

    assert f"Round {drawn.round} of the public beacon drand (quicknet) is in the dice." in page


def _all(web: WebHouse) -> list[Match]:

    with web.service.database.read() as session:
        return list(session.exec(select(Match)))
