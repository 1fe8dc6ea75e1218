"""Dogs of War in a real browser: taken up with a finger or a key, and played without a script."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from engine.games.dogs_of_war.box.components import SoldierCounts
from engine.games.dogs_of_war.state import Screen
from pbem.acts import matches
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.browser.conftest import Site
from tests.browser.hearing import heard, listen
from tests.parts.cast import people
from tests.parts.chromium import still
from tests.parts.processes import wait_until
from tests.web.dogs_of_war import DOGS, put_state

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
BOARD = "svg.dogs-board"
#: Where the page is scrolled to, and all that can be touched stands.
WHERE = """() => [scrollY,
  ...[...document.querySelectorAll("main :is([data-choice], button, .bar)")].map(
    (one) => JSON.stringify(one.getBoundingClientRect()))]"""


def played_to(site: Site, phase: str, seats: int = 4, **options: Any) -> tuple[Match, int]:
    """A match in this phase, and the seat that is asked."""
    given = {} if "dogs" in options else {"dogs_by": "lot"}
    match = site.running(game="dogs-of-war", seats=people(seats), options=given | options)
    site.play_on(match, until=lambda table: table.state.table.phase == phase)
    return match, site.waiting(match)[0]


def acting(site: Site) -> tuple[Match, int]:
    return played_to(site, "action")


def holding(site: Site, match: Match, seat: int, **held: Any) -> None:
    """Puts things behind a seat's screen."""
    state = site.table(match).state
    screens: list[Screen] = list(state.screens)
    screens[seat] = replace(screens[seat], **held)
    put_state(site, match, replace(state, screens=tuple(screens)))


@pytest.fixture
def phone(page: Any) -> Any:
    page.set_viewport_size(PHONE)
    return page


def said(page: Any) -> tuple[str, str]:
    """What the bar at the foot says."""
    strong, span = page.locator("#say strong, #say span").all_inner_texts()
    return strong, span


def in_sight(page: Any, *what: str) -> bool:
    """Whether these lie above the bar in the first screen, without a scroll."""
    bar = page.locator(".bar").bounding_box()
    assert page.evaluate("scrollY") == 0
    assert bar["y"] + bar["height"] <= PHONE["height"]
    boxes = [page.locator(one).first.bounding_box() for one in what]
    return all(box["y"] >= 0 and box["y"] + box["height"] <= bar["y"] for box in boxes)


def space(page: Any, place: str) -> Any:
    return page.locator(f'{BOARD} .space[data-place="{place}"]')


def tap(page: Any, what: Any) -> None:
    """A touch in the middle of it, as it lies there: nothing is scrolled for it."""
    box = still(what)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def turned_to(page: Any, place: str) -> None:
    """The battle with this space comes into sight, by its tab."""
    number = page.evaluate(
        "place => document.querySelector(`.space[data-place='${place}']`)"
        ".closest('svg').dataset.battle",
        place,
    )
    page.locator(".tabs a").nth(int(number)).click()
    expect(page.locator(".tabs a").nth(int(number))).to_have_attribute("aria-current", "true")
    still(page.locator(f'{BOARD}[data-battle="{number}"]'))


def test_a_whole_turn_is_three_taps_in_the_first_screen_of_a_phone(site: Site, phone: Any) -> None:
    match, seat = acting(site)
    soldier, house, number = site.orders(match, seat)[0].split(" ")[:3]
    place, before = f"{house} {number}", site.match(match.id).ply
    phone.goto(site.turn_url(match, seat))
    assert in_sight(phone, "ul.captains", ".tabs", BOARD, "#dogs-of-war .soldier")

    turned_to(phone, place)
    tap(phone, phone.locator(f'.soldier:has([value="{soldier}"])'))
    tap(phone, space(phone, place))

    assert said(phone)[0].endswith(f"to {house.capitalize()} {number}")
    assert "→" in said(phone)[1]
    assert phone.locator(f"{BOARD} .ghost").count() == 1
    # the service writes it, so it comes a moment later
    expect(phone.locator("#order")).to_have_value(f"{soldier} {place}")
    assert phone.evaluate("scrollY") == 0
    phone.click("#preview")
    phone.click("#confirm button")
    phone.wait_for_selector("text=Your move was made")
    assert site.match(match.id).ply == before + 1
    assert site.plies(match)[-1].order_text == f"{soldier} {place}"


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_whole_purse_is_in_sight_under_a_long_hand(
    site: Site, phone: Any, language: str
) -> None:
    match, seat = acting(site)
    holding(site, match, seat, soldiers=SoldierCounts(2, 2, 2, 2), coins=12)
    matches.set_preferences(site.service, site.link(match, Purpose.SEAT, seat), "", language)
    phone.goto(site.turn_url(match, seat))

    assert in_sight(phone, ".purse .coins", ".purse .points")
    for line in phone.locator(".purse p").all():
        box = line.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]


