"""A database on which acts are tried: they run on the real rows, and all they write is undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from pbem.store.db import Database, is_conflict

T = TypeVar("T")


class OvertakenError(Exception):
    """Another writer was first, and the rehearsal does not see it: it must begin anew."""


class Rehearsal(Database, Generic[T]):
    """``database`` for one act that is undone; ``close`` undoes it.

    Until the act writes, its reads are ordinary ones and hold no lock. Its first ``write`` begins
    one transaction, in which all that follows happens: later reads see what was written, and each
    ``write`` is a savepoint. The lock is held from the first write until ``close``. Nothing is
    ever committed or told in the journal, and no kill point is passed.

    ``look`` is called as soon as that transaction has begun, before anything is written. Its result
    is kept in ``before``, which is None if the act has written nothing.
    """

    def __init__(self, database: Database, look: Callable[[Session], T]) -> None:
        # it uses the engines and the queue of writers of the real one
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
    def write(self, *names: str) -> Iterator[Session]:
        is_first = self._connection is None
        try:
            with self._savepoint() as session:
                yield session
                session.flush()
        except BaseException as error:
            if is_first:
                # the act begins again, and must then see what another writer has committed
                self.close()
            elif isinstance(error, OperationalError) and is_conflict(error):
                # the act must not begin again alone: it would meet the same in this snapshot
                raise OvertakenError() from error
            raise

    @contextmanager
    def _savepoint(self) -> Iterator[Session]:
        with (
            Session(
                self._connection or self._begin(),
                expire_on_commit=False,
                autoflush=False,
                join_transaction_mode="create_savepoint",
            ) as session,
            session.begin(),
        ):
            yield session

    def _begin(self) -> Connection:
        """Begins the transaction of the rehearsal, in which PostgreSQL too keeps one snapshot."""
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
