"""A mail of what was said, to those whom no other mail has brought it for a day.

A message owes no mail at once: mails about turns bring it. Only who waits for others would hear of
it late.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from pbem.acts import outbox
from pbem.people import talk
from pbem.service import Service
from pbem.store.models import TalkDue
from pbem.store.names import MailKind
from pbem.store.table import load


def owe_due(service: Service, most: int) -> int:
    """Owes the mails that are due, and forgets seats that have been told; returns how many."""
    now = service.now()
    due = select(TalkDue).where(col(TalkDue.next_at) <= now).order_by(col(TalkDue.next_at))
    with service.database.ask() as session:
        if session.exec(due.limit(1)).first() is None:
            return 0
    with service.database.write("talk.mail") as session:
        rows = session.exec(due.limit(most).with_for_update(skip_locked=True)).all()
        for row in rows:
            _care_for(session, row, now)
    service.ring("post")
    return len(rows)


def _care_for(session: Session, row: TalkDue, now: datetime) -> None:
    """Owes a seat its mail, unless it was told; with an open turn it is looked at a day later."""
    table = load(session, row.match_id)
    this = {"match_id": row.match_id, "seat": row.seat}
    if row.seat in table.open_turns and table.running:
        # its player has a link that shows everything, and the next turn's mail tells it again
        later = now + talk.PATIENCE
        session.execute(update(TalkDue).filter_by(**this).values(next_at=later))
        return
    session.execute(delete(TalkDue).filter_by(**this))
    if not talk.untold(session, table.match, row.seat, now):
        return
    outbox.owe(
        session,
        MailKind.WORDS,
        f"{MailKind.WORDS}:{row.match_id}:{row.seat}:{row.next_at:%Y-%m-%dT%H:%M:%S}",
        now,
        match_id=row.match_id,
        seat=row.seat,
    )
