"""Limits by count hold when two ask for the last place at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
from sqlmodel import col, select, update

from pbem import failpoints
from pbem.acts import outbox
from pbem.acts.matches import NewSeat, Person
from pbem.errors import NotFound, NotPossible
from pbem.people import digests, open_tables, persons, privacy, settings, watches
from pbem.people.open_tables import NewTable, TableFilter
from pbem.people.series import acts
from pbem.people.series.acts import NewSeries
from pbem.store import audit
from pbem.store.models import Audit, Mail
from pbem.store.names import Actor, AuditAct, MailKind
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


def test_who_watches_for_tables_gets_no_mail_too_many(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = watches.MOST_A_DAY + 1
    with any_house.service.database.write("test") as session:
        erin = persons.known(session, address("erin"), any_house.clock.now())
        watches.add(session, erin, TableFilter(game="dog"), any_house.clock.now())
    for number in range(tables):
        host = Person(f"Host {number}", address(f"host{number}"))
        seats = [NewSeat("Alice", host.email), *[NewSeat(open=True)] * 3]
        new = NewTable(game="dog", host=host, seats=seats, confirmed=True, listed=True)
        open_tables.create(any_house.service, new, proved=True)

    # each looks at a table of its own
    refused(monkeypatch, *[lambda: watches.tell_due(any_house.service, 50)] * tables)
    while watches.tell_due(any_house.service, 50):
        pass

    assert len(any_house.mails("table_open")) == watches.MOST_A_DAY


def test_who_answers_digests_gets_none_too_many(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, service = somebody(any_house, "Bob"), any_house.service
    with service.database.write("test") as session:
        outbox.owe(session, MailKind.DIGEST, "digest:1", any_house.clock.now(), address=bob.address)
    with service.database.write("test") as session:
        session.execute(update(Mail).values(message_id="<1@example.org>"))
    answers: list[str] = []

    def answer(letter: str) -> None:
        answers.append(digests.send_again(service, address("bob"), ["<1@example.org>"], letter))

    letters = [f"letter {number}" for number in range(digests.MOST_AGAIN + 2)]
    refused(monkeypatch, *[partial(answer, letter) for letter in letters])

    assert sorted(answers) == ["answered"] * digests.MOST_AGAIN + ["too_many"] * 2
