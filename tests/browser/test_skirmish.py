"""The skirmish in a real browser: pointing at the map, building by a form, and without a script."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import Site
from tests.browser.hearing import heard, listen
from tests.parts.chromium import still
from tests.web.skirmish import activated, arc_ahead, face_to_face, played_to, running, state_of

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


#: Whether the order that was told last is in sight in the list of those told.
IN_THE_LIST = """() => {
  const list = document.querySelector("#skirmish .told");
  return list.lastElementChild.getBoundingClientRect().bottom
    <= list.getBoundingClientRect().bottom + 1;
}"""


def point(page: Any, x: float, y: float) -> None:
    """Clicks on the map at inches from the south-west corner."""
    page.mouse.click(*page.evaluate(WHERE, [x, y]))


def written(page: Any) -> str:
    """The order that the service has written for what was put together by fields."""
    page.wait_for_function("() => document.getElementById('order').value")
    return page.input_value("#order")


def told(page: Any, number: int = 1) -> list[str]:
    """The orders told so far, once there are so many."""
    page.wait_for_function(
        "number => document.querySelectorAll('#skirmish .told > li').length === number", arg=number
    )
    page.wait_for_selector("#skirmish:not([aria-busy])")
    return page.input_value('[name="queue"]').splitlines()


def of_man(page: Any, name: str) -> None:
    """Waits until the page lists the orders of this man."""
    page.wait_for_selector(f'details.man[open][data-name="{name}"]', state="attached")


def places(page: Any, gait: str) -> list[tuple[float, float]]:
    """Where the chosen man can go, nearest first."""
    orders = page.eval_on_selector_all(
        f"details.man[open] select.where [data-gait={gait}] option",
        "(all) => all.map((one) => one.value)",
    )
    return [tuple(map(float, order.split(" ")[-1].split(","))) for order in orders]


def own_place(page: Any) -> tuple[float, float]:
    x, y = map(float, page.get_attribute("details.man[open]", "data-at").split(","))
    return x, y


def test_tapping_the_ground_tells_the_order_and_it_is_played(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))
    page.click('.tools [data-tool="run"]')
    ways = places(page, "run")
    goal = ways[len(ways) // 2]

    point(page, *goal)
    [order] = told(page)
    page.click("#preview")
    page.click("#confirm [data-primary]")
    site.work()

    assert order.startswith(f"{team}-1 run to ")
    assert order.endswith(f"{goal[0]:g},{goal[1]:g}")
    assert site.plies(match)[-1].order_text == order


def test_a_whole_activation_is_told_by_taps_on_a_phone_and_confirmed_once(
    site: Site, page: Any
) -> None:
    match = running(site)
    seat = played_to(site, match, "activation")
    team = "alpha" if seat == 0 else "bravo"
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))
    before = len(site.plies(match))

    tap_man(page, f"{team}-2")
    page.wait_for_selector("svg .reach .ring")
    activates = told(page)
    point(page, *places(page, "walk")[8])
    told(page, 2)
    tap_man(page, f"{team}-3")
    of_man(page, f"{team}-3")
    page.click('.tools [data-tool="face"]')
    asked = page.locator("#say").inner_text()
    x, y = own_place(page)
    point(page, x + 4, y)
    told(page, 3)
    newest = page.evaluate(IN_THE_LIST)
    page.click(".tools .ends")
    page.wait_for_selector("ol.planned")
    planned = page.locator("ol.planned > li > code").all_inner_texts()
    page.click("#confirm [data-primary]")
    page.wait_for_selector(".state")
    site.work()

    assert activates == [f"activate {team}"]
    assert asked == "Tap where he shall turn to."
    assert newest
    assert len(planned) == 4
    assert planned[1].startswith(f"{team}-2 walk to ")
    assert planned[2].startswith(f"{team}-3 face ")
    assert planned[3] == f"{team} end"
    played = [ply.order_text for ply in site.plies(match)[before : before + 4]]
    assert played == planned


def tap_man(page: Any, name: str) -> None:
    """Taps on somebody's sign, wherever it is on the map."""
    page.evaluate(
        """(name) => {
          const box = document.querySelector(`svg .model[data-place="${name}"]`)
            .getBoundingClientRect();
          const at = tableMap.onDrawing(box.x + box.width / 2, box.y + box.height / 2);
          tableMap.show([at.x, at.y]);
        }""",
        name,
    )
    box = still(page.locator(f'svg .model[data-place="{name}"]').first)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_first_screen_of_a_phone_holds_the_map_the_squad_and_the_button(
    site: Site, page: Any
) -> None:
    match, seat, _ = activated(site)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))
    page.wait_for_selector("svg .reach .ring")

    boxes = [
        page.locator(part).first.bounding_box()
        for part in (".map-window", "#skirmish .squad", "#skirmish .tools", ".bar")
    ]

    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
    assert boxes[0]["height"] >= 300
    assert boxes[-1]["y"] + boxes[-1]["height"] <= 740
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    phase = page.locator(".top .where span:last-child")
    assert phase.inner_text() == "· activation"
    assert phase.evaluate("one => one.getBoundingClientRect().right <= innerWidth")


