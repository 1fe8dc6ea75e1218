"""The board as a picture: small, and the same to the eye as it was drawn."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image, ImageChops, ImageStat

from engine.dice import SeededDice
from engine.games.registry import find
from pbem import present
from pbem.mail import pictures
from pbem.words.i18n import translator


def drawing(name: str, seats: int) -> str:
    """The table of a game some moves into a match."""
    game, dice = find(name), SeededDice(b"a table for a picture")
    state = game.setup(seats, game.options_type(), dice).state
    for _ in range(24):
        seat = min(game.phase(state).pending)
        state = game.apply(state, seat, game.default_move(state, seat), dice).state
    names = ("Alice", "Bob", "Carol", "Dave", "Erin", "Frank")[:seats]
    view = game.view(state, 0)
    return str(present.board(name, view, names, translator("en", name), you=0, standalone=True))


@pytest.mark.parametrize(
    ("name", "seats"), [("dog", 6), ("dogs-of-war", 5), ("skirmish", 2)], ids=lambda each: str(each)
)
def test_a_palette_makes_the_picture_smaller_and_changes_nothing_an_eye_could_see(
    name: str, seats: int
) -> None:
    svg = drawing(name, seats)
    full, few = pictures.drawn(svg), pictures.png(svg)

    before = Image.open(BytesIO(full)).convert("RGB")
    after = Image.open(BytesIO(few))
    assert after.mode == "P"
    assert after.size == before.size
    assert len(few) < 0.6 * len(full)
    difference = ImageStat.Stat(ImageChops.difference(before, after.convert("RGB")))
    assert max(difference.mean) < 0.5, "of 255"
    assert len(few) < 200_000
