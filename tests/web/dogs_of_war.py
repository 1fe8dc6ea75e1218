"""Matches of Dogs of War for tests of its pages: begun, played on, changed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update
from sqlmodel import col

from engine.codec import encode
from pbem.acts import matches
from pbem.store.models import Match
from tests.parts.cast import address
from tests.web.house import WebHouse

NAMES = ("Alice", "Bob", "Carol", "Dave", "Frank")
DOGS = ("conqueror", "stormcrow", "ordalia", "omalley", "blackmane")


def running(web: WebHouse, seats: int = 4, language: str = "en", **options: Any) -> Match:
    return web.running(
        game="dogs-of-war",
        seats=[matches.NewSeat(name=name, email=address(name)) for name in NAMES[:seats]],
        options=options,
        language=language,
    )


def put_state(web: WebHouse, match: Match, state: Any) -> None:
    with web.service.database.write("test") as session:
        session.execute(
            update(Match).where(col(Match.id) == match.id).values(state_json=encode(state).decode())
        )


def played_to(web: WebHouse, match: Match, phase: str) -> int:
    """Plays on until this phase; the seat that is asked."""
    web.play_on(match, until=lambda table: table.state.table.phase == phase)
    return int(web.table(match).state.table.turn)
