"""What happens on a way is asked of the way, and tells nobody what waits beside it."""

import math
import random
from itertools import pairwise

import pytest
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.errors import IllegalMove
from engine.games.skirmish import GAME
from engine.games.skirmish.data.library import library
from engine.games.skirmish.events import Exploded, Moved
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.terrain import terrain
from engine.games.skirmish.moves import OpFire, Travel
from engine.games.skirmish.shown.planning import Desk
from engine.games.skirmish.state import Device
from tests.engine.games.skirmish.world import Loaded, change, of_kind, order, world


def mine(number, at):
    return Device(f"mine-{number}", "mine", 1, "bravo-1", at[0], at[1], "ground")


def between(a, b, p):
    """How far p lies from the stretch from a to b, by trying all of it."""
    return min(
        math.hypot(a[0] + (b[0] - a[0]) * t / 4000 - p[0], a[1] + (b[1] - a[1]) * t / 4000 - p[1])
        for t in range(4001)
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_mine_goes_off_exactly_where_a_base_crosses_it(seed):
    """SKR-165: the whole way counts, not the places where he looks around."""
    chance, went_off = random.Random(seed), 0
    start = (20_000, 20_000)
    clear = world([(20, 20)])
    for _ in range(25):
        corners = [
            (start[0] + chance.randrange(-4000, 4000), start[1] + chance.randrange(-4000, 4000))
            for _ in range(chance.randrange(1, 3))
        ]
        way = [start, *corners]
        near = geometry.along(*chance.choice(list(pairwise(way))), chance.randrange(5000))
        at = (near[0] + chance.randrange(-900, 900), near[1] + chance.randrange(-900, 900))
        far = min(between(a, b, at) for a, b in pairwise(way))
        if abs(far - 500) < 5 or geometry.length(way) > 10_000:
            continue
        state = replace(clear, devices=(mine(1, at),))
        move = Travel("alpha-1", "walk", tuple(corners), "ground")

        step = GAME.apply(state, 0, move, Loaded(location=[4], armour=[10], wound=[1]))

        went_off += far < 500
        assert bool(of_kind(step, Exploded)) == (far < 500), (way, at)
    assert went_off


def test_a_mine_goes_off_where_the_base_first_touches_it():
    """SKR-165: who is stopped by it lies there, and not at the end of his stride."""
    weak = change(world([(20, 20)]), "alpha-1", hp=1)
    state = replace(weak, devices=(mine(1, (24_600, 20_300)),))
    dice = Loaded(location=[4] * 2, armour=[10] * 2, wound=[9] * 2)

    step = order(state, "alpha-1 walk to 29,20", dice)

    assert of_kind(step, Exploded)
    assert step.state.model("alpha-1").condition != "fit"
    assert step.state.model("alpha-1").at == (24_200, 20_000)


def test_matches_of_version_2_look_at_the_ends_of_strides_only():
    state = replace(world([(20, 20)], rules=2), devices=(mine(1, (21_000, 20_000)),))

    assert not of_kind(order(state, "alpha-1 walk to 24,20"), Exploded)
    assert of_kind(order(replace(state, rules=3), "alpha-1 walk to 24,20"), Exploded)


@pytest.mark.parametrize("hidden", [True, False])
def test_a_movers_answer_does_not_tell_whether_somebody_waits(hidden):
    """SKR-45, 46: neither the way nor anything else he reads."""
    calm = world([(20, 20)], [(40, 44)], hidden_enemies=hidden)
    watch = OpFire("bravo-1", "ak-47", "single", (0, 0), 1000, "first", 90)
    waiting = change(calm, "bravo-1", watch=watch)
    for text in ("walk to 24.3,20 then 24.3,23", "run to 12,20", "crawl to 21,21"):
        here, there = (
            order(
                change(state, "alpha-1", prone=text.startswith("crawl")),
                f"alpha-1 {text}",
                SeededDice(b"k"),
            )
            for state in (calm, waiting)
        )

        read = [[event for event in step.events if event.readable_by(0)] for step in (here, there)]
        assert read[0] == read[1]
        assert of_kind(here, Moved)


def test_a_mover_reads_his_corners_and_where_he_stopped():
    state = world([(20, 20)])

    step = order(state, "alpha-1 walk to 23.4,20 then 23.4,24.1")

    assert of_kind(step, Moved)[0].path == ((20_000, 20_000), (23_400, 20_000), (23_400, 24_100))


@pytest.mark.parametrize("table", sorted(library().tables))
def test_one_way_and_many_at_once_are_on_the_ground_and_rough_alike(table):
    """SKR-31: each is computed in a way of its own, for speed."""
    ground, chance = terrain(library().tables[table]), random.Random(table)
    legs = [tuple(_somewhere(chance) for _ in range(2)) for _ in range(200)]
    ways = [[_somewhere(chance) for _ in range(chance.randrange(1, 5))] for _ in range(200)]

    for place in ground.grounds.values():
        assert place.allowed_legs(legs) == [place.allows(leg) for leg in legs]
    assert ground.rubble.lengths_of(ways) == [ground.rubble.length_of(way) for way in ways]
    assert ground.rubble.empty or any(ground.rubble.lengths_of(ways))


def _somewhere(chance):
    return chance.randrange(1000, 47_000), chance.randrange(1000, 47_000)


@pytest.mark.parametrize(("rules", "through"), [(4, False), (3, True)])
def test_no_way_that_is_found_leads_through_a_man(rules, through):
    """SKR-48: from 11.5,11.5 to 12.5,10.5 is 0.984" from alpha-3; both ends are far enough off."""
    state = world([(6.267, 9.379), (11.417, 9.278), (11.316, 10.293)], rules=rules)
    ways = Desk(GAME.view(state, 0)).ways("alpha-1")

    runs = [Travel("alpha-1", "run", way.path) for way in ways if way.run is not None]
    refused = {error.rule for run in runs if (error := refusal(state, run)) is not None}

    assert len(runs) > 50
    assert refused == ({"SKR-48"} if through else set())


def refusal(state, move):
    try:
        GAME.check(state, 0, move)
    except IllegalMove as error:
        return error
    return None
