"""Ranged combat: SKR-38, 43, 63 to 93, 180, 185."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.combat import chances, fire
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import (
    Changed,
    Fired,
    Hit,
    OutOfRange,
    Rolled,
)
from engine.games.skirmish.ground.scene import Cloud
from engine.games.skirmish.ground.terrain import Building, Wall
from engine.games.skirmish.men import wounds
from engine.games.skirmish.sight import sight
from engine.games.skirmish.state import Activation
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


def odds(state, gun="m16a2", mode="single", shooter="alpha-1", target="bravo-1", **extras):
    play = play_on(state)
    return chances.to_hit(
        play.scene,
        state.options,
        play.models[shooter],
        play.models[target],
        weapon(gun),
        mode,
        **extras,
    )


def loaded(state, name, rounds):
    model = state.model(name)
    return change(state, name, arms=tuple(replace(arm, loaded=rounds) for arm in model.arms))


def dropped_and_picked_up(state, thing):
    state = after(state, f"alpha-1 drop 1 {thing}")
    return after(state, f"alpha-1 pick up 1 {thing}")


FAR = ([(20, 10)], [(20, 30)])  # 19": no range modifier for an M16A2


def test_a_shot_needs_rounds_points_and_sight():
    """SKR-63."""
    state = world(*FAR)
    assert refused(loaded(state, "alpha-1", 0), "alpha-1 fire bravo-1").rule == "SKR-63"
    assert refused(change(state, "alpha-1", ap=1), "alpha-1 fire bravo-1").rule == "SKR-7"
    hidden = world(*FAR, features=[Wall("w", (10_000, 20_000, 30_000, 20_300), 3000, "stone")])
    assert refused(hidden, "alpha-1 fire bravo-1").rule == "SKR-58"


def test_an_enemy_at_hand_comes_before_a_spot_farther_away():
    """SKR-64: shells are bound as well."""
    state = world([(20, 10)], [(20, 18), (20, 34)], things=("1: m203", ""))

    assert refused(state, "alpha-1 fire at 24,33 with m203").rule == "SKR-64"
    order(state, "alpha-1 fire at 21,19 with m203")
    order(replace(state, rules=2), "alpha-1 fire at 24,33 with m203")
    free = world([(20, 10)], [(20, 34)], things=("1: m203", ""))
    order(free, "alpha-1 fire at 24,33 with m203")


def test_among_near_enemies_the_choice_is_free():
    """SKR-64."""
    state = world([(20, 10)], [(18, 17), (22, 18), (20, 30)])

    order(state, "alpha-1 fire bravo-1")
    order(state, "alpha-1 fire bravo-2")
    assert refused(state, "alpha-1 fire bravo-3").rule == "SKR-64"
    free = world([(20, 10)], [(18, 17), (20, 30)], priority_target=False)
    order(free, "alpha-1 fire bravo-2")


@pytest.mark.parametrize(("spotted", "rule"), [(("bravo-1",), "SKR-64"), ((), None)])
def test_who_has_run_is_bound_by_whom_he_had_spotted(spotted, rule):
    """SKR-27, 64: he may not shoot at the others."""
    state = world([(20, 10)], [(18, 17), (20, 30)])
    state = change(state, "alpha-1", gait="ran", known=(*spotted, "bravo-2"))

    if rule:
        assert refused(state, "alpha-1 fire bravo-2").rule == rule
    else:
        order(state, "alpha-1 fire bravo-2")


def test_priority_binds_either_side():
    """SKR-64."""
    state = world([(18, 17), (20, 30)], [(20, 10)])
    state = replace(state, active=Activation(1, "bravo", ("bravo-1",)), chooser=1)
    state = change(state, "bravo-1", facing=0)

    order(state, "bravo-1 fire alpha-1", seat=1)
    assert refused(state, "bravo-1 fire alpha-2", seat=1).rule == "SKR-64"


def test_a_near_enemy_who_cannot_be_shot_at_comes_before_nobody():
    """SKR-60, 64: a wall covers most of him, but not from an aimed shot."""
    wall = Wall("w", (19_600, 16_400, 24_000, 16_600), 800, "stone")
    state = world([(20, 10)], [(21, 17.5), (16, 30)], features=[wall])

    assert "bravo-1" in {contact.model for contact in state.contacts[0] if contact.seen}
    order(state, "alpha-1 fire bravo-2")
    assert refused(state, "alpha-1 fire bravo-2 aimed").rule == "SKR-64"


def test_out_of_range_the_shot_is_spent_and_misses():
    """SKR-65: an M9 carries 25"."""
    state = world([(20, 4)], [(20, 40)], things=("1: m9", ""))

    step = order(state, "alpha-1 fire bravo-1 with m9")

    assert of_kind(step, OutOfRange)
    assert not of_kind(step, Rolled)
    assert step.state.model("alpha-1").ap == 8
    assert step.state.model("alpha-1").arm("m9").loaded == 14


