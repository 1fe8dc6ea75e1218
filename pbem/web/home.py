"""Home: the matches and the settings of whoever is signed in on this device."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from pbem import present
from pbem.looks import own_matches
from pbem.looks.own_matches import Own
from pbem.people.persons import language_of, zone_of
from pbem.present.own_matches import OwnShown, own
from pbem.store import links
from pbem.store.models import Link, Person
from pbem.web import devices, signing_in
from pbem.web.context import base_url, json_answer, page, service, wants_json
from pbem.words.i18n import Translator, translator

door = Blueprint("home", __name__)


@door.get("/home")
def show() -> Response:
    """All that concerns this person; a stranger asks for the link here."""
    person = devices.person()
    if person is None:
        if wants_json():
            raise devices.NotSignedIn()
        return signing_in.asking()
    with service().database.read() as session:
        found = own_matches.going_on(session, person.address or "")
    turns = own_matches.by_deadline(found)
    if wants_json():
        return json_answer({"turns": [_turn_json(one) for one in turns]})
    words = words_of(person)
    return page("home.html", words, person=person, turns=[_shown(person, one) for one in turns])


def words_of(person: Person) -> Translator:
    """The language of whoever is signed in."""
    return translator(language_of(service(), person))


def _shown(person: Person, one: Own) -> OwnShown:
    here = service()
    language, zone = language_of(here, person), zone_of(here, person)
    return own(one, language, zone, here.now(), url(one.link), url(one.own_page))


def url(link: Link | None) -> str:
    """The whole link; "" if its row was not made yet: looking makes none."""
    return links.url(service().keys, base_url(), link) if link is not None else ""


def _turn_json(one: Own) -> dict[str, Any]:
    turn = one.turn
    return {
        "match": one.match.id,
        "game": one.match.game,
        "name": one.match.name,
        "due_at": turn.due_at.isoformat() if turn and turn.due_at else None,
        "link": url(one.link) or None,
    }


@door.get("/home/settings")
def settings() -> Response:
    """What holds for all matches of this person, and the devices that are signed in."""
    person, here = devices.signed_in(), service()
    words, own_one = words_of(person), devices.this_one()
    with here.database.read() as session:
        found = devices.of(session, person, here.now())
    zone = zone_of(here, person)
    return page(
        "home_settings.html",
        words,
        person=person,
        devices=[
            {
                "id": one.id,
                "label": one.label,
                "since": present.moment(one.created_at, zone, words),
                "until": present.moment(one.expires_at, zone, words),
                "is_this": own_one is not None and one.id == own_one.id,
            }
            for one in found
        ],
    )
