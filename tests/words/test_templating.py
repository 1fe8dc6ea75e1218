"""Templates say what Jinja says; what of a board stands still is drawn once and kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import jinja2
import pytest
from markupsafe import Markup

from engine.games.dogs_of_war.box.components import Space
from pbem.words import templating
from pbem.words.i18n import translator

SPACE = "games/dogs-of-war/space.svg"
#: Each way in which a template puts out a value, or calls something with it.
TEMPLATE = """
{% macro said(value, more="") %}
<b title="{{ value }}">{{ value }}{{ more }}{{ varargs | join }}</b>
{{ caller() if caller is defined }}
{% endmacro %}
{% set say = said %}
{{ value }}{{ value ~ "<" }}{{ value | safe }}{{ "%s" | format(value) }}{{ plain(value) }}
{{ tagged(value) }}{{ said(value) }}{{ said(value, "<", value) }}{{ say(said(value, more=value)) }}
{% call said(1) %}{{ value }}{% endcall %}
{% set kept %}<i>{{ value }}</i>{% endset %}{{ kept }}{{ kept | length }}
{% for one in [value, 1] %}{{ loop.index }}{{ plain(one) }}{{ loop.cycle(value, 2) }}{% endfor %}
"""
SHOWN = {"house": "talbot", "side": 0, "width": 65, "height": 52, "taken": False}


@pytest.mark.parametrize("name", ["page.html", "mail.txt"])
@pytest.mark.parametrize(
    "value", ["", "as it is", "<&>'\"", "ñ &", Markup("<b>"), 0, -1.5, None, True, ["<"]], ids=repr
)
def test_what_templates_put_out_is_what_jinja_puts_out(name: str, value: object) -> None:
    ours = templating.environment()
    loader = jinja2.DictLoader({name: TEMPLATE})
    values = {"value": value, "plain": lambda one: f"<{one}>", "tagged": _tagged}

    said = ours.overlay(loader=loader).get_template(name).render(values)

    jinja = jinja2.Environment(
        loader=loader, autoescape=ours.autoescape, trim_blocks=True, lstrip_blocks=True
    )
    assert said == jinja.get_template(name).render(values)


@jinja2.pass_context
def _tagged(context: jinja2.runtime.Context, value: object) -> str:
    return f"{context['value']}<{value}"


def test_what_stands_still_is_what_it_would_be_if_it_were_drawn_anew() -> None:
    """In each drawing and for each value, by many threads at once, and more than are kept."""
    templating._still.cache_clear()
    asked = [(prefix, number) for number in range(200) for prefix in ("board", "after")] * 2

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(_kept, asked))

    assert found == [_drawn(*one) for one in asked]
    assert templating._still.cache_info().currsize < len(set(asked))


def test_what_stands_still_is_drawn_once() -> None:
    templating._still.cache_clear()

    assert _kept(("after", 6)) is _kept(("after", 6))


def _kept(asked: tuple[str, int]) -> str:
    prefix, number = asked
    return templating._still(SPACE, prefix=prefix, space=Space(), number=number, **SHOWN)


def _drawn(prefix: str, number: int) -> str:
    words = translator("en", "dogs-of-war")
    return templating.render(SPACE, words, prefix=prefix, space=Space(), number=number, **SHOWN)
