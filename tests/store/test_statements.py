"""Rows of which there can be one for each key."""

from __future__ import annotations

import pytest

from pbem.store import statements
from pbem.store.models import RematchAsk
from tests.parts.cast import House


@pytest.mark.parametrize("many", [1, 2])
def test_it_says_how_many_were_written(any_house: House, many: int) -> None:
    now = any_house.clock.now()
    matches = [any_house.running() for _ in range(many)]
    rows = [{"match_id": one.id, "seat": 0, "asked_at": now, "due_at": now} for one in matches]

    with any_house.service.database.write("test") as session:
        first = statements.upsert(session, RematchAsk, rows, unique=("match_id",))
        again = statements.upsert(session, RematchAsk, rows, unique=("match_id",))
        over = statements.upsert(session, RematchAsk, rows, unique=("match_id",), updated=("seat",))

    assert (first, again, over) == (many, 0, many)