def test_a_space_can_be_touched_first_and_a_soldier_after_it(site: Site, phone: Any) -> None:
    match, seat = acting(site)
    holding(site, match, seat, soldiers=SoldierCounts(1, 1, 0, 0))
    soldier, house, number = site.orders(match, seat)[0].split(" ")[:3]
    phone.goto(site.turn_url(match, seat))
    turned_to(phone, f"{house} {number}")

    tap(phone, space(phone, f"{house} {number}"))
    assert "which soldier?" in said(phone)[0]
    expect(phone.locator("#preview")).to_have_attribute("aria-disabled", "true")
    held: list[Any] = []
    phone.route("**/preview", lambda route: held.append(route))
    with phone.expect_request("**/preview"):
        tap(phone, phone.locator(f'.soldier:has([value="{soldier}"])'))
    while not held:
        phone.wait_for_timeout(20)
    before = phone.evaluate(WHERE)
    held[0].continue_()

    # an answer that comes late moves nothing under the finger
    expect(phone.locator("#order")).to_have_value(f"{soldier} {house} {number}")
    expect(phone.locator("#preview")).to_have_attribute("aria-disabled", "false")
    assert phone.evaluate(WHERE) == before


def test_what_is_not_possible_is_sunk_and_says_why_when_touched(site: Site, phone: Any) -> None:
    match, seat = acting(site)
    holding(site, match, seat, soldiers=SoldierCounts(footman=2), tactics=())
    table = site.table(match).state.table
    side, needing = next(
        (side, number)
        for battle in table.battles
        for side in battle.sides
        for number, one in enumerate(side.spaces, 1)
        if one.needs is not None and side.captains[number - 1] is None
    )
    phone.goto(site.turn_url(match, seat))
    place = f"{side.house} {needing}"
    turned_to(phone, place)

    expect(space(phone, place)).to_have_attribute("aria-disabled", "true")
    tap(phone, space(phone, place))

    assert said(phone)[0] == f"{side.house.capitalize()} {needing}"
    assert "stronger" in said(phone)[1] or "knight" in said(phone)[1]
    assert phone.input_value("#order") == ""


def test_a_card_is_taken_with_it_and_put_down_again(site: Site, phone: Any) -> None:
    match, seat = acting(site)
    holding(site, match, seat, soldiers=SoldierCounts(1, 1, 1, 1), tactics=("Opportunism",))
    house, number = site.orders(match, seat)[0].split(" ")[1:3]
    phone.goto(site.turn_url(match, seat))
    turned_to(phone, f"{house} {number}")
    tap(phone, phone.locator(".soldier").first)
    tap(phone, space(phone, f"{house} {number}"))

    card = phone.locator(".tactic:not(.no-card)")
    # what is behind the right edge is drawn into sight first
    card.scroll_into_view_if_needed()
    tap(phone, card)
    expect(phone.locator("#order")).to_have_value(f"opportunism + footman {house} {number}")
    assert "with Opportunism" in said(phone)[1]
    assert phone.locator(f"{BOARD} .ghost").count() == 0, "it holds the tracker"
    tap(phone, card)

    expect(phone.locator("#order")).to_have_value(f"footman {house} {number}")
    assert phone.locator(f"{BOARD} .ghost").count() == 1