def test_the_strip_of_tools_fades_where_it_goes_on(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))
    tools = page.locator("#skirmish div.tools")
    page.wait_for_selector("svg .reach .ring")

    assert "gradient" in tools.evaluate("one => getComputedStyle(one).maskImage")
    tools.evaluate("one => one.scrollTo(one.scrollWidth, 0)")
    page.wait_for_function(
        "one => getComputedStyle(one).maskImage === 'none'", arg=tools.element_handle()
    )


def test_the_map_is_dragged_and_enlarged_and_a_drag_tells_nothing(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))
    page.wait_for_selector("svg .reach .ring")
    box = page.locator(".map-window").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    scrolled = "[tableMap.frame.scrollLeft, tableMap.frame.scrollTop]"
    before, inch = page.evaluate(scrolled), page.evaluate("tableMap.inch")

    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1] - 40, steps=4)
    page.mouse.up()
    after = page.evaluate(scrolled)
    page.mouse.wheel(0, -300)
    page.wait_for_function("inch => tableMap.inch > inch * 1.5", arg=inch)
    page.click(".map-zoom button:last-child")
    whole = page.evaluate("parseFloat(tableMap.size)")
    page.focus(".map-window")
    page.keyboard.press("+")

    assert before[0] - after[0] == 60
    assert page.locator("#skirmish .told > li").count() == 0
    assert whole <= box["width"]
    assert page.evaluate("parseFloat(tableMap.size)") > whole


def test_two_fingers_enlarge_the_map(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.goto(site.turn_url(match, seat))
    page.wait_for_selector("svg .reach .ring")

    before, after = page.evaluate(
        """() => {
          const frame = tableMap.frame, box = frame.getBoundingClientRect();
          const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
          const finger = (type, id, dx) => frame.dispatchEvent(new PointerEvent(type, {
            pointerId: id, clientX: x + dx, clientY: y, bubbles: true, button: 0,
          }));
          const before = tableMap.inch;
          finger("pointerdown", 1, -40);
          finger("pointerdown", 2, 40);
          finger("pointermove", 1, -80);
          finger("pointermove", 2, 80);
          return [before, tableMap.inch];
        }"""
    )

    assert after / before > 1.9


def test_pointing_composes_a_turn_a_throw_and_a_watch(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))
    x, y = own_place(page)
    ahead = 1 if y < 24 else -1

    page.click('.tools [data-tool="face"]')
    point(page, x + 5, y)
    [turned] = told(page)
    page.click('.tools [data-tool="throw m67"]')
    point(page, x, y + 8 * ahead)
    page.wait_for_selector("svg .reach .blast")
    thrown = told(page, 2)[1]
    rings = page.eval_on_selector_all(
        "svg .reach .blast, svg .reach .scatter",
        "(all) => all.map((one) => Number(one.getAttribute('r')))",
    )
    page.click("#preview")
    foretold = page.inner_text(".planned")
    page.click(".bar a.button")
    kept = told(page, 2)
    page.locator(".told > li button").nth(1).click()
    told(page, 1)
    page.click(".squad button:nth-child(2)")
    of_man(page, f"{team}-2")
    page.click('.tools [data-tool="wait"]')
    x, y = own_place(page)
    point(page, x, y + 20 * ahead)
    page.wait_for_selector("svg .reach .sector")
    waits = told(page, 2)[1]

    assert turned in {f"{team}-1 face {degrees}" for degrees in (89, 90, 91)}
    assert thrown.startswith(f"{team}-1 throw m67 at ")
    assert rings == [60, 60]
    assert "It takes 3 AP" in foretold
    assert "or less hits" in foretold
    assert "WP 6" in foretold
    assert "nobody is hit" in foretold
    assert kept == [turned, thrown]
    assert waits.startswith(f"{team}-2 opfire")
    assert " arc " in waits
    assert " range 20 " in waits


