"""The state of a match: what is face up, what is behind the screens, and what is face down.

``Table`` holds only what everybody sees, and every view shows all of it: it must never contain
anything hidden. A player's secrets are in their ``Screen`` (DOW-13).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from engine.game import Score, Seat
from engine.games.dogs_of_war.box.components import (
    Dog,
    House,
    Reward,
    Soldier,
    SoldierCounts,
    Space,
)
from engine.games.dogs_of_war.meta import Options

YEARS = 4
#: The last space of a battle track, in each direction (DOW-47).
TRACK_END = 15
STARTING_COINS = 5
INCOME = 3
STARTING_TACTICS = 2
#: Captains mustered in years 1 to 4 (DOW-22).
CAPTAINS = (3, 4, 4, 5)
#: The lowest space of the house track (DOW-76).
LOWEST_POSITION = -1

PhaseName: TypeAlias = Literal[
    "dogs of war", "first player", "mustering", "action", "conqueror", "withdrawal", "over"
]


class Influence(msgspec.Struct, frozen=True):
    """Influence tokens of each house."""

    talbot: int = 0
    mallory: int = 0
    bastiani: int = 0
    hackett: int = 0
    tornborn: int = 0
    harlow: int = 0

    def count(self, house: House) -> int:
        return int(getattr(self, house))

    def plus(self, house: House, number: int) -> Influence:
        return msgspec.structs.replace(self, **{str(house): self.count(house) + number})


class Screen(msgspec.Struct, frozen=True):
    """What one player keeps hidden from the others (DOW-13)."""

    support: House
    coins: int = STARTING_COINS
    points: int = 0
    soldiers: SoldierCounts = SoldierCounts()
    #: Names of the tactic cards in hand, sorted.
    tactics: tuple[str, ...] = ()
    influence: Influence = Influence()


class Player(msgspec.Struct, frozen=True):
    """What everybody sees of a player."""

    #: None until it is chosen.
    dog: Dog | None
    #: Captains in hand this year.
    captains: int = 0
    #: Captains won as bonus rewards, for next year's muster (DOW-82).
    reserve: int = 0
    passed: bool = False
    #: The battles, from 0, in which Betrayal lets them support both sides this year.
    betrayed: tuple[int, ...] = ()


class HouseRow(msgspec.Struct, frozen=True):
    """A house of this match: its place on the house track, and its tokens in the supply."""

    house: House
    position: int
    influence: int


class Side(msgspec.Struct, frozen=True):
    """One side of a battle: a house and its order of battle tile (DOW-20)."""

    house: House
    #: The tile's number in the component set, from 1.
    tile: int
    spaces: tuple[Space, ...]
    #: The seat with a captain on each space.
    captains: tuple[Seat | None, ...]
    #: The soldier cards played for the house.
    soldiers: SoldierCounts = SoldierCounts()
    #: Total spaces moved toward this side: by soldiers with the surplus beyond the cap, by pushes
    #: only up to the cap.
    strength: int = 0

    def captains_of(self, seat: Seat) -> int:
        return self.captains.count(seat)

    @property
    def captains_placed(self) -> int:
        return len(self.captains) - self.captains.count(None)

    def with_captain(self, space: int, seat: Seat) -> Side:
        """The side with one more captain, on a space counted from 1."""
        captains = (*self.captains[: space - 1], seat, *self.captains[space:])
        return msgspec.structs.replace(self, captains=captains)


class Battle(msgspec.Struct, frozen=True):
    """A battle of this year. Sides are written 1a and 1b, 2a and 2b, 3a and 3b."""

    #: From −15 (glory for the first side) to 15 (glory for the second).
    tracker: int
    bonus: Reward
    sides: tuple[Side, Side]

    def lead(self, side: int) -> int:
        """How far the tracker is on this side's half; negative on the other half."""
        return self.tracker if side else -self.tracker


