"""Seeing, sharing and command: SKR-8, 53 to 62."""

import itertools
import math

import pytest
import shapely
from msgspec.structs import replace

from engine.chooser import Chooser
from engine.games.skirmish.combat import chances
from engine.games.skirmish.data.library import library, weapon
from engine.games.skirmish.events import LostSight, Sighted
from engine.games.skirmish.ground.geometry import open_share
from engine.games.skirmish.ground.scene import Cloud, Scene, tall
from engine.games.skirmish.ground.terrain import (
    BASE,
    LYING,
    STANDING,
    Building,
    Opening,
    Tree,
    Wall,
    terrain,
)
from engine.games.skirmish.moves import OpFire
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.state import Model
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


def seen(state, watcher="alpha-1", target="bravo-1"):
    play = play_on(state)
    return sight.look(play.scene, play.models[watcher], play.models[target])


def wall(height, y=15_000):
    return Wall("wall", (10_000, y, 30_000, y + 200), height, "stone")


def test_the_size_of_a_model():
    """SKR-8: a base of 1", 1" tall standing, a quarter lying down."""
    assert (BASE, STANDING, LYING) == (1000, 1000, 250)


def test_in_the_open_all_of_a_man_is_in_sight():
    """SKR-58."""
    assert (seen(world([(20, 10)], [(20, 30)])).body) == 1000


def test_a_high_wall_hides_and_a_low_one_covers():
    """SKR-51, 59: more than half of base or body is enough, less is not."""
    assert seen(world([(20, 10)], [(20, 20)], features=[wall(1500)])).body == 0

    half = seen(world([(20, 10)], [(20, 15.8)], features=[wall(500)]))
    assert 300 < half.body < 600
    assert half.base == 0
    low = seen(world([(20, 10)], [(20, 15.8)], features=[wall(300)]))
    assert low.plain


def test_the_share_in_sight_is_measured_exactly():
    """SKR-59: a wall end that hides the western half of a man hides half of him."""
    half = Wall("half", (10_000, 19_000, 20_000, 19_100), 3000, "stone")

    look = seen(world([(20, 10)], [(20, 20)], features=[half]))

    assert look.body == look.base == 500
    assert not look.plain


@pytest.mark.parametrize("name", sorted(library().tables))
def test_shares_on_every_table_are_those_of_all_shadows_at_once(name):
    """SKR-58, 59: no shadow that is left out, and no short way, changes a share."""
    ground, chooser = terrain(library().tables[name]), Chooser(name)
    floors = sorted(ground.floors)
    asked = []
    for _ in range(150):
        high, low = (ground.floors[floors[chooser.below(len(floors))]] for _ in range(2))
        west, south, east, north = high.rect
        at = west + chooser.below(east - west), south + chooser.below(north - south)
        near = tuple(z - 6000 + chooser.below(12_000) for z in at)
        asked.append(
            [
                figure(at, high.name, chooser.below(3) == 0),
                figure(near, low.name, chooser.below(3) == 0),
            ]
        )

    looks = [sight.look(Scene(ground, two), *two) for two in asked]

    for (watcher, target), found in zip(asked, looks, strict=True):
        body, base = all_shadows(ground, watcher, target)
        assert found.body == pytest.approx(body, abs=1)
        assert found.base == pytest.approx(base, abs=1)
    assert {look.body for look in looks} > {0, 1000}


def figure(spot, floor, prone):
    return Model(
        name=f"{spot}", team="", number=1, seat=0, faction="", role="", abilities=None, hp=5,
        x=spot[0], y=spot[1], floor=floor, prone=prone,
    )  # fmt: skip


