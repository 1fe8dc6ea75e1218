"""Somebody is forgotten while somebody else, or they themselves, write to the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import select

from pbem.acts import invitees
from pbem.people import persons, privacy, settings
from pbem.people.settings import SettingsRequest
from pbem.store.models import PersonGroup
from pbem.store.names import Actor
from tests.parts.cast import House, address, make_service
from tests.people.series import somebody

pytestmark = pytest.mark.postgres


@pytest.fixture
def house(tmp_path: Path, postgres_url: str) -> Iterator[House]:
    house = House(make_service(tmp_path, postgres_url))
    yield house
    house.service.database.close()


def forget(house: House, name: str) -> None:
    privacy.forget(house.service, address(name), Actor.OPERATOR)


class Meanwhile:
    """``do`` begins when ``function`` is called, which goes on when ``do`` waits or is done."""

    def __init__(self, house: House, function: Callable[..., Any], do: Callable[[], None]) -> None:
        self._house, self._function, self._do = house, function, do
        self._pool = ThreadPoolExecutor(1)
        self.done: Future[None] | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.done is None:
            self.done = self._pool.submit(self._do)
            until = time.monotonic() + 10
            while not (self.done.done() or self._waits()) and time.monotonic() < until:
                time.sleep(0.01)
        return self._function(*arguments, **named)

    def _waits(self) -> bool:
        waiting = text(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        with self._house.service.database.ask() as session:
            return bool(session.connection().execute(waiting).scalar())

    def ended(self) -> None:
        """Waits for the end of ``do``, and raises what it raised."""
        assert self.done is not None
        self.done.result(10)


def test_who_is_forgotten_while_they_save_their_settings_waits_for_nobody_who_waits(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = somebody(house, "alice")
    settings.save(house.service, alice, SettingsRequest(invitations=True))
    meanwhile = Meanwhile(house, invitees.set_wanted, lambda: forget(house, "alice"))
    monkeypatch.setattr(invitees, "set_wanted", meanwhile)

    settings.save(house.service, alice, SettingsRequest(invitations=False))
    meanwhile.ended()

    with house.service.database.read() as session:
        assert invitees.wants_none(session, address("alice"))


@pytest.mark.parametrize("people", ["", "Carol carol@example.org"])
def test_a_group_that_is_changed_while_somebody_in_it_is_forgotten_is_as_it_was_changed(
    house: House, monkeypatch: pytest.MonkeyPatch, people: str
) -> None:
    alice = somebody(house, "alice")
    settings.set_group(house.service, alice, "friends", f"Bob {address('bob')}\nDave d@example.org")
    meanwhile = Meanwhile(
        house,
        privacy.json.loads,
        lambda: settings.set_group(house.service, alice, "friends", people),
    )
    monkeypatch.setattr(privacy.json, "loads", meanwhile)

    forget(house, "bob")
    meanwhile.ended()

    with house.service.database.read() as session:
        left = settings.groups(session, alice)
    assert [friend.email for group in left for friend in group.people] == people.split()[1:]


def test_two_who_are_in_each_others_groups_are_forgotten_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, friend in (("alice", "bob"), ("bob", "alice")):
        person = somebody(house, name)
        settings.set_group(house.service, person, "friends", f"Friend {address(friend)}")
    meanwhile = Meanwhile(house, privacy._leave_groups, lambda: forget(house, "bob"))
    monkeypatch.setattr(privacy, "_leave_groups", meanwhile)

    forget(house, "alice")
    meanwhile.ended()

    with house.service.database.read() as session:
        assert session.exec(select(PersonGroup)).all() == []
        assert persons.of_address(session, address("bob")) is None
