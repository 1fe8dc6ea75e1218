"""The rules of one match, and where refusals lead to them."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from engine.games.dogs_of_war.box.components import catalogue
from engine.games.registry import BUILT_IN, find
from pbem.store.models import Match
from tests.parts.cast import people
from tests.web.house import WebHouse


def seats_of(game: str) -> list[dict[str, str]]:
    return people(2 if game == "skirmish" else 4)


def anchors(page: str) -> list[str]:
    return re.findall(r'<a id="((?:DOG|ODD|DOW|SKR)[\w-]+)"', page)


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_rule_of_a_match_has_one_anchor(
    web: WebHouse, client: FlaskClient, game: str
) -> None:
    match = web.running(game=game, seats=seats_of(game))
    rules = find(game)
    book = rules.rulebook(match.seat_count, rules.options_type(), match.rules_version)

    page = client.get(f"/m/{match.id}/rules").text

    told = {one for chapter in book for rule in chapter.rules for one in rule.ids}
    assert len(told) > 30
    assert sorted(anchors(page)) == sorted(told)


def test_only_what_holds_in_a_match_stands_in_its_rules(web: WebHouse, client: FlaskClient) -> None:
    four, five = web.running(), web.running(seats=people(5))
    burning = web.running(options={"seven_burns_own": True})

    pages = [client.get(f"/m/{match.id}/rules").text for match in (four, five, burning)]

    assert "DOG-61" in anchors(pages[0])
    assert "DOG-61" not in anchors(pages[1])
    assert "ODD5-9" in anchors(pages[1])
    assert "but not your own" in pages[0]
    assert "but not your own" not in pages[2]
    assert "Changed options:" in pages[2]
    assert "a 7 sends your own overtaken pawns Home" in pages[2]


def test_the_rules_of_a_match_have_the_cards_of_its_own_set(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(game="dogs-of-war")

    page = client.get(f"/m/{match.id}/rules").text

    assert "Betrayal" in page
    assert "Component set pbem-1, version 1: pbem&#39;s own set, first version" in page
    assert catalogue("pbem-1").digest in page
    assert "tactic cards and bonus tokens are this project&#39;s own set" in page


def test_the_table_leads_to_the_rules_of_its_match(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()

    page = client.get(f"/m/{match.id}").text

    assert f'href="/m/{match.id}/rules"' in page


def test_a_refused_order_leads_to_its_rule(web: WebHouse, client: FlaskClient) -> None:
    match, seat, order, rule = refused(web)

    page = client.post(web.turn_path(match, seat) + "/preview", data={"order": order}).text

    assert f'<a href="/m/{match.id}/rules#{rule}">' in page
    assert rule in anchors(client.get(f"/m/{match.id}/rules").text)


def refused(web: WebHouse) -> tuple[Match, int, str, str]:
    """A turn with an order that a rule forbids: a card that is not in the hand is given."""
    match = web.running()
    seat = web.waiting(match)[0]
    held = {order.split()[1] for order in web.orders(match, seat)}
    missing = next(card for card in ("2", "3", "5", "6", "8", "9", "10", "Q") if card not in held)
    return match, seat, f"give {missing}", "DOG-13"


@pytest.mark.parametrize("game", BUILT_IN)
def test_the_main_rules_stand_on_one_page(web: WebHouse, client: FlaskClient, game: str) -> None:
    match = web.running(game=game, seats=seats_of(game))

    pages = [
        client.get(path).text for path in (f"/rules/{game}/summary", f"/m/{match.id}/rules/summary")
    ]

    assert f'href="/rules/{game}/summary"' in client.get("/rules").text
    assert f'href="/rules/{game}/summary"' in client.get(f"/rules/{game}").text
    assert f'href="/m/{match.id}/rules/summary"' in client.get(f"/m/{match.id}/rules").text
    for page in pages:
        sheet = page.split('<div class="sheet">')[1]
        assert 10 < sheet.count("<li>") < 45


def test_rules_of_no_match_and_no_game_are_not_found(client: FlaskClient) -> None:
    paths = ("/m/nothing/rules", "/m/nothing/rules/summary", "/rules/nothing/summary")

    assert [client.get(path).status_code for path in paths] == [404] * 3


def test_the_rules_of_a_match_are_read_in_spanish(web: WebHouse, client: FlaskClient) -> None:
    match = web.running(language="es")

    page = client.get(f"/m/{match.id}/rules").text

    assert "Reglas de esta partida" in page
    assert "Los compañeros se sientan uno enfrente del otro." in page


def test_the_places_that_pay_are_named_in_spanish(web: WebHouse, client: FlaskClient) -> None:
    match = web.of_game("skirmish", language="es", options={"scenario": "hold"})

    page = client.get(f"/m/{match.id}/rules").text

    assert "cobra quien está solo allí: cruce: 60." in page
