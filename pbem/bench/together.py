"""Eight players who move at the same time, on SQLite, while a worker advances their matches.

A thread stands for each player's browser; the worker is a process of its own.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Sequence
from multiprocessing.synchronize import Event
from pathlib import Path

from pbem.acts import advance, turns
from pbem.bench.turns import open_link, open_match, scratch_service
from pbem.config import Settings
from pbem.looks import match_look
from pbem.mail.mailer import post_due
from pbem.service import Service, open_service

PLAYERS = 8
#: Seconds from one move of a player to the next; eight such players keep a service busy.
THINKING = 1.0
#: Seconds after which a player or the worker looks again.
GLANCE = 0.02


def measure(scratch: Path, seconds: float) -> dict[str, float]:
    """``move_p50_ms``, ``move_p99_ms``, ``move_most_ms``: how long one waits for the receipt."""
    waits, spent = play(scratch, seconds)
    rate = round(len(waits) / spent, 1)
    return {"moves": len(waits), "moves_per_second": rate, **spread(waits)}


def play(scratch: Path, seconds: float, *, in_line: bool = True) -> tuple[list[float], float]:
    """The seconds that each move took, and the seconds of the whole run.

    Without ``in_line`` writers do not queue: only SQLite's own lock keeps them apart.
    """
    service = scratch_service(scratch)
    _set(service, in_line)
    matches = [[open_match(service)] for _ in range(PLAYERS)]
    processes = multiprocessing.get_context("spawn")
    stop = processes.Event()
    worker = processes.Process(target=_work, args=(scratch, stop, in_line), daemon=True)
    worker.start()
    waits: list[float] = []
    begun = time.perf_counter()
    players = [
        threading.Thread(target=_play, args=(service, mine, begun + seconds, waits))
        for mine in matches
    ]
    for player in players:
        player.start()
    for player in players:
        player.join()
    spent = time.perf_counter() - begun
    stop.set()
    worker.join()
    service.database.close()
    return waits, spent


def spread(waits: Sequence[float]) -> dict[str, float]:
    order = sorted(waits)
    places = {"p50": len(order) // 2, "p99": len(order) * 99 // 100, "most": len(order) - 1}
    return {f"move_{name}_ms": round(1000 * order[place], 1) for name, place in places.items()}


def _set(service: Service, in_line: bool) -> None:
    if not in_line:
        service.database._turnstile = None


def _play(service: Service, mine: list[str], until: float, waits: list[float]) -> None:
    """Plays the turns of its matches, one match after another."""
    count = 0
    while time.perf_counter() < until or not count:
        link = open_link(service, mine[-1])
        if link is None:
            time.sleep(GLANCE)
            if match_look.table(service, mine[-1]).outcome is not None:
                mine.append(open_match(service))
            continue
        order = match_look.turn(service, link).example_orders[0]
        before = time.perf_counter()
        turns.submit(service, link, order, f"bench {count}")
        waits.append(time.perf_counter() - before)
        count += 1
        time.sleep(max(0, before + THINKING - time.perf_counter()))


def _work(scratch: Path, stop: Event, in_line: bool) -> None:
    service = open_service(Settings(home=scratch))
    _set(service, in_line)
    while not stop.is_set():
        if not advance.advance_due(service, 50) + post_due(service, 50):
            time.sleep(GLANCE)
    service.database.close()
