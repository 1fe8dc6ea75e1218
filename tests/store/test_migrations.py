"""Migrations make the tables of the models, whatever version they begin with."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect
from sqlmodel import SQLModel

from pbem.store import db, models  # noqa: F401 - fills the metadata
from pbem.store.db import Database

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
