"""Work that is due: done for each row that a question finds, and a failure is its match's alone."""

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

#: After so many failures a match is set aside, and how long after each it is tried again.
TRIES = 3
BACKOFF = timedelta(seconds=20)


def found(service: Service, question: Any) -> Sequence[Sequence[Any]]:
    """The rows that a question finds now."""
    with service.database.read() as session:
        return session.execute(question).all()


def each(service: Service, rows: Sequence[Sequence[Any]], do: Callable[..., object]) -> int:
    """Does the work on each row, which begins with the id of its match; returns how many there are.

    ``do`` gets the service and the row. Who has work by it is rung once, when all is done.
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
    """Work of a worker on one match: where it fails, the match is to blame and not the others.

    Where the database is away it is nobody's fault, and the work is due again by itself.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        count_failure(service, match_id, error)


@act
def count_failure(service: Service, match_id: str, error: Exception) -> None:
    """Counts a failure to carry a match on; after ``TRIES`` it is set aside, alone.

    It reads neither state nor game: the match may be one of which they cannot be read.
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
