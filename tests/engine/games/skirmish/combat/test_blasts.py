"""Grenades, shells and buildings: SKR-38, 102 to 118, 186, 188."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish import GAME
from engine.games.skirmish.combat import blasts, chances, grenades
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import (
    Changed,
    Exploded,
    Hit,
    Rolled,
    Thrown,
    Wounded,
)
from engine.games.skirmish.ground.terrain import Building, Opening, Wall
from engine.games.skirmish.men import wounds
from engine.games.skirmish.moves import Throw
from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Device
from tests.engine.games.skirmish.world import (
    HUT,
    Loaded,
    after,
    burst,
    change,
    of_kind,
    order,
    play_on,
    refused,
    world,
)


def test_a_blast_has_rings_of_an_inch_each_with_its_rating():
    """SKR-102: the border belongs to the inner ring."""
    rpg = weapon("rpg-7").blast

    assert [blasts.blast_at(rpg, far) for far in (0, 1000, 1001, 2500, 4000, 4001)] == [
        (6, 2),
        (6, 2),
        (5, 2),
        (4, 1),
        (3, 1),
        None,
    ]


def test_everybody_in_the_area_is_affected_friend_and_foe():
    """SKR-103, 114."""
    state = world([(20, 10), (20, 12)], [(20, 14), (30, 30)])
    dice = Loaded(location=[4] * 9, armour=[10] * 9, wound=[8] * 9)

    play = burst(state, "m67", (20_000, 12_000), dice)

    hit = [event.who for event in play.events if isinstance(event, Hit)]
    assert sorted(set(hit)) == ["alpha-1", "alpha-2", "bravo-1"]


def test_a_frag_grenade_wounds_twice_in_its_first_inch():
    """SKR-104: the kill zone means two rolls with a rating of 5, not death."""
    state = world([(40, 4)], [(20, 14), (20, 16.4)])
    dice = Loaded(location=[4] * 9, wound=[9] * 9)

    play = burst(state, "m67", (20_000, 14_000), dice)

    hit = [event.who for event in play.events if isinstance(event, Hit)]
    assert hit == ["bravo-1", "bravo-1", "bravo-2"]
    assert play.models["bravo-1"].condition == "fit"


def test_rockets_wound_twice_in_two_inches_and_once_more_for_a_direct_hit():
    """SKR-105."""
    state = world([(20, 10)], [(20, 30)], lists=("militia", "rangers"), things=("1: rpg-7", ""))
    dice = Loaded(to_hit=[1], location=[6] * 9, wound=[10] * 9, shell_shock=[1] * 9)

    step = order(state, "alpha-1 fire bravo-1 with rpg-7", dice)

    assert len([e for e in of_kind(step, Hit) if e.who == "bravo-1"]) == 1 + 2
    assert of_kind(step, Exploded)[0].radius == 4000


def test_other_kill_zones_kill():
    """SKR-106: a Claymore to five inches in its cone; beyond, one roll."""
    state = world([(20, 10)], [(20, 14), (21.8, 18.5), (25, 10)])
    play = play_on(state, Loaded(location=[4], wound=[8]))

    blasts.go_off(
        play, Device("claymore-1", "claymore", 0, "alpha-1", 20_000, 11_000, "ground"), ""
    )

    assert play.models["bravo-1"].condition == "dead"
    assert [e.who for e in play.events if isinstance(e, Hit)] == ["bravo-2"]
    assert play.models["bravo-3"].condition == "fit"


def test_cover_against_a_blast_is_judged_from_its_centre():
    """SKR-107: behind a high wall every place is covered, and 2 is not 1."""
    wall = Wall("w", (10_000, 15_000, 30_000, 15_200), 3000, "stone")
    state = world([(40, 4)], [(20, 16)], features=[wall])
    dice = Loaded(location=[4, 4], cover=[2, 2])

    play = burst(state, "m67", (20_000, 14_000), dice)

    assert [e.stopped for e in play.events if isinstance(e, Hit)] == ["cover"]
    assert not [e for e in play.events if isinstance(e, Wounded)]


def test_a_blast_looks_from_the_ground():
    """SKR-107: half an inch of wall before it covers even the chest of who stands behind."""
    wall = Wall("w", (10_000, 15_000, 30_000, 15_200), 500, "stone")
    state = world([(40, 4)], [(20, 16.2)], features=[wall])

    play = burst(state, "m67", (20_000, 14_000), Loaded(location=[2], cover=[10], wound=[10]))

    assert [e.stopped for e in play.events if isinstance(e, Hit)] == ["cover"]


@pytest.mark.parametrize("beside", [0, 1, 499, 501])
@pytest.mark.parametrize(("rules", "below"), [(3, ""), (4, "cover")])
def test_a_floor_covers_who_is_straight_above_a_blast(rules, below, beside):
    """SKR-107: two inches of height are in the second ring. By rules 3 only who was beside it."""
    house = Building("house", (10_000, 10_000, 20_000, 20_000), 1, "concrete", ())
    state = world([(40, 4)], [(15, 15)], features=[house], rules=rules)
    state = change(state, "bravo-1", floor="house-1")

    play = burst(state, "m67", (15_000 + beside, 15_000), Loaded(wound=[10]))

    assert [e.stopped for e in play.events if isinstance(e, Hit)] == [
        below if beside < 500 else "cover"
    ]


@pytest.mark.parametrize(("rules", "covered"), [(3, True), (4, False)])
def test_who_carries_a_man_does_not_cover_him_from_a_blast(rules, covered):
    """SKR-107, 141: they do not block locations on each other. By rules 3 all of him was hidden."""
    state = world([(40, 4)], [(20, 15), (20, 15)], rules=rules)
    state = change(state, "bravo-1", carrying="bravo-2")
    state = change(state, "bravo-2", carried_by="bravo-1", condition="unconscious", prone=True)
    dice = Loaded(location=[4] * 9, wound=[10] * 9)

    burst(state, "m67", (20_000, 13_000), dice)

    assert ("cover" in dice.purposes()) == covered


def test_only_what_one_has_is_thrown_for_three_points_as_often_as_they_last():
    """SKR-38, 108."""
    state = world([(20, 10)], [(20, 20), (40, 40)])
    assert refused(state, "alpha-1 throw soviet-frag at bravo-1").rule == "SKR-108"
    assert refused(state, "alpha-1 throw m67 at bravo-9").rule == "SKR-58"

    far = Loaded(other=10, deviation=[6] * 3, direction=[1] * 3)
    twice = after(
        after(state, "alpha-1 throw m67 at 26,20", far), "alpha-1 throw m67 at 26,20", far
    )
    assert twice.model("alpha-1").ap == 4
    assert twice.model("alpha-1").count("m67") == 0
    assert refused(twice, "alpha-1 throw m67 at 26,20").rule == "SKR-108"


def throw_at(state, y, **more):
    play = play_on(state)
    return grenades.throw_chance(play, Throw("alpha-1", "m67", spot=(20_000, y), **more))


def test_a_throw_in_the_open_is_proficiency_and_range():
    """SKR-109."""
    state = world([(20, 10)], [(40, 40)])

    assert throw_at(state, 18_000).need == 6
    assert throw_at(state, 24_000).need == 5
    assert not throw_at(state, 40_000).reaches


@pytest.mark.parametrize(
    ("distance", "penalty"),
    [(0, 0), (1999, 0), (2000, -1), (5999, -1), (6000, -2), (9999, -2), (10_000, -3), (15_000, -3)],
)
def test_difficult_throws_by_distance(distance, penalty):
    """SKR-110."""
    assert chances.throw_penalty(distance) == penalty


def test_behind_walls_in_buildings_and_on_roofs_a_throw_is_difficult():
    """SKR-110."""
    wall = Wall("w", (10_000, 13_000, 30_000, 13_200), 3000, "stone")
    behind = world([(20, 10)], [(40, 40)], features=[wall])
    indoors = world([(20, 8)], [(40, 40)], features=[HUT])

    assert ("difficult throw", -2) in throw_at(behind, 17_000).modifiers
    assert ("difficult throw", -2) in throw_at(indoors, 16_000).modifiers
    play = play_on(indoors)
    assert grenades.difficult(play, play.models["alpha-1"], (20_000, 16_000), "hut-1")


@pytest.mark.parametrize(("rules", "y", "penalty"), [(3, 14.8, -2), (4, 14.8, -1), (4, 15, -2)])
def test_a_difficult_throw_at_a_man_is_measured_to_his_base(rules, y, penalty):
    """SKR-1, 110: 5.8" from base to base, or 6". By rules 3 to his middle."""
    state = world([(20.5, 8)], [(20.5, y)], features=[HUT], rules=rules)

    chance = grenades.throw_chance(play_on(state), Throw("alpha-1", "m67", "bravo-1"))

    assert ("difficult throw", penalty) in chance.modifiers


def test_by_a_window_next_to_the_thrower_it_is_not():
    """SKR-111: within two inches; from farther off it is refused."""
    near = world([(20.5, 12.5)], [(40, 40)], features=[HUT])
    far = world([(20.5, 9)], [(40, 40)], features=[HUT])

    play = play_on(near)
    through = Throw("alpha-1", "m67", spot=(20_500, 16_000), through=True)
    assert grenades.throw_chance(play, through).need == 6
    assert refused(far, "alpha-1 throw m67 at 20.5,16 through").rule == "SKR-111"


@pytest.mark.parametrize(
    ("rules", "south", "near"),
    [
        (3, 9, ["ground", "house-1", "house-2"]),
        (4, 9, ["ground", "house-1"]),
        (4, 8.2, ["ground"]),
    ],
)
def test_a_window_upstairs_is_as_far_away_as_it_is_high(rules, south, near):
    """SKR-1, 111: two and four inches up. By rules 3 those of all floors were near."""
    windows = tuple(Opening("south", 5000, "window", level) for level in range(3))
    house = Building("house", (10_000, 10_000, 20_000, 20_000), 3, "stone", windows)
    play = play_on(world([(15, south)], [(40, 40)], features=[house], rules=rules))

    found = [
        floor
        for floor in ("ground", "house-1", "house-2")
        if grenades.beside_opening(play, play.models["alpha-1"], (15_000, 12_000), floor)
    ]

    assert found == near


def test_who_stands_by_a_window_throws_out_of_it_without_penalty():
    """SKR-111: within two inches of it; by rules 3 only into a house."""
    state = world([(20.5, 15.5)], [(40, 40)], features=[HUT])
    far = change(state, "alpha-1", y=17_500)
    out = Throw("alpha-1", "m67", spot=(20_500, 9_000), through=True)
    plain = replace(out, through=False)

    assert grenades.throw_chance(play_on(state), plain).need == 6 - 2
    assert grenades.throw_chance(play_on(state), out).need == 6
    GAME.check(state, 0, out)
    for elsewhere in (far, replace(state, rules=3)):
        assert refused(elsewhere, "alpha-1 throw m67 at 20.5,9 through").rule == "SKR-111"
    assert refused(state, "alpha-1 throw m67 at 9,15 through").rule == "SKR-111"


def test_there_are_no_vehicles_to_throw_into():
    """SKR-112: vehicles are not in the game; the only marks are models and spots."""
    assert refused(world([(20, 10)]), "alpha-1 throw m67 at truck").rule == "SKR-58"


def test_a_miss_goes_astray_by_a_die_in_a_direction_of_ten():
    """SKR-113: 7 of ten is 216 degrees; 5 halved is 3", at 7.5" away."""
    state = world([(20, 10)], [(40, 40)])
    dice = Loaded(to_hit=[10], deviation=[5], direction=[6])

    step = order(state, "alpha-1 throw m67 at 20,18", dice)

    thrown = of_kind(step, Thrown)[0]
    assert thrown.missed
    assert thrown.at == (20_000, 15_000)


@pytest.mark.parametrize(("die", "at"), [(1, (24_000, 48_000)), (6, (24_000, 41_000))])
def test_nothing_goes_astray_beyond_the_edge(die, at):
    """SKR-51, 113: five inches to the north would be two too far; to the south they are none."""
    state = world([(24, 35)], [(4, 4)])
    dice = Loaded(to_hit=[10], deviation=[5], direction=[die])

    step = order(state, "alpha-1 throw m67 at 24,46", dice)

    assert of_kind(step, Thrown)[0].at == at


def test_a_throw_beyond_its_range_falls_short():
    """SKR-65, 113."""
    state = world([(20, 10)], [(40, 40)])

    step = order(state, "alpha-1 throw m67 at 20,40", Loaded(deviation=[1], direction=[1]))

    assert of_kind(step, Thrown)[0].missed
    assert of_kind(step, Thrown)[0].at == (20_000, 26_000)


@pytest.mark.parametrize(("die", "dud"), [(5, True), (6, False)])
def test_half_of_the_civilians_grenades_are_duds(die, dud):
    """SKR-186."""
    state = world(
        [(20, 10)], [(40, 40)], lists=("civilians", "rangers"), things=("1: soviet-frag", "")
    )

    step = order(state, "alpha-1 throw soviet-frag at 20,18", Loaded(to_hit=[1], dud=[die]))

    assert of_kind(step, Thrown)[0].dud == dud
    assert bool(of_kind(step, Exploded)) != dud


@pytest.mark.parametrize(("rules", "dud"), [(3, True), (4, False)])
def test_smoke_in_the_hands_of_civilians_is_no_dud(rules, dud):
    """SKR-186: it is said of frag grenades. By rules 3 of all that they throw."""
    state = world([(20, 10)], lists=("civilians", "rangers"), rules=rules)
    state = change(state, "alpha-1", stock=(("smoke", 1),))

    step = order(state, "alpha-1 throw smoke at 20,18", Loaded(to_hit=[1], dud=[5]))

    assert of_kind(step, Thrown)[0].dud == dud


def test_smoke_stays_three_turns():
    """SKR-62: three inches around, for three turns."""
    state = world(
        [(20, 10), (10, 4)],
        [(40, 40)],
        lists=("airborne", "taliban"),
        things=("1: smoke", ""),
        active="alpha",
    )
    state = after(state, "alpha-1 throw smoke at 20,18", Loaded(to_hit=[1]))
    assert [(c.radius, c.turns) for c in state.smoke] == [(3000, 3)]
    assert not state.collapsed

    play = play_on(state, Loaded(**{"initiative of seat 1": [1, 1, 1]}))
    for left in ([2], [1], []):
        activation.end_turn(play)
        assert [c.turns for c in play.state.smoke] == left


def test_templates_are_laid_on_open_ground():
    """SKR-171: each of the four has its shape in the data."""
    assert weapon("claymore").cone.angle == 60
    assert weapon("shotgun").template.width == 2000
    assert len(weapon("m67").blast.rings) == 3


@pytest.mark.parametrize("how", ["killed", "unconscious", "at will"])
def test_a_worn_charge_goes_off_with_its_wearer(how):
    """SKR-188: when he is killed or unconscious, or for a point."""
    state = world([(20, 10)], [(20, 12), (40, 40)], lists=("al-qaeda", "rangers"))
    state = change(state, "alpha-1", vest_charge=True)
    if how == "at will":
        state = after(state, "alpha-1 trigger vest")
    else:
        play = play_on(state)
        (wounds.kill if how == "killed" else wounds.knock_out)(play, "alpha-1", "")
        state = play.close()

    assert state.model("alpha-1").condition == "dead"
    assert state.model("bravo-1").condition == "dead"
    assert state.model("bravo-2").condition == "fit"


def test_a_worn_charge_goes_off_once():
    """SKR-188: its wearer is killed by it, which does not set it off again."""
    state = world([(20, 10)], [(20, 12), (40, 40)], lists=("al-qaeda", "rangers"))

    step = order(change(state, "alpha-1", vest_charge=True), "alpha-1 trigger vest")

    assert [event.weapon for event in of_kind(step, Exploded)] == ["c4"]


def test_a_shell_that_misses_comes_down_somewhere_else():
    """SKR-113: rockets and 40 mm like grenades (ours)."""
    state = world([(20, 10)], [(20, 30)])

    step = order(
        state, "alpha-1 fire bravo-1 with m203", Loaded(to_hit=[10], deviation=[6], direction=[1])
    )

    assert of_kind(step, Exploded)[0].at == (20_000, 36_000)
    assert not of_kind(step, Changed)


def test_every_die_of_a_blast_is_shown():
    """SKR-103."""
    state = world([(40, 4)], [(20, 14), (44, 44)])
    play = burst(state, "m67", (20_000, 14_000), Loaded(location=[4, 4], wound=[9, 9]))

    assert [e.purpose for e in play.events if isinstance(e, Rolled)] == ["location", "wound"] * 2
