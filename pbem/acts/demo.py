"""One match against bots, so that a newcomer can click a turn link within a minute."""

from __future__ import annotations

from sqlmodel import col, select

from pbem.acts import advance, matches
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Match
from pbem.store.names import Actor, Purpose
from pbem.store.table import load

NAME = "Guest"
EMAIL = "you@example.org"
#: Who plays the matches of the first page: an address of the embedded mailbox.
DEMO_ADDRESS = "you@demo.example"


def teaches(match: Match) -> bool:
    """Whether this is a match of the trial, whose player may play for the first time."""
    return match.host_email in (EMAIL, DEMO_ADDRESS)


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
