"""Rows of which there can be one for each key, inserted or updated (an upsert); and how many rows a
statement changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from sqlalchemy import CursorResult, Delete, Insert, Update, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

from pbem.store.models import rows_of


def upsert(
    session: Session,
    model: type[SQLModel],
    rows: Sequence[dict[str, Any]],
    *,
    unique: tuple[str, ...],
    updated: tuple[str, ...] = (),
) -> int:
    """Inserts rows; of those that are there the columns ``updated`` are written. Returns how many.

    ``unique`` are the columns that make a row the same. All rows have the same columns.
    """
    if not rows:
        return 0
    statement = _statement(session.get_bind().dialect.name, model, unique, updated)
    # a list of one would go a slower way through the driver
    given = rows if len(rows) > 1 else rows[0]
    # of an INSERT it is not kept otherwise: -1 on PostgreSQL
    options = {"preserve_rowcount": True}
    return session.connection().execute(statement, given, execution_options=options).rowcount


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
def _statement(
    dialect: str, model: type[SQLModel], unique: tuple[str, ...], updated: tuple[str, ...]
) -> Insert:
    # the statement of each database is a class of its own with the same methods
    insert: Any = sqlite.insert if dialect == "sqlite" else postgresql.insert
    new = insert(rows_of(model))
    if not updated:
        found: Insert = new.on_conflict_do_nothing(index_elements=unique)
        return found
    values = {column: new.excluded[column] for column in updated}
    found = new.on_conflict_do_update(index_elements=unique, set_=values)
    return found
