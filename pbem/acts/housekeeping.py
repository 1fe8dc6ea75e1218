"""Deletes rows that nobody needs any more, and addresses; packs matches that are over for long.

Matches, logs and the audit log are kept.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.acts import forgetting, invitees, packing
from pbem.service import Service
from pbem.store.models import Mail, OperatorSession, ReceivedMail
from pbem.store.packed import SETTLED

#: How many mails the embedded mailbox keeps; older ones are deleted.
MAILBOX_KEEPS = 5000


def sweep(service: Service, most: int = 50) -> int:
    """Deletes at most ``most`` rows of each kind and packs as many matches; returns how many."""
    now, keeps = service.now(), service.settings.keep.mails
    with service.database.write("housekeeping") as session:
        ended = session.exec(
            select(OperatorSession).where(col(OperatorSession.expires_at) <= now).limit(most)
        ).all()
        old = _old_mails(session, most)
        settled = _settled_mails(session, now - keeps, most) if keeps else []
        for row in (*ended, *old, *settled):
            session.delete(row)
        forgotten = invitees.forget(session, service, most)
    gone = forgetting.addresses_due(service, most)
    return len(ended) + len(old) + len(settled) + forgotten + gone + packing.pack_due(service, most)


def _settled_mails(session: Session, before: datetime, most: int) -> list[Mail]:
    """Mails of no match, or of one that was packed before they were sent: what is settled of them.

    The newest of all stays, for SQLite would give its number to the next one.
    """
    return list(
        session.exec(
            select(Mail)
            .where(
                col(Mail.match_id).is_(None),
                col(Mail.status).in_(SETTLED),
                Mail.created_at <= before,
                col(Mail.id) < select(func.max(Mail.id)).scalar_subquery(),
            )
            .order_by(col(Mail.id))
            .limit(most)
        ).all()
    )


def _old_mails(session: Session, most: int) -> list[ReceivedMail]:
    oldest_kept = session.exec(
        select(ReceivedMail.id)
        .order_by(col(ReceivedMail.id).desc())
        .offset(MAILBOX_KEEPS - 1)
        .limit(1)
    ).first()
    if oldest_kept is None:
        return []
    return list(
        session.exec(
            select(ReceivedMail).where(col(ReceivedMail.id) < oldest_kept).limit(most)
        ).all()
    )
