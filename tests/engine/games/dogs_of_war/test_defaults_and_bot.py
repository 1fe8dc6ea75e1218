"""What silence means, and what the bot chooses."""

import pytest

from engine.dice import SeededDice
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog, House, SoldierCounts
from engine.games.dogs_of_war.meta import Options
from engine.testing import moments
from tests.engine.games.dogs_of_war.scenes import (
    dice,
    holding,
    legal,
    scene,
    started,
    with_captains,
    with_lead,
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
    poor = with_screen(with_table(state, soldiers=SoldierCounts(1, 9)), 0, coins=3)
    assert default(poor) == "buy 1 arquebuser, 1 footman"


def test_silence_plays_the_weakest_soldier_where_the_player_stands_already():
    """DOW-64: passing would throw away every captain left."""
    state = with_captains(scene(), House.HACKETT, 0)

    assert default(state) == "footman hackett 2"


def test_silence_takes_a_space_with_a_reward_first():
    """DOW-62: where the player stands already, but for the space that gives nothing."""
    state = with_captains(scene(), House.MALLORY, 0, 0, 1, 1, 1)
    state = with_captains(state, House.BASTIANI, 0)

    assert default(state) == "footman bastiani 2"


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


def chosen(state, seat=0, lot="a test"):
    moves = list(GAME.legal_moves(state, seat))
    return GAME.format(GAME.choose(GAME.view(state, seat), moves, dice(lot)))


def test_the_bot_buys_a_soldier_for_each_captain_and_keeps_the_rest_of_its_coins():
    """DOW-27: before the last year a coin kept is worth more than a footman nobody leads."""
    state = with_table(scene(), phase="mustering", turn=0)
    state = with_screen(state, 0, soldiers=SoldierCounts(), coins=14)

    bought = GAME.parse(state, 0, chosen(state)).soldiers

    assert bought.total == 3
    assert bought.cost < 14


def test_the_bot_spends_its_last_coins_on_soldiers_for_the_count():
    """DOW-97: at the end a soldier unplayed is a point, a coin half of one."""
    state = with_table(scene(), phase="mustering", turn=0, year=4)
    state = with_screen(state, 0, soldiers=SoldierCounts(war_machine=3), coins=4)

    assert chosen(state) == "buy 4 footmen"


def test_the_bot_counts_no_points_for_captains_of_stormcrow():
    """DOW-94: they bring the others nothing, so they are no reason to stand against him."""
    dogs = (Dog.BLACKMANE, Dog.OMALLEY, Dog.STORMCROW)
    state = with_screen(scene(dogs), 0, soldiers=SoldierCounts(knight=1))
    crowded = with_captains(state, House.TALBOT, 2, 2, 2, 2)
    against_others = with_captains(state, House.TALBOT, 1, 1, 1, 1)

    assert "mallory" not in chosen(crowded)
    assert "mallory" in chosen(against_others)


def test_the_bot_knows_that_twelve_is_glory_in_the_variant():
    """DOW-V1: the Conqueror moves the tracker from 10 to 12 for the houses' tokens alone."""
    dogs = (Dog.CONQUEROR, Dog.OMALLEY, Dog.STORMCROW)

    def asked(**options):
        state = with_table(scene(dogs, **options), phase="conqueror", turn=0)
        state = with_lead(with_captains(state, House.TALBOT, 0), House.TALBOT, 10)
        return with_screen(state, 0, influence=holding(talbot=3))

    assert chosen(asked(crushing_at_twelve=True)) == "push talbot:2"
    assert chosen(asked()) == "push nothing"


def test_the_bot_moves_no_tracker_where_nothing_changes():
    """DOW-91: nor does a lot decide it, where a victory stays what it is."""
    dogs = (Dog.CONQUEROR, Dog.OMALLEY, Dog.STORMCROW)
    state = with_table(scene(dogs), phase="conqueror", turn=0)
    state = with_lead(with_captains(state, House.TALBOT, 0), House.TALBOT, 3)
    state = with_lead(with_captains(state, House.HACKETT, 0), House.BASTIANI, 6)

    assert {chosen(state, lot=lot) for lot in "abcdefgh"} == {"push nothing"}


def test_the_bot_decides_a_battle_that_stands_level():
    """DOW-91: one space is enough."""
    dogs = (Dog.CONQUEROR, Dog.OMALLEY, Dog.STORMCROW)
    state = with_table(scene(dogs), phase="conqueror", turn=0)
    state = with_screen(with_captains(state, House.TALBOT, 0), 0, influence=holding(talbot=2))

    assert chosen(state) == "push talbot:1"
