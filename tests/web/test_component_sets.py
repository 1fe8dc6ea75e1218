"""Opening a match of Dogs of War with dogs, and with a component set of one's own."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from markupsafe import escape
from sqlmodel import select

from engine.games.dogs_of_war.box.components import catalogue
from pbem.store.models import Match
from tests.web.house import WebHouse


def test_a_match_is_opened_with_options_that_are_lists(web: WebHouse, client: FlaskClient) -> None:
    form = client.get("/new?game=dogs-of-war&players=3").text
    given = {
        "game": "dogs-of-war",
        "players": "3",
        "host_name": "Alice",
        "host_email": "alice@example.org",
        **{f"seat-{number}-kind": "easy" for number in range(3)},
        "option-dogs": "blackmane, omalley, conqueror",
        "option-components": "pbem-1",
        "option-two_battles": "yes",
    }

    page = client.post("/new", data=given)

    assert re.search(r'name="option-dogs"\s+maxlength="200"\s+value=""', form)
    assert page.status_code in (200, 201, 303)
    with web.service.database.read() as session:
        assert (
            '"dogs":["blackmane","omalley","conqueror"]'
            in session.exec(select(Match)).one().options_json
        )


def own_set(**changes: Any) -> str:
    """A component set of a host's own, as text."""
    box = msgspec.to_builtins(catalogue("pbem-1").components)
    return json.dumps({**box, "name": "ours", "title": "Our own set", **changes})


def open_with(client: FlaskClient, components: str) -> Any:
    given = {
        "game": "dogs-of-war",
        "players": "3",
        "host_name": "Alice",
        "host_email": "alice@example.org",
        **{f"seat-{number}-kind": "easy" for number in range(3)},
        "option-components": components,
    }
    return client.post("/new", data=given)


def test_a_host_hands_in_a_component_set_and_its_rules_name_it_by_its_hash(
    web: WebHouse, client: FlaskClient
) -> None:
    page = open_with(client, own_set())

    assert page.status_code in (200, 201, 303)
    with web.service.database.read() as session:
        match = session.exec(select(Match)).one()
    state = web.table(match).state
    assert state.options.components.title == "Our own set"
    assert state.components_digest == catalogue(state.options.components).digest
    assert state.components_digest != catalogue("pbem-1").digest
    shown = client.get(f"/m/{match.id}/rules").text
    assert "Our own set, " in shown
    assert state.components_digest in shown


def test_the_opening_page_names_a_card_with_the_set_it_is_of(client: FlaskClient) -> None:
    form = unescape(client.get("/new?game=dogs-of-war&players=3").text)

    labels = re.findall(r"<label[^>]*>(.*?)</label>", form, re.DOTALL)
    assert len([label for label in labels if "for both sides" in label]) == 2
    assert all("in this project's set: Betrayal" in one for one in labels if "Betrayal" in one)


@pytest.mark.parametrize(
    ("components", "words"),
    [
        ("{no json", "is not JSON"),
        ("[" * 3, "There is no component set called"),
        (own_set(tiles=[]), "There must be 8 order of battle tiles"),
        (own_set(bonuses=[{"kind": "gold"}] * 6), "bonuses[0].kind"),
        (own_set(version="new"), "version"),
        ("nobody&#39;s", "There is no component set called"),
    ],
)
def test_a_component_set_that_cannot_be_played_with_is_refused_and_kept_to_be_mended(
    web: WebHouse, client: FlaskClient, components: str, words: str
) -> None:
    page = open_with(client, components)

    assert page.status_code in (400, 422)
    assert words in page.text
    assert f">{escape(components)}</textarea>" in page.text
    with web.service.database.read() as session:
        assert session.exec(select(Match)).all() == []
