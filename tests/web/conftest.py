"""A house with doors: real acts on a real SQLite file, asked through Flask's test client."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient
from pydantic import SecretStr

from pbem.clock import ManualClock
from pbem.config import Settings
from pbem.config.sections import Incoming, Limits, Operator
from pbem.service import Service
from pbem.store.db import Database
from tests.parts.cast import KEYS, NO_BEACON, START
from tests.parts.chance import draws
from tests.web.house import PASSWORD, WebHouse

HOOK_KEY = "a key that the mail service and the web both know"
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


def web_service(home: Path, url: str, **over: object) -> Service:
    settings = Settings(
        **{
            "home": home,
            "database_url": url,
            "base_url": "http://localhost",
            "beacon": NO_BEACON,
            "operator": Operator(password_hash=HASH),
            "limits": Limits(requests_per_minute=100_000),
            "incoming": Incoming(webhook_key=SecretStr(HOOK_KEY)),
            **over,
        }
    )
    return Service(settings, Database(url), KEYS, ManualClock(START))


@pytest.fixture
def web(request: pytest.FixtureRequest, tmp_path: Path, sqlite_url: str) -> Iterator[WebHouse]:
    yield from _web(request.node.path.name, tmp_path, sqlite_url)


@pytest.fixture
def any_web(
    request: pytest.FixtureRequest, tmp_path: Path, database_url: str
) -> Iterator[WebHouse]:
    """On SQLite and on PostgreSQL, one after the other."""
    yield from _web(request.node.path.name, tmp_path, database_url)


def _web(test: str, home: Path, url: str) -> Iterator[WebHouse]:
    service = replace(web_service(home, url), entropy=draws(test))
    yield WebHouse(service)
    service.database.close()


@contextmanager
def world_of(web: WebHouse, file: Path) -> Iterator[WebHouse]:
    """Another house whose database is this one's as it is now: what happens there is not here."""
    with closing(sqlite3.connect(web.file)) as here, closing(sqlite3.connect(file)) as there:
        here.backup(there)
    url = f"sqlite:///{file}"
    settings = web.service.settings.model_copy(update={"database_url": url})
    service = replace(web.service, settings=settings, database=Database(url))
    yield WebHouse(service)
    service.database.close()


@pytest.fixture
def client(web: WebHouse) -> FlaskClient:
    return web.app.test_client()
