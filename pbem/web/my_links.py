""" "My links": the same answer for every address, so that it tells nobody who plays here."""

from __future__ import annotations

import hashlib

from flask import Blueprint, Response

from pbem.acts import resend
from pbem.errors import BadInput
from pbem.web import guards
from pbem.web.context import form, page, reader_language, reader_words, sentence, service
from pbem.words import texts

door = Blueprint("my_links", __name__)


@door.get("/links")
def show() -> Response:
    return page("my_links.html", reader_words(), sent=False, problem=None, email="")


@door.post("/links")
def send() -> Response:
    limits = service().settings.limits
    given = form("email")
    guards.allow("links", f"{limits.links_per_network_per_hour}/hour")
    words = reader_words()
    try:
        address = texts.address(given.get("email", ""))
    except BadInput as error:
        return page(
            "my_links.html",
            words,
            422,
            sent=False,
            problem=sentence(error, words),
            email=given.get("email", "")[:254],
        )
    key = hashlib.sha256(address.casefold().encode()).hexdigest()
    allowed = guards.hit("links of address", f"{limits.links_per_address_per_hour}/hour", key)
    resend.my_links(service(), address, reader_language(), allowed=allowed)
    return page("my_links.html", words, sent=True, problem=None, email="")
