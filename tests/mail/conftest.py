"""Offices: one that sends to a real relay, one that keeps its mail in the embedded mailbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.config import Incoming
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


@pytest.fixture
def returning(tmp_path: Path, sqlite_url: str, smtp_server: Relay) -> Iterator[Office]:
    """Sends to ``smtp_server``, and takes letters by a webhook."""
    yield from _returning(tmp_path, sqlite_url, smtp_server)


@pytest.fixture
def any_returning(tmp_path: Path, database_url: str, smtp_server: Relay) -> Iterator[Office]:
    """The same, on SQLite and on PostgreSQL."""
    yield from _returning(tmp_path, database_url, smtp_server)


def _returning(home: Path, url: str, relay: Relay) -> Iterator[Office]:
    service = office_service(home, url, relay, Incoming(webhook_key="w" * 32))
    assert service.settings.takes_letters
    yield Office(service)
    service.database.close()
