"""A database on which acts are tried: they run on the real rows, and all they write is undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Generic, TypeVar

from sqlalchemy import Connection
from sqlmodel import Session

from pbem.store.db import Database

T = TypeVar("T")


class Rehearsal(Database, Generic[T]):
    """``database`` for one act that is undone; ``close`` undoes it.

    Until the act writes, its looks are ordinary ones and hold nothing. With its first ``write``
    one transaction begins, and all that follows happens in it: later looks see what was written,
    and each ``write`` is a savepoint. So the lock is held from the first write to the end of the
    last look, and nothing is ever committed, told in the journal or killed at a kill point.

    ``look`` is asked as soon as that transaction has begun, before anything is written: its answer
    is ``before``. None where the act has written nothing.
    """

    def __init__(self, database: Database, look: Callable[[Session], T]) -> None:
        # its engines and its place in the line are those of the real one
        vars(self).update(vars(database))
        self._real = database
        self._look = look
        self._connection: Connection | None = None
        self._held = ExitStack()
        self.before: T | None = None

    @contextmanager
    def read(self) -> Iterator[Session]:
        if self._connection is None:
            with self._real.read() as session:
                yield session
            return
        with Session(
            self._connection, expire_on_commit=False, join_transaction_mode="rollback_only"
        ) as session:
            yield session

    @contextmanager
    def ask(self) -> Iterator[Session]:
        with self.read() as session:
            yield session

    @contextmanager
    def write(self, name: str) -> Iterator[Session]:
        is_first = self._connection is None
        try:
            with self._savepoint() as session:
                yield session
                session.flush()
        except BaseException:
            if is_first:
                # whoever was first is seen when the act begins again
                self.close()
            raise

    @contextmanager
    def _savepoint(self) -> Iterator[Session]:
        with (
            Session(
                self._connection or self._begun(),
                expire_on_commit=False,
                autoflush=False,
                join_transaction_mode="create_savepoint",
            ) as session,
            session.begin(),
        ):
            yield session

    def _begun(self) -> Connection:
        """The transaction of the rehearsal, of one moment on PostgreSQL as well."""
        self._held.enter_context(self._in_line())
        engine = self._writer if self.is_sqlite else self._reader
        connection = self._held.enter_context(engine.connect())
        self._held.callback(connection.rollback)
        connection.begin()
        self._connection = connection
        with self.read() as session:
            self.before = self._look(session)
        return connection

    def close(self) -> None:
        """Undoes everything."""
        self._connection, self.before = None, None
        self._held.close()
