"""The colours that drawings name are on both sheets, and pictures for mails have them filled in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

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


#: What is written on what, and how far the two must be apart (WCAG 2.2, 1.4.3 and 1.4.11).
TEXT = [
    (ink, ground)
    for ground in ("paper", "paper-2", "lift")
    for ink in ("ink", "ink-2", "act", "act-2", "warn", "good", "bad")
] + [("act-ink", "act"), ("act-ink", "act-2"), ("card-ink", "card"), ("card-red", "card")]
LINES = [(line, ground) for ground in ("paper", "lift") for line in ("edge", "focus")]


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_written_can_be_read_on_both_sheets(dark: bool) -> None:
    known = colours.of_sheet(None, dark=dark)

    assert [pair for pair in TEXT if contrast(*(known[name] for name in pair)) < 4.5] == []
    assert [pair for pair in LINES if contrast(*(known[name] for name in pair)) < 3] == []


def contrast(one: str, other: str) -> float:
    """The ratio of the luminances of two colours (WCAG 2.2)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = (part / 255 for part in bytes.fromhex(colour[1:7]))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_look_is_shown_in_the_trial(client: FlaskClient) -> None:
    page = client.get("/dev/look")

    assert page.status_code == 200
    assert "--paper" in page.text