def test_the_target_number_is_the_proficiency_with_its_modifiers():
    """SKR-66: one D10 for each shot."""
    assert odds(world(*FAR)).need == 6
    assert odds(world([(20, 10)], [(20, 20)])).modifiers == (("range", 1),)
    assert odds(world([(20, 5)], [(20, 40)])).modifiers == (("range", -2),)

    step = order(world(*FAR), "alpha-1 fire bravo-1", Loaded(to_hit=[7]))
    assert [event.purpose for event in of_kind(step, Rolled)] == ["to hit"]


@pytest.mark.parametrize(
    ("faction", "text", "dice"),
    [
        ("rangers", "alpha-1 fire bravo-1 with m16a2 single", 1),
        ("rangers", "alpha-1 fire bravo-1 with m16a2 burst", 3),
        ("rangers", "alpha-3 fire bravo-1 with m249 auto", 10),
        ("militia", "alpha-1 fire bravo-1 with ak-47 auto", 5),
    ],
)
def test_dice_and_rounds_by_mode(faction, text, dice):
    """SKR-68: as many rounds as dice."""
    state = world([(20, 10), (15, 10), (25, 10)], [(20, 30)], lists=(faction, "taliban"))
    name, gun = text.split()[0], text.split()[4]
    before = state.model(name).arm(gun).loaded

    step = order(state, text, Loaded(other=10))

    assert of_kind(step, Fired)[0].dice == dice
    assert len(of_kind(step, Rolled)) == dice
    assert step.state.model(name).arm(gun).loaded == before - dice


def test_modes_a_weapon_does_not_have_are_refused():
    """SKR-43, 68: what the chart does not give."""
    assert refused(world(*FAR), "alpha-1 fire bravo-1 with m16a2 auto").rule == "SKR-68"


@pytest.mark.parametrize(
    ("changes", "gun", "mode", "extras", "need"),
    [
        ({}, "m16a2", "single", {"aimed": True}, 7),  # SKR-69
        ({}, "sniper", "single", {"scope": True}, 8),  # SKR-70, with +1 for the range
        ({}, "m16a2", "single", {"spotter": True}, 7),  # SKR-71
        ({"prone": True}, "m16a2", "single", {}, 7),  # SKR-72
        ({}, "m16a2", "burst", {}, 5),  # SKR-73
        ({}, "m249", "auto", {}, 3),  # SKR-74
        ({"gait": "walked"}, "m16a2", "single", {}, 4),  # SKR-75
        ({"gait": "ran"}, "m16a2", "single", {}, 2),  # SKR-76
    ],
)
def test_what_the_shooter_does_changes_the_number(changes, gun, mode, extras, need):
    """SKR-69, 70, 71, 72, 73, 74, 75, 76."""
    state = change(world(*FAR), "alpha-1", **changes)

    assert odds(state, gun, mode, **extras).need == need


