"""What every act is made of: it reads a match, computes what follows, then claims and writes.

Every act has these three steps, in this order:

1. ``read``: the match, its seats and open turns in one transaction, and the present instant;
2. compute everything that follows, without a lock;
3. ``writing``: one short transaction, which claims the revision that was read and writes what
   follows from it. After the commit the workers that have something to do are rung.

If somebody else claimed that revision first, nothing is written, and ``act`` runs the function
again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sqlalchemy import ColumnElement, Update, bindparam, insert, update
from sqlmodel import Session, SQLModel

from pbem import journal
from pbem.acts import outbox
from pbem.errors import Busy
from pbem.journal import Line
from pbem.service import Service
from pbem.store import audit, links
from pbem.store.models import Actor, Match, Ply, Seat, Turn, rows_of
from pbem.store.names import AuditAct, MailKind, Purpose
from pbem.store.table import Table, load

P = ParamSpec("P")
T = TypeVar("T")

#: How often ``act`` runs a function whose match others keep claiming.
TRIES = 12


class SomeoneWasFirstError(Exception):
    """The match changed between reading and writing. Read again, decide again."""


def act(function: Callable[P, T]) -> Callable[P, T]:
    """Marks a function as an act: after a lost claim it runs again; Busy after ``TRIES`` runs.

    So an act writes in one transaction only, or calls other acts after its own commit.
    """

    @wraps(function)
    def again(*arguments: P.args, **named: P.kwargs) -> T:
        for attempt in range(TRIES):
            try:
                return function(*arguments, **named)
            except SomeoneWasFirstError:
                # a random wait: without it those who met here would meet again
                time.sleep(random.uniform(0, 0.01 * (attempt + 1)))  # noqa: S311
        raise Busy("Many people are changing this match at once. Please try again.")

    return again


def read(service: Service, match_id: str) -> tuple[Table, datetime]:
    """The match as it is now, and the instant that the act uses for all it writes."""
    with service.database.ask() as session:
        return load(session, match_id), service.now()


@contextmanager
def writing(
    service: Service, table: Table, name: str, actor: Actor, now: datetime, **columns: Any
) -> Iterator[Writer]:
    """The transaction of an act: claims the match that was read, or SomeoneWasFirstError.

    ``columns`` of the match are written with its next revision. ``name`` names the commit
    (``Database.write``).
    """
    with _transaction(service, table, name, actor, now) as write:
        claim(write.session, table.match, **columns)
        write.ring_if_due(columns)
        yield write


@contextmanager
def opening(
    service: Service, table: Table, name: str, actor: Actor, now: datetime
) -> Iterator[Writer]:
    """The transaction that writes a new match. It claims nothing: nobody else knows the match."""
    with _transaction(service, table, name, actor, now) as write:
        yield write


@contextmanager
def _transaction(
    service: Service, table: Table, name: str, actor: Actor, now: datetime
) -> Iterator[Writer]:
    with service.database.write(name) as session:
        write = Writer(service, session, table, actor, now)
        yield write
    for queue in sorted(write.rings):
        service.ring(queue)


def _update(model: type[SQLModel], *more: ColumnElement[bool]) -> Update:
    """Of the row whose id is given as ``of_id``; it sets the columns that are given besides."""
    rows = rows_of(model)
    return update(rows).where(rows.c.id == bindparam("of_id"), *more)


# what nearly every act writes: made once, because making a statement costs as much as running it
_CLAIM = _update(Match, rows_of(Match).c.revision == bindparam("of_revision"))
_MATCH, _SEAT = _update(Match), _update(Seat)
_OPEN_TURN = _update(Turn, rows_of(Turn).c.closed_at.is_(None))
_PLY = insert(rows_of(Ply))


def claim(session: Session, match: Match, **columns: Any) -> None:
    """Claims the match for this transaction by its revision, or raises SomeoneWasFirstError."""
    read = {"of_id": match.id, "of_revision": match.revision}
    columns |= {"revision": match.revision + 1}
    if session.connection().execute(_CLAIM, {**read, **columns}).rowcount != 1:
        raise SomeoneWasFirstError(match.id)


class Writer:
    """Writes what follows from an act, in its transaction: rows, audit, mails owed, journal."""

    def __init__(
        self, service: Service, session: Session, table: Table, actor: Actor, now: datetime
    ) -> None:
        self.service = service
        self.session = session
        #: The match as it was read.
        self.table = table
        #: Who acts.
        self.actor = actor
        self.now = now
        #: The number of the match's last ply, with those that this act adds.
        self.ply = table.match.ply
        #: The queues of the workers that have something to do after the commit.
        self.rings: set[str] = set()

    def add(self, *rows: SQLModel) -> None:
        """Adds rows and flushes, so that they have their ids."""
        self.session.add_all(rows)
        self.session.flush()

    def log(self, *plies: Ply) -> None:
        """Adds lines to the match's log."""
        if plies:
            self.session.connection().execute(_PLY, [ply.model_dump() for ply in plies])
            self.ply = plies[-1].ply

    def update(self, model: type[SQLModel], *which: Any, **columns: Any) -> bool:
        """Writes columns of the rows that match ``which``; returns whether there were any."""
        result = self.session.execute(
            update(model)
            .where(*which)
            .values(**columns)
            .execution_options(synchronize_session=False)
        )
        return bool(result.rowcount)  # type: ignore[attr-defined]

    def match(self, **columns: Any) -> Match:
        """Writes further columns of the match; returns a copy with them."""
        match = self.table.match
        if columns:
            self._set(_MATCH, match.id, columns)
            self.ring_if_due(columns)
        return match.model_copy(update=columns)

    def seat(self, seat: Seat, **columns: Any) -> Seat:
        """Writes columns of a seat; returns a copy with them."""
        self._set(_SEAT, seat.id, columns)
        return seat.model_copy(update=columns)

    def turn(self, turn: Turn, **columns: Any) -> None:
        """Writes columns of an open turn; SomeoneWasFirstError if it has been closed."""
        if not self._set(_OPEN_TURN, turn.id, columns):
            raise SomeoneWasFirstError(turn.match_id)

    def _set(self, statement: Update, number: int | str | None, columns: dict[str, Any]) -> bool:
        return bool(
            self.session.connection().execute(statement, {**columns, "of_id": number}).rowcount
        )

    def close(self, turn: Turn, by: str) -> None:
        """Closes a turn, once."""
        self.turn(turn, closed_at=self.now, closed_by=by, next_at=None)

    def link(self, purpose: Purpose, whose: Seat | Match, number: int = 0) -> None:
        """Makes a link of a seat, or of the match's host, if there is none for its epoch yet.

        ``number`` is the id of what the link is about: a turn or a proposal; 0: nothing else.
        """
        match = whose if isinstance(whose, Match) else self.table.match
        seat = whose if isinstance(whose, Seat) else None
        links.make(self.session, purpose, match, seat, self.now, number)

    def audit(self, act: AuditAct, seat: int | None = None, **detail: str | int) -> None:
        """Adds a row to the audit log; the table's history and the next mails tell it."""
        audit.append(
            self.session,
            now=self.now,
            match_id=self.table.match.id,
            actor=self.actor,
            act=act,
            seat=seat,
            ply=self.ply,
            detail=detail,
        )

    def owe(
        self, kind: MailKind, key: str, seat: int, *, turn_id: int | None = None, **data: Any
    ) -> None:
        """Owes a seat (``links.HOST``: the host) a mail, once for each key of its kind.

        ``data`` is what it says besides the match as it is when the mail is sent.
        """
        outbox.owe(
            self.session,
            kind,
            f"{kind}:{key}",
            self.now,
            match_id=self.table.match.id,
            seat=seat,
            turn_id=turn_id,
            **data,
        )
        self.rings.add("post")

    def journal(self, line: Line, **about: Any) -> None:
        """Writes a line of the journal once the commit is done."""
        journal.after(self.session, line, match=self.table.match.id, **about)

    def ring_if_due(self, columns: dict[str, Any]) -> None:
        """Rings ``advance`` after the commit if these columns make the match due now."""
        due = columns.get("advance_due_at")
        if due is not None and due <= self.now:
            self.rings.add("advance")
