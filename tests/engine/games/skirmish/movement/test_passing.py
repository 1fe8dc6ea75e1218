"""Sight in passing and Op-Fire happen where they do on a way, to the thousandth of an inch.

The laws try ways over random ground at every hundredth of an inch: nothing may happen there that
the way itself does not tell, and what it tells must be so at its place, and not just before.
"""

import math
import random
from itertools import pairwise

import pytest
from msgspec.structs import replace

from engine.games.skirmish import GAME
from engine.games.skirmish.combat import watching
from engine.games.skirmish.events import Interrupted, LostSight, Moved, Sighted
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Leg
from engine.games.skirmish.ground.scene import Cloud
from engine.games.skirmish.ground.terrain import Building, Opening, Tree, Wall
from engine.games.skirmish.moves import OpFire, Travel
from engine.games.skirmish.sight import passing, spotting
from tests.engine.games.skirmish.world import Loaded, change, looked, of_kind, order, play_on, world

#: How closely the laws look: a hundredth of an inch.
FINE = 10
#: Places are rounded to thousandths, so that at its edge a line may open and close within so many.
HAIR = 3


def deadly():
    """Dice by which the first shot kills."""
    return Loaded(to_hit=[1], location=[1], armour=[10], wound=[1], other=10)


def ground(chance, inner=(10_000, 10_000, 38_000, 38_000)):
    """Walls thick and thin, low and high, trees, and a house with doors and windows."""
    west, south, east, north = inner
    features = []
    for number in range(chance.randrange(2, 9)):
        x, y = chance.randrange(west, east), chance.randrange(south, north)
        long, thick = chance.randrange(200, 6000), chance.choice([60, 200, 300, 900])
        wide, deep = (long, thick) if chance.randrange(2) else (thick, long)
        height = chance.choice([300, 500, 700, 800, 900, 1200, 2500])
        features.append(Wall(f"wall {number}", (x, y, x + wide, y + deep), height, "stone"))
    for number in range(chance.randrange(4)):
        at = (chance.randrange(west, east), chance.randrange(south, north))
        features.append(Tree(f"tree {number}", at, chance.choice([150, 300])))
    if north - south > 8000 and chance.randrange(2):
        x, y = chance.randrange(west, east - 7000), chance.randrange(south, north - 7000)
        openings = tuple(
            Opening(side, chance.randrange(1000, 5000), chance.choice(["door", "window"]))
            for side in chance.sample(["north", "east", "south", "west"], 3)
        )
        features.append(Building("house", (x, y, x + 6000, y + 6000), 2, "stone", openings))
    return features


def place(chance, low=4000, high=44_000):
    return (chance.randrange(low, high), chance.randrange(low, high))


def crowd(chance, **switches):
    """A mover, a mate and three enemies on random ground, and a leg, whatever stands in its way."""
    state = world(
        [(1, 1), (2, 1)],
        [(46, 46), (44, 46), (42, 46)],
        features=ground(chance),
        scenario=chance.choice(["clash", "night-raid"]),
        **switches,
    )
    models = tuple(
        replace(
            model,
            x=(at := place(chance))[0],
            y=at[1],
            facing=chance.randrange(360),
            prone=chance.randrange(4) == 0,
            flashed=chance.randrange(6) == 0,
            floor=chance.choice(["ground", "house-1"])
            if "house-1" in play_on(state).terrain.floors
            else "ground",
        )
        for model in state.models
    )
    return looked(replace(state, models=models))


def leg_of(chance, state, most=6000):
    start = state.model("alpha-1").at
    return Leg(start, geometry.towards(start, chance.randrange(360), chance.randrange(500, most)))


