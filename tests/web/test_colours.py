"""The colours that drawings name are on both sheets, and pictures for mails have them filled in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.games.registry import BUILT_IN
from pbem.present import colours

ROOT = Path(__file__).parents[2]
USED = re.compile(r"var\(--([a-z0-9-]+)\)")


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_colour_that_a_drawing_names_is_known(game: str) -> None:
    known = colours.of_sheet(game)

    for drawing in ROOT.glob(f"templates/games/{game}/*.svg"):
        assert {*USED.findall(drawing.read_text())} <= {*known}, drawing


def test_a_drawing_for_a_mail_has_the_colours_of_the_light_sheet() -> None:
    assert colours.filled('<path fill="var(--ink)"/>', "dog") == '<path fill="#23201b"/>'


def test_a_colour_that_no_stylesheet_has_is_an_error() -> None:
    with pytest.raises(KeyError, match="puce"):
        colours.filled('<path fill="var(--puce)"/>', "dog")