def test_aim_scope_and_spotter_cost_points():
    """SKR-69, 70, 71: two, two, and five for the spotter himself."""
    state = world([(20, 10), (22, 10)], [(20, 30)], things=("1: sniper", ""))
    aimed = after(state, "alpha-1 fire bravo-1 with sniper aimed scope")
    assert aimed.model("alpha-1").ap == 10 - 4 - 2 - 2

    spotted = after(state, "alpha-1 fire bravo-1 with m16a2 spotter alpha-2")
    assert [spotted.model(n).ap for n in ("alpha-1", "alpha-2")] == [8, 5]
    assert refused(state, "alpha-1 fire bravo-1 spotter alpha-1").rule == "SKR-71"
    assert refused(state, "alpha-1 fire bravo-1 with m16a2 scope").rule == "SKR-70"
    shooter_pays = world([(20, 10), (22, 10)], [(20, 30)], spotter_pays=False)
    assert after(shooter_pays, "alpha-1 fire bravo-1 spotter alpha-2").model("alpha-1").ap == 3


def test_who_sees_nothing_of_the_target_does_not_spot_for_others():
    """SKR-71: a wall stands between the two; the man who fires sees past it."""
    wall = Wall("wall", (21_000, 12_000, 24_000, 12_300), 3000, "stone")
    state = world([(20, 10), (22, 10)], [(20, 30)], features=[wall])

    assert refused(state, "alpha-1 fire bravo-1 spotter alpha-2").rule == "SKR-71"
    order(state, "alpha-1 fire bravo-1")
    order(world([(20, 10), (22, 10)], [(20, 30)]), "alpha-1 fire bravo-1 spotter alpha-2")


@pytest.mark.parametrize(
    ("changes", "need"), [({"gait": "ran"}, 4), ({"gait": "walked"}, 5), ({"prone": True}, 5)]
)
def test_what_the_target_does_changes_the_number(changes, need):
    """SKR-77, 78, 79."""
    assert odds(change(world(*FAR), "bravo-1", **changes)).need == need


def test_smoke_makes_it_harder_by_three():
    """SKR-80."""
    state = replace(world(*FAR), smoke=(Cloud(20_000, 20_000, 3000, 2),))

    assert odds(state).need == 3


def test_night_makes_it_harder_and_goggles_and_laser_less_so():
    """SKR-81, 82, 83, 84, 163, 164: by list; the Rangers' goggles leave 2, the Marines' 1."""
    assert odds(world(*FAR, night=True)).need == 6 - 3
    assert odds(world([(20, 10)], [(20, 20)], night=True)).need == 6 + 1 - 1
    assert odds(world(*FAR, night=True, things=("1: nvg", ""))).need == 6 - 2
    assert odds(world(*FAR, night=True, things=("1: nvg laser", ""))).need == 6 - 1
    marines = {"lists": ("marines", "taliban"), "night": True}
    assert odds(world(*FAR, things=("1: nvg", ""), **marines)).need == 6 - 1
    assert odds(world(*FAR, things=("1: nvg laser", ""), **marines)).need == 6


@pytest.mark.parametrize(
    ("rise", "flat", "counts"),
    [(0, 3000, False), (0, 3100, True), (2000, 4000, False), (1900, 4000, True), (0, 20_000, True)],
)
def test_lying_down_helps_neither_close_by_nor_from_above(rise, flat, counts):
    """SKR-85: 4" away is 2" up."""
    assert chances.prone_counts(rise, flat) == counts


def test_walking_and_running_do_not_add_up():
    """SKR-86: since the latest activation began, the worst counts; unless the option says so."""
    state = world(*FAR)
    state = after(state, "alpha-1 walk to 20,11")
    state = after(state, "alpha-1 run to 20,14")
    assert ("moved", -4) in odds(state).modifiers

    both = world(*FAR, walk_and_run_add_up=True)
    both = after(after(both, "alpha-1 walk to 20,11"), "alpha-1 run to 20,14")
    assert ("moved", -6) in odds(both).modifiers


def test_an_aimed_shot_may_be_lower_on_the_location_die():
    """SKR-87: a 2 becomes 1, the head; a 1 stays 1."""
    state = world(*FAR)
    for die in (1, 2):
        step = order(state, "alpha-1 fire bravo-1 aimed low", Loaded(to_hit=[2], location=[die]))
        assert of_kind(step, Hit)[0].location == "head"
    assert refused(state, "alpha-1 fire bravo-1 low").rule == "SKR-87"


