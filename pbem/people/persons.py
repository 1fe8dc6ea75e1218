"""Who somebody is: the address they proved."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from pbem.errors import NotFound
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import Person


def of_address(session: Session, address: str) -> Person | None:
    """The person who has proved this address, in upper or lower case."""
    asked = {"folded": address.lower()}
    found: Person | None = session.exec(_OF_ADDRESS, params=asked).first()
    return found


#: Made once: each mail asks it.
_OF_ADDRESS: Any = select(Person).where(col(Person.folded) == bindparam("folded"))


def known(session: Session, address: str, now: datetime, *, language: str = "") -> Person:
    """The person of an address that was just proved; their row is written if there is none."""
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


def hold(session: Session, person_id: int | None) -> None:
    """Keeps a person from being forgotten until this transaction ends, so that what it writes for
    them is found when they are. NotFound if they were forgotten already.
    """
    known = select(Person.id).where(Person.id == person_id, col(Person.address).is_not(None))
    if session.exec(known.with_for_update(read=True, key_share=True)).first() is None:
        raise NotFound()


def language_of(service: Service, person: Person) -> str:
    """The language of a person, or while they chose none, the service's."""
    return person.language or service.settings.language


def zone_of(service: Service, person: Person) -> str:
    """The time zone of a person, or while they chose none, the service's."""
    return person.zone or service.settings.zone
