"""The moves. The notation of each is in ``notation``."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.game import Move, Seat
from engine.games.dogs_of_war.box.components import Dog, House, Soldier, SoldierCounts


class ChooseDog(Move, frozen=True, tag="dog"):
    """The dog of war a player is for the whole match (DOW-1)."""

    dog: Dog


class ChooseFirst(Move, frozen=True, tag="first"):
    """This year's first player: the holder of the token, or the receiver (DOW-21).

    ``seat`` None keeps it.
    """

    seat: Seat | None = None


class Buy(Move, frozen=True, tag="buy"):
    """The whole purchase of a year (DOW-26)."""

    soldiers: SoldierCounts = SoldierCounts()


class Place(Move, frozen=True, tag="place"):
    """An action turn, steps 1 to 5 (DOW-32). ``space`` counts from 1.

    ``copied`` is the space of the opposing tile whose reward is taken, if this space's reward is
    "copy" and there is one to copy. Of several spaces with the same reward it names the first.
    """

    soldier: Soldier
    house: House
    space: int
    tactic: str | None = None
    copied: int | None = None


class Pass(Move, frozen=True, tag="pass"):
    """No more turns this year (DOW-64)."""


class Shift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tracker moved toward a house by 1 or 2 spaces."""

    house: House
    spaces: int


class Push(Move, frozen=True, tag="push"):
    """The Conqueror's choice for all battles at once, in their order (DOW-91).

    A battle that is not named stays as it is.
    """

    shifts: tuple[Shift, ...] = ()


class Withdraw(Move, frozen=True, tag="withdraw"):
    """The losing houses Stormcrow takes his captains back from, in the order of the battles."""

    houses: tuple[House, ...] = ()


DogsMove: TypeAlias = ChooseDog | ChooseFirst | Buy | Place | Pass | Push | Withdraw
