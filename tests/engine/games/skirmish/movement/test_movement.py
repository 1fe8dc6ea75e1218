"""Movement and small acts: SKR-26 to 37, 40, 48, 50 to 52, 140, 172."""

import pytest
from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import GAME
from engine.games.skirmish.combat import structures
from engine.games.skirmish.events import Rolled
from engine.games.skirmish.ground.terrain import Bridge, Building, Opening, Rubble, Wall, Water
from engine.games.skirmish.moves import Face, OpFire, Travel
from engine.games.skirmish.stages import activation
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

LOW_WALL = Wall("wall", (15_000, 12_000, 25_000, 12_300), 500, "stone")
HOUSE = Building(
    "house",
    (18_000, 12_000, 24_000, 18_000),
    2,
    "stone",
    (Opening("south", 3000, "door"), Opening("west", 3000, "window", 1)),
    (23_000, 17_000),
)
ROUGH = Rubble("rubble", (10_000, 8_000, 30_000, 20_000))


def cost(state, text, name="alpha-1"):
    return state.model(name).ap - after(state, text).model(name).ap


def test_walking_costs_a_point_an_inch_begun():
    """SKR-26."""
    state = world([(20, 4)])

    assert cost(state, "alpha-1 walk to 20,7") == 3
    assert cost(state, "alpha-1 walk to 20,7.2") == 4
    assert cost(state, "alpha-1 walk to 20,6 then 22,6") == 4


@pytest.mark.parametrize(("corners", "stands"), [(0, False), (12, True), (13, False)])
def test_a_way_has_one_to_twelve_corners(corners, stands):
    """SKR-26."""
    path = tuple((20_000, 4_000 + 100 * number) for number in range(1, corners + 1))
    walk = Travel("alpha-1", "walk", path, "ground")

    if stands:
        GAME.check(world([(20, 4)]), 0, walk)
    else:
        with pytest.raises(IllegalMove) as caught:
            GAME.check(world([(20, 4)]), 0, walk)
        assert caught.value.rule == "SKR-26"


def test_running_costs_three_points_for_up_to_five_inches():
    """SKR-27."""
    state = world([(20, 4)])

    assert cost(state, "alpha-1 run to 20,9") == 3
    assert cost(state, "alpha-1 run to 20,9.5") == 6
    assert cost(state, "alpha-1 run to 20,19") == 9
    assert refused(state, "alpha-1 run to 20,20").rule == "SKR-7"


def test_crawling_costs_two_points_an_inch_and_is_all_one_can_do_lying_down():
    """SKR-28."""
    state = world([(20, 4)])
    assert refused(state, "alpha-1 crawl to 20,5").rule == "SKR-28"

    state = after(state, "alpha-1 prone")
    assert cost(state, "alpha-1 crawl to 20,6") == 4
    assert refused(state, "alpha-1 walk to 20,6").rule == "SKR-28"


def test_lying_down_is_free_and_standing_up_costs_three():
    """SKR-29, 30."""
    state = world([(20, 4)])
    state = after(state, "alpha-1 prone")
    assert (state.model("alpha-1").ap, state.model("alpha-1").prone) == (10, True)

    state = after(state, "alpha-1 stand")
    assert (state.model("alpha-1").ap, state.model("alpha-1").prone) == (7, False)


def test_who_has_spent_his_last_point_can_still_lie_down_turn_and_drop():
    """SKR-29, 37, 40: until his player ends the activation. By rules 3 it was over."""
    state = after(world([(20, 4)]), "alpha-1 walk to 20,14")

    for text in ("alpha-1 prone", "alpha-1 face 90", "alpha-1 drop m67"):
        state = after(state, text)

    man = state.model("alpha-1")
    assert (man.ap, man.prone, man.facing, man.count("m67")) == (0, True, 90, 1)
    assert after(state, "alpha end").active is None
    assert after(world([(20, 4)], rules=3), "alpha-1 walk to 20,14").active is None


@pytest.mark.parametrize("rules", [3, 4])
def test_an_activation_is_over_when_all_who_can_act_wait_to_fire(rules):
    """SKR-29, 45: nobody is asked to end it."""
    state = after(world([(20, 4), (24, 4)], rules=rules), "alpha-1 opfire")
    assert state.active is not None

    assert after(state, "alpha-2 opfire").active is None


