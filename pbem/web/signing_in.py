"""Signing in and out: a link by mail signs a device in.

Every address gets the same answer, so that it tells nobody who plays here. The link's page shows
what it does; a POST does it, because mail scanners open every link.
"""

from __future__ import annotations

import hashlib

import msgspec
from flask import Blueprint, Response

from pbem.errors import BadInput, NotPossible
from pbem.people import proofs, settings
from pbem.store.links import LAST_ROW
from pbem.store.names import MailKind
from pbem.web import devices, guards
from pbem.web.body import NoFields, posted
from pbem.web.context import (
    go_to,
    json_answer,
    page,
    reader_language,
    reader_words,
    service,
    wants_json,
    whole_number,
)
from pbem.words import texts
from pbem.words.i18n import translator

door = Blueprint("signing_in", __name__)


class LinksRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose link is asked for."""

    email: str = ""


@door.get("/links")
def links() -> Response:
    """Where one asked for one's links before there was ``/home``."""
    return go_to("/home", 308)


@door.post("/home")
def ask() -> Response:
    """Owes the mail with the link that signs in, and with the address's own links."""
    given = posted(LinksRequest)
    try:
        address, allowed = may_ask(given.email)
    except BadInput as error:
        return asking(error=error, email=given.email[:254])
    proofs.owe(service(), MailKind.SIGN_IN, address, reader_language(), allowed=allowed)
    if wants_json():
        return json_answer({"sent": True}, 202)
    return asking(202, sent=True, email=address)


def may_ask(email: str) -> tuple[str, bool]:
    """An address that somebody gave as theirs, checked, and whether a mail may be owed to it.

    TooMany if their network has asked too often; who asked too often for this address is not told.
    """
    limits = service().settings.limits
    guards.allow("links", f"{limits.links_per_network_per_hour}/hour")
    address = texts.address(email)
    key = hashlib.sha256(address.lower().encode()).hexdigest()
    most = f"{limits.links_per_address_per_hour}/hour"
    return address, guards.hit("links of address", most, key)


def asking(
    status: int = 200,
    *,
    sent: bool = False,
    needed: bool = False,
    error: BadInput | None = None,
    email: str = "",
) -> Response:
    """The page on which one asks for the link; ``needed``: for what was asked for before it."""
    words = reader_words()
    return page("sign_in.html", words, status, error, sent=sent, needed=needed, email=email)


@door.get("/home/<token>")
def show(token: str) -> Response:
    """Says whom the link signs in; nothing is changed."""
    here = service()
    with here.database.read() as session:
        link = proofs.find(session, here.keys, token, MailKind.SIGN_IN, here.now())
    if wants_json():
        return json_answer({"address": link.address, "used": link.used_at is not None})
    words = translator(reader_language(link.language))
    return page(
        "signing_in.html",
        words,
        address=link.address,
        is_used=link.used_at is not None,
        token=token,
        signed_in_for=devices.LIFE.days,
    )


@door.post("/home/<token>")
def sign_in(token: str) -> Response:
    """Signs this device in: once for each link."""
    posted(NoFields)
    here = service()
    now = here.now()
    try:
        with here.database.write("sign_in") as session:
            link = proofs.find(session, here.keys, token, MailKind.SIGN_IN, now)
            person = settings.begin(session, proofs.use(session, link, now))
            secret = devices.add(session, person, now)
    except NotPossible:
        if wants_json() or devices.person() is None:
            raise
        # the button was pressed twice
        return go_to("/home")
    answer = (
        json_answer({"address": person.address, "until": (now + devices.LIFE).isoformat()})
        if wants_json()
        else go_to("/home")
    )
    devices.keep(answer, secret)
    return answer


class Leaving(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which device is signed out: its number, as the page of the settings has it; "" for all."""

    device: int | str = ""


@door.post("/home/devices")
def sign_out() -> Response:
    """Signs out one of the person's devices, or all of them."""
    given, person = posted(Leaving), devices.signed_in()
    all_of_them = given.device == ""
    which = None if all_of_them else whole_number(str(given.device), "device", 1, LAST_ROW)
    gone = devices.sign_out(person, which)
    if wants_json():
        answer = json_answer({"signed_out": gone})
    else:
        answer = go_to("/home" if gone else "/home/settings#devices")
    if gone:
        devices.forget(answer)
    return answer