def all_shadows(ground, watcher, target):
    """The shares of body and base that no solid hides, by shapes alone."""
    eye = ground.height(watcher.floor) + tall(watcher) * 9 // 10
    foot, far = ground.height(target.floor), math.dist(watcher.at, target.at)
    ahead = [(b - a) / far for a, b in zip(watcher.at, target.at, strict=True)]
    between, dark = shapely.box(20, -(10**6), far - 1, 10**6), []
    for solid in ground.solids:
        away = [(x - watcher.x, y - watcher.y) for x, y in solid.outline]
        local = shapely.Polygon(
            [(x * ahead[0] + y * ahead[1], x * ahead[1] - y * ahead[0]) for x, y in away]
        ).intersection(between)
        if not local.is_empty and local.area:
            points = [
                (right * far / depth, eye + (z - eye) * far / depth)
                for depth, right in local.exterior.coords
                for z in (solid.bottom, solid.top)
            ]
            dark.append(shapely.MultiPoint(points).convex_hull)
    for high in (tall(target), 60):
        whole = shapely.box(-500, foot, 500, foot + high)
        yield 1000 * whole.difference(shapely.union_all(dark)).area / whole.area


def test_one_shadow_leaves_the_same_share_as_if_it_were_cast_twice():
    chooser, whole = Chooser("shares"), (0, 0, 1000, 500)

    for _ in range(500):
        west, south, wide, high = (chooser.below(800) / 2 for _ in range(4))
        edge = (west, south), (west + wide, south), (west + 2 * wide, south + high)
        shadow = (*edge, (west, south + high))
        assert open_share(whole, [shadow]) == open_share(whole, [shadow, shadow])


def test_who_lies_down_behind_a_low_wall_is_gone():
    """SKR-8, 59."""
    state = change(world([(20, 10)], [(20, 16)], features=[wall(500)]), "bravo-1", prone=True)

    assert seen(state).body == 0


def test_from_a_roof_one_sees_over_a_wall():
    """SKR-49, 58: the eye is at the head, two storeys up."""
    house = Building("house", (18_000, 4000, 22_000, 9000), 2, "stone", ())
    high = wall(1000, 13_000)
    ground = world([(20, 11)], [(20, 16)], features=[house, high])
    roof = change(ground, "alpha-1", y=8_500, floor="house-2")

    assert seen(ground).body < 200
    assert seen(roof).plain


def test_through_a_window_one_sees_who_stands_behind_it_in_part():
    """SKR-51: sill, lintel and frame are there."""
    window = Opening("south", 3000, "window")
    house = Building("house", (17_000, 15_000, 23_000, 20_000), 1, "stone", (window,))
    blind = Building("house", (17_000, 15_000, 23_000, 20_000), 1, "stone", ())

    part = seen(world([(20, 10)], [(20, 15.9)], features=[house]))

    assert 200 < part.body < 700
    assert part.base == 0
    assert seen(world([(20, 10)], [(20, 15.9)], features=[blind])).body == 0


def test_trees_and_leaves_hide_what_is_behind_them():
    """SKR-51."""
    tree = Tree("oak", (20_000, 15_000), 600)

    assert seen(world([(20, 10)], [(20, 20)], features=[tree])).body < 500


def test_models_in_between_hide_those_behind():
    """SKR-48: a friend in the line hides and blocks; lying down he does neither."""
    state = world([(20, 10), (20, 15)], [(20, 20)])
    play = play_on(state)
    assert seen(state).body < 500
    assert (
        sight.line_blocked(play.scene, play.models["alpha-1"], play.models["bravo-1"]) == "alpha-2"
    )

    lying = change(state, "alpha-2", prone=True)
    play = play_on(lying)
    assert seen(lying).plain
    assert not sight.line_blocked(play.scene, play.models["alpha-1"], play.models["bravo-1"])


def test_one_shoots_over_a_model_an_inch_lower():
    """SKR-49."""
    house = Building("house", (18_000, 8000, 22_000, 11_000), 1, "stone", ())
    state = world([(20, 10.5), (20, 12)], [(20, 25)], features=[house])
    state = change(state, "alpha-1", floor="house-1")
    play = play_on(state)

    assert not sight.line_blocked(play.scene, play.models["alpha-1"], play.models["bravo-1"])


@pytest.mark.parametrize(("facing", "sees"), [(0, True), (89, True), (91, False), (180, False)])
def test_the_facing_arc_is_a_half_circle(facing, sees):
    """SKR-53."""
    state = change(world([(20, 10)], [(20, 30)]), "alpha-1", facing=facing)
    play = play_on(state)

    found = spotting.spots(play.scene, play.models["alpha-1"], play.models["bravo-1"])

    assert found.any == sees