def test_an_activation_in_which_nothing_can_be_done_any_more_is_over():
    """SKR-7, 29: all AP are spent, and all free orders."""
    state = after(world([(20, 4)]), "alpha-1 walk to 20,14")

    for direction in (10, 20, 30, 40):
        assert state.active is not None
        state = after(state, f"alpha-1 face {direction}")

    assert state.active is None


def test_rubble_costs_two_points_an_inch_at_a_walk():
    """SKR-31: two inches on the open, two in rubble."""
    state = world([(20, 6)], features=[ROUGH])

    assert cost(state, "alpha-1 walk to 20,10") == 6


@pytest.mark.parametrize(("switch", "points"), [(5, 5), (3, 3)])
def test_running_in_rubble_costs_five_points(switch, points):
    """SKR-32: the table's 5, or the text's 3 by option."""
    state = world([(20, 6)], features=[ROUGH], rubble_run_ap=switch)

    assert cost(state, "alpha-1 run to 20,10") == points


@pytest.mark.parametrize(("die", "prone"), [(5, False), (6, True)])
def test_who_fails_his_strength_falls_at_the_end_of_a_run_in_rubble(die, prone):
    """SKR-6, 32: strength 5."""
    state = world([(20, 6)], features=[ROUGH])

    assert (
        after(state, "alpha-1 run to 20,10", Loaded(rubble=[die])).model("alpha-1").prone == prone
    )


@pytest.mark.parametrize(("rules", "prone"), [(3, True), (4, False)])
def test_who_is_stopped_before_the_rubble_does_not_fall_in_it(rules, prone):
    """SKR-32: a shot at the start of his run has hurt his leg. By rules 3 he was tested."""
    state = world([(20, 2)], [(20, 30)], features=[ROUGH], rules=rules)
    state = change(state, "bravo-1", watch=OpFire("bravo-1", "ak-47", "single"))
    dice = Loaded(other=10, to_hit=[1], location=[7], wound=[6])

    man = after(state, "alpha-1 run to 20,10", dice).model("alpha-1")

    assert man.y < ROUGH.rect[1]
    assert man.prone == prone


def test_climbing_over_a_low_wall_costs_two_points_an_inch_up_and_down():
    """SKR-33: half an inch up and half down is 2, and three inches across."""
    state = world([(20, 11)], features=[LOW_WALL])

    assert refused(state, "alpha-1 walk to 20,13.5").rule == "SKR-51"
    assert cost(state, "alpha-1 climb to 20,13.5") == 2 + 3


LOW_HOUSE = Building("hut", HOUSE.rect, 1, "wood", HOUSE.openings)


@pytest.mark.parametrize(("rules", "across"), [(3, 1), (4, 2)])
def test_nobody_climbs_higher_than_twice_his_height_without_a_rope(rules, across):
    """SKR-26, 33: a roof at 2" can be climbed, one at 4" cannot; by rules 3 across cost half."""
    state = world([(20, 11)], features=[LOW_HOUSE], rules=rules)
    assert cost(state, "alpha-1 climb to 20,12.7 on hut-1") == 2 * 2 + across

    state = world([(20, 11)], features=[HOUSE], rules=rules)
    assert refused(state, "alpha-1 climb to 20,12.7 on house-2").rule == "SKR-33"


def mountaineer(*features, rules=4):
    return world(
        [(20, 11)],
        lists=("green-berets", "taliban"),
        things=("1: mountaineering m4", ""),
        features=features,
        rules=rules,
    )


@pytest.mark.parametrize(("rules", "across"), [(3, 1), (4, 2)])
def test_mountaineers_climb_any_height_and_rappel_at_a_point_an_inch(rules, across):
    """SKR-26, 172."""
    state = mountaineer(HOUSE, rules=rules)
    assert cost(state, "alpha-1 climb to 20,12.7 on house-2") == 2 * 4 + across

    up = change(state, "alpha-1", x=20_000, y=12_700, floor="house-2")
    assert cost(up, "alpha-1 climb to 20,11") == 4 + across


@pytest.mark.parametrize(("rules", "ap"), [(3, 4 * 1 + 3), (4, 3 * 1 + 3)])
def test_mountaineers_rappel_behind_a_wall_too(rules, ap):
    """SKR-172: an inch up and an inch down, by rules 3 at 2 AP an inch for them, too."""
    wall = Wall("wall", (15_000, 12_000, 25_000, 12_300), 1000, "stone")

    assert cost(mountaineer(wall, rules=rules), "alpha-1 climb to 20,14") == ap


