"""Packs matches that have been over for a long time (``store.packed``)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import func, text
from sqlmodel import col, select

from pbem.acts import outbox
from pbem.acts.writing import act, writing
from pbem.service import Service
from pbem.store import packed
from pbem.store.models import UNPAID_MAILS, Mail, Match
from pbem.store.names import Actor
from pbem.store.table import load


def pack_due(service: Service, most: int) -> int:
    """Packs at most ``most`` matches that were over for ``keep.unpacked``; returns how many."""
    span = service.settings.keep.unpacked
    if not span:
        return 0
    before = service.now() - span
    done, last = 0, None
    while done < most:
        with service.database.read() as session:
            due = session.exec(_due(before, last).limit(most - done)).all()
        if not due:
            break
        # one that cannot be packed is passed by, so it keeps no other from being packed
        done += sum(pack(service, match_id, before) for match_id, _ended_at in due)
        last = due[-1]
    return done


def _due(before: datetime, last: tuple[str, datetime] | None) -> Any:
    """The query for matches to be packed of which no mail is owed, those that ended first before.

    ``last``: only those that come after this one.
    """
    # Asked of one match after another, in the order of the index: PostgreSQL joins an EXISTS with
    # all matches there are, and expects that IS NULL is rarely true.
    owed = (
        select(Mail.id)
        .where(col(Mail.match_id) == col(Match.id), text(UNPAID_MAILS))
        .limit(1)
        .scalar_subquery()
    )
    due = select(Match.id, Match.ended_at).where(
        col(Match.packed_at).is_(None), col(Match.ended_at) <= before, func.coalesce(owed, 0) < 1
    )
    if last is not None:
        match_id, ended_at = last
        after = (col(Match.ended_at) == ended_at) & (col(Match.id) > match_id)
        due = due.where(col(Match.ended_at) >= ended_at, (col(Match.ended_at) > ended_at) | after)
    return due.order_by(col(Match.ended_at), col(Match.id))


@act
def pack(service: Service, match_id: str, before: datetime) -> bool:
    """Packs a match that was over ``before``, unless a mail of it is still owed.

    Returns whether it did. A log whose chain of hashes is broken is not packed.
    """
    with service.database.read() as session:
        table, now = load(session, match_id), service.now()
        match = table.match
        if match.packed_at is not None or match.ended_at is None or match.ended_at > before:
            return False
        if outbox.has_unpaid(session, match_id):
            return False
        rows = packed.loose(session, match_id)
    data = packed.pack(rows)
    if data is None:
        return False
    with writing(service, table, "pack", Actor.SERVICE, now, packed_at=now) as write:
        write.call(lambda session: packed.put(session, match_id, data))
    return True