def test_a_space_that_copies_asks_which_and_the_other_tile_shines(site: Site, phone: Any) -> None:
    match, seat = next(
        (match, seat)
        for match, seat in (acting(site) for _ in range(12))
        if any(" copy " in order for order in site.orders(match, seat))
    )
    order = next(one for one in site.orders(match, seat) if " copy " in one and "+" not in one)
    soldier, house, number, _, copied = order.split(" ")
    phone.goto(site.turn_url(match, seat))
    turned_to(phone, f"{house} {number}")
    other = phone.locator(f'{BOARD}:has([data-place="{house} {number}"])')

    tap(phone, phone.locator(f'.soldier:has([value="{soldier}"])'))
    tap(phone, space(phone, f"{house} {number}"))
    assert "copies a free space" in said(phone)[0]
    shining = other.locator(".space.can").evaluate_all("all => all.map(one => one.dataset.place)")
    assert shining
    assert not any(place.startswith(house) for place in shining)
    tap(phone, other.locator(f'.space.can[data-place$=" {copied}"]'))

    expect(phone.locator("#order")).to_have_value(order)


def test_passing_is_one_tap_and_a_tick(site: Site, phone: Any) -> None:
    match, seat = acting(site)
    before = site.match(match.id).ply
    phone.goto(site.turn_url(match, seat))

    tap(phone, phone.locator(".passing"))
    assert said(phone)[0] == "Pass"
    assert "give up" in said(phone)[1]
    expect(phone.locator("#order")).to_have_value("pass")
    phone.click("#preview")
    phone.check("[name=sure]")
    phone.click("#confirm button")
    phone.wait_for_selector("text=Your move was made")

    assert site.match(match.id).ply == before + 1


def test_soldiers_are_bought_by_touching_their_cards(site: Site, phone: Any) -> None:
    match, seat = played_to(site, "mustering")
    coins = site.table(match).state.screens[seat].coins
    phone.goto(site.turn_url(match, seat))
    assert in_sight(phone, BOARD, ".ware")
    footman = phone.locator('[data-ware="footman"]')

    tap(phone, phone.locator('[data-ware="knight"] .card'))
    tap(phone, footman.locator(".card"))
    tap(phone, footman.locator(".card"))
    assert said(phone)[1] == f"Cost: 5. Left in the purse: {coins - 5}."
    tap(phone, footman.locator(".less"))

    expect(phone.locator("#order")).to_have_value("buy 1 knight, 1 footman")
    for _ in range(20):
        tap(phone, footman.locator(".card"))
    assert "more than" in said(phone)[1]
    tap(phone, phone.locator(".none"))
    expect(phone.locator("#order")).to_have_value("buy nothing")


def test_what_soldiers_cost_is_in_the_first_screen_in_spanish_too(site: Site, phone: Any) -> None:
    match, first = played_to(site, "mustering", 5)
    site.play(match, first, "buy nothing")
    site.work()
    [seat] = site.waiting(match)
    matches.set_preferences(site.service, site.link(match, Purpose.SEAT, seat), "UTC", "es")

    phone.goto(site.turn_url(match, seat))
    still(phone.locator(".ware").last)

    assert phone.locator(".last").is_visible()
    assert in_sight(phone, *(f".ware >> nth={number}" for number in range(4)))


def test_cards_are_large_enough_for_a_finger(site: Site, phone: Any) -> None:
    buying, buyer = played_to(site, "mustering")
    match, seat = acting(site)
    holding(site, match, seat, tactics=("Opportunism",))

    for url, what in (
        (site.turn_url(buying, buyer), ".wares .none"),
        (site.turn_url(match, seat), ".tactic"),
    ):
        phone.goto(url)
        assert still(phone.locator(what).first)["height"] >= 44


