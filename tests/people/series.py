"""Series in tests: people who enter, rounds, and matches that are played at once."""

from __future__ import annotations

from typing import Any

from sqlmodel import select

from pbem.people import persons
from pbem.people.series import acts, rounds
from pbem.people.series.acts import NewSeries
from pbem.people.series.rows import Rows, read
from pbem.store.models import (
    Match,
    Person,
    Series,
    SeriesMatch,
)
from pbem.store.names import MatchStatus
from tests.parts.cast import House, address
from tests.people.quick import company

NAMES = ("Alice", "Bob", "Carol", "Dave", "Erin", "Frank", "Gwen", "Hal", "Iris")


def somebody(house: House, name: str) -> Person:
    with house.service.database.write("test") as session:
        return persons.known(session, address(name), house.clock.now())


def made(house: House, **asked: Any) -> Series:
    new = NewSeries(**{"name": "Friday Cup", "game": "snatch", "seats": 3, "rounds": 2, **asked})
    return acts.create(house.service, new, somebody(house, "Alice"))


def enter(house: House, series: Series, *names: str) -> None:
    for name in names:
        acts.enter_as(house.service, series.id, somebody(house, name), name)


def rows_of(house: House, series: Series) -> Rows:
    with house.service.database.read() as session:
        return read(session, series.id)


def matches_of(house: House, series: Series, number: int) -> list[Match]:
    query = (
        select(Match)
        .join(SeriesMatch, SeriesMatch.match_id == Match.id)
        .where(SeriesMatch.series_id == series.id, SeriesMatch.round == number)
        .order_by(SeriesMatch.number)
    )
    with house.service.database.read() as session:
        return list(session.exec(query))


def started(house: House, *names: str, **asked: Any) -> Series:
    series = made(house, **asked)
    enter(house, series, *names)
    rounds.go_on(house.service, series.id)
    company(house)
    house.work()
    return rows_of(house, series).series


def play(house: House, series: Series, number: int) -> None:
    for match in matches_of(house, series, number):
        if match.status == MatchStatus.RUNNING:
            house.play_on(match)
    company(house)
    house.work()
