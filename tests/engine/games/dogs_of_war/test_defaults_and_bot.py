"""What silence means, and what the bot chooses."""

import pytest

from engine.dice import SeededDice
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.components import House, SoldierCounts
from engine.games.dogs_of_war.state import Options
from engine.testing import moments
from tests.engine.games.dogs_of_war.scenes import (
    dice,
    legal,
    scene,
    started,
    with_captains,
    with_player,
    with_screen,
    with_table,
)


def default(state, seat=0):
    return GAME.format(GAME.default_move(state, seat))


def test_silence_keeps_the_token():
    """DOW-21: nothing is given away."""
    assert default(with_table(started(), turn=0)) == "keep"


def test_silence_musters_a_cheap_soldier_for_each_captain():
    """DOW-26: a captain without a soldier is lost, so a few coins are spent."""
    state = with_player(scene(), 0, captains=5)
    state = with_table(state, phase="mustering", turn=0)
    state = with_screen(state, 0, soldiers=SoldierCounts(knight=2), coins=11)

    assert default(state) == "buy 3 footmen"
    assert (
        default(with_table(state, soldiers=SoldierCounts(1, 9))) == "buy 2 arquebusers, 1 footman"
    )
    assert default(with_screen(state, 0, soldiers=SoldierCounts(knight=5))) == "buy nothing"


def test_silence_plays_the_weakest_soldier_where_the_player_stands_already():
    """DOW-64: passing would throw away every captain left."""
    state = with_captains(scene(), House.HACKETT, 0)

    assert default(state) == "footman hackett 2"


def test_silence_plays_no_tactic_card_where_it_can_do_without():
    """DOW-33: cards are worth a point at the end."""
    state = with_screen(scene(), 0, tactics=("Betrayal", "Levy"))

    assert default(state) == "footman talbot 1"
    levy = with_screen(state, 0, soldiers=SoldierCounts())
    assert default(levy) == "levy + footman talbot 1"


def test_the_bot_sees_a_view_and_chooses_a_legal_move():
    """DOW-13: the same choice in every world that looks the same."""
    for moment in moments(GAME, 4, seed="bot", every=5):
        for seat in GAME.phase(moment.state).pending:
            moves = list(GAME.legal_moves(moment.state, seat))
            world = GAME.other_world(moment.state, seat, dice("elsewhere"))
            here = GAME.choose(GAME.view(moment.state, seat), moves, dice("choice"))
            there = GAME.choose(GAME.view(world, seat), moves, dice("choice"))
            assert here in moves
            assert here == there


def test_the_bot_does_not_pass_while_it_can_act():
    """DOW-64: captains that stay at home are lost."""
    state = scene()
    moves = list(GAME.legal_moves(state, 0))

    chosen = GAME.choose(GAME.view(state, 0), moves, dice())

    assert GAME.format(chosen) in legal(state, 0) - {"pass"}


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_bot_beats_random_play(seats):
    """One bot among random players wins nearly all of a few matches."""
    won = 0
    for number in range(6):
        mine = number % seats
        state = GAME.setup(seats, Options(), SeededDice.from_text(f"bot {number}")).state
        ply = 0
        while GAME.outcome(state) is None:
            (seat,) = GAME.phase(state).pending
            moves = list(GAME.legal_moves(state, seat))
            chance = SeededDice.from_text(f"{number} {ply}")
            if seat == mine:
                move = GAME.choose(GAME.view(state, seat), moves, chance)
            else:
                move = moves[chance.roll("random play", "move", len(moves)) - 1]
            state = GAME.apply(state, seat, move, chance).state
            ply += 1
        won += GAME.outcome(state).winners == (mine,)

    assert won >= 5
