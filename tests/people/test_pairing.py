"""Rounds are drawn evenly, whoever plays: docs/series.md."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.people.series.pairing import Past, RoundDraw, after, draw, sizes

PARTNERS = {4: ((0, 2), (1, 3)), 6: ((0, 3), (1, 4), (2, 5))}


def rounds(
    players: int,
    seats: int,
    number: int,
    *,
    allowed: tuple[int, ...] = (),
    by_place: bool = False,
    teams: dict[int, tuple[tuple[int, ...], ...]] | None = None,
) -> tuple[list[RoundDraw], Past]:
    """So many rounds, in which the standing changes at random."""
    past, drawn, chance = Past(), [], random.Random(players * 100 + seats)
    for one in range(number):
        order = list(range(1, players + 1))
        chance.shuffle(order)
        found = draw(
            order, seats, allowed or (seats,), past, f"seed {one}", by_place=by_place, teams=teams
        )
        drawn.append(found)
        past = after(past, found, teams or {})
    return drawn, past


def meets(past: Past, players: int) -> list[int]:
    return [past.met.get(two, 0) for two in combinations(range(1, players + 1), 2)]


def spread(numbers: list[int]) -> int:
    return max(numbers) - min(numbers)


COUNTS = st.tuples(st.integers(3, 22), st.integers(3, 5), st.integers(1, 4), st.booleans())


@settings(max_examples=12)
@given(COUNTS)
def test_everybody_is_drawn_once_in_each_round(asked: tuple[int, int, int, bool]) -> None:
    players, seats, number, by_place = asked
    drawn, _past = rounds(players, seats, number, by_place=by_place)

    for one in drawn:
        seated = [player for table in one.tables for player in table]
        assert sorted([*seated, *one.byes]) == list(range(1, players + 1))
        assert all(len(table) == seats for table in one.tables)
        assert len(one.byes) == players % seats


@settings(max_examples=12)
@given(COUNTS)
def test_nobody_has_a_round_off_twice_before_all_had_it_once(
    asked: tuple[int, int, int, bool],
) -> None:
    players, seats, number, by_place = asked
    _drawn, past = rounds(players, seats, number, by_place=by_place)

    assert spread([past.byes.get(player, 0) for player in range(1, players + 1)]) <= 1


@pytest.mark.parametrize(("players", "seats"), [(9, 3), (12, 4), (15, 3), (16, 4), (20, 5)])
def test_everybody_meets_everybody_about_as_often(players: int, seats: int) -> None:
    """In as many rounds as everybody needs to meet everybody once."""
    _drawn, past = rounds(players, seats, (players - 1) // (seats - 1))

    found = meets(past, players)

    assert max(found) <= 2
    assert found.count(0) <= len(found) // 3


@settings(max_examples=12)
@given(COUNTS)
def test_seats_go_round(asked: tuple[int, int, int, bool]) -> None:
    """A player has no seat three times before another one once."""
    players, seats, number, by_place = asked
    _drawn, past = rounds(players, seats, number, by_place=by_place)

    for player in range(1, players + 1):
        assert spread([past.sat.get((player, seat), 0) for seat in range(seats)]) <= 2


def test_in_swiss_nobody_meets_twice_while_that_can_be_helped() -> None:
    _drawn, past = rounds(32, 4, 5, by_place=True)

    assert max(meets(past, 32)) == 1


def test_in_swiss_equals_meet_equals() -> None:
    first = draw(range(1, 17), 4, (4,), Past(), "seed", by_place=True)
    tables = [sorted(table) for table in first.tables]

    assert sorted(tables) == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]


def test_partners_change() -> None:
    _drawn, past = rounds(8, 4, 6, teams=PARTNERS)

    assert max(past.partnered.values()) <= 2


@pytest.mark.parametrize(
    ("players", "wanted", "allowed", "found"),
    [
        (12, 4, (3, 4, 5), (4, 4, 4)),
        (13, 4, (3, 4, 5), (5, 4, 4)),
        (11, 4, (3, 4, 5), (4, 4, 3)),
        (11, 4, (4,), (4, 4)),
        (10, 4, (4, 6), (6, 4)),
        (2, 4, (3, 4, 5), ()),
        (7, 3, (3, 4), (4, 3)),
    ],
)
def test_tables_differ_in_size_where_the_number_does_not_divide(
    players: int, wanted: int, allowed: tuple[int, ...], found: tuple[int, ...]
) -> None:
    assert sizes(players, wanted, allowed) == found


def test_the_same_seed_draws_the_same_and_another_one_another() -> None:
    players = list(range(1, 21))
    one, same, other = (draw(players, 4, (4,), Past(), seed) for seed in ("a", "a", "b"))

    assert one == same != other


def test_the_last_of_swiss_have_the_round_off_first() -> None:
    drawn = draw([5, 3, 1, 2, 4], 4, (4,), Past(byes={4: 1}), "seed", by_place=True)

    assert drawn.byes == (2,)


def test_meetings_count_both_ways() -> None:
    past = after(Past(), RoundDraw(((3, 1, 2, 4),), (5,)), PARTNERS)

    assert past.met == Counter({(1, 3): 1, (2, 3): 1, (3, 4): 1, (1, 2): 1, (1, 4): 1, (2, 4): 1})
    assert past.partnered == Counter({(2, 3): 1, (1, 4): 1})
    assert (past.sat[3, 0], past.byes[5]) == (1, 1)
