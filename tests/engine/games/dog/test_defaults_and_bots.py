"""What silence means, and how the bots play."""

import pytest

from engine.dice import SeededDice
from engine.games.dog import GAME
from tests.bench.dog_strength import measure
from tests.engine.games.dog.tables import ALL_IN, table


def default(state):
    return GAME.format(GAME.default_move(state, state.turn))


def test_silence_sends_no_friend_home_if_it_can_be_helped():
    assert default(table({0: (10, 12)}, {0: "2"})) == "2 12-14"
    assert default(table({0: (10, 30), 2: (12,)}, {0: "2"})) == "2 30-32"


def test_silence_sends_a_rival_home_rather_than_a_friend_but_neither_if_it_can_be_helped():
    assert default(table({0: (10, 20), 1: (12,), 2: (22,)}, {0: "2"})) == "2 10-12"
    assert default(table({0: (10, 20), 1: (12,)}, {0: "2"})) == "2 20-22"


def test_silence_plays_no_joker_and_no_jack_while_there_is_another_card():
    state = table({0: (10,), 1: (40,)}, {0: "* J Q"})

    assert default(state) == "Q 10-22"


def test_silence_moves_the_fewest_pawns_the_least_far():
    assert default(table({0: (10, 30)}, {0: "9 3 7"})) == "3 10-13"
    assert default(table({0: (10, 30)}, {0: "7"})) == "7 30-37"


def test_silence_gives_the_plainest_card_away():
    state = table({}, {0: "A 2 9 K *"})
    giving = type(state)(
        **{name: getattr(state, name) for name in state.__struct_fields__} | {"stage": "exchange"}
    )

    assert GAME.format(GAME.default_move(giving, 0)) == "give 2"


def test_silence_helps_the_first_player_across():
    assert default(table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5)) == "help 3"


@pytest.mark.parametrize("bot", GAME.meta.bots)
@pytest.mark.parametrize("seats", GAME.meta.seats)
def test_bots_beat_random_play_clearly_in_every_form(bot, seats):
    """A few matches here; ``python -m tests.bench.dog_strength`` measures a thousand."""
    share, _ = measure(seats, bot, "random", 12)

    assert share > 0.6


@pytest.mark.parametrize("bot", GAME.meta.bots)
def test_a_bot_wins_when_it_can(bot):
    state = table({0: ("e2", "e3", "e4", 63), 2: ALL_IN, 1: (5,)}, {0: "2 5 K J"})
    legal = list(GAME.legal_moves(state, 0))

    chosen = GAME.choose(GAME.view(state, 0), legal, SeededDice(b"k"), bot)

    assert GAME.format(chosen) == "2 63-e1"


@pytest.mark.parametrize("bot", GAME.meta.bots)
def test_a_bot_sends_a_rival_home_rather_than_its_partner(bot):
    state = table({0: (10, 20), 1: (15,), 2: (25,)}, {0: "5"})
    legal = list(GAME.legal_moves(state, 0))

    chosen = GAME.choose(GAME.view(state, 0), legal, SeededDice(b"k"), bot)

    assert GAME.format(chosen) == "5 10-15"
