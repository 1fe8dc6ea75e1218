"""A seven of Dog in a real browser: what its parts do is seen as they are chosen."""

from __future__ import annotations

from typing import Any

import pytest

from engine.codec import encode
from pbem.store.models import Match
from tests.browser.conftest import Site
from tests.browser.hearing import heard, listen
from tests.engine.games.dog.tables import table
from tests.parts.cast import people

pytestmark = pytest.mark.browser


def set_up(
    site: Site,
    seats: int,
    pawns: dict[int, Any],
    hand: str,
    language: str = "en",
    **options: Any,
) -> Match:
    """A match in which the seat 0 is to play on this table."""
    options = {"first_dealer": "first", **options}
    match = site.running(seats=people(seats), language=language, options=options)
    while not (site.waiting(match) == [0] and site.table(match).state.stage == "play"):
        match = site.play_on(match, plies=match.ply + 1)
    state = table(pawns, {0: hand}, seats=seats, **options)
    with site.service.database.write("test") as session:
        row = session.get(Match, match.id)
        assert row is not None
        row.state_json = encode(state).decode()
        session.add(row)
    return match


def pick(page: Any, value: str, group: str = ":last-child") -> None:
    """Chooses with the keyboard: what is touched on the board is a list only for keys."""
    choice = page.locator(f'.stepwise .group{group} input[value="{value}"]').first
    choice.focus()
    choice.press("Space")


def test_who_is_sent_home_is_marked_after_each_part_of_a_seven(site: Site, page: Any) -> None:
    match = set_up(site, 4, {0: (10, 30), 1: (12,), 3: (33,)}, "7 2")
    held: list[Any] = []
    page.route("**/preview", lambda route: held.append(route))
    page.goto(site.turn_url(match, 0))
    listen(page)

    for value in ("7", "10", "10-13"):
        pick(page, value)
    chosen = heard(page)
    held[-1].continue_()
    page.unroute("**/preview")
    page.wait_for_selector('svg.board .pawn[data-place="12"] .hit')

    answered = heard(page)

    step = "Choose the next pawn of the seven; steps left: 4."
    assert chosen[-1] == f"7: 10 → 13 {step}"
    assert answered == [f"7: 10 → 13 Bob's pawn on 12 is overtaken and goes Home. {step}"]
    assert page.locator("svg.board .hit").count() == 1
    assert "Bob's pawn on 12 is overtaken and goes Home." in page.inner_text("#say")
    assert "steps left: 4" in page.inner_text("#say")
    assert page.input_value("#order") == ""

    pick(page, "30")
    assert page.locator("svg.board .hit").count() == 1, "it stays marked while one chooses on"
    pick(page, "30-34")
    page.wait_for_selector('svg.board .pawn[data-place="33"] .hit')

    assert page.locator("svg.board .hit").count() == 2
    assert sorted(page.input_value("#order").split()) == ["10-13", "30-34", "7"]

    page.click(".stepwise .again")
    assert page.locator("svg.board .hit").count() == 0


@pytest.mark.parametrize("by", ["touch", "keys"])
def test_a_part_of_a_seven_is_taken_back(site: Site, page: Any, by: str) -> None:
    match = set_up(site, 4, {0: (10, 30), 1: (12,), 3: (33,)}, "7 2")
    page.goto(site.turn_url(match, 0))
    back = page.locator(".stepwise .back")

    def step_back() -> None:
        if by == "touch":
            back.click()
        else:
            page.keyboard.press("Backspace")

    hidden = [back.is_hidden()]
    for value in ("7", "10", "10-13", "30", "30-34"):
        pick(page, value)
    page.wait_for_selector('svg.board .pawn[data-place="33"] .hit')
    whole, says = page.input_value("#order"), back.get_attribute("aria-description")
    step_back()
    page.wait_for_selector('svg.board .pawn[data-place="12"] .hit')
    one = page.input_value("#order"), page.inner_text("#say strong"), page.inner_text("#say span")
    pick(page, "30")
    pawn = page.inner_text("#say strong"), back.get_attribute("aria-description")
    step_back()
    again = page.inner_text("#say strong")
    step_back()
    none = page.inner_text("#say strong"), page.locator("svg.board .choice").count()
    hidden.append(back.is_hidden())
    for value in ("30", "30-37"):
        pick(page, value)

    assert sorted(whole.split()) == ["10-13", "30-34", "7"]
    assert says == "Takes back 30 → 34. Backspace does the same."
    assert one[:2] == ("", "7: 10 → 13")
    assert one[2].endswith("Choose the next pawn of the seven; steps left: 4.")
    assert pawn == ("7: 10 → 13, 30 →", "Takes back pawn on 30. Backspace does the same.")
    assert again == "7: 10 → 13"
    assert none == ("7", 0)
    assert hidden == [True, True]
    assert page.input_value("#order") == "7 30-37"


