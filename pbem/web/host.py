"""The host's page: who is waited for and why, and the remedies. It shows no hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from pbem import present
from pbem.acts import matches, open_seats
from pbem.acts.previewed import MovedOn
from pbem.acts.remedy import RemedyRequest
from pbem.errors import Refused
from pbem.looks import match_look
from pbem.looks.match_look import TableLook
from pbem.people import open_tables, persons, standing, talk
from pbem.store import links
from pbem.store.models import Link
from pbem.store.names import Actor, Purpose
from pbem.web import remedy_forms
from pbem.web import talk as talking
from pbem.web.context import (
    NotSure,
    base_url,
    form,
    link_of,
    page,
    service,
)
from pbem.words.i18n import Translator, translator

door = Blueprint("host", __name__)


@door.get("/h/<token>")
def show(token: str) -> Response:
    return _page(link_of(token, Purpose.HOST), token)


@door.post("/h/<token>/preview")
def preview(token: str) -> Response:
    """Says what a remedy would do. Nothing is changed."""
    link = link_of(token, Purpose.HOST)
    given = form(*remedy_forms.FIELDS)
    look, words = _look(link)
    try:
        asked = remedy_forms.read(given, len(look.seats), Actor.HOST)
        return _preview(token, look, asked, words)
    except Refused as error:
        return _page(link, token, error=error, given=given)


def _preview(
    token: str,
    look: TableLook,
    asked: RemedyRequest,
    words: Translator,
    error: Refused | None = None,
) -> Response:
    match = look.match
    shown = remedy_forms.preview(match.id, asked, Actor.HOST, match.zone, words)
    return page(
        "remedy.html",
        words,
        error=error,
        **shown,
        action=f"/h/{token}/apply",
        back=f"/h/{token}",
        csrf=None,
    )


@door.post("/h/<token>/apply")
def apply(token: str) -> Response:
    """Carries a remedy out, as it was previewed."""
    link = link_of(token, Purpose.HOST)
    given = form(*remedy_forms.DOING)
    look, words = _look(link)
    try:
        asked = remedy_forms.read(given, len(look.seats), Actor.HOST)
        try:
            match = look.match
            done = remedy_forms.carry_out(match.id, asked, Actor.HOST, match.zone, words, given)
        except (MovedOn, NotSure) as error:
            return _preview(token, look, asked, words, error)
    except Refused as error:
        return _page(link, token, error=error, given=given)
    if asked.remedy == "reissue-host":
        # this page's own link is dead now
        return page("done.html", words, message=done)
    return _page(link, token, done=done)


@door.post("/h/<token>/invite")
def invite(token: str) -> Response:
    """Sends the invitations: whoever has this link has the host's mail."""
    link = link_of(token, Purpose.HOST)
    form()
    try:
        matches.send_invitations(service(), link.match_id)
    except Refused as error:
        return _page(link, token, error=error)
    return _page(link, token)


@door.post("/h/<token>/say")
def say(token: str) -> Response:
    """A host who does not play says something to the table, or to one seat."""
    link, given = link_of(token, Purpose.HOST), form(*talking.FIELDS)
    try:
        talking.say(link, given)
    except Refused as error:
        # found again: the part of the host may be somebody else's by now
        return _page(link_of(token, Purpose.HOST), token, error=error)
    return _page(link, token, keep=False)


@door.post("/h/<token>/talk")
def keep_order(token: str) -> Response:
    """The host hides a message, or sets what the match allows."""
    link, given = link_of(token, Purpose.HOST), form(*talking.RULES)
    try:
        talking.keep_order(link.match_id, given, Actor.HOST)
    except Refused as error:
        return _page(link, token, error=error)
    return _page(link, token)


@door.post("/h/<token>/listed")
def listed(token: str) -> Response:
    """Lists a table with open seats for everybody, or takes it off the list."""
    link = link_of(token, Purpose.HOST)
    wanted = form("listed").get("listed") == "yes"
    try:
        open_tables.show(service(), link.match_id, listed=wanted)
    except Refused as error:
        return _page(link, token, error=error)
    return _page(link, token)


def _look(link: Link) -> tuple[TableLook, Translator]:
    look = match_look.table_or_trouble(service(), link.match_id, newest=remedy_forms.HISTORY)
    return look, translator(look.match.language, look.match.game)


def _reliable(look: TableLook) -> dict[int, standing.Reliability]:
    """How reliable those are who took an open seat, by seat, where enough is known of them."""
    found = {}
    took = [seat for seat in look.seats if seat.left_open and seat.email]
    with service().database.read() as session:
        for seat in took:
            known = persons.of_address(session, str(seat.email))
            reliable = standing.reliability(session, known.id or 0) if known else None
            if reliable is not None:
                found[seat.number] = reliable
    return found


def _page(
    link: Link,
    token: str,
    *,
    done: str = "",
    error: Refused | None = None,
    given: Mapping[str, str] | None = None,
    keep: bool = True,
) -> Response:
    """The host's page; ``given`` is the form of a remedy that was refused."""
    look, words = _look(link)
    match = look.match
    free = open_seats.free(match, look.seats)
    said = talking.messages_for(match, links.HOST)
    with service().database.read() as session:
        allowed = talk.rules(session, match)
    shown = present.table(look, words, zone=match.zone, base_url=base_url(), talk=said)
    values: dict[str, Any] = {
        "table": shown,
        "panel": talking.panel(allowed, match, look.seats, links.HOST, words, keep=keep),
        "order": talking.order_of(match, words),
        "talk_action": f"/h/{token}/talk",
        **remedy_forms.of_match(look, shown, match.zone, words, Actor.HOST),
        "invitation": f"{base_url()}/open/{match.id}" if free else "",
        "listed": open_tables.is_listed(service(), match.id),
        "reliable": _reliable(look),
        "token": token,
        "whole": None,
        "action": f"/h/{token}/preview",
        "done": done,
        "given": given or {},
        "csrf": None,
    }
    return page("host.html", words, error=error, **values)
