"""Leagues and tournaments: entering, rounds that open by themselves, drop-outs, the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import NoResultFound
from sqlmodel import select, update

from engine.games.registry import find
from pbem.acts import absence
from pbem.acts.writing import SomeoneWasFirstError
from pbem.errors import BadInput, NotFound, NotPossible, TooMany
from pbem.people import persons, privacy, proofs, results
from pbem.people.series import acts, rounds
from pbem.people.series.acts import NewSeries
from pbem.people.series.rows import Rows, read
from pbem.store.models import (
    AddressLink,
    Match,
    Person,
    Series,
    SeriesMatch,
    SeriesSeat,
    StandingMatch,
)
from pbem.store.names import Actor, MatchStatus, Purpose
from tests.parts import remedies
from tests.parts.cast import House, address
from tests.people.league import WAYS, League, begun
from tests.people.quick import company, snatch_installed


@pytest.fixture(autouse=True)
def _snatch(tmp_path: Path) -> Iterator[None]:
    with snatch_installed(tmp_path):
        yield


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


# --- making one and entering ---


def test_what_cannot_be_played_is_refused(house: House) -> None:
    for wrong in (
        {"game": "chess"},
        {"seats": 7},
        {"rounds": 0},
        {"most": 2},
        {"enter_days": 0},
        {"name": "x" * 37},
        {"name": "www.example.org"},
        {"options": {"lowest": 3}},
        {"clock": {"turn": "soon"}},
    ):
        with pytest.raises(Exception) as refused:
            made(house, **wrong)
        assert refused.type.__module__.startswith(("pbem.errors", "engine.errors")), wrong


def test_a_mailed_link_enters_once(house: House) -> None:
    series = made(house)
    acts.ask_to_enter(house.service, series.id, "Bob", "Bob@example.org", "en", allowed=True)
    with house.service.database.read() as session:
        token = proofs.token(house.service.keys, session.exec(select(AddressLink)).one())

    acts.enter_by_link(house.service, token)

    assert [one.name for one in rows_of(house, series).players] == ["Bob"]
    assert acts.enter_by_link(house.service, token).number == 1
    assert len(rows_of(house, series).players) == 1
    acts.withdraw(house.service, series.id, somebody(house, "Bob").id or 0)
    with pytest.raises(NotPossible):
        acts.enter_by_link(house.service, token)
    with pytest.raises(NotFound):
        acts.enter_by_link(house.service, token[:-1] + "a")
    with pytest.raises(NotFound):
        acts.ask_to_enter(house.service, "nothing", "Bob", address("Bob"), "en", allowed=True)


def test_somebody_enters_once_and_a_name_is_taken_once(any_house: House) -> None:
    series = made(any_house)
    enter(any_house, series, "Bob", "Bob")

    with pytest.raises(BadInput):
        acts.enter_as(any_house.service, series.id, somebody(any_house, "Carol"), "BOB")

    enter(any_house, series, "Carol")
    assert [(one.number, one.name) for one in rows_of(any_house, series).players] == [
        (1, "Bob"),
        (2, "Carol"),
    ]


def test_a_series_begins_when_its_host_starts_it_or_its_date_has_come(house: House) -> None:
    by_date = made(house, enter_days=3)
    enter(house, by_date, *NAMES[:3])
    too_few = made(house, enter_days=3)
    enter(house, too_few, *NAMES[:2])

    company(house)
    before = rows_of(house, by_date).series.status
    house.wait(days=3, minutes=1)
    company(house)

    assert before == "open"
    assert rows_of(house, by_date).series.status == "running"
    assert rows_of(house, too_few).series.status == "over"
    with pytest.raises(NotPossible):
        rounds.go_on(house.service, too_few.id)


# --- rounds ---


def test_matches_open_by_themselves_with_the_clock_and_options_of_the_series(
    any_house: House,
) -> None:
    series = started(
        any_house, *NAMES[:6], clock={"turn": "36h"}, options={"lowest": True}, language="es"
    )

    first, second = matches_of(any_house, series, 1)

    assert {first.status, second.status} == {"running"}
    assert [first.name, second.name] == [
        "Friday Cup, ronda 1, mesa 1",
        "Friday Cup, ronda 1, mesa 2",
    ]
    assert '"lowest":true' in first.options_json
    assert any_house.table(first).policy.turn == 36 * 3600
    people = [seat.name for match in (first, second) for seat in any_house.table(match).seats]
    assert sorted(people) == sorted(NAMES[:6])
    assert any_house.mails("invitation") == []
    assert len(any_house.mails("series_round")) == 6
    assert len(any_house.mails("your_turn")) > 0


def test_a_host_without_a_name_is_called_as_they_play_or_as_the_host(house: House) -> None:
    plays = started(house, *NAMES[:6])
    only_hosts = started(house, *NAMES[1:7])

    called = [
        {match.host_name for match in matches_of(house, one, 1)} for one in (plays, only_hosts)
    ]

    assert called == [{"Alice"}, {"the host of Friday Cup"}]


def test_the_tables_of_a_series_do_not_count_among_the_open_matches_of_its_host(
    house: House,
) -> None:
    settings = house.service.settings
    limits = settings.limits.model_copy(update={"open_matches_per_host": 1})
    object.__setattr__(house.service, "settings", settings.model_copy(update={"limits": limits}))

    series = started(house, *NAMES[:6])
    own = house.open()

    hosts = {match.host_email for match in matches_of(house, series, 1)}
    assert hosts == {own.host_email}
    assert len(matches_of(house, series, 1)) == 2
    with pytest.raises(TooMany):
        house.open()


def test_the_next_round_is_drawn_when_all_are_over_and_the_end_is_told(house: House) -> None:
    series = started(house, *NAMES[:6])

    play(house, series, 1)
    in_second = rows_of(house, series)
    play(house, series, 2)
    at_the_end = rows_of(house, series)

    assert in_second.series.round == 2
    assert at_the_end.series.status == "over"
    assert at_the_end.is_played()
    assert sum(stand.points for stand in at_the_end.standing()) == 4 * (120 + 60)
    assert len(house.mails("series_over")) == 6
    with house.service.database.read() as session:
        counted = session.exec(select(SeriesMatch)).all()
    assert all(row.scored_at for row in counted)


def test_the_next_round_is_drawn_when_its_date_has_come(house: House) -> None:
    series = started(house, *NAMES[:6], round_days=5, clock={"turn": "30d"})

    house.wait(days=5, minutes=1)
    company(house)
    rows = rows_of(house, series)
    house.wait(days=5, minutes=1)
    company(house)

    assert rows.series.round == 2
    assert {seat.points for seat in rows.seats if seat.round == 1} == {None}
    # the last round has no date: its matches are played to their ends
    assert rows_of(house, series).series.status == "running"


def test_a_button_pressed_twice_draws_one_round(house: House) -> None:
    series = started(house, *NAMES[:6])

    rounds.go_on(house.service, series.id, 1)
    rounds.go_on(house.service, series.id, 1)

    assert rows_of(house, series).series.round == 2
    with pytest.raises(NotPossible):
        rounds.go_on(house.service, series.id)


def test_of_two_workers_one_draws(any_house: House) -> None:
    series = made(any_house)
    enter(any_house, series, *NAMES[:3])
    rows = rows_of(any_house, series)
    rounds.go_on(any_house.service, series.id)

    with pytest.raises(SomeoneWasFirstError):
        rounds._begin(any_house.service, rows, rounds._draw(rows))

    assert len(rows_of(any_house, series).seats) == 3


def test_of_two_workers_that_score_the_last_matches_at_once_one_sees_the_end(
    any_house: House,
) -> None:
    series = started(any_house, *NAMES[:6], rounds=1)
    for match in matches_of(any_house, series, 1):
        any_house.play_on(match)
    results.enter_due(any_house.service, 50)

    with ThreadPoolExecutor() as another, any_house.service.database.write("test") as session:
        acts.get(session, series.id, hold=True)
        of_first = (SeriesSeat.series_id == series.id, SeriesSeat.number == 1)
        session.execute(update(SeriesSeat).where(*of_first).values(points=60))
        second = another.submit(rounds.score, any_house.service, series.id, 1, 2)
        waited = wait([second], timeout=0.5).not_done
        session.commit()

    second.result()
    assert waited
    assert rows_of(any_house, series).series.next_at is not None


def test_who_looked_before_the_last_match_was_scored_does_not_wait_for_it(house: House) -> None:
    series = started(house, *NAMES[:3], rounds=1)
    looked = rows_of(house, series).series
    (match,) = matches_of(house, series, 1)
    house.play_on(match)
    results.enter_due(house.service, 50)

    rounds.score(house.service, series.id, 1, 1)

    with pytest.raises(SomeoneWasFirstError), house.service.database.write("test") as session:
        rounds._claim(session, looked, next_at=None)


def test_tables_differ_in_size_where_the_game_is_played_in_the_same_way(house: House) -> None:
    series = started(house, *NAMES[:4])

    rows = rows_of(house, series)

    assert [seat for seat in rows.seats if not seat.number] == []
    assert {len(table) for table in rows.tables().values()} == {4}
    assert acts.allowed_sizes(find("dog"), {}, 4) == (4, 6)
    assert acts.allowed_sizes(find("dog"), {}, 3) == (3, 5)
    assert acts.allowed_sizes(find("dogs-of-war"), {}, 4) == (3, 4, 5)


def test_five_players_have_a_round_off_in_turn_and_are_told(house: House) -> None:
    series = started(house, *NAMES[:5], rounds=3)

    for number in (1, 2, 3):
        play(house, series, number)
    rows = rows_of(house, series)
    off = [seat.player for seat in rows.seats if not seat.number]

    assert len(off) == len(set(off)) == 3
    assert {seat.points for seat in rows.seats if not seat.number} == {60}
    assert len(house.mails("series_round")) == 15


# --- drop-outs ---


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

    def meanwhile(*what: Any) -> Any:
        new = put_together(*what)
        while still:
            privacy.forget(any_house.service, address(still.pop()), Actor.OPERATOR)
        return new

    monkeypatch.setattr(rounds, "_new_match", meanwhile)
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


def test_who_went_in_two_matches_is_out(house: House) -> None:
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


# --- called off ---


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


# --- a whole league ---


def test_a_small_league_runs_to_its_end_though_a_third_cannot_be_relied_on(house: House) -> None:
    league: League = begun(house, 12, "small", rounds=2)

    league.to_its_end()
    rows = league.rows()

    assert rows.is_played()
    assert set(league.ways.values()) <= {*WAYS}
    assert len(rows.players) == 12 - list(league.ways.values()).count("never clicks")
    assert {match.status for match in league.matches()} == {MatchStatus.FINISHED}
    assert len(league.matches()) == len(rows.tables())