@pytest.mark.parametrize("seed", range(12))
def test_no_line_of_sight_opens_or_closes_unnoticed(seed):
    """SKR-53, 58, 59, 61: tried at every hundredth of an inch, from both ends of the line."""
    chance = random.Random(f"lines {seed}")
    state = crowd(chance)
    leg = leg_of(chance, state)
    play = play_on(change(state, "alpha-1", facing=geometry.bearing(leg.start, leg.end)))
    lines = passing.lines_of(play, leg, "alpha-1")

    found = [passing.changes(line, 0, leg.length) for line in lines]

    for line, turns in zip(lines, found, strict=True):
        for turn in turns:
            assert line.sees(turn) != line.sees(turn - 1), (line.pair, turn)
        for spot in range(0, leg.length + 1, FINE):
            if any(abs(turn - spot) <= HAIR for turn in turns):
                continue
            even = sum(turn <= spot for turn in turns) % 2 == 0
            assert line.sees(spot) == (line.sees(0) if even else not line.sees(0)), (
                line.pair,
                spot,
                turns,
            )


@pytest.mark.parametrize("seed", range(4))
def test_a_line_of_sight_is_what_spotting_says(seed):
    """Arc, darkness and touch are asked in the same way along a leg as of a model that stands."""
    chance = random.Random(f"same {seed}")
    state = crowd(chance)
    leg = leg_of(chance, state)
    play = play_on(state)
    for line in passing.lines_of(play, leg, "alpha-1"):
        for spot in range(0, leg.length, 97):
            x, y = leg.at(spot)
            play.put("alpha-1", x=x, y=y)
            watcher, target = (play.models[name] for name in line.pair)
            seen = spotting.spots(play.scene, watcher, target)
            assert line.sees(spot) == spotting.notices(seen, watcher, target)


# --- a way told ---


def alone(chance, seed):
    """One who walks west to east past one enemy, behind walls with gaps between them."""
    features, x = [], 9000
    for number in range(12):
        x += chance.choice([120, 300, 500])
        wide = chance.randrange(600, 3000)
        features.append(Wall(f"{seed} {number}", (x, 20_700, x + wide, 20_900), 1500, "stone"))
        x += wide
    far = (chance.randrange(12, 30), chance.randrange(24, 46))
    return world([(9, 20)], [far], features=features)


def seen_at(state, leg):
    """Whether the enemy sees him at each hundredth of an inch."""
    play = play_on(state)
    watcher = play.models["bravo-1"]
    for spot in range(0, leg.length + 1, FINE):
        x, y = leg.at(spot)
        man = play.put("alpha-1", x=x, y=y)
        yield spotting.notices(spotting.spots(play.scene, watcher, man), watcher, man)


def told_to_the_enemy(step):
    events = [event for event in step.events if isinstance(event, Sighted | LostSight)]
    return [event for event in events if event.readers == (1,) and event.who == "alpha-1"]


def glimpses(seed, rules):
    """What a way tells the enemy of coming and going, and what there is to tell."""
    state = replace(alone(random.Random(f"gaps {seed}"), seed), rules=rules)
    leg = Leg((9000, 20_000), (19_000, 20_000))
    seen = list(seen_at(state, leg))
    step = order(state, "alpha-1 walk to 19,20")
    there = [b for a, b in pairwise(seen) if a != b]
    return [isinstance(event, Sighted) for event in told_to_the_enemy(step)], there


@pytest.mark.parametrize("seed", range(10))
def test_every_glimpse_is_told_on_a_way_past_gaps(seed):
    """SKR-58."""
    told, there = glimpses(seed, rules=4)

    assert told == there


def test_by_version_3_glimpses_were_missed():
    assert any(told != there for told, there in (glimpses(seed, rules=3) for seed in range(10)))


def walls(gap, left=20_000):
    return [
        Wall("west", (10_000, 20_600, left, 20_800), 2000, "stone"),
        Wall("east", (left + gap, 20_600, 40_000, 20_800), 2000, "stone"),
    ]


