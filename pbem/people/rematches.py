"""Players of a match that is over agree on a rematch, or on another game with the same people.

The first yes is told to the others, once. When all who play have chosen the same, the match opens
by itself (``matches.rematch``): nobody is invited, because each has agreed by a link of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select, update

from engine.errors import EngineError
from engine.games.registry import games
from pbem.acts import matches, outbox
from pbem.errors import BadInput, NotPossible, Refused
from pbem.people.apart import apart
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import Link, Match, RematchAsk, RematchWish, Seat
from pbem.store.names import Actor, MailKind
from pbem.store.table import Table

#: How long the players have to agree.
LAPSES = timedelta(days=14)
#: When a match that could not be opened is tried again.
LATER = timedelta(hours=1)


@dataclass(frozen=True)
class RematchState:
    """How it stands with the rematch of a match."""

    #: The names of who is asked, by seat: the people who played to the end.
    names: Mapping[int, str]
    #: What they said, by seat: a game, or "" for no.
    said: Mapping[int, str]
    #: The match that was opened; None if none was yet.
    opened: str | None
    #: Until when they can agree; None if nobody has asked.
    until: datetime | None
    is_over: bool

    @property
    def agreed(self) -> str:
        """The game that all have chosen; "" if they have not."""
        chosen = {self.said.get(seat, "") for seat in self.names}
        return chosen.pop() if len(chosen) == 1 else ""


def may_ask(table: Table, seat: Seat) -> bool:
    """Whether the player of a seat can ask for a rematch, and is asked."""
    match = table.match
    over = match.started_at is not None and match.ended_at is not None and match.host_email != ""
    asked = any(one.number == seat.number for one in _people(table))
    return over and asked and bool(offered(table))


def _people(table: Table) -> tuple[Seat, ...]:
    return tuple(filter(matches.played_on, table.seats))


def offered(table: Table) -> tuple[str, ...]:
    """The games that as many can play, the one that was played first."""
    played, seats = table.match.game, table.match.seat_count
    fitting = [name for name, game in games().items() if seats in game.meta.seats]
    return tuple(sorted(fitting, key=lambda name: name != played))


def read(service: Service, table: Table) -> RematchState:
    with service.database.read() as session:
        return _read(session, table, service.now())


def _read(session: Session, table: Table, now: datetime) -> RematchState:
    match_id = table.match.id
    ask = session.get(RematchAsk, match_id, populate_existing=True)
    wishes = session.exec(select(RematchWish).where(RematchWish.match_id == match_id)).all()
    opened = session.exec(select(Match.id).where(Match.rematch_of == match_id)).first()
    until = ask.asked_at + LAPSES if ask else None
    over = until is not None and now >= until
    said = {wish.seat: wish.game for wish in wishes}
    names = {seat.number: seat.name for seat in _people(table)}
    return RematchState(names, said, opened, until, over)


def say(service: Service, link: Link, game: str) -> None:
    """A player says which game they would like to play again; "": none. The last word counts.

    While nobody has asked, there is nothing to say no to: then nothing is written, and nobody told.
    """
    table, now = service.read(link.match_id), service.now()
    seat = table.seat(link.seat)
    if not may_ask(table, seat):
        raise NotPossible("The players of this match cannot ask for a rematch.")
    if game and game not in offered(table):
        raise BadInput("Choose one of these games.", field="game")
    with service.database.write("rematch.say") as session:
        if not game and session.get(RematchAsk, link.match_id) is None:
            return
        _ask(session, table, seat, now)
        asked = _read(session, table, now)
        if asked.opened or asked.is_over:
            raise NotPossible("It is too late for that: the question is settled.")
        new = {"match_id": link.match_id, "seat": seat.number, "game": game, "at": now}
        statements.upsert(
            session,
            RematchWish,
            [new],
            unique=("match_id", "seat"),
            updated=("game", "at"),
        )
        agreed = _read(session, table, now).agreed
        if agreed:
            _look_at(session, link.match_id, now)
    service.ring("post")
    if agreed:
        _settle(service, link.match_id)


def _ask(session: Session, table: Table, seat: Seat, now: datetime) -> None:
    """Asks the others, if nobody has. Answers to one question wait for each other from here on."""
    match_id = table.match.id
    new = {"match_id": match_id, "seat": seat.number, "asked_at": now, "due_at": now + LAPSES}
    if statements.upsert(session, RematchAsk, [new], unique=("match_id",)):
        for other in _people(table):
            if other.number != seat.number:
                outbox.owe(
                    session,
                    MailKind.REMATCH_ASKED,
                    f"{MailKind.REMATCH_ASKED}:{match_id}:{other.number}",
                    now,
                    match_id=match_id,
                    seat=other.number,
                    absent=seat.number,
                )
    else:
        _wait_for_answers(session, match_id)


def _wait_for_answers(session: Session, match_id: str) -> None:
    """Until the end of the transaction no other answers to this question are written."""
    same = update(RematchAsk).where(col(RematchAsk.match_id) == match_id)
    session.execute(same.values(seat=RematchAsk.seat))


def _look_at(session: Session, match_id: str, at: datetime | None) -> None:
    """Sets when to look at a question again; None: it is settled."""
    session.execute(
        update(RematchAsk).where(col(RematchAsk.match_id) == match_id).values(due_at=at)
    )


def settle_due(service: Service, most: int) -> int:
    """Opens what all have agreed on, and lets lapse what they have not; returns how many."""
    due = select(RematchAsk.match_id).where(col(RematchAsk.due_at) <= service.now()).limit(most)
    with service.database.ask() as session:
        found = session.exec(due).all()
    for match_id in found:
        _settle(service, match_id)
    return len(found)


def _settle(service: Service, match_id: str) -> None:
    table, now = service.read(match_id), service.now()
    asked = read(service, table)
    then = None

    def still_agreed(session: Session) -> None:
        _wait_for_answers(session, match_id)
        if _read(session, table, now).agreed != asked.agreed:
            raise NotPossible("It is too late for that: the question is settled.")

    if asked.agreed and asked.opened is None:
        then = None if asked.is_over else now + LATER
        # refused: the host has too many matches open, the game is gone, or somebody said no just
        # now; what fails otherwise keeps no other question waiting
        with apart("rematches.settle_due", match=match_id), suppress(Refused, EngineError):
            matches.rematch(
                service, match_id, actor=Actor.PLAYER, agreed=asked.agreed, also=still_agreed
            )
            then = None
    with service.database.write("rematch.settle") as session:
        _wait_for_answers(session, match_id)
        # after an answer that came in between it stays due
        if _read(session, table, now).agreed == asked.agreed:
            _look_at(session, match_id, then)