def test_nobody_climbs_over_a_wall_into_a_house():
    """SKR-33, 51: there is a ceiling on it. By rules 3 there seemed to be none."""
    into = "alpha-1 climb to 20,12.7"
    state = world([(20, 11.5)], features=[LOW_HOUSE])

    assert cost(replace(state, rules=3), into) == 8 + 2
    assert refused(state, into).rule == "SKR-33"


def test_the_corner_of_a_house_is_as_high_as_all_its_storeys():
    """SKR-33: one of 2" is climbed over, one of 4" is not. By rules 3 only the lowest counted."""
    around = "alpha-1 climb to 18.6,11.5"
    low, high = (world([(17.5, 12.6)], features=[house]) for house in (LOW_HOUSE, HOUSE))

    assert cost(low, around) == cost(replace(high, rules=3), around) == 8 + 2
    assert refused(high, around).rule == "SKR-33"


@pytest.mark.parametrize("rules", [3, 4])
def test_a_window_is_climbed_through(rules):
    """SKR-33, 51: half an inch up and half down; the wall above it does not count."""
    house = replace(HOUSE, openings=(Opening("south", 3000, "window"),))
    state = world([(21, 11.5)], features=[house], rules=rules)

    assert cost(state, "alpha-1 climb to 21,12.7") == 2 + 2


def test_stairs_are_walked_and_ceilings_are_not_climbed_through():
    """SKR-33: two inches up by the stairs cost two points."""
    state = world([(23, 17)], features=[HOUSE])
    assert cost(state, "alpha-1 climb to 23,17 on house-1") == 2

    elsewhere = change(state, "alpha-1", x=20_000, y=14_000)
    assert refused(elsewhere, "alpha-1 climb to 20,14 on house-1").rule == "SKR-33"


def test_a_standing_jump_goes_one_inch_for_two_points():
    """SKR-34."""
    ditch = Water("ditch", (0, 10_100, 48_000, 10_800))
    state = world([(20, 10)], features=[ditch])
    assert refused(state, "alpha-1 walk to 20,11").rule == "SKR-51"

    jumped = after(state, "alpha-1 jump to 20,11")
    assert jumped.model("alpha-1").ap == 8
    assert jumped.model("alpha-1").at == (20_000, 11_000)


def test_a_jump_of_two_inches_takes_a_run_up_of_three():
    """SKR-35: seven points; from where he stands it is refused."""
    ditch = Water("ditch", (0, 10_100, 48_000, 11_900))
    state = world([(20, 7)], features=[ditch])
    assert cost(state, "alpha-1 jump to 20,12") == 7

    near = world([(20, 10)], features=[ditch])
    assert refused(near, "alpha-1 jump to 20,12").rule == "SKR-35"


@pytest.mark.parametrize(("die", "y"), [(5, 11_000), (6, 10_000)])
def test_a_jump_is_tested_only_where_the_option_says_so(die, y):
    """SKR-44."""
    plain = world([(20, 10)])
    dice = Loaded()
    after(plain, "alpha-1 jump to 20,11", dice)
    assert dice.asked == []

    tested = world([(20, 10)], jump_test=True)
    assert after(tested, "alpha-1 jump to 20,11", Loaded(jump=[die])).model("alpha-1").y == y


def test_a_bridge_is_ground_over_water():
    """SKR-51: terrain is literal."""
    river, bridge = (
        Water("river", (0, 9000, 48_000, 12_000)),
        Bridge("b", (19_000, 9000, 22_000, 12_000)),
    )
    state = world([(20, 8), (30, 8)], features=[river, bridge])

    assert cost(state, "alpha-1 walk to 20,13") == 5
    assert refused(state, "alpha-2 walk to 30,13").rule == "SKR-51"


def test_things_are_picked_up_for_a_point_and_dropped_for_nothing():
    """SKR-36, 37."""
    state = world([(20, 10), (21.5, 10)])
    state = after(state, "alpha-1 drop 1 m67")
    assert (state.model("alpha-1").ap, state.model("alpha-1").count("m67")) == (10, 1)
    assert state.lying == (Lying("m67", 1, 0, 20_000, 10_000, "ground"),)
    assert refused(state, "alpha-2 pick up 1 m67").rule == "SKR-36"

    state = after(state, "alpha-1 pick up 1 m67")
    assert (state.model("alpha-1").ap, state.model("alpha-1").count("m67")) == (9, 2)
    assert state.lying == ()


