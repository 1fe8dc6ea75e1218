"""A match is replayed in a real browser, without a new page for each of its moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from pbem.store.models import Match
from tests.browser.conftest import Site
from tests.parts import remedies
from tests.parts.processes import wait_until
from tests.web.skirmish import activated

pytestmark = pytest.mark.browser


@pytest.fixture
def match(site: Site) -> Match:
    """A match of sixty moves that is over: the history of its page leaves lines out."""
    match = site.play_on(site.running(), plies=60)
    remedies.abort(site.service, match.id, actor="host")
    return site.match(match.id)


def shows(page: Any, ply: int) -> None:
    """Waits until the page shows this step."""
    page.wait_for_selector(f'.step[data-ply="{ply}"]')
    page.wait_for_selector(f'.history li.move[data-ply="{ply}"][aria-current="step"]')


def test_keys_the_slider_and_the_lines_of_the_history_lead_through_a_match(
    site: Site, page: Any, match: Match
) -> None:
    loaded: list[str] = []
    page.goto(f"{site.address}/m/{match.id}?ply=10")
    page.on("load", lambda: loaded.append(page.url))

    seen = []
    for do, ply in steps(page):
        do()
        shows(page, ply)
        seen.append(page.url.partition("?")[2])

    assert seen == ["ply=11", "ply=10", "ply=0", "ply=60", "ply=30", "ply=29", "ply=28"]
    assert loaded == []
    newest = page.locator(".history li.move:visible").first.get_attribute("data-ply")
    assert newest == "28"
    assert page.locator("h1").text_content() == "After move 28 of 60"


def steps(page: Any) -> list[tuple[Callable[[], Any], int]]:
    """What somebody does, and the ply that is shown then."""
    slider = page.locator('.replay input[type="range"]')
    return [
        (lambda: page.keyboard.press("ArrowRight"), 11),
        (lambda: page.keyboard.press("ArrowLeft"), 10),
        (lambda: page.locator(".replay").press("Home"), 0),
        (lambda: page.locator(".replay").press("End"), 60),
        (lambda: slider.fill("30"), 30),
        (lambda: page.locator('.history [href$="?ply=29#board"]').click(), 29),
        (lambda: page.locator('[data-to="back"]').click(), 28),
    ]


def test_a_match_plays_by_itself_until_it_is_stopped(site: Site, page: Any, match: Match) -> None:
    page.goto(f"{site.address}/m/{match.id}?ply=20")

    page.locator(".replay").press("Space")
    # whoever looks for one step may find it gone
    step = page.locator(".step")
    wait_until(lambda: int(step.get_attribute("data-ply")) >= 22, "it does not play")
    page.locator('.replay input[type="range"]').press("Space")
    stopped = page.locator(".step").get_attribute("data-ply")
    page.wait_for_timeout(1600)

    assert page.locator(".step").get_attribute("data-ply") == stopped
    assert page.locator("[data-play]").get_attribute("aria-label") == "Play"


def scrolls(page: Any, key: str, away: bool) -> bool:
    """Whether a key brings the page away from its top, or back: one more press if it is lost."""
    page.keyboard.press(key)
    page.wait_for_timeout(500)
    return page.evaluate("scrollY > 0") is away


def test_keys_that_scroll_a_page_do_so_where_the_replay_has_no_focus(
    site: Site, page: Any, match: Match
) -> None:
    page.goto(f"{site.address}/m/{match.id}?ply=20")
    page.wait_for_selector(".replay .scrub:not([hidden])")

    for key, scrolled in (("End", True), ("Home", False), ("Space", True)):
        wait_until(partial(scrolls, page, key, scrolled), f"{key} does not scroll")

    assert page.locator(".step").get_attribute("data-ply") == "20"


def test_one_players_eyes_stay_through_the_steps(site: Site, page: Any, match: Match) -> None:
    page.goto(f"{site.address}/m/{match.id}?ply=20")

    page.locator(".eyes a", has_text="Bob").click()
    page.wait_for_selector('.eyes a[aria-current]:has-text("Bob")')
    page.keyboard.press("ArrowRight")
    shows(page, 21)

    assert page.locator(".eyes a[aria-current]").inner_text() == "Bob"
    assert page.locator(".hands dt").all_inner_texts() == ["Bob"]
    assert page.url.endswith("?ply=21&eyes=1")


def test_without_scripts_links_lead_through_a_match(
    site: Site, plain_page: Any, match: Match
) -> None:
    page = plain_page
    page.goto(f"{site.address}/m/{match.id}?ply=10")

    page.locator('[rel="next"]').click()

    assert page.locator(".step").get_attribute("data-ply") == "11"
    assert page.locator(".scrub").is_hidden()


def test_the_map_stays_enlarged_from_step_to_step(site: Site, page: Any) -> None:
    skirmish = activated(site)[0]
    remedies.abort(site.service, skirmish.id, actor="host")
    last = site.match(skirmish.id).ply
    page.goto(f"{site.address}/m/{skirmish.id}?ply={last - 1}")
    before = page.locator(".map-window svg").first.bounding_box()["width"]

    page.locator(".map-zoom button").first.click()
    larger = page.locator(".map-window svg").first.bounding_box()["width"]
    page.locator('[data-to="on"]').click()
    page.wait_for_selector(f'.step[data-ply="{last}"]')
    kept = page.locator(".map-window svg").first.bounding_box()["width"]
    page.locator(".map-zoom button").first.click()

    assert before < larger == kept
    assert page.locator(".map-window svg").first.bounding_box()["width"] > kept


@pytest.mark.parametrize("language", ["en-GB", "es-ES"])
def test_the_steps_of_a_long_match_fit_a_narrow_phone(
    site: Site, browser: Any, match: Match, language: str
) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, locale=language)
    page = context.new_page()
    page.goto(f"{site.address}/m/{match.id}?ply=40")

    # the longest that is said of a step of a match with hundreds of moves
    page.evaluate("""() => {
      const said = document.querySelector(".steps [data-said]");
      said.textContent = said.textContent.replaceAll(/\\d+/g, "224");
    }""")

    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_paper_has_the_wood_on_which_a_board_has_its_names(site: Site, page: Any) -> None:
    """Browsers leave grounds out in print, where nobody says otherwise."""
    match = site.of_game("dogs-of-war")
    page.goto(f"{site.address}/m/{match.id}")
    page.emulate_media(media="print")

    names = page.locator("[data-board] :text('Alice'):visible").first

    assert names.evaluate("one => getComputedStyle(one).printColorAdjust") == "exact"


def test_a_preview_on_paper_says_which_order_it_is_about_and_has_no_buttons(
    site: Site, page: Any
) -> None:
    match = site.of_game("dog")
    seat = site.waiting(match)[0]
    order = site.good_order(match, seat)
    page.goto(site.address + site.turn_path(match, seat))
    page.fill("#order", order)
    page.click("#preview")
    page.wait_for_selector("#confirm")

    page.emulate_media(media="print")

    bar = page.locator(".bar")
    assert bar.get_by_text(order).is_visible()
    assert not bar.locator("button, .button").locator("visible=true").count()
    assert bar.evaluate("one => getComputedStyle(one).position") == "static"
