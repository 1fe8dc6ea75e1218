"""Which questions the service asks of its database, and how the database would answer them when it
has grown.

``Asked`` listens while acts run, ``fill`` makes a database of years, and ``scans`` says of a
question which growing tables it would read from end to end.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Engine,
    Integer,
    LargeBinary,
    Select,
    Table,
    event,
)
from sqlalchemy.sql import Executable
from sqlalchemy.sql.cache_key import HasCacheKey
from sqlalchemy.sql.elements import (
    ReleaseSavepointClause,
    RollbackToSavepointClause,
    SavepointClause,
)
from sqlmodel import SQLModel

import pbem
from pbem.store.db import Database

ROOT = Path(pbem.__file__).parent.parent
#: Rows of the tables that have one for every move.
ROWS = 25_000
#: Tables that do not grow with what is played: parts of the service, its key, outages, logins.
SMALL = {"heartbeat", "signing_key", "outage", "operator_session", "alembic_version"}

#: Marks in a transaction: they read nothing.
MARKS = (SavepointClause, RollbackToSavepointClause, ReleaseSavepointClause)


@dataclass
class Question:
    """A statement as the service gave it, with what it was asked with, and who asked."""

    statement: Executable
    parameters: Any
    asked_by: str


@dataclass
class Asked:
    """Every different statement that the service itself gave."""

    questions: dict[Any, Question] = field(default_factory=dict)

    @contextmanager
    def listening(self) -> Iterator[Asked]:
        event.listen(Engine, "before_execute", self._note)
        try:
            yield self
        finally:
            event.remove(Engine, "before_execute", self._note)

    def _note(
        self, connection: Connection, statement: Any, many: Any, parameters: Any, _options: Any
    ) -> None:
        asked_by = _asked_by()
        if asked_by is None or not isinstance(statement, Executable):
            return
        if isinstance(statement, MARKS):
            return
        values = parameters or (many[0] if many else {})
        key = statement._generate_cache_key() if isinstance(statement, HasCacheKey) else None
        told = (asked_by, key.key if key else str(statement), tuple(sorted(values)))
        if told not in self.questions:
            self.questions[told] = Question(statement, values, asked_by)


def _asked_by() -> str | None:
    """The function of the service that asks, as ``pbem/sweep.py:sweep``; None for a test's own."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(str(ROOT)) and "site-packages" not in file:
            path = Path(file).relative_to(ROOT)
            if path.parts[0] == "tests":
                return None
            # whose statement a flush or a commit of the helpers writes is told by who called them
            if path.name != "db.py":
                return f"{path}:{frame.f_code.co_name}"
        frame = frame.f_back
    return None


# --- a database of years ---

