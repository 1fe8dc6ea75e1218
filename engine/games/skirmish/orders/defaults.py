"""Defaults for what an order leaves out: the weapon in hand, and its first mode."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from engine.games.skirmish import moves as m
from engine.games.skirmish.combat import close
from engine.games.skirmish.data.library import library, weapon
from engine.games.skirmish.state import Model


def filled(move: m.SkirmishMove, find: Callable[[str], Model | None]) -> m.SkirmishMove:
    """The complete move; ``find`` returns a model by its name."""
    if isinstance(move, m.Fire | m.OpFire | m.Reload):
        model = find(move.model)
        arms = () if model is None else model.arms
        if not move.weapon and arms and not (isinstance(move, m.OpFire) and move.device):
            move = replace(move, weapon=arms[0].weapon)
    if isinstance(move, m.Fire | m.OpFire) and not move.mode:
        modes = weapon(move.weapon).modes if move.weapon in library().weapons else ()
        mode = modes[0].name if modes else "single"
        move = replace(move, mode=mode if mode != "throw" else "single")
    if isinstance(move, m.Attack) and not move.weapon:
        model = find(move.model)
        if model is not None:
            move = replace(move, weapon=close.best_weapon(model, move.knockout))
    return move
