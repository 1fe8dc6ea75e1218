"""Whether every answer comes while two people at a table look at a skirmish at once.

    python -m tests.bench.two_people [--minutes 5] [--matches 2]

It starts ``pbem up`` in a home of its own and knows it by its doors alone: matches are opened by
``POST /api/matches``, joined by the links of the invitations, and played by the first example order
until somebody activates men. Then two clients a match ask for pages, as HTML and as JSON, and for
previews, without a pause. A request is lost where no answer comes, or one that says that the
service failed. Exit 0 where none was lost.
"""

from __future__ import annotations

import argparse
import http.client
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter
from pathlib import Path

from tests.acceptance.people import Player, Up, address, wait_for

PHASE = "activation"
KINDS = ("text/html", "application/json")


class Client:
    """One of two people at a table: asks, one thing after another, and counts what comes."""

    def __init__(self, up: Up, match: str, player: Player, orders: list[str]) -> None:
        self.up, self.match, self.player, self.orders = up, match, player, orders
        self.sent = 0
        #: How many answers of each kind of request came, by status.
        self.came: Counter[tuple[str, int]] = Counter()
        self.lost: list[str] = []
        self.slowest = 0.0

    def run(self, until: float) -> None:
        while time.monotonic() < until:
            link = self.player.turn_links[-1]
            for kind in KINDS:
                self._ask("turn", link, kind)
                self._ask("table", f"{self.up.url}/m/{self.match}", kind)
            self._ask("match", f"{self.up.url}/api/matches/{self.match}", KINDS[1])
            for order in self.orders:
                for kind in KINDS:
                    self._ask("preview", f"{link}/preview", kind, {"order": order})

    def _ask(self, what: str, url: str, kind: str, form: dict[str, str] | None = None) -> None:
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        asked = urllib.request.Request(url, data=data, headers={"Accept": kind})
        self.sent += 1
        begun = time.monotonic()
        try:
            answer = self.up._ask(asked)
        except (OSError, http.client.HTTPException) as error:
            self.lost.append(f"{what}: {error!r}")
            return
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.came[what, answer.status] += 1
        if answer.status >= 500 or not answer.body:
            self.lost.append(f"{what}: {answer.status}, {len(answer.body)} bytes")


def brought_to(up: Up, number: int) -> list[Client]:
    """A match of two people in which one of them activates men, and both as clients."""
    names = [f"Alice{number}", f"Bob{number}"]
    seats = [{"name": name, "email": address(name)} for name in names]
    host = {"name": names[0], "email": address(names[0])}
    opened = up.post("/api/matches", {"game": "skirmish", "host": host, "seats": seats})
    assert opened.status == 201, opened.body
    match = opened.json["match"]
    players = [Player(up, name) for name in names]
    for player in players:
        player.join(f"phrase of {player.name}")
    wait_for(lambda: up.match(match)["status"] == "running", "the match did not begin")
    while up.match(match)["phase"] != PHASE:
        moved = [_first_example(up, player) for player in players]
        if not any(moved):
            time.sleep(0.1)
    wait_for(lambda: any(_open(up, player) for player in players), "nobody was asked")
    return [Client(up, match, player, _orders(up, players)) for player in players]


def _open(up: Up, player: Player) -> str:
    """The player's open turn; "" where they are not asked."""
    player.look()
    links = player.turn_links[-1:]
    return next((link for link in links if up.get(link).json["status"] == "open"), "")


def _first_example(up: Up, player: Player) -> bool:
    link = _open(up, player)
    if not link:
        return False
    page = up.get(link).json
    order = page["example_orders"][0]
    sent = up.post(link, {"order": order, "submission": f"{page['ply']}"})
    assert sent.status in (200, 409), sent.body
    return sent.status == 200


def _orders(up: Up, players: list[Player]) -> list[str]:
    """What the seat that is asked is shown as examples; the other one tries the same."""
    link = next(found for found in (_open(up, player) for player in players) if found)
    return list(up.get(link).json["example_orders"])


def main(minutes: float, matches: int) -> int:
    with tempfile.TemporaryDirectory(prefix="pbem-two-people-") as scratch:
        up = Up(Path(scratch) / "home")
        try:
            clients = [one for number in range(matches) for one in brought_to(up, number)]
            until = time.monotonic() + 60 * minutes
            threads = [threading.Thread(target=one.run, args=[until]) for one in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            still_up = up.get("/readyz").status == 200
        finally:
            up.stop()
    return told(clients, minutes, still_up)


def told(clients: list[Client], minutes: float, still_up: bool) -> int:
    """Prints the counts; 0 where nothing was lost."""
    came: Counter[tuple[str, int]] = Counter()
    for client in clients:
        came += client.came
    lost = [one for client in clients for one in client.lost]
    sent = sum(client.sent for client in clients)
    print(f"{len(clients)} clients at {len(clients) // 2} tables for {minutes:g} minutes")
    print(f"  requests {sent}, answers {came.total()}, lost {len(lost)}")
    for (what, status), number in sorted(came.items()):
        print(f"  {what:8} {status} {number:8}")
    print(f"  slowest answer {max(client.slowest for client in clients):.2f} s")
    print(f"  ready at the end: {'yes' if still_up else 'no'}")
    for one in lost[:20]:
        print(f"  lost: {one}")
    return int(bool(lost) or not still_up)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Two people look at a skirmish at once.")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--matches", type=int, default=2)
    asked = parser.parse_args()
    sys.exit(main(asked.minutes, asked.matches))
