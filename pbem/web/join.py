"""The invitation: a player takes their seat, with a seed phrase for the dice."""

from __future__ import annotations

from typing import Literal

import msgspec
from flask import Blueprint, Response

from engine.errors import EngineError
from pbem import present
from pbem.acts import invitees, lobby, matches
from pbem.errors import BadInput, NotPossible
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.web import going_on, options, programs
from pbem.web.body import posted
from pbem.web.context import (
    base_url,
    form,
    json_answer,
    link_of,
    must_be_sure,
    page,
    service,
    table_of,
    wants_json,
)
from pbem.web.match import dice_sentence
from pbem.words import texts

door = Blueprint("join", __name__)


class JoinRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody joins, as ``matches.Joining``. Only its types have been checked."""

    phrase: str = ""
    name: str = ""
    zone: str = ""
    language: str = ""
    reminders: Literal["yes", "no"] = "yes"


@door.get("/j/<token>")
def show(token: str) -> Response:
    return _page(link_of(token, Purpose.JOIN), token)


@door.post("/j/<token>")
def join(token: str) -> Response:
    link = link_of(token, Purpose.JOIN)
    given = posted(JoinRequest)
    joining = matches.Joining(
        phrase=given.phrase,
        name=given.name,
        zone=given.zone,
        language=given.language,
        reminders=given.reminders == "yes",
    )
    is_new = service().read(link.match_id).seat(link.seat).joined_at is None
    try:
        matches.join(service(), link, joining)
    except (BadInput, NotPossible) as error:
        return _page(link, token, error=error, typed=joining)
    return _page(link, token, proved=is_new)


@door.post("/j/<token>/decline")
def decline(token: str) -> Response:
    """Somebody who was invited does not want to play; the host is told."""
    link = link_of(token, Purpose.JOIN)
    given = form("sure")
    try:
        must_be_sure(given)
        lobby.decline(service(), link)
    except (BadInput, NotPossible) as error:
        return _page(link, token, error=error)
    return _page(link, token)


@door.get("/j/<token>/never")
def never(token: str) -> Response:
    return _invitations(link_of(token, Purpose.JOIN), token)


@door.post("/j/<token>/never")
def set_never(token: str) -> Response:
    """Whoever was invited gets no more invitations from this service, or gets them again."""
    link = link_of(token, Purpose.JOIN)
    invitees.never(service(), link, allow=form("do").get("do") == "again")
    return _invitations(link, token)


def _invitations(link: Link, token: str) -> Response:
    look, seat, words = table_of(link)
    with service().database.ask() as session:
        never = seat.email is not None and invitees.wants_none(session, seat.email)
    return page("never.html", words, host=look.match.host_name, token=token, never=never)


def _page(
    link: Link,
    token: str,
    error: BadInput | NotPossible | EngineError | None = None,
    typed: matches.Joining | None = None,
    proved: bool = False,
) -> Response:
    look, seat, words = table_of(link)
    if wants_json() and error is None:
        return json_answer(programs.match(look) | {"seat": link.seat})
    shown = present.table(look, words, zone=seat.zone, base_url=base_url())
    return page(
        "joined.html" if seat.joined_at is not None else "join.html",
        words,
        error=error,
        table=shown,
        seat=present.own_seat(seat),
        own=look.match.is_seat_of_host(seat),
        token=token,
        zones=texts.places(),
        typed=typed or matches.Joining(name=seat.name, language=words.language),
        guess_zone=not (typed and typed.zone) and seat.zone == look.match.zone,
        wrong=options.wrong_of_person(error),
        beacon=dice_sentence(look.match, words),
        **going_on.own_way(look, seat, proved=proved),
    )
