"""Whoever leaves a series, is forgotten, or comes while a round is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pbem.acts import absence
from pbem.acts.writing import SomeoneWasFirstError
from pbem.errors import NotFound, NotPossible
from pbem.people import privacy
from pbem.people.series import acts, rounds
from pbem.people.series.rows import Rows
from pbem.store.models import Series, SeriesPlayer
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.parts.cast import House, address
from tests.people.quick import company
from tests.people.series import NAMES, enter, made, matches_of, play, rows_of, somebody, started

pytestmark = pytest.mark.usefixtures("snatch")


def test_who_withdraws_plays_on_and_is_drawn_no_more(house: House) -> None:
    series = started(house, *NAMES[:6])
    acts.withdraw(house.service, series.id, somebody(house, "Bob").id or 0)

    play(house, series, 1)
    rows = rows_of(house, series)

    number = {player.name: player.number for player in rows.players}["Bob"]
    assert {seat.round for seat in rows.seats if seat.player == number} == {1}
    with pytest.raises(NotPossible):
        enter(house, series, "Bob")
    with pytest.raises(NotFound):
        acts.withdraw(house.service, series.id, somebody(house, "Hal").id or 0)


def meanwhile(
    monkeypatch: pytest.MonkeyPatch, house: House, series: Series, done: Callable[[], object]
) -> Rows:
    """The series after its first round was drawn, while something was done."""
    draw, still = rounds._draw, [done]

    def drawn(rows: Rows) -> Any:
        found = draw(rows)
        while still:
            still.pop()()
        return found

    monkeypatch.setattr(rounds, "_draw", drawn)
    rounds.go_on(house.service, series.id)
    return rows_of(house, series)


def test_who_leaves_while_a_round_is_drawn_is_not_drawn(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = made(any_house)
    enter(any_house, series, *NAMES[:6])
    bob = somebody(any_house, "Bob").id or 0

    rows = meanwhile(
        monkeypatch,
        any_house,
        series,
        lambda: acts.withdraw(any_house.service, series.id, bob),
    )

    assert rows.series.round == 1
    assert {seat.player for seat in rows.seats} == {1, 3, 4, 5, 6}


def test_who_is_forgotten_while_a_round_is_drawn_is_not_drawn(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = made(any_house)
    enter(any_house, series, *NAMES[:6])

    rows = meanwhile(
        monkeypatch,
        any_house,
        series,
        lambda: privacy.forget(any_house.service, address("Bob"), Actor.OPERATOR),
    )

    assert rows.series.round == 1
    assert {seat.player for seat in rows.seats} == {1, 3, 4, 5, 6}


def test_who_enters_while_the_first_round_is_drawn_is_in_it(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = made(any_house)
    enter(any_house, series, *NAMES[:3])

    rows = meanwhile(monkeypatch, any_house, series, lambda: enter(any_house, series, *NAMES[3:6]))

    assert {player.place for player in rows.players} == {"in"}
    assert {seat.player for seat in rows.seats} == {1, 2, 3, 4, 5, 6}


def test_who_comes_too_late_for_a_place_does_not_keep_a_round_from_being_drawn(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = made(house, most=3)
    enter(house, series, *NAMES[:3])
    before = rows_of(house, series).series.revision

    rows = meanwhile(monkeypatch, house, series, lambda: enter(house, series, *NAMES[3:]))

    assert rows.series.revision == before + 1
    assert {seat.player for seat in rows.seats} == {1, 2, 3}
    assert {player.place for player in rows.players[3:]} == {"waiting"}


@pytest.mark.parametrize("name", ["Bob", "Alice"])
def test_who_is_forgotten_while_their_table_opens_is_in_no_match(
    any_house: House, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Bob plays there; Alice is the host of the series, too."""
    series = made(any_house)
    enter(any_house, series, *NAMES[:3])
    rounds.go_on(any_house.service, series.id)
    put_together, still = rounds._new_match, [name]

    def forgotten_then(*what: Any) -> Any:
        new = put_together(*what)
        while still:
            privacy.forget(any_house.service, address(still.pop()), Actor.OPERATOR)
        return new

    monkeypatch.setattr(rounds, "_new_match", forgotten_then)
    with pytest.raises(SomeoneWasFirstError):
        rounds.open_table(any_house.service, series.id, 1, 1)
    company(any_house)

    (match,) = matches_of(any_house, series, 1)
    there = {match.host_email, *(seat.email for seat in any_house.table(match).seats)}
    assert address(name) not in there
    with any_house.service.database.read() as session:
        assert privacy.matches_of(session, address(name)) == []


