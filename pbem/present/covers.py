"""The pictures of the first page: a cover for each game that brings one, and a letter.

The board in them is the game's own drawing, of a table in the middle of a match between bots.
"""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from markupsafe import Markup

from engine.dice import SeededDice
from engine.game import Step
from engine.games import registry
from engine.simulation import key_of, play_match
from pbem.present import colours, pictures
from pbem.present.tables import usual_number
from pbem.words import templating
from pbem.words.i18n import translator

Kind: TypeAlias = Literal["cover", "letter"]

#: Names the match of the pictures: the same text plays the same one.
_SEED = "cover"
_NAMES = ("Ada", "Ben", "Cleo", "Dina", "Eva", "Finn")
#: What the fonts of pictures have: a picture in an ``<img>`` cannot use those of its page, so it
#: brings these letters with it. ``pyftsubset FILE.ttf --text=... --flavor=woff2 --no-hinting
#: --layout-features=kern`` made them of ``mail/fonts``.
LETTERS = "0123456789%+: ABCDKTYacdehilmnorstuv"
_FONTS = Path(__file__).parent / "fonts"
_SIZE = re.compile(r'(<svg\b[^>]*?)(?:\s(?:width|height)="[^"]*")+')


@cache
def drawn(kind: Kind, game: str, language: str, *, dark: bool) -> str | None:
    """The picture as an SVG file on this sheet; None if the game has none of this kind."""
    file = templating.of_game(game, f"{kind}.svg")
    if file is None:
        return None
    shown = _board(game, language) if "board" in (templating.source(file) or "") else ""
    picture = templating.render(file, translator(language, game), board=shown)
    return _with_fonts(colours.filled(picture, game, dark=dark))


def _with_fonts(picture: str) -> str:
    """The picture with the faces that it names."""
    texts = re.findall(r"<text\b[^>]*>", picture)
    plain = any("font-weight" not in text for text in texts)
    bold = re.search(r'font-weight="(bold|700)"', picture) is not None
    wanted = (
        *(
            ("Atkinson Hyperlegible", weight)
            for weight, used in ((400, plain), (700, bold))
            if used
        ),
        *((("Source Serif 4", 600),) if "Source Serif 4" in picture else ()),
    )
    faces = "".join(_face(family, weight) for family, weight in wanted)
    return re.sub(
        r"<svg\b[^>]*>",
        rf"\g<0><style>{faces}text{{text-rendering:geometricPrecision}}</style>",
        picture,
        count=1,
    )


@cache
def _face(family: str, weight: int) -> str:
    file = _FONTS / f"{family.lower().replace(' ', '-')}-{weight}-normal.woff2"
    content = base64.b64encode(file.read_bytes()).decode()
    source = f"url(data:font/woff2;base64,{content})"
    return f"@font-face{{font-family:'{family}';font-weight:{weight};src:{source}}}"


@cache
def _board(game: str, language: str) -> Markup:
    """The game's board for an onlooker, as large as what it is put into; colours not filled in."""
    rules = registry.find(game)
    seats = usual_number(rules.meta.seats)
    players = (rules.meta.bots[0],) * seats
    played = play_match(rules, seats, seed=_SEED, players=players, keep_log=True)
    key = key_of(_SEED)
    step: Step[Any, Any] = rules.setup(seats, rules.options_type(), SeededDice(key))
    for ply in played.log[: played.plies // 3]:
        step = rules.apply(step.state, ply.seat, ply.move, SeededDice(key))
    board = pictures.board(
        game,
        rules.view(step.state, None),
        _NAMES[:seats],
        translator(language, game),
        events=step.events,
        prefix="cover",
        framed=False,
    )
    return Markup(_SIZE.sub(r"\1", board or "", count=1))  # noqa: S704 - the drawing of a page
