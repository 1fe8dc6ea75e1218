"""One match against bots, so that a newcomer can click a turn link within a minute."""

from __future__ import annotations

import time

from sqlmodel import col, select

from pbem.acts import absence, advance, matches
from pbem.errors import NotFound
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Match
from pbem.store.names import Actor, Purpose
from pbem.store.table import load

NAME = "Guest"
#: How long a page waits for bots, in seconds.
PATIENCE = 5
#: Who plays the matches of the trial: an address of the embedded mailbox.
EMAIL = "you@example.org"


def teaches(match: Match) -> bool:
    """Whether this is a match of the trial, whose player may play for the first time."""
    return match.host_email == EMAIL


def seed(service: Service) -> str | None:
    """Opens the demo match if there is none yet, and returns the link of its open turn.

    None if the player has no open turn: the match is over, or the bots have not moved yet.
    """
    with service.database.read() as session:
        found = session.exec(
            select(Match).where(Match.host_email == EMAIL).order_by(col(Match.created_at).desc())
        ).first()
    if found is None:
        person = matches.Person(name=NAME, email=EMAIL)
        found = matches.create(
            service,
            matches.NewMatch(
                game="dog",
                host=person,
                seats=[
                    matches.NewSeat(name=NAME, email=EMAIL, confirmed=True),
                    matches.NewSeat(name="Ada", bot="easy"),
                    matches.NewSeat(name="Ben", bot="easy"),
                    matches.NewSeat(name="Cleo", bot="easy"),
                ],
                clock={"turn": "30d"},
            ),
            actor=Actor.SERVICE,
        )
        while advance.advance(service, found.id):
            pass
    return turn_link(service, found.id)


def play_the_rest(service: Service, link: Link) -> None:
    """Bots play a match of the trial to its end, and its player can look at that."""
    with service.database.read() as session:
        if not teaches(load(session, link.match_id).match):
            raise NotFound()
    absence.resign(service, link)
    # a worker goes on where this takes long: the newcomer is waiting
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and advance.advance(service, link.match_id):
        pass


def turn_link(service: Service, match_id: str) -> str | None:
    """The link of the player's open turn in the demo match; None if there is none."""
    with service.database.read() as session:
        table = load(session, match_id)
        turn = next(iter(table.open_turns.values()), None)
        if turn is None:
            return None
        link = session.exec(
            select(Link).where(
                Link.purpose == Purpose.TURN,
                Link.turn_id == turn.id,
                Link.epoch == table.seat(turn.seat).epoch,
            )
        ).first()
    if link is None:
        return None
    return links.url(service.keys, service.settings.base_url, link)
