"""The colours of drawings, for whoever shows a drawing without the stylesheets of a page.

A drawing names colours as ``var(--ink)``. ``pbem/web/static/tokens.css`` says what they are on the
light and on the dark sheet, as ``light-dark(#23201b, #efe8da)``, and a game's ``look.css`` adds its
own in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from pbem.words import templating

_TOKENS = Path(__file__).parents[1] / "web" / "static" / "tokens.css"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"--([a-z0-9-]+):\s*([^;]+);")
_PAIR = re.compile(r"light-dark\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)")
_USED = re.compile(r"var\(--([a-z0-9-]+)\)")


def filled(drawing: str, game: str | None, *, dark: bool = False) -> str:
    """The drawing with the colours of the light or the dark sheet in place of their names.

    KeyError if it names one that neither stylesheet has.
    """
    colours = of_sheet(game, dark=dark)
    return _USED.sub(lambda used: colours[used[1]], drawing)


@cache
def of_sheet(game: str | None, *, dark: bool = False) -> Mapping[str, str]:
    """The value of each token on this sheet; tokens that are said by others are followed."""
    own = templating.of_game(game, "look.css") if game else None
    text = _TOKENS.read_text(encoding="utf-8") + ((own and templating.source(own)) or "")
    value_of = r"\2" if dark else r"\1"
    said = {
        name: _PAIR.sub(value_of, value) for name, value in _TOKEN.findall(_COMMENT.sub("", text))
    }
    return MappingProxyType({name: _followed(value, said) for name, value in said.items()})


def _followed(value: str, said: Mapping[str, str]) -> str:
    found = _USED.fullmatch(value)
    return _followed(said[found[1]], said) if found else value