def test_who_crosses_a_gap_of_a_third_of_an_inch_is_seen_in_it():
    """SKR-58: nine inches in one stretch, of which the enemy sees an inch and a bit."""
    state = world([(15.3, 20)], [(20.15, 40)], features=walls(300))

    step = order(state, "alpha-1 walk to 24.3,20")

    came, went = told_to_the_enemy(step)
    assert isinstance(came, Sighted)
    assert isinstance(went, LostSight)
    contact = next(c for c in step.state.contacts[1] if c.model == "alpha-1")
    assert not contact.seen
    # 100 of his 1000 thousandths in the gap, as far as it opens to one who stands so far behind it
    assert abs(came.at[0] - 19_600) < 20
    assert abs(contact.x - 20_700) < 20
    assert spotting.notices(*look_from(step.state, "bravo-1", "alpha-1", (contact.x, 20_000)))
    assert not spotting.notices(
        *look_from(step.state, "bravo-1", "alpha-1", (contact.x + 1, 20_000))
    )


def look_from(state, watcher, target, at):
    play = play_on(state)
    man = play.put(target, x=at[0], y=at[1])
    there = play.models[watcher]
    return spotting.spots(play.scene, there, man), there, man


@pytest.mark.parametrize(("rules", "seen"), [(4, True), (3, False)])
def test_whoever_passes_a_gap_sees_through_it(rules, seen):
    """SKR-58: for him it is open for a third of an inch, between two of the strides of before."""
    state = world([(15.6, 20)], [(20.15, 44)], features=walls(300), rules=rules)
    state = change(state, "bravo-1", facing=0)

    step = order(state, "alpha-1 walk to 24.6,20")

    # he goes east, so the enemy in the north is abeam of him
    sighted = [event.who for event in of_kind(step, Sighted)]
    assert sighted == (["bravo-1"] if seen else [])
    assert ("bravo-1" in step.state.model("alpha-1").known) == seen


def test_who_sees_somebody_in_passing_has_spotted_him_himself():
    """SKR-57, 58: a mate sees him all the way, so he is on their side's map before and after."""
    state = world([(15.6, 20)], [(20.15, 44), (20, 10)], features=walls(300))
    state = change(change(state, "bravo-1", facing=180), "bravo-2", facing=0)
    assert "alpha-1" not in state.model("bravo-1").known

    state = order(state, "alpha-1 walk to 24.6,20").state

    assert "alpha-1" in state.model("bravo-1").known
    assert "alpha-1" not in state.model("bravo-1").sees


def test_the_enemy_reads_only_what_he_saw_of_a_way():
    """Where it comes in sight and goes out of it; the mover reads all of his."""
    state = world([(15.3, 20)], [(20.15, 40)], features=walls(300))

    own, seen = of_kind(order(state, "alpha-1 walk to 24.3,20"), Moved)

    assert own.path == ((15_300, 20_000), (24_300, 20_000))
    assert len(seen.path) == 2
    assert 19_500 < seen.path[0][0] < seen.path[1][0] < 20_800


def test_a_door_is_seen_through_while_he_passes_behind_it():
    """SKR-51, 58: inside a house, from outside."""
    house = Building(
        "hut", (10_000, 20_000, 22_000, 26_000), 1, "stone", (Opening("south", 6000, "door"),)
    )
    state = world([(11, 21)], [(16, 8)], features=[house])
    state = change(state, "bravo-1", facing=0)

    step = order(state, "alpha-1 walk to 21,21")

    came, went = told_to_the_enemy(step)
    assert (type(came), type(went)) == (Sighted, LostSight)
    left = came.at[0]
    assert 14_700 < left < 15_000
    assert spotting.notices(*look_from(state, "bravo-1", "alpha-1", (left, 21_000)))
    assert not spotting.notices(*look_from(state, "bravo-1", "alpha-1", (left - 1, 21_000)))


# --- Op-Fire ---


def waits(state, arc=(0, 0), reach=0, chance=10, facing=180):
    watch = OpFire("bravo-1", "ak-47", "single", arc, reach, "first", chance)
    return change(state, "bravo-1", watch=watch, facing=facing)


