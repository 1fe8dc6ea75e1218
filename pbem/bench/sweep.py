"""A sweep over many open turns, none of them due: the cost of a service while nothing happens."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from sqlalchemy import insert

from pbem.acts.sweep import sweep
from pbem.bench.turns import scratch_service
from pbem.service import Service
from pbem.store.models import Match, Turn

#: Matches that wait, each with one open turn.
WAITING = 100_000


def measure(scratch: Path, seconds: float) -> dict[str, float]:
    """``idle_sweep_ms``: the median of sweeps with so many open turns, none of them due."""
    service = scratch_service(scratch)
    try:
        return idle(service, WAITING, seconds)
    finally:
        service.database.close()


def idle(service: Service, waiting: int, seconds: float) -> dict[str, float]:
    """As ``measure``, with so many matches that wait besides those that are there."""
    now = service.now()
    match = {
        "game": "dog",
        "rules_version": "1",
        "seat_count": 4,
        "options_json": "{}",
        "title": "Dog",
        "language": "en",
        "zone": "UTC",
        "clock_json": "{}",
        "status": "running",
        "host_name": "Alice",
        "host_email": "alice@example.org",
        "seed": b"",
        "commitment": "",
        "chain_head": "",
        "phase": "play",
        "created_at": now,
    }
    turn = {
        "seat": 0,
        "opened_ply": 1,
        "asked_ply": 1,
        "opened_at": now,
        "clock_from": now,
        "charged_from": now,
        "clock_json": "{}",
        "next_at": now + timedelta(days=1),
    }
    for start in range(0, waiting, 10_000):
        names = [f"m{number}" for number in range(start, start + 10_000)]
        with service.database.write("bench") as session:
            session.execute(insert(Match), [{**match, "id": name} for name in names])
            session.execute(insert(Turn), [{**turn, "match_id": name} for name in names])
    sweeps: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        begun = time.perf_counter()
        sweep(service)
        sweeps.append(time.perf_counter() - begun)
    sweeps.sort()
    return {
        "open_turns": waiting,
        "idle_sweep_ms": round(1000 * sweeps[len(sweeps) // 2], 3),
        "idle_sweep_p99_ms": round(1000 * sweeps[len(sweeps) * 99 // 100], 3),
    }
