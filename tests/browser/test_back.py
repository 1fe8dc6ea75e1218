"""Back from the page that confirms a move: what was chosen is still chosen, in every game.

By the page's own Back and by the browser's, with scripts and without.
"""

from __future__ import annotations

from typing import Any

import pytest

from pbem.store.models import Match
from tests.browser.conftest import Site
from tests.browser.test_captains import acting, played_to, space, tap
from tests.browser.test_sevens import pick, set_up
from tests.browser.test_skirmish import own_place, point, told, written
from tests.parts.processes import wait_until
from tests.web import skirmish
from tests.web.skirmish import activated

pytestmark = pytest.mark.browser

#: What the form would send now, and what is chosen beside it in Dog.
CHOSEN = """() => {
  const form = document.getElementById("move");
  return form && [
    [...new FormData(form)].map(String).filter((one) => !one.startsWith("say_key,")),
    [...document.querySelectorAll(".stepwise input:checked")].map(({ value }) => value),
    document.getElementById("preview").getAttribute("aria-disabled") === "true",
  ];
}"""

both_backs = pytest.mark.parametrize("back", ["of the page", "of the browser"])


def previewed(page: Any) -> Any:
    """What is chosen, when it was sent to be previewed."""
    chosen = page.evaluate(CHOSEN)
    page.click("#preview")
    page.wait_for_selector("#confirm")
    assert page.locator("#confirm button").count() == 1
    return chosen


def go(page: Any, back: str) -> None:
    if back == "of the page":
        page.click(".bar a.button")
    else:
        page.go_back()
    page.wait_for_selector("#move")


def still_chosen(page: Any, chosen: Any) -> None:
    wait_until(lambda: page.evaluate(CHOSEN) == chosen, f"{page.evaluate(CHOSEN)} is not {chosen}")


@both_backs
def test_the_pawns_of_a_seven_are_still_chosen(site: Site, page: Any, back: str) -> None:
    match = set_up(site, 4, {0: (10, 30), 1: (12,), 3: (33,)}, "7 2")
    page.goto(site.turn_url(match, 0))
    for value in ("7", "10", "10-13", "30", "30-34"):
        pick(page, value)
    page.wait_for_selector('svg.board .pawn[data-place="12"] .hit', state="attached")
    said, rings = page.inner_text("#say"), page.locator("svg.board .ring.chosen").count()

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert chosen[1] == ["7", "10", "10-13", "30", "30-34"]
    page.wait_for_selector('svg.board .pawn[data-place="12"] .hit', state="attached")
    assert page.inner_text("#say") == said
    assert page.locator("svg.board .ring.chosen").count() == rings > 0


@both_backs
@pytest.mark.parametrize(
    ("hand", "values"),
    [("K 2", ["K", "home"]), ("* 2", ["*", "4", "10", "10-6"]), ("J 2", ["J", "10", "10x12"])],
)
def test_a_card_and_its_pawn_are_still_chosen(
    site: Site, page: Any, back: str, hand: str, values: list[str]
) -> None:
    match = set_up(site, 4, {0: (10,), 1: (12,)}, hand)
    page.goto(site.turn_url(match, 0))
    for value in values:
        pick(page, value)

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert chosen[1] == values


@both_backs
def test_a_gift_is_still_chosen(site: Site, page: Any, back: str) -> None:
    match = site.running()
    page.goto(site.turn_url(match, 0))
    page.locator(".stepwise input").nth(1).check(force=True)

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert len(chosen[1]) == 1


@both_backs
def test_without_a_script_a_card_and_its_pawn_are_still_chosen(
    site: Site, plain_page: Any, back: str
) -> None:
    match = set_up(site, 4, {0: (10, 30)}, "A 3")
    plain_page.goto(site.turn_url(match, 0))
    plain_page.click('[data-card="3"] summary')
    plain_page.check('[value="3 30-33"]')

    chosen = previewed(plain_page)
    go(plain_page, back)

    still_chosen(plain_page, chosen)
    assert plain_page.is_checked('[value="3 30-33"]')
    if back == "of the page":
        assert plain_page.is_visible('[value="3 30-33"]')


@both_backs
def test_a_soldier_and_a_space_are_still_chosen(site: Site, page: Any, back: str) -> None:
    match, seat = acting(site)
    soldier, house, number = site.orders(match, seat)[0].split(" ")[:3]
    page.goto(site.turn_url(match, seat))
    tap(page, page.locator(f'.soldier:has([value="{soldier}"])'))
    space(page, f"{house} {number}").dispatch_event("click")
    written(page)

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert f"pick-soldier,{soldier}" in chosen[0]
    assert space(page, f"{house} {number}").get_attribute("aria-pressed") == "true"


@both_backs
def test_on_a_phone_the_battle_of_the_chosen_space_comes_into_sight(
    site: Site, page: Any, back: str
) -> None:
    match, seat = acting(site)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))
    houses = page.locator('svg.dogs-board[data-battle="2"]').get_attribute("data-houses").lower()
    order = next(one for one in site.orders(match, seat) if one.split()[1] in houses)
    soldier, house, number = order.split(" ")[:3]
    page.check(f'[name=pick-soldier][value="{soldier}"]', force=True)
    space(page, f"{house} {number}").dispatch_event("click")
    written(page)

    previewed(page)
    go(page, back)

    page.wait_for_selector('.tabs a:nth-child(3)[aria-current="true"]')


@both_backs
def test_what_is_bought_is_still_chosen(site: Site, page: Any, back: str) -> None:
    match, seat = played_to(site, "mustering")
    page.goto(site.turn_url(match, seat))
    page.locator(".ware.can .card").first.click()
    written(page)

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert page.locator(".ware.chosen").count() == 1


