"""Offices: one that sends to a real relay, one that keeps its mail in the embedded mailbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.config.sections import Incoming
from pbem.service import Service
from tests.mail.office import Office, office_service
from tests.parts.chance import draws
from tests.parts.relay import Relay


@pytest.fixture
def office(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> Iterator[Office]:
    """Sends to ``smtp_server``, on SQLite."""
    yield from _office(request, office_service(tmp_path, sqlite_url, smtp_server))


@pytest.fixture
def any_office(
    request: pytest.FixtureRequest, tmp_path: Path, database_url: str, smtp_server: Relay
) -> Iterator[Office]:
    """Sends to ``smtp_server``, on SQLite and on PostgreSQL."""
    yield from _office(request, office_service(tmp_path, database_url, smtp_server))


@pytest.fixture
def keeper(request: pytest.FixtureRequest, tmp_path: Path, sqlite_url: str) -> Iterator[Office]:
    """Keeps its mail in the embedded mailbox."""
    yield from _office(request, office_service(tmp_path, sqlite_url))


@pytest.fixture
def returning(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> Iterator[Office]:
    """Sends to ``smtp_server``, and takes letters by a webhook."""
    yield from _returning(request, tmp_path, sqlite_url, smtp_server)


@pytest.fixture
def any_returning(
    request: pytest.FixtureRequest, tmp_path: Path, database_url: str, smtp_server: Relay
) -> Iterator[Office]:
    """The same, on SQLite and on PostgreSQL."""
    yield from _returning(request, tmp_path, database_url, smtp_server)


def _returning(
    request: pytest.FixtureRequest, home: Path, url: str, relay: Relay
) -> Iterator[Office]:
    service = office_service(home, url, relay, Incoming(webhook_key="w" * 32))
    assert service.settings.takes_letters
    yield from _office(request, service)


def _office(request: pytest.FixtureRequest, service: Service) -> Iterator[Office]:
    yield Office(replace(service, entropy=draws(request.node.path.name)))
    service.database.close()