def test_only_single_shots_are_aimed():
    """SKR-88."""
    assert refused(world(*FAR), "alpha-1 fire bravo-1 burst aimed").rule == "SKR-88"
    order(world(*FAR, aimed_single_only=False), "alpha-1 fire bravo-1 burst aimed")


def test_who_may_not_aim():
    """SKR-185: militia and civilians."""
    for faction in ("militia", "civilians"):
        state = world(*FAR, lists=(faction, "taliban"))
        assert refused(state, "alpha-1 fire bravo-1 aimed").rule == "SKR-185"


@pytest.mark.parametrize(("x", "hit"), [(21.4, False), (25.1, True)])
def test_the_corridor_follows_the_line_to_the_target_to_the_end(x, hit):
    """SKR-89: 1.84" from the line, or 1.5"; and the line's bearing is no whole degree."""
    play = play_on(world([(2, 2)], [(20.2, 40.2), (x, 47)]))

    found = fire.in_corridor(play, play.models["alpha-1"], play.models["bravo-1"], 75_000, 1500)

    assert found == (["bravo-2"] if hit else [])


def test_automatic_fire_sweeps_a_corridor_three_inches_wide():
    """SKR-89, 171: friend and foe within 1.5", not those farther off or behind another."""
    state = world([(20, 10), (21.2, 15), (22, 15)], [(20, 30), (21.4, 25), (20, 33), (18.2, 25)])
    play = play_on(state)

    found = fire.in_corridor(play, play.models["alpha-1"], play.models["bravo-1"], 80_000, 1500)

    assert found == ["alpha-2", "bravo-2"]


@pytest.mark.parametrize(("rules", "found"), [(3, ["alpha-2", "alpha-3"]), (4, [])])
def test_automatic_fire_hits_nobody_beside_or_behind_who_fires(rules, found):
    """SKR-89: its corridor lies to each side of the line. By rules 3 it began 1.5" behind him."""
    play = play_on(world([(20, 10), (20, 8.9), (21.2, 10)], [(20, 30)], rules=rules))

    assert found == fire.in_corridor(
        play, play.models["alpha-1"], play.models["bravo-1"], 80_000, 1500
    )


@pytest.mark.parametrize(("rules", "found"), [(3, []), (4, ["alpha-2"])])
def test_automatic_fire_does_not_spare_the_captured(rules, found):
    """SKR-89: every model in the corridor. By rules 3 they were left out."""
    state = world([(20, 10), (21.2, 28.9)], [(20, 30), (22, 28.9)], rules=rules)
    play = play_on(change(state, "alpha-2", condition="captured", captor="bravo-2"))

    assert found == fire.in_corridor(
        play, play.models["alpha-1"], play.models["bravo-1"], 80_000, 1500
    )


def test_automatic_dice_are_dealt_round_robin_target_first():
    """SKR-90: five dice on three models: 2, 2, 1."""
    state = world([(20, 10)], [(20, 30), (21.4, 25), (18.6, 28)], lists=("militia", "taliban"))
    dice = Loaded(to_hit=[1] * 5, location=[4] * 5, wound=[10] * 5, other=1)

    step = order(state, "alpha-1 fire bravo-1 auto", dice)

    assert [event.who for event in of_kind(step, Hit)] == [
        "bravo-1",
        "bravo-2",
        "bravo-3",
        "bravo-1",
        "bravo-2",
    ]


def named(step):
    """Whom the dice of a shot name, in their order; "" for whom it was ordered at."""
    dice = [event for event in of_kind(step, Rolled) if event.purpose == "to hit"]
    return [getattr(die, "target", "") for die in dice]