@pytest.mark.parametrize(("thing", "ap"), [("3 m67", 3), ("30 5.56", 1)])
def test_things_are_picked_up_one_by_one_and_rounds_together(thing, ap):
    """SKR-36."""
    count, name = thing.split()
    there = Lying(name, int(count), 0, 20_000, 10_000, "ground")
    state = replace(world([(20, 10)]), lying=(there,))

    assert cost(state, f"alpha-1 pick up {thing}") == ap


def test_turning_is_free():
    """SKR-40."""
    state = world([(20, 10)])

    state = after(state, "alpha-1 face east")

    assert (state.model("alpha-1").facing, state.model("alpha-1").ap) == (90, 10)


@pytest.mark.parametrize(("rules", "low", "high"), [(3, 4, 7), (4, 5, 8)])
def test_each_inch_of_a_climb_over_a_wall_is_paid_for(rules, low, high):
    """SKR-33: 1.2 AP and 4.8 AP up and down, and three inches across; by rules 3 rounded down."""
    for height, ap in ((300, low), (1200, high)):
        wall = Wall("wall", (15_000, 12_000, 25_000, 12_300), height, "stone")
        state = world([(20, 11)], features=[wall], rules=rules)

        assert cost(state, "alpha-1 climb to 20,14") == ap


@pytest.mark.parametrize(("facing", "stands"), [(0, True), (359, True), (360, False), (-1, False)])
def test_a_direction_is_from_0_to_359_degrees(facing, stands):
    """SKR-40, 53."""
    state = change(world([(20, 10)]), "alpha-1", facing=90)

    if stands:
        GAME.check(state, 0, Face("alpha-1", facing))
    else:
        with pytest.raises(IllegalMove):
            GAME.check(state, 0, Face("alpha-1", facing))


def test_nobody_moves_through_a_model_but_over_the_dead():
    """SKR-48, 50: a wounded man is walked around, a dead one stepped over."""
    state = world([(20, 10), (20, 12)])
    assert refused(state, "alpha-1 walk to 20,14").rule == "SKR-48"

    wounded = change(state, "alpha-2", condition="unconscious", prone=True)
    assert refused(wounded, "alpha-1 walk to 20,14").rule == "SKR-48"

    dead = change(state, "alpha-2", condition="dead", prone=True)
    assert cost(dead, "alpha-1 walk to 20,14") == 4


def test_walls_and_the_edge_of_the_table_stop_everybody():
    """SKR-51."""
    state = world([(20, 11)], features=[HOUSE])

    assert refused(state, "alpha-1 walk to 20,13").rule == "SKR-51"
    assert refused(state, "alpha-1 run to 20,0.2").rule == "SKR-51"
    door = change(state, "alpha-1", x=21_000, y=11_000)
    assert cost(door, "alpha-1 walk to 21,14") == 3


def test_wounds_loads_and_enemies_change_what_moving_costs():
    """SKR-52, 99: slow doubles the cost and bars running."""
    slow = change(world([(20, 10)]), "alpha-1", wounds=Wounds(slow=True))

    assert cost(slow, "alpha-1 walk to 20,12") == 4
    assert refused(slow, "alpha-1 run to 20,15").rule == "SKR-99"


def test_an_enemy_nobody_saw_stops_the_march_and_no_refusal_gave_him_away():
    """SKR-48: the order is legal as far as its giver knows; it ends where the base is met."""
    wall = Wall("w", (10_000, 11_200, 30_000, 11_400), 1900, "stone")
    state = world([(20, 10)], [(20, 12.4)], features=[wall])
    assert not any(contact.seen for contact in state.contacts[0])

    moved = after(state, "alpha-1 climb to 20,12")

    assert moved.model("alpha-1").at == (20_000, 10_000)


def test_a_friend_is_carried_at_double_cost_and_run_with_only_by_the_strong():
    """SKR-140."""
    state = world([(20, 10), (21, 10)])
    state = change(state, "alpha-2", condition="unconscious", prone=True, hp=2)
    state = after(state, "alpha-1 carry alpha-2")
    assert state.model("alpha-1").ap == 5
    assert refused(state, "alpha-1 run to 20,15").rule == "SKR-140"
    assert refused(state, "alpha-1 jump to 20,11").rule == "SKR-140"

    state = after(state, "alpha-1 walk to 20,12")
    assert state.model("alpha-1").ap == 1
    assert state.model("alpha-2").at == (20_000, 12_000)

    strong = change(state, "alpha-1", ap=10, may_run_laden=True)
    assert cost(strong, "alpha-1 run to 20,16") == 6