#: What makes a row one of a match that is over, by table: SQL over ``i``, the row's number.
FINISHED: dict[str, dict[str, str]] = {
    "person": {"mails": "'each'"},
    "series": {"status": "'over'", "kind": "'swiss'"},
    "match": {"id": "'f' || i", "status": "'finished'", "ended_at": "{long_ago}"},
    "standing_match": {"match_id": "'f' || i", "ended_at": "{long_ago}"},
    "device": {"expires_at": "{later}"},
    "address_link": {"expires_at": "{later}"},
    "open_table": {"created_at": "{later}"},
    "seat": {
        "match_id": "'f' || (i / 4)",
        "number": "i % 4",
        "email": "'p' || (i % 5000) || '@example.org'",
        "joined_at": "{time}",
    },
    "turn": {"match_id": "'f' || (i / 50)", "seat": "i % 4", "closed_at": "{time}"},
    "ply": {
        "match_id": "'f' || (i / 50)",
        "ply": "i % 50",
        "seat": "i % 4",
        "turn_id": "1000000 + i",
    },
    "packed_log": {"match_id": "'f' || i"},
    "submission": {"turn_id": "1000000 + i"},
    "link": {
        "purpose": "'turn'",
        "match_id": "'f' || (i / 50)",
        "seat": "i % 4",
        "turn_id": "1000000 + i",
    },
    "outbox": {
        "kind": "'your_turn'",
        "match_id": "'f' || (i / 50)",
        "seat": "i % 4",
        "turn_id": "1000000 + i",
        "status": "'sent'",
        "sent_at": "{time}",
    },
    "audit": {"match_id": "'f' || (i / 10)", "number": "1 + i % 10", "actor": "'player'"},
    "audit_head": {"match_id": "'f' || i"},
    "standing": {"sigma": "1", "matches": "1"},
    "standing_order": {"match_id": "'f' || (i / 5)", "seat": "i % 4", "ended_at": "{time}"},
    "proposal": {"match_id": "'f' || (i / 5)", "closed_at": "{time}"},
    "permission": {"match_id": "'f' || (i / 5)", "seat": "i % 4", "closed_at": "{time}"},
    "consent": {"proposal_id": "1000000 + i", "seat": "1"},
    "message": {"match_id": "'f' || (i / 50)", "seat": "i % 4", "to_seat": "NULL"},
    "talk_rule": {"match_id": "'f' || i", "onlookers": "'now'"},
    "talk_mute": {"match_id": "'f' || (i / 4)", "seat": "i % 4", "muted": "(i + 1) % 4"},
    "talk_note": {"match_id": "'f' || (i / 4)", "seat": "i % 4"},
    "talk_due": {"match_id": "'f' || (i / 4)", "seat": "i % 4"},
}
#: Where there are fewer than ``ROWS``.
FEWER = {
    "match": 5_000,
    "packed_log": 5_000,
    "seat": 20_000,
    "audit_head": 5_000,
    "audit": 5_000,
    "standing_match": 5_000,
}


def growing() -> list[Table]:
    return [table for table in SQLModel.metadata.sorted_tables if table.name not in SMALL]


def fill(database: Database) -> None:
    """Matches that are over, with all that was ever written of them, in PostgreSQL.

    SQLite makes its plans without looking at a row: figures are there only after an ANALYZE, and
    nobody runs it.
    """
    if database.is_sqlite:
        return
    with psycopg.connect(database.url.replace("+psycopg", ""), autocommit=True) as server:
        server.execute("SET session_replication_role = replica")
        for table in growing():
            server.execute(_rows(table))
        server.execute("ANALYZE")


def _rows(table: Table) -> str:
    count = FEWER.get(table.name, ROWS)
    given = FINISHED.get(table.name, {})
    values = {column.name: given.get(column.name, _value(column)) for column in table.columns}
    # when most rows were written; one hour before the other, for years; and not yet
    times = {
        "{time}": "'2026-01-01'::timestamptz",
        "{long_ago}": "'2026-01-01'::timestamptz - i * interval '1 hour'",
        "{later}": "'2027-01-01'::timestamptz",
    }
    names = ", ".join(f'"{name}"' for name in values)
    shown = ", ".join(values.values())
    for name, time in times.items():
        shown = shown.replace(name, time)
    series = f"generate_series(0, {count - 1}) AS i"
    return f'INSERT INTO "{table.name}" ({names}) SELECT {shown} FROM {series}'


def _value(column: Column[Any]) -> str:
    """Something for a column that no question is about: different in every row, where it can."""
    if column.primary_key and isinstance(column.type, Integer):
        return "1000000 + i"
    if column.nullable:
        return "NULL"
    if isinstance(column.type, Boolean):
        return "true"
    if isinstance(column.type, Integer):
        return "0" if not column.unique else "i"
    if isinstance(column.type, DateTime) or "DateTime" in type(column.type).__name__:
        return "{time}"
    if isinstance(column.type, Date):
        return "'2026-01-01'::date"
    if isinstance(column.type, LargeBinary):
        return "'\\x00'::bytea"
    return "'x' || i"


# --- how it would be answered ---

#: PostgreSQL looks at what a prepared statement is asked with for five times.
ONCE_MORE = 6


