"""The first page, the choice of a language, and the demo match of a service that mails nobody."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from flask import Blueprint, Response, current_app, url_for
from werkzeug.exceptions import HTTPException

from engine.games.registry import find, games
from pbem import present
from pbem.acts import demo as demo_matches
from pbem.errors import NotFound
from pbem.store import links
from pbem.web import art, cookies, guards
from pbem.web.context import (
    LANGUAGE_COOKIE,
    STATIC,
    SWITCHABLE,
    THEME_COOKIE,
    THEMES,
    form,
    go_to,
    page,
    reader_language,
    reader_words,
    service,
)
from pbem.words import texts

door = Blueprint("first_page", __name__)


@door.get("/")
def show() -> Response:
    language, words = reader_language(), reader_words()
    shown = [
        (
            game.meta,
            art.urls("cover", name, language),
            present.for_players(game.meta.seats, words),
        )
        for name, game in games().items()
    ]
    return page(
        "first_page.html",
        words,
        games=shown,
        dice=present.dice_of_service(words, used=service().settings.uses_beacon),
        letter=next(filter(None, (art.urls("letter", name, language) for name in games())), None),
    )


@door.post("/language")
def language() -> Response:
    """Keeps the reader's language in a cookie, and goes back to a page of ours."""
    given = form("language", "back")
    chosen = texts.language(given.get("language", ""))
    return _keep(LANGUAGE_COOKIE, chosen, _own_page(given.get("back", "/"), SWITCHABLE))


@door.post("/theme")
def theme() -> Response:
    """Keeps whether the reader wants light or dark pages in a cookie, and goes back."""
    given = form("theme", "back")
    chosen = given.get("theme", "")
    return _keep(
        THEME_COOKIE, chosen if chosen in THEMES else "", _own_page(given.get("back", "/"))
    )


def _keep(cookie: str, chosen: str, back: str) -> Response:
    response = go_to(back)
    cookies.put(response, cookie, chosen, timedelta(days=365))
    return response


def _own_page(path: str, among: Collection[str] | None = None) -> str:
    """The path, if it is one of our pages, or ``among`` these; else the first page."""
    adapter = current_app.url_map.bind("")
    try:
        endpoint, values = adapter.match(path, method="GET")
    except (HTTPException, ValueError):
        return url_for("first_page.show")
    ours = among is None or endpoint in among
    return url_for(endpoint, **values) if ours else url_for("first_page.show")


@door.post("/demo")
def demo() -> Response:
    """Opens the first match of the reader, against bots, and goes to its first turn."""
    here = service()
    if not here.settings.mailbox:
        raise NotFound()
    given = form("game", "zone")
    guards.allow_opening()
    game = find(given.get("game", "dog"))
    match = demo_matches.first_match(here, game.meta, reader_language(), given.get("zone"))
    link = demo_matches.open_turn(here, match.id)
    if link is None:
        return go_to(url_for("match.table", match_id=match.id))
    return go_to(url_for("turn.show", token=links.token(here.keys, link)))


@door.get("/robots.txt")
def robots() -> Response:
    return Response("User-agent: *\nDisallow: /\n", mimetype="text/plain")


@door.get("/favicon.ico")
def icon() -> Response:
    return Response((STATIC / "icon.svg").read_bytes(), mimetype="image/svg+xml")
