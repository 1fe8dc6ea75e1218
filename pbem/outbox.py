"""A mail is owed, once. Acts write what is owed in their own transaction; the mailer pays."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from pbem.models import Mail, MailStatus


def owe(
    session: Session,
    kind: str,
    dedupe: str,
    now: datetime,
    *,
    match_id: str | None = None,
    seat: int | None = None,
    turn_id: int | None = None,
    address: str | None = None,
    **data: Any,
) -> None:
    """Writes that a mail is owed. Owing it again under the same ``dedupe`` key changes nothing.

    ``kind`` is the folder of its templates. ``seat`` is whose mail it is (``links.HOST`` for the
    host). ``data`` is what the mail says beyond the match as it stands when it is sent.
    """
    values = {
        "dedupe": dedupe,
        "kind": kind,
        "match_id": match_id,
        "seat": seat,
        "turn_id": turn_id,
        "address": address,
        "data_json": json.dumps(data, sort_keys=True),
        "status": MailStatus.PENDING,
        "due_at": now,
        "attempts": 0,
        "doubts": 0,
        "created_at": now,
    }
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    session.execute(insert(Mail).values(**values).on_conflict_do_nothing(index_elements=["dedupe"]))
