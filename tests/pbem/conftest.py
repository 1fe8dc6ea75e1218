"""A house to play in: a service on a real database, with a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pbem.cast import House, make_service


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    service = make_service(tmp_path, f"sqlite:///{tmp_path / 'test.sqlite3'}")
    yield House(service)
    service.database.close()
