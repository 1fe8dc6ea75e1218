"""Whether database, tables and keys fit each other and this version of pbem.

Each process checks it before it works. Otherwise it would look healthy and do harm: with tables of
another version every task fails, and with other keys every mailed link is dead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlmodel import Session, SQLModel, select, update

from pbem.config import Settings
from pbem.errors import NotInOrder
from pbem.logs import redact
from pbem.store import db
from pbem.store.db import Database
from pbem.store.keys import Keys, load_keys
from pbem.store.models import SigningKey

#: The id of the only row of its table.
_ROW = 1


class NotFit(NotInOrder):
    """Database, tables or keys do not fit; the sentence says what to do."""

    def __init__(self, found: str, advice: str, part: str = "database") -> None:
        self.found, self.advice, self.part = found, advice, part
        super().__init__(f"{found} {advice}")


class NoAnswer(NotFit):
    """The database does not answer. It may answer again in a moment."""


# --- the database and its tables ---


@contextmanager
def answering(database: Database) -> Iterator[None]:
    """Turns errors of the database's driver into NoAnswer."""
    try:
        yield
    except SQLAlchemyError as error:
        raise no_answer(database.url, error) from None


def no_answer(url: str, error: SQLAlchemyError) -> NoAnswer:
    """The error for a database that does not answer, with what to do."""
    reason = redact(db.reason(error)).rstrip(".")
    path = db.sqlite_path(url)
    if path is None:
        return NoAnswer(
            f"PostgreSQL does not answer: {reason}.",
            "Is it running, and are host, user, password and name in database_url right?",
        )
    if "locked" in reason:
        return NoAnswer(
            f"The database {path} cannot be written now: {reason}.",
            "Another program holds it, perhaps sqlite3 with an open transaction, or one that makes "
            "a copy: let it end.",
        )
    return NoAnswer(
        f"The database {path} cannot be used: {reason}.",
        "Is it a database of pbem, and may whoever runs this read and write it and its folder?",
    )


def check_tables(database: Database) -> None:
    """Raises NotFit if the tables are not those of this version of pbem."""
    path = db.sqlite_path(database.url)
    if path is not None and not path.is_file():
        # a connection to SQLite would make the file
        raise NotFit(
            f"There is no database {path} yet.",
            "`pbem up` makes it, or `pbem migrate`. If there should be one: "
            "is the home directory right (--home, PBEM_HOME)?",
        )
    with answering(database):
        current, wanted = database.revision(), db.newest_revision()
    if current == wanted:
        return
    if current is None:
        raise NotFit("The database has no tables yet.", "`pbem up` makes them, or `pbem migrate`.")
    refuse_newer(current)
    raise NotFit(
        f"The tables are at {current}, this pbem wants {wanted}.",
        "Make a backup (`pbem backup`), then run `pbem migrate`.",
    )


def check_writable(database: Database) -> None:
    """Raises NotFit if the database can be read, but not written by this process.

    Nothing is written for it.
    """
    path = db.sqlite_path(database.url)
    if path is None:
        _check_rights(database)
        return
    for file in sorted(path.parent.glob(f"{path.name}*")):
        if file.name.removeprefix(path.name) in ("", "-wal", "-shm") and not os.access(
            file, os.W_OK
        ):
            raise NotFit(
                f"{file} cannot be written by who runs this.",
                "Give it to the user that runs pbem (chown), or is its disk mounted to be read "
                "only?",
            )


#: Whether PostgreSQL takes no writes, and the tables on which the role has not all rights.
_RIGHTS = text(
    "SELECT current_setting('transaction_read_only') = 'on', "
    "string_agg(relname, ', ' ORDER BY relname) FILTER (WHERE NOT ("
    "has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT') "
    "AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))) "
    "FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(:ours)"
)


def _check_rights(database: Database) -> None:
    ours = {"ours": list(SQLModel.metadata.tables)}
    with answering(database), database.ask() as session:
        reads_only, closed = session.connection().execute(_RIGHTS, ours).one()
    if reads_only:
        raise NotFit(
            "PostgreSQL takes no writes.",
            "Is it a standby, or is default_transaction_read_only on? "
            "Name the one that takes writes in database_url.",
        )
    if closed:
        raise NotFit(
            f"The role of database_url may not read and write all tables: {closed}.",
            "Let the role own the tables, or GRANT it the rights.",
        )


def refuse_newer(revision: str | None) -> None:
    """Raises NotFit if the tables are of a newer version of pbem, which this one does not know."""
    if revision is not None and not db.is_known(revision):
        raise NotFit(
            f"The tables are at {revision}, which this pbem does not know: a newer one made them.",
            "Install that version again, or restore a backup from before it.",
        )


def migrate(settings: Settings) -> str | None:
    """Brings the tables to this version; returns their revision before. Newer ones are refused."""
    path = db.sqlite_path(settings.database_url)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            # SQLite would let all users read it; its log beside it gets the mode of the file
            with suppress(OSError):
                path.touch(mode=0o600)
    database = Database(settings.database_url)
    try:
        with answering(database):
            before = database.revision()
            refuse_newer(before)
            db.upgrade(settings.database_url)
    finally:
        database.close()
    return before


# --- the keys ---


def check_keys(settings: Settings, database: Database) -> None:
    """Raises NotFit if the keys are not those of this database, as soon as it knows any."""
    with answering(database), database.read() as session:
        known = _known(session)
    if known is None:
        return
    lost = "If the right keys are lost for good: `pbem keys --accept`, and the old links are dead."
    where = (
        "Put the file back from a backup, or copy it from a machine that shares the database; is "
        "the home directory right (--home, PBEM_HOME)?"
    )
    if not settings.secrets_file.exists():
        raise NotFit(
            f"There are no keys in {settings.secrets_file}, and the database knows its own.",
            f"{where} {lost}",
            "keys",
        )
    if known not in load_keys(settings.secrets_file).fingerprints():
        raise NotFit(
            f"The keys in {settings.secrets_file} are not those that sign the links of this "
            "database.",
            f"{where} {lost}",
            "keys",
        )


def keys_in_use(settings: Settings, database: Database) -> Keys:
    """The keys to sign with. Makes them if the database knows none; NotFit if they do not fit.

    If a newer key was put before the known one, it becomes the known one.
    """
    check_keys(settings, database)
    keys = settings.keys()
    with answering(database):
        accept(database, keys)
    return keys


def accept(database: Database, keys: Keys) -> None:
    """Records these keys as the ones that sign the links of this database."""
    signs = keys.fingerprints()[0]
    with database.read() as session:
        known = _known(session)
    if known == signs:
        return
    now = datetime.now(UTC)
    try:
        with database.write("accept_keys") as session:
            if known is None:
                session.add(SigningKey(id=_ROW, fingerprint=signs, since=now))
            else:
                session.connection().execute(
                    update(SigningKey).values(fingerprint=signs, since=now)
                )
    except IntegrityError:
        return  # another process that starts now wrote it first; the next start compares again


def _known(session: Session) -> str | None:
    return session.exec(select(SigningKey.fingerprint)).first()
