"""Deletes rows that nobody needs any more, and addresses; packs matches that are over for long.

Matches, logs and the audit log are kept.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Session, col, delete, func, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.acts import forgetting, invitees, packing
from pbem.service import Service
from pbem.store.models import Mail, OperatorSession, ReceivedMail
from pbem.store.names import SETTLED

#: How many mails the embedded mailbox keeps; older ones are deleted.
MAILBOX_KEEPS = 5000


def sweep(service: Service, most: int = 50) -> int:
    """Deletes at most ``most`` rows of each kind and packs as many matches; returns how many."""
    now, keeps = service.now(), service.settings.keep.mails
    with service.database.write("housekeeping") as session:
        ended = select(OperatorSession.id).where(col(OperatorSession.expires_at) <= now)
        done = _delete(session, OperatorSession, ended.limit(most))
        if (oldest_kept := _oldest_kept(session)) is not None:
            old = select(ReceivedMail.id).where(col(ReceivedMail.id) < oldest_kept)
            done += _delete(session, ReceivedMail, old.limit(most))
        if keeps:
            done += _delete(session, Mail, _settled_mails(now - keeps).limit(most))
        done += invitees.forget(session, service, most)
    done += forgetting.addresses_due(service, most)
    return done + packing.pack_due(service, most)


def _delete(session: Session, model: Any, which: SelectOfScalar[Any]) -> int:
    """Deletes the rows with these ids; returns how many. They are not read: mails are large."""
    ids = session.exec(which).all()
    gone = delete(model).where(col(model.id).in_(ids))
    session.execute(gone, execution_options={"synchronize_session": False})
    return len(ids)


def _settled_mails(before: datetime) -> SelectOfScalar[Any]:
    """Mails of no match, or of one that was packed before they were sent: what is settled of them.

    The newest of all stays, for SQLite would give its number to the next one.
    """
    return (
        select(Mail.id)
        .where(
            col(Mail.match_id).is_(None),
            col(Mail.status).in_(SETTLED),
            Mail.created_at <= before,
            col(Mail.id) < select(func.max(Mail.id)).scalar_subquery(),
        )
        .order_by(col(Mail.id))
    )


def _oldest_kept(session: Session) -> int | None:
    """The id of the oldest mail that the embedded mailbox keeps; None if it keeps all."""
    newest = select(ReceivedMail.id).order_by(col(ReceivedMail.id).desc())
    return session.exec(newest.offset(MAILBOX_KEEPS - 1).limit(1)).first()
