"""The skirmish in a real browser: pointing at the map, building by a form, and without a script."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.dice import NoDice
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import spotting
from pbem.store.models import Match
from tests.browser.conftest import Site
from tests.web.skirmish import activated, played_to, put_state, running, state_of

#: Where a place in inches is on the screen: 20 units of the drawing are an inch.
WHERE = """([x, y]) => {
  const svg = document.querySelector("svg.skirmish-map");
  const window_ = svg.closest(".map-window");
  const at = () => new DOMPoint(x * 20, (48 - y) * 20).matrixTransform(svg.getScreenCTM());
  window_.scrollLeft += at().x - window_.getBoundingClientRect().left - window_.clientWidth / 2;
  window_.scrollTop += at().y - window_.getBoundingClientRect().top - window_.clientHeight / 2;
  scrollBy({ top: at().y - innerHeight / 2, behavior: "instant" });
  return [at().x, at().y];
}"""


def point(page: Any, x: float, y: float) -> None:
    """Clicks on the map at inches from the south-west corner."""
    page.mouse.click(*page.evaluate(WHERE, [x, y]))


def written(page: Any) -> str:
    """The order that the service has written for what was pointed at or put together."""
    page.wait_for_function("() => document.getElementById('order').value")
    return page.input_value("#order")


def test_pointing_at_the_ground_writes_the_order_and_it_is_played(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))
    page.click('.tools [data-tool="run"]')
    ways = page.eval_on_selector_all(
        "details.man[open] select.where [data-gait=run] option",
        "(all) => all.map((one) => one.value)",
    )
    goal = ways[len(ways) // 2].split(" ")[-1]

    point(page, *map(float, goal.split(",")))
    order = page.input_value("#order")
    page.click("#preview")
    page.click("#confirm button")
    site.work()

    assert order.startswith(f"{team}-1 run to ")
    assert order.endswith(goal)
    assert site.plies(match)[-1].order_text == order


def test_pointing_composes_a_turn_a_throw_and_a_watch(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))
    x, y = map(float, page.get_attribute("details.man[open]", "data-at").split(","))
    ahead = 1 if y < 24 else -1

    page.click('.tools [data-tool="face"]')
    point(page, x + 5, y)
    turned = written(page)
    page.click('.tools [data-tool="throw m67"]')
    point(page, x, y + 8 * ahead)
    page.wait_for_selector("svg .reach .blast")
    thrown = written(page)
    said = page.inner_text("#skirmish .live-map .live")
    rings = page.eval_on_selector_all(
        "svg .reach circle", "(all) => all.map((one) => Number(one.getAttribute('r')))"
    )
    page.click("#preview")
    foretold = page.inner_text(".effect")
    page.go_back()
    page.click('.tools [data-tool="wait"]')
    point(page, x, y + 20 * ahead)
    page.wait_for_selector("svg .reach .sector")
    waits = written(page)
    page.select_option("#wait-chance", "50")
    page.wait_for_function("() => document.getElementById('order').value.endsWith('chance 50')")
    page.click("#preview")

    assert turned in {f"{team}-1 face {degrees}" for degrees in (89, 90, 91)}
    assert thrown.startswith(f"{team}-1 throw m67 at ")
    assert "It takes 3 AP" in said
    assert "or less hits" in said
    assert rings == [60, 60]
    assert "It takes 3 AP" in foretold
    assert "WP 6" in foretold
    assert " arc " in waits
    assert " range 20 " in waits
    assert page.inner_text(".order-shown").endswith("chance 50")
    assert "He watches from" in page.inner_text(".effect")


def test_an_answer_that_comes_late_moves_no_choice_under_the_finger(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.goto(site.turn_url(match, seat))
    x, y = map(float, page.get_attribute("details.man[open]", "data-at").split(","))
    top = "document.querySelector('details.man').offsetTop"
    before = page.evaluate(top)

    page.click('.tools [data-tool="throw m67"]')
    point(page, x, y + (8 if y < 24 else -8))
    page.wait_for_selector("svg .reach .blast")
    shown = page.evaluate(top)
    point(page, x, 47 if y < 24 else 1)
    page.locator(".live-map .live", has_text="out of range").wait_for()

    assert before == shown == page.evaluate(top)


def test_a_spot_is_chosen_from_the_list_and_its_burst_is_drawn(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))

    page.select_option("#mark-1", index=1)
    page.wait_for_selector("svg .reach .blast")

    assert page.input_value("#order") == page.input_value("#mark-1")
    assert page.input_value("#order").startswith(f"{team}-1 ")


def test_an_enemy_is_pointed_at_and_the_chance_stands_there_before_it_is_confirmed(
    site: Site, page: Any
) -> None:
    match, seat = face_to_face(site)
    page.goto(site.turn_url(match, seat))
    foe = page.get_attribute("details.man[open] details.target:has(input)", "data-target")

    page.locator(f'svg .moving .model[data-place="{foe}"]').first.click(force=True)
    said = page.inner_text("#skirmish .live-map .live")
    page.click("#preview")
    foretold = page.inner_text(".effect")
    page.click("#confirm button")
    happened = page.locator(".happened-list li").all_inner_texts()

    assert "WP " in said
    assert "%" in said
    assert "or less hits" in foretold
    assert any("to hit: " in line for line in happened)


def face_to_face(site: Site) -> tuple[Match, int]:
    """A match whose teams look at each other over six inches of open ground."""
    match = running(site, table="bridge")
    seat = played_to(site, match, "activation")
    state = state_of(site, match)
    rows = (6_000, 12_000)
    models = tuple(
        replace(model, x=20_000 + 1_600 * number, y=rows[model.seat], facing=model.seat * 180)
        for number, model in enumerate(state.models)
    )
    play = Play(replace(state, models=models), NoDice(), "test")
    spotting.refresh(play)
    put_state(site, match, play.close())
    team = "alpha" if seat == 0 else "bravo"
    site.play(match, seat, f"activate {team}", "begin")
    site.work()
    return match, seat


def test_a_place_is_chosen_by_keyboard_from_the_list(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))

    page.focus("details.man[open] select.where")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")

    assert page.input_value("#order").startswith(f"{team}-1 walk to ")


def test_the_map_is_readable_on_a_phone_and_the_page_no_wider_than_it(
    site: Site, plain_page: Any
) -> None:
    match, seat, _ = activated(site)
    plain_page.set_viewport_size({"width": 360, "height": 740})
    plain_page.goto(site.turn_url(match, seat))

    inch = plain_page.evaluate("document.querySelector('svg.skirmish-map').getScreenCTM().a * 20")
    wide = plain_page.evaluate("document.documentElement.scrollWidth")
    plain_page.check('[name="map-size"][value="small"]')
    whole = plain_page.evaluate(
        "document.querySelector('svg.skirmish-map').getBoundingClientRect().width"
    )

    assert wide <= 360
    assert 0.9 * inch >= 11  # a sign's letters are 0.9 inches high
    assert whole <= 360


def test_on_a_phone_the_answer_to_a_tap_stands_in_sight_at_the_foot_of_the_map(
    site: Site, page: Any
) -> None:
    match, seat, team = activated(site)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))
    x, y = map(float, page.get_attribute("details.man[open]", "data-at").split(","))
    tap = (x, y + (8 if y < 24 else -8))

    page.click('.tools [data-tool="throw m67"]')
    point(page, *tap)
    page.wait_for_selector("svg .reach .blast")
    seen = page.locator(".live-map .live").bounding_box()
    map_ = page.locator(".map-window").bounding_box()
    _, at = page.evaluate(WHERE, list(tap))
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.click(".live-map .go-on button")

    assert 0 <= seen["y"] < seen["y"] + seen["height"] <= 740
    assert map_["y"] < at < seen["y"]
    assert wide <= 360
    assert page.inner_text(".order-shown").startswith(f"{team}-1 throw m67 at ")


def test_without_a_script_a_walk_is_chosen_and_a_watch_is_put_together(
    site: Site, plain_page: Any
) -> None:
    match, seat, team = activated(site)
    plain_page.goto(site.turn_url(match, seat))

    plain_page.select_option("#where-1", index=1)
    plain_page.click("#preview")
    walk = plain_page.inner_text(".order-shown")
    plain_page.goto(site.turn_url(match, seat))
    plain_page.click("details.waiting summary")
    plain_page.select_option("#wait", index=1)
    plain_page.fill("#wait-from", "300")
    plain_page.fill("#wait-to", "60")
    plain_page.click("#preview")

    assert walk.startswith(f"{team}-1 walk to ")
    assert "arc 300-60" in plain_page.inner_text(".order-shown")


def test_a_force_is_put_together_by_a_form(site: Site, page: Any) -> None:
    match = running(site)
    page.goto(site.turn_url(match, 0))

    page.select_option(".add select", "rangers ")
    page.click(".add button")
    page.select_option(".teams fieldset p:nth-of-type(1) select", "motorola")
    force = "build rangers (1: motorola)"
    page.wait_for_function("force => document.getElementById('order').value === force", arg=force)
    told = page.inner_text(".builder .live")
    page.click("#preview")

    assert "275" in told
    assert page.inner_text(".order-shown") == force


def test_a_force_that_is_too_dear_is_refused_by_the_service(site: Site, page: Any) -> None:
    match = running(site, points=300)
    page.goto(site.turn_url(match, 0))

    page.select_option(".add select", "rangers ")
    page.click(".add button")
    written(page)
    page.click(".add button")
    page.locator(".builder .live", has_text="the limit is 300").wait_for()

    assert page.input_value("#order") == ""


def test_a_model_is_placed_by_pointing(site: Site, page: Any) -> None:
    match = running(site)
    seat = played_to(site, match, "deployment")
    page.goto(site.turn_url(match, seat))
    south = 0 if state_of(site, match).sides[seat] == "south" else 40

    page.click(".picks button:first-child")
    point(page, 10, south + 3)

    name = page.inner_text(".picks button:first-child")
    order = written(page)
    assert order.startswith(f"deploy {name} ")
    x, y = map(float, order.split(" ")[2].split(","))
    assert abs(x - 10) < 0.3
    assert abs(y - south - 3) < 0.3


def test_a_model_that_may_not_stand_there_goes_back_and_the_rule_says_why(
    site: Site, page: Any
) -> None:
    match = running(site)
    seat = played_to(site, match, "deployment")
    page.goto(site.turn_url(match, seat))
    fields = ".how:not([hidden]) input[type=number]"
    before = page.eval_on_selector_all(fields, "(all) => all.map((one) => one.value)")

    point(page, 24, 24)
    page.locator(".deployer .live", has_text="must stand within").wait_for()

    assert page.eval_on_selector_all(fields, "(all) => all.map((one) => one.value)") == before
    assert page.input_value("#order") == ""


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
