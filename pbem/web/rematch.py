"""Whether the players of a match that is over would like to play once more: at a seat's link."""

from __future__ import annotations

from flask import Blueprint, Response

from pbem import present
from pbem.acts import deliverability
from pbem.errors import BadInput, Refused
from pbem.people import rematches
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.web import going_on
from pbem.web.context import base_url, form, link_of, page, service, table_of

door = Blueprint("rematch", __name__)


@door.get("/s/<token>/rematch")
def show(token: str) -> Response:
    return _page(link_of(token, Purpose.SEAT), token)


@door.post("/s/<token>/rematch")
def answer(token: str) -> Response:
    """Yes to one of the games, or no to all of them."""
    link, given = link_of(token, Purpose.SEAT), form("game", "answer")
    game = "" if given.get("answer") == "no" else given.get("game", "")
    try:
        if not game and given.get("answer") != "no":
            raise BadInput("Choose one of these games.", field="game")
        rematches.say(service(), link, game)
    except Refused as error:
        return _page(link, token, error=error)
    deliverability.shows_to_be_there(service(), link)
    return _page(link, token)


def _page(link: Link, token: str, *, error: Refused | None = None) -> Response:
    look, seat, words = table_of(link)
    row = service().read(link.match_id)
    asked = rematches.read(service(), row)
    return page(
        "rematch.html",
        words,
        error=error,
        table=present.table(look, words, zone=seat.zone, base_url=base_url()),
        seat=seat.number,
        token=token,
        asked=asked,
        until=present.Moment(asked.until, seat.zone, words) if asked.until else None,
        offered=rematches.offered(row),
        is_mailed=going_on.is_mailed(seat),
        may_ask=rematches.may_ask(row, row.seat(link.seat)),
    )
