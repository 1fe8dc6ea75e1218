"""Dogs of War in a real browser: picked on the board, and played without a script."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from pbem.store.models import Match
from tests.browser.conftest import Site
from tests.parts.cast import people

pytestmark = pytest.mark.browser


def acting(site: Site) -> tuple[Match, int]:
    match = site.running(game="dogs-of-war", seats=people(4), options={"dogs_by": "lot"})
    while site.table(match).state.table.phase != "action":
        seat = site.waiting(match)[0]
        site.play(match, seat, site.good_order(match, seat), f"{site.match(match.id).ply}")
        site.work()
    return match, site.waiting(match)[0]


def test_a_space_is_picked_on_the_board_and_the_order_fills_the_one_field(
    site: Site, page: Any
) -> None:
    match, seat = acting(site)
    soldier, house, space = site.orders(match, seat)[0].split(" ")[:3]
    page.goto(site.turn_url(match, seat))

    page.locator(f'[name=pick-soldier][value="{soldier}"]').check()
    page.locator(f'svg.dogs-board .space[data-place="{house} {space}"]').click()

    # the service writes it, so it comes a moment later
    expect(page.locator("#order")).to_have_value(f"{soldier} {house} {space}")
    assert "The tracker goes to" in page.inner_text(".live")
    page.click("#preview")
    assert page.inner_text(".order-shown") == f"{soldier} {house} {space}"


def test_an_action_is_played_without_a_script_on_a_phone(site: Site, plain_page: Any) -> None:
    match, seat = acting(site)
    soldier, house, space = site.orders(match, seat)[0].split(" ")[:3]
    before = site.match(match.id).ply
    plain_page.set_viewport_size({"width": 360, "height": 740})
    plain_page.goto(site.turn_url(match, seat))

    plain_page.locator(f'[name=pick-soldier][value="{soldier}"]').check()
    plain_page.locator(f'details.battle:has([data-place="{house} {space}"]) summary').click()
    plain_page.locator(f'[name=pick-place][value="{house} {space}"]').check()
    plain_page.click("#preview")
    plain_page.click("#confirm button")

    assert "Your move was made" in plain_page.inner_text("main")
    assert site.match(match.id).ply == before + 1
    assert site.plies(match)[-1].order_text == f"{soldier} {house} {space}"