def test_turning_round_may_be_seeing():
    """SKR-58: checked at any time in one's own activation."""
    state = change(world([(20, 10)], [(20, 30)]), "alpha-1", facing=180)
    assert not any(contact.seen for contact in state.contacts[0])

    step = order(state, "alpha-1 face 0")

    assert [event.who for event in of_kind(step, Sighted)] == ["bravo-1"]
    assert of_kind(step, Sighted)[0].readers == (0,)


def test_a_leader_commands_within_his_inches_and_in_sight():
    """SKR-54: CC 7; behind a wall he does not, by radio he does anywhere."""
    state = world([(20, 10), (20, 17), (20, 20), (20, 11)], features=[wall(1500, 13_000)])
    play = play_on(state)
    leader = play.models["alpha-1"]
    assert not spotting.commands(play, leader, play.models["alpha-2"])
    assert not spotting.commands(play, leader, play.models["alpha-3"])
    assert spotting.commands(play, leader, play.models["alpha-4"])

    open_ = play_on(world([(20, 10), (20, 17.9), (20, 18.5)]))
    assert spotting.commands(open_, open_.models["alpha-1"], open_.models["alpha-2"])
    assert not spotting.commands(open_, open_.models["alpha-1"], open_.models["alpha-3"])

    radio = play_on(world([(20, 10), (20, 40)], lists=("delta-force", "taliban")))
    assert spotting.commands(radio, radio.models["alpha-1"], radio.models["alpha-2"])


@pytest.mark.parametrize(("die", "recalled"), [(8, False), (9, True)])
def test_who_leaves_command_range_tests_his_courage_once(die, recalled):
    """SKR-55: morale 8; failing he goes back with all he has left."""
    state = world([(20, 4), (20, 11)], [(46, 46)])
    state = after(state, "alpha-2 walk to 20,16")
    dice = Loaded(courage=[die])

    state = after(state, "alpha end", dice)

    assert dice.purposes().count("courage") == 1
    assert state.model("alpha-2").venturing != recalled or state.model("alpha-2").y < 16_000
    assert (state.model("alpha-2").y < 16_000) == recalled


@pytest.mark.parametrize(("rules", "y", "ap"), [(3, 6_500, 0), (4, 11_004, 8)])
def test_a_stray_goes_back_only_until_he_is_in_command_range(rules, y, ap):
    """SKR-55: 8" from his leader, with CC 7. By rules 3 he ran all the way, and had no AP left."""
    state = world([(20, 4), (20, 13)], active="", rules=rules)
    state = change(state, "alpha-2", recalled=True, venturing=True)

    man = after(state, "activate alpha").model("alpha-2")

    assert (man.y, man.ap, man.recalled, man.venturing) == (y, ap, False, False)


def test_a_stray_who_is_still_out_of_range_has_spent_all_he_had():
    """SKR-55: and goes on in his next activation."""
    state = change(world([(20, 4), (20, 40)], active=""), "alpha-2", recalled=True)

    man = after(state, "activate alpha").model("alpha-2")

    assert man.y < 27_000
    assert (man.ap, man.recalled) == (0, True)


def test_who_fails_his_courage_far_away_is_still_on_his_way_back_in_later_turns():
    """SKR-55: 36" from his leader."""
    state = change(world([(20, 4), (20, 40)]), "alpha-2", ap=3)

    man = after(state, "alpha end", Loaded(courage=[9])).model("alpha-2")

    assert 30_000 < man.y < 36_000
    assert man.recalled


def test_a_stray_near_his_leader_goes_round_the_man_who_hides_him():
    """SKR-55: by rules 3, which looked at forty places only, he stayed and lost all his AP."""
    state = world([(20, 10.5), (21.5, 10.5), (23, 10.5)], active="")
    state = change(state, "alpha-3", recalled=True, venturing=True)

    man = after(state, "activate alpha").model("alpha-3")

    assert man.at != (23_000, 10_500)
    assert (man.recalled, man.venturing, man.ap > 0) == (False, False, True)


def test_a_venture_is_tested_only_once():
    """SKR-55."""
    state = change(world([(20, 4), (20, 25)]), "alpha-2", venturing=True)
    dice = Loaded()

    after(state, "alpha end", dice)

    assert "courage" not in dice.purposes()


