"""Offices: one that sends to a real relay, one that keeps its mail in the embedded mailbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mail.office import Office, office_service
from tests.parts.relay import Relay


@pytest.fixture
def office(tmp_path: Path, sqlite_url: str, smtp_server: Relay) -> Iterator[Office]:
    """Sends to ``smtp_server``, on SQLite."""
    service = office_service(tmp_path, sqlite_url, smtp_server)
    yield Office(service)
    service.database.close()


@pytest.fixture
def any_office(tmp_path: Path, database_url: str, smtp_server: Relay) -> Iterator[Office]:
    """Sends to ``smtp_server``, on SQLite and on PostgreSQL."""
    service = office_service(tmp_path, database_url, smtp_server)
    yield Office(service)
    service.database.close()


@pytest.fixture
def keeper(tmp_path: Path, sqlite_url: str) -> Iterator[Office]:
    """Keeps its mail in the embedded mailbox."""
    service = office_service(tmp_path, sqlite_url)
    yield Office(service)
    service.database.close()
