"""A series that its host calls off stays as it stands."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy.exc import NoResultFound
from sqlmodel import select

from pbem.acts.writing import SomeoneWasFirstError
from pbem.errors import NotPossible
from pbem.people.series import rounds
from pbem.store.models import (
    Match,
    StandingMatch,
)
from pbem.store.names import MatchStatus
from tests.parts.cast import House
from tests.people.quick import company
from tests.people.series import NAMES, enter, made, matches_of, rows_of, started

pytestmark = pytest.mark.usefixtures("snatch")


def test_a_series_that_is_called_off_stays_as_it_stands_and_its_matches_are_played_on(
    any_house: House,
) -> None:
    series = started(any_house, *NAMES[:6], rounds=3)
    enter(any_house, series, "Gwen")
    first, second = matches_of(any_house, series, 1)
    any_house.play_on(first)
    company(any_house)
    before = rows_of(any_house, series)

    rounds.call_off(any_house.service, series.id)
    rounds.call_off(any_house.service, series.id)
    goes_on = any_house.match(second.id).status
    any_house.play_on(second)
    company(any_house)
    any_house.work()
    after = rows_of(any_house, series)

    assert goes_on == MatchStatus.RUNNING
    assert (after.series.status, after.series.called_off, after.series.next_at) == (
        "over",
        True,
        None,
    )
    assert after.standing() == before.standing()
    assert sum(stand.points for stand in after.standing()) == 120 + 60
    # who waited for a place is told, too
    assert len(any_house.mails("series_over")) == 7
    with any_house.service.database.read() as session:
        rated = session.get_one(StandingMatch, second.id)
    assert rated.why_not == ""
    with pytest.raises(NotPossible):
        rounds.go_on(any_house.service, series.id)


def test_tables_that_were_drawn_and_not_opened_are_not_opened_any_more(house: House) -> None:
    series = made(house)
    enter(house, series, *NAMES[:6])
    rounds.go_on(house.service, series.id)

    rounds.call_off(house.service, series.id)
    with pytest.raises(NoResultFound):
        rounds.open_table(house.service, series.id, 1, 1)
    company(house)
    house.work()

    assert matches_of(house, series, 1) == []
    assert house.mails("series_round") == []
    assert rows_of(house, series).tables() == {}


def test_a_round_off_counts_only_if_a_table_of_its_round_was_opened(house: House) -> None:
    opened = started(house, *NAMES[:5])
    drawn = made(house)
    enter(house, drawn, *NAMES[:5])
    rounds.go_on(house.service, drawn.id)
    before = [len(rows_of(house, series).seats) for series in (opened, drawn)]

    rounds.call_off(house.service, opened.id)
    rounds.call_off(house.service, drawn.id)

    assert before == [5, 5]
    off = [seat.points for seat in rows_of(house, opened).seats if not seat.number]
    assert off == [60]
    assert rows_of(house, drawn).seats == ()
    assert {stand.points for stand in rows_of(house, drawn).standing()} == {0}


def test_whoever_opens_a_table_while_the_series_is_called_off_opens_none(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = made(any_house)
    enter(any_house, series, *NAMES[:3])
    rounds.go_on(any_house.service, series.id)
    new = rounds._new_match

    def meanwhile(*about: Any) -> Any:
        rounds.call_off(any_house.service, series.id)
        return new(*about)

    monkeypatch.setattr(rounds, "_new_match", meanwhile)
    with pytest.raises(SomeoneWasFirstError):
        rounds.open_table(any_house.service, series.id, 1, 1)

    with any_house.service.database.read() as session:
        assert session.exec(select(Match)).all() == []


def test_what_is_over_cannot_be_called_off(house: House) -> None:
    series = made(house, enter_days=1)
    enter(house, series, *NAMES[:2])
    house.wait(days=1, minutes=1)
    company(house)
    house.work()

    with pytest.raises(NotPossible):
        rounds.call_off(house.service, series.id)

    assert not rows_of(house, series).series.called_off
    assert len(house.mails("series_over")) == 2
