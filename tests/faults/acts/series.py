"""Leagues and tournaments."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlmodel import select

from pbem.people import persons
from pbem.people import sweep as company
from pbem.people.series import acts as of_series
from pbem.people.series import rounds
from pbem.people.series.acts import NewSeries
from pbem.store.models import Person, Series, SeriesMatch
from tests.faults.acts.moments import Act, Given, Place, keep_company, somebody
from tests.parts import remedies
from tests.parts.cast import NAMES, address
from tests.web.house import WebHouse


def a_series(house: WebHouse, **asked: Any) -> Given:
    """A series of Dog that three have entered."""
    new = NewSeries(**{"name": "Friday Cup", "game": "dog", "seats": 3, "rounds": 1, **asked})
    with house.service.database.write("test") as session:
        people = [persons.known(session, address(name), house.clock.now()) for name in NAMES[:3]]
    series = of_series.create(house.service, new, people[0])
    for name, person in zip(NAMES, people, strict=False):
        of_series.enter_as(house.service, series.id, person, name)
    return {"series": series.id, "people": [person.id for person in people]}


def drawn(house: WebHouse, **asked: Any) -> Given:
    given = a_series(house, **asked)
    rounds.go_on(house.service, given["series"])
    return given


def round_over(house: WebHouse) -> Given:
    """The only match of a series was ended."""
    given = drawn(house)
    company.sweep(house.service)
    with house.service.database.read() as session:
        (opened,) = session.exec(select(SeriesMatch))
    remedies.abort(house.service, opened.match_id, actor="operator")
    return given


def left_by_all(house: WebHouse) -> Given:
    """The next round's time has come, nobody is there to play it, and a match goes on."""
    given = drawn(house, rounds=2, round_days=1)
    company.sweep(house.service)
    for person in given["people"]:
        of_series.withdraw(house.service, given["series"], person)
    house.clock.move(timedelta(days=1))
    return given


def unknown_game(house: WebHouse) -> Given:
    given = a_series(house, enter_days=1)
    with house.service.database.write("test") as session:
        row = session.get_one(Series, given["series"])
        row.game = "gone"
        session.add(row)
    house.clock.move(timedelta(days=1))
    return given


def _make_series(place: Place, _: Given) -> None:
    host = of_series.host(place.service, "Alice", "alice@example.org")
    new = NewSeries(name="Friday Cup", game="dog", seats=3, rounds=1)
    of_series.create(place.service, new, host)


def _enter_series(place: Place, given: Given) -> None:
    with place.service.database.read() as session:
        person = session.get_one(Person, given["person"])
    of_series.enter_as(place.service, given["series"], person, "Dave")


def series_and_somebody(house: WebHouse) -> Given:
    return {**a_series(house), **somebody(house, "dave@example.org")}


def _withdraw(place: Place, given: Given) -> None:
    of_series.withdraw(place.service, given["series"], given["people"][0])


def _draw_round(place: Place, given: Given) -> None:
    rounds.go_on(place.service, given["series"], 0)


def _call_off(place: Place, given: Given) -> None:
    rounds.call_off(place.service, given["series"])


ACTS: dict[str, Act] = {
    "make a series": Act(("series.host", "series.create"), lambda _: {}, _make_series),
    "enter a series": Act(("series.enter",), series_and_somebody, _enter_series),
    "withdraw from a series": Act(("series.withdraw",), a_series, _withdraw),
    "draw a round": Act(("series.draw",), a_series, _draw_round),
    "call a series off": Act(("series.call_off",), drawn, _call_off),
    "tables of a round open": Act(("create",), drawn, keep_company),
    "a series ends": Act(("series.score", "series.end"), round_over, keep_company),
    "nobody is there for a round": Act(("series.wait",), left_by_all, keep_company),
    "a round cannot be drawn": Act(("series.failed",), unknown_game, keep_company),
}