def test_every_other_choice_is_in_the_first_screen_and_takes_one_tap(
    site: Site, phone: Any
) -> None:
    options = {"dogs": list(DOGS), "stormcrow_withdraws": "by_choice"}
    first = played_to(site, "first player", 5, **options)
    leaving = played_to(site, "withdrawal", 5, **options)
    choosing = site.running(game="dogs-of-war", seats=people(4))
    for match, seat, what in (
        (choosing, site.waiting(choosing)[0], "play "),
        (*first, "give token to "),
        (*leaving, "withdraw "),
    ):
        phone.goto(site.turn_url(match, seat))
        assert in_sight(phone, "#dogs-of-war .thing >> nth=0", "#dogs-of-war .thing >> nth=1")
        one = 0 if what == "withdraw " else 1
        tap(phone, phone.locator("#dogs-of-war .thing").nth(one))

        assert said(phone)[0]
        expect(phone.locator("#preview")).to_have_attribute("aria-disabled", "false")
        expect(phone.locator("#order")).to_have_value(re.compile(f"^{what}"))


def test_the_conqueror_sees_where_the_trackers_would_stand(site: Site, phone: Any) -> None:
    match, seat = played_to(site, "conqueror", dogs=list(DOGS[:4]))
    shifts = site.table(match).game.view(site.table(match).state, seat).shifts
    number = next(number for number, each in enumerate(shifts) if each)
    phone.goto(site.turn_url(match, seat))
    tap(phone, phone.locator(".tabs a").nth(number))
    expect(phone.locator(".tabs a").nth(number)).to_have_attribute("aria-current", "true")
    things = phone.locator(f'.pushes[data-battle="{number}"] .thing')
    assert in_sight(phone, f'.pushes[data-battle="{number}"] .thing')

    tap(phone, things.last)

    ghosts = phone.locator(f"{BOARD} .ghost")
    assert ghosts.count() == 1
    expect(phone.locator("#order")).to_have_value(re.compile("^push "))


def test_a_turn_is_played_with_keys_alone(site: Site, page: Any) -> None:
    match, seat = acting(site)
    soldier, house, number = site.orders(match, seat)[0].split(" ")[:3]
    page.goto(site.turn_url(match, seat))
    listen(page)

    page.locator(f'[name=pick-soldier][value="{soldier}"]').focus()
    page.keyboard.press("Space")
    assert [": where to? " in one for one in heard(page)] == [True]
    one = space(page, f"{house} {number}")
    expect(one).to_have_attribute("role", "button")
    named = page.get_by_role("button", name=re.compile(f"^{house} {number}: ", re.IGNORECASE))
    expect(named).to_have_attribute("data-place", f"{house} {number}")
    one.focus()
    page.keyboard.press("Enter")

    expect(one).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#order")).to_have_value(f"{soldier} {house} {number}")
    [went] = heard(page)
    assert f" to {house.capitalize()} {number} " in went
    assert "→" in went
    page.locator("#preview").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#confirm")


def test_on_a_desk_all_battles_are_side_by_side_in_the_first_screen(site: Site, page: Any) -> None:
    match, seat = acting(site)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(site.turn_url(match, seat))

    boxes = [one.bounding_box() for one in page.locator(BOARD).all()]

    assert len({box["y"] for box in boxes}) == 1
    assert [box["x"] for box in boxes] == sorted({box["x"] for box in boxes})
    bar = page.locator(".bar").bounding_box()
    assert max(box["y"] + box["height"] for box in [*boxes, bar]) <= 900
    assert not page.locator(".tabs").is_visible()


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (3, {"two_battles": True}),
        (4, {"sudden_death": True}),
        (5, {"decisive_fourth_year": True, "crushing_at_twelve": True}),
    ],
)
def test_no_table_is_wider_than_a_phone(
    seats: int, options: dict[str, Any], site: Site, phone: Any
) -> None:
    match, seat = played_to(site, "action", seats, **options)
    phone.goto(site.turn_url(match, seat))

    assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert phone.locator(BOARD).count() == (2 if options.get("two_battles") else 3)
    assert in_sight(phone, "ul.captains", ".tabs", BOARD, "#dogs-of-war .soldier")


