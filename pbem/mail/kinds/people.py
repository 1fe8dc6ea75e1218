"""Mails to people about what they have beside their matches."""

from __future__ import annotations

from pbem.acts import outbox
from pbem.mail.values import Reader, Said
from pbem.people import persons, proofs
from pbem.service import Service
from pbem.store.models import AddressLink, Mail


def sign_in(service: Service, mail: Mail) -> tuple[Said, Reader] | None:
    """The link that signs a device in; None if the link is gone."""
    link = _link(service, mail)
    if link is None:
        return None
    url = f"{service.settings.base_url}/home/{proofs.token(service.keys, link)}"
    return Said({"url": url, "hours": _hours()}), _reader(service, link)


def _hours() -> int:
    return int(proofs.LIFE.total_seconds()) // 3600


def _link(service: Service, mail: Mail) -> AddressLink | None:
    """The link that a mail brings, if it still works."""
    with service.database.read() as session:
        link = session.get(AddressLink, int(outbox.data(mail)["link"]))
    return link if link and not link.used_at and link.expires_at > service.now() else None


def _reader(service: Service, link: AddressLink) -> Reader:
    """Who gets mail at the address: as far as they said who they are."""
    with service.database.read() as session:
        person = persons.of_address(session, link.address)
    language = (person.language if person else "") or link.language
    zone = (person.zone if person else "") or service.settings.zone
    return Reader(person.name if person else "", link.address, language, zone)
