"""How the contradictions and gaps of the source are settled: resolutions 1 to 25 of section 10."""

import pytest
from msgspec.structs import replace

from engine.errors import Unreadable
from engine.games.skirmish.combat import blasts, chances, close, grenades
from engine.games.skirmish.combat.structures import structure_loss
from engine.games.skirmish.data.library import faction, library, weapon
from engine.games.skirmish.events import Fired
from engine.games.skirmish.ground.terrain import Building, Rubble, Wall
from engine.games.skirmish.men import wounds
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.notation import READERS, read
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.stages import activation, setting_up
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

FAR = ([(20, 10)], [(20, 30)])
ROUGH = Rubble("rubble", (10_000, 8_000, 30_000, 20_000))


def odds(state, gun="m16a2", mode="single", **extras):
    play = play_on(state)
    men = play.models["alpha-1"], play.models["bravo-1"]
    return chances.to_hit(play.scene, state.options, *men, weapon(gun), mode, **extras)


def spent(state, text):
    return 10 - after(state, text).model("alpha-1").ap


def test_r1_close_combat_adds_ones_own_and_takes_off_the_opponents():
    """SKR-119: the text, not the heading."""
    assert close.attack_number(6, 4) == 7
    assert not SkirmishOptions().close_combat_reversed


def test_r2_a_run_over_rubble_costs_the_tables_five():
    """SKR-32."""
    assert spent(world([(20, 6)], features=[ROUGH]), "alpha-1 run to 20,10") == 5


def test_r3_jumps_cost_what_the_text_says():
    """SKR-34, 35: two for an inch, seven for two inches with the run-up."""
    assert spent(world([(20, 10)]), "alpha-1 jump to 20,11") == 2
    assert spent(world([(20, 7)]), "alpha-1 jump to 20,12") == 7


def test_r4_a_kill_zone_is_two_rolls_or_death_by_weapon():
    """SKR-104, 105, 106: grenades, shells, mines and rockets wound twice; C4 and Claymore kill."""
    for thing in ("m67", "m203", "mine", "rpg-7"):
        assert blasts.blast_at(weapon(thing).blast, 500)[1] == 2
    assert blasts.charge_zones(1).kill == 2000
    assert weapon("claymore").cone.kill == 5000


@pytest.mark.parametrize(
    ("quarters", "kill", "radius"), [(1, 2, 4), (2, 3, 6), (3, 4, 8), (4, 5, 10)]
)
def test_r5_c4_goes_by_the_chart_for_everybody(quarters, kill, radius):
    """SKR-168."""
    zones = blasts.charge_zones(quarters)

    assert (zones.kill, zones.radius) == (kill * 1000, radius * 1000)


@pytest.mark.parametrize(("die", "condition"), [(9, "unconscious"), (10, "dead")])
def test_r6_survivability_is_passed_on_the_number_itself(die, condition):
    """SKR-136: at HP -1 a 9 passes."""
    state = change(world([(20, 10)]), "alpha-1", hp=-1, condition="unconscious")
    play = play_on(state, Loaded(survivability=[die]))

    wounds.survive(play, "alpha-1")

    assert play.models["alpha-1"].condition == condition


def test_r7_body_armour_is_on_chest_and_stomach():
    """SKR-95: the lists, not the paragraph."""
    man = world([(20, 10)]).model("alpha-1")

    assert [wounds.armour(man, where) for where in ("chest", "stomach", "abdomen")] == [5, 5, 0]


def test_r8_goggles_are_as_good_as_the_list_says():
    """SKR-83, 163: -2 for Airborne and Rangers, -1 for the others."""
    worse = {name for name, list_ in library().factions.items() if list_.nvg.penalty == 2}

    assert worse == {"airborne", "rangers"}
    for name, need in (("rangers", 4), ("marines", 5)):
        state = world(*FAR, lists=(name, "taliban"), night=True, things=("1: nvg", ""))
        assert odds(state).need == need


