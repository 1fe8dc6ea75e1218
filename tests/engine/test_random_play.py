"""Whole matches of random legal moves, of every registered game."""

import pytest

from engine.games.registry import games
from engine.simulation import play_match

FORMS = [(game, seats) for game in games().values() for seats in game.meta.seats]


@pytest.mark.parametrize(("game", "seats"), FORMS, ids=lambda value: getattr(value, "meta", value))
def test_a_match_of_random_moves_comes_to_an_end(game, seats):
    match = play_match(game, seats, seed="first")

    assert match.plies > 0
    assert game.outcome(match.final) == match.outcome
    assert game.phase(match.final).pending == frozenset()


def test_the_same_seed_plays_the_same_match():
    game, seats = FORMS[0]

    first, again, other = (
        play_match(game, seats, seed=seed, keep_log=True) for seed in ("a", "a", "b")
    )

    assert first == again
    assert first.log != other.log
