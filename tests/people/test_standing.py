"""Results of people against people, and what follows from them: ratings, lists, reliability."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select, update

from engine.codec import encode
from engine.game import Outcome, Score
from engine.games.dog.events import Ending
from engine.games.registry import games
from pbem.acts import absence, matches, packing
from pbem.errors import BadInput, NotFound
from pbem.people import persons, pools, privacy, results, settings, standing
from pbem.people.sweep import sweep as keep_company
from pbem.store.models import Device, Match, Person, Standing, StandingMatch, StandingResult
from pbem.store.names import Actor, MatchStatus, Purpose
from tests.parts import remedies
from tests.parts.cast import House, address
from tests.parts.finished import send_all
from tests.parts.logged import logged, told
from tests.people.quick import company, opened, played, snatch_installed


@pytest.fixture(autouse=True)
def _snatch(tmp_path: Path) -> Iterator[None]:
    with snatch_installed(tmp_path):
        yield


def entered(house: House, match: Match) -> StandingMatch:
    with house.service.database.read() as session:
        return session.get_one(StandingMatch, match.id)


def of_seats(house: House, match: Match) -> list[StandingResult]:
    with house.service.database.read() as session:
        rows = select(StandingResult).where(StandingResult.match_id == match.id)
        return sorted(session.exec(rows), key=lambda row: row.seat)


def numbers(house: House) -> dict[tuple[str, int, str], tuple[int, int, int]]:
    """Every rating there is, by game, seats and address."""
    found = {}
    with house.service.database.read() as session:
        for row in session.exec(select(Standing)):
            person = session.get_one(Person, row.person_id)
            name = (person.address or "").partition("@")[0]
            found[row.game, row.seats, name] = (row.mu, row.sigma, row.matches)
    return found


def person_id(house: House, name: str) -> int:
    with house.service.database.write("test") as session:
        return persons.known(session, address(name), house.clock.now()).id or 0


# --- what is entered ---


def test_a_match_of_people_is_entered_once_with_its_ranks(any_house: House) -> None:
    match = played(any_house, "Alice", "Bob", "Carol")

    assert company(any_house) == 2
    assert company(any_house) == 0

    rows = of_seats(any_house, match)
    winners = [row.rank for row in rows].count(1)
    assert entered(any_house, match).why_not == ""
    assert winners >= 1
    assert sorted(row.team for row in rows) == [0, 1, 2]
    assert not any(row.left_early for row in rows)
    assert sum(row.in_time for row in rows) > 0
    assert all(row.mu and row.sigma for row in rows)
    assert len(numbers(any_house)) == 3


def test_partners_have_one_team(house: House) -> None:
    """DOG-1: partners sit opposite. The outcome is written by hand: playing Dog takes seconds."""
    match = opened(house, "Alice", "Bob", "Carol", "Dave", game="dog")
    scores = tuple(Score(seat, inside) for seat, inside in enumerate((3, 4, 1, 4)))
    with house.service.database.write("test") as session:
        row = session.get_one(Match, match.id)
        row.outcome_json = encode(Outcome(Ending.TEAM, (1, 3), scores)).decode()
        row.status, row.ended_at = MatchStatus.FINISHED, house.clock.now()
        session.add(row)
    company(house)

    assert [(row.team, row.rank) for row in of_seats(house, match)] == [
        (0, 2),
        (1, 1),
        (0, 2),
        (1, 1),
    ]


def test_what_does_not_count_is_entered_with_the_reason(house: House) -> None:
    ended = opened(house, "Alice", "Bob", "Carol")
    remedies.abort(house.service, ended.id, actor="host")
    against_bots = played(house, "Alice", bots=2)
    trial = house.play_on(house.running(game="snatch", seats=people_of("Alice", "Bob")))
    company(house)

    reasons = [entered(house, match).why_not for match in (ended, against_bots, trial)]

    assert reasons == ["aborted", "few_people", "trial"]
    assert numbers(house) == {}


def test_who_is_forgotten_while_a_match_is_entered_is_not_known_again(house: House) -> None:
    match = played(house, "Alice", "Bob", "Carol")
    first_write = house.service.database.write
    done = []

    def write(*names: str):  # type: ignore[no-untyped-def]
        if "standing.enter" in names and not done:
            done.append(privacy.forget(house.service, address("bob"), Actor.PLAYER))
        return first_write(*names)

    database = house.service.database
    database.write = write  # type: ignore[method-assign]
    try:
        results.enter_due(house.service, 50)
    finally:
        del database.write
    company(house)

    assert [one.done for one in done] == [True]
    with database.read() as session:
        assert persons.of_address(session, address("bob")) is None
    assert entered(house, match).why_not == ""
    assert of_seats(house, match)[1].person_id is None


def test_a_game_that_fails_at_a_match_keeps_no_other_from_being_entered(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = games()["snatch"]
    teams = game.teams

    def fails_at_three(seats: int, options: Any) -> Any:
        return {2: teams(seats, options)}[seats]

    with_three = played(house, "Alice", "Bob", "Carol")
    with_two = played(house, "Alice", "Bob")
    monkeypatch.setattr(game, "teams", fails_at_three)

    with logged(io.StringIO()) as log:
        company(house)

    assert entered(house, with_three).why_not == "unreadable"
    assert entered(house, with_two).why_not == ""
    assert [line["match"] for line in told(log)] == [with_three.id]


def test_a_game_that_cannot_be_rated_keeps_no_other_from_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all play together as one team, there is nobody to be better than."""
    game = games()["snatch"]
    teams = game.teams

    def together(seats: int, options: Any) -> Any:
        return ((0, 1),) if seats == 2 else teams(seats, options)

    played(house, "Alice", "Bob")
    played(house, "Alice", "Bob", "Carol")
    monkeypatch.setattr(game, "teams", together)

    with logged(io.StringIO()) as log:
        keep_company(house.service)

    assert {seats for _, seats, _ in numbers(house)} == {3}
    (line,) = told(log)
    assert (line["part"], line["game"], line["seats"]) == ("pools.rate_due", "snatch", 2)


