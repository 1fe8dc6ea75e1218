"""Somebody wants to take a move back: each of the others is asked, and answers here."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response

from pbem import present
from pbem.acts import deliverability, going_back
from pbem.errors import BadInput, Refused
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.web.context import base_url, form, link_of, page, service, table_of

door = Blueprint("consent", __name__)


@door.get("/c/<token>")
def show(token: str) -> Response:
    return _page(link_of(token, Purpose.CONSENT), token)


@door.post("/c/<token>")
def answer(token: str) -> Response:
    link = link_of(token, Purpose.CONSENT)
    given = form("answer")
    try:
        if given.get("answer") not in ("yes", "no"):
            raise BadInput("Choose yes or no.", field="answer")
        going_back.answer(service(), link, given["answer"] == "yes")
        deliverability.shows_to_be_there(service(), link)
    except Refused as error:
        return _page(link, token, error=error)
    return _page(link, token)


def _page(link: Link, token: str, error: Refused | None = None) -> Response:
    with service().database.read() as session:
        proposal, given = going_back.proposal_and_answer(session, link.turn_id, link.seat)
    look, seat, words = table_of(link, newest=None)
    asker = look.seats[proposal.seat].name if proposal else ""
    undone = tuple(
        line for line in look.lines if proposal and line.act is None and line.ply > proposal.back_to
    )
    return page(
        "consent.html",
        words,
        error=error,
        table=present.table(
            replace(look, lines=undone), words, zone=seat.zone, base_url=base_url()
        ),
        token=token,
        asker=asker,
        given=None if given is None else given.agreed,
        is_open=proposal is not None and going_back.is_open(proposal, look.match),
    )