def test_targets_are_shared_within_command_range():
    """SKR-56: alpha-2 has spotted bravo-1; alpha-1 beside him may be told, alpha-3 may not."""
    state = world([(10, 10), (12, 10), (40, 10)], [(20, 30)])
    state = change(state, "alpha-1", known=(), sees=())
    play = play_on(state)
    for name in ("alpha-1", "alpha-3"):
        play.put(name, known=())
    play.put("alpha-2", known=("bravo-1",))

    assert spotting.known_targets(play, play.models["alpha-1"]) == {"bravo-1"}
    assert spotting.known_targets(play, play.models["alpha-3"]) == set()


@pytest.mark.parametrize(("rules", "told"), [(3, [True, True]), (4, [False, True])])
def test_of_two_command_ranges_that_of_the_man_who_tells_counts(rules, told):
    """SKR-56, 57: alpha-2, who has CC 8, is 7.5" away. By rules 3 the longer range counted."""
    state = world([(10, 10), (18.5, 10)], things=("2: ocs", ""), rules=rules)
    play = play_on(state)
    one, two = play.models["alpha-1"], play.models["alpha-2"]

    assert [spotting.in_touch(play, two, one), spotting.in_touch(play, one, two)] == told


def test_without_contact_a_target_is_its_finders_alone():
    """SKR-57, 160, 161: until others see it; radios share it anywhere."""
    far = play_on(world([(10, 10), (40, 10)]))
    assert not spotting.in_touch(far, far.models["alpha-1"], far.models["alpha-2"])

    ear = play_on(world([(10, 10), (40, 10)], lists=("green-berets", "taliban")))
    assert spotting.in_touch(ear, ear.models["alpha-1"], ear.models["alpha-2"])


def test_leaders_with_hand_held_radios_talk_anywhere():
    """SKR-160."""
    state = world([(4, 4), (6, 4), (8, 4), (10, 4), (44, 4)], things=("1: motorola", ""))
    play = play_on(state)

    assert play.models["charlie-1"].role == "leader"
    assert spotting.in_touch(play, play.models["alpha-1"], play.models["charlie-1"])
    assert not spotting.in_touch(play, play.models["alpha-2"], play.models["charlie-1"])


def test_a_runner_spots_nobody_new_but_fires_at_those_he_is_told_of():
    """SKR-27."""
    state = world([(20, 10)], [(20, 30)], features=[wall(3000, 12_000)])
    edge = change(state, "alpha-1", x=9_000, y=4_000)
    ran = after(edge, "alpha-1 run to 9,14")
    assert [c.seen for c in ran.contacts[0]] == [True]
    assert refused(ran, "alpha-1 fire bravo-1").rule == "SKR-27"

    told = change(ran, "alpha-1", known=("bravo-1",))
    order(told, "alpha-1 fire bravo-1")


def test_less_than_half_is_a_target_only_aimed_or_after_he_has_fired():
    """SKR-60, 87."""
    state = world([(20, 10)], [(20, 15.7)], features=[wall(550)], things=("", ""))
    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-60"
    order(state, "alpha-1 fire bravo-1 aimed")

    flashed = change(state, "bravo-1", flashed=True)
    order(flashed, "alpha-1 fire bravo-1")


def test_a_flash_suppressor_keeps_a_shooter_dark():
    """SKR-60: an AK-47 flashes, an M16 does not."""
    state = world([(20, 10)], [(20, 30)])
    assert not after(state, "alpha-1 fire bravo-1").model("alpha-1").flashed

    militia = world([(20, 10)], [(20, 30)], lists=("militia", "taliban"))
    assert after(militia, "alpha-1 fire bravo-1").model("alpha-1").flashed


def behind_a_low_wall():
    """An enemy with an AK-47 who waits over a wall; alpha-2 stands with his back to him."""
    state = world([(20, 10), (22, 10)], [(20, 15.7)], features=[wall(550)])
    models = tuple(replace(man, saw_fire=()) for man in state.models)
    state = change(replace(state, models=models), "alpha-2", facing=180)
    return change(state, "bravo-1", watch=OpFire("bravo-1", "ak-47", "single"))