def test_a_watch_is_put_together_by_fields_and_told(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))

    page.click("details.all > summary")
    page.click("details.waiting > summary")
    page.select_option("#wait", index=1)
    page.select_option("#wait-chance", "50")
    page.locator("#say", has_text="chance 50").wait_for()
    page.click("#then")

    assert told(page) == [f"{team}-1 opfire with m16a2 single at first chance 50"]


def test_an_order_that_the_network_loses_is_said_and_can_be_told_again(
    site: Site, page: Any
) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))
    page.route("**/preview", lambda route: route.abort())

    page.click('.tools [data-order$=" prone"]')
    page.locator("#say", has_text="The order could not be sent. Try again.").wait_for()
    lost = page.input_value('[name="queue"]')
    page.unroute("**/preview")
    page.click('.tools [data-order$=" prone"]')

    assert lost == ""
    assert told(page) == [f"{team}-1 prone"]


def test_what_cannot_be_says_why_and_tells_nothing(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.goto(site.turn_url(match, seat))
    _, y = own_place(page)
    far = (2, 47 if y < 24 else 1)

    point(page, *far)
    page.locator("#say", has_text="cannot get there").wait_for()
    page.wait_for_selector("#skirmish:not([aria-busy])")

    assert page.locator("#skirmish .told > li").count() == 0
    assert page.input_value('[name="queue"]') == ""
    assert page.get_attribute("#preview", "aria-disabled") == "true"


def test_an_answer_that_comes_late_moves_nothing_under_the_finger(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))
    page.wait_for_selector("svg .reach .ring")
    page.click('.tools [data-tool="run"]')
    goal = places(page, "run")[4]
    held: list[Any] = []
    page.route("**/preview", lambda route: held.append(route))
    where = """() => [scrollY, tableMap.frame.scrollLeft, tableMap.frame.scrollTop,
      ...[".map-window", "#skirmish .squad"].map(
        (part) => document.querySelector(part).getBoundingClientRect().top)]"""

    point(page, *goal)
    page.wait_for_selector("#skirmish[aria-busy]")
    # the answer is under way, and the map is moved meanwhile
    page.evaluate("tableMap.frame.scrollBy({ left: 40, top: 30, behavior: 'instant' })")
    before = page.evaluate(where)
    held[0].continue_()
    told(page)

    assert page.evaluate(where) == before


def test_a_spot_is_chosen_from_the_list_and_joins_the_orders(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))

    page.click("details.all > summary")
    page.select_option("#mark-1", index=1)
    chosen = page.input_value("#order")
    page.click("#then")

    assert told(page) == [chosen]
    assert chosen.startswith(f"{team}-1 ")


def test_an_enemy_is_tapped_and_the_chance_stands_there_before_it_is_confirmed(
    site: Site, page: Any
) -> None:
    match, seat = face_to_face(site)
    page.goto(site.turn_url(match, seat))
    foe = page.get_attribute("details.man[open] details.target:has(input)", "data-target")

    tap_man(page, foe)
    offered = page.locator(".now .shots button", has_text="%")
    shots = offered.all_inner_texts()
    offered.first.click()
    told(page)
    listed = page.inner_text(".told > li")
    hit = page.locator("svg .reach .hit").count()
    page.click("#preview")
    foretold = page.inner_text(".effect")
    page.click("#confirm [data-primary]")
    page.wait_for_selector(".happened-list li")
    happened = page.locator(".happened-list li").all_inner_texts()

    assert shots
    assert all("AP" in shot for shot in shots)
    assert "%" in listed
    assert hit == 1
    assert "WP " in foretold
    assert "or less hits" in foretold
    assert any("to hit: " in line for line in happened)


