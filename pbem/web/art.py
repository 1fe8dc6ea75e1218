"""The pictures of the first page, as files of their own: covers of games, the table in a letter."""

from __future__ import annotations

import hashlib

from flask import Blueprint, Response, request, url_for

from engine.games.registry import games
from pbem.errors import NotFound
from pbem.present import covers
from pbem.words.texts import LANGUAGES

door = Blueprint("art", __name__)


@door.get("/art/<language>/<sheet>/<game>.svg")
def cover(language: str, sheet: str, game: str) -> Response:
    return _file(covers.of_game(game, language, dark=_is_dark(language, sheet, game)))


@door.get("/art/<language>/<sheet>/letter/<game>.svg")
def letter(language: str, sheet: str, game: str) -> Response:
    return _file(covers.letter(game, language, dark=_is_dark(language, sheet, game)))


def _is_dark(language: str, sheet: str, game: str) -> bool:
    if language not in LANGUAGES or sheet not in ("light", "dark") or game not in games():
        raise NotFound()
    return sheet == "dark"


def _file(drawn: str | None) -> Response:
    if drawn is None:
        raise NotFound()
    answer = Response(drawn, mimetype="image/svg+xml")
    # an old address is answered with the newest picture, and only the newest may be kept
    answer.cache_control.public = True
    answer.cache_control.max_age = 31_536_000 if request.args.get("v") == _version(drawn) else 0
    return answer


def _version(drawn: str) -> str:
    return hashlib.sha256(drawn.encode()).hexdigest()[:10]


def cover_urls(game: str, language: str) -> dict[str, str] | None:
    """The addresses of a game's cover, by sheet; None if it has none."""
    drawn = {
        sheet: covers.of_game(game, language, dark=sheet == "dark") for sheet in ("light", "dark")
    }
    if None in drawn.values():
        return None
    return {
        sheet: url_for(
            "art.cover", language=language, sheet=sheet, game=game, v=_version(file or "")
        )
        for sheet, file in drawn.items()
    }


def letter_urls(game: str, language: str) -> dict[str, str]:
    """The addresses of the letter with this game's board, by sheet."""
    return {
        sheet: url_for(
            "art.letter",
            language=language,
            sheet=sheet,
            game=game,
            v=_version(covers.letter(game, language, dark=sheet == "dark")),
        )
        for sheet in ("light", "dark")
    }
