"""Six people who know only addresses, over ``pbem up``: each has a browser and a mailbox.

One opens a table of Dogs of War, four find it, and the sixth comes too late. They play and talk by
page and by mail; one stays away. When the match is over they look at the standings and agree to a
rematch. FOLDER gets pictures of each one's home, 1,280 and 360 pixels wide, when the match has
begun, when it is over, and when the rematch is open. ``test_company`` checks the same without
browsers, and moves the clock by hand.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.acceptance.people import Up, address, wait_for
from tests.parts import chromium

HOST, FOUR, LATE, AWAY = "Ada", ("Ben", "Cleo", "Dan", "Eve"), "Fay", "Eve"
SIZES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}
TABLE = {
    "game": "dogs-of-war",
    "name": "Tuesday night",
    "host": {"name": HOST, "email": address(HOST)},
    "seats": [{"name": HOST, "email": address(HOST)}, *[{"open": True}] * 4],
    "options": {"sudden_death": True},
    "clock": {"turn": "5s", "reserve": "0s", "grace": "0s"},
    "listed": True,
}


class Somebody:
    """A person with a mailbox, who reads pages in a browser."""

    def __init__(self, up: Up, name: str, browser: Any) -> None:
        self.up, self.name = up, name
        self.page = browser.new_context(viewport=SIZES["wide"]).new_page()
        self.chance = random.Random(name)

    def link(self, part: str, seconds: float = 30) -> str:
        """The first link with this in it of the newest mail that has one; waits for the mail."""

        def links() -> list[str]:
            mails = reversed(self.up.mails(self.name))
            return [link for mail in mails for link in mail["links"] if part in link]

        wait_for(lambda: bool(links()), f"{self.name} got no link with {part}", seconds)
        return links()[0]

    def go(self, path: str) -> None:
        answer = self.page.goto(path if path.startswith("http") else self.up.url + path)
        assert answer.ok, (path, answer.status)

    def press(self, selector: str) -> None:
        with self.page.expect_navigation():
            self.page.click(selector)

    def sign_in(self) -> None:
        self.go("/home")
        self.page.fill("#email", address(self.name))
        self.press("main form [data-primary]")
        self.go(self.link("/home/"))
        self.press("main form button")

    def find_a_seat(self, table: str) -> bool:
        """Takes a seat at a table of this name; False if no such table is listed."""
        self.go("/open")
        found = self.page.query_selector(f'main a:has-text("{table}")')
        if found is None:
            return False
        with self.page.expect_navigation():
            found.click()
        self.page.fill("#name", self.name)
        self.page.fill("#email", address(self.name))
        self.press("main form [data-primary]")
        self.go(self.link("/open/take/"))
        self.press("main form [data-primary]")
        return True

    def say_by_page(self, text: str) -> None:
        self.go(self.link("/t/"))
        self.page.click("details:has([name=say]) > summary")
        self.page.fill("[name=say]", text)
        self.press('[formaction$="/say"]')

    def answer(self, *lines: str) -> None:
        """Answers the newest mail of a turn."""
        mail = next(one for one in self.up.mails(self.name)[::-1] if one["reply_to"][:2] == "r+")
        head = f"From: {address(self.name)}\r\nTo: {mail['reply_to']}\r\nSubject: Re: turn\r\n"
        letter = f"{head}Message-ID: <{time.monotonic_ns()}@home>\r\n\r\n" + "\r\n".join(lines)
        assert self.up.post("/dev/mail", letter.encode()).status < 300

    def play(self) -> int:
        """Makes a move in each of one's open turns; returns how many."""
        links = [link for mail in self.up.mails(self.name) for link in mail["links"]]
        made = 0
        for link in dict.fromkeys(link for link in links if "/t/" in link):
            turn = self.up.get(link).json
            if turn["status"] == "open":
                order = self.chance.choice(turn["orders"] or turn["example_orders"])
                sent = self.up.post(link, {"order": order, "submission": f"{turn['ply']} {order}"})
                assert sent.status in (200, 409), sent.body
                made += sent.status == 200
        return made


def photograph(people: list[Somebody], folder: Path, name: str) -> None:
    for one in people:
        one.go("/home")
        for size, viewport in SIZES.items():
            one.page.set_viewport_size(viewport)
            one.page.screenshot(
                path=folder / f"{name}-{one.name.lower()}-{size}.png", full_page=True
            )
        one.page.set_viewport_size(SIZES["wide"])


def play_to_the_end(up: Up, match: str, people: list[Somebody]) -> None:
    while up.match(match)["status"] == "running":
        if not sum(one.play() for one in people):
            time.sleep(0.2)


def meet(up: Up, browser: Any, folder: Path) -> None:
    people = {name: Somebody(up, name, browser) for name in (HOST, *FOUR, LATE)}
    everybody = list(people.values())

    match = up.post("/api/matches", TABLE).json["match"]
    people[HOST].go(people[HOST].link("/j/"))
    people[HOST].press("main form [data-primary]")
    print("opened; who found a seat:", [name for name in FOUR if people[name].find_a_seat("Tues")])
    print("and too late:", people[LATE].find_a_seat("Tuesday"))

    for one in everybody:
        one.sign_in()
    photograph(everybody, folder, "1-begun")
    waiting = [seat["seat"] for seat in up.match(match)["open_turns"]]
    names = [seat["name"] for seat in up.match(match)["seats"]]
    mover = people[next(names[seat] for seat in waiting if names[seat] != AWAY)]
    mover.say_by_page("Good luck, all!")
    mover.answer("say And fair winds.")

    play_to_the_end(up, match, [one for one in everybody if one.name not in (AWAY, LATE)])
    photograph(everybody, folder, "2-over")
    said = up.get(f"/m/{match}").json["talk"]
    print("over; said at the table:", [(names[one["seat"]], one["text"]) for one in said])

    for name in (HOST, *FOUR):
        people[name].go(people[name].link("/rematch"))
        people[name].press("main form [data-primary]")
    wait_for(lambda: again(people[HOST], match), "no rematch opened")
    photograph(everybody, folder, "3-rematch")
    people[HOST].go("/standings/dogs-of-war?seats=5")
    people[HOST].page.screenshot(path=folder / "4-standings.png", full_page=True)
    print("pictures:", len(list(folder.glob("*.png"))))


def again(one: Somebody, match: str) -> bool:
    """Whether somebody's home has a match that goes on besides this one."""
    headers = {"Accept": "application/json"}
    home = one.page.request.get(f"{one.up.url}/home", headers=headers).json()
    return any(other["match"] != match for other in [*home["turns"], *home["waiting"]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, chromium.launched() as browser:
        up = Up(Path(home) / "home")
        try:
            meet(up, browser, folder)
        finally:
            up.stop()


if __name__ == "__main__":
    main()
