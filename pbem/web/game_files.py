"""The scripts and the stylesheet of a game. They lie beside its templates, also in a plug-in."""

from __future__ import annotations

from flask import Blueprint, Response

from engine.games.registry import games
from pbem.errors import NotFound
from pbem.words import templating

door = Blueprint("game_files", __name__)


@door.get("/games/<game>/turn.js")
def script(game: str) -> Response:
    return _file(game, "turn.js", "text/javascript")


@door.get("/games/<game>/board.js")
def board_script(game: str) -> Response:
    return _file(game, "board.js", "text/javascript")


@door.get("/games/<game>/look.css")
def stylesheet(game: str) -> Response:
    return _file(game, "look.css", "text/css")


def _file(game: str, name: str, kind: str) -> Response:
    file = templating.of_game(game, name) if game in games() else None
    if file is None:
        raise NotFound()
    answer = Response(templating.source(file), mimetype=kind)
    # its address changes with its text (``context.game_file``)
    answer.cache_control.public = True
    answer.cache_control.max_age = 31_536_000
    return answer
