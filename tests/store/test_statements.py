"""Rows that are written together, and those of which there can be one for each key."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.store import statements
from pbem.store.models import Outage, RematchAsk, Seat
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


def test_of_several_updates_of_one_row_the_last_counts(any_house: House) -> None:
    match = any_house.running()
    one, other = (any_house.seat(match, number) for number in (0, 1))
    rows = [
        {"of_id": seat.id, "missed": missed} for seat, missed in ((one, 1), (other, 2), (one, 3))
    ]

    with any_house.service.database.write("test") as session:
        found = statements.run(session, statements.updating(Seat), rows)

    assert found == 2
    assert [any_house.seat(match, number).missed for number in (0, 1)] == [3, 2]


def test_new_rows_have_their_ids_in_their_order(any_house: House) -> None:
    now = any_house.clock.now()
    rows = [{"begun_at": now, "ended_at": now + timedelta(hours=hour)} for hour in range(30)]

    with any_house.service.database.write("test") as session:
        ids = statements.add(session, Outage, rows)

    with any_house.service.database.read() as session:
        written = {row.id: row.ended_at for row in session.exec(select(Outage))}
    assert [written[number] for number in ids] == [row["ended_at"] for row in rows]
