"""Rows that many matches share: two who write them at once do not lock each other out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.acts import due_work, invitees, lobby, matches
from pbem.acts.matches import NewMatch, NewSeat, Person
from pbem.config.sections import Mail
from pbem.store.models import Match
from tests.parts.cast import House, make_service, people


@pytest.fixture
def house(tmp_path: Path, postgres_url: str) -> Iterator[House]:
    """A service whose mails leave the machine: it counts them by their addresses."""
    service = make_service(tmp_path, postgres_url)
    mail = Mail(mode="smtp", host="mail.example.org")
    yield House(replace(service, settings=service.settings.model_copy(update={"mail": mail})))
    service.database.close()


def opened(house: House, seats: list[NewSeat]) -> Match:
    host = Person(str(seats[0].name), str(seats[0].email))
    return matches.create(house.service, NewMatch(game="dog", host=host, seats=seats))


def at_once(patches: pytest.MonkeyPatch, *acts: Callable[[], object]) -> None:
    """Does all of these at once; each waits for the others when it has counted somebody."""
    counted, meeting = invitees._count_one, threading.Barrier(len(acts))
    failed: list[Exception] = []

    def slowly(*given: Any) -> bool:
        there = counted(*given)
        with suppress(threading.BrokenBarrierError):
            meeting.wait(0.5)
        return there

    def do(act: Callable[[], object]) -> None:
        try:
            act()
        except Exception as error:
            failed.append(error)

    patches.setattr(invitees, "_count_one", slowly)
    threads = [threading.Thread(target=do, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_two_hosts_who_invite_the_same_people_both_can(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = people(4)

    at_once(monkeypatch, lambda: opened(house, seats), lambda: opened(house, seats[::-1]))

    assert len(house.mails("invitation")) == 8


def remind(house: House, *matches: Match) -> None:
    due_work.each(house.service, [(match.id,) for match in matches], lobby.care)


def test_two_workers_remind_the_same_people_of_a_match_each(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = opened(house, people(4)), opened(house, people(4)[::-1])
    house.clock.move(timedelta(days=1, minutes=1))

    at_once(monkeypatch, lambda: remind(house, one), lambda: remind(house, other))

    assert len(house.mails("invitation")) == 16


def test_two_workers_remind_the_same_people_of_several_matches_in_another_order(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [NewSeat(bot="easy")] * 3
    alice, bob, again_bob, again_alice = (
        opened(house, [people(2)[number], *bots]) for number in (0, 1, 1, 0)
    )
    house.clock.move(timedelta(days=1, minutes=1))

    at_once(
        monkeypatch,
        lambda: remind(house, alice, bob),
        lambda: remind(house, again_bob, again_alice),
    )

    assert len(house.mails("invitation")) == 8
