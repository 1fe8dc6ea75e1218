"""Numbers below zero have a true minus sign wherever people read them."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from engine.errors import Sentence
from pbem.words import templating
from pbem.words.i18n import translator


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"hp": -2}, "HP −2"),
        ({"hp": 0}, "HP 0"),
        ({"hp": Markup("<b>-2</b>")}, "HP <b>-2</b>"),
        ({"hp": Sentence("{n} of {of}", {"n": -3, "of": "alpha-1"})}, "HP −3 of alpha-1"),
    ],
)
def test_a_number_in_a_text_has_a_true_minus_sign_and_other_words_keep_their_hyphens(
    parameters: dict[str, object], said: str
) -> None:
    assert translator("en").text("HP {hp}", **parameters) == said


def test_numbers_in_plurals_and_beside_markup_have_it_too() -> None:
    words = translator("en")

    points = words.plural("{name}: {number} point.", "{name}: {number} points.", -2, name="a-1")
    marked = words.text("{name}: {number}", name=Markup("<b>a-1</b>"), number=-2)

    assert (points, marked) == ("a-1: −2 points.", "<b>a-1</b>: −2")


def test_templates_write_a_number_with_it() -> None:
    wrote = templating.environment().from_string("{{ -2 | minus }} {{ '%+d' | format(3) | minus }}")

    assert wrote.render() == "−2 +3"
