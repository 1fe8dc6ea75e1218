"""What somebody sets once for all their matches; the devices that are signed in."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from flask import Blueprint, Response
from sqlmodel import Session

from pbem import present
from pbem.acts import vacations
from pbem.clocks.deadlines import NIGHT
from pbem.errors import BadInput, Refused
from pbem.people import settings, standing
from pbem.people.persons import language_of, of_address, zone_of
from pbem.people.settings import SettingsRequest
from pbem.store.models import Device, Person
from pbem.web import devices
from pbem.web.body import posted
from pbem.web.context import json_answer, page, sentence, service, wants_json
from pbem.words import texts
from pbem.words.i18n import Translator, translator

door = Blueprint("home_settings", __name__)


def as_json(person: Person) -> dict[str, Any]:
    """The settings of a person, for programs."""
    with service().database.read() as session:
        return read(session, person)


def read(session: Session, person: Person) -> dict[str, Any]:
    """The same, beside what else is read."""
    here = service()
    others = settings.others(session, person)
    return {
        "address": person.address,
        "name": person.name,
        "language": language_of(here, person),
        "zone": zone_of(here, person),
        "night": person.night,
        "mails": person.mails,
        "digest_hour": person.digest_hour,
        "reminders": person.reminders,
        "invitations": others.wants_invitations,
        "public_name": others.public_name,
        "groups": [
            {"name": one.name, "people": msgspec.to_builtins(one.people)} for one in others.groups
        ],
    }


@door.get("/home/settings")
def show() -> Response:
    person = devices.signed_in()
    return json_answer(as_json(person)) if wants_json() else _page(person)


@door.post("/home/settings")
def save() -> Response:
    """Sets what is given; the rest stays."""
    wished, person = posted(SettingsRequest), devices.signed_in()
    try:
        settings.save(service(), person, wished)
    except Refused as error:
        return _page(person, error=error, typed=wished)
    return _done(person, "settings")


class Days(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"first": "from"}):
    """Days away in all matches; or ``back``: here after all."""

    first: str = ""
    until: str = ""
    back: str = ""


@door.post("/home/away")
def away() -> Response:
    """Announces days away in all matches that this person plays, or takes them back."""
    days, person, here = posted(Days), devices.signed_in(), service()
    try:
        if days.back:
            found = settings.here_again(here, person)
        else:
            first = vacations.read_day(days.first, "from")
            found = settings.away(here, person, first, vacations.read_day(days.until, "until"))
    except Refused as error:
        return _page(person, error=error, typed=days)
    words = words_of(person)
    refused = [
        {
            "match": own.match.id,
            "name": present.match_title(own.match, words),
            "message": sentence(error, words),
        }
        for own, error in found.refused
    ]
    if wants_json():
        return json_answer({"matches": [own.match.id for own in found.matches], "refused": refused})
    done = "here" if days.back else "away"
    return _page(person, done=done, number=len(found.matches), refused=refused)


class GroupRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group: a line for each, the name and the address; without any it is forgotten."""

    group: str = ""
    people: str = ""


@door.post("/home/groups")
def group() -> Response:
    """Keeps a group of people whom this person often plays with, or forgets it."""
    given, person = posted(GroupRequest), devices.signed_in()
    try:
        settings.set_group(service(), person, given.group, given.people)
    except Refused as error:
        return _page(person, error=error, typed=given)
    return _done(person, "group")


class PublicNameRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name of one's public page; "" for none."""

    public_name: str = ""


@door.post("/home/player")
def publish() -> Response:
    """Gives this person a page among the standings, under a name they choose, or takes it away."""
    given, person = posted(PublicNameRequest), devices.signed_in()
    try:
        standing.publish(service(), person.id or 0, given.public_name.strip() or None)
    except Refused as error:
        return _page(person, error=error, typed=given)
    return _done(person, "player")


# --- the page ---


def words_of(person: Person) -> Translator:
    """The language of whoever is signed in."""
    return translator(language_of(service(), person))


def _done(person: Person, done: str) -> Response:
    with service().database.read() as session:
        now = of_address(session, person.address or "") or person
    return json_answer(as_json(now)) if wants_json() else _page(now, done=done)


def _page(
    person: Person,
    *,
    done: str = "",
    error: Refused | None = None,
    typed: msgspec.Struct | None = None,
    **values: Any,
) -> Response:
    """The page; ``typed``: what stood in the form that was refused."""
    here, words = service(), words_of(person)
    own = devices.this_one()
    with here.database.read() as session:
        found = devices.of(session, person, here.now())
        groups = settings.groups(session, person)
        vacation = settings.vacation(session, person, here.now())
    zone = zone_of(here, person)
    fields = msgspec.to_builtins(typed) if typed is not None else {}
    given = {field: value for field, value in fields.items() if value is not None}
    return page(
        "home_settings.html",
        words,
        error=error,
        person=present.person(person),
        # the fields of the other forms are empty
        given=defaultdict(str, as_json(person) | given),
        groups=groups,
        wrong=_wrong(error, given),
        done=done,
        zones=texts.places(),
        vacation=vacation,
        night=[f"{hour:%H:%M}" for hour in NIGHT],
        devices=[_device(one, own, zone, words) for one in found],
        **{"number": 0, "refused": (), **values},
    )


def _wrong(error: Refused | None, given: dict[str, Any]) -> str:
    """The field at which an error is told; where the form has none of its name, the last one."""
    field = error.field if isinstance(error, BadInput) else ""
    field = "group" if field == "name of the group" else field
    return field if field in given else next(reversed(given), "")


def _device(one: Device, own: int | None, zone: str, words: Translator) -> dict[str, Any]:
    return {
        "id": one.id,
        "label": one.label,
        "since": present.Moment(one.created_at, zone, words),
        "until": present.Moment(one.expires_at, zone, words),
        "is_this": one.id == own,
    }