def test_r9_night_beyond_ten_inches_is_for_targets_that_show_themselves():
    """SKR-61, 81: dark, he is not there; after a muzzle flash he is, at -3."""
    dark = world(*FAR, night=True)
    flashed = change(dark, "bravo-1", flashed=True)

    assert refused(dark, "alpha-1 fire bravo-1").rule == "SKR-58"
    assert ("night, far", -3) in odds(flashed).modifiers
    order(flashed, "alpha-1 fire bravo-1")


@pytest.mark.parametrize(("rules", "fires"), [(3, False), (4, True)])
def test_r9_the_goggles_of_a_spotter_show_a_target_in_the_dark(rules, fires):
    """SKR-61, 71, 81: at -3, and +1 for the spotter. By rules 3 only a flash did."""
    spotted = world(
        [(20, 10), (22, 10)], [(20, 30)], things=("2: nvg", ""), night=True, rules=rules
    )
    shot = "alpha-1 fire bravo-1 spotter alpha-2"

    if fires:
        fired = of_kind(order(spotted, shot, Loaded(other=10)), Fired)
        assert {("night, far", -3), ("spotter", 1)} <= set(fired[0].modifiers)
    else:
        assert refused(spotted, shot).rule == "SKR-58"
    assert refused(spotted, "alpha-1 fire bravo-1").rule == "SKR-58"
    blind = world([(20, 10), (22, 10)], [(20, 30)], night=True)
    assert refused(blind, shot).rule == "SKR-71"


@pytest.mark.parametrize("target", ["20,33", "building house level 0"])
def test_r9_nobody_fires_at_a_spot_that_the_dark_hides(target):
    """SKR-61, 63, 81: only with goggles, or within ten inches. By rules 3 anybody did."""
    house = Building("house", (18_000, 34_000, 24_000, 40_000), 1, "stone", ())
    dark = world([(20, 10)], lists=("airborne", "taliban"), night=True, features=[house])
    shot = f"alpha-1 fire {target} with m203"

    assert refused(dark, shot).rule == "SKR-61"
    for sees in (
        replace(dark, rules=3),
        change(dark, "alpha-1", gear=("nvg",)),
        change(dark, "alpha-1", y=24_500),
        replace(dark, options=replace(dark.options, generous_night_sight=True)),
    ):
        order(sees, shot)


def test_r10_green_berets_wear_the_kevlar_helmet_and_delta_the_hockey_one():
    """SKR-94."""
    assert faction("green-berets").armour["head"] == 5
    assert faction("delta-force").armour["head"] == 2


def test_r11_who_was_shooting_gives_one_bonus_hand_to_hand():
    """SKR-129."""
    state = change(world([(20, 20)], [(20, 21)]), "bravo-1", distracted=True)
    play = play_on(state)
    men = play.models["alpha-1"], play.models["bravo-1"]

    parts = close.attack_modifiers(play, *men, weapon("unarmed"))

    assert [value for name, value in parts if name == "opponent was shooting"] == [1]


def test_r12_runners_spot_nobody_new():
    """SKR-27."""
    wall = Wall("wall", (10_000, 12_000, 30_000, 12_200), 3000, "stone")
    state = after(world([(9, 4)], [(20, 30)], features=[wall]), "alpha-1 run to 9,14")

    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-27"


def test_r13_the_table_of_difficult_throws_is_for_those_only():
    """SKR-110: over open ground only the range counts."""
    state = world([(20, 10)])
    play = play_on(state)

    chance = grenades.throw_chance(play, read("alpha-1 throw m67 at 20,17"))

    assert "difficult throw" not in dict(chance.modifiers)
    assert chances.throw_penalty(7000) == -2


def test_r14_command_is_a_score_and_inches():
    """SKR-21, 54."""
    near = world([(20, 10), (20, 17.5)])
    far = world([(20, 10), (20, 18.6)])

    assert activation.command_rating(play_on(near), 0) == 7
    for state, commanded in ((near, True), (far, False)):
        play = play_on(state)
        leader, man = play.models["alpha-1"], play.models["alpha-2"]
        assert spotting.commands(play, leader, man) == commanded


