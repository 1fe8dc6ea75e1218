"""What is on a page can be seen: clear of what is beside it, within the window, in all colours."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.games.dogs_of_war.box.components import SoldierCounts
from tests.browser.conftest import Site
from tests.browser.test_captains import acting
from tests.browser.test_skirmish import tap_man
from tests.parts.chromium import fades_where_it_goes_on, still
from tests.web.dogs_of_war import put_state
from tests.web.skirmish import activated, face_to_face, played_to, running
from tests.web.test_signing_in import link_of

pytestmark = pytest.mark.browser

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
#: Pairs of these parts of a drawing that overlap.
MET = """([some, others]) => {
  const boxes = (what) => [...document.querySelectorAll(what)]
    .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect());
  const apart = (a, b) =>
    a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  return boxes(some).flatMap((a) => boxes(others)
    .filter((b) => !apart(a, b)).map((b) => [a, b].map((one) => JSON.stringify(one))));
}"""


def test_the_players_of_a_lobby_stand_clear_of_the_picture_above_them(
    site: Site, page: Any
) -> None:
    lobby = site.of_game("dog", confirmed=False)
    page.set_viewport_size(PHONE)
    page.goto(f"{site.address}/m/{lobby.id}")

    picture, heading = (
        still(page.locator(".cover-figure img:visible")),
        still(page.locator("h2").first),
    )

    assert heading["y"] - picture["y"] - picture["height"] >= 16


def test_the_history_of_a_table_fades_where_its_box_goes_on(site: Site, page: Any) -> None:
    match = site.play_on(site.running(), plies=12)
    page.set_viewport_size(PHONE)
    page.goto(f"{site.address}/m/{match.id}")
    story = page.locator(".history ol.story")

    story.evaluate("one => { one.style.maxHeight = '5rem' }")
    fades_where_it_goes_on(story)


def test_what_the_bar_of_dog_says_stands_in_the_middle_beside_its_button(
    site: Site, page: Any
) -> None:
    match = site.running()
    page.set_viewport_size(PHONE)
    page.goto(site.turn_url(match, site.waiting(match)[0]))

    said, button = still(page.locator("#say span")), still(page.locator("#preview"))

    middle = said["y"] + said["height"] / 2
    assert abs(middle - button["y"] - button["height"] / 2) < 3


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_soldiers_and_arrows_of_a_battle_lie_clear_of_the_names_of_its_houses(
    site: Site, page: Any, size: dict[str, int]
) -> None:
    match, seat = acting(site)
    site.play(match, seat, site.good_order(match, seat))
    site.work()
    state = site.table(match).state
    sides = [
        tuple(replace(side, soldiers=SoldierCounts(1, 1, 1, 1)) for side in battle.sides)
        for battle in state.table.battles
    ]
    battles = tuple(
        replace(battle, sides=both) for battle, both in zip(state.table.battles, sides, strict=True)
    )
    put_state(site, match, replace(state, table=replace(state.table, battles=battles)))
    page.set_viewport_size(size)
    page.goto(site.turn_url(match, site.waiting(match)[0]))

    names = ".dogs-board .plate"
    assert page.locator(names).count() == 6
    assert page.locator(".dogs-board .pill").count() == 24
    assert page.evaluate(MET, [".dogs-board .pill", f"{names}, .dogs-board .bonus"]) == []
    assert page.evaluate(MET, [".dogs-board .way", names]) == []


def test_all_fields_of_a_place_are_in_sight_on_a_phone(site: Site, page: Any) -> None:
    match = running(site)
    seat = played_to(site, match, "deployment")
    page.set_viewport_size(PHONE)
    page.goto(site.turn_url(match, seat))

    fields = page.locator(".deployer .how:not([hidden]) input").all()

    assert len(fields) == 4
    for box in map(still, fields):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_an_address_has_room_in_the_form_that_asks_for_new_tables(
    site: Site, page: Any, size: dict[str, int]
) -> None:
    page.set_viewport_size(size)
    page.goto(f"{site.address}/open")

    assert still(page.locator("#watch [type=email]"))["width"] >= 240


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_the_pictures_of_ones_turns_are_of_one_size(
    site: Site, page: Any, size: dict[str, int]
) -> None:
    for game in ("dog", "dogs-of-war", "skirmish"):
        site.of_game(game)
    page.set_viewport_size(size)
    page.goto(site.address + link_of(site, "alice"))
    page.click("main form button")
    page.wait_for_selector(".own-cards img")

    boxes = [still(one) for one in page.locator(".own-cards img:visible").all()]

    assert len(boxes) == 3
    assert len({(box["width"], box["height"]) for box in boxes}) == 1
    assert boxes[0]["width"] == boxes[0]["height"]


def test_the_heading_of_a_preview_has_one_line_beside_the_clock(site: Site, page: Any) -> None:
    match, seat = acting(site)
    page.set_viewport_size(DESK)
    page.goto(site.turn_url(match, seat))
    page.fill("#order", site.good_order(match, seat))
    page.click("#preview")
    page.wait_for_selector("#confirm")

    assert still(page.locator(".state h1"))["height"] < 40


@pytest.mark.parametrize("width", [320, 360])
def test_on_a_phone_the_skirmish_says_how_much_reserve_there_is(
    site: Site, page: Any, width: int
) -> None:
    match = running(site, points=250)
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(site.turn_url(match, 0))

    reserve, until = (still(page.locator(one).first) for one in (".clock span span", ".until"))

    assert page.locator(".clock span span").inner_text() == "+ 4 d reserve"
    assert until["x"] + until["width"] <= reserve["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_head_of_a_page_stays_where_it_is_from_page_to_page(site: Site, page: Any) -> None:
    match = site.running()
    page.set_viewport_size(DESK)
    lefts = set()
    for path in (site.turn_path(match, site.waiting(match)[0]), f"/m/{match.id}", "/"):
        page.goto(site.address + path)
        lefts.add(still(page.locator(".top .home"))["x"])
    heading = still(page.locator("h1"))

    assert lefts == {heading["x"]}


def test_in_the_systems_own_colours_edges_say_what_acts_and_what_is_chosen(
    site: Site, browser: Any
) -> None:
    match, seat, _ = activated(site)
    context = browser.new_context(forced_colors="active")
    page = context.new_page()
    page.goto(site.turn_url(match, seat))
    page.wait_for_selector("svg .reach .ring")

    edges = page.eval_on_selector_all(
        "#preview, .map-zoom button:first-child",
        "all => all.map(one => getComputedStyle(one).border)",
    )
    chosen, other = page.eval_on_selector_all(
        ".squad [aria-pressed]",
        """all => ["true", "false"].map(pressed => getComputedStyle(
          all.find(one => one.ariaPressed === pressed)).outlineStyle)""",
    )

    assert [edge.split()[:2] for edge in edges] == [["2px", "solid"]] * 2
    assert (chosen, other) == ("solid", "none")
    context.close()


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_shots_at_an_enemy_and_both_ways_to_him_are_on_the_first_screen(
    site: Site, page: Any, size: dict[str, int]
) -> None:
    match, seat = face_to_face(site)
    page.set_viewport_size(size)
    page.goto(site.turn_url(match, seat))
    foe = page.get_attribute("details.man[open] details.target:has(input)", "data-target")

    tap_man(page, foe)
    ways = page.locator(".now .shots button", has_text=f" to {foe}").all()
    shots = page.locator(".now .shots button", has_text="%")

    assert len(ways) == 2
    assert shots.count() == 5
    top = still(page.locator(".bar"))["y"]
    for box in map(still, [*ways, shots.first]):
        assert box["x"] + box["width"] <= size["width"]
        assert box["y"] + box["height"] <= top