@pytest.mark.parametrize(("rules", "at"), [(3, ""), (4, "bravo-2")])
def test_a_die_at_another_in_the_corridor_names_him(rules, at):
    """SKR-89, 90. By rules 3 nobody could tell for whom a die was."""
    state = world([(20, 10)], [(20, 30), (21.4, 25)], lists=("militia", "taliban"), rules=rules)

    step = order(state, "alpha-1 fire bravo-1 auto", Loaded(other=10))

    assert named(step) == ["", at, "", at, ""]


@pytest.mark.parametrize(("facing", "at"), [(180, ""), (0, "alpha-2")])
def test_a_die_names_nobody_whom_a_reader_does_not_see(facing, at):
    """SKR-89: bravo-1 reads of the shot if he sees it, but not who is behind the wall."""
    wall = Wall("wall", (20_600, 21_000, 23_000, 21_200), 2_000, "stone")
    state = world([(20, 10), (21.3, 20)], [(20, 30)], features=[wall], lists=("militia", "taliban"))
    state = change(state, "bravo-1", facing=facing)

    step = order(state, "alpha-1 fire bravo-1 auto", Loaded(other=10))

    assert named(step)[1] == at


def test_a_building_is_easier_to_hit_by_its_levels():
    """SKR-91: two levels, +2."""
    house = Building("house", (17_000, 30_000, 23_000, 35_000), 2, "stone", ())
    state = world([(20, 10)], [(44, 44)], features=[house])

    step = order(state, "alpha-1 fire building house level 1 with m203", Loaded(other=10))

    assert ("building", 2) in of_kind(step, Fired)[0].modifiers
    assert of_kind(step, Fired)[0].need == 6 + 0 + 2


@pytest.mark.parametrize(
    ("die", "location"),
    [
        (1, "head"),
        (2, "chest"),
        (3, "chest"),
        (4, "stomach"),
        (5, "stomach"),
        (6, "abdomen"),
        (7, "right leg"),
        (8, "left leg"),
        (9, "right arm"),
        (10, "left arm"),
    ],
)
def test_where_a_hit_goes(die, location):
    """SKR-92."""
    assert wounds.location(die) == location


@pytest.mark.parametrize(("die", "stopped"), [(3, ""), (4, "cover")])
def test_cover_over_the_place_hit_may_stop_the_shot(die, stopped):
    """SKR-93: stone is hard, an M16A2 goes through on 3 or less; the chest above is open."""
    wall = Wall("w", (10_000, 28_000, 30_000, 28_200), 500, "stone")
    state = world([(20, 10)], [(20, 29)], features=[wall])
    state = change(state, "bravo-1", flashed=True)

    legs = order(state, "alpha-1 fire bravo-1", Loaded(to_hit=[2], location=[7], cover=[die]))
    chest = order(state, "alpha-1 fire bravo-1", Loaded(to_hit=[2], location=[2]))

    assert of_kind(legs, Hit)[0].stopped == stopped
    assert "cover" not in [event.purpose for event in of_kind(chest, Rolled)]


def test_what_the_cover_is_made_of_changes_the_roll():
    """SKR-93: possibly modified by the cover."""
    assert sight.cover_value("leaves", 7, 3) == 7
    assert sight.cover_value("stone", 7, 3) == 3
    assert sight.cover_value("concrete", 7, 3) == 2


@pytest.mark.parametrize(("x", "dice"), [(20.9, 2), (21.1, 1)])
def test_a_shotgun_spreads_at_long_range(x, dice):
    """SKR-171: 2" wide beyond 12", and one man nearby is rolled for, too."""
    state = world(
        [(20, 10)],
        [(20, 26), (x, 27.2)],
        lists=("airborne", "taliban"),
        things=("1: shotgun", ""),
    )

    step = order(state, "alpha-1 fire bravo-1 with shotgun", Loaded(to_hit=[10, 10]))

    assert [event.purpose for event in of_kind(step, Rolled)] == ["to hit"] * dice


