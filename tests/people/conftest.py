"""A house whose mails leave this machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.config.sections import Mail
from tests.mail.office import Office, office_service
from tests.parts.cast import House
from tests.parts.chance import draws
from tests.people.quick import snatch_installed


@pytest.fixture
def mailing(house: House) -> House:
    """Limits that protect strangers hold here."""
    settings = house.service.settings
    mail = Mail(mode="smtp", from_address="pbem@example.org", host="127.0.0.1")
    there = settings.model_copy(update={"mail": mail})
    return House(dataclasses.replace(house.service, settings=there))


@pytest.fixture
def keeper(request: pytest.FixtureRequest, tmp_path: Path, sqlite_url: str) -> Iterator[Office]:
    """A house with a mailer that keeps its mail in the embedded mailbox."""
    service = office_service(tmp_path, sqlite_url)
    yield Office(dataclasses.replace(service, entropy=draws(request.node.path.name)))
    service.database.close()


@pytest.fixture
def snatch(tmp_path: Path) -> Iterator[None]:
    """The game whose matches are over after a move each."""
    with snatch_installed(tmp_path):
        yield
