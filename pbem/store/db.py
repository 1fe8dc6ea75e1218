"""The database: SQLite on one machine, PostgreSQL for many. Reading and writing are told apart.

A writing transaction on SQLite begins with ``BEGIN IMMEDIATE``: a deferred one that reads first
and then writes fails if another one writes, however long its busy timeout is. Before it the
writer queues (``pbem.store.turnstile``), because SQLite keeps no order among those that wait.
Nothing is worked out, rendered or sent inside ``write()``.
"""

from __future__ import annotations

import select
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

from sqlalchemy import Engine, create_engine, event, make_url, text
from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    InvalidatePoolError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from pbem import failpoints, journal, metrics
from pbem.store.turnstile import TooLongError, Turnstile

#: Seconds for which one writer can keep the others waiting: on SQLite they give up then, and
#: PostgreSQL ends the transaction of one that does nothing.
BUSY_SECONDS = 15
#: Seconds after which a PostgreSQL server that cannot be reached counts as gone.
REACH_SECONDS = 10
#: Seconds for which it may keep still while an answer is awaited.
ANSWER_SECONDS = 30
#: Errors of PostgreSQL that are the whole database's, whatever was asked for: it takes no writes
#: (a standby), the role has no right, the tables are of another version. SQLite's are
#: OperationalError by themselves.
NOT_OF_THE_STATEMENT = (
    "ReadOnlySqlTransaction",
    "InsufficientPrivilege",
    "UndefinedTable",
    "UndefinedColumn",
)


#: Errors of the connection, whatever was asked for: who works on many rows stops at them, because
#: the others would fail as well.
CONNECTION_ERRORS = (OperationalError, InterfaceError)


class Database:
    """The service's database, given by its URL.

    ``patience``: seconds for which PostgreSQL may keep still while an answer is awaited; None: for
    ever.
    """

    def __init__(self, url: str, patience: float | None = ANSWER_SECONDS) -> None:
        self.url = url
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self._turnstile: Turnstile | None = None
        if self.is_sqlite:
            file = make_url(url).database
            if file and file != ":memory:":
                self._turnstile = Turnstile(Path(file).absolute())
            self._writer = _sqlite_engine(url, "BEGIN IMMEDIATE")
            self._reader = _sqlite_engine(url, "BEGIN")
            self._asker = self._reader
        else:
            self._writer = _postgresql_engine(url, patience)
            # a read runs several queries, and all of them must see the same snapshot
            self._reader = _postgresql_engine(url, patience, isolation_level="REPEATABLE READ")
            # a single query needs no transaction: BEGIN and COMMIT would be further round trips
            self._asker = self._reader.execution_options(isolation_level="AUTOCOMMIT")

    def revision(self) -> str | None:
        """The revision that the tables are at; None if there are none."""
        from alembic.runtime.migration import MigrationContext

        with self._reader.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()

    @property
    def engine(self) -> Engine:
        return self._writer

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A read-only transaction. Rows stay readable after the block."""
        with Session(self._reader, expire_on_commit=False, autoflush=False) as session:
            yield session
            if session.in_transaction():
                # not a ROLLBACK, after which psycopg forgets the statements that it has prepared;
                # not by the session, which would write rows that were changed
                session.connection().commit()

    @contextmanager
    def ask(self) -> Iterator[Session]:
        """As ``read``, for single queries: each may see its own snapshot."""
        with Session(self._asker, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self, *names: str) -> Iterator[Session]:
        """One short transaction, committed at the end of the block; an error undoes it.

        ``names``, one or more, name its kill points: ``NAME.before_commit`` and
        ``NAME.after_commit``.
        """
        with Session(self._writer, expire_on_commit=False, autoflush=False) as session:
            with self._in_line(), session.begin():
                yield session
                session.flush()
                for name in names:
                    failpoints.pass_by(f"{name}.before_commit")
            journal.committed(session)
            metrics.committed(session)
            for name in names:
                failpoints.pass_by(f"{name}.after_commit")

    @contextmanager
    def _in_line(self) -> Iterator[None]:
        """Inside the block this is the only writer of a SQLite file. PostgreSQL needs no queue."""
        if self._turnstile is None:
            yield
            return
        try:
            with self._turnstile.passed(BUSY_SECONDS):
                yield
        except TooLongError:
            # the error of SQLite itself after its busy timeout: the caller is told to try again
            locked = sqlite3.OperationalError("database is locked")
            raise OperationalError("BEGIN IMMEDIATE", {}, locked) from None

    def close(self) -> None:
        self._writer.dispose()
        self._reader.dispose()
        if self._turnstile is not None:
            self._turnstile.close()


def _sqlite_engine(url: str, begin: str) -> Engine:
    local = {"timeout": BUSY_SECONDS, "check_same_thread": False}
    # errors go into the log with their traces: nothing that was to be written stands in them
    engine = create_engine(url, connect_args=local, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        # the driver's own transaction handling begins too late and commits too early
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    def _begin(dbapi_connection: Any) -> None:
        dbapi_connection.execute(begin)

    # not by an event of the engine: if it has any, every statement looks for some of its own
    engine.dialect.do_begin = _begin  # type: ignore[method-assign]
    engine.dialect.is_disconnect = _is_of_no_more_use  # type: ignore[assignment]
    return engine


def _is_of_no_more_use(error: Exception, _connection: Any, _cursor: Any) -> bool:
    """Whether the connection was opened while the file could not be written: it never writes."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    # the lowest byte says what it is, the others why
    return bool(code & 0xFF == sqlite3.SQLITE_READONLY)


