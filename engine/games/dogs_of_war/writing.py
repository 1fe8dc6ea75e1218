"""A move as the line of text that means it; ``notation`` has the grammar."""

from __future__ import annotations

from collections.abc import Iterator

from engine.games.dogs_of_war.components import (
    SOLDIERS,
    SoldierCounts,
)
from engine.games.dogs_of_war.moves import (
    Buy,
    ChooseDog,
    ChooseFirst,
    DogsMove,
    Pass,
    Place,
    Push,
    Withdraw,
)
from engine.games.dogs_of_war.words import (
    SOLDIER_NAMES,
    SOLDIER_PLURALS,
)


def format_move(move: DogsMove) -> str:
    match move:
        case ChooseDog(dog=dog):
            return f"play {dog}"
        case ChooseFirst(seat=None):
            return "keep"
        case ChooseFirst(seat=seat):
            return f"give token to {(seat or 0) + 1}"
        case Buy(soldiers=soldiers):
            return "buy " + (", ".join(_amounts(soldiers)) or "nothing")
        case Place():
            return format_place(move)
        case Pass():
            return "pass"
        case Push(shifts=shifts):
            named = [f"{shift.house}:{shift.spaces}" for shift in shifts]
            return "push " + (" ".join(named) or "nothing")
        case Withdraw(houses=houses):
            return "withdraw " + (" ".join(houses) or "nothing")


def _amounts(soldiers: SoldierCounts) -> Iterator[str]:
    for kind in reversed(SOLDIERS):
        number = soldiers.count(kind)
        if number:
            names = SOLDIER_NAMES if number == 1 else SOLDIER_PLURALS
            yield f"{number} {names[kind]}"


def format_place(move: Place) -> str:
    card = "" if move.tactic is None else f"{move.tactic.lower()} + "
    copy = "" if move.copied is None else f" copy {move.copied}"
    return f"{card}{SOLDIER_NAMES[move.soldier]} {move.house} {move.space}{copy}"
