"""A match that is over as an animated picture to keep: asked for, waited for, taken."""

from __future__ import annotations

from flask import Blueprint, Response, url_for

from pbem import present
from pbem.errors import NotFound, TooMany
from pbem.looks import match_look
from pbem.mail import animations
from pbem.web import guards
from pbem.web.context import (
    form,
    go_to,
    json_answer,
    match_id_of,
    page,
    service,
    wants_json,
)
from pbem.web.match import language_of
from pbem.words.i18n import translator

door = Blueprint("animation", __name__)


@door.post("/m/<match_id>/animation")
def ask(match_id: str) -> Response:
    """Has it made, if it is not there, and leads to where one waits for it."""
    match_id, here = match_id_of(match_id), service()
    form()
    try:
        if animations.state(here, match_id) in ("none", "failed"):
            guards.allow("animations", f"{here.settings.limits.animations_per_hour}/hour")
        animations.ask(here, match_id)
    except TooMany as error:
        return _page(match_id, error)
    return go_to(url_for("animation.show", match_id=match_id))


@door.get("/m/<match_id>/animation")
def show(match_id: str) -> Response:
    """Whether it is there.

    To the script of the page: where to see what became of it, or null while it waits.
    """
    return _page(match_id_of(match_id))


def _page(match_id: str, error: TooMany | None = None) -> Response:
    match, state = (
        match_look.terms(service(), match_id).match,
        animations.state(service(), match_id),
    )
    if not animations.can_be_made(match):
        raise NotFound()
    if wants_json() and error is None:
        path = url_for("animation.show", match_id=match_id) if state != "waits" else None
        return json_answer({"link": path})
    words = translator(language_of(match), match.game)
    return page(
        "animation.html",
        words,
        error=error,
        match=present.match(match),
        title=present.match_title(match, words),
        state=state,
    )


@door.get("/m/<match_id>/animation.gif")
def file(match_id: str) -> Response:
    """The picture; 404 until it is made."""
    match_id = match_id_of(match_id)
    guards.allow_picture()
    answer = Response(animations.content(service(), match_id), mimetype="image/gif")
    answer.headers["Content-Disposition"] = f'attachment; filename="pbem-{match_id}.gif"'
    return answer
