"""What is due is found by indexes that hold only what can be due, on both databases."""

from sqlalchemy import event

from pbem.sweep import sweep
from tests.pbem.cast import House

#: The index of each question of a sweep (see docs/decisions/indexes.md).
INDEXES = {"match_paused_until", "turn_next", "match_lobby_next", "match_advance_due"}


def asked_by_a_sweep(house: House) -> list[tuple[str, object]]:
    """The questions of a sweep that finds nothing to do, with their parameters."""
    found: list[tuple[str, object]] = []
    engine = house.service.database._reader

    def note(connection, cursor, statement, parameters, context, many) -> None:
        found.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        assert sweep(house.service) == 0
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return [(statement, values) for statement, values in found if "SELECT" in statement]


def plan(house: House, statement: str, parameters: object) -> str:
    """How the database would answer; PostgreSQL must not be misled by how few rows there are."""
    database = house.service.database
    with database.read() as session:
        connection = session.connection()
        if not database.is_sqlite:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
        rows = connection.exec_driver_sql(f"{explain} {statement}", parameters).all()
    return "\n".join(str(row[-1]) for row in rows)


def test_an_idle_sweep_looks_at_nothing_but_what_can_be_due(any_house):
    any_house.running()

    plans = [plan(any_house, *question) for question in asked_by_a_sweep(any_house)]

    used = {name for name in INDEXES if any(name in one for one in plans)}
    assert len(plans) == len(INDEXES)
    assert used == INDEXES
    assert not any(" Scan on match " in one and "Bitmap" not in one for one in plans)
    assert not any(line.startswith("SCAN") for one in plans for line in one.splitlines())
