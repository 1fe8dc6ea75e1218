"""A house to play in: a service on a real database, with a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pbem.cast import House, make_service


@pytest.fixture
def house(tmp_path: Path, sqlite_url: str) -> Iterator[House]:
    """On SQLite: quick, and enough where nothing depends on the kind of database."""
    yield from _house(tmp_path, sqlite_url)


@pytest.fixture
def any_house(tmp_path: Path, database_url: str) -> Iterator[House]:
    """On SQLite and on PostgreSQL, one after the other."""
    yield from _house(tmp_path, database_url)


def _house(home: Path, url: str) -> Iterator[House]:
    service = make_service(home, url)
    yield House(service)
    service.database.close()
