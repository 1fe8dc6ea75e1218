"""How long the next player waits while many play at once and thousands of other mails are owed.

    python -m tests.bench.whole_loop [--seconds 60] [--players 32] [--owed 10000] [--thinking 4]
        [--processes 2]

``pbem up`` runs in a home of its own and hands its mails to a relay in this process. Each player
answers whatever one match of Dog asks, over HTTP, after a while of thinking. Two waits begin with
the service's answer to a move: until the next turn of the match stands in the database, and until
the relay has taken the first mail about it. A mail that was still owed when the next move was made
counts with the time up to then, and is told as ``late``.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from sqlalchemy import text
from sqlmodel import col, select

from pbem.acts import advance, matches
from pbem.config import load_settings
from pbem.service import Service, open_service
from pbem.store import db, links
from pbem.store.models import Link
from pbem.store.names import Actor
from tests.acceptance.people import Up
from tests.running.test_doctor import free_port

#: Seconds between two looks for new turns: how exactly they are timed.
GLANCE = 0.004
#: Matches that the other mails are about.
OTHERS = 50
#: Who they go to, and who plays.
OTHER, PLAYING = "other", "player"


class Sink:
    """A relay that takes everything, and knows when."""

    def __init__(self) -> None:
        self.port = free_port()
        #: When mails came, by address.
        self.came: dict[str, list[float]] = defaultdict(list)
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        self.came[envelope.rcpt_tos[0]].append(time.monotonic())
        return "250 OK"

    def first(self, address: str, after: float) -> float | None:
        return next((at for at in list(self.came[address]) if at > after), None)

    def count(self, who: str) -> int:
        return sum(len(came) for address, came in list(self.came.items()) if who in address)

    def stop(self) -> None:
        self._controller.stop()


class Watcher(threading.Thread):
    """Sees turns as soon as they are committed."""

    def __init__(self, service: Service, file: Path) -> None:
        super().__init__(daemon=True)
        self._service, self._file = service, file
        self.ended = False
        #: What was opened in a match: when it was seen, the seat, and the path of its page.
        self.seen: dict[str, list[tuple[float, int, str]]] = defaultdict(list)

    def run(self) -> None:
        last = 0
        with closing(sqlite3.connect(self._file)) as database:
            while not self.ended:
                newest = database.execute("SELECT max(id) FROM turn").fetchone()[0] or 0
                if newest > last:
                    self._note(last)
                    last = newest
                time.sleep(GLANCE)

    def _note(self, last: int) -> None:
        at = time.monotonic()
        with self._service.database.read() as session:
            found = select(Link).where(Link.purpose == "turn", Link.turn_id > last)
            for link in session.exec(found.order_by(col(Link.turn_id))):
                path = f"/t/{links.token(self._service.keys, link)}"
                self.seen[link.match_id].append((at, link.seat, path))


class Player(threading.Thread):
    """Answers what one match asks until it is time to stop, and notes how long things took."""

    def __init__(self, up: Up, match: str, watcher: Watcher, sink: Sink, thinking: float) -> None:
        super().__init__(daemon=True)
        self.up, self.match, self.watcher, self.sink = up, match, watcher, sink
        self.thinking, self.until = thinking, 0.0
        self.answers: list[float] = []
        self.turns: list[float] = []
        self.mails: list[float] = []
        self.late = 0
        self._chance = random.Random(match)

    def run(self) -> None:
        done = 0
        while time.monotonic() < self.until:
            asked = self.watcher.seen[self.match][done:]
            for _, _, path in asked:
                time.sleep(self.thinking * self._chance.uniform(0.5, 1.5))
                answered = self._move(path)
            if not asked:
                time.sleep(GLANCE)
                continue
            done += len(asked)
            if not self._wait_for_next(done, answered):
                return

    def _move(self, path: str) -> float:
        """Plays the best looking order; when the answer came."""
        page = self.up.get(path).json
        begun = time.monotonic()
        order = self._chance.choice(page["orders"])
        sent = self.up.post(path, {"order": order, "submission": f"{page['ply']}"})
        assert sent.status == 200, sent.body
        answered = time.monotonic()
        self.answers.append(answered - begun)
        return answered

    def _wait_for_next(self, done: int, answered: float) -> bool:
        """Notes when the next turn was open; False where none came in time: the match is over."""
        while len(self.watcher.seen[self.match]) == done:
            if time.monotonic() > max(self.until, answered + 30):
                return False
            time.sleep(GLANCE)
        at, seat, _ = self.watcher.seen[self.match][done]
        self.turns.append(max(0.0, at - answered))
        threading.Thread(target=self._note_mail, args=(seat, answered), daemon=True).start()
        return True

    def _note_mail(self, seat: int, answered: float) -> None:
        moves = len(self.answers)
        while True:
            came = self.sink.first(address(PLAYING, self.match, seat), answered)
            if came is not None:
                self.mails.append(came - answered)
                return
            if len(self.answers) > moves or self.watcher.ended:
                self.late += 1
                self.mails.append(time.monotonic() - answered)
                return
            time.sleep(0.02)


def address(who: str, match: str, seat: int) -> str:
    return f"{who}-{match}-{seat}@example.org".lower()


def opened(service: Service, who: str) -> str:
    """A match of Dog for four people with addresses of their own, at its first question."""
    host = matches.Person(name="Alice", email="alice@example.org")
    seats = [
        matches.NewSeat(name=name, email=f"{name}@example.org".lower(), confirmed=True)
        for name in ("Alice", "Bob", "Carol", "Dave")
    ]
    asked = matches.NewMatch(game="dog", host=host, seats=seats)
    found = matches.create(service, asked, actor=Actor.SERVICE)
    while advance.advance(service, found.id):
        pass
    with service.database.write("bench") as session:
        for seat in range(4):
            session.connection().execute(
                text("UPDATE seat SET email = :email WHERE match_id = :match AND number = :seat"),
                {"email": address(who, found.id, seat), "match": found.id, "seat": seat},
            )
    return found.id


def owe(service: Service, count: int) -> None:
    """So many reminders that have been due for a while; everything else counts as sent."""
    others = [opened(service, OTHER) for _ in range(OTHERS)]
    with service.database.write("bench") as session:
        connection = session.connection()
        connection.execute(text("UPDATE outbox SET status = 'sent'"))
        for number in range(count):
            connection.execute(
                text(
                    "INSERT INTO outbox (dedupe, kind, match_id, seat, turn_id, data_json, status,"
                    " due_at, attempts, failures, doubts, created_at)"
                    " SELECT 'owed:' || :number, 'reminder', match_id, seat, id,"
                    " '{\"number\": 1}', 'pending', opened_at, 0, 0, 0, opened_at"
                    " FROM turn WHERE match_id = :match AND seat = :seat"
                ),
                {"number": number, "match": others[number % OTHERS], "seat": number % 4},
            )


def measure(scratch: Path, asked: argparse.Namespace) -> dict[str, float]:
    home = scratch / "home"
    settings = load_settings(home=home)
    home.mkdir()
    db.upgrade(settings.database_url)
    service = open_service(settings)
    owe(service, asked.owed)
    mine = [opened(service, PLAYING) for _ in range(asked.players)]
    sink, watcher = Sink(), Watcher(service, home / "pbem.sqlite3")
    watcher.start()
    up = Up(
        home,
        PBEM_SWEEP_SECONDS="15",
        PBEM_WORK_PROCESSES=f"{asked.processes}",
        PBEM_MAIL_MODE="smtp",
        PBEM_MAIL_HOST="127.0.0.1",
        PBEM_MAIL_PORT=f"{sink.port}",
    )
    try:
        players = [Player(up, match, watcher, sink, asked.thinking) for match in mine]
        begun, before = time.monotonic(), sink.count(OTHER)
        for player in players:
            player.until = begun + asked.seconds
            player.start()
        for player in players:
            player.join()
        spent = time.monotonic() - begun
        watcher.ended = True
        time.sleep(0.1)
        others = sink.count(OTHER) - before
    finally:
        up.stop()
        sink.stop()
        service.database.close()
    return {
        "moves_per_second": round(sum(len(one.answers) for one in players) / spent, 1),
        **spread("answer", [wait for one in players for wait in one.answers]),
        **spread("turn", [wait for one in players for wait in one.turns]),
        **spread("mail", [wait for one in players for wait in one.mails]),
        "late": sum(one.late for one in players),
        "other_mails_per_second": round(others / spent, 1),
        "load": round(os.getloadavg()[0], 1),
    }


def spread(name: str, waits: Sequence[float]) -> dict[str, float]:
    order = sorted(waits)
    places = {"p50": len(order) // 2, "p99": len(order) * 99 // 100}
    return {f"{name}_{place}_ms": round(1000 * order[at], 1) for place, at in places.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="How long the next player waits.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--players", type=int, default=32)
    parser.add_argument("--owed", type=int, default=10_000)
    parser.add_argument("--thinking", type=float, default=4)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pbem-whole-loop-") as scratch:
        for figure, value in measure(Path(scratch), asked).items():
            print(f"{figure:24} {value:10,}")


if __name__ == "__main__":
    main()
