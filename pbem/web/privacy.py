"""What is known about people: the page that says it, one's own data as a file, being forgotten."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response

from pbem import present
from pbem.errors import BadInput
from pbem.people import export, privacy
from pbem.store.names import Actor
from pbem.web import devices, guards
from pbem.web.body import posted
from pbem.web.context import (
    json_answer,
    must_be_sure,
    page,
    reader_words,
    service,
    wants_json,
)
from pbem.web.home_settings import words_of

door = Blueprint("privacy", __name__)

#: How often an hour a network gets the file, alone or with all records: all mails there are must
#: be looked through for it.
FILES_PER_HOUR, ZIPS_PER_HOUR = 12, 3


class ForgetRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether somebody is sure that they want to be forgotten: ``yes``."""

    sure: str = ""


@door.get("/privacy")
def show() -> Response:
    """What is kept of people, why, for how long, and who sees it."""
    settings, words = service().settings, reader_words()
    kept = {
        name: present.span(int(kept.total_seconds()), words) if kept else ""
        for name, kept in (
            ("addresses", settings.keep.addresses),
            ("mails", settings.keep.unpacked),
        )
    }
    return page(
        "privacy.html",
        words,
        kept=kept,
        signed_in_for=devices.LIFE.days,
        operator=settings.operator.address,
    )


@door.get("/home/data")
def data() -> Response:
    """All that is known of whoever is signed in, as a JSON file."""
    person = devices.signed_in()
    guards.allow("data", f"{FILES_PER_HOUR}/hour")
    answer = json_answer(export.known_of(service(), person.address or ""))
    answer.headers["Content-Disposition"] = 'attachment; filename="pbem-data.json"'
    return answer


@door.get("/home/data.zip")
def with_records() -> Response:
    """The same, and the records of their matches that are over; each is read when it is sent."""
    person, here = devices.signed_in(), service()
    guards.allow("data.zip", f"{ZIPS_PER_HOUR}/hour")
    known = export.known_of(here, person.address or "") or {"matches": []}
    answer = Response(export.as_zip(here, known), mimetype="application/zip")
    answer.headers["Content-Disposition"] = 'attachment; filename="pbem-data.zip"'
    return answer


@door.get("/home/forget")
def ask() -> Response:
    """Says what being forgotten means; nothing is changed."""
    return _asking()


@door.post("/home/forget")
def forget() -> Response:
    """Notes that whoever is signed in is to be forgotten, and signs them out everywhere."""
    given, here = posted(ForgetRequest), service()
    person = devices.signed_in()
    try:
        must_be_sure(msgspec.structs.asdict(given))
    except BadInput as error:
        return _asking(error)
    privacy.ask(here, person.address or "", Actor.PLAYER)
    devices.sign_out(person)
    words = words_of(person)
    answer = (
        json_answer({"asked": True}, 202) if wants_json() else page("forgotten.html", words, 202)
    )
    devices.forget(answer)
    return answer


def _asking(error: BadInput | None = None) -> Response:
    person = devices.signed_in()
    words = words_of(person)
    with service().database.read() as session:
        found = len(privacy.matches_of(session, person.address or ""))
        hosts = privacy.hosts(session, person.address or "")
    return page(
        "forget.html",
        words,
        error=error,
        person=present.person(person),
        matches=found,
        hosts=hosts,
    )
