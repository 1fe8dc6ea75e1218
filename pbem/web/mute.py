"""No more mail of a match: the link in every mail, and mail programs' one click (RFC 8058)."""

from __future__ import annotations

from flask import Blueprint, Response

from pbem import present
from pbem.acts import deliverability
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.web.context import base_url, form, link_of, page, service, table_of

door = Blueprint("mute", __name__)


@door.get("/u/<token>")
def show(token: str) -> Response:
    return _page(link_of(token, Purpose.MUTE), token)


@door.post("/u/<token>")
def act(token: str) -> Response:
    """Mutes, also for a mail program that posts ``List-Unsubscribe=One-Click``; or unmutes."""
    link = link_of(token, Purpose.MUTE)
    given = form("List-Unsubscribe", "do")
    if given.get("do") == "unmute":
        deliverability.unmute(service(), link)
    else:
        deliverability.mute(service(), link)
    return _page(link, token)


def _page(link: Link, token: str) -> Response:
    look, seat, words = table_of(link)
    table = present.table(look, words, zone=seat.zone, base_url=base_url())
    return page("mute.html", words, table=table, seat=present.own_seat(seat), token=token)
