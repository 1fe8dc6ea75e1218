"""How much memory a running service needs: python -m tests.bench.memory [--web 1] [--seconds 30]

``pbem up`` runs in a home of its own, as it is set by default or with more web processes. Every
process of it is looked at when all are up and have been idle for a while, and again after people
have played and read pages for ``--seconds``. A figure is a process's proportional set size (PSS):
what it has for itself, and its share of what it shares with others; so the sum is what the service
needs. Linux only: the figures are those of ``/proc``.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.acceptance.people import Up

#: Seconds without a request before processes are looked at.
QUIET = 15
#: Who plays at once, each in a match of a game against bots.
PLAYERS = 8
GAMES = {"dog": 4, "dogs-of-war": 3, "skirmish": 2}
SUPERVISOR = "supervisor"


def processes(up: Up) -> dict[int, str]:
    """The service's processes by the part that they belong to, which is named by its log."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {up.process.pid: SUPERVISOR}
    while more := {one for one, parent in parents.items() if parent in found} - set(found):
        for one in more:
            found[one] = up.part(one) or SUPERVISOR
    return found


def megabytes(process: int) -> Counter[str]:
    """A process's proportional set size, and how much of it nobody shares."""
    sizes: Counter[str] = Counter()
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]:
        name, size, *_ = line.split()
        if name == "Pss:":
            sizes["pss"] += int(size)
        elif name in ("Private_Clean:", "Private_Dirty:"):
            sizes["own"] += int(size)
    return Counter({name: round(size / 1000) for name, size in sizes.items()})


def show(title: str, up: Up) -> None:
    parts: dict[str, list[Counter[str]]] = {}
    for process, part in sorted(processes(up).items()):
        parts.setdefault(part, []).append(megabytes(process))
    print(f"{title}: {sum(size['pss'] for sizes in parts.values() for size in sizes)} MB")
    for part, sizes in parts.items():
        each = " + ".join(f"{size['pss']} ({size['own']} its own)" for size in sizes)
        print(f"  {part:12} {sum(size['pss'] for size in sizes):4} = {each}", flush=True)


class Player(threading.Thread):
    """Reads pages and answers turns of one match against bots until it is time to stop."""

    def __init__(self, up: Up, number: int, until: float) -> None:
        super().__init__(daemon=True)
        self.up, self.until = up, until
        self.game = list(GAMES)[number % len(GAMES)]
        self.me = {"name": f"Player {number}", "email": f"player{number}@example.org"}
        self.pages = self.moves = 0
        self._chance = random.Random(number)

    def run(self) -> None:
        bots = [{"bot": "easy"}] * (GAMES[self.game] - 1)
        asked = {"game": self.game, "host": self.me, "seats": [{**self.me, "confirmed": True}]}
        asked["seats"] += bots  # type: ignore[operator]
        opened = self.up.post("/api/matches", asked)
        assert opened.status == 201, opened.body
        while time.monotonic() < self.until:
            for path in ("/", f"/rules/{self.game}", f"/m/{opened.json['match']}"):
                self._read(path)
            for link in self._turns():
                self._read(link)
                self._play(link)

    def _read(self, path: str) -> None:
        answer = self.up.get(path, "text/html")
        assert answer.status == 200, (path, answer.status)
        self.pages += 1

    def _turns(self) -> list[str]:
        mails = self.up.get(f"/dev/mail?to={self.me['email']}").json
        links = [link for mail in mails[-2:] for link in mail["links"]]
        return list(dict.fromkeys(link for link in links if "/t/" in link))

    def _play(self, link: str) -> None:
        page: Any = self.up.get(link).json
        if page["status"] == "open" and page.get("orders"):
            order = self._chance.choice(page["orders"])
            said = {"order": order, "submission": f"{page['ply']}"}
            self.moves += self.up.post(link, said).status == 200


def main() -> None:
    parser = argparse.ArgumentParser(description="How much memory a running service needs.")
    parser.add_argument("--web", type=int, default=1, help="processes that answer pages")
    parser.add_argument("--seconds", type=float, default=30, help="how long people play")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pbem-memory-") as scratch:
        up = Up(Path(scratch) / "home", PBEM_WEB_WORKERS=f"{asked.web}", PBEM_SWEEP_SECONDS="15")
        try:
            time.sleep(QUIET)
            show("idle", up)
            until = time.monotonic() + asked.seconds
            players = [Player(up, number, until) for number in range(PLAYERS)]
            for player in players:
                player.start()
            for player in players:
                player.join()
            time.sleep(QUIET)
            pages, moves = (sum(getattr(p, what) for p in players) for what in ("pages", "moves"))
            show(f"after {pages} pages and {moves} moves", up)
        finally:
            up.stop()


if __name__ == "__main__":
    main()
