"""The skirmish in a real browser: pointing at the map, building by a form, and without a script."""

from __future__ import annotations

from typing import Any

from pbem.models import Match
from tests.browser.conftest import Site
from tests.web.test_skirmish import played_to, running

#: Where a place in inches is on the screen: 20 units of the drawing are an inch.
WHERE = """([x, y]) => {
  const svg = document.querySelector("svg.skirmish-map");
  const window_ = svg.closest(".map-window");
  const at = () => new DOMPoint(x * 20, (48 - y) * 20).matrixTransform(svg.getScreenCTM());
  window_.scrollLeft += at().x - window_.getBoundingClientRect().left - window_.clientWidth / 2;
  scrollBy({ top: at().y - innerHeight / 2, behavior: "instant" });
  return [at().x, at().y];
}"""


def point(page: Any, x: float, y: float) -> None:
    """Clicks on the map at inches from the south-west corner."""
    page.mouse.click(*page.evaluate(WHERE, [x, y]))


def activated(site: Site) -> tuple[Match, int, str]:
    match = running(site)
    seat = played_to(site, match, "activation")
    team = "alpha" if seat == 0 else "bravo"
    site.play(match, seat, f"activate {team}", "begin")
    site.work()
    return match, seat, team


def test_pointing_at_the_ground_writes_the_order_and_it_is_played(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))
    ways = page.get_attribute("details.man", "data-ways").split("|")
    goal = ways[len(ways) // 2].split("/")[0].split(" ")[-1]

    point(page, *map(float, goal.split(",")))
    order = page.input_value("#order")
    page.click("#preview")
    page.click("#confirm button")
    site.work()

    assert order.startswith(f"{team}-1 ")
    assert order.endswith(goal)
    assert site.plies(match)[-1].order_text == order


def test_a_force_is_put_together_by_a_form(site: Site, page: Any) -> None:
    match = running(site)
    page.goto(site.turn_url(match, 0))

    page.select_option(".add select", "1")
    page.click(".add button")
    page.select_option(".teams fieldset p:nth-of-type(1) select", "motorola")

    assert page.input_value("#order") == "build rangers (1: motorola)"
    assert "275" in page.inner_text(".builder .live")


def test_a_model_is_placed_by_pointing(site: Site, page: Any) -> None:
    match = running(site)
    seat = played_to(site, match, "deployment")
    page.goto(site.turn_url(match, seat))
    zone = [int(v) / 1000 for v in page.get_attribute(".deployer", "data-zone").split(",")]

    page.click(".picks button:first-child")
    point(page, 10, zone[1] + 3)

    name = page.inner_text(".picks button:first-child")
    order = page.input_value("#order")
    assert order.startswith(f"deploy {name} ")
    x, y = map(float, order.split(" ")[2].split(","))
    assert abs(x - 10) < 0.3
    assert abs(y - zone[1] - 3) < 0.3


def test_without_a_script_a_shot_or_an_end_is_chosen_and_played(
    site: Site, plain_page: Any
) -> None:
    match, seat, team = activated(site)
    plain_page.goto(site.turn_url(match, seat))

    plain_page.check(f'input[name="order"][value="{team} end"]')
    plain_page.click("#preview")
    plain_page.click("#confirm button")
    site.work()

    assert site.plies(match)[-1].order_text == f"{team} end"
