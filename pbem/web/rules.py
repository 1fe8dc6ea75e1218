"""The rules of each game, in our own words."""

from __future__ import annotations

from flask import Blueprint, Response

from engine import rulebook
from engine.games.registry import AnyGame, find, games
from pbem import present
from pbem.errors import NotFound
from pbem.web import options
from pbem.web.context import page, reader_language
from pbem.words import templating
from pbem.words.i18n import translator

door = Blueprint("rules", __name__)


@door.get("/rules")
def index() -> Response:
    words = translator(reader_language())
    return page(
        "rules_index.html",
        words,
        games=[game.meta for game in games().values()],
        on_one_page={name for name, game in games().items() if _book(game)},
    )


@door.get("/rules/<game>")
def show(game: str) -> Response:
    if game not in games():
        raise NotFound()
    found = find(game)
    words = translator(reader_language(), game)
    return page(
        "rules.html",
        words,
        game=found.meta,
        about=words.text(found.meta.summary),
        players=present.for_players(found.meta.seats, words),
        options=options.fields(found, words),
        reference=found.reference(),
        tables=templating.of_game(game, "tables.html"),
        has_summary=bool(_book(found)),
        own_page=templating.of_game(game, "rules.html"),
    )


@door.get("/rules/<game>/summary")
def summary(game: str) -> Response:
    """The main rules of a game, as usually played, on one page, to be printed."""
    if game not in games():
        raise NotFound()
    found = find(game)
    words = translator(reader_language(), game)
    book = rulebook.summary(_book(found))
    if not book:
        raise NotFound()
    return page(
        "rules_summary.html",
        words,
        match=None,
        title=words.text(found.meta.title),
        about=words.sentence(found.summary(found.options_type())),
        variants=[],
        summary=present.rulebook(book, words),
        clock="",
    )


def _book(game: AnyGame) -> tuple[rulebook.Chapter, ...]:
    """The rules with the usual options, for the usual number of players."""
    seats = present.usual_number(game.meta.seats)
    return game.rulebook(seats, game.options_type(), game.meta.rules_version)
