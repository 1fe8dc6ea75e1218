"""What wounds forbid: SKR-97, 99, 133."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.events import Fought, Interrupted
from engine.games.skirmish.men import morale
from engine.games.skirmish.state import Activation, Wounds
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    of_kind,
    order,
    play_on,
    refused,
    world,
)


def test_who_has_used_both_hurt_arms_triggers_nothing():
    """SKR-41, 99: with a good arm he does. By rules 3 he did with hurt ones."""
    state = world([(20, 10)], [(20, 40)], things=("1: claymore", ""))
    state = after(state, "alpha-1 place claymore at 20,11 facing 0")
    hurt = Wounds(one_action_right=True, one_action_left=True)
    both = change(state, "alpha-1", wounds=hurt, arm_acts=1)
    one = change(state, "alpha-1", wounds=Wounds(one_action_left=True), arm_acts=1)

    assert refused(both, "alpha-1 trigger claymore-1").rule == "SKR-99"
    order(one, "alpha-1 trigger claymore-1")
    order(replace(both, rules=3), "alpha-1 trigger claymore-1")


def test_who_needs_aid_may_only_seek_cover_or_bandage():
    """SKR-97."""
    state = change(
        world([(20, 10), (22, 10)], [(20, 30)]), "alpha-1", hp=3, wounds=Wounds(untreated=True)
    )

    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-97"
    assert refused(state, "alpha-1 run to 20,15").rule == "SKR-97"
    after(state, "alpha-1 walk to 20,12")
    aided = after(state, "alpha-1 bandage self")
    order(aided, "alpha-1 fire bravo-1")


def watched(**hurt):
    """alpha-1 waits by a standing order; then bravo-1 is active, twenty inches before him."""
    state = world([(20, 10)], [(20, 30)], immobilized_may_act=False)
    state = change(after(state, "alpha-1 opfire"), "alpha-1", **hurt)
    return replace(state, active=Activation(1, "bravo", ("bravo-1",)), chooser=1)


@pytest.mark.parametrize(
    ("hurt", "fires"),
    [
        ({}, True),
        ({"wounds": Wounds(untreated=True)}, False),
        ({"wounds": Wounds(immobilized=True), "prone": True}, False),
    ],
)
def test_who_needs_aid_does_not_fire_while_he_waits(hurt, fires):
    """SKR-97, 137: nor who is immobilized, where that keeps him from acting."""
    step = order(watched(**hurt), "bravo-1 walk to 22,30", Loaded(other=10), seat=1)

    assert bool(of_kind(step, Interrupted)) == fires
    assert (step.state.model("alpha-1").watch is None) == fires


def test_who_was_bandaged_waits_on():
    """SKR-97: the order he held is as good as before."""
    state = watched(wounds=Wounds())

    assert of_kind(order(state, "bravo-1 walk to 22,30", seat=1), Interrupted)


def test_who_needs_aid_strikes_nobody_who_turns_his_back():
    """SKR-97, 132a."""
    state = world([(20, 20), (40, 4)], [(20, 21), (40, 44)])
    hurt = change(state, "bravo-1", wounds=Wounds(untreated=True))

    assert of_kind(order(state, "alpha-1 walk to 20,18", Loaded(other=9)), Fought)
    assert not of_kind(order(hurt, "alpha-1 walk to 20,18", Loaded(other=9)), Fought)


def test_who_needs_aid_spots_for_nobody():
    """SKR-71, 97."""
    state = world([(20, 10), (22, 10)], [(20, 30)])
    order(state, "alpha-1 fire bravo-1 spotter alpha-2")

    hurt = change(state, "alpha-2", wounds=Wounds(untreated=True))

    assert refused(hurt, "alpha-1 fire bravo-1 spotter alpha-2").rule == "SKR-71"


def test_who_needs_aid_calls_on_nobody_to_surrender():
    """SKR-97, 147: neither by an order nor by a standing demand."""
    state = change(world([(20, 10)], [(20, 14)]), "bravo-1", broken="broken")
    hurt = change(state, "alpha-1", wounds=Wounds(untreated=True))
    captured = {}
    for name, now in (("well", state), ("hurt", hurt)):
        play = play_on(now)
        morale.standing_demands(play, "bravo-1")
        captured[name] = play.models["bravo-1"].condition == "captured"

    assert captured == {"well": True, "hurt": False}
    assert refused(hurt, "alpha-1 demand bravo-1").rule == "SKR-97"


@pytest.mark.parametrize(("gait", "whole"), [("run", False), ("walk", True)])
def test_a_runner_whose_wound_needs_aid_runs_no_further(gait, whole):
    """SKR-97, 99: he may walk on, but not run."""
    dice = Loaded(other=10, to_hit=[1], location=[7], wound=[5])

    step = order(watched(), f"bravo-1 {gait} to 24,30", dice, seat=1)

    man = step.state.model("bravo-1")
    assert man.wounds == Wounds(untreated=True, slow=True)
    assert (man.x == 24_000) == whole


def test_one_hurt_arm_does_one_thing_a_turn():
    """SKR-99."""
    state = world([(20, 10)], [(20, 30)], things=("1: m9", ""))
    state = change(state, "alpha-1", wounds=Wounds(one_action_left=True))
    state = after(state, "alpha-1 fire bravo-1", Loaded(other=10))

    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-99"
    order(state, "alpha-1 fire bravo-1 with m9")


@pytest.mark.parametrize(("rules", "free"), [(3, False), (4, True)])
@pytest.mark.parametrize("arm", ["one_action_left", "one_action_right"])
def test_who_has_bandaged_himself_still_has_the_one_action_of_his_hurt_arm(arm, rules, free):
    """SKR-99, 133: one good arm is enough to bandage himself. By rules 3 the hurt one was used."""
    wounded = Wounds(untreated=True, **{arm: True})
    state = world([(20, 10)], [(20, 30)], rules=rules)
    state = after(change(state, "alpha-1", hp=3, wounds=wounded), "alpha-1 bandage alpha-1")

    if free:
        state = after(state, "alpha-1 fire bravo-1", Loaded(other=10))
    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-99"


@pytest.mark.parametrize(("rules", "free"), [(3, False), (4, True)])
def test_a_throw_leaves_a_hurt_left_arm_its_one_action(rules, free):
    """SKR-99: it takes one hand, the good one. By rules 3 any act was the hurt arm's."""
    state = world([(20, 10)], [(20, 30)], rules=rules)
    state = change(state, "alpha-1", wounds=Wounds(one_action_left=True))
    state = after(state, "alpha-1 throw m67 at 30,20", Loaded(other=10))

    if free:
        state = after(state, "alpha-1 fire bravo-1", Loaded(other=10))
    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-99"


def test_a_useless_left_arm_leaves_one_handed_weapons():
    """SKR-99."""
    state = world([(20, 10)], [(20, 30)], things=("1: m9", ""))
    state = change(state, "alpha-1", wounds=Wounds(left_arm_useless=True))

    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-99"
    order(state, "alpha-1 fire bravo-1 with m9")
