"""Rows that are written: many of one form at once, and those of which there is one for each key (an
upsert); and how many rows a statement changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, cast

from sqlalchemy import (
    ColumnElement,
    CursorResult,
    Delete,
    FromClause,
    Insert,
    LargeBinary,
    Text,
    Update,
    bindparam,
    column,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

from engine.codec import encode
from pbem.store.models import rows_of

Change: TypeAlias = Insert | Update


@dataclass(frozen=True, eq=False)
class Write:
    """A change of rows that are given by their columns; made once, because making it takes long."""

    #: For one row, whose columns are its parameters.
    one: Change
    #: For all rows of a table; None: they are written one after the other.
    many: Callable[[FromClause], Change] | None = None


def inserting(model: type[SQLModel]) -> Write:
    """Inserts rows."""
    return Write(insert(rows_of(model)), lambda given: _with_rows(insert(rows_of(model)), given))


def updating(model: type[SQLModel], *more: ColumnElement[bool], large: bool = False) -> Write:
    """Updates rows by their ids, ``of_id``; sets whatever other columns are given.

    ``large``: they hold so much that it takes longer to send them together.
    """
    rows = rows_of(model)

    def many(given: FromClause) -> Update:
        values = {one.name: one for one in given.c if one.name != "of_id"}
        return update(rows).where(rows.c.id == given.c.of_id, *more).values(values)

    one = update(rows).where(rows.c.id == bindparam("of_id"), *more)
    return Write(one, None if large else many)


def run(session: Session, write: Write, rows: Sequence[dict[str, Any]]) -> int:
    """Writes rows, at least one; returns how many there were. All have the same columns.

    Of updates of one row the last counts.
    """
    connection = session.connection()
    if isinstance(write.one, Update):
        # PostgreSQL would take any of those that it is given together
        rows = list({row["of_id"]: row for row in rows}.values())
    # of an INSERT it is not kept otherwise: -1 on PostgreSQL
    options = {"preserve_rowcount": True}
    if write.many and len(rows) > 1 and connection.dialect.name == "postgresql":
        together = _together(write, tuple(rows[0]))
        return connection.execute(together, _text(rows), execution_options=options).rowcount
    # a list of one would go a slower way through the driver
    given = rows if len(rows) > 1 else rows[0]
    return connection.execute(write.one, given, execution_options=options).rowcount


def add(session: Session, model: type[SQLModel], rows: Sequence[dict[str, Any]]) -> list[int]:
    """Inserts rows with the same columns; returns their new ids, in the order of the rows."""
    write, connection = _inserting(model), session.connection()
    if connection.dialect.name == "sqlite":
        # an insert of several rows, or one that returns something, makes SQLite plan a look
        # through all rows that may refer to them
        return [connection.execute(write.one, row).lastrowid for row in rows]
    numbered = _numbered(model, tuple(rows[0]))
    # ids are given in the order in which rows are inserted
    return sorted(connection.execute(numbered, _text(rows)).scalars())


def upsert(
    session: Session,
    model: type[SQLModel],
    rows: Sequence[dict[str, Any]],
    *,
    unique: tuple[str, ...],
    updated: tuple[str, ...] = (),
) -> int:
    """Inserts rows; of those that are there the columns ``updated`` are written. Returns how many.

    ``unique`` are the columns that make a row the same. All rows have the same columns. Where
    columns are updated, no two of them are the same.
    """
    if not rows:
        return 0
    return run(session, _upserting(session.get_bind().dialect.name, model, unique, updated), rows)


#: Nobody else in a transaction with the same words gets past it until this one ends.
_ALONE = text("SELECT pg_advisory_xact_lock(hashtextextended(:words, 0))")


def alone(session: Session, words: str) -> None:
    """Waits until no other transaction is past here with the same words.

    For what no row stands for, as how many matches a host has open. On SQLite a writing
    transaction is alone anyway.
    """
    if session.get_bind().dialect.name != "sqlite":
        session.execute(_ALONE, {"words": words})


def rowcount(session: Session, statement: Update | Delete) -> int:
    """Runs a change of rows under a condition; returns how many met it: 0 if somebody was first."""
    return cast(CursorResult[None], session.execute(statement)).rowcount


@cache
def _upserting(
    dialect: str, model: type[SQLModel], unique: tuple[str, ...], updated: tuple[str, ...]
) -> Write:
    # the statement of each database is a class of its own with the same methods
    new: Any = (sqlite if dialect == "sqlite" else postgresql).insert(rows_of(model))

    def settled(new: Any) -> Insert:
        if not updated:
            found: Insert = new.on_conflict_do_nothing(index_elements=unique)
            return found
        values = {column: new.excluded[column] for column in updated}
        found = new.on_conflict_do_update(index_elements=unique, set_=values)
        return found

    return Write(settled(new), lambda given: settled(_with_rows(new, given)))


def _with_rows(new: Insert, given: FromClause) -> Insert:
    return new.from_select([one.name for one in given.c], select(*given.c))


_inserting = cache(inserting)


@cache
def _numbered(model: type[SQLModel], columns: tuple[str, ...]) -> Any:
    new = _together(_inserting(model), columns)
    return new.returning(rows_of(model).c.id)


@cache
def _together(write: Write, columns: tuple[str, ...]) -> Change:
    """The statement for many rows with these columns, which it takes as one JSON text.

    PostgreSQL takes longer to begin a statement than to write a row.
    """
    assert write.many is not None
    table = write.one.table
    typed = [column(name, table.c[name.removeprefix("of_")].type) for name in columns]
    # JSON has no bytes
    assert not any(isinstance(one.type, LargeBinary) for one in typed)
    rows = func.json_to_recordset(sql_cast(bindparam("rows", type_=Text), postgresql.JSON))
    return write.many(rows.table_valued(*typed, name="given").render_derived(with_types=True))


def _text(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    return {"rows": encode(rows).decode()}
