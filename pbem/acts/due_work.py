"""Work that is due, done row by row: a failure counts against its own match only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy.exc import InterfaceError, OperationalError

from pbem.acts import outbox
from pbem.acts.writing import act, read, writing
from pbem.journal import Line
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Actor
from pbem.store.names import AuditAct, MailKind

#: After how many failures a match is set aside, and the wait after each of them, times its number.
TRIES = 3
BACKOFF = timedelta(seconds=20)


def found(service: Service, question: Any) -> Sequence[Sequence[Any]]:
    """The rows that a query finds now."""
    with service.database.read() as session:
        return session.execute(question).all()


def each(service: Service, rows: Sequence[Sequence[Any]], do: Callable[..., object]) -> int:
    """Calls ``do`` with the service and each row; returns how many rows there are.

    A row begins with the id of its match. Each queue that has something to do afterwards is rung
    once, at the end.
    """
    rings: set[str] = set()
    for match_id, *more in rows:
        with guard(service, match_id):
            do(replace(service, ring=rings.add), match_id, *more)
    for queue in sorted(rings):
        service.ring(queue)
    return len(rows)


@contextmanager
def guard(service: Service, match_id: str) -> Iterator[None]:
    """Counts an exception in the block as a failure of this match, so that the others go on.

    Errors of the database connection are not counted: the work stays due.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        count_failure(service, match_id, error)


@act
def count_failure(service: Service, match_id: str, error: Exception) -> None:
    """Counts a failure to advance a match; after ``TRIES`` of them the match is set aside.

    It reads neither the state nor the game, because either may be what cannot be read.
    """
    table, now = read(service, match_id)
    failures = table.match.advance_failures + 1
    aside = failures >= TRIES
    columns: dict[str, Any] = (
        {"set_aside_at": now, "set_aside_error": f"{type(error).__name__}: {error}"[:2000]}
        if aside
        else {"advance_due_at": now + BACKOFF * failures}
    )
    columns["advance_failures"] = failures
    with writing(service, table, "advance.failed", Actor.SERVICE, now, **columns) as write:
        line = Line.SET_ASIDE if aside else Line.MATCH_FAILED
        write.journal(line, ply=table.match.ply, failures=failures, exc_info=error)
        if aside:
            write.audit(AuditAct.SET_ASIDE, failures=failures)
            outbox.owe_aside(write.session, service, now)
            key = f"{match_id}:set_aside:{table.match.revision}"
            write.owe(MailKind.STALLED, key, links.HOST, reason="set_aside")
