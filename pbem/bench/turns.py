"""The write path: submits turns by link and advances the match, on SQLite with full durability."""

from __future__ import annotations

import time
from pathlib import Path

from sqlmodel import col, select

from pbem.acts import advance, matches, turns
from pbem.config import Settings
from pbem.looks import match_look
from pbem.service import Service, open_service
from pbem.store import db
from pbem.store.models import Link, Turn
from pbem.store.names import Actor, Purpose


def scratch_service(scratch: Path) -> Service:
    """A service on a fresh SQLite file."""
    settings = Settings(home=scratch)
    db.upgrade(settings.database_url)
    return open_service(settings)


def measure(scratch: Path, seconds: float) -> dict[str, float]:
    """``turns_per_second``: to submit one player's order and advance the match, one at a time;
    ``submit_p99_ms``: how long the player waits for the receipt.
    """
    service = scratch_service(scratch)
    waits: list[float] = []
    begun = time.perf_counter()
    while not waits or time.perf_counter() - begun < seconds:
        match_id = open_match(service)
        while not waits or time.perf_counter() - begun < seconds:
            link = open_link(service, match_id)
            if link is None:
                break
            order = match_look.turn(service, link).example_orders[0]
            before = time.perf_counter()
            turns.submit(service, link, order, f"bench {len(waits)}")
            waits.append(time.perf_counter() - before)
            while advance.advance(service, match_id):
                pass
    spent = time.perf_counter() - begun
    service.database.close()
    waits.sort()
    return {
        "turns": len(waits),
        "turns_per_second": round(len(waits) / spent, 1),
        "submit_p50_ms": round(1000 * waits[len(waits) // 2], 2),
        "submit_p99_ms": round(1000 * waits[len(waits) * 99 // 100], 2),
    }


def open_match(service: Service) -> str:
    """A match of Dog between a player and three bots."""
    names = ("Alice", "Bob", "Carol", "Dave")
    found = matches.create(
        service,
        matches.NewMatch(
            game="dog",
            host=matches.Person(name="Alice", email="alice@example.org"),
            seats=[
                matches.NewSeat(name=name, email=f"{name.lower()}@example.org", confirmed=True)
                for name in names
            ],
        ),
        actor=Actor.SERVICE,
    )
    while advance.advance(service, found.id):
        pass
    return found.id


def open_link(service: Service, match_id: str) -> Link | None:
    with service.database.read() as session:
        return session.exec(
            select(Link)
            .join(Turn, col(Turn.id) == col(Link.turn_id))
            .where(
                Link.purpose == Purpose.TURN,
                Link.match_id == match_id,
                col(Turn.closed_at).is_(None),
            )
            .limit(1)
        ).first()
