"""The switches, each against its default; and the sample of legal moves."""

from msgspec.structs import replace

from engine.games.skirmish import GAME
from engine.games.skirmish import moves as m
from engine.games.skirmish.events import Fought, Hit
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.men import wounds
from engine.games.skirmish.moves import Build, TeamOrder
from engine.games.skirmish.notation import write
from engine.games.skirmish.state import Lying, Wounds
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


def test_runners_may_spot_where_the_option_lets_them():
    """SKR-27: off, a runner fires at whom he meets."""
    wall = Wall("wall", (10_000, 12_000, 30_000, 12_200), 3000, "stone")
    strict = world([(9, 4)], [(20, 30)], features=[wall])
    loose = world([(9, 4)], [(20, 30)], features=[wall], running_bars_new_targets=False)

    assert refused(after(strict, "alpha-1 run to 9,14"), "alpha-1 fire bravo-1").rule == "SKR-27"
    order(after(loose, "alpha-1 run to 9,14"), "alpha-1 fire bravo-1")


def test_generous_nights_hide_nobody_but_make_hitting_harder():
    """SKR-61, 81: the penalty of 3 beyond ten inches stays."""
    dark = world([(20, 10)], [(20, 30)], night=True)
    generous = world([(20, 10)], [(20, 30)], night=True, generous_night_sight=True)

    assert dark.contacts[0] == ()
    assert refused(dark, "alpha-1 fire bravo-1").rule == "SKR-58"
    line = GAME.view(generous, 0).sightlines[0]
    assert ("night, far", -3) in line.modifiers


def test_close_combat_by_the_heading_is_the_other_way_round():
    """SKR-119: rangers 5 with a knife against militia 4: 7 by the text, 3 by the heading."""
    place = ([(20, 20), (40, 4)], [(20, 21), (40, 44)])
    lists = ("rangers", "militia")
    for reversed_, need in ((False, 7), (True, 3)):
        state = world(*place, lists=lists, close_combat_reversed=reversed_)
        step = order(state, "alpha-1 attack bravo-1 with knife", Loaded(other=9))
        assert of_kind(step, Fought)[0].need == need


def test_armour_over_the_abdomen_is_an_option():
    """SKR-95."""
    for covers, stopped in ((False, ""), (True, "armour")):
        state = world(
            [(20, 10)], [(20, 30)], lists=("rangers", "rangers"), armour_covers_abdomen=covers
        )
        dice = Loaded(to_hit=[1], location=[6], armour=[1], wound=[9])
        step = order(state, "alpha-1 fire bravo-1", dice)
        assert of_kind(step, Hit)[0].stopped == stopped


def test_a_hit_in_the_right_arm_leaves_one_on_his_feet_by_option():
    """SKR-98."""
    for immobilizes in (True, False):
        state = world([(20, 10)], [(20, 30), (40, 44)], right_arm_immobilizes=immobilizes)
        play = play_on(state, Loaded(wound=[1]))
        wounds.wound(play, "bravo-1", "", "right arm", 4)
        assert play.models["bravo-1"].wounds.immobilized == immobilizes


def test_the_night_may_be_chosen_against_the_scenario():
    assert GAME.view(world([(20, 10)], scenario="night-raid"), 0).night
    assert not GAME.view(world([(20, 10)], scenario="night-raid", night=False), 0).night
    assert GAME.view(world([(20, 10)], night=True), 0).night


def kinds(state, seat=0):
    return {type(move) for move in GAME.legal_moves(state, seat)}


def test_every_kind_of_order_that_is_possible_is_in_the_sample():
    """Nobody is told there is nothing to do: each kind stands there at least once."""
    rangers = "1: engineer mine claymore"
    state = world(
        [(20, 20), (21, 20), (19, 20), (23, 24)], [(20, 21), (24, 30)], things=(rangers, "")
    )
    state = change(
        state, "alpha-2", condition="unconscious", prone=True, hp=2, wounds=Wounds(bleeding=True)
    )
    state = change(state, "alpha-1", arms=(replace(state.model("alpha-1").arms[0], loaded=20),))
    state = replace(state, lying=(Lying("m67", 1, 0, 20_000, 20_000, "ground"),))

    assert kinds(state) >= {
        m.End, m.Demands, m.Travel, m.Stance, m.Face, m.Fire, m.OpFire, m.Throw, m.Reload,
        m.Attack, m.Bandage, m.Rouse, m.Carry, m.Place, m.PickUp, m.Drop, m.FixBayonet,
    }  # fmt: skip


def test_rarer_orders_are_in_the_sample_when_they_are_possible():
    state = world([(20, 20), (40, 4)], [(20, 21), (24, 24)], lists=("al-qaeda", "rangers"))
    charging = change(state, "alpha-1", charged=4000, ran_on=4000, vest_charge=True)
    assert {m.Tackle, m.Trigger} <= kinds(charging)

    held = change(state, "bravo-1", overpowered="alpha-1", prone=True)
    assert m.Tie in kinds(held)

    broken = change(state, "bravo-2", broken="broken")
    near = change(broken, "alpha-2", x=24_000, y=20_000)
    assert m.Demand in kinds(near)

    laden = change(
        change(state, "alpha-1", carrying="alpha-2"),
        "alpha-2",
        carried_by="alpha-1",
        condition="unconscious",
    )
    assert m.PutDown in kinds(laden)

    gun = state.model("alpha-1").arms[0]
    strange = change(state, "alpha-1", arms=(replace(gun, weapon="m4", own=False),))
    assert m.Learn in kinds(strange)


def test_the_largest_force_is_deployed_in_one_order():
    """A line of forty men is within the length of an order."""
    state = GAME.setup(2, type(world([(20, 10)]).options)(), Loaded()).state
    mob = Build((TeamOrder("civilians"),) * 10)
    state = GAME.apply(state, 0, mob, Loaded()).state
    sides = Loaded(**{"table side, seat 1": [1], "table side, seat 2": [2]})
    state = GAME.apply(state, 1, mob, sides).state
    state = after(state, "side south")

    text = write(GAME.default_move(state, 0))

    assert len(text) < 2000
    assert GAME.parse(state, 0, text) == GAME.default_move(state, 0)
    assert len(GAME.default_move(state, 0).places) == 40
