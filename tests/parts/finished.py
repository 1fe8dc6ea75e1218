"""A match that has been over for long."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import text

from pbem.store.models import Match
from tests.parts import remedies
from tests.parts.cast import House, people

SEATS = {"dog": 4, "dogs-of-war": 3, "skirmish": 2}


def over_for_long(house: House, game: str = "dog", plies: int = 10_000) -> Match:
    """A match that was played so far and has been over for 31 days, and a newer one."""
    seats = people(SEATS[game])
    match = house.play_on(house.running(game=game, seats=seats), plies=plies)
    if match.ended_at is None:
        remedies.abort(house.service, match.id, actor="host")
    send_all(house)
    house.clock.move(timedelta(days=31))
    house.open()
    return house.match(match.id)


def send_all(house: House) -> None:
    """Every mail that is owed is sent."""
    with house.service.database.write("test") as session:
        session.execute(text("UPDATE outbox SET status = 'sent', sent_at = created_at"))
