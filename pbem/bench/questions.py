"""The queries of a page and of the mailer, in a database with few and with many old rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import text

from pbem.acts import advance, outbox
from pbem.bench.turns import open_link, open_match, scratch_service
from pbem.looks import match_look
from pbem.service import Service
from pbem.store.models import Link

#: How many plies and mails of other matches there are when it measures.
BEHIND = (1_000, 300_000)
_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT {begin} UNION ALL SELECT i + 1 FROM n WHERE i < {end}) "


def measure(scratch: Path, seconds: float) -> dict[str, float]:
    """``turn_page_ms_at_N``: a look at an open turn; ``mails_due_ms_at_N``: whether mail is due."""
    service = scratch_service(scratch)
    match_id = open_match(service)
    while advance.advance(service, match_id):
        pass
    link = open_link(service, match_id)
    assert link is not None
    _pay(service)
    figures, there = {}, 0
    for rows in BEHIND:
        _fill(service, match_id, link, there, rows)
        there, share = rows, seconds / 2 / len(BEHIND)
        figures[f"turn_page_ms_at_{rows}"] = _each(lambda: match_look.turn(service, link), share)
        figures[f"mails_due_ms_at_{rows}"] = _each(lambda: outbox.lease_due(service, 1), share)
    service.database.close()
    return figures


def _each(ask: Callable[[], object], seconds: float) -> float:
    """Milliseconds per call, over so many seconds."""
    count, begun = 0, time.perf_counter()
    while not count or time.perf_counter() - begun < seconds:
        ask()
        count += 1
    return round(1000 * (time.perf_counter() - begun) / count, 3)


def _pay(service: Service) -> None:
    with service.database.write("bench") as session:
        session.connection().execute(text("UPDATE outbox SET status = 'sent'"))


def _fill(service: Service, match_id: str, link: Link, begin: int, end: int) -> None:
    """Adds copies of a ply and a mail, numbered ``begin`` to ``end``; a match for each 50 plies."""
    copies: tuple[tuple[str, str, str, dict[str, str], int], ...] = (
        ("match", "id", "'m' || i", {"rematch_of": "NULL"}, end // 50),
        ("ply", "match_id, ply", "'m' || (i / 50), i % 50", {"turn_id": "NULL"}, end),
        ("outbox", "id, dedupe", "1000000 + i, 'd' || i", {}, end),
    )
    with service.database.write("bench") as session:
        connection = session.connection()
        for table, keys, values, over, most in copies:
            first = begin // 50 if table == "match" else begin
            columns = [row[1] for row in connection.execute(text(f"PRAGMA table_info({table})"))]
            rest = [name for name in columns if name not in keys.split(", ")]
            copied = ", ".join(over.get(name, name) for name in rest)
            connection.execute(
                text(
                    f"INSERT INTO {table} ({keys}, {', '.join(rest)}) "  # noqa: S608
                    f"{_NUMBERS.format(begin=first, end=most - 1)}"
                    f"SELECT {values}, {copied} FROM n, (SELECT * FROM {table} LIMIT 1)"
                )
            )
