"""The log of what host, operator and service did is append only, and what was changed is found."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError
from sqlmodel import select

from pbem.store import audit
from pbem.store.models import Audit
from pbem.store.names import Actor, AuditAct
from tests.parts import remedies
from tests.parts.cast import House


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET act = 'nothing'",
        "DELETE FROM audit",
        "DELETE FROM audit_head",
        "UPDATE audit_head SET number = number - 1",
        "UPDATE audit_head SET hash = 'nothing'",
    ],
)
def test_the_audit_log_cannot_be_changed_even_by_sql(any_house, statement):
    any_house.running()

    with (
        pytest.raises(DatabaseError, match="append-only"),
        any_house.service.database.write("test") as session,
    ):
        session.connection().execute(text(statement))


def test_an_audit_row_that_was_changed_is_found(house):
    house.running()
    with house.service.database.read() as session:
        rows = session.exec(select(Audit)).all()
        assert audit.verify(session) == []
        with session.no_autoflush:
            rows[1].act = "something else"

            assert any("was changed" in why for why in audit.verify(session))


def test_of_a_long_audit_log_few_rows_are_in_memory_at_once(any_house, monkeypatch):
    some = audit.Entry(any_house.clock.now(), "", Actor.OPERATOR, AuditAct.LOGIN)
    with any_house.service.database.write("test") as session:
        audit.append(session, [some] * 3000)
    there: list[int] = []
    hashed = audit._hash

    def counting(row):
        there.append(len(session.identity_map))
        return hashed(row)

    monkeypatch.setattr(audit, "_hash", counting)
    with any_house.service.database.read() as session:
        assert audit.verify(session) == []

    assert len(there) == 3000
    assert max(there) < 2000


def without_the_guard(house: House, *statements: str) -> None:
    """What somebody can do who may change the tables themselves."""
    with house.service.database.write("test") as session:
        connection = session.connection()
        for table, name in (("audit", "append_only"), ("audit_head", "append_only")):
            if house.service.database.is_sqlite:
                name = "no_delete"
            on = "" if house.service.database.is_sqlite else f" ON {table}"
            connection.execute(text(f"DROP TRIGGER {table}_{name}{on}"))
        for statement in statements:
            connection.execute(text(statement))


LAST = "DELETE FROM audit WHERE number = (SELECT max(number) FROM audit)"


@pytest.mark.parametrize(
    "statements",
    [
        (LAST,),
        (LAST, LAST),
        ("DELETE FROM audit",),
        ("DELETE FROM audit_head",),
        ("DELETE FROM audit", "DELETE FROM audit_head"),
    ],
)
def test_rows_taken_from_the_end_of_the_audit_log_are_missed(any_house, statements):
    any_house.running()
    without_the_guard(any_house, *statements)

    with any_house.service.database.read() as session:
        wrong = audit.verify(session)

    assert len(wrong) == 1
    assert "does not end where it ended" in wrong[0]


def test_a_row_written_after_one_was_taken_away_does_not_hide_it(any_house):
    match = any_house.running()
    without_the_guard(any_house, LAST)
    remedies.abort(any_house.service, match.id, actor="host")

    with any_house.service.database.read() as session:
        wrong = audit.verify(session)

    assert any("entries are missing" in why for why in wrong)