def ready(state, at, facing):
    """Whether his order would go off against one who stands there."""
    play = play_on(state)
    play.put("alpha-1", x=at[0], y=at[1], facing=facing, gait="walked")
    spotting.refresh(play, {"alpha-1"})
    return watching.ready(play, play.models["bravo-1"], "alpha-1")


def watched_ground(chance):
    """One with a mate before walls, smoke and an enemy who waits with some order."""
    state = world(
        [(chance.randrange(15, 30), chance.randrange(15, 30)), (36, 12)],
        [(chance.randrange(12, 36), chance.randrange(36, 44))],
        features=ground(chance, (10_000, 31_000, 38_000, 36_000))[:3],
        scenario=chance.choice(["clash", "clash", "clash", "night-raid"]),
    )
    clouds = [place(chance, 15_000, 35_000) for _ in range(chance.randrange(3))]
    mate = place(chance, 12_000, 35_000)
    while geometry.distance(mate, state.model("alpha-1").at) < 1200:
        mate = place(chance, 12_000, 35_000)
    state = change(
        replace(state, smoke=tuple(Cloud(*at, 3000, 2) for at in clouds)),
        "alpha-2",
        x=mate[0],
        y=mate[1],
    )
    man, waiting = state.model("alpha-1"), state.model("bravo-1")
    far, towards = geometry.distance(waiting.at, man.at), geometry.bearing(waiting.at, man.at)
    edge = towards + chance.randrange(-60, 30)
    arc = (edge % 360, (edge + chance.randrange(10, 60)) % 360)
    return waits(
        state,
        arc if chance.randrange(3) else (0, 0),
        reach=chance.choice([0, 0, far - chance.randrange(4000)]),
        chance=chance.choice([10, 10, 20, 30]),
        facing=(towards + chance.randrange(-110, 110)) % 360,
    )


def free_leg(chance, state):
    """A leg of the first man's that nothing stands in the way of."""
    start, mate = state.model("alpha-1").at, state.model("alpha-2").at
    while True:
        end = geometry.towards(start, chance.randrange(360), chance.randrange(3000, 9000))
        free = play_on(state).terrain.grounds["ground"].allows([start, end])
        if free and geometry.off_line(start, end, mate) > 1100:
            return Leg(start, end)


@pytest.mark.parametrize("seed", range(6))
def test_op_fire_goes_off_at_the_first_place_where_it_can(seed):
    """SKR-45, 46: sectors, ranges, chances, smoke, walls and bodies, at every hundredth."""
    chance, fired = random.Random(f"op-fire {seed}"), 0
    for _ in range(10):
        state = watched_ground(chance)
        leg = free_leg(chance, state)
        facing = geometry.bearing(leg.start, leg.end)
        spots = range(0, leg.length + 1, FINE)
        first = next((spot for spot in spots if ready(state, leg.at(spot), facing)), None)

        step = GAME.apply(state, 0, Travel("alpha-1", "walk", (leg.end,), "ground"), deadly())

        if not of_kind(step, Interrupted):
            assert first is None
            continue
        at = step.state.model("alpha-1").at
        near = geometry.distance(leg.start, at)
        stop = min(range(max(0, near - 2), near + 3), key=lambda k: math.dist(leg.at(k), at))
        assert first is None or stop <= first
        assert ready(state, at, facing)
        assert stop == 0 or not ready(state, leg.at(stop - 1), facing)
        fired += 1
    assert fired


def test_by_version_3_op_fire_waited_for_the_end_of_a_stride():
    """SKR-46: a sector with its edge between two strides, or reached only between them."""
    edge = waits(world([(15.8, 10)], [(20, 30)]), arc=(140, 180))
    touched = waits(world([(15, 10)], [(20.5, 20)]), reach=9010)
    for state, way, places in (
        (edge, "alpha-1 walk to 24.8,10", (19_826, 20_800)),
        (touched, "alpha-1 walk to 24.5,10", (20_031, None)),
    ):
        for rules, stop in zip((4, 3), places, strict=True):
            step = order(replace(state, rules=rules), way, deadly())
            assert bool(of_kind(step, Interrupted)) == (stop is not None), (way, rules)
            assert stop is None or step.state.model("alpha-1").x == stop