class _PlanError(Exception):
    """Ends the statement once its plan is known."""

    def __init__(self, plan: Any) -> None:
        super().__init__()
        self.plan = plan


def plan(connection: Connection, question: Question) -> Any:
    """How the database would answer; nothing is done."""
    sqlite = connection.dialect.name == "sqlite"
    explain = "EXPLAIN QUERY PLAN" if sqlite else "EXPLAIN (FORMAT JSON)"

    def instead(_: Any, cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        if not statement.startswith(("BEGIN", "SET", "SAVEPOINT")):
            # a cursor that the server keeps, for rows that come a few at a time, explains nothing
            plain = cursor.connection.cursor()
            if sqlite:
                plain.execute(f"{explain} {statement}", parameters)
                raise _PlanError(plain.fetchall())
            raise _PlanError(_in_the_end(plain, explain, statement, parameters))

    event.listen(connection, "before_cursor_execute", instead)
    try:
        connection.execute(question.statement, question.parameters)
    except _PlanError as found:
        return found.plan
    finally:
        event.remove(connection, "before_cursor_execute", instead)
    raise AssertionError(f"no plan: {question.statement}")


def _in_the_end(cursor: Any, explain: str, statement: str, parameters: Any) -> Any:
    """How PostgreSQL answers a prepared statement that was asked often.

    From then on it may keep a plan for whatever it is asked with.
    """
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"${numbers.setdefault(found[1], len(numbers) + 1)}"

    prepared = re.sub(r"%\((\w+)\)s", numbered, statement).replace("%%", "%")
    given = ", ".join(f"%({name})s" for name in numbers)
    asked = f"{explain} EXECUTE asked{f'({given})' if given else ''}"
    literal = psycopg.ClientCursor(cursor.connection)
    literal.execute(f"PREPARE asked AS {prepared}".encode())
    for _ in range(ONCE_MORE):
        literal.execute(asked.encode(), parameters)
    rows = literal.fetchall()
    literal.execute(b"DEALLOCATE asked")
    return rows


def scans(connection: Connection, question: Question) -> list[str]:
    """The steps of a plan in which a growing table is read from end to end, or most of it."""
    names, few = {table.name for table in growing()}, _partial()
    found = plan(connection, question)
    if connection.dialect.name == "sqlite":
        steps = [str(row[-1]) for row in found]
        return [
            step
            for step in steps
            if step.startswith("SCAN ")
            and not _of_few(step, few)
            and not ("TEMP B-TREE" not in " ".join(steps) and _is_of_the_newest(question.statement))
        ]
    (top,) = found[0]
    top = json.loads(top) if isinstance(top, str) else top
    sorts = any(node["Node Type"] == "Sort" for node in _nodes(top[0]["Plan"]))
    return [
        f"{node['Node Type']} of {node['Relation Name']}, {node['Plan Rows']} rows"
        for node in _nodes(top[0]["Plan"])
        if node.get("Relation Name") in names
        and node["Node Type"] in ("Seq Scan", "Index Scan", "Index Only Scan")
        and "Index Cond" not in node
        and node.get("Index Name") not in few
        and not (not sorts and _is_of_the_newest(question.statement))
    ]


def _is_of_the_newest(statement: Any) -> bool:
    """Whether it takes so many, whatever they are: where nothing is sorted it stops by itself."""
    return (
        isinstance(statement, Select)
        and statement.whereclause is None
        and statement._limit_clause is not None
    )


def _partial() -> set[str]:
    """Indexes that hold only what is not over: to read one whole is to read what is due."""
    return {
        str(index.name)
        for table in growing()
        for index in table.indexes
        if index.dialect_options["sqlite"].get("where") is not None
    }


def _of_few(step: str, few: set[str]) -> bool:
    """SQLite also scans what it worked out itself, and tables that stay small."""
    name = step.split()[1]
    if few & set(step.split()):
        return True
    return name in SMALL or name == "CONSTANT" or name.startswith(("anon_", "(", "sub"))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for below in node.get("Plans", []):
        yield from _nodes(below)
