"""Makes the pictures of the documentation from a real running service.

usage: python -m tests.browser.screens [FOLDER]        FOLDER is docs/images where it is left out
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from sqlmodel import select

from pbem.acts import deliverability
from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.people import proofs
from pbem.store import db
from pbem.store.models import AddressLink, Match
from pbem.store.names import MailKind, Purpose
from tests.acceptance.people import sensible
from tests.browser import test_captains
from tests.browser.conftest import Site, serve
from tests.parts import chromium
from tests.parts.cast import address
from tests.web.skirmish import activated

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
LETTER = {"width": 640, "height": 1000}
#: Pixels of the page below the last element of a picture.
MARGIN = 8
#: Colours of a picture, so that it is light: the most frequent ones exactly, then those that are
#: farther than so much from all others.
COLOURS, EXACTLY = 192, 48
APART = 30
#: What a picture may weigh, in bytes: the repository carries it for ever.
MOST = 150_000


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        url = f"sqlite:///{home}/pbem.sqlite3"
        db.upgrade(url)
        with serve(Path(home), url, "screens") as site, chromium.launched() as browser:
            take_all(site, browser, folder)


def take_all(site: Site, browser: Any, folder: Path) -> None:
    """One match, from the second deal on, as its people see it."""

    def shoot(page: Any, name: str, last: str) -> None:
        """The page down to the end of the first element that ``last`` selects."""
        file = folder / f"{name}.png"
        found = page.locator(last).first.bounding_box()
        height = math.ceil(found["y"] + found["height"]) + MARGIN
        seen = page.viewport_size
        page.set_viewport_size({**seen, "height": height})
        page.screenshot(path=file)
        # what is as high as the window is measured anew on the next page
        page.set_viewport_size(seen)
        with Image.open(file) as drawn:
            few = with_few_colours(drawn.convert("RGB"))
        few.save(file, optimize=True)
        size = file.stat().st_size
        print(f"{name}.png {size:,} bytes")
        if size > MOST:
            raise SystemExit(f"That is more than {MOST:,} bytes.")

    match, seat = with_choice(site)
    while post_due(site.service):
        pass
    name = site.seat(match, seat).name
    mails = [mail for mail in mailbox.listed(site.service, address(name)) if "/t/" in mail.text]
    letter = browser.new_context(viewport=LETTER).new_page()
    letter.goto(f"{site.address}/dev/mail/{mails[-1].id}/html")
    shoot(letter, "mail", "img.board")

    phone = browser.new_context(viewport=PHONE).new_page()
    phone.goto(site.turn_url(match, seat))
    shoot(phone, "phone", ".bar")

    wide = browser.new_context(viewport=WIDE).new_page()
    wide.goto(site.turn_url(match, seat))
    card = wide.locator(".stepwise label.as-card:not(.cannot)").first
    card.click()
    shoot(wide, "turn", "figure.boardbox")
    chosen = card.get_attribute("data-choice")
    orders = [one for one in site.orders(match, seat) if one.split()[0] == chosen]
    wide.fill("#order", sensible({"orders": orders, "seat": seat}))
    wide.click("#preview")
    wide.wait_for_selector("#confirm")
    shoot(wide, "preview", "figure.boardbox")
    wide.locator("#confirm button").click()
    wide.wait_for_selector("text=Your move was made")
    shoot(wide, "receipt", "figure.boardbox")

    match = site.play_on(site.match(match.id), plies=match.ply + 3)
    site.work()
    wide.goto(f"{site.address}/m/{match.id}?ply={match.ply}")
    shoot(wide, "table", "main")

    captains, mover = test_captains.acting(site)
    wide.goto(site.turn_url(captains, mover))
    shoot(wide, "dogs-of-war", "figure.boardbox")
    skirmish, mover, team = activated(site)
    for name in (f"{team}-1", f"{team}-2", f"{team}-4"):
        site.play(skirmish, mover, onward(site, skirmish, mover, name), name)
    wide.goto(site.turn_url(skirmish, mover))
    shoot(wide, "skirmish", "figure.boardbox")

    proofs.owe(site.service, MailKind.SIGN_IN, address("alice"), "en")
    with site.service.database.read() as session:
        signing = session.exec(select(AddressLink)).one()
    wide.goto(f"{site.address}/home/{proofs.token(site.service.keys, signing)}")
    wide.locator("main form button").click()
    wide.wait_for_selector(".own-cards img")
    shoot(wide, "home", "#hosting")

    # somebody's address does not work: the host sees why the match waits
    absent = site.waiting(match)[0]
    refused = address(site.seat(match, absent).name)
    deliverability.mail_refused(site.service, match.id, absent, refused, "550 5.1.1 unknown user")
    wide.goto(site.address + site.path(match, Purpose.HOST, -1))
    shoot(wide, "host", "main section")


def with_few_colours(drawn: Image.Image) -> Image.Image:
    """The picture with a palette: its frequent colours exactly, the others by the nearest."""
    counted = drawn.getcolors(drawn.width * drawn.height) or []
    palette: list[tuple[int, ...]] = []
    for _, colour in sorted(counted, reverse=True):
        new = len(palette) < EXACTLY or all(apart(colour, one) > APART for one in palette)
        if new and len(palette) < COLOURS:
            palette.append(colour)
    place = {
        colour: min(range(len(palette)), key=lambda number: apart(colour, palette[number]))
        for _, colour in counted
    }
    flat = drawn.tobytes()
    pixels = zip(flat[0::3], flat[1::3], flat[2::3], strict=True)
    few = Image.new("P", drawn.size)
    few.putpalette([part for colour in palette for part in colour])
    few.frombytes(bytes(place[pixel] for pixel in pixels))
    return few


def apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How far two colours are apart."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def onward(site: Site, match: Match, seat: int, name: str) -> str:
    """The run of a model that brings him farthest into the middle of the table."""
    game, state = site.table(match).game, site.table(match).state
    men = game.choices(game.view(state, seat)).men
    [man] = [man for man in men if man.model.name == name]
    runs = [way for gait in man.gaits for way in gait.ways if gait.name == "run" and way.ap == 9]
    return min(runs, key=lambda way: math.dist((24_000, 24_000), way.at)).order


def with_choice(site: Site) -> tuple[Match, int]:
    """A match in which a seat with several cards has something to choose; and the seat."""
    match = site.running(zone="Europe/Madrid")
    while True:
        match = site.play_on(match, plies=match.ply + 1)
        seat = site.waiting(match)[0]
        view = site.table(match).game.view(site.table(match).state, seat)
        if match.ply < 60 or view.stage != "play" or len(view.hand) < 4:
            continue
        if len(site.orders(match, seat)) > 4:
            return match, seat


if __name__ == "__main__":
    main()
