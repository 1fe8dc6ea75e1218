"""Shells, charges and blasts at buildings, and buildings that fall: SKR-64, 115 to 118, 188."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish import GAME
from engine.games.skirmish.combat import blasts, structures
from engine.games.skirmish.events import (
    Collapsed,
    Exploded,
    Hit,
    Struck,
    Thrown,
)
from engine.games.skirmish.ground.terrain import Building, Opening
from engine.games.skirmish.moves import Fire, OpFire
from engine.games.skirmish.state import Device
from tests.engine.games.skirmish.world import (
    HUT,
    Loaded,
    burst,
    change,
    of_kind,
    order,
    play_on,
    refused,
    world,
)

TOWER = Building(
    "tower",
    (18_000, 14_000, 24_000, 20_000),
    2,
    "concrete",
    (Opening("south", 3000, "door"),),
    (23_000, 19_000),
)


def test_a_shot_at_a_wall_needs_no_floor():
    """SKR-64: a foreign record may name any, which means nothing there."""
    state = world([(20, 6)], [(20, 40)], features=[HUT])
    shot = Fire("alpha-1", "m203", "single", building="hut", floor="of nowhere")

    GAME.check(state, 0, shot)


def test_only_blasts_are_aimed_at_buildings():
    """SKR-115."""
    state = world([(20, 4)], [(44, 44)], features=[TOWER])
    assert refused(state, "alpha-1 fire building tower level 0 with m16a2").rule == "SKR-115"

    step = order(
        state,
        "alpha-1 fire building tower level 1 with m203",
        Loaded(to_hit=[1], structure=[2], other=9),
    )
    assert [(e.level, e.loss, e.left) for e in of_kind(step, Struck)] == [(1, 4, 4)]


@pytest.mark.parametrize(("rules", "level", "wounds"), [(3, 1, 2), (4, 1, 1), (4, 0, 2)])
def test_a_shell_that_strikes_an_upper_level_bursts_up_there(rules, level, wounds):
    """SKR-102, 103, 115: who stands below is two inches off. By rules 3 it burst at his feet."""
    state = world([(20, 4)], [(20.55, 13.4), (44, 44)], features=[TOWER], rules=rules)
    dice = Loaded(to_hit=[1], other=9)

    step = order(state, f"alpha-1 fire building tower level {level} with m203", dice)

    assert of_kind(step, Exploded)[0].floor == ("tower-1" if rules == 4 and level else "ground")
    assert [hit.who for hit in of_kind(step, Hit)] == ["bravo-1"] * wounds


def test_a_shell_that_strikes_a_man_in_a_room_harms_the_room():
    """SKR-115: it explodes inside."""
    state = world([(20.5, 6)], [(20.5, 14.7)], features=[HUT])
    dice = Loaded(to_hit=[1], structure=[1], other=9)

    step = order(state, "alpha-1 fire bravo-1 with m203 aimed", dice)

    assert [(e.building, e.level) for e in of_kind(step, Struck)] == [("hut", 0)]


def test_a_grenade_inside_harms_the_level_it_is_in():
    """SKR-115."""
    play = burst(
        world([(4, 4)], [(44, 44)], features=[HUT]), "m67", (20_500, 16_500), Loaded(structure=[2])
    )
    assert [(e.building, e.loss) for e in play.events if isinstance(e, Struck)] == [("hut", 3)]

    outside = burst(world([(4, 4)], [(44, 44)], features=[HUT]), "m67", (20_500, 12_000))
    assert not [e for e in outside.events if isinstance(e, Struck)]


@pytest.mark.parametrize(
    ("rules", "at", "floor", "struck"),
    [
        (3, (20_000, 13_000), "ground", [0]),
        (4, (20_000, 13_000), "ground", []),
        (4, (20_000, 13_899), "ground", []),
        (4, (20_000, 13_900), "ground", [0]),
        (4, (20_000, 14_100), "ground", [0]),
        (4, (20_000, 17_000), "ground", [0]),
        (4, (20_000, 17_000), "tower-1", [1]),
        (3, (20_000, 17_000), "tower-2", []),
        (4, (20_000, 17_000), "tower-2", [1]),
    ],
)
def test_c4_harms_what_it_is_set_on_or_in(rules, at, floor, struck):
    """SKR-115: on a wall or roof it is a direct hit. By rules 3 an inch beside a wall was, too."""
    play = play_on(world([(4, 4)], [(44, 44)], features=[TOWER], rules=rules))

    blasts.go_off(play, Device("c4-1", "c4", 0, "alpha-1", *at, floor), "alpha-1")

    assert [e.level for e in play.events if isinstance(e, Struck)] == struck


@pytest.mark.parametrize(
    ("rules", "y", "struck"), [(3, 13.5, True), (4, 13.5, False), (4, 15, True)]
)
def test_a_vest_harms_a_house_only_from_within(rules, y, struck):
    """SKR-115, 188: by rules 3 also where its wearer stood beside a wall."""
    state = world(
        [(20, y)], [(44, 44)], features=[TOWER], lists=("al-qaeda", "rangers"), rules=rules
    )
    play = play_on(change(state, "alpha-1", vest_charge=True))

    blasts.vest(play, "alpha-1")

    assert bool([e for e in play.events if isinstance(e, Struck)]) == struck


@pytest.mark.parametrize(
    ("material", "points"), [("wood", 4), ("stone", 6), ("concrete", 8), ("steel", 9)]
)
def test_structure_points_by_material(material, points):
    """SKR-116."""
    house = replace(TOWER, material=material)
    play = play_on(world([(4, 4)], features=[house]))

    assert structures.points_left(play, house, 0) == points


@pytest.mark.parametrize(
    ("result", "loss"), [(-2, 4), (0, 4), (1, 3), (2, 3), (3, 1), (5, 1), (6, 0)]
)
def test_what_a_structure_loses(result, loss):
    """SKR-117."""
    assert structures.structure_loss(result) == loss


def test_a_level_at_nought_falls_with_all_above_on_everybody_inside():
    """SKR-118: two levels of concrete: 8; on the roof and below alike, no armour, no cover."""
    state = world(
        [(4, 4)],
        [(20, 16), (22, 18), (21, 17), (44, 44)],
        features=[TOWER],
        lists=("rangers", "rangers"),
    )
    state = change(state, "bravo-2", floor="tower-1")
    state = change(state, "bravo-3", floor="tower-2")
    dice = Loaded(structure=[1, 1], location=[2, 2, 2], wound=[10] * 3, shell_shock=[1] * 9)
    play = play_on(state, dice)

    structures.damage(play, "tower", 0, 6, 2)

    assert [e.rating for e in play.events if isinstance(e, Collapsed)] == [8]
    hurt = [play.models[f"bravo-{n}"] for n in (1, 2, 3)]
    assert [m.hp for m in hurt] == [2, 2, 2]
    assert {m.floor for m in hurt} == {"ground"}
    assert "armour" not in dice.purposes()
    assert play.terrain.rubble.holds((20_000, 16_000))


def test_when_the_upper_level_falls_the_lower_stays():
    """SKR-118: four points of wood... eight of concrete make 4."""
    state = world([(4, 4)], [(20, 16), (22, 18)], features=[TOWER])
    state = change(state, "bravo-2", floor="tower-1")
    play = play_on(state, Loaded(structure=[1, 1], other=9))

    structures.damage(play, "tower", 1, 6, 2)

    assert [e.rating for e in play.events if isinstance(e, Collapsed)] == [4]
    assert play.models["bravo-1"].hp == 5
    assert play.models["bravo-2"].floor == "tower-1"
    assert "tower-2" not in play.terrain.floors


@pytest.mark.parametrize("rules", [3, 4])
def test_who_walks_on_a_roof_that_falls_goes_no_further(rules):
    """SKR-46, 118, 188: a burst at the walker sets off the vest of the man in the house below."""
    doors = tuple(Opening("south", at, "door") for at in (1300, 3000, 4700))
    house = Building("house", (17_000, 20_000, 23_000, 26_000), 1, "wood", doors)
    state = world(
        [(18, 24.5), (20, 20.7)],
        [(20, 12)],
        lists=("al-qaeda", "taliban"),
        things=("1: jihad; 2: jihad", ""),
        features=(house,),
        rules=rules,
    )
    state = change(change(state, "alpha-1", floor="house-1", facing=180), "alpha-2", facing=180)
    state = change(state, "bravo-1", facing=0, watch=OpFire("bravo-1", "ak-47", "auto"))
    dice = Loaded(other=10, to_hit=[10, 1], location=[1], wound=[1], structure=[1])

    step = order(state, "alpha-1 walk to 22,21 on house-1", dice)

    walker = step.state.model("alpha-1")
    assert of_kind(step, Collapsed)
    assert (walker.condition, walker.floor) == ("fit", "ground")
    assert walker.at != (22_000, 21_000)


SHED = Building(
    "shed", (17_000, 20_000, 23_000, 26_000), 1, "wood", (Opening("south", 3000, "door"),)
)


@pytest.mark.parametrize(
    ("at", "floor"), [((20_000, 23_200), "ground"), ((20_000, 24_500), "shed-1")]
)
def test_a_blast_that_makes_its_own_floor_fall_still_strikes_all_it_reaches(at, floor):
    """SKR-103, 118, 188: of the two on the ground and on the roof one wears a vest."""
    state = world(
        [(44, 4)],
        [(20, 22), (20, 23.2)],
        lists=("rangers", "al-qaeda"),
        things=("", "1: jihad; 2: jihad"),
        features=(SHED,),
    )
    state = change(state, "bravo-1", floor="shed-1", y=24_600)
    dice = Loaded(other=10, cover=[1] * 9, location=[1] * 9, wound=[1] * 9, structure=[1])

    play = burst(state, "m67", at, dice, floor)

    assert [play.models[name].floor for name in ("bravo-1", "bravo-2")] == ["ground", "ground"]
    assert [play.models[name].condition for name in ("bravo-1", "bravo-2")] == ["dead", "dead"]


def test_a_throw_onto_a_roof_that_op_fire_makes_fall_is_lost():
    """SKR-46, 118: the rocket misses the thrower, and strikes the house."""
    state = world([(20, 14)], [(32, 14)], things=("", "1: rpg-7"), features=(SHED,))
    state = change(state, "bravo-1", facing=270, watch=OpFire("bravo-1", "rpg-7", "single"))
    dice = Loaded(other=10, deviation=[6], direction=[1], structure=[1])

    step = order(state, "alpha-1 throw m67 at 20,21.5 on shed-1", dice)

    assert of_kind(step, Collapsed)
    assert not of_kind(step, Thrown)
    assert step.state.model("alpha-1").count("m67") == state.model("alpha-1").count("m67")
