"""A turn played in a real browser: by keyboard, on the board, on a phone; and by a scanner."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from pbem.acts import matches
from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.browser.conftest import Site
from tests.parts.cast import people
from tests.parts.chromium import FADING, fades_where_it_goes_on

pytestmark = pytest.mark.browser


def seven(site: Site, **asked: Any) -> tuple[Match, int, str]:
    """A match at the turn of somebody who can split a seven; the seat, and such an order."""
    for _ in range(5):
        match = site.running(**asked)
        while match.status == "running":
            match = site.play_on(match, plies=match.ply + 1)
            for seat in site.waiting(match):
                split = [
                    order
                    for order in site.orders(match, seat)
                    if order.startswith("7 ") and len(order.split()) == 3
                ]
                if split:
                    return match, seat, split[0]
    raise AssertionError("nobody was ever dealt a seven to split")


def test_a_turn_is_played_by_keyboard_without_a_script(site: Site, plain_page: Any) -> None:
    match = site.running()
    order = site.orders(match, 0)[1]
    plain_page.goto(site.turn_url(match, 0))

    plain_page.locator("input[type=radio][name=order]").first.focus()
    plain_page.keyboard.press("ArrowDown")
    plain_page.keyboard.press("Enter")
    plain_page.wait_for_selector("#confirm")
    assert site.match(match.id).ply == 0
    plain_page.locator("#confirm button").focus()
    plain_page.keyboard.press("Enter")
    plain_page.wait_for_selector("text=Your move was made")

    assert [ply.order_text for ply in site.plies(match)][1:] == [order]


def test_a_turn_is_played_by_keyboard_with_a_script(site: Site, page: Any) -> None:
    match = site.running()
    page.goto(site.turn_url(match, 0))

    page.locator(".stepwise input").first.focus()
    page.keyboard.press("Space")
    order = page.input_value("#order")
    page.locator("#preview").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#confirm")
    page.locator("#confirm button").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Your move was made")

    assert order in site.orders(match, 0) or order.startswith("give ")
    assert [ply.order_text for ply in site.plies(match)][1:] == [order]


def test_a_seven_is_built_step_by_step_on_the_board(site: Site, page: Any) -> None:
    match, seat, order = seven(site)
    page.goto(site.turn_url(match, seat))

    page.locator('.stepwise label[data-choice="7"]').first.click()
    for part in order.split()[1:]:
        source, target = part.split("-")
        pawn = page.locator(f'svg.board .pawn.can[data-place="{source}"]').first
        pawn.click()
        if page.locator("svg.board .field.can").count():
            whose = f'[data-owner="{seat}"]' if target.startswith("e") else ""
            page.locator(f'svg.board .can[data-place="{target}"]{whose}').last.click()
    page.wait_for_function("document.getElementById('order').value !== ''")
    filled = page.input_value("#order")
    page.click("#preview")
    page.wait_for_selector("#confirm")

    assert sorted(filled.split()) == sorted(order.split())
    assert page.inner_text(".order-shown") == filled


def choose(page: Any, order: str) -> None:
    """Builds an order step by step, as a player with a keyboard would."""

    def pick(value: str) -> None:
        choice = page.locator(f'.stepwise .group:last-child input[value="{value}"]').first
        choice.focus()
        choice.press("Space")

    words = order.split()
    if page.locator(".stepwise .again").is_visible():
        page.click(".stepwise .again")
    if words[0] == "give":
        for card in words[1:]:
            pick(card)
        return
    card = words[0]
    pick("*" if card.startswith("*") else card)
    if card.startswith("*"):
        pick(card[1:])
    for part in words[1:]:
        pick("home" if part == "out" else part.replace("x", "-").split("-")[0])
        if part != "out":
            pick(part)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_every_kind_of_order_can_be_built_step_by_step(site: Site, page: Any, seats: int) -> None:
    """Gifts, moves out, forward and back, swaps, jokers, sevens in parts: some of each."""
    match = site.running(seats=people(seats))
    tried: dict[str, int] = {}
    usual = {"give", "out", "go"}
    while match.status == "running" and match.ply < 150:
        if len(tried) >= 6 and tried.keys() >= usual:
            break
        seat = site.waiting(match)[0]
        orders = site.orders(match, seat)
        new = {kind(order): order for order in reversed(orders) if kind(order) not in tried}
        if new and not orders[0].startswith(("discard", "help")):
            page.goto(site.turn_url(match, seat))
            for name, order in new.items():
                choose(page, order)
                filled = page.input_value("#order")
                assert sorted(filled.split()) == sorted(order.split())
                tried[name] = match.ply
        match = site.play_on(match, plies=match.ply + 1)

    assert tried.keys() >= usual


def kind(order: str) -> str:
    words = order.split()
    if words[0] in ("give", "discard", "help"):
        return words[0]
    what = "out" if words[1:] == ["out"] else "swap" if "x" in order else "go"
    what = "split" if len(words) > 2 else what
    return ("joker " if words[0].startswith("*") else "") + what


def test_a_card_that_cannot_be_played_says_why(site: Site, page: Any) -> None:
    match = site.running()
    while True:
        seat = site.waiting(match)[0]
        table = site.table(match)
        view = table.game.view(table.state, seat)
        if getattr(view, "unplayable", None) and table.game.phase(table.state).name == "play":
            break
        match = site.play_on(match, plies=site.match(match.id).ply + 1)
    card = next(iter(view.unplayable))
    page.goto(site.turn_url(match, seat))

    page.locator(f'.stepwise label[data-choice="{card}"]').first.click()

    assert page.inner_text("#say span").startswith("Not now. ")
    assert page.get_attribute("#preview", "aria-disabled") == "true"
    assert page.input_value("#order") == ""


@pytest.mark.parametrize("width", [320, 360])
def test_pages_fit_a_phone(site: Site, page: Any, width: int) -> None:
    match, seat, _ = seven(site, language="es")
    page.set_viewport_size({"width": width, "height": 700})
    paths = [site.turn_url(match, seat), f"{site.address}/m/{match.id}", f"{site.address}/"]
    paths += [f"{site.address}/new?game=dog&players=4", f"{site.address}/rules/dog"]

    for path in paths:
        page.goto(path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} wide"


def test_the_order_of_a_receipt_lies_clear_of_its_heading(site: Site, page: Any) -> None:
    match = site.running(language="es")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.turn_url(match, 0))
    page.fill("#order", site.orders(match, 0)[0])
    page.click("#preview")
    page.click("#confirm button")
    page.wait_for_selector("h1:has-text('Tu jugada está hecha')")

    heading = page.locator("h1").bounding_box()
    order = page.locator(".state code").first.bounding_box()

    assert order["y"] > heading["y"] + heading["height"]


def test_the_mailbox_and_its_mails_fit_a_phone(site: Site, page: Any) -> None:
    """The mail of Dogs of War has a digest in it, and each has an address to answer to."""
    site.running(game="dogs-of-war", seats=people(3), language="es")
    site.running(name="La partida de los viernes por la tarde", language="es")
    while post_due(site.service):
        pass
    page.set_viewport_size({"width": 360, "height": 740})
    numbers = [one.id for one in mailbox.listed(site.service)]
    shown = [path for one in numbers for path in (f"/{one}", f"/{one}/html")]

    wide = {}
    for path in ("", "?to=alice%40example.org", *shown):
        page.goto(f"{site.address}/dev/mail{path}")
        wide[path] = page.evaluate("document.documentElement.scrollWidth")

    assert len(numbers) > 4
    assert {path for path, pixels in wide.items() if pixels > 360} == set()


def test_what_happened_since_fades_where_it_goes_on_below(site: Site, page: Any) -> None:
    match = site.play_on(site.running(), plies=12)
    page.goto(site.turn_url(match, site.waiting(match)[0]))
    story = page.locator("#since ol.story")

    story.evaluate("one => { one.style.maxHeight = 'none' }")
    page.wait_for_function(f"one => ({FADING})(one) === 'none'", arg=story.element_handle())
    story.evaluate("one => { one.style.maxHeight = '1rem' }")
    fades_where_it_goes_on(story)


def test_a_scanner_that_opens_every_link_and_presses_every_button_moves_nothing(
    site: Site, page: Any
) -> None:
    """Threat 1.4, with scripts on; each button is pressed once on a freshly opened page."""
    match, seat, _ = seven(site)
    before = site.match(match.id).ply
    url = site.turn_url(match, seat)

    page.goto(url)
    links = page.eval_on_selector_all("a[href]", "all => all.map(one => one.href)")
    for link in links:
        page.goto(link)
    page.goto(url)
    buttons = page.locator("button, input[type=submit], summary, [role=button]").count()
    for number in range(buttons):
        page.goto(url)
        button = page.locator("button, input[type=submit], summary, [role=button]").nth(number)
        if button.is_visible():
            button.click(force=True)
            page.wait_for_load_state()
            # and whatever the button led to
            for inner in range(page.locator("button").count()):
                one = page.locator("button").nth(inner)
                if one.is_visible():
                    one.click(force=True)
                    page.wait_for_load_state()

    assert buttons > 2
    assert site.match(match.id).ply == before


def test_two_browsers_that_confirm_at_once_make_one_move(site: Site, browser: Any) -> None:
    """One submission each, of the same turn, sent at the same moment."""
    match = site.running()
    url = site.turn_url(match, 0)
    orders = site.orders(match, 0)[:2]
    pages = [browser.new_context().new_page() for _ in orders]
    forms = []
    for page, order in zip(pages, orders, strict=True):
        page.goto(url)
        page.fill("#order", order)
        page.click("#preview")
        page.wait_for_selector("#confirm")
        names = ("order", "ply", "submission")
        forms.append({name: page.input_value(f"#confirm [name={name}]") for name in names})

    def send(form: dict[str, str]) -> int:
        try:
            return int(urlopen(f"{url}/confirm", urlencode(form).encode()).status)
        except HTTPError as error:
            status = error.code
            error.close()
            return status

    with ThreadPoolExecutor(2) as threads:
        statuses = sorted(threads.map(send, forms))
    pages[0].click("#confirm button")
    pages[0].wait_for_load_state()
    made = [ply.order_text for ply in site.plies(match)][1:]

    assert statuses == [200, 409]
    assert len(made) == 1
    assert made[0] in orders
    for page in pages:
        page.context.close()


def test_the_keyboards_focus_can_be_seen(site: Site, page: Any) -> None:
    match = site.running()
    page.goto(site.turn_url(match, 0))

    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    style = page.evaluate(
        "(() => { const s = getComputedStyle(document.activeElement);"
        " return [s.outlineStyle, parseFloat(s.outlineWidth)] })()"
    )

    assert style[0] != "none"
    assert style[1] >= 2


def test_a_guest_gets_the_zone_of_their_own_browser_and_not_the_hosts(
    site: Site, browser: Any
) -> None:
    match = site.open(confirmed=False, zone="Europe/Madrid")
    context = browser.new_context(timezone_id="America/Lima")
    page = context.new_page()

    page.goto(site.address + site.path(match, Purpose.JOIN, 1))
    guessed = page.input_value("#zone")
    page.goto(site.address)
    newcomers = page.input_value("input[name=zone]")
    context.close()

    assert (guessed, newcomers) == ("America/Lima", "America/Lima")


def test_names_of_one_long_word_make_no_page_wider_than_a_phone(site: Site, page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    seats = [
        matches.NewSeat(name=sign * 20 + " " + sign * 19, email=f"{sign}@example.org")
        for sign in "MWGODQ"
    ]
    match = site.play_on(site.running(seats=seats), plies=70)

    for path in (site.turn_path(match, site.waiting(match)[0]), f"/m/{match.id}"):
        page.goto(site.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, path
