"""One mail a day with all the turns of somebody who wants that in place of a mail for each.

What it says is asked when it is rendered.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import text
from sqlmodel import Session, col, select, update

from pbem.acts import outbox
from pbem.people.persons import of_address, zone_of
from pbem.people.settings import next_digest
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import DIGESTS, Mail, Person
from pbem.store.names import MailKind

#: At most so many are sent again to somebody in a day.
MOST_AGAIN = 5


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
    if statements.rowcount(session, ours) and person.address is not None and at is not None:
        key = f"{MailKind.DIGEST}:{person.id}:{at:%Y-%m-%dT%H}"
        outbox.owe(session, MailKind.DIGEST, key, now, address=person.address)


def send_again(
    service: Service, sender: str, answers: Collection[str], letter: str
) -> Literal["unknown", "again", "too_many", "answered"]:
    """Sends a digest anew, and why, to somebody whose letter answers one of several turns.

    Nobody can tell which turn such a letter is about; in the digest each has an address of its own.
    ``answers``: the Message-IDs of the mails that the letter answers; with no digest to its sender
    among them it is "unknown". Idempotent by ``letter``.
    """
    now = service.now()
    with service.database.read() as session:
        person = of_address(session, sender)
        if person is None or person.address is None:
            return "unknown"
        sent = _digests(session, person.address)
    if not any(message_id in answers for _, message_id, _ in sent):
        return "unknown"
    key = f"digest_again:{person.id}:{letter}"
    with service.database.write("digest_again") as session:
        # letters that come at once count each other
        statements.alone(session, f"digest_again:{person.id}")
        at = {dedupe: at for dedupe, _, at in _digests(session, person.address)}
        if key in at:
            return "again"
        day = now - timedelta(days=1)
        if sum(at[one] > day for one in at if one.startswith("digest_again:")) >= MOST_AGAIN:
            return "too_many"
        outbox.owe(session, MailKind.DIGEST, key, now, address=person.address, answered=True)
    service.ring("post")
    return "answered"


def _digests(session: Session, to: str) -> Sequence[tuple[str, str | None, datetime]]:
    """The key, the Message-ID and the time of each digest to an address."""
    of_mail = select(Mail.dedupe, Mail.message_id, Mail.created_at)
    return session.exec(of_mail.where(text(DIGESTS), col(Mail.address) == to)).all()