def test_who_taps_an_enemy_can_run_up_to_him_and_then_fight_him(site: Site, page: Any) -> None:
    match, seat = face_to_face(site)
    page.set_viewport_size({"width": 1280, "height": 1200})
    page.goto(site.turn_url(match, seat))
    foe = page.get_attribute("details.man[open] details.target:has(input)", "data-target")

    tap_man(page, foe)
    page.locator(".now .shots button", has_text=f"Run to {foe}").click()
    [order] = told(page)
    tap_man(page, foe)
    offered = page.locator(".now .shots button").all_inner_texts()
    page.locator(".now .shots button", has_text=f"tackle {foe}").click()
    orders = told(page, 2)

    assert " run to " in order
    assert any("attack" in one.lower() for one in offered)
    assert orders == [order, f"{order.split()[0]} tackle {foe}"]


def test_an_order_is_told_by_keyboard_alone(site: Site, page: Any) -> None:
    match, seat, team = activated(site)
    page.goto(site.turn_url(match, seat))

    listen(page)

    page.focus("details.all > summary")
    page.keyboard.press("Enter")
    page.focus("details.man[open] select.where")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    chosen = page.input_value("#order")
    assert [one.startswith(f"{chosen}: ") for one in heard(page)] == [True]
    page.focus("#then")
    page.keyboard.press("Enter")

    assert chosen.startswith(f"{team}-1 walk to ")
    assert told(page) == [chosen]
    assert heard(page)[0].startswith("1 order ")


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


def test_without_a_script_orders_are_told_one_after_the_other(site: Site, plain_page: Any) -> None:
    match, seat, team = activated(site)
    plain_page.goto(site.turn_url(match, seat))

    plain_page.select_option("#where-1", index=1)
    plain_page.click("#then")
    first = plain_page.input_value('[name="queue"]')
    plain_page.click(f'a.man[data-name="{team}-2"]')
    plain_page.click("details.man[open] details.more-orders > summary")
    plain_page.check(f'input[name="order"][value="{team}-2 prone"]')
    plain_page.click("#preview")
    planned = plain_page.locator("ol.planned > li > code").all_inner_texts()
    plain_page.click("#confirm [data-primary]")
    site.work()

    assert planned == [first, f"{team}-2 prone"]
    assert [ply.order_text for ply in site.plies(match)[-2:]] == planned


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
    low, high = arc_ahead(state_of(site, match), f"{team}-1")
    plain_page.fill("#wait-from", f"{low}")
    plain_page.fill("#wait-to", f"{high}")
    plain_page.click("#preview")

    assert walk.startswith(f"{team}-1 walk to ")
    assert f"arc {low}-{high}" in plain_page.inner_text(".order-shown")


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
    listen(page)
    page.click(".add button")
    page.locator(".builder .live", has_text="the limit is 300").wait_for()

    assert page.input_value("#order") == ""
    assert heard(page)[-1] == page.inner_text(".builder .live")


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
    page.locator("#say", has_text="must stand within").wait_for()

    assert page.eval_on_selector_all(fields, "(all) => all.map((one) => one.value)") == before
    assert page.input_value("#order") == ""


def test_without_a_script_a_shot_or_an_end_is_chosen_and_played(
    site: Site, plain_page: Any
) -> None:
    match, seat, team = activated(site)
    plain_page.goto(site.turn_url(match, seat))

    plain_page.check(f'input[name="order"][value="{team} end"]')
    plain_page.click("#preview")
    plain_page.click("#confirm [data-primary]")
    site.work()

    assert site.plies(match)[-1].order_text == f"{team} end"


def test_the_map_opens_on_the_table_and_anew_in_another_width(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, seat))

    def seen() -> tuple[Any, Any]:
        map_window, ground = page.locator(".map-window"), page.locator("svg.skirmish-map .ground")
        return still(map_window), still(ground)

    on_phone = seen()
    page.set_viewport_size({"width": 1280, "height": 900})
    on_desk = seen()

    for window, ground in (on_phone, on_desk):
        below = window["y"] + window["height"] - ground["y"] - ground["height"]
        # the men stand at its southern edge: only the numbers are below it
        assert 0 < below < 60
    window, ground = on_desk
    assert ground["x"] > window["x"]
    assert ground["width"] > window["width"] * 0.8

    # those at the northern edge: no empty strip above it while something below is cut off
    page.evaluate("() => { tableMap.centre([0, 2000]); tableMap.show([tableMap.wide / 2, 20]); }")
    window, ground = seen()

    assert 0 <= ground["y"] - window["y"] < 40
    assert ground["y"] + ground["height"] > window["y"] + window["height"] - 40


def test_a_whole_activation_fits_two_screens_of_a_desk(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(site.turn_url(match, seat))

    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 900
