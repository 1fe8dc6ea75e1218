"""One pass over what is due in this room. Beat rings it; several workers may run it at once.

Each part looks whether anything is due before it takes a lock, does at most ``most`` rows, and
leaves the rest to the next pass.
"""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import CursorResult
from sqlmodel import Session, col, delete, select, update

from pbem.acts import outbox
from pbem.people import (
    digests,
    open_tables,
    pools,
    privacy,
    proofs,
    rematches,
    results,
    watches,
)
from pbem.people.persons import zone_of
from pbem.people.series import rounds
from pbem.people.settings import next_digest
from pbem.service import Service
from pbem.store.models import Device, Person
from pbem.store.names import MailKind


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due; returns how much it was."""
    return (
        proofs.forget(service, most)
        + privacy.forget_due(service, most)
        + open_tables.forget(service, most)
        + watches.tell_due(service, most)
        + digests.owe_due(service, most)
        + rematches.settle_due(service, most)
        + results.enter_due(service, most)
        + pools.rate_due(service, most)
        + _sign_out(service, most)
        + rounds.care_due(service, most)
        + _digests(service, most)
    )


def _digests(service: Service, most: int) -> int:
    """Owes the digests that are due; returns how many."""
    now = service.now()
    due = select(Person).where(col(Person.digest_at) <= now).order_by(col(Person.digest_at))
    with service.database.ask() as session:
        found = session.exec(due.limit(most)).all()
    if not found:
        return 0
    with service.database.write("digest") as session:
        for person in found:
            _digest(session, service, person, now)
    service.ring("post")
    return len(found)


def _digest(session: Session, service: Service, person: Person, now: datetime) -> None:
    at, wanted = person.digest_at, person.mails == "digest"
    following = next_digest(zone_of(service, person), person.digest_hour, now) if wanted else None
    ours = session.execute(
        update(Person)
        .where(col(Person.id) == person.id, col(Person.digest_at) == at)
        .values(digest_at=following)
        .execution_options(synchronize_session=False)
    )
    # another worker may have owed it, or its person was forgotten
    if cast(CursorResult[None], ours).rowcount and person.address is not None and at is not None:
        key = f"{MailKind.DIGEST}:{person.id}:{at:%Y-%m-%dT%H}"
        outbox.owe(session, MailKind.DIGEST, key, now, address=person.address)


def _sign_out(service: Service, most: int) -> int:
    """Deletes devices that have been signed in for as long as a device is; returns how many."""
    over = select(Device.id).where(col(Device.expires_at) <= service.now()).limit(most)
    with service.database.ask() as session:
        if session.exec(over.limit(1)).first() is None:
            return 0
    with service.database.write("devices.forget") as session:
        found = session.execute(delete(Device).where(col(Device.id).in_(over)))
        return cast(CursorResult[None], found).rowcount
