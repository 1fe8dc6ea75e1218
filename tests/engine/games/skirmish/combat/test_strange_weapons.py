"""Weapons that are not of one's list: SKR-9 to 13."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Arm, Lying
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    order,
    play_on,
    refused,
    world,
)


def dropped_and_picked_up(state, thing):
    state = after(state, f"alpha-1 drop 1 {thing}")
    return after(state, f"alpha-1 pick up 1 {thing}")


def next_turn(state):
    """The next turn, with alpha active."""
    state = after(after(state, "alpha end"), "bravo end", seat=1)
    return after(after(state, "go first"), "activate alpha")


FAR = ([(20, 10)], [(20, 30)])  # 19": no range modifier for an M16A2
RPK = Arm("rpk", 40, own=False)  # strange to Rangers


def test_a_strange_weapon_must_be_made_out_first():
    """SKR-9, 10, 11: three points a try, again as long as there are points."""
    state = world(*FAR, lists=("taliban", "rangers"))
    state = replace(state, lying=(Lying("m16a2", 1, 30, 20_000, 10_000, "ground"),))
    state = after(state, "alpha-1 pick up 1 m16a2")
    assert refused(state, "alpha-1 fire bravo-1 with m16a2").rule == "SKR-9"

    failed = after(state, "alpha-1 learn m16a2", Loaded(weapon_knowledge=[8]))
    assert failed.model("alpha-1").ap == 6
    learnt = after(failed, "alpha-1 learn m16a2", Loaded(weapon_knowledge=[7]))
    assert learnt.model("alpha-1").ap == 3
    order(learnt, "alpha-1 fire bravo-1 with m16a2")


def test_who_has_not_made_it_out_by_the_end_of_the_turn_never_will():
    """SKR-12."""
    state = change(world(*FAR), "alpha-1", arms=(RPK,))
    state = after(state, "alpha-1 learn rpk", Loaded(weapon_knowledge=[10]))

    state = next_turn(state)

    assert refused(state, "alpha-1 learn rpk").rule == "SKR-12"


def test_dropping_a_weapon_does_not_undo_that_he_could_not_make_it_out():
    """SKR-12: neither in the next turn nor when it lay on the ground at the end of this one."""
    state = change(world(*FAR), "alpha-1", arms=(RPK,))
    failed = after(state, "alpha-1 learn rpk", Loaded(weapon_knowledge=[10]))

    later = dropped_and_picked_up(next_turn(failed), "rpk")
    meanwhile = after(next_turn(after(failed, "alpha-1 drop 1 rpk")), "alpha-1 pick up 1 rpk")

    assert refused(later, "alpha-1 learn rpk").rule == "SKR-12"
    assert refused(meanwhile, "alpha-1 learn rpk").rule == "SKR-12"


def test_a_weapon_that_was_made_out_or_bought_is_known_again_when_picked_up():
    """SKR-9, 13: to him, not to a comrade."""
    learnt = change(world(*FAR), "alpha-1", arms=(replace(RPK, learnt=True),))
    bought = world([(20, 10), (21, 10)], [(20, 30)], things=("1: sniper", ""))

    mine = dropped_and_picked_up(bought, "sniper")
    his = after(after(bought, "alpha-1 drop 1 sniper"), "alpha-2 pick up 1 sniper")

    order(dropped_and_picked_up(learnt, "rpk"), "alpha-1 fire bravo-1 with rpk")
    order(mine, "alpha-1 fire bravo-1 with sniper")
    assert refused(his, "alpha-2 fire bravo-1 with sniper").rule == "SKR-9"


@pytest.mark.parametrize("gun", ["m249", "m60e3"])
def test_either_gun_of_the_lists_gunner_is_known_to_his_mates(gun):
    """SKR-9: weapons of his own list."""
    state = world([(20, 10)], [(20, 30)])
    state = replace(state, lying=(Lying(gun, 1, 100, 20_000, 10_000, "ground"),))

    state = after(state, f"alpha-1 pick up 1 {gun}")

    order(state, f"alpha-1 fire bravo-1 with {gun} burst")


def test_a_weapon_made_out_for_the_turn_is_strange_in_the_next_wherever_it_lay():
    """SKR-13: by the option."""
    state = change(
        world(*FAR, keep_learnt_weapon=False), "alpha-1", arms=(replace(RPK, learnt=True),)
    )

    state = after(next_turn(after(state, "alpha-1 drop 1 rpk")), "alpha-1 pick up 1 rpk")

    assert refused(state, "alpha-1 fire bravo-1 with rpk").rule == "SKR-9"


@pytest.mark.parametrize(("keep", "knows"), [(True, True), (False, False)])
def test_what_was_made_out_stays_known_for_the_game(keep, knows):
    """SKR-13: to him alone, and by option only for the turn."""
    state = world([(20, 10), (24, 10)], [(20, 30)], keep_learnt_weapon=keep)
    state = change(state, "alpha-1", arms=(Arm("rpk", 40, own=False, learnt=True),))
    play = play_on(state, Loaded(**{"initiative of seat 1": [1]}))

    activation.start_turn(play)

    assert play.models["alpha-1"].arm("rpk").learnt == knows
    assert play.models["alpha-2"].arm("rpk") is None
