"""The scripts and the stylesheet of a game. They lie beside its templates, also in a plug-in."""

from __future__ import annotations

from flask import Blueprint, Response

from engine.games.registry import games
from pbem.errors import NotFound
from pbem.words import templating

door = Blueprint("game_files", __name__)


@door.get('/games/<game>/<any("turn.js", "board.js", "look.css"):name>')
def file(game: str, name: str) -> Response:
    path = templating.of_game(game, name) if game in games() else None
    if path is None:
        raise NotFound()
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    answer = Response(templating.source(path), mimetype=kind)
    # its address changes with its text (``context.game_file``)
    answer.cache_control.public = True
    answer.cache_control.max_age = 31_536_000
    return answer