def _postgresql_engine(url: str, patience: float | None, **more: Any) -> Engine:
    """An engine that notices within seconds that the server cannot be reached any more."""
    from pbem.store.postgresql import ServiceConnection

    within = min(REACH_SECONDS, patience or REACH_SECONDS)
    reach = {"connect_timeout": within, "tcp_user_timeout": REACH_SECONDS * 1000}
    # while an answer is awaited nothing is sent, so only keepalives notice
    alive = {"keepalives_idle": REACH_SECONDS, "keepalives_interval": 2, "keepalives_count": 3}
    engine = create_engine(
        url,
        connect_args=reach | alive,
        pool_size=10,
        max_overflow=20,
        # as above
        hide_parameters=True,
        **more,
    )

    engine.dialect.dbapi_exception_translation_map = dict.fromkeys(
        NOT_OF_THE_STATEMENT, "OperationalError"
    )

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: Any, _record: Any, given: Any, named: Any) -> Any:
        connection = ServiceConnection.connect(*given, **named)
        connection.patience = patience
        return connection

    event.listen(engine, "connect", _hold_nothing_for_long)
    event.listen(engine, "checkout", _refuse_what_has_ended)
    return engine


def _refuse_what_has_ended(connection: Any, _record: Any, _checked_out: Any) -> None:
    """Has the pool make new connections if something has come on one that was not in use.

    A server that ends it says so; where it says nothing, the system's keepalive notices. To ask the
    server (``pool_pre_ping``) would be a round trip for each transaction.
    """
    heard = select.poll()
    heard.register(connection.fileno(), select.POLLIN)
    if heard.poll(0):
        raise InvalidatePoolError


def _hold_nothing_for_long(connection: Any, _record: Any) -> None:
    """Has the server end the transaction of a machine that has vanished, and its locks with it.

    By itself PostgreSQL waits for two hours (the system's keepalive), and so does the match. A
    reader that has vanished would keep it from clearing away old rows for as long.
    """
    connection.execute(f"SET idle_in_transaction_session_timeout = '{BUSY_SECONDS}s'")
    connection.commit()


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite database; None for PostgreSQL."""
    parts = make_url(url)
    if parts.get_backend_name() != "sqlite":
        return None
    return Path(parts.database or "").absolute()


def is_in_use(url: str) -> bool:
    """Whether anybody else has the database open."""
    path = sqlite_path(url)
    if path is not None:
        return path.is_file() and _sqlite_in_use(path)
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND usename = current_user AND pid <> pg_backend_pid()"
    )
    database = Database(url)
    try:
        with database.engine.connect() as connection:
            return bool(connection.execute(others).scalar())
    finally:
        database.close()


def _sqlite_in_use(path: Path) -> bool:
    connection = sqlite3.connect(path, timeout=0)
    try:
        # only a sole connection can leave WAL mode; the next connection turns it on again
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    except sqlite3.DatabaseError:
        return False  # it is damaged, and nobody can work with it
    finally:
        connection.close()
    return False


def upgrade(url: str, revision: str = "head") -> None:
    """Brings the tables to this version. Alembic decides what is still to do."""
    from alembic import command

    command.upgrade(_alembic_config(url), revision)


def revision_of(url: str) -> str | None:
    """The revision that the tables of a database are at; None if there are none."""
    database = Database(url)
    try:
        return database.revision()
    finally:
        database.close()


def newest_revision() -> str:
    """The revision that this version of pbem wants."""
    return _known_revisions()[0]


def is_known(revision: str) -> bool:
    """Whether this version of pbem knows this revision; False if a newer one made the tables."""
    return revision in _known_revisions()


@cache
def _known_revisions() -> tuple[str, ...]:
    """All revisions, the newest first."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(_alembic_config(""))
    return tuple(script.revision for script in scripts.walk_revisions())


def is_conflict(error: DBAPIError) -> bool:
    """Whether PostgreSQL undid a transaction because of another one: it can be tried again."""
    # serialization_failure, deadlock_detected
    return getattr(error.orig, "sqlstate", None) in ("40001", "40P01")


def is_silent(error: Exception) -> TypeGuard[SQLAlchemyError]:
    """Whether the database does not answer, or takes nothing now: no fault of what it was asked."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | PoolTimeout)


def reason(error: SQLAlchemyError) -> str:
    """The driver's error message, on one line and without the statement."""
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    return " ".join((said.splitlines() or [type(error).__name__])[0].split())


def _alembic_config(url: str) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    # Alembic reads its options through a parser for which a per cent sign is special
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    return config