def test_who_waits_gets_the_place_of_who_left(house: House) -> None:
    series = started(house, *NAMES[:6], most=6)
    enter(house, series, "Gwen", "Hal")
    waiting = [one.place for one in rows_of(house, series).players][6:]
    acts.withdraw(house.service, series.id, somebody(house, "Bob").id or 0)

    play(house, series, 1)
    places = {one.name: one.place for one in rows_of(house, series).players}

    assert waiting == ["waiting", "waiting"]
    assert (places["Bob"], places["Gwen"], places["Hal"]) == ("out", "in", "waiting")


def test_who_left_two_matches_early_is_out(house: House) -> None:
    series = started(house, *NAMES[:6], rounds=3)

    for number in (1, 2):
        for match in matches_of(house, series, number):
            for seat in house.table(match).seats:
                if seat.name == "Bob":
                    absence.resign(house.service, house.link(match, Purpose.SEAT, seat.number))
        play(house, series, number)
    rows = rows_of(house, series)

    bob = next(player for player in rows.players if player.name == "Bob")
    assert bob.place == "out"
    assert [seat.points for seat in rows.seats if seat.player == bob.number] == [0, 0]


def test_a_match_that_was_ended_gives_everybody_the_middle(house: House) -> None:
    series = started(house, *NAMES[:3], rounds=1)
    (match,) = matches_of(house, series, 1)

    remedies.abort(house.service, match.id, actor="operator")
    company(house)
    rows = rows_of(house, series)

    assert {seat.points for seat in rows.seats} == {60}
    assert rows.series.status == "over"


def test_what_fails_in_one_series_keeps_no_other_from_its_rounds(house: House) -> None:
    broken, well = made(house, enter_days=1), made(house, enter_days=1)
    for series in (broken, well):
        enter(house, series, *NAMES[:3])
    with house.service.database.write("test") as session:
        row = session.get_one(Series, broken.id)
        row.game = "gone"
        session.add(row)
    house.wait(days=1, minutes=1)

    company(house)

    assert rows_of(house, well).series.status == "running"
    assert rows_of(house, broken).series.next_at == house.clock.now() + rounds.AGAIN


def test_many_tables_that_cannot_be_opened_keep_no_other_series_from_its_own(
    any_house: House,
) -> None:
    all_ = [made(any_house, rounds=1) for _ in range(3)]
    *broken, well = sorted(all_, key=lambda series: series.id)
    for series in broken:
        enter(any_house, series, *NAMES)
    enter(any_house, well, *NAMES[:3])
    for series in all_:
        rounds.go_on(any_house.service, series.id)
    with any_house.service.database.write("test") as session:
        for series in broken:
            session.get_one(Series, series.id).game = "gone"

    # fewer at once than each of the broken ones has
    while rounds.care_due(any_house.service, 2):
        pass

    assert [match.status for match in matches_of(any_house, well, 1)] == ["running"]
    assert [matches_of(any_house, series, 1) for series in broken] == [[], []]


