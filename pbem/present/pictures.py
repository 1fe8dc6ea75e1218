"""The board: ``games/GAME/board.svg`` draws it, ``games/GAME/board.txt`` describes it in words.

A game that shows something around the drawing on a page (a key, a sheet, other sizes) has
``games/GAME/frame.html``, which puts ``board`` in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from engine.game import Event
from engine.games import registry
from pbem.present import colours
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
    since: Sequence[Event] | None = None,
    prefix: str = "board",
    standalone: bool = False,
    dark: bool = False,
    framed: bool = True,
) -> Markup | None:
    """The drawing as SVG inside a page; None if the game has none.

    ``events`` are those of the last move, which the drawing marks; ``since`` those of all moves
    that the reader has not seen, if they are more. ``prefix`` begins all its ids, so that a page
    can hold two drawings. ``standalone``: with what a file of its own needs, for the pictures of
    mails; ``dark``: on the dark sheet. ``framed``: with what the game puts around its drawing on
    a page.
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
        templating.render(
            file,
            words,
            **known,
            events=tuple(events),
            since=tuple(events if since is None else since),
            standalone=standalone,
        )
    )
    frame = templating.of_game(game, "frame.html")
    if standalone:
        return Markup(colours.filled(drawn, game, dark=dark))  # noqa: S704 - the same, with colours
    if frame is None or not framed:
        return drawn
    return Markup(templating.render(frame, words, **known, board=drawn))  # noqa: S704 - the same


def choices(game: str, view: Any) -> Any:
    """What can be decided, for ``choices_text``; None if a list of all orders says it."""
    if view is None or templating.of_game(game, "choices.txt") is None:
        return None
    return registry.find(game).choices(view)


def choices_text(
    game: str, view: Any, choices: Any, names: Sequence[str], words: Translator
) -> str:
    """These ``choices`` and how an order is written; "" if there are none."""
    file = templating.of_game(game, "choices.txt")
    if choices is None or file is None:
        return ""
    known = {"view": view, "choices": choices, "names": tuple(names)}
    return templating.render(file, words, **known).strip()


def help_text(game: str, view: Any, words: Translator) -> str:
    """What can be done now, for an answer by mail; "" if a list of all orders says it."""
    file = templating.of_game(game, "help.txt")
    if view is None or file is None:
        return ""
    choices = registry.find(game).choices(view)
    return templating.render(file, words, view=view, choices=choices).strip("\n")


def board_text(
    game: str,
    view: Any,
    names: Sequence[str],
    words: Translator,
    *,
    you: int | None = None,
    choices: Any = None,
    over: bool = False,
) -> str:
    """The table in plain text, a line for each thing; "" if the game has no words for it.

    ``choices``: what ``choices_text`` says of them stands beside it and need not be said here.
    ``over``: whether the match is, so that nobody is asked anything any more.
    """
    file = templating.of_game(game, "board.txt")
    if view is None or file is None:
        return ""
    rules = registry.find(game)
    known = {
        "view": view,
        "drawing": rules.drawing(view),
        "choices": choices,
        "names": tuple(names),
        "you": you,
        "over": over,
    }
    return templating.render(file, words, **known).strip()
