"""Migrations make the tables of the models, whatever version they begin with."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import inspect, text
from sqlmodel import SQLModel, select

from pbem.store import db, models
from pbem.store.db import Database
from pbem.store.migrations import versions
from pbem.words import texts
from tests.parts.postgres_server import PostgresServer

#: SQLite does not tell of what an index over an expression is made.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Skipped unsupported reflection"),
    pytest.mark.filterwarnings("ignore:autogenerate skipping metadata-specified"),
]


def test_migrations_make_the_tables_and_indexes_of_the_models(database_url: str) -> None:
    database = Database(database_url)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, SQLModel.metadata)
    database.close()

    assert differences == []


def migrated_at_once(url: str, processes: int = 4) -> list[tuple[int, str]]:
    """How processes end that all migrate this database, and what they say."""
    code = "import sys; from pbem.store import db; db.upgrade(sys.argv[1])"
    begun = [
        subprocess.Popen([sys.executable, "-c", code, url], stderr=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    said = [process.communicate(timeout=120)[1] for process in begun]
    return [(process.returncode, text) for process, text in zip(begun, said, strict=True)]


@pytest.mark.process
def test_processes_that_start_at_once_make_the_tables_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'pbem.sqlite3'}"

    assert migrated_at_once(url) == [(0, "")] * 4

    assert db.revision_of(url) == db.newest_revision()


@pytest.mark.postgres
@pytest.mark.parametrize("before", [None, "0030"])
def test_machines_that_start_at_once_migrate_once(
    postgres_server: PostgresServer, before: str | None
) -> None:
    with postgres_server.database(empty=True) as url:
        if before is not None:
            db.upgrade(url, before)

        assert migrated_at_once(url) == [(0, "")] * 4

        assert db.revision_of(url) == db.newest_revision()


def test_an_index_that_a_newer_version_changed_is_made_anew(tmp_path: Path) -> None:
    """A migration that somebody may have run is never edited: the next one changes what it made."""
    url = f"sqlite:///{tmp_path / 'pbem.sqlite3'}"
    columns = []
    for revision in ("0015", "head"):
        db.upgrade(url, revision)
        database = Database(url)
        indexes = inspect(database.engine).get_indexes("match")
        columns += [one["column_names"] for one in indexes if one["name"] == "match_to_pack"]
        database.close()

    assert columns == [["ended_at"], ["ended_at", "id"]]


def test_people_and_their_devices_outlast_a_table_that_is_copied(tmp_path: Path) -> None:
    """On SQLite, revision 0027 copies the table of people, to which their devices refer."""
    file = tmp_path / "pbem.sqlite3"
    db.upgrade(f"sqlite:///{file}", "0026")
    with closing(sqlite3.connect(file)) as there, there:
        at = "2026-06-01 00:00:00"
        there.execute(
            "INSERT INTO person (id, name, language, zone, created_at) "
            "VALUES (1, 'A', 'en', 'UTC', ?)",
            (at,),
        )
        there.execute("INSERT INTO device VALUES (1, 1, 'secret', 'phone', ?, ?, ?)", (at, at, at))

    db.upgrade(f"sqlite:///{file}")

    with closing(sqlite3.connect(file)) as there:
        assert there.execute("SELECT person_id, label FROM device").fetchall() == [(1, "phone")]
        assert there.execute("SELECT name, mails FROM person").fetchall() == [("A", "each")]
        assert there.execute("PRAGMA foreign_key_check").fetchall() == []


def test_pages_of_names_that_read_the_same_are_told_apart(database_url: str) -> None:
    """Whoever had theirs first keeps the name; each is found under their own."""
    now, long = datetime(2026, 6, 1, tzinfo=UTC), "\ufdfa" * 10
    names = ("\uff21da", "Ada", "Ben\u200d S", "Ben s", long, long + "x")
    step = import_module(f"{versions.__name__}.0038_public_names_as_they_are_read")
    database = Database(database_url)
    with database.write("test") as session:
        session.add_all(models.Person(id=number, created_at=now) for number in range(6))
        session.flush()
        for number, name in enumerate(names):
            since, folded = now + timedelta(days=number), name.casefold()
            row = models.PublicPlayer(person_id=number, name=name, folded=folded, since=since)
            session.add(row)

    with (
        database.engine.begin() as connection,
        Operations.context(MigrationContext.configure(connection)),
    ):
        step.upgrade()

    with database.read() as session:
        found = session.exec(select(models.PublicPlayer).order_by("person_id"))
        assert [(one.name, one.folded) for one in found] == [
            ("\uff21da", "ada"),
            ("Ada 2", "ada 2"),
            ("Ben\u200d S", "ben s"),
            ("Ben s 2", "ben s 2"),
            (long, texts.folded(long)),
            ("\ufdfa" * 6 + " 2", texts.folded("\ufdfa" * 6) + " 2"),
        ]
    database.close()


@pytest.mark.postgres
def test_postgresql_packs_states_by_lz4(postgres_url: str) -> None:
    """Each move writes one, and LZ4 takes a fraction of the time."""
    how = text(
        "SELECT attcompression FROM pg_attribute"
        " WHERE attrelid = 'match'::regclass AND attname = 'state_json'"
    )
    database = Database(postgres_url)
    with database.read() as session:
        assert session.execute(how).scalar_one() == "l"
    database.close()
