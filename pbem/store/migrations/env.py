"""How Alembic reaches the database: the same engine and tables as the service."""

from alembic import context
from sqlmodel import SQLModel

from pbem.store import models  # noqa: F401 - fills the metadata
from pbem.store.db import Database


def run() -> None:
    database = Database(context.config.get_main_option("sqlalchemy.url") or "")
    with database.engine.connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=SQLModel.metadata,
            # on SQLite, Alembic changes a table by copying it into a new one
            render_as_batch=True,
            compare_type=True,
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
    database.close()


run()
