"""What is the same for all houses of a process is made once for it, and not for each house anew."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import pytest
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.dialects.sqlite.base import SQLiteDialect
from werkzeug.routing import Rule

from pbem.mail import pictures
from pbem.store import db


def compile_statements(patches: pytest.MonkeyPatch) -> None:
    """A statement is compiled once for each kind of database."""
    compiled: dict[Any, Any] = {}
    create = partial(db.create_engine, execution_options={"compiled_cache": compiled})
    patches.setattr(db, "create_engine", create)
    # what was compiled is known by the statement and the dialect, and each engine has its own
    for kind in (SQLiteDialect, PGDialect):
        patches.setattr(kind, "__hash__", lambda dialect: hash(type(dialect)))
        patches.setattr(kind, "__eq__", lambda one, other: type(one) is type(other))


def compile_routes(patches: pytest.MonkeyPatch) -> None:
    """The program that builds a route's URL is compiled once."""
    compiled: dict[Any, Any] = {}
    compile_builder = Rule._compile_builder

    def once(rule: Rule, append_unknown: bool = True) -> Any:
        asked = (*rule._trace, str(rule.defaults), append_unknown)
        if asked not in compiled:
            compiled[asked] = compile_builder(rule, append_unknown)
        return compiled[asked]

    patches.setattr(Rule, "_compile_builder", once)


def draw(patches: pytest.MonkeyPatch) -> None:
    """The same drawing makes the same picture, and most mails of a run show one seen before."""
    for each in (pictures.draw, pictures.card):
        patches.setattr(pictures, each.__name__, lru_cache(maxsize=512)(each))
