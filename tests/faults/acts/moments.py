"""What the acts of several files begin with and do: moments of a house, and programs.

Times are in hours of a clock of 10 h.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flask import Flask
from sqlmodel import select

from pbem import create_app
from pbem.acts import matches
from pbem.acts.remedies import carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.acts.sweep import sweep
from pbem.errors import NotPossible, Refused
from pbem.people import persons
from pbem.people import sweep as company
from pbem.service import Service
from pbem.store.models import Link
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.web.house import WebHouse

Given = dict[str, Any]
CLOCK = {"turn": "10h", "grace": "1h"}


@dataclass(frozen=True)
class Place:
    """Where a program works: a service, its doors, and whom it tells what was acknowledged."""

    service: Service
    note: Callable[[dict[str, Any]], None]

    @cached_property
    def app(self) -> Flask:
        return create_app(self.service)

    def post(self, path: str, **form: str) -> None:
        answer = self.app.test_client().post(path, data=form)
        assert answer.status_code < 400 or answer.status_code == 409, (path, answer.text[:2000])

    def link(self, number: int) -> Link:
        with self.service.database.read() as session:
            return session.exec(select(Link).where(Link.id == number)).one()


@dataclass(frozen=True)
class Act:
    """``passes``: the names of the commits on its way."""

    passes: tuple[str, ...]
    prepare: Callable[[WebHouse], Given]
    do: Callable[[Place, Given], None]


def running(house: WebHouse, **asked: Any) -> Given:
    match = house.running(**{"clock": CLOCK, **asked})
    return {"match": match.id}


def lobby(house: WebHouse) -> Given:
    """All but Dave have joined."""
    match = house.open(confirmed=False, clock=CLOCK)
    for seat in (0, 1, 2):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), matches.Joining())
    link = house.link(match, Purpose.JOIN, 3)
    return {"match": match.id, "path": f"/j/{house.token(link)}", "link": link.id}


def moves(house: WebHouse) -> Given:
    """Four players with a move each to hand in."""
    given = running(house)
    match = house.match(given["match"])
    given["moves"] = [
        (house.turn_path(match, seat), house.orders(match, seat)[0]) for seat in range(4)
    ]
    return given


def moved_on(house: WebHouse) -> Given:
    """One has moved and the next one has, too: all must agree now."""
    match, seat, following = house.before_a_choice()
    house.play(match, seat, house.good_order(match, seat))
    house.work()
    house.play(match, following, house.good_order(match, following))
    house.work()
    return {"match": match.id, "link": house.link(match, Purpose.SEAT, seat).id}


def packing(house: WebHouse) -> Given:
    """A player with days of vacation, by the link of their seat."""
    match = house.running(clock={**CLOCK, "vacation_days": 3})
    return {"match": match.id, "link": house.link(match, Purpose.SEAT, 1).id}


def paused(house: WebHouse) -> Given:
    given = running(house)
    remedies.pause(house.service, given["match"], "5h", actor="host")
    return given


def finished(house: WebHouse) -> Given:
    match = house.open(bots=0, clock=CLOCK)
    remedies.abort(house.service, match.id, actor="host")
    return {"match": match.id}


def over(house: WebHouse) -> Given:
    """A match that was played for a while."""
    match = house.play_on(house.running(clock=CLOCK), plies=5)
    remedies.abort(house.service, match.id, actor="host")
    return {"match": match.id, "path": f"/m/{match.id}/animation"}


def work(place: Place, _: Given) -> None:
    for _number in range(100):
        if not sweep(place.service):
            return
    raise AssertionError("the sweep finds no end")


def posting(**form: str) -> Callable[[Place, Given], None]:
    return lambda place, given: place.post(given["path"], **form)


def on_link(act: Callable[[Service, Link], Any]) -> Callable[[Place, Given], None]:
    """An act on the link that was prepared. Done twice, it may find that nothing is left to do."""

    def do(place: Place, given: Given) -> None:
        with suppress(Refused):
            act(place.service, place.link(given["link"]))

    return do


def remedy(asked: RemedyRequest) -> Callable[[Place, Given], None]:
    def do(place: Place, given: Given) -> None:
        # the second time it may find that it was done before
        with suppress(NotPossible):
            carry_out(place.service, given["match"], asked, Actor.OPERATOR)

    return do


def somebody(house: WebHouse, email: str = "bob@example.org") -> Given:
    with house.service.database.write("test") as session:
        return {"person": persons.known(session, email, house.clock.now()).id}


def keep_company(place: Place, _: Given) -> None:
    company.sweep(place.service)
