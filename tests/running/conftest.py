from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.config import Settings, load_settings
from pbem.running.heartbeats import Heart
from tests.parts.ports import free_port
from tests.running.examined import web


@pytest.fixture
def settings(tmp_path: Path, database_url: str, redis_url: str) -> Iterator[Settings]:
    """A service in which every part is well."""
    port = free_port()
    found = load_settings(home=tmp_path, database_url=database_url, broker_url=redis_url, port=port)
    found.keys()
    for part in ("worker", "beat"):
        Heart(found, part).beat()
    with web(found, port):
        yield found
