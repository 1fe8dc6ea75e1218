"""The host wants to do something with a player's seat: its owner is asked, and answers here."""

from __future__ import annotations

from flask import Blueprint, Response

from pbem import present
from pbem.acts import deliverability, permissions, remedies
from pbem.errors import BadInput, NotFound, Refused
from pbem.looks import match_look
from pbem.present import permissions as permissions_said
from pbem.store import links
from pbem.store.models import Link, Permission
from pbem.store.names import PermissionEnded, Purpose
from pbem.web.context import base_url, form, link_of, page, service
from pbem.words.i18n import translator

door = Blueprint("permit", __name__)


@door.get("/y/<token>")
def show(token: str) -> Response:
    return _page(link_of(token, Purpose.PERMIT), token)


@door.post("/y/<token>")
def answer(token: str) -> Response:
    try:
        link = link_of(token, Purpose.PERMIT)
    except NotFound:
        return _page(_of_a_yes(token), token)
    given = form("answer")
    try:
        if given.get("answer") not in ("yes", "no"):
            raise BadInput("Choose yes or no.", field="answer")
        # first, because after a yes the link may be dead
        deliverability.shows_to_be_there(service(), link)
        remedies.answer(service(), link, given["answer"] == "yes")
    except Refused as error:
        return _page(link, token, error=error)
    return _page(link, token)


def _of_a_yes(token: str) -> Link:
    """The link by which a yes was given, after which the seat's links are dead; else NotFound.

    Whoever presses the button twice reads what they answered.
    """
    here, row = service(), links.row_of(token)
    with here.database.ask() as session:
        found = session.get(Link, row) if row is not None else None
        epoch = found.epoch if found is not None else None
        link = links.checked(here.keys, token, Purpose.PERMIT, here.now(), found, epoch)
        asked = session.get(Permission, link.turn_id)
    if asked is None or not asked.agreed:
        raise NotFound()
    return link


def _page(link: Link, token: str, error: Refused | None = None) -> Response:
    with service().database.read() as session:
        row = session.get(Permission, link.turn_id)
    if row is None:
        raise NotFound()
    look = match_look.table_or_trouble(service(), link.match_id)
    seat = look.seats[link.seat]
    words = translator(seat.language, look.match.game)
    is_open = permissions.is_open(row, look.match)
    return page(
        "permit.html",
        words,
        error=error,
        table=present.table(look, words, zone=seat.zone, base_url=base_url()),
        token=token,
        host=look.match.host_name,
        asked=permissions_said.asked(row, seat.zone, words) if is_open else None,
        agreed=row.agreed,
        refused=row.closed == PermissionEnded.REFUSED,
    )