def test_who_did_not_see_him_fire_still_sees_too_little_of_him():
    """SKR-60: in view of the shooter; whoever turns round later has not seen the flash."""
    state = after(behind_a_low_wall(), "alpha-1 drop 1 m67", Loaded(other=10))
    assert state.model("bravo-1").flashed

    state = after(state, "alpha-2 face 0")

    order(state, "alpha-1 fire bravo-1")
    assert refused(state, "alpha-2 fire bravo-1").rule == "SKR-60"
    order(state, "alpha-2 fire bravo-1 aimed")


def test_where_he_fired_is_forgotten_with_his_next_activation():
    """SKR-60."""
    state = after(behind_a_low_wall(), "alpha-1 drop 1 m67", Loaded(other=10))
    assert state.model("alpha-1").saw_fire == ("bravo-1",)

    state = after(after(state, "alpha end"), "activate bravo", seat=1)

    assert state.model("alpha-1").saw_fire == ()
    assert not state.model("bravo-1").flashed


def test_darkness_ends_sight_at_ten_inches_but_not_through_goggles():
    """SKR-61, 163: the base of the one at 11" is 10" away."""
    near = world([(20, 10)], [(20, 21)], night=True)
    far = world([(20, 10)], [(20, 21.1)], night=True)
    goggles = world([(20, 10)], [(20, 40)], night=True, things=("1: nvg", ""))

    assert [c.seen for c in near.contacts[0]] == [True]
    assert far.contacts[0] == ()
    assert [c.seen for c in goggles.contacts[0]] == [True]


def test_smoke_hides_nobody():
    """SKR-62: it makes hitting harder once, wherever it lies on the line."""
    clear = world([(20, 10)], [(20, 30)])
    for y in (10_000, 20_000, 30_000):
        state = replace(clear, smoke=(Cloud(20_000, y, 3000, 3), Cloud(20_000, y, 3000, 3)))
        play = play_on(state)
        assert seen(state).body == 1000
        odds = chances.to_hit(
            play.scene,
            state.options,
            play.models["alpha-1"],
            play.models["bravo-1"],
            weapon("m16a2"),
            "single",
        )
        assert ("smoke", -3) in odds.modifiers
        assert odds.need == 6 - 3


def test_who_leaves_ones_sight_stays_on_the_map_as_a_marker():
    state = world(
        [(20, 10)],
        [(24, 20)],
        features=[Wall("w", (10_000, 15_000, 22_000, 15_300), 3000, "stone")],
    )
    assert [c.seen for c in state.contacts[0]] == [True]

    step = order(state, "alpha-1 walk to 15,10")

    lost = [event.who for event in of_kind(step, LostSight) if event.readers == (0,)]
    assert lost == ["bravo-1"]
    marker = step.state.contacts[0][0]
    assert (marker.seen, marker.x, marker.y) == (False, 24_000, 20_000)


@pytest.mark.parametrize("who", ["alpha-1", "alpha-2", "bravo-1"])
@pytest.mark.parametrize(
    "change",
    [
        {"y": 1000},
        {"facing": 90},
        {"prone": True},
        {"condition": "unconscious"},
        {"condition": "dead"},
        {"carried_by": "alpha-2"},
        {"flashed": True},
        {"flashed": True, "saw_fire": ()},
        {"gear": ("nvg",)},
    ],
)
def test_what_is_kept_of_sight_is_looked_at_anew_after_each_change_that_matters(who, change):
    """SKR-53 to 62; by night, behind a man, at the edge of what can be seen."""
    play = play_on(world([(20, 10), (20, 12)], [(20, 23)], night=True))
    pairs = list(itertools.permutations(play.models, 2))
    for watcher, target in pairs:
        spotting.share(spotting.sights_now(play), watcher, target)

    play.put(who, **change)

    kept = spotting.sights_now(play)
    for watcher, target in pairs:
        here, there = play.models[watcher], play.models[target]
        seen = spotting.spots(play.scene, here, there)
        anew = seen.body if spotting.notices(seen, here, there) else None
        assert spotting.share(kept, watcher, target) == anew, (watcher, target)
