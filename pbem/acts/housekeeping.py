"""Deletes rows that nobody needs any more. Matches, logs and the audit log are kept."""

from __future__ import annotations

from sqlmodel import Session, col, select

from pbem.service import Service
from pbem.store.models import OperatorSession, ReceivedMail

#: How many mails the embedded mailbox keeps; older ones are deleted.
MAILBOX_KEEPS = 5000


def sweep(service: Service, most: int = 50) -> int:
    """Deletes at most ``most`` rows of each kind; returns how many were deleted."""
    now = service.now()
    with service.database.write("housekeeping") as session:
        ended = session.exec(
            select(OperatorSession).where(col(OperatorSession.expires_at) <= now).limit(most)
        ).all()
        old = _old_mails(session, most)
        for row in (*ended, *old):
            session.delete(row)
        return len(ended) + len(old)


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
