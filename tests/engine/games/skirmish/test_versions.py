"""Matches go on by the rules they began with: what a version changed stays so for older ones."""

from msgspec.structs import replace

from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish.combat import close, fire
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import Fought, Interrupted
from engine.games.skirmish.men import wounds
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import OpFire
from engine.games.skirmish.notation import read
from engine.games.skirmish.stages import building
from engine.games.skirmish.state import Activation, Lying, Wounds
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


def old(*places, **switches):
    """A table of a match that began by version 2."""
    return world(*places, rules=2, **switches)


def test_by_version_2_who_needs_aid_still_fires_while_he_waits():
    """SKR-97."""
    state = after(old([(20, 10)], [(20, 30)]), "alpha-1 opfire")
    state = change(state, "alpha-1", wounds=Wounds(untreated=True))
    state = replace(state, active=Activation(1, "bravo", ("bravo-1",)), chooser=1)

    assert of_kind(order(state, "bravo-1 walk to 22,30", Loaded(other=10), seat=1), Interrupted)


def test_by_version_2_a_runner_whose_wound_needs_aid_runs_on():
    """SKR-97, 99."""
    state = after(old([(20, 10)], [(20, 30)]), "alpha-1 opfire")
    state = replace(state, active=Activation(1, "bravo", ("bravo-1",)), chooser=1)
    dice = Loaded(other=10, to_hit=[1], location=[7], wound=[5])

    man = after(state, "bravo-1 run to 24,30", dice, seat=1).model("bravo-1")

    assert (man.wounds.untreated, man.x) == (True, 24_000)


def test_by_version_2_any_shot_distracts_and_is_the_last_act():
    """SKR-129, 132a, 132c."""
    state = old([(20, 20), (40, 4)], [(20, 21), (27, 22)], priority_target=False)
    state = change(state, "alpha-1", last_act="won")
    fired = after(state, "alpha-1 fire bravo-2", Loaded(other=10))
    play = play_on(fired)
    foes = play.models["bravo-1"], play.models["alpha-1"]

    assert ("opponent was shooting", 1) in close.attack_modifiers(play, *foes, weapon("unarmed"))
    assert refused(fired, "alpha-1 fire bravo-2").rule == "SKR-132c"
    assert of_kind(order(fired, "alpha-1 walk to 20,18", Loaded(other=9)), Fought)


def test_by_version_2_a_bandage_holds_for_a_scratch():
    """SKR-133, 136."""
    play = play_on(change(old([(20, 20)], [(20, 30)]), "bravo-1", hp=1, bandaged=True))

    wounds.inflict(play, "bravo-1", "", "chest", wounds.SCRATCH)

    assert not wounds.needs_test(play.models["bravo-1"])


def test_by_version_2_who_wakes_has_no_points():
    """SKR-138."""
    state = old([(20, 10), (21, 10)], active=None)
    state = change(state, "alpha-1", condition="unconscious", hp=3, prone=True, ap=0)

    man = after(state, "activate alpha", Loaded(wake=[1])).model("alpha-1")

    assert (man.condition, man.ap) == ("fit", 0)


def test_by_version_2_who_was_overpowered_has_no_points_that_turn():
    """SKR-132."""
    state = old([(20, 10), (40, 4)], [(20, 16), (40, 44)])
    state = after(state, "alpha-1 run to 20,15")

    state = after(state, "alpha-1 tackle bravo-1", Loaded(tackle=[1]))

    assert state.model("bravo-1").ap == 0


def test_by_version_3_many_things_are_picked_up_for_one_point():
    """SKR-36."""
    state = replace(
        world([(20, 10)], rules=3), lying=(Lying("m67", 3, 0, 20_000, 10_000, "ground"),)
    )

    assert after(state, "alpha-1 pick up 3 m67").model("alpha-1").ap == 9


def test_by_version_3_a_dropped_weapon_is_as_strange_as_any_other():
    """SKR-9, 12, 13, 68."""
    state = world([(20, 10)], [(20, 30)], things=("1: sniper", ""), rules=3)
    state = after(after(state, "alpha-1 drop 1 sniper"), "alpha-1 pick up 1 sniper")

    assert refused(state, "alpha-1 fire bravo-1 with sniper").rule == "SKR-9"


def test_by_version_3_a_gunners_other_gun_is_strange_to_his_mates():
    """SKR-9."""
    state = world([(20, 10)], [(20, 30)], rules=3)
    state = replace(state, lying=(Lying("m60e3", 1, 100, 20_000, 10_000, "ground"),))
    state = after(state, "alpha-1 pick up 1 m60e3")

    assert refused(state, "alpha-1 fire bravo-1 with m60e3 burst").rule == "SKR-9"


def test_by_version_3_only_the_first_corner_of_a_way_leaves_a_fight():
    """SKR-132a."""
    state = world([(20, 20)], [(20, 21)], rules=3)

    step = order(state, "alpha-1 walk to 20,19.99 then 20,15", Loaded(other=9))

    assert not of_kind(step, Fought)


def test_by_version_3_an_act_is_judged_anew_only_if_op_fire_changed_who_acts():
    """SKR-46."""
    state = world([(20, 20)], [(20, 10), (21.05, 20)], rules=3)
    state = change(state, "bravo-2", overpowered="alpha-1", prone=True)
    state = change(state, "bravo-1", facing=0, watch=OpFire("bravo-1", "ak-47", "auto"))
    dice = Loaded(other=10, to_hit=[10, 1], location=[1], wound=[1])

    assert after(state, "alpha-1 tie bravo-2", dice).model("bravo-2").condition == "captured"


def test_by_version_3_the_corridor_lies_along_a_whole_degree():
    """SKR-89."""
    play = play_on(world([(2, 2)], [(20.2, 40.2), (21.4, 47)], rules=3))

    assert "bravo-2" in fire.in_corridor(
        play, play.models["alpha-1"], play.models["bravo-1"], 75_000, 1500
    )


def test_by_version_3_a_bought_launcher_comes_without_rounds():
    """SKR-63: in a match that was stored while its forces were built."""
    build = read("build rangers (2: m203)")
    for rules, loaded in ((3, 0), (4, 1)):
        state = GAME.setup(2, SkirmishOptions(), SeededDice.from_text("x")).state
        state = replace(state, rules=rules, builds=(build, None))
        state = GAME.apply(state, 1, building.default_build(500), SeededDice.from_text("x")).state

        assert state.model("alpha-2").arm("m203").loaded == loaded


def test_by_version_3_a_flash_gives_a_man_away_to_all():
    """SKR-60: None stands for everybody's; matches of version 4 begin with nobody's."""
    for rules, saw in ((3, None), (4, ())):
        state = GAME.setup(2, SkirmishOptions(), SeededDice.from_text("x")).state
        state = replace(state, rules=rules)
        for seat in (0, 1):
            force = building.default_build(500)
            state = GAME.apply(state, seat, force, SeededDice.from_text("x")).state

        assert {man.saw_fire for man in state.models} == {saw}


def test_by_version_2_jihad_men_are_counted_over_the_side():
    """SKR-188: in a match that was stored while its forces were built."""
    build = read("build al-qaeda (1: jihad) + al-qaeda (1: jihad)")
    for rules, wearing in ((2, ["charlie-1"]), (3, [])):
        state = GAME.setup(2, SkirmishOptions(), SeededDice.from_text("x")).state
        state = replace(state, rules=rules, builds=(build, None))
        state = GAME.apply(state, 1, building.default_build(500), SeededDice.from_text("x")).state

        assert [man.name for man in state.models if man.vest_charge] == wearing
