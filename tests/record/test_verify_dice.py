"""The file that checks dice alone draws what the service drew."""

from __future__ import annotations

import pytest

from engine.dice import SeededDice
from pbem.record import verify_dice


@pytest.mark.parametrize("sides", [1, 2, 6, 10, 2**63 + 1, 2**64 - 1])
def test_the_checker_rolls_what_the_service_rolled(sides: int) -> None:
    """Of 2**63 + 1 sides every second word is too large."""
    dice = SeededDice(b"k")
    for _ in range(20):
        dice.roll("turn 1", "to hit", sides)

    stream = verify_dice.words(b"k", "turn 1", "to hit")

    for draw in dice.draws:
        assert verify_dice.drawn_again(sides, 1, stream) == list(draw.results)


@pytest.mark.parametrize("things", [0, 1, 2, 3, 110])
def test_the_checker_shuffles_as_the_service_did(things: int) -> None:
    dice = SeededDice(b"k")
    for _ in range(2):
        dice.shuffle("deal 1", "deck", range(things))

    stream = verify_dice.words(b"k", "deal 1", "deck")

    for draw in dice.draws:
        assert verify_dice.drawn_again(things, things, stream) == list(draw.results)
