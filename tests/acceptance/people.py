"""A running service, and people who know it only by its mails and pages.

Nothing here looks into the service: ``Up`` starts ``pbem up`` as anybody would, and a ``Player``
reads the mailbox, opens the links and hands in orders over HTTP, as a mail client and a browser do.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.parts.ports import free_port

ROOT = Path(__file__).parents[2]


class Answer:
    """What came back: status, text, and the JSON where it is some."""

    def __init__(self, status: int, body: bytes, headers: Any) -> None:
        self.status = status
        self.body = body
        self.headers = headers

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Up:
    """``pbem up`` in a home of its own, on a free port, until ``stop``."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PBEM_")},
            "PBEM_SWEEP_SECONDS": "1",
            "PBEM_HOME": str(home),
            "PBEM_PORT": str(self.port),
            "PBEM_LIMITS_REQUESTS_PER_MINUTE": "1000000",
            "PBEM_LIMITS_MATCHES_PER_HOUR": "1000000",
            **environment,
        }
        self._start()

    def _start(self) -> None:
        with (self.home.parent / f"{self.home.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pbem.cli", "up"],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            wait_for(self._ready, "the service did not come up", 90)
        except BaseException:
            self.stop()
            raise

    def _ready(self) -> bool:
        assert self.process.poll() is None, "pbem up ended by itself"
        try:
            return self.get("/readyz").status == 200
        except OSError:
            return False

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def kill(self, part: str) -> int:
        """Kills every process of a part (worker, beat, web) with SIGKILL; returns how many."""
        killed = 0
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and self.part(int(entry.name)) == part:
                os.kill(int(entry.name), signal.SIGKILL)
                killed += 1
        return killed

    def part(self, process: int) -> str:
        """The part that a process belongs to: it writes to that part's log. "" if to no log."""
        try:
            output = Path(f"/proc/{process}/fd/1").readlink()
        except OSError:
            return ""
        return output.stem if output.parent == self.home / "log" else ""

    # --- speaking HTTP ---

    def get(self, path: str, accept: str = "application/json") -> Answer:
        return self._ask(urllib.request.Request(self._full(path), headers={"Accept": accept}))

    def post(self, path: str, value: Any) -> Answer:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        kind = "message/rfc822" if isinstance(value, bytes) else "application/json"
        headers = {"Content-Type": kind, "Accept": "application/json"}
        return self._ask(urllib.request.Request(self._full(path), data=data, headers=headers))

    def send_form(self, path: str, **fields: str) -> Answer:
        data, headers = urllib.parse.urlencode(fields).encode(), {"Accept": "text/html"}
        return self._ask(urllib.request.Request(self._full(path), data=data, headers=headers))

    def _full(self, path: str) -> str:
        return path if path.startswith("http") else self.url + path

    def _ask(self, request: urllib.request.Request) -> Answer:
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return Answer(response.status, response.read(), response.headers)
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read(), error.headers)

    # --- what everybody may do ---

    def open(self, names: list[str], **asked: Any) -> str:
        """Opens a match of Dog for people of these names; ``bot`` stands for a bot."""
        seats = [
            {"bot": "easy"} if name == "bot" else {"name": name, "email": address(name)}
            for name in names
        ]
        answer = self.post(
            "/api/matches",
            {
                "game": "dog",
                "host": {"name": "Alice", "email": address("Alice")},
                "seats": seats,
                **asked,
            },
        )
        assert answer.status == 201, answer.body
        match: str = answer.json["match"]
        return match

    def match(self, match: str) -> Any:
        return self.get(f"/api/matches/{match}").json

    def mails(self, name: str, after: int = 0) -> list[Any]:
        found: list[Any] = self.get(f"/dev/mail?to={address(name)}&after={after}").json
        return found


class Player:
    """Somebody with a mailbox who opens the links in it."""

    def __init__(self, up: Up, name: str, choose: Callable[[Any], str] | None = None) -> None:
        self.up = up
        self.name = name
        #: Chooses among the orders of a page.
        self.choose = choose or sensible
        self.read = 0
        self.turn_links: list[str] = []
        #: Links to turns that are open, as far as this player knows.
        self.open_links: list[str] = []

    def look(self) -> list[Any]:
        """Reads what has come since the last look."""
        mails = self.up.mails(self.name, self.read)
        for mail in mails:
            self.read = max(self.read, mail["id"])
            for link in mail["links"]:
                if "/t/" in link and link not in self.turn_links:
                    self.turn_links.append(link)
                    self.open_links.append(link)
        return mails

    def join(self, phrase: str) -> None:
        """Opens the join link of the invitation and sends the form that stands there."""
        wait_for(lambda: any("/j/" in link for link in self._links()), "no invitation came")
        link = next(link for link in self._links() if "/j/" in link)
        assert self.up.get(link, "text/html").status == 200
        assert self.up.send_form(link, phrase=phrase, zone="UTC").status == 200

    def _links(self) -> list[str]:
        return [link for mail in self.up.mails(self.name) for link in mail["links"]]

    def play(self) -> int:
        """Answers every open turn link of the mailbox once; returns how many moves were taken."""
        self.look()
        taken = 0
        for link in list(self.open_links):
            page = self.up.get(link).json
            if page["status"] != "open":
                self.open_links.remove(link)
                continue
            order = self.choose(page)
            sent = self.up.post(link, {"order": order, "submission": f"{page['ply']}-{order}"})
            # a turn may have closed since the look; anything else is a failure
            assert sent.status in (200, 409), sent.body
            taken += sent.status == 200
        return taken


def sensible(page: Any) -> str:
    """One of the orders the page offers that looks good to somebody who only reads them."""
    return max(page["orders"], key=lambda order: promise(order, page["seat"]))


def promise(order: str, seat: int) -> tuple[int, str]:
    """How good an order of a Dog for four looks: so many fields its pawns get on."""
    card, *steps = order.lstrip("*").split()
    if card in ("give", "discard"):
        return 0, order
    return sum(_gained(step, seat) for step in steps), order


def _gained(step: str, seat: int) -> int:
    if step == "out":
        return 20
    begin, end = re.split("[-x]", step)
    # who goes into the partner's End Zone goes with the partner's pawn
    owner = (seat + 2) % 4 if end[0] == "p" else seat
    return _way(end, owner) - _way(begin, owner)


def _way(place: str, owner: int) -> int:
    """Fields from where the owner begins; an End Zone is the way's end."""
    return 64 + int(place[1:]) if place[0] in "ep" else (int(place) - 16 * owner) % 64


def address(name: str) -> str:
    return f"{name.lower()}@example.org"


def wait_for(what: Callable[[], bool], why: str, seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, why
        time.sleep(0.05)


def play_out(
    up: Up,
    match: str,
    players: list[Player],
    seconds: float = 700,
    until: Callable[[], bool] | None = None,
) -> Any:
    """The players answer their mails until the match is over (or ``until`` says enough)."""
    end = time.monotonic() + seconds
    while True:
        taken = sum(player.play() for player in players)
        now = up.match(match)
        if now["status"] != "running" or (until is not None and until()):
            return now
        assert time.monotonic() < end, f"not over after {seconds} s: {now}"
        if not taken:
            time.sleep(0.1)