def test_a_carrier_climbs_at_double_cost():
    """SKR-33, 140: only jumps are barred. By rules 3 climbs were, too."""
    state = change(world([(21, 15)], features=[HOUSE]), "alpha-1", x=23_000, y=16_500)
    friend = replace(state.model("alpha-1"), name="alpha-2", number=2, carried_by="alpha-1")
    state = replace(state, models=(*state.models, replace(friend, condition="unconscious", hp=2)))
    state = change(state, "alpha-1", carrying="alpha-2")

    up = "alpha-1 climb to 23,17 on house-1"

    assert cost(state, up) == 6
    assert after(state, up).model("alpha-2").floor == "house-1"
    assert refused(replace(state, rules=3), up).rule == "SKR-140"


def test_who_is_carried_walks_only_when_he_is_put_down():
    """SKR-140: a wounded man may be conscious; it is not his carrier who stands in his way."""
    state = change(world([(20, 10), (21, 10)]), "alpha-2", hp=3)
    carried = after(state, "alpha-1 carry alpha-2")

    assert refused(carried, "alpha-2 walk to 24,12").rule == "SKR-140"
    order(after(carried, "alpha-1 put down"), "alpha-2 walk to 24,12")


def test_who_is_carried_carries_nobody():
    """SKR-140: by rules 3 he took up a friend, who stayed behind."""
    state = world([(20, 10), (21, 10), (21, 11)])
    for name in ("alpha-1", "alpha-3"):
        state = change(state, name, hp=3)
    state = after(state, "alpha-2 carry alpha-1")

    assert refused(state, "alpha-1 carry alpha-3").rule == "SKR-140"
    order(replace(state, rules=3), "alpha-1 carry alpha-3")


def test_a_laden_mans_strength_is_tested_at_the_start_of_the_turn():
    """SKR-140: pass and he may run."""
    state = world([(20, 10), (20, 10)], [(20, 44)])
    state = change(state, "alpha-1", carrying="alpha-2")
    state = change(state, "alpha-2", carried_by="alpha-1", condition="unconscious", hp=1)
    dice = Loaded(carrying=[5], **{"initiative of seat 1": [1]})
    play = play_on(state, dice)

    activation.start_turn(play)

    assert play.models["alpha-1"].may_run_laden
    assert dice.purposes().count("carrying") == 1


def test_a_load_is_put_down_beside_its_carrier():
    """SKR-140."""
    state = world([(20, 10), (21, 10)])
    state = change(state, "alpha-2", condition="unconscious", prone=True, hp=2)
    state = after(after(state, "alpha-1 carry alpha-2"), "alpha-1 put down")

    assert state.model("alpha-2").carried_by == ""
    assert state.model("alpha-2").at != state.model("alpha-1").at


def fallen_with_a_load(rules):
    """A carrier and his load fall from a roof onto a man below, who keeps his place."""
    house = Building("house", (18_000, 14_000, 24_000, 20_000), 1, "wood", ())
    state = world([(20, 16), (20, 16), (20, 16)], features=[house], rules=rules)
    state = change(state, "alpha-2", carried_by="alpha-1", condition="unconscious", hp=5)
    state = change(state, "alpha-2", floor="house-1")
    state = change(state, "alpha-1", carrying="alpha-2", floor="house-1")
    play = play_on(state, Loaded(other=10))
    structures.collapse(play, play.terrain.buildings["house"], 0)
    return play.models


@pytest.mark.parametrize(("rules", "together"), [(3, False), (4, True)])
def test_a_load_falls_with_its_carrier(rules, together):
    """SKR-118, 140: where he finds room beside the man below, his load is with him."""
    men = fallen_with_a_load(rules)

    assert men["alpha-1"].carrying == "alpha-2"
    assert men["alpha-1"].at != men["alpha-3"].at
    assert (men["alpha-2"].at == men["alpha-1"].at) == together


def test_every_die_is_shown():
    state = world([(20, 6)], features=[ROUGH])

    rolled = of_kind(order(state, "alpha-1 run to 20,10", Loaded(rubble=[4])), Rolled)

    assert [(r.purpose, r.die, r.need, r.passed) for r in rolled] == [("rubble", 4, 5, True)]
