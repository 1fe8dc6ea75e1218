"""One mail a day with all the turns of somebody who wants that in place of a mail for each.

What it says is asked when it is rendered.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select, update

from pbem.acts import outbox
from pbem.people.persons import zone_of
from pbem.people.settings import next_digest
from pbem.service import Service
from pbem.store import once
from pbem.store.models import Person
from pbem.store.names import MailKind


def owe_due(service: Service, most: int) -> int:
    """Owes the digests that are due; returns how many."""
    now = service.now()
    due = select(Person).where(col(Person.digest_at) <= now).order_by(col(Person.digest_at))
    with service.database.ask() as session:
        found = session.exec(due.limit(most)).all()
    if not found:
        return 0
    with service.database.write("digest") as session:
        for person in found:
            _owe(session, service, person, now)
    service.ring("post")
    return len(found)


def _owe(session: Session, service: Service, person: Person, now: datetime) -> None:
    at, wanted = person.digest_at, person.mails == "digest"
    following = next_digest(zone_of(service, person), person.digest_hour, now) if wanted else None
    ours = (
        update(Person)
        .where(col(Person.id) == person.id, col(Person.digest_at) == at)
        .values(digest_at=following)
        .execution_options(synchronize_session=False)
    )
    # another worker may have owed it, or its person was forgotten
    if once.changed(session, ours) and person.address is not None and at is not None:
        key = f"{MailKind.DIGEST}:{person.id}:{at:%Y-%m-%dT%H}"
        outbox.owe(session, MailKind.DIGEST, key, now, address=person.address)
