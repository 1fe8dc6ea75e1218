"""Work that is due, done for many matches at once: a failure counts against its own match only."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import col, select

from pbem.acts import outbox
from pbem.acts.batch import Batch
from pbem.acts.writing import Writer, act, read, writing
from pbem.errors import Busy
from pbem.journal import Line
from pbem.service import Service
from pbem.store import links
from pbem.store.db import CONNECTION_ERRORS, is_conflict
from pbem.store.models import Match, Permission
from pbem.store.names import Actor, AuditAct, MailKind
from pbem.store.table import Table

#: After how many failures a match is set aside, and the wait after each of them, times its number.
TRIES = 3
BACKOFF = timedelta(seconds=20)
#: How long a worker has for what it took before another worker may take it.
LEASE = timedelta(seconds=60)


#: A row of what is due: the id of its match, and what else its act needs.
Row = Sequence[Any]

#: Most matches that are worked on together.
TOGETHER = 50
#: Seconds of computing after which what is ready is written.
PATIENCE = 0.1
#: Seconds after which an exception is taken for the end of something that hung.
HANGS = 60


#: The instant as a parameter of queries for what is due: they are made once.
NOW: Any = bindparam("now")


def matches_due(column: Any) -> Any:
    """The query for the matches in which this instant has come, in the order of its index."""
    return (
        select(Match.id)
        .where(col(column) <= NOW, col(Match.set_aside_at).is_(None))
        .order_by(col(column))
    )


def find(service: Service, question: Any, most: int) -> Sequence[Row]:
    """The rows that a query with ``NOW`` finds now, at most ``most``."""
    with service.database.ask() as session:
        return session.execute(_first(question), {"now": service.now(), "most": most}).all()


@cache
def _first(question: Any) -> Any:
    return question.limit(bindparam("most"))


#: What follows from an act, as another act on the match as it is then.
Then = Callable[[Service, Table], object]


def each(
    service: Service, rows: Sequence[Row], do: Callable[..., object], then: Then | None = None
) -> int:
    """Calls ``do`` with the service and each row; returns how many rows there are.

    A row begins with the id of its match. What many rows need is written in one transaction, as
    ``Batch`` says. ``then`` is called after the last row of a match, where what it does can be
    written in the same transaction. Each queue that has something to do afterwards is rung once, at
    the end.
    """
    rings: set[str] = set()
    quiet = replace(service, ring=rings.add)
    left = deque(rows)
    while left:
        failed = _some(quiet, left, do, then)
        # one failure in a sweep counts, and the match waits after it
        left = deque(row for row in left if row[0] not in failed)
    for queue in sorted(rings):
        service.ring(queue)
    return len(rows)


def _some(
    service: Service, left: deque[Row], do: Callable[..., object], then: Then | None
) -> set[str]:
    """Takes rows away and does them together, each of another match; returns those that failed.

    A row is done alone if that fails with it, or if somebody else was first in its match; all are,
    if they cannot be written together. So none of them is kept from its work by another.
    What was interrupted because it hung is not done again: that counts as a failure at once.
    """
    some = _of_different_matches(left)
    batch = Batch(service, [match_id for match_id, *_ in some])
    together = replace(service, access=batch)
    alone, failed, until = [], set(), time.monotonic() + PATIENCE
    again = {match_id for match_id, *_ in left}
    for place, row in enumerate(some):
        if place and time.monotonic() > until:
            # a bot may think for long: those that are ready do not wait for the others
            left.extendleft(reversed(some[place:]))
            some = some[:place]
            break
        try:
            do(together, *row)
        except CONNECTION_ERRORS:
            raise
        except Exception as error:
            batch.forget(row[0])
            if time.monotonic() > until + HANGS:
                # alone it would hang again, until its worker is killed
                count_failure(service, row[0], error)
                failed.add(row[0])
            else:
                alone.append(row)
        if then is not None and row[0] not in again:
            _follow(together, batch, row[0], then)
    try:
        lost = batch.commit()
        alone += [row for row in some if row[0] in lost]
    except Exception as error:
        if isinstance(error, CONNECTION_ERRORS) and not is_conflict(error):
            raise
        # one cannot be written, or others write to the same rows in another order
        alone = [row for row in some if row[0] not in failed]
    return failed | one_by_one(service, alone, do)


def _follow(service: Service, batch: Batch, match_id: str, then: Then) -> None:
    """Does what follows from the act that was noted for a match, if one was."""
    # if it fails, it stays due: when it is done by itself, its failure counts
    with suppress(Exception):
        table = batch.after(match_id)
        if table is not None:
            then(service, table)


def _of_different_matches(left: deque[Row]) -> list[Row]:
    """Takes the first row of each match away, at most ``TOGETHER``."""
    some: dict[str, Row] = {}
    others = []
    for row in left:
        if row[0] in some or len(some) == TOGETHER:
            others.append(row)
        else:
            some[row[0]] = row
    left.clear()
    left.extend(others)
    return list(some.values())


def one_by_one(service: Service, rows: Iterable[Row], do: Callable[..., object]) -> set[str]:
    """Does each row by itself; returns the matches in which one failed: their other rows wait.

    Errors of the database connection are not counted, nor is Busy, for which others are the cause:
    the work stays due.
    """
    failed: set[str] = set()
    for row in rows:
        if row[0] in failed:
            continue
        try:
            do(service, *row)
        except CONNECTION_ERRORS:
            raise
        except Busy:
            continue
        except Exception as error:
            count_failure(service, row[0], error)
            failed.add(row[0])
    return failed


@act
def count_failure(service: Service, match_id: str, error: Exception) -> None:
    """Counts a failure of work on a match; after ``TRIES`` of them the match is set aside.

    Until then all that is due in it waits, longer each time. What a worker took waits for the end
    of its lease. This reads neither the state nor the game: either may be what cannot be read.
    """
    table, now = read(service, match_id)
    match = table.match
    if match.set_aside_at is not None:
        return
    failures = match.advance_failures + 1
    aside = failures >= TRIES
    later = now + BACKOFF * failures
    columns: dict[str, Any] = (
        {"set_aside_at": now, "set_aside_error": f"{type(error).__name__}: {error}"[:2000]}
        if aside
        else {"advance_due_at": later, **_put_off(match, later, now)}
    )
    columns["advance_failures"] = failures
    with writing(service, table, "advance.failed", Actor.SERVICE, now, **columns) as write:
        line = Line.SET_ASIDE if aside else Line.MATCH_FAILED
        write.journal(line, ply=match.ply, failures=failures, exc_info=error)
        if aside:
            write.audit(AuditAct.SET_ASIDE, failures=failures)
            write.call(lambda session: outbox.owe_aside(session, service, now))
            key = f"{match_id}:set_aside:{match.revision}"
            write.owe(MailKind.STALLED, key, links.HOST, reason="set_aside")
        else:
            _put_off_rows(write, later)


def _put_off(match: Match, later: datetime, now: datetime) -> dict[str, datetime]:
    """The columns of a match that say when it is due, each that is due now with a later time."""
    due = {
        "beacon_due_at": match.beacon_due_at,
        "lobby_next_at": match.lobby_next_at,
        "paused_until": match.paused_until,
    }
    return {column: later for column, at in due.items() if at is not None and at <= now}


def _put_off_rows(write: Writer, later: datetime) -> None:
    """As ``_put_off``, for the turns of a match, and what its players were asked."""
    for turn in write.table.open_turns.values():
        if turn.next_at is not None and turn.next_at <= write.now:
            write.turn(turn, next_at=later)
    write.update(
        Permission,
        Permission.match_id == write.match_id,
        col(Permission.closed_at).is_(None),
        col(Permission.next_at) <= write.now,
        next_at=later,
    )
