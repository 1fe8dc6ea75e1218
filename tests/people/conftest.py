"""A house whose mails leave this machine."""

from __future__ import annotations

import dataclasses

import pytest

from pbem.config import Mail
from tests.parts.cast import House


@pytest.fixture
def mailing(house: House) -> House:
    """Limits that protect strangers hold here."""
    settings = house.service.settings
    mail = Mail(mode="smtp", from_address="pbem@example.org", host="127.0.0.1")
    there = settings.model_copy(update={"mail": mail})
    return House(dataclasses.replace(house.service, settings=there))
