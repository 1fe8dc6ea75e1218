"""Leagues and tournaments: entering, rounds that open by themselves, the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from sqlmodel import select, update

from engine.games.registry import find
from pbem.acts.writing import SomeoneWasFirstError
from pbem.errors import BadInput, NotFound, NotPossible, TooMany
from pbem.people import proofs, results
from pbem.people.series import acts, rounds
from pbem.people.series.for_programs import own
from pbem.store.models import (
    AddressLink,
    SeriesMatch,
    SeriesSeat,
)
from pbem.store.names import MailKind, MatchStatus
from tests.parts.cast import House
from tests.parts.questions import counted
from tests.people.league import WAYS, League, begun
from tests.people.quick import company
from tests.people.series import NAMES, enter, made, matches_of, play, rows_of, somebody, started

pytestmark = pytest.mark.usefixtures("snatch")


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
    wish = acts.wish_to_enter(house.service, series.id, "Bob")
    proofs.owe(house.service, MailKind.SERIES_ENTER, "Bob@example.org", "en", wish)
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
        acts.enter_by_link(house.service, token[:-1] + ("b" if token[-1] == "a" else "a"))
    with pytest.raises(NotFound):
        acts.wish_to_enter(house.service, "nothing", "Bob")


def test_a_series_begins_with_as_few_as_can_play_a_table(house: House) -> None:
    series = made(house, seats=4)
    enter(house, series, "Bob", "Carol")

    with pytest.raises(NotPossible, match="for one table at least: 3"):
        rounds.go_on(house.service, series.id)
    enter(house, series, "Dave")
    rounds.go_on(house.service, series.id)

    assert acts.fewest(series) == 3
    assert rows_of(house, series).series.round == 1


def test_who_comes_later_waits_behind_who_waits_although_somebody_left(house: House) -> None:
    series = made(house, most=3)
    enter(house, series, *NAMES[:4])
    acts.withdraw(house.service, series.id, somebody(house, "Bob").id or 0)

    enter(house, series, "Erin")
    rounds.go_on(house.service, series.id)

    places = {player.name: player.place for player in rows_of(house, series).players}
    assert (places["Dave"], places["Erin"]) == ("in", "waiting")


def test_what_somebody_waits_for_is_one_question_however_many_series_it_is(
    any_house: House,
) -> None:
    first = made(any_house, most=3)
    enter(any_house, first, *NAMES[:5], "Iris")
    iris = somebody(any_house, "Iris").id or 0
    counts = []

    for _ in range(2):
        with any_house.service.database.ask() as session, counted() as asked:
            found = own(session, iris)
        counts.append(len(asked))
        enter(any_house, made(any_house, most=4), *NAMES[:5], "Iris")
        enter(any_house, made(any_house), "Iris")

    assert counts == [1, 1]
    assert {one.ahead for one in found} == {None, 1, 2}


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


# --- a whole league ---


def test_a_small_league_runs_to_its_end_though_a_third_cannot_be_relied_on(house: House) -> None:
    league: League = begun(house, 15, "small", rounds=2)

    league.to_its_end()
    rows = league.rows()

    assert rows.is_played()
    assert sorted(league.ways.values()) == sorted(WAYS)
    assert len(rows.players) == 15 - 1  # who never clicks
    assert {match.status for match in league.matches()} == {MatchStatus.FINISHED}
    assert len(league.matches()) == len(rows.tables())
