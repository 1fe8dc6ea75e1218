"""A turn of Dog by touch, on a phone of 360 by 740: cards, pawns and holes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import Site
from tests.browser.test_sevens import set_up
from tests.parts.cast import people
from tests.parts.chromium import still
from tests.web.test_signing_in import link_of

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}


@pytest.fixture
def phone(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport=PHONE, has_touch=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert wrong == []


def tap(page: Any, selector: str, aside: float = 0) -> None:
    """Touches the middle of something that is in the first screen, or so many pixels beside it."""
    box = still(page.locator(selector).last)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    assert page.evaluate("scrollY") == 0
    assert 0 <= y <= PHONE["height"]
    page.touchscreen.tap(x + aside, y)


def card(name: str) -> str:
    return f'.stepwise .hand label[data-choice="{name}"]'


def pawn(place: str) -> str:
    return f'svg.board .pawn[data-place="{place}"] use'


def hole(place: str) -> str:
    return f'svg.board .field[data-place="{place}"] use'


def confirm(page: Any) -> None:
    tap(page, "#preview")
    page.wait_for_selector("#confirm")
    page.locator("#confirm button").tap()
    page.wait_for_selector("text=Your move was made")


def test_a_whole_turn_takes_five_touches_and_no_scrolling(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {0: (20, 22), 1: (29,)}, "2 9 K")
    phone.goto(site.turn_url(match, 0))

    tap(phone, card("9"))
    tap(phone, pawn("20"))
    tap(phone, pawn("29"))
    phone.wait_for_selector(f"{pawn('29')} ~ .hit")
    assert phone.inner_text("#say strong") == "9: 20 → 29"
    assert "goes Home" in phone.inner_text("#say span")
    confirm(phone)

    assert site.plies(match)[-1].order_text == "9 20-29"


def test_the_stamp_of_a_turn_is_touched_from_the_edge_on(site: Site, phone: Any) -> None:
    match = site.running()
    phone.goto(site.turn_url(match, 0))
    stamp = still(phone.locator(".top .home"))

    touched = phone.evaluate(
        "y => [...Array(60).keys()].filter(x => document.elementFromPoint(x, y)?.closest('.home'))",
        stamp["y"] + stamp["height"] / 2,
    )

    assert len(touched) >= 44


def test_a_seven_counts_down_and_is_played_by_touch(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {0: (20, 40)}, "7 2")
    phone.goto(site.turn_url(match, 0))

    tap(phone, card("7"))
    tap(phone, pawn("20"))
    tap(phone, hole("23"))
    assert "steps left: 4" in phone.inner_text("#say span")
    tap(phone, pawn("40"))
    tap(phone, hole("44"))
    confirm(phone)

    assert sorted(site.plies(match)[-1].order_text.split()) == ["20-23", "40-44", "7"]


def test_a_joker_is_told_what_it_stands_for_by_touch(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {0: (20,), 1: (30,)}, "* 2")
    phone.goto(site.turn_url(match, 0))

    tap(phone, card("*"))
    tap(phone, '.stepwise .small label[data-choice="J"]')
    tap(phone, pawn("20"))
    tap(phone, pawn("30"))
    phone.wait_for_function("document.getElementById('order').value !== ''")
    assert phone.inner_text("#say strong") == "joker as J: 20 ⇄ 30"
    confirm(phone)

    assert site.plies(match)[-1].order_text == "*J 20x30"


def test_the_bar_says_the_whole_of_what_is_chosen(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {0: (20,)}, "* 2")
    phone.goto(site.turn_url(match, 0))

    tap(phone, card("*"))
    tap(phone, '.stepwise label[data-choice="K"]')
    tap(phone, 'svg.board .pawn.can[data-place="home"] use')
    shown = phone.locator("#say strong")

    assert shown.inner_text() == "joker as K: a pawn out of Home"
    assert shown.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert phone.locator("#say").evaluate("one => one.scrollHeight <= one.clientHeight")


def test_a_pawn_is_brought_out_by_touching_a_card_and_home(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {0: (20,)}, "K 2")
    phone.goto(site.turn_url(match, 0))

    tap(phone, card("K"))
    tap(phone, 'svg.board .pawn.can[data-place="home"] use')
    confirm(phone)

    assert site.plies(match)[-1].order_text == "K out"


def test_two_gifts_are_given_by_touch_and_the_bar_says_to_whom(site: Site, phone: Any) -> None:
    match = site.running(seats=people(5), options={"first_dealer": "first"})
    seat = site.waiting(match)[0]
    order = site.orders(match, seat)[1]
    first, second = order.split()[1:]
    view = site.table(match).game.view(site.table(match).state, seat)
    names = [person.name for person in people(5)]
    one, other = (names[number] for number in view.seats[seat].gives_to)
    phone.goto(site.turn_url(match, seat))

    tap(phone, card(first))
    tap(phone, f'.stepwise .small label[data-choice="{second}"]')

    said = [
        f"joker → {name}" if gift == "*" else f"{gift} → {name}"
        for gift, name in ((first, one), (second, other))
    ]
    assert phone.inner_text("#say strong") == ", ".join(said)
    confirm(phone)
    assert site.plies(match)[-1].order_text == order


def test_a_card_to_put_down_is_touched_like_any_other(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {}, "5 6", discard="one")
    phone.goto(site.turn_url(match, 0))
    asked = phone.inner_text("#say")

    tap(phone, card("6"))
    said = phone.inner_text("#say strong")
    confirm(phone)

    assert asked == "You can play none of your cards. Choose one to put down."
    assert said == "put down 6"
    assert site.plies(match)[-1].order_text == "discard 6"


def test_a_touch_beside_a_hole_means_the_nearest_and_one_far_away_nothing(
    site: Site, phone: Any
) -> None:
    match = set_up(site, 4, {0: (20,)}, "A 2")
    phone.goto(site.turn_url(match, 0))
    tap(phone, card("2"))
    tap(phone, pawn("20"))

    tap(phone, hole("22"), aside=-60)
    assert phone.input_value("#order") == ""
    tap(phone, hole("22"), aside=-20)
    assert phone.input_value("#order") == "2 20-22"


def test_what_can_be_touched_answers_keys_and_says_what_it_is(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {0: (20,)}, "2 3")
    phone.goto(site.turn_url(match, 0))
    phone.locator(f"{card('2')} input").press("Space")

    can = phone.locator("svg.board .can")
    assert can.get_attribute("role") == "button"
    assert can.get_attribute("aria-label") == "pawn on 20"
    can.press("Enter")
    assert phone.locator("svg.board .can").last.get_attribute("aria-label") == "to 22"
    phone.locator("svg.board .can").last.press(" ")

    assert phone.input_value("#order") == "2 20-22"


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("language", ["en", "es"])
def test_board_hand_and_bar_are_in_the_first_screen(
    site: Site, phone: Any, seats: int, language: str
) -> None:
    match = set_up(site, seats, {0: (20, 22), 1: (29,)}, "2 5 9 7 K *", language=language)
    phone.goto(site.turn_url(match, 0))

    for chosen in ("9", "7", "K", "*"):
        phone.locator(f"{card(chosen)} input").press("Space")
        for part in ("svg.board", ".stepwise .options", ".bar"):
            box = phone.locator(part).first.bounding_box()
            assert box["y"] >= 0, (part, chosen)
            assert box["y"] + box["height"] <= PHONE["height"], (part, chosen)
        bar, hand = (phone.locator(one).bounding_box() for one in (".bar", ".stepwise .hand"))
        assert hand["y"] + hand["height"] <= bar["y"]
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_refusal_leaves_the_hand_in_sight_and_the_button_waits(site: Site, phone: Any) -> None:
    match = set_up(site, 4, {0: (20, 22), 1: (29,)}, "2 5 9 7 K *")
    phone.goto(site.turn_url(match, 0))
    phone.fill("#order", "9 20-31")
    assert phone.inner_text("#say span") == "Ready: see what it would do."
    phone.click("#preview")
    phone.wait_for_selector("#problem")
    phone.evaluate("scrollTo(0, 0)")

    bar, hand = (phone.locator(one).bounding_box() for one in (".bar", ".stepwise .hand"))
    assert hand["y"] + hand["height"] <= bar["y"]
    assert phone.get_attribute("#preview", "aria-disabled") == "true"
    assert phone.inner_text("#say span") == "Choose a card."
    assert not phone.is_visible(".stepwise .again")

    tap(phone, card("9"))
    assert phone.inner_text(".stepwise output") == ""
    tap(phone, ".stepwise .again")
    assert not phone.is_visible(".stepwise .again")
    assert phone.evaluate("document.activeElement.value") == "2"


def test_boxes_and_buttons_to_choose_from_are_as_high_as_a_finger(site: Site, phone: Any) -> None:
    """The words do not run on under the box or button that they belong to."""
    phone.goto(site.address + link_of(site, "alice"))
    with phone.expect_navigation():
        phone.locator("main form button").tap()

    for path in ("/home/settings", "/home/forget"):
        phone.goto(site.address + path)
        labels = phone.locator("label:has(input[type=radio], input[type=checkbox])").all()
        assert labels
        for label in labels:
            assert label.bounding_box()["height"] >= 44, label.inner_text()
            assert label.evaluate("one => getComputedStyle(one).display") == "flex"