def test_a_part_of_the_sweep_that_fails_keeps_no_other_from_its_work(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(house, "Alice", "Bob")
    now = house.clock.now()
    signed_in = Device(
        person_id=person_id(house, "alice"), secret_hash="0" * 64, created_at=now, expires_at=now
    )
    with house.service.database.write("test") as session:
        session.add(signed_in)

    def fail(*_: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr(results, "_enter", fail)

    with logged(io.StringIO()) as log:
        done = keep_company(house.service)

    assert done == 1
    (line,) = told(log)
    assert (line["event"], line["task"], line["part"]) == (
        "task_failed",
        "company",
        "results.enter_due",
    )


def people_of(*names: str) -> list[matches.NewSeat]:
    return [matches.NewSeat(name=name, email=address(name)) for name in names]


def test_bots_at_the_table_are_rungs(house: House) -> None:
    match = played(house, "Alice", "Bob", bots=1)
    company(house)

    rows = of_seats(house, match)

    assert [(row.bot, row.person_id is None, row.mu is None) for row in rows] == [
        (None, False, False),
        (None, False, False),
        ("easy", True, True),
    ]
    assert {name for _game, _seats, name in numbers(house)} == {"alice", "bob"}


def test_who_resigned_is_last_and_comes_back_to_no_rank(house: House) -> None:
    match = opened(house, "Alice", "Bob", "Carol")
    absence.resign(house.service, house.link(match, Purpose.SEAT, 1))
    house.play_on(match)
    company(house)

    row = of_seats(house, match)[1]
    rated = {name: mu for (_game, _seats, name), (mu, _, _) in numbers(house).items()}

    assert (row.left_early, row.bot) == (True, "easy")
    assert rated["bob"] < min(rated["alice"], rated["carol"])


def test_who_was_away_for_a_while_and_came_back_stayed(house: House) -> None:
    match = opened(house, "Alice", "Bob", "Carol")
    remedies.put_bot(house.service, match.id, 1, actor="operator")
    absence.come_back(house.service, house.link(match, Purpose.SEAT, 1))
    house.work()
    house.play_on(match)
    company(house)

    assert of_seats(house, match)[1].left_early is False


def test_of_a_replaced_seat_the_first_player_is_last_and_the_substitute_is_not_rated(
    house: House,
) -> None:
    match = opened(house, "Alice", "Bob", "Carol")
    absence.resign(house.service, house.link(match, Purpose.SEAT, 1))
    remedies.replace(house.service, match.id, 1, "Frank", address("Frank"), actor="operator")
    house.wait(minutes=1)
    matches.join(house.service, house.link(match, Purpose.JOIN, 1), matches.Joining())
    house.work()
    house.play_on(match)
    company(house)

    row = of_seats(house, match)[1]

    assert row.person_id == person_id(house, "Bob")
    assert (row.left_early, row.bot, row.in_time) == (True, None, 0)
    assert {name for _game, _seats, name in numbers(house)} == {"alice", "bob", "carol"}


def test_packed_matches_count_as_others(house: House) -> None:
    match = played(house, "Alice", "Bob")
    house.clock.move(timedelta(days=400))
    send_all(house)
    assert packing.pack_due(house.service, 50) == 1

    company(house)

    assert entered(house, match).why_not == ""
    assert len(numbers(house)) == 2


# --- the same numbers from the same results ---


def test_recomputing_changes_nothing(any_house: House) -> None:
    for names in (("Alice", "Bob"), ("Bob", "Alice"), ("Alice", "Carol")):
        played(any_house, *names)
        company(any_house)
    before = numbers(any_house)

    (found,) = pools.recompute(any_house.service)

    assert (found.matches, found.players, found.changed) == (3, 3, 0)
    assert numbers(any_house) == before


def test_ratings_do_not_depend_on_when_matches_were_entered(house: House) -> None:
    """A match entered late is rated where it belongs: before those that ended after it."""
    early = played(house, "Alice", "Bob")
    for names in (("Bob", "Carol"), ("Alice", "Carol")):
        house.wait(minutes=5)
        played(house, *names)
    company(house)
    in_order = numbers(house)
    with house.service.database.write("test") as session:
        for table in (StandingResult, StandingMatch):
            row = session.exec(select(table).where(table.match_id == early.id)).all()
            for one in row:
                session.delete(one)
            session.flush()
    pools.recompute(house.service)
    without = numbers(house)

    company(house)

    assert without != in_order
    assert numbers(house) == in_order


def test_a_number_that_was_changed_by_hand_is_mended_and_told(house: House) -> None:
    match = played(house, "Alice", "Bob")
    company(house)
    before = numbers(house)
    with house.service.database.write("test") as session:
        session.execute(
            update(StandingResult).where(StandingResult.match_id == match.id).values(mu=1)
        )

    (found,) = pools.recompute(house.service, "snatch")

    assert found.changed == 2
    assert numbers(house) == before
    assert pools.recompute(house.service, "snatch")[0].changed == 0
    assert pools.recompute(house.service, "dog") == []


def test_a_match_that_ended_long_before_is_entered_by_the_command(house: House) -> None:
    early = played(house, "Alice", "Bob")
    house.wait(days=1)
    played(house, "Alice", "Bob")
    company(house)
    with house.service.database.write("test") as session:
        for table in (StandingResult, StandingMatch):
            for one in session.exec(select(table).where(table.match_id == early.id)).all():
                session.delete(one)
            session.flush()

    by_the_sweep = results.enter_due(house.service, 50)
    by_the_command = results.enter_due(house.service, 50, from_the_first=True)

    assert (by_the_sweep, by_the_command) == (0, 1)
    assert entered(house, early).why_not == ""


def test_a_match_that_ended_while_a_clock_was_ahead_keeps_no_other_from_being_entered(
    house: House,
) -> None:
    house.clock.move(timedelta(days=3))
    ahead = played(house, "Alice", "Bob")
    company(house)
    house.clock.move(timedelta(days=-3))
    later = played(house, "Alice", "Bob")

    company(house)

    assert entered(house, ahead).why_not == entered(house, later).why_not == ""


def test_of_two_that_rate_at_once_one_does_it(house: House) -> None:
    played(house, "Alice", "Bob")
    results.enter_due(house.service, 50)

    first_write = house.service.database.write
    raced = []

    def write(*names: str):  # type: ignore[no-untyped-def]
        if "standing.rate" in names and not raced:
            raced.append(True)
            assert pools.rate_due(house.service, 50) == 1
        return first_write(*names)

    database = house.service.database
    database.write = write  # type: ignore[method-assign]
    try:
        assert pools.rate_due(house.service, 50) == 0
    finally:
        del database.write  # type: ignore[method-assign]

    assert {matches for _, _, matches in numbers(house).values()} == {1}


# --- lists and pages ---


def test_only_who_has_a_page_is_listed_and_all_are_rated(house: House) -> None:
    for _ in range(2):
        played(house, "Alice", "Bob", "Carol")
    company(house)
    standing.publish(house.service, person_id(house, "Bob"), "Bobby the Great")

    with house.service.database.read() as session:
        board = standing.leaderboard(session, "snatch", 3)

    assert [one.name for one in board.players] == ["Bobby the Great"]
    assert board.rated == 3
    # two matches are too few for a rank
    assert board.players[0].rank is None


def test_the_best_come_first_and_provisional_ones_last(house: House) -> None:
    rows = (("alice", 30, 10), ("bob", 28, 11), ("carol", 30, 12), ("dave", 40, 3))
    for name, mu, count in rows:
        row = Standing(
            game="snatch",
            seats=3,
            person_id=person_id(house, name),
            mu=mu * 1_000_000,
            sigma=1_000_000,
            matches=count,
        )
        standing.publish(house.service, row.person_id, name)
        with house.service.database.write("test") as session:
            session.add(row)

    with house.service.database.read() as session:
        board = standing.leaderboard(session, "snatch", 3)

    assert [(one.rank, one.name) for one in board.players] == [
        (1, "alice"),
        (1, "carol"),
        (3, "bob"),
        (None, "dave"),
    ]


def test_a_name_is_for_one_person_and_can_be_changed_and_taken_away(house: House) -> None:
    alice, bob = person_id(house, "Alice"), person_id(house, "Bob")
    standing.publish(house.service, alice, "Ada")

    for name in ("ada", "ADA", "\uff21da", "A\u200dda", "a/b", "", "www.example.org"):
        with pytest.raises(BadInput):
            standing.publish(house.service, bob, name)
    standing.publish(house.service, alice, "Ada L")
    standing.publish(house.service, bob, "Ada")
    standing.publish(house.service, alice, None)

    with house.service.database.read() as session:
        assert settings.others(session, session.get_one(Person, alice)).public_name is None
        assert standing.player(session, "ada").name == "Ada"
        assert standing.player(session, "\uff21DA").name == "Ada"
        with pytest.raises(NotFound):
            standing.player(session, "Ada L")


def test_a_player_s_page_leads_to_the_matches_behind_it(house: House) -> None:
    first, second = (played(house, "Alice", "Bob") for _ in range(2))
    third = played(house, "Alice", "Bob", "Carol")
    company(house)
    standing.publish(house.service, person_id(house, "Alice"), "Ada")

    with house.service.database.read() as session:
        found = standing.player(session, "Ada")
        of_two = standing.player(session, "Ada", "snatch", 2)

    assert [one.match.id for one in found.played] == [third.id, second.id, first.id]
    assert [one.match.id for one in of_two.played] == [second.id, first.id]
    assert [(one.game, one.seats, one.rating.matches, one.people) for one in found.stands] == [
        ("snatch", 2, 2, 1),
        ("snatch", 3, 1, 2),
    ]
    assert found.played[0].after is not None


def test_reliability_is_the_share_of_turns_in_time_and_of_matches_finished(house: House) -> None:
    gone = opened(house, "Alice", "Bob", "Carol", clock={"turn": "24h"})
    house.play_on(gone, without=1)
    house.wait(hours=25)
    house.work()
    absence.resign(house.service, house.link(gone, Purpose.SEAT, 1))
    house.play_on(gone)
    for number in range(4):
        played(house, *(("Bob", "Alice", "Carol") if number % 2 else ("Bob", "Carol", "Alice")))
    company(house)

    with house.service.database.read() as session:
        alice = standing.reliability(session, person_id(house, "Alice"))
        bob = standing.reliability(session, person_id(house, "Bob"))
        nobody = standing.reliability(session, person_id(house, "Erin"))

    assert alice
    assert bob
    assert (alice.in_time, alice.matches, alice.finished) == (alice.turns, 5, 5)
    assert bob.in_time < bob.turns
    assert (bob.matches, bob.finished) == (5, 4)
    assert nobody is None
