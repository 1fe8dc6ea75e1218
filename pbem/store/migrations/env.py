"""How Alembic reaches the database: the same engine and tables as the service."""

from alembic import context
from sqlalchemy import text
from sqlmodel import SQLModel

from pbem.store import models  # noqa: F401 - fills the metadata
from pbem.store.db import Database

#: The key of PostgreSQL's lock on migrations: "pbem" in ASCII.
LOCK = 0x7062656D


def run() -> None:
    url = context.config.get_main_option("sqlalchemy.url") or ""
    # a table is copied for as long as it takes
    database = Database(url, patience=None)
    with database.engine.connect() as connection:
        if database.is_sqlite:
            # a table that is copied is dropped, while rows of others refer to its own; in a
            # transaction this would do nothing, so the driver is told before one begins
            connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")
        context.configure(
            connection=connection,
            target_metadata=SQLModel.metadata,
            # on SQLite, Alembic changes a table by copying it into a new one
            render_as_batch=True,
            compare_type=True,
            # on SQLite too, where Alembic would read the revision before it has the lock
            transactional_ddl=True,
        )
        with context.begin_transaction():
            if not database.is_sqlite:
                # of machines that start at once, the first migrates, and the others wait for it
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
            context.run_migrations()
        connection.commit()
    database.close()


run()
