"""Mails to people about what they have beside their matches."""

from __future__ import annotations

from itertools import zip_longest

from markupsafe import Markup
from sqlmodel import Session

from pbem import present
from pbem.acts import outbox
from pbem.errors import UnreadableMatch
from pbem.looks import own_matches
from pbem.looks.own_matches import OwnMatch
from pbem.mail import gateway
from pbem.mail.compose import Picture
from pbem.mail.pictures import draw
from pbem.mail.values import MailValues, Reader, link_of, url_of
from pbem.people import persons, proofs
from pbem.present.own_matches import OwnShown, own
from pbem.service import Service
from pbem.store.models import AddressLink, Mail, Person
from pbem.store.names import Purpose
from pbem.store.table import load

#: At most so many matches in a mail, and so many of them with a picture; the home page has all.
MOST, MOST_PICTURES = 60, 6


def sign_in(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """The link that signs a device in, and those of the person's matches; None if it is gone."""
    link = asked_for(service, mail)
    if link is None:
        return None
    with service.database.read() as session:
        person = persons.of_address(session, link.address)
        found = own_matches.with_sitters(
            session, own_matches.going_on(session, link.address, service.now())
        )
    reader = _reader(service, link, person, found)
    values = {
        "url": f"{service.settings.base_url}/home/{proofs.token(service.keys, link)}",
        "hours": hours(),
        "links": [_shown(service, reader, one) for one in found[:MOST]],
        "more": max(0, len(found) - MOST),
    }
    return MailValues(values), reader


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


def _reader(
    service: Service, link: AddressLink, person: Person | None, found: list[OwnMatch]
) -> Reader:
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


def digest(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """All open turns of a person with their links, the first with pictures; None if none is.

    As single mails do, it leaves out seats whose mail does not arrive; but whoever answers a digest
    is reached.
    """
    address = mail.address or ""
    # why it comes again
    answered = outbox.data(mail).get("answered", False)
    with service.database.read() as session:
        person = persons.of_address(session, address)
        turns = own_matches.turns(own_matches.played(session, address))
        found = [
            one
            for one in own_matches.whole(session, turns)
            if one.seat is not None
            and one.seat.muted_at is None
            and (answered or one.seat.mail_problem_at is None)
        ]
        if person is None or not found:
            return None
        reader = _of_person(service, person)
        shown = own_matches.with_sitters(session, found[:MOST])
        drawn = [_drawn(service, session, reader, one) for one in found[:MOST_PICTURES]]
    pictures = [
        Picture(f"turn{number}@pbem", *draw(str(svg))) if svg is not None else None
        for number, svg in enumerate(drawn)
    ]
    addresses = [_orders_to(service, one) for one in shown]
    # an answer is about one turn: with several nobody could tell which
    reply_to = addresses[0] if len(found) == 1 else ""
    values = {
        "turns": [
            (_shown(service, reader, one), picture, orders_to)
            for one, picture, orders_to in zip_longest(shown, pictures, addresses)
        ],
        "number": len(found),
        "more": max(0, len(found) - MOST),
        "reply_to": reply_to,
        "answered": answered,
        "home_url": f"{service.settings.base_url}/home",
    }
    drawings = [one for one in pictures if one is not None]
    return MailValues(values, reply_to=reply_to, pictures=drawings), reader


def _drawn(service: Service, session: Session, reader: Reader, one: OwnMatch) -> Markup | None:
    """The board as the reader's seat sees it; None if it has no drawing or cannot be read."""
    assert one.seat is not None  # it is their turn
    try:
        return present.own_board(
            session, load(session, one.match.id), one.seat, service.now(), reader.language
        )
    except UnreadableMatch:
        return None


def _orders_to(service: Service, one: OwnMatch) -> str:
    """The address that takes orders for this turn alone; "" if no letter can come in."""
    if not service.settings.takes_letters or one.turn is None:
        return ""
    link = link_of(service, Purpose.REPLY, one.match, one.seat, one.turn.id)
    return gateway.reply_address(service, link)


def _shown(service: Service, reader: Reader, one: OwnMatch) -> OwnShown:
    match, turn = one.match, one.turn
    url = one.url(service.keys, service.settings.base_url) or url_of(
        service, one.purpose, match, one.seat, turn.id if turn else 0
    )
    own_page = url_of(service, Purpose.SEAT, match, one.seat) if turn is not None else ""
    return own(one, reader.language, reader.zone, service.now(), url, own_page)
