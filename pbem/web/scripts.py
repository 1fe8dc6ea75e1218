"""The script of a game's turn page. It lies beside the game's templates, also in a plug-in."""

from __future__ import annotations

from flask import Blueprint, Response

from engine.games.registry import games
from pbem.errors import NotFound
from pbem.words import templating

door = Blueprint("scripts", __name__)


@door.get("/games/<game>/turn.js")
def of_turn(game: str) -> Response:
    file = templating.of_game(game, "turn.js") if game in games() else None
    if file is None:
        raise NotFound()
    answer = Response(templating.source(file), mimetype="text/javascript")
    # its address changes with its text (``context.game_script``)
    answer.cache_control.public = True
    answer.cache_control.max_age = 31_536_000
    return answer
