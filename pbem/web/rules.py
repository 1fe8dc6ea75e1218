"""The rules of each game, in our own words."""

from __future__ import annotations

from flask import Blueprint, Response

from engine.games.registry import find, games
from pbem.errors import NotFound
from pbem.web import options
from pbem.web.context import page, reader_language, service
from pbem.words import templating
from pbem.words.i18n import translator

door = Blueprint("rules", __name__)


@door.get("/rules")
def index() -> Response:
    words = translator(reader_language())
    return page("rules_index.html", words, games=[game.meta for game in games().values()])


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
        options=options.fields(found, words),
        reference=found.reference(),
        own_page=templating.of_game(game, "rules.html"),
        service_name=service().settings.mail.from_name,
    )
