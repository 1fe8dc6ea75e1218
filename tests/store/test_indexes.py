"""What is due is found by indexes that hold only what can be due, on both databases."""

from collections.abc import Callable

from sqlalchemy import event, text

from pbem.acts import deliverability
from pbem.acts.sweep import sweep
from pbem.looks import own_matches
from pbem.people import pools, results
from pbem.people.series import rounds
from tests.parts.cast import House

#: The index of each question of a sweep (see docs/decisions/indexes.md).
INDEXES = {"match_paused_until", "turn_next", "match_lobby_next", "match_advance_due"}


def asked_by(house: House, act: Callable[[], object]) -> list[tuple[str, object]]:
    """The questions that an act asks without a lock, with their parameters."""
    found: list[tuple[str, object]] = []
    engine = house.service.database._reader

    def note(connection, cursor, statement, parameters, context, many) -> None:
        found.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        act()
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
    assert sweep(any_house.service) == 0

    asked = asked_by(any_house, lambda: sweep(any_house.service))
    plans = [plan(any_house, *question) for question in asked]

    used = {name for name in INDEXES if any(name in one for one in plans)}
    assert len(plans) == 1
    assert used == INDEXES
    assert not any(" Scan on match " in one and "Bitmap" not in one for one in plans)
    scans = {line for one in plans for line in one.splitlines() if line.startswith("SCAN")}
    assert scans <= {"SCAN CONSTANT ROW"}


def test_an_idle_sweep_stays_so_when_rows_have_been_counted(house):
    """SQLite takes a table that it has not counted for larger than one with a few rows."""
    house.running()
    with house.service.database.write("test") as session:
        session.exec(text("ANALYZE"))

    asked = asked_by(house, lambda: sweep(house.service))
    plans = [plan(house, *question) for question in asked]

    scans = {line for one in plans for line in one.splitlines() if line.startswith("SCAN")}
    assert scans == {"SCAN CONSTANT ROW"}


def test_an_address_is_found_by_an_index_however_it_is_written(any_house):
    any_house.running()
    database = any_house.service.database

    def look() -> None:
        with database.read() as session:
            assert (
                len(own_matches.going_on(session, "ALICE@Example.org", any_house.clock.now())) == 2
            )
            assert own_matches.finished(session, "ALICE@Example.org", 5) == []
            deliverability._others(session, "BOB@Example.org", any_house.clock.now())

    asked = [one for one in asked_by(any_house, look) if "lower(" in one[0]]
    plans = [plan(any_house, *question) for question in asked]

    assert len(plans) == 4
    for (statement, _), found in zip(asked, plans, strict=True):
        assert ("seat_of_address" in found) == ("lower(seat.email)" in statement), found
        assert "match_of_host_address" in found or "host_email)" not in statement, found


def test_what_is_due_in_standings_and_series_is_found_by_indexes(any_house):
    """However many matches have ended, and however many series there were."""
    any_house.running()

    def look() -> None:
        results.enter_due(any_house.service, 50)
        pools.rate_due(any_house.service, 50)
        rounds.care_due(any_house.service, 50)

    asked = asked_by(any_house, look)
    plans = [plan(any_house, *question) for question in asked]
    together = "\n".join(plans)

    assert len(plans) == 6
    for name in (
        "standing_match_ended",
        "match_ended",
        "standing_match_to_rate",
        "series_due",
        "series_match_to_open",
        "series_match_to_score",
    ):
        assert name in together, together
    scans = {line for line in together.splitlines() if line.startswith("SCAN")}
    assert all("INDEX" in line for line in scans), scans