def test_a_table_that_cannot_be_opened_at_once_draws_no_round_before_its_time(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = made(house, rounds=2, round_days=7)
    enter(house, series, *NAMES[:6])
    rounds.go_on(house.service, series.id)
    before = rows_of(house, series).series.next_at
    with monkeypatch.context() as patched:
        patched.setattr(rounds.matches, "create", _fails)
        rounds.care_due(house.service, 50)

    house.wait(hours=1)
    company(house)

    assert [match.status for match in matches_of(house, series, 1)] == ["running", "running"]
    assert rows_of(house, series).series.next_at == before


def test_a_table_that_fails_is_tried_once_an_hour(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = made(any_house, rounds=1)
    enter(any_house, series, *NAMES[:3])
    rounds.go_on(any_house.service, series.id)
    tried: list[str] = []

    def fails(*_of_a_match: object, match_id: str, **_more: object) -> None:
        tried.append(match_id)
        raise ValueError("as by a flaw of a game")

    with monkeypatch.context() as patched:
        patched.setattr(rounds.matches, "create", fails)
        for _ in range(4):
            any_house.wait(minutes=20)
            rounds.care_due(any_house.service, 50)

    assert len(tried) == 2


def _fails(*_of_a_match: object, **_more: object) -> None:
    raise ValueError("as by a flaw of a game")


def test_who_is_forgotten_has_a_bot_in_matches_to_come_and_no_name_in_the_series(
    any_house: House,
) -> None:
    series = made(any_house)
    enter(any_house, series, *NAMES[:3])
    rounds.go_on(any_house.service, series.id)

    privacy.forget(any_house.service, address("Bob"), Actor.OPERATOR)
    company(any_house)
    (match,) = matches_of(any_house, series, 1)

    names = [player.name for player in rows_of(any_house, series).players]
    assert names == ["Alice", "–", "Carol"]
    assert sorted(seat.bot or "" for seat in any_house.table(match).seats) == ["", "", "easy"]


def test_a_table_with_two_equal_names_opens_with_the_second_numbered(house: House) -> None:
    series = made(house)
    enter(house, series, *NAMES[:3])
    with house.service.database.write("test") as session:
        # as somebody could enter before names were compared as they are now
        session.get_one(SeriesPlayer, (series.id, 3)).name = "BOB"

    rounds.go_on(house.service, series.id)
    company(house)

    (match,) = matches_of(house, series, 1)
    first, second = (seat.name for seat in house.table(match).seats if seat.name != "Alice")
    assert {first.casefold(), second.casefold()} == {"bob", "bob 2"}
    assert second.endswith(" 2")


def test_a_bot_of_a_series_is_called_as_no_player_is(house: House) -> None:
    series = made(house)
    for name, called in (("Alice", "Bot 1"), ("Bob", "Bot 2"), ("Carol", "Bot 3")):
        acts.enter_as(house.service, series.id, somebody(house, name), called)
    rounds.go_on(house.service, series.id)
    privacy.forget(house.service, address("Bob"), Actor.OPERATOR)

    company(house)

    (match,) = matches_of(house, series, 1)
    names = {seat.name for seat in house.table(match).seats}
    assert len(names) == 3
    assert {"Bot 1", "Bot 3"} < names


def test_a_series_of_which_nobody_is_left_comes_to_its_end(house: House) -> None:
    series = made(house, rounds=1)
    enter(house, series, *NAMES[:3])
    rounds.go_on(house.service, series.id)
    for name in NAMES[:3]:
        privacy.forget(house.service, address(name), Actor.OPERATOR)

    company(house)

    rows = rows_of(house, series)
    assert rows.series.status == "over"
    assert {seat.points for seat in rows.seats} == {60}
    assert matches_of(house, series, 1) == []


def test_of_a_series_whose_host_was_forgotten_others_look_after_the_tables(house: House) -> None:
    series = made(house, rounds=1)
    enter(house, series, *NAMES[1:4])
    rounds.go_on(house.service, series.id)
    privacy.forget(house.service, address("Alice"), Actor.OPERATOR)

    company(house)

    (match,) = matches_of(house, series, 1)
    assert match.host_email == house.table(match).seats[0].email
