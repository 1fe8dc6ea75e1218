"""Limits by count hold when two ask for the last place at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
from sqlmodel import col, select

from pbem import failpoints
from pbem.errors import NotFound, NotPossible
from pbem.people import privacy, settings
from pbem.people.series import acts
from pbem.people.series.acts import NewSeries
from pbem.store import audit
from pbem.store.models import Audit
from pbem.store.names import Actor, AuditAct
from tests.parts.cast import House, address
from tests.people.series import made, somebody

pytestmark = pytest.mark.usefixtures("snatch")


def refused(patches: pytest.MonkeyPatch, *acts: Callable[[], object]) -> int:
    """Does these at once; returns how many could not be done. Each waits with its commit."""
    meeting = threading.Barrier(len(acts))
    said: list[NotPossible] = []

    def wait(place: str) -> None:
        with suppress(threading.BrokenBarrierError):
            meeting.wait(0.5)

    def do(act: Callable[[], object]) -> None:
        try:
            act()
        except NotPossible as error:
            said.append(error)

    patches.setattr(failpoints, "pass_by", wait)
    threads = [threading.Thread(target=do, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(said)


def test_a_host_makes_no_series_too_many(any_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = somebody(any_house, "Alice")
    for _ in range(acts.MOST_HOSTED - 1):
        made(any_house)

    def one_more() -> None:
        new = NewSeries(name="Friday Cup", game="snatch", seats=3, rounds=2)
        acts.create(any_house.service, new, alice)

    assert refused(monkeypatch, one_more, one_more) == 1


def test_nobody_has_a_group_too_many(any_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = somebody(any_house, "Alice"), f"Bob {address('bob')}"

    def keep(name: str) -> None:
        settings.set_group(any_house.service, alice, name, bob)

    for number in range(settings.MOST_GROUPS - 1):
        keep(f"Group {number}")

    assert refused(monkeypatch, lambda: keep("One more"), lambda: keep("And one")) == 1


def test_who_is_forgotten_hosts_no_new_series(house: House) -> None:
    alice = somebody(house, "Alice")
    new = NewSeries(name="Friday Cup", game="snatch", seats=3, rounds=2)
    privacy.forget(house.service, address("alice"), Actor.OPERATOR)

    with pytest.raises(NotFound):
        acts.create(house.service, new, alice)


def test_two_who_are_forgotten_at_once_are_both_in_the_log(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("alice", "bob")

    def forgetting(name: str) -> Callable[[], object]:
        return lambda: privacy.forget(any_house.service, address(name), Actor.OPERATOR)

    refused(monkeypatch, *map(forgetting, names))

    with any_house.service.database.read() as session:
        told = select(Audit).where(Audit.act == AuditAct.FORGOTTEN).order_by(col(Audit.number))
        assert [row.number for row in session.exec(told)] == [1, 2]
        assert audit.verify(session) == []
