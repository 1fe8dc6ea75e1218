"""Which rows templates are given. There must be none: all columns would be a dot away in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from sqlmodel import SQLModel

from pbem.store.plain import PlainAct, PlainMatch, PlainPly, PlainSeat
from pbem.words import templating

ROWS = (SQLModel, PlainMatch, PlainSeat, PlainPly, PlainAct)


@contextmanager
def given_to_templates() -> Iterator[list[str]]:
    """The places of all rows that templates are given while it lasts."""
    found: list[str] = []

    def watched(render: Callable[..., Any]) -> Callable[..., Any]:
        def rendered(name: str, words: Any, /, **values: Any) -> Any:
            for each, value in values.items():
                found.extend(f"{name}: {place}" for place in rows_in(value, each))
            return render(name, words, **values)

        return rendered

    with pytest.MonkeyPatch.context() as patch:
        for name in ("render", "macros"):
            patch.setattr(templating, name, watched(getattr(templating, name)))
        yield found


def rows_in(value: Any, place: str) -> Iterator[str]:
    """Where in a value there are rows of the store, at whatever depth."""
    if isinstance(value, ROWS):
        yield f"{place} is a {type(value).__name__}"
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from rows_in(one, f"{place}[{name!r}]")
    elif isinstance(value, (list, tuple, set, frozenset)):
        for number, one in enumerate(value):
            yield from rows_in(one, f"{place}[{number}]")
    elif is_dataclass(value):
        for field in fields(value):
            yield from rows_in(getattr(value, field.name), f"{place}.{field.name}")