@both_backs
def test_without_a_script_a_soldier_and_a_space_are_still_chosen(
    site: Site, plain_page: Any, back: str
) -> None:
    match, seat = acting(site)
    soldier, house, number = site.orders(match, seat)[0].split(" ")[:3]
    plain_page.goto(site.turn_url(match, seat))
    plain_page.check(f'[name=pick-soldier][value="{soldier}"]')
    plain_page.click(f'details.battle:has([data-place="{house} {number}"]) summary')
    plain_page.check(f'[name=pick-place][value="{house} {number}"]')

    chosen = previewed(plain_page)
    go(plain_page, back)

    still_chosen(plain_page, chosen)
    assert plain_page.is_checked(f'[name=pick-place][value="{house} {number}"]')


@both_backs
def test_orders_told_on_the_map_are_still_told(site: Site, page: Any, back: str) -> None:
    match, seat, _ = activated(site)
    page.goto(site.turn_url(match, seat))
    page.click('.tools [data-tool="face"]')
    x, y = own_place(page)
    point(page, x + 5, y)
    told(page)
    page.click(".tools [data-order]")
    orders = told(page, 2)

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert told(page, 2) == orders


@both_backs
def test_an_end_is_still_chosen_after_the_orders_before_it(
    site: Site, page: Any, back: str
) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))
    page.click(".tools [data-order]")
    orders = told(page)

    page.click(".tools .ends")
    page.wait_for_selector("#confirm")
    go(page, back)

    assert told(page) == orders
    assert page.input_value("#order") == f"{team} end"
    assert page.inner_text("#say").startswith(f"{team} end")
    assert page.get_attribute("#preview", "aria-disabled") == "false"


@both_backs
def test_without_a_script_orders_of_a_list_are_still_chosen(
    site: Site, plain_page: Any, back: str
) -> None:
    match, seat, team = activated(site)
    plain_page.goto(site.turn_url(match, seat))
    plain_page.select_option("#where-1", index=1)
    plain_page.click("#then")
    plain_page.click(f'a.man[data-name="{team}-2"]')
    plain_page.click("details.man[open] details.more-orders > summary")
    plain_page.check(f'input[name="order"][value="{team}-2 prone"]')

    chosen = previewed(plain_page)
    go(plain_page, back)

    still_chosen(plain_page, chosen)
    if back == "of the page":
        assert plain_page.is_visible(f'input[name="order"][value="{team}-2 prone"]')


@both_backs
def test_models_stand_where_they_were_put(site: Site, page: Any, back: str) -> None:
    match = skirmish.running(site)
    seat = skirmish.played_to(site, match, "deployment")
    page.goto(site.turn_url(match, seat))
    page.locator("fieldset.how:visible [name^=pick-facing]").fill("45")
    page.locator("fieldset.how:visible [name^=pick-facing]").blur()
    written(page)

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert page.input_value("fieldset.how [name^=pick-facing] >> nth=0") == "45"


@both_backs
def test_a_force_stays_as_it_was_put_together(site: Site, page: Any, back: str) -> None:
    match = skirmish.running(site)
    seat = skirmish.played_to(site, match, "building")
    page.goto(site.turn_url(match, seat))
    page.click(".builder .add button")
    page.select_option(".builder .member select >> nth=0", index=1)
    written(page)

    chosen = previewed(page)
    go(page, back)

    still_chosen(page, chosen)
    assert page.locator(".builder .member button").count() == 1


def test_a_force_stays_with_what_is_to_be_said_and_when_something_was_said(
    site: Site, page: Any
) -> None:
    match = skirmish.running(site)
    seat = skirmish.played_to(site, match, "building")
    page.goto(site.turn_url(match, seat))
    page.click(".builder .add button")
    page.select_option(".builder .member select >> nth=0", index=1)
    page.click("summary:has-text('Say something')")
    page.fill("#to-say", "Have fun")
    written(page)

    chosen = previewed(page)
    page.click(".bar .quiet")
    page.wait_for_selector("#move")
    still_chosen(page, chosen)
    assert page.input_value("#to-say") == "Have fun"

    page.click("text=Say it now")
    page.wait_for_selector("text=Said: Have fun")
    written(page)
    assert page.locator(".builder .member button").count() == 1


@both_backs
def test_without_a_script_a_ready_made_force_is_still_chosen(
    site: Site, plain_page: Any, back: str
) -> None:
    match = skirmish.running(site)
    seat = skirmish.played_to(site, match, "building")
    plain_page.goto(site.turn_url(match, seat))
    plain_page.locator('input[name="order"][type=radio]').first.check()

    chosen = previewed(plain_page)
    go(plain_page, back)

    still_chosen(plain_page, chosen)


def test_a_move_that_was_played_is_not_chosen_any_more(site: Site, page: Any) -> None:
    match: Match = site.running()
    page.goto(site.turn_url(match, 0))
    page.locator(".stepwise input").nth(1).check(force=True)
    previewed(page)
    page.click("#confirm button")
    page.wait_for_selector("text=Your move was made")

    back_to_the_first(page)

    assert page.locator("#move").count() == 0


def test_orders_that_were_played_are_not_chosen_at_the_next_step(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.goto(site.turn_url(match, seat))
    page.click(".tools [data-order]")
    told(page)
    previewed(page)
    page.click("#confirm button")
    page.wait_for_selector("text=Your move was made")

    back_to_the_first(page)

    assert told(page, 0) == []


def back_to_the_first(page: Any) -> None:
    """Over the page of the receipt and that of the preview, to where the move was chosen."""
    with page.expect_navigation():
        page.evaluate("history.go(-2)")
    assert "ply=" in page.url
