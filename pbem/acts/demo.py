"""Matches against bots, so that a newcomer can click a turn link within a minute."""

from __future__ import annotations

import time

from sqlmodel import col, select

from engine.game import Meta
from pbem.acts import absence, advance, matches
from pbem.errors import NotFound
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Match
from pbem.store.names import Actor, Purpose
from pbem.store.table import load
from pbem.words import texts
from pbem.words.i18n import translator

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
        new = matches.NewMatch(
            game="dog",
            host=person,
            seats=[
                matches.NewSeat(name=NAME, email=EMAIL, confirmed=True),
                matches.NewSeat(name="Ada", bot="easy"),
                matches.NewSeat(name="Ben", bot="easy"),
                matches.NewSeat(name="Cleo", bot="easy"),
            ],
            clock={"turn": "30d"},
        )
        found = _open(service, new, Actor.SERVICE)
    link = open_turn(service, found.id)
    return links.url(service.keys, service.settings.base_url, link) if link is not None else None


def first_match(service: Service, game: Meta, language: str, zone: str | None) -> Match:
    """Opens a newcomer's first match of a game, against bots, and plays on to their turn.

    A ``zone`` that is not known here is ignored: the browser guesses it.
    """
    _ = translator(language).text
    first = game.learnt_by
    bots = [matches.NewSeat(bot=game.bots[0]) for _number in range(first.seats - 1)]
    new = matches.NewMatch(
        game=game.name,
        host=matches.Person(_("Guest"), EMAIL),
        seats=[matches.NewSeat(name=_("Guest"), email=EMAIL, confirmed=True), *bots],
        options=first.options,
        language=language,
        zone=zone if zone in texts.zones() else None,
    )
    return _open(service, new, Actor.HOST)


def _open(service: Service, new: matches.NewMatch, actor: Actor) -> Match:
    match = matches.create(service, new, actor=actor)
    # a worker would do this soon, but the newcomer is waiting now
    while advance.advance(service, match.id):
        pass
    return match


def play_the_rest(service: Service, link: Link) -> None:
    """Bots play a match of the trial to its end, and its player can look at that."""
    if not teaches(service.read(link.match_id).match):
        raise NotFound()
    absence.resign(service, link)
    # a worker goes on where this takes long: the newcomer is waiting
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and advance.advance(service, link.match_id):
        pass


def open_turn(service: Service, match_id: str) -> Link | None:
    """The link of the player's open turn in a match of the trial; None if there is none."""
    with service.database.read() as session:
        table = load(session, match_id)
        turn = next(iter(table.open_turns.values()), None)
        if turn is None:
            return None
        return links.there(session, Purpose.TURN, table.match, table.seat(turn.seat), turn.id or 0)
