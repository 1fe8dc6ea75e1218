"""The database's own errors."""

from __future__ import annotations

from contextlib import closing

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError

from pbem.store import statements
from pbem.store.db import Database
from pbem.store.models import Message
from tests.parts.cast import House


def test_an_error_holds_nothing_of_what_was_to_be_written(any_house: House) -> None:
    """It goes into the log with its trace, and what is written may be a seed or what was said."""
    words = {"said": "Between us", "seed": b"the secret seed"}

    with pytest.raises(SQLAlchemyError) as failed, any_house.service.database.write("test") as one:
        one.execute(text("INSERT INTO nowhere VALUES (:said, :seed)"), words)
    with pytest.raises(SQLAlchemyError) as asked, any_house.service.database.read() as other:
        other.execute(text("SELECT * FROM nowhere WHERE said = :said OR seed = :seed"), words)

    for error in (failed, asked):
        assert "nowhere" in str(error.value)
        assert "Between us" not in str(error.value)
        assert "secret seed" not in str(error.value)


@pytest.mark.parametrize("many", [1, 2])
def test_an_error_about_a_row_holds_nothing_of_the_row(any_house: House, many: int) -> None:
    """PostgreSQL has the row that it cannot write in the details of its error."""
    now = any_house.clock.now()
    row = {"match_id": any_house.running().id, "seat": 0, "name": "Alice", "ply": 0, "at": None}
    said = {"to_seat": None, "key": "a key of hers", "text": "Between us", "hidden_at": now}

    with pytest.raises(IntegrityError) as failed, any_house.service.database.write("test") as one:
        statements.run(one, statements.inserting(Message), [{**row, **said}] * many)

    assert "message" in str(failed.value)
    assert "Between us" not in str(failed.value)
    assert "a key of hers" not in str(failed.value)


@pytest.mark.slow
def test_an_answer_that_comes_bit_by_bit_is_waited_for(postgres_url: str) -> None:
    """Only a server that keeps still is given up. Each row is more than PostgreSQL holds back."""
    rows = text("SELECT repeat('x', 20000), pg_sleep(0.5) FROM generate_series(1, 10)")
    with closing(Database(postgres_url, patience=4)) as database:
        with database.ask() as session:
            found = session.connection().execute(rows).all()
        with (
            pytest.raises(OperationalError, match="no answer for 4 seconds"),
            database.ask() as one,
        ):
            one.connection().execute(text("SELECT pg_sleep(10)"))

    assert len(found) == 10
