"""Mails to people about what they have beside their matches."""

from __future__ import annotations

from pbem.acts import outbox
from pbem.looks import own_matches
from pbem.looks.own_matches import Own
from pbem.mail.values import Reader, Said, url_of
from pbem.people import persons, proofs
from pbem.present.own_matches import OwnShown, own
from pbem.service import Service
from pbem.store import links
from pbem.store.models import AddressLink, Mail, Person
from pbem.store.names import Purpose

#: At most so many matches in a mail; the home page has all.
MOST = 60


def sign_in(service: Service, mail: Mail) -> tuple[Said, Reader] | None:
    """The link that signs a device in, and those of the person's matches; None if it is gone."""
    link = asked_for(service, mail)
    if link is None:
        return None
    with service.database.read() as session:
        person = persons.of_address(session, link.address)
        found = own_matches.going_on(session, link.address)
    reader = _reader(service, link, person, found)
    values = {
        "url": f"{service.settings.base_url}/home/{proofs.token(service.keys, link)}",
        "hours": hours(),
        "links": [_shown(service, reader, one) for one in found[:MOST]],
        "more": max(0, len(found) - MOST),
    }
    return Said(values), reader


def hours() -> int:
    """For how many hours a link works."""
    return int(proofs.LIFE.total_seconds()) // 3600


def asked_for(service: Service, mail: Mail) -> AddressLink | None:
    """The link that a mail brings, if it still works and its address may be mailed."""
    with service.database.read() as session:
        link = session.get(AddressLink, int(outbox.data(mail)["link"]))
    if link is None or link.used_at or link.expires_at <= service.now():
        return None
    # a mail that is tried again was counted the first time
    return link if mail.attempts > 1 or proofs.may_mail(service, link) else None


def reader_of(service: Service, link: AddressLink) -> Reader:
    """Who gets mail at the address: as far as they said who they are."""
    with service.database.read() as session:
        return _reader(service, link, persons.of_address(session, link.address), [])


def _reader(service: Service, link: AddressLink, person: Person | None, found: list[Own]) -> Reader:
    if person is not None:
        return _of_person(service, person, link.language)
    seat = next((one.seat for one in found if one.seat is not None), None)
    if seat is not None:
        # to the address as stored, not as it was typed
        return Reader(seat.name, seat.email or "", seat.language, seat.zone)
    host = found[0].match if found else None
    if host is not None:
        return Reader(host.host_name, host.host_email, host.language, host.zone)
    return Reader("", link.address, link.language, service.settings.zone)


def _of_person(service: Service, person: Person, language: str = "") -> Reader:
    return Reader(
        person.name,
        person.address or "",
        person.language or language or service.settings.language,
        persons.zone_of(service, person),
    )


def _shown(service: Service, reader: Reader, one: Own) -> OwnShown:
    match, turn = one.match, one.turn
    there = one.link
    url = (
        links.url(service.keys, service.settings.base_url, there)
        if there is not None
        else url_of(service, one.purpose, match, one.seat, turn.id or 0 if turn else 0)
    )
    own_page = url_of(service, Purpose.SEAT, match, one.seat) if turn is not None else ""
    return own(one, reader.language, reader.zone, service.now(), url, own_page)
