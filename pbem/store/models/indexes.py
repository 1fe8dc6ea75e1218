"""An index of some rows of a table, as both databases have it."""

from __future__ import annotations

from sqlalchemy import Index, text


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of the rows on which this condition holds."""
    condition = text(where)
    return Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
