"""Random positions of Dogs of War, from matches that are played at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from engine.dice import SeededDice
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog, SoldierCounts, catalogue
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.state import State
from tests.engine.games.dogs_of_war.scenes import with_screen
from tests.parts import chance

ALL = (Dog.CONQUEROR, Dog.STORMCROW, Dog.ORDALIA, Dog.OMALLEY, Dog.BLACKMANE)
#: Forms of a match: players, and options that change what may be played.
FORMS: list[tuple[int, dict[str, Any]]] = [
    (3, {}),
    (3, {"two_battles": True, "sudden_death": True}),
    (4, {"one_soldier_a_year": True, "betrayal_at_once": False}),
    (5, {"dogs": ALL, "stormcrow_withdraws": "by_choice", "copy_ignores_prerequisite": False}),
    (5, {"dogs": ALL, "conqueror_moves": "two", "conqueror_on_both_sides": "stays"}),
]


def positions(seats: int, options: dict[str, Any], what: str) -> Iterator[tuple[State, int]]:
    """Every decision of a random match, and whose it is; often with another hand than was dealt."""
    seed = f"{chance.SEED} {what} {seats} {options}"
    lot, dice = random.Random(seed), SeededDice.from_text(seed)
    chosen = Options(**options)
    cards = catalogue(chosen.components).deck
    GAME.check_options(seats, chosen)
    state = GAME.setup(seats, chosen, dice).state
    while GAME.outcome(state) is None:
        (seat,) = GAME.phase(state).pending
        asked = state
        if state.screens and lot.random() < 0.5:
            hand = SoldierCounts(*(lot.choice((0, 0, 1, 2)) for _ in range(4)))
            tactics = tuple(sorted(lot.sample(cards, lot.randint(0, 4))))
            coins = lot.randint(0, 12)
            asked = with_screen(state, seat, soldiers=hand, tactics=tactics, coins=coins)
        yield asked, seat
        moves = list(GAME.legal_moves(state, seat))
        state = GAME.apply(state, seat, lot.choice(moves), dice).state