def test_an_answer_that_comes_late_moves_no_choice(site: Site, page: Any) -> None:
    match = set_up(site, 4, {0: (10, 30), 1: (12,), 3: (33,)}, "7 2")
    held: list[Any] = []
    page.route("**/preview", lambda route: held.append(route))
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(site.turn_url(match, 0))
    for value in ("7", "10", "10-13"):
        pick(page, value)
    choice = page.locator('.stepwise .group:last-child input[value="30"]')
    before = choice.bounding_box()

    held[-1].continue_()
    page.wait_for_selector('svg.board .pawn[data-place="12"] .hit')

    assert "goes Home" in page.inner_text("#say")
    assert choice.bounding_box() == before


def top(page: Any, selector: str) -> float:
    """How far down the page something stands."""
    found: float = page.evaluate(
        "one => document.querySelector(one).getBoundingClientRect().top + scrollY", selector
    )
    return found


@pytest.mark.parametrize("width", [320, 360, 1040])
def test_choosing_moves_nothing_that_was_there_before(site: Site, page: Any, width: int) -> None:
    match = set_up(site, 4, {0: (10, 30), 1: (12,), 3: (33,)}, "7 2 *")
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(site.turn_url(match, 0))
    above = top(page, ".stepwise .group label")

    for value in ("*", "7", "10", "10-13", "30", "30-34"):
        pick(page, value)
        assert top(page, ".stepwise .group label") == above, value


@pytest.mark.parametrize("width", [320, 360, 1040])
def test_an_answer_that_comes_late_moves_no_button(site: Site, page: Any, width: int) -> None:
    match = set_up(site, 4, {0: (10,), 1: (11, 12, 13), 3: (14, 15)}, "7 2")
    held: list[Any] = []
    page.route("**/preview", lambda route: held.append(route))
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(site.turn_url(match, 0))
    for value in ("7", "10"):
        pick(page, value)
    with page.expect_request("**/preview"):
        pick(page, "10-17")
    while not held:
        page.wait_for_timeout(20)
    before = top(page, "#preview")

    held[-1].continue_()
    page.wait_for_selector('svg.board .pawn[data-place="15"] .hit', state="attached")

    assert "Dave's pawn on 15 is overtaken" in page.inner_text("#say")
    assert top(page, "#preview") == before


def test_an_answer_about_what_was_chosen_before_is_not_listened_to(site: Site, page: Any) -> None:
    """It once put the old order back under the new choice."""
    match = set_up(site, 4, {0: (10, 30), 1: (12,)}, "2 3")
    held: list[Any] = []
    page.route("**/preview", lambda route: held.append(route))
    page.goto(site.turn_url(match, 0))
    for value in ("2", "10", "10-12"):
        pick(page, value)
    assert page.input_value("#order") == "2 10-12"
    while not held:
        page.wait_for_timeout(20)

    pick(page, "3", ":first-child")
    with page.expect_response("**/preview"):
        held[-1].continue_()
    page.wait_for_timeout(100)

    assert page.input_value("#order") == ""
    assert page.locator("svg.board .hit").count() == 0
    assert "goes Home" not in page.inner_text("#say")