class Placement(msgspec.Struct, frozen=True):
    """One action of this year, as everybody saw it. Battles from 0, spaces from 1."""

    seat: Seat
    battle: int
    house: House
    space: int
    soldier: Soldier
    tactic: str | None
    copied: int | None
    #: The tracker's place afterwards.
    tracker: int


class BattleResult(msgspec.Struct, frozen=True):
    """How a battle ended. ``points`` are the victory points of each seat (DOW-78)."""

    year: int
    battle: int
    houses: tuple[House, House]
    tracker: int
    victor: House | None
    glorious: bool
    bonus: Reward
    points: tuple[int, ...]
    takers: tuple[Seat, ...]

    @property
    def lead(self) -> int:
        """How far the tracker was on the victor's half; without a victor, on the first house's.

        Negative on the other half, where a victor can have it if strength decides (DOW-49).
        """
        return self.tracker if self.victor is self.houses[1] else -self.tracker


class Table(msgspec.Struct, frozen=True):
    """Everything face up, and whose turn it is."""

    year: int
    phase: PhaseName
    #: The seat that must act; nobody once the match is over.
    turn: Seat | None
    #: The holder of the first-player token, and this year's first player; both are the first seat
    #: while dogs of war are being chosen, before the token is drawn.
    token: Seat
    first: Seat
    #: The seat that passed first this year and gets the token next year (DOW-68).
    first_passed: Seat | None
    players: tuple[Player, ...]
    houses: tuple[HouseRow, ...]
    removed: tuple[House, ...]
    battles: tuple[Battle, ...]
    #: Soldier cards in the supply.
    soldiers: SoldierCounts
    #: Cards left in the tactic deck, and the discards in the order they were played.
    deck: int
    discards: tuple[str, ...]
    placements: tuple[Placement, ...] = ()
    results: tuple[BattleResult, ...] = ()

    def dogs_left(self) -> tuple[Dog, ...]:
        """The dogs of war that nobody plays (DOW-1)."""
        taken = {player.dog for player in self.players}
        return tuple(dog for dog in Dog if dog not in taken)

    def row(self, house: House) -> HouseRow:
        return next(row for row in self.houses if row.house is house)

    def find(self, house: House) -> tuple[int, int] | None:
        """The battle and side of a house this year; None if it does not fight."""
        for number, battle in enumerate(self.battles):
            for side in (0, 1):
                if battle.sides[side].house is house:
                    return number, side
        return None

    def where(self, house: House) -> tuple[int, int]:
        """The battle and side of a house that is known to fight this year."""
        found = self.find(house)
        if found is None:
            raise ValueError(f"{house} does not fight this year")
        return found

    def captains_this_year(self, seat: Seat) -> int:
        """Placed and in hand (DOW-24)."""
        placed = sum(side.captains_of(seat) for battle in self.battles for side in battle.sides)
        return self.players[seat].captains + placed

    def after(self, seat: Seat) -> Seat:
        """The next seat clockwise."""
        return (seat + 1) % len(self.players)

    def in_turn_order(self) -> tuple[Seat, ...]:
        """All seats, clockwise from this year's first player."""
        seats = tuple(range(len(self.players)))
        return seats[self.first :] + seats[: self.first]


class State(msgspec.Struct, frozen=True):
    """The whole state, hidden things included."""

    options: Options
    #: SHA-256 of the component set the match is played with, in hexadecimal.
    components_digest: str
    table: Table
    #: By seat; none while dogs of war are chosen.
    screens: tuple[Screen, ...]
    #: The tactic deck, next card last.
    deck: tuple[str, ...]
    #: House support cards that are out of the game, face down (DOW-5).
    undealt: tuple[House, ...]
    #: How often the discards became a new deck: names the next shuffle.
    reshuffles: int = 0
    #: Set when the match is over.
    scores: tuple[Score, ...] = ()
    #: The version of the rules the match began with (``meta``).
    rules: int = 1