@pytest.mark.parametrize(
    ("arc", "start", "way", "stop"),
    [
        # in sight of him all the way; 170.5 degrees is the edge of a sector in whole degrees
        ((160, 170), (20, 10), "24.5,10", 20_000 + 20_000 * math.tan(math.radians(9.5))),
        ((190, 200), (20, 10), "15.5,10", 20_000 - 20_000 * math.tan(math.radians(9.5))),
    ],
)
def test_op_fire_goes_off_at_the_edge_of_its_sector(arc, start, way, stop):
    """SKR-45."""
    state = waits(world([start], [(20, 30)]), arc)

    man = order(state, f"alpha-1 walk to {way}", deadly()).state.model("alpha-1")

    assert (man.condition, man.y) == ("dead", 10_000)
    assert abs(man.x - stop) <= 1


def test_op_fire_goes_off_where_a_way_comes_within_its_range():
    """SKR-45: the distance is from base to base."""
    state = waits(world([(8, 20)], [(20, 30)]), reach=12_000)

    man = order(state, "alpha-1 walk to 17.5,20", deadly()).state.model("alpha-1")

    assert man.at == (20_000 - math.floor(math.sqrt(13_001**2 - 10_000**2)), 20_000)


def test_op_fire_that_wants_a_clear_shot_goes_off_where_he_leaves_the_smoke():
    """SKR-45, 62, 80: three less to hit are less than the order asks."""
    state = world([(12, 20)], [(20, 40)], features=[])
    state = waits(replace(state, smoke=(Cloud(16_000, 30_000, 3000, 2),)), chance=30)

    man = order(state, "alpha-1 walk to 21,20", deadly()).state.model("alpha-1")

    assert man.condition == "dead"
    assert geometry.off_line((20_000, 40_000), man.at, (16_000, 30_000)) >= 3000
    before = (man.x - 1, man.y)
    assert geometry.off_line((20_000, 40_000), before, (16_000, 30_000)) < 3000


def test_op_fire_goes_off_at_the_door_where_more_than_half_of_him_is_seen():
    """SKR-45, 59."""
    hut = Building(
        "hut", (10_000, 20_000, 22_000, 26_000), 1, "stone", (Opening("south", 6000, "door"),)
    )
    state = waits(world([(11, 21)], [(16, 8)], features=[hut]), facing=0)

    man = order(state, "alpha-1 walk to 21,21", deadly()).state.model("alpha-1")

    assert man.condition == "dead"
    assert look_from(state, "bravo-1", "alpha-1", man.at)[0].plain
    assert not look_from(state, "bravo-1", "alpha-1", (man.x - 1, man.y))[0].plain


def test_who_sets_out_in_a_sector_is_shot_at_where_he_stands():
    """SKR-46: the start of a way is one of its places."""
    state = waits(world([(20, 10)], [(20, 30)]))

    step = order(state, "alpha-1 walk to 20,14", deadly())
    turned = order(state, "alpha-1 face 90", deadly())

    assert step.state.model("alpha-1").at == (20_000, 10_000)
    assert not of_kind(turned, Interrupted)


def test_who_meets_somebody_unseen_stops_where_their_bases_touch():
    """SKR-48: to the thousandth, not at the end of the stride before."""
    state = change(world([(20, 10)], [(20, 14.3)]), "bravo-1", facing=0)
    state = change(state, "alpha-1", facing=180)
    wall = Wall("wall", (18_000, 12_000, 22_000, 12_050), 2000, "leaves", passable=True)
    state = looked(replace(state, table=replace(state.table, features=(wall,))))

    man = order(state, "alpha-1 walk to 20,16").state.model("alpha-1")

    assert man.at == (20_000, 13_310)
