"""Formatting orders: a move as its line of text, and the parts of such a line.

``notation`` has the grammar, and parses what is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.games.dogs_of_war.box.components import SOLDIERS, House, Soldier
from engine.games.dogs_of_war.box.names import SOLDIER_NAMES, SOLDIER_PLURALS
from engine.games.dogs_of_war.moves import (
    Buy,
    ChooseDog,
    ChooseFirst,
    DogsMove,
    Pass,
    Place,
    Push,
    Shift,
    Withdraw,
)

NOTHING = "nothing"
ALL = "all"


def format_move(move: DogsMove) -> str:
    match move:
        case ChooseDog(dog=dog):
            return f"play {dog}"
        case ChooseFirst(seat=None):
            return "keep"
        case ChooseFirst(seat=seat):
            return f"give token to {(seat or 0) + 1}"
        case Buy(soldiers=soldiers):
            return buy(amounts({kind: f"{soldiers.count(kind)}" for kind in SOLDIERS}))
        case Place():
            return format_place(move)
        case Pass():
            return "pass"
        case Push(shifts=shifts):
            return push(map(shift_part, shifts))
        case Withdraw(houses=houses):
            return withdraw(houses)


def format_place(move: Place) -> str:
    parts = [] if move.tactic is None else [card_part(move.tactic)]
    parts += [SOLDIER_NAMES[move.soldier], space_part(move.house, move.space, move.copied)]
    return " ".join(parts)


def card_part(name: str) -> str:
    return f"{name.lower()} +"


def space_part(house: House, space: int, copied: int | None = None) -> str:
    return f"{house} {space}" + ("" if copied is None else f" copy {copied}")


def shift_part(shift: Shift) -> str:
    return f"{shift.house}:{shift.spaces}"


def stay_part(battle: int) -> str:
    """Leaves a battle's tracker unchanged; battles count from 0."""
    return f"{battle + 1}:0"


def amounts(numbers: Mapping[Soldier, str]) -> list[str]:
    """The amount of each kind, strongest first; zero or missing kinds are left out."""
    return [
        f"{number} {(SOLDIER_NAMES if number == '1' else SOLDIER_PLURALS)[kind]}"
        for kind in reversed(SOLDIERS)
        if (number := numbers.get(kind, "0")) != "0"
    ]


def buy(parts: Iterable[str], between: str = ", ") -> str:
    return f"buy {between.join(parts) or NOTHING}"


def push(parts: Iterable[str]) -> str:
    return f"push {' '.join(parts) or NOTHING}"


def withdraw(parts: Iterable[str]) -> str:
    return f"withdraw {' '.join(parts) or NOTHING}"
