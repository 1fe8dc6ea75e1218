"""A player's own page of a match: back from the bot, mail, zone and language. Never a hand."""

from __future__ import annotations

from flask import Blueprint, Response

from pbem import absence, looks, matches, present, remedies, resend
from pbem.errors import BadInput, Refused
from pbem.i18n import translator
from pbem.models import Link, Purpose
from pbem.web.context import base_url, form, link_of, page, sentence, service
from pbem.web.match import zones

door = Blueprint("seat", __name__)


@door.get("/s/<token>")
def show(token: str) -> Response:
    return _page(link_of(token, Purpose.SEAT), token)


@door.post("/s/<token>")
def act(token: str) -> Response:
    """One of the page's buttons: each is a form of its own, with the name of what it does."""
    link = link_of(token, Purpose.SEAT)
    given = form("do", "zone", "language")
    here, done = service(), given.get("do", "")
    try:
        match done:
            case "come-back":
                absence.come_back(here, link)
            case "mute":
                remedies.mute(here, link)
            case "unmute":
                remedies.unmute(here, link)
            case "mail":
                resend.current_link(here, link)
            case "settings":
                zone, language = given.get("zone", ""), given.get("language", "")
                matches.set_preferences(here, link, zone, language)
            case _:
                raise BadInput("Choose what is to be done.", field="do")
    except Refused as error:
        return _page(link, token, error=error)
    return _page(link, token, done=done)


def _page(link: Link, token: str, *, done: str = "", error: Refused | None = None) -> Response:
    look = looks.table(service(), link.match_id)
    seat = look.seats[link.seat]
    words = translator(seat.language, look.match.game)
    return page(
        "seat.html",
        words,
        200 if error is None else error.status,
        table=present.table(look, words, zone=seat.zone, base_url=base_url()),
        seat=seat,
        token=token,
        done=done,
        problem=sentence(error, words) if error is not None else None,
        zones=zones(),
    )