def test_r15_an_rpg_comes_with_one_round_for_all_who_may_have_it():
    """SKR-14."""
    for name in ("militia", "civilians", "al-qaeda", "taliban"):
        state = world([(20, 10)], lists=(name, "rangers"), things=("1: rpg-7", ""))
        man = state.model("alpha-1")
        assert man.arm("rpg-7").loaded + man.count("rpg-round") == 1


def test_r16_airborne_may_buy_anything_and_their_modifiers_are_for_each_model():
    """SKR-14, 15."""
    state = world([(20, 10)], lists=("airborne", "rangers"), things=("1: ak-47 marksman", ""))

    assert state.model("alpha-1").arm("ak-47")
    assert state.model("alpha-1").abilities.wp == 7
    assert faction("airborne").modifiers["marksman"] == 30


def test_r17_a_near_miss_that_shocks_makes_him_duck_for_the_activation():
    """SKR-100."""
    play = play_on(world([(20, 10)], lists=("taliban", "rangers")), Loaded(shell_shock=[10]))

    wounds.inflict(play, "alpha-1", "", "chest", wounds.NEAR_MISS)

    assert play.models["alpha-1"].broken == "ducking"


def test_r18_a_bad_hit_immobilizes_by_the_right_arm_and_not_by_the_left():
    """SKR-98: literally."""
    assert "immobilized" in wounds.wound_line("right arm", 0).effects
    assert "immobilized" not in wounds.wound_line("left arm", 0).effects


def test_r19_structures_are_harmed_by_the_chests_rows():
    """SKR-117."""
    assert [structure_loss(result) for result in (0, 1, 2, 3, 5, 6)] == [4, 3, 3, 1, 1, 0]


def test_r20_vehicles_and_air_support_have_no_order_and_no_price():
    """SKR-174, 187."""
    offered = {thing for f in library().factions.values() for thing in f.equipment}

    assert not offered & {"uh-60", "black-hawk", "pave-hawk", "mortar", "humvee"}
    assert not {"drive", "land", "call"} & set(READERS)
    with pytest.raises(Unreadable):
        read("alpha-1 call uh-60")


def test_r21_ties_are_rolled_again():
    """SKR-17, 18, 21."""
    dice = Loaded(**{"table side, seat 1": [4, 8], "table side, seat 2": [4, 3]})

    assert setting_up.low_roller(play_on(world([(20, 10)]), dice), "table side") == 1
    assert len(dice.asked) == 4


def test_r22_the_spotter_pays():
    """SKR-71."""
    state = world([(20, 10), (22, 10)], [(20, 30)])

    done = after(state, "alpha-1 fire bravo-1 spotter alpha-2")

    assert [done.model(name).ap for name in ("alpha-1", "alpha-2")] == [8, 5]


def test_r23_who_sees_a_death_has_witnessed_it_however_far():
    """SKR-144, 145: line of sight, not command range."""
    wall = Wall("wall", (0, 24_000, 48_000, 24_300), 3000, "stone")
    places = [(20, 4), (20, 20), (20, 40)]
    play = play_on(change(world(places, features=[wall]), "alpha-2", facing=180))

    assert spotting.seers(play, "alpha-1") == ["alpha-2"]


@pytest.mark.parametrize(("save", "hp"), [(4, 5), (5, 1)])
def test_r24_a_save_stops_the_hit_wholly(save, hp):
    """SKR-94."""
    state = world([(20, 10)], [(20, 30)], lists=("rangers", "rangers"))
    dice = Loaded(to_hit=[1], location=[2], armour=[save], wound=[1], shell_shock=[1])

    assert after(state, "alpha-1 fire bravo-1", dice).model("bravo-1").hp == hp


def test_r25_armour_may_be_nought():
    """SKR-5."""
    man = replace(world([(20, 10)], lists=("militia", "rangers")).model("alpha-1"))

    assert wounds.armour(man, "chest") == 0
    assert not wounds.saves(1, 0, 0)
