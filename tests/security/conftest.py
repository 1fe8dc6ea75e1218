"""Houses with doors, on both kinds of database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.parts.chance import draws
from tests.web.conftest import web_service
from tests.web.house import WebHouse


@pytest.fixture
def web(tmp_path: Path, sqlite_url: str) -> Iterator[WebHouse]:
    yield from _house(tmp_path, sqlite_url)


@pytest.fixture
def any_web(tmp_path: Path, database_url: str) -> Iterator[WebHouse]:
    yield from _house(tmp_path, database_url)


def _house(home: Path, url: str) -> Iterator[WebHouse]:
    # the same matches each time
    service = replace(web_service(home, url), entropy=draws("security"))
    yield WebHouse(service)
    service.database.close()


@pytest.fixture
def client(web: WebHouse) -> FlaskClient:
    return web.app.test_client()
