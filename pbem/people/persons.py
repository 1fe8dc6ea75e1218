"""Who somebody is: the address they proved."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, select

from pbem.service import Service
from pbem.store import statements
from pbem.store.models import Person


def of_address(session: Session, address: str) -> Person | None:
    """The person who has proved this address, in upper or lower case."""
    return session.exec(select(Person).where(Person.folded == address.lower())).first()


def known(session: Session, address: str, now: datetime, *, language: str = "") -> Person:
    """The person of an address that was just proved: their row, or a new one. Idempotent."""
    new = {
        "address": address,
        "folded": address.lower(),
        "name": "",
        "language": language,
        "zone": "",
        "created_at": now,
    }
    statements.upsert(session, Person, [new], unique=("folded",))
    found = of_address(session, address)
    assert found is not None  # it was written, or it was there
    return found


def language_of(service: Service, person: Person) -> str:
    """The language of a person, or while they chose none, the service's."""
    return person.language or service.settings.language


def zone_of(service: Service, person: Person) -> str:
    """The time zone of a person, or while they chose none, the service's."""
    return person.zone or service.settings.zone
