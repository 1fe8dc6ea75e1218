"""The pictures of the first page as files of their own, on the light and on the dark sheet."""

from __future__ import annotations

import hashlib
from typing import get_args

from flask import Blueprint, Response, request, url_for

from engine.games.registry import games
from pbem.errors import NotFound
from pbem.present import covers
from pbem.words.texts import LANGUAGES

door = Blueprint("art", __name__)

SHEETS = ("light", "dark")
#: A picture has its letters in itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; sandbox"


@door.get(
    f"/art/<language>/<any({','.join(SHEETS)}):sheet>"
    f"/<any({','.join(get_args(covers.Kind))}):kind>/<game>.svg"
)
def picture(language: str, sheet: str, kind: covers.Kind, game: str) -> Response:
    if language not in LANGUAGES or game not in games():
        raise NotFound()
    drawn = covers.drawn(kind, game, language, dark=sheet == "dark")
    if drawn is None:
        raise NotFound()
    answer = Response(drawn, mimetype="image/svg+xml")
    answer.headers["Content-Security-Policy"] = POLICY
    # an old address is answered with the newest picture, and only the newest may be kept
    answer.cache_control.public = True
    answer.cache_control.max_age = 31_536_000 if request.args.get("v") == _version(drawn) else 0
    return answer


def _version(drawn: str) -> str:
    return hashlib.sha256(drawn.encode()).hexdigest()[:10]


def urls(kind: covers.Kind, game: str, language: str) -> dict[str, str] | None:
    """The addresses of a game's picture, by sheet; None if it has none of this kind."""
    found = {}
    for sheet in SHEETS:
        drawn = covers.drawn(kind, game, language, dark=sheet == "dark")
        if drawn is None:
            return None
        found[sheet] = url_for(
            "art.picture", language=language, sheet=sheet, kind=kind, game=game, v=_version(drawn)
        )
    return found
