"""The database's own errors."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

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
