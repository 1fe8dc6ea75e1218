"""The board: ``games/GAME/board.svg`` draws it, ``games/GAME/board.txt`` tells it in words.

A game whose drawing needs something around it on a page (a key, a sheet, other sizes) has
``games/GAME/frame.html``, which puts ``board`` where it belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from engine.game import Event
from engine.games import registry
from pbem.words import templating
from pbem.words.i18n import Translator


def board(
    game: str,
    view: Any,
    names: Sequence[str],
    words: Translator,
    *,
    you: int | None = None,
    events: Sequence[Event] = (),
    prefix: str = "board",
    standalone: bool = False,
) -> Markup | None:
    """The drawing, to stand inside a page; None where the game has none.

    ``events`` are those of the last move, which the drawing marks. ``prefix`` begins all ids in
    it, so that a page can hold two. ``standalone`` brings what a file of its own needs (mails turn
    it into a picture).
    """
    file = templating.of_game(game, "board.svg")
    if view is None or file is None:
        return None
    drawing = registry.find(game).drawing(view)
    known = {
        "view": view,
        "drawing": drawing,
        "names": tuple(names),
        "you": you,
        "prefix": prefix,
    }
    drawn = Markup(  # noqa: S704 - an .svg template escapes what is put in
        templating.render(file, words, **known, events=tuple(events), standalone=standalone)
    )
    frame = templating.of_game(game, "frame.html")
    if standalone or frame is None:
        return drawn
    return Markup(templating.render(frame, words, **known, board=drawn))  # noqa: S704 - the same


def choices_text(game: str, view: Any, names: Sequence[str], words: Translator) -> str:
    """What can be decided and how it is written, where a list of all orders would not help.

    "" where it does.
    """
    file = templating.of_game(game, "choices.txt")
    if view is None or file is None:
        return ""
    choices = registry.find(game).choices(view)
    known = {"view": view, "choices": choices, "names": tuple(names)}
    return templating.render(file, words, **known).strip()


def help_text(game: str, view: Any, words: Translator) -> str:
    """What can be done now, for who asks by mail; "" where a list of all orders says it."""
    file = templating.of_game(game, "help.txt")
    if view is None or file is None:
        return ""
    choices = registry.find(game).choices(view)
    return templating.render(file, words, view=view, choices=choices).strip("\n")


def board_text(
    game: str, view: Any, names: Sequence[str], words: Translator, *, you: int | None = None
) -> str:
    """The table in plain text, a line each thing; "" where the game has no words for it."""
    file = templating.of_game(game, "board.txt")
    if view is None or file is None:
        return ""
    drawing = registry.find(game).drawing(view)
    known = {"view": view, "drawing": drawing, "names": tuple(names), "you": you}
    return templating.render(file, words, **known).strip()