def test_choosing_again_takes_the_order_back(site: Site, page: Any) -> None:
    """Another card, another meaning of a joker, another pawn: none leaves the old order there."""
    match = set_up(site, 4, {0: (10, 30)}, "2 J *")
    page.goto(site.turn_url(match, 0))

    for again in ("J", "*"):
        for value in ("2", "10", "10-12"):
            pick(page, value, "")
        assert page.input_value("#order") == "2 10-12"
        pick(page, again, ":first-child")
        assert page.input_value("#order") == ""
    for value in ("3", "10", "10-13"):
        pick(page, value)
    assert page.input_value("#order") == "*3 10-13"
    pick(page, "30", "")
    assert page.input_value("#order") == ""
    assert page.inner_text(".stepwise output") == "*3 …"
    pick(page, "30-33")
    assert page.input_value("#order") == "*3 30-33"


def test_an_order_that_is_written_is_not_overwritten_by_an_answer(site: Site, page: Any) -> None:
    match = set_up(site, 4, {0: (10, 30)}, "2 3")
    held: list[Any] = []
    page.route("**/preview", lambda route: held.append(route))
    page.goto(site.turn_url(match, 0))
    for value in ("2", "10", "10-12"):
        pick(page, value)
    while not held:
        page.wait_for_timeout(20)

    page.fill("#order", "3 30-33")
    with page.expect_response("**/preview"):
        held[-1].continue_()
    page.wait_for_timeout(100)

    assert page.input_value("#order") == "3 30-33"


def test_the_keyboard_stays_where_it_was_while_one_chooses(site: Site, page: Any) -> None:
    match = set_up(site, 4, {0: (10, 30), 1: (12,)}, "A 2")
    page.goto(site.turn_url(match, 0))
    page.locator(".stepwise input").first.focus()

    held = []
    for key in ("Space", "Tab", "Space", "ArrowRight", "Tab", "Space"):
        page.keyboard.press(key)
        held.append(page.evaluate("document.activeElement.value"))

    assert held == ["A", "home", "home", "10", "10-11", "10-11"]
    assert page.input_value("#order") == "A 10-11"


def test_the_last_card_of_a_deal_shows_what_it_does(site: Site, page: Any) -> None:
    """New cards follow, which nobody knows; whom the card sends Home, everybody can."""
    match = set_up(site, 4, {0: (10, 30), 1: (12,)}, "7")
    page.goto(site.turn_url(match, 0))
    for value in ("7", "10", "10-17"):
        pick(page, value)
    page.wait_for_selector('svg.board .pawn[data-place="12"] .hit', state="attached")

    page.click("#preview")
    page.wait_for_selector("#confirm")

    assert "Bob's pawn on 12 is overtaken and goes Home." in page.inner_text("main")
    assert "What follows depends on what nobody knows yet" in page.inner_text("main")


def test_a_card_says_what_it_does_when_it_is_chosen(site: Site, page: Any) -> None:
    match = set_up(site, 4, {0: (10,)}, "4 K")
    page.goto(site.turn_url(match, 0))

    pick(page, "4")

    assert page.inner_text("#say span").startswith("4 fields forward or 4 backward.")


def test_a_seven_with_thousands_of_ways_is_still_built_step_by_step(site: Site, page: Any) -> None:
    pawns = {
        0: (0, 71, 84, 88),
        1: (5, 9, 10, 91),
        2: (13, 27, 30, 85),
        3: (36, 46, 47, 76),
        4: (51, 54, 59, 87),
        5: (1, 77, 78, 86),
    }
    match = set_up(site, 6, pawns, "7 *", canadian_seven=True)
    assert len(site.orders(match, 0)) > 10_000
    page.goto(site.turn_url(match, 0))

    pick(page, "7")
    assert 0 < page.locator(".stepwise .group:last-child input").count() <= 8
    pick(page, "84")
    assert 0 < page.locator(".stepwise .group:last-child input").count() <= 7
    pick(page, "84-91")

    assert page.input_value("#order") == "7 84-91"
    page.wait_for_selector('svg.board .pawn[data-place="85"] .hit')