def test_an_action_is_played_without_a_script_on_a_phone(site: Site, plain_page: Any) -> None:
    match, seat = acting(site)
    soldier, house, space_ = site.orders(match, seat)[0].split(" ")[:3]
    before = site.match(match.id).ply
    plain_page.set_viewport_size(PHONE)
    plain_page.goto(site.turn_url(match, seat))

    plain_page.locator(f'[name=pick-soldier][value="{soldier}"]').check()
    plain_page.locator(f'details.battle:has([data-place="{house} {space_}"]) summary').click()
    plain_page.locator(f'[name=pick-place][value="{house} {space_}"]').check()
    plain_page.click("#preview")
    plain_page.click("#confirm button")

    assert "Your move was made" in plain_page.inner_text("main")
    assert site.match(match.id).ply == before + 1
    assert site.plies(match)[-1].order_text == f"{soldier} {house} {space_}"


def test_the_bar_asks_for_nothing_more_once_an_order_is_typed(site: Site, phone: Any) -> None:
    match, seat = acting(site)
    phone.goto(site.turn_url(match, seat))
    asked = said(phone)

    phone.fill("#order", site.orders(match, seat)[0])
    typed = said(phone)
    phone.fill("#order", "")

    assert typed == ("", "Ready: see what it would do.")
    assert said(phone) == asked == ("Choose a soldier", "Then a space that shines")


@pytest.mark.parametrize("line", ["fast", "slow"])
def test_a_receipt_on_a_phone_shows_the_battle_of_the_move(
    line: str, site: Site, phone: Any
) -> None:
    match, seat = acting(site)
    path = site.turn_url(match, seat)
    phone.goto(path)
    houses = phone.locator(f'{BOARD}[data-battle="2"]').get_attribute("data-houses").lower().split()
    order = next(one for one in site.orders(match, seat) if one.split()[1] in houses)
    phone.fill("#order", order)
    phone.click("#preview")
    phone.wait_for_selector("#confirm")
    site.slow = line == "slow"
    phone.click("#confirm button")
    phone.wait_for_selector("text=Your move was made")
    phone.wait_for_load_state()

    box = still(phone.locator(".field.moved"))

    assert 0 <= box["x"] < PHONE["width"] / 2


def test_cards_that_go_on_beyond_the_edge_lie_under_the_pass(site: Site, phone: Any) -> None:
    match, seat = acting(site)
    screens = site.table(match).state.screens
    many = sorted({card for screen in screens for card in screen.tactics})[:6]
    holding(site, match, seat, tactics=tuple(many))
    phone.goto(site.turn_url(match, seat))
    beside = """() => {
      const strip = document.querySelector(".strip");
      const fade = getComputedStyle(strip.querySelector(".pass"), "::before");
      const reaches = fade.right === `-${getComputedStyle(strip).paddingRight}`;
      return [reaches, Number(fade.opacity), strip.scrollWidth > strip.clientWidth];
    }"""

    begins = phone.evaluate(beside)
    phone.evaluate("document.querySelector('.strip').scrollLeft = 9999")
    wait_until(lambda: phone.evaluate(beside)[1] == 0, "there is more to see")
    ends = phone.evaluate(beside)

    assert begins == [True, 1, True]
    assert ends == [True, 0, True]


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 900}], ids=["phone", "desk"])
def test_the_banners_of_a_battle_are_whole(site: Site, page: Any, size: Any) -> None:
    page.set_viewport_size(size)
    page.goto(site.turn_url(*acting(site)))

    board = page.locator(BOARD).first
    shown = [one for one in board.locator(":is(.long, .short)").all() if one.is_visible()]

    assert len(shown) == 2
    for banner in shown:
        assert banner.bounding_box()["y"] >= board.bounding_box()["y"]


def test_the_score_sheet_of_five_is_whole_on_a_desk(site: Site, page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    seats = [
        matches.NewSeat(name=f"Bartholomew {part}", email=f"{part}@example.org")
        for part in ("Ashdown", "Berkeley", "Cholmondeley", "Devereux", "Egerton")
    ]
    match = site.play_on(site.running(game="dogs-of-war", seats=seats), plies=10_000)

    page.goto(f"{site.address}/m/{match.id}")

    sheet = page.locator(".sheets .scroll")
    assert sheet.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert sheet.locator("thead th").count() == 5
    assert page.locator(".sheets .chart").bounding_box()["width"] >= 416