def test_an_expert_rifleman_rolls_one_miss_again_once_a_game():
    """SKR-180."""
    state = world(*FAR)

    step = order(
        state, "alpha-1 fire bravo-1 reroll", Loaded(to_hit=[9, 3], location=[4], wound=[5])
    )

    assert of_kind(step, Hit)
    assert refused(step.state, "alpha-1 fire bravo-1 reroll").rule == "SKR-180"
    taliban = world(*FAR, lists=("taliban", "rangers"))
    assert refused(taliban, "alpha-1 fire bravo-1 reroll").rule == "SKR-180"


def test_a_runner_spots_for_nobody_whom_he_had_not_spotted():
    """SKR-27, 71: he runs past a corner and sees an enemy. By rules 3 he spotted for others."""
    corner = Wall("corner", (10_000, 24_000, 19_000, 24_300), 3000, "stone")
    for rules in (4, 3):
        state = world([(24, 20), (15, 20)], [(20, 40)], features=[corner], rules=rules)
        state = after(state, "alpha-2 run to 19.5,20")
        text = "alpha-1 fire bravo-1 spotter alpha-2"

        assert "bravo-1" in state.model("alpha-2").sees
        if rules == 4:
            assert refused(state, text).rule == "SKR-71"
        else:
            assert after(state, text).model("alpha-2").ap == 2


@pytest.mark.parametrize(("rules", "spent"), [(4, False), (3, True)])
def test_a_miss_at_a_friend_is_not_rolled_again(rules, spent):
    """SKR-89, 180: the re-roll is kept for the enemy. By rules 3 it went to the first miss."""
    state = world([(5, 5), (21, 20), (20, 10)], [(20, 40)], rules=rules)
    enemy_hit_friend_missed = Loaded(to_hit=[1, 10] * 5, other=10)

    step = order(state, "alpha-3 fire bravo-1 auto reroll", enemy_hit_friend_missed)

    assert step.state.model("alpha-3").rerolled == spent


def test_a_sniper_rifle_fires_twice_a_turn():
    """SKR-43: what the chart limits."""
    state = world(*FAR, things=("1: sniper", ""))
    state = change(state, "alpha-1", ap=30)
    for _ in range(2):
        state = after(state, "alpha-1 fire bravo-1 with sniper", Loaded(other=10))

    assert refused(state, "alpha-1 fire bravo-1 with sniper").rule == "SKR-68"
    picked_up = dropped_and_picked_up(state, "sniper")
    assert refused(picked_up, "alpha-1 fire bravo-1 with sniper").rule == "SKR-68"


def test_reloading_takes_points_and_rounds():
    """SKR-43: two points for a magazine of thirty; a shotgun shell by shell."""
    state = loaded(world(*FAR), "alpha-1", 4)
    full = after(state, "alpha-1 reload m16a2").model("alpha-1")
    assert (full.ap, full.arm("m16a2").loaded, full.count("5.56")) == (8, 30, 180 - 26)
    assert refused(world(*FAR), "alpha-1 reload").rule == "SKR-43"

    shotgun = world(*FAR, lists=("airborne", "taliban"), things=("1: shotgun", ""))
    shotgun = loaded(shotgun, "alpha-1", 1)
    one = after(shotgun, "alpha-1 reload shotgun").model("alpha-1")
    assert (one.ap, one.arm("shotgun").loaded) == (9, 2)


@pytest.mark.parametrize(("die", "hit"), [(1, True), (10, False)])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_line_of_a_shot_says_whether_it_hit(seat, die, hit):
    state = world(*FAR)
    who, whom = ("alpha-1", "bravo-1") if seat == 0 else ("bravo-1", "alpha-1")
    state = replace(state, active=Activation(seat, who, (who,)), chooser=seat)
    dice = Loaded(to_hit=[die], location=[7], wound=[8])

    [line] = after(state, f"{who} fire {whom}", dice, seat=seat).shots

    assert (line.shooter, line.hit) == (who, hit)


def test_a_hit_is_told_to_those_who_see_it():
    state = world(*FAR)

    step = order(state, "alpha-1 fire bravo-1", Loaded(to_hit=[1], location=[1], wound=[1]))

    assert [event.what for event in of_kind(step, Changed)] == ["killed"]
    assert of_kind(step, Changed)[0].readers == (0, 1)
