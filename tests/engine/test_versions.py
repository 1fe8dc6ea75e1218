"""Matches that began with older rules are played by them to their end."""

import pytest

from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.games.registry import games
from engine.simulation import key_of, next_seat, random_move

VERSIONS = [
    (name, version)
    for name, game in games().items()
    for version in (*game.meta.older_rules, game.meta.rules_version)
]


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_a_match_is_played_to_its_end_by_the_rules_it_began_with(name, version):
    game, seats = games()[name], min(games()[name].meta.seats)
    chooser, key = Chooser(version), key_of(version)
    state = game.setup_by(version, seats, game.options_type(), SeededDice(key)).state
    heard = {game.rules_of(state)}

    while pending := game.phase(state).pending:
        seat = next_seat(pending, chooser)
        move = random_move(game, state, seat, chooser)
        state = game.apply(state, seat, move, SeededDice(key)).state
        heard.add(game.rules_of(state))

    assert heard == {version}


@pytest.mark.parametrize("name", games())
def test_a_match_of_rules_that_nobody_knows_any_more_goes_by_the_oldest_known(name):
    meta = games()[name].meta
    known = (*meta.older_rules, meta.rules_version)

    assert meta.playable_version("before all") == known[0]
    assert [meta.playable_version(version) for version in known] == list(known)


@pytest.mark.parametrize("name", games())
def test_a_new_match_begins_with_the_newest_rules(name):
    game = games()[name]

    state = game.setup(min(game.meta.seats), game.options_type(), SeededDice(b"k")).state

    assert game.rules_of(state) == game.meta.rules_version
