"""The people of the tests, and a service they play on.

Alice hosts. She, Bob, Carol and Dave play; Erin is a stranger, Frank stands in for somebody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlmodel import col, select

from engine.dice import SeededDice
from engine.games.registry import games
from pbem.acts import matches, turns
from pbem.acts.sweep import sweep
from pbem.clock import ManualClock
from pbem.config import Settings
from pbem.config.sections import BeaconRounds
from pbem.service import Service
from pbem.store import links
from pbem.store.db import Database
from pbem.store.keys import Keys
from pbem.store.models import Link, Mail, Match, Ply, Seat, Turn
from pbem.store.names import Purpose
from pbem.store.table import Table, load
from tests.parts.chance import draws

#: A Tuesday noon in no zone's change of clocks.
START = datetime(2026, 6, 2, 12, 0, tzinfo=UTC)
NAMES = ("Alice", "Bob", "Carol", "Dave")
#: A test of the beacon has a chain of its own, in tests.parts.local_beacon. Nothing listens here.
NO_BEACON = BeaconRounds(enabled=False, urls=("http://127.0.0.1:9/chain",))
#: Options of a match of Dog that is half as long, for tests of what is done with whole matches.
SHORT = {"pawns_in": 2}
KEYS = Keys((b"k" * 32,))


def address(name: str) -> str:
    return f"{name.lower()}@example.org"


def people(count: int) -> list[matches.NewSeat]:
    """Seats for so many of the cast, in its order."""
    names = (*NAMES, "Erin", "Frank")[:count]
    return [matches.NewSeat(name=name, email=address(name)) for name in names]


def by(service: Service, match_id: str, seat: int) -> Link:
    """What an act by the page of a seat (``links.HOST``: of the host) is given."""
    table = service.read(match_id)
    whose = None if seat == links.HOST else table.seat(seat)
    return Link(**links.row(Purpose.SEAT, table.match, whose, service.now()))


def make_service(home: Path, database_url: str) -> Service:
    """A service on a database that is up to date, with a clock the test moves."""
    settings = Settings(
        home=home,
        database_url=database_url,
        base_url="https://games.example.org",
        beacon=NO_BEACON,
    )
    return Service(
        settings, Database(database_url), KEYS, ManualClock(START), entropy=draws("a house")
    )


@dataclass
class House:
    """A service, and what tests say about it in a word."""

    service: Service

    @property
    def clock(self) -> ManualClock:
        assert isinstance(self.service.clock, ManualClock)
        return self.service.clock

    def wait(self, **span: float) -> None:
        """Time passes, and the workers do what is due."""
        self.clock.move(timedelta(**span))
        self.work()

    def work(self) -> None:
        for _ in range(100):
            if not sweep(self.service):
                return
        raise AssertionError("the sweep finds no end")

    def open(self, *, confirmed: bool = True, bots: int = 0, **asked: Any) -> Match:
        """A match of Dog for Alice, Bob, Carol and Dave; the last ``bots`` seats are bots'."""
        new = matches.NewMatch(
            **{
                "game": "dog",
                "host": matches.Person(name="Alice", email=address("alice")),
                "seats": [*people(4 - bots), *(matches.NewSeat(bot="easy") for _ in range(bots))],
                "confirmed": confirmed,
                **asked,
            }
        )
        return matches.create(self.service, new)

    def running(self, **asked: Any) -> Match:
        """A match that was opened and carried on to the first decision."""
        match = self.open(**asked)
        self.work()
        return self.match(match.id)

    def of_game(self, game: str, **asked: Any) -> Match:
        """The same of any registered game, with as few people as can play it."""
        return self.running(game=game, seats=people(min(games()[game].meta.seats)), **asked)

    # --- looking ---

    def table(self, match: Match) -> Table:
        with self.service.database.read() as session:
            return load(session, match.id)

    def match(self, match_id: str) -> Match:
        with self.service.database.read() as session:
            found = session.get(Match, match_id)
        assert found is not None
        return found

    def seat(self, match: Match, number: int) -> Seat:
        return self.table(match).seats[number]

    def waiting(self, match: Match) -> list[int]:
        """The seats with an open turn."""
        return sorted(self.table(match).open_turns)

    def turn(self, match: Match, seat: int) -> Turn:
        return self.table(match).open_turns[seat]

    def link(self, match: Match, purpose: Purpose, seat: int) -> Link:
        """The newest link of this purpose."""
        these = (Link.match_id == match.id, Link.purpose == purpose, Link.seat == seat)
        newest = select(Link).where(*these).order_by(col(Link.id).desc()).limit(1)
        with self.service.database.read() as session:
            return session.exec(newest).one()

    def token(self, link: Link) -> str:
        return links.token(self.service.keys, link)

    def mails(self, kind: str | None = None) -> list[Mail]:
        with self.service.database.read() as session:
            found = session.exec(select(Mail)).all()
        return [mail for mail in found if kind in (None, mail.kind)]

    def plies(self, match: Match) -> list[Ply]:
        with self.service.database.read() as session:
            found = session.exec(select(Ply).where(Ply.match_id == match.id)).all()
        return sorted(found, key=lambda ply: ply.ply)

    # --- playing ---

    def orders(self, match: Match, seat: int) -> list[str]:
        table = self.table(match)
        return [table.game.format(move) for move in table.game.legal_moves(table.state, seat)]

    def play(
        self,
        match: Match,
        seat: int,
        order: str | None = None,
        submission: str | None = None,
        ply: int | None = None,
    ) -> turns.Receipt:
        """The seat plays an order, or the first legal one, by its turn link."""
        link = self.link(match, Purpose.TURN, seat)
        order = order or self.orders(match, seat)[0]
        return turns.submit(self.service, link, order, submission or f"{link.turn_id}:{order}", ply)

    def orders_after(self, match: Match, mover: int, seat: int) -> list[str]:
        """Orders that will be legal for a seat when the mover has made its good move."""
        table = self.table(match)
        order = self.good_order(match, mover)
        move = table.game.parse(table.state, mover, order)
        state = table.game.apply(table.state, mover, move, table.dice()).state
        return [table.game.format(move) for move in table.game.legal_moves(state, seat)]

    def before_a_choice(self) -> tuple[Match, int, int]:
        """A match, the one seat that must move, and the next, which will have a choice then."""
        match = self.play_on(self.running(), plies=6)
        while True:
            mover, *others = self.waiting(match)
            following = (mover + 1) % 4
            # between two rounds all are asked at once
            if not others and len(self.orders_after(match, mover, following)) > 1:
                return self.match(match.id), mover, following
            self.play(match, mover, self.good_order(match, mover))
            self.work()

    def good_order(self, match: Match, seat: int) -> str:
        """What a sensible player would do: the bot's choice."""
        return sensible_order(self.table(match), seat)

    def play_on(
        self,
        match: Match,
        *,
        plies: int = 10_000,
        without: int = -1,
        until: Callable[[Table], bool] = lambda table: False,
    ) -> Match:
        """Everybody (but ``without``) plays until so many plies are made, or nobody can.

        ``until`` is asked before every decision whether that is far enough.
        """
        while (table := self.table(match)).match.status == "running" and table.match.ply < plies:
            players = [seat for seat in sorted(table.open_turns) if seat != without]
            if not players or until(table):
                break
            seat = players[0]
            self.play(match, seat, sensible_order(table, seat), f"{table.match.ply}")
            self.work()
        return self.match(match.id)


def sensible_order(table: Table, seat: int) -> str:
    """What a sensible player would do: the bot's choice."""
    legal = list(table.game.legal_moves(table.state, seat))
    dice = SeededDice.from_text(f"{table.match.ply}")
    move = table.game.choose(table.game.view(table.state, seat), legal, dice)
    return table.game.format(move)
