"""Rings of AP around a man."""

import math

from engine.games.skirmish import GAME
from engine.games.skirmish.ground.terrain import Rubble, Wall
from engine.games.skirmish.shown.contours import rings
from engine.games.skirmish.shown.planning import Desk
from tests.engine.games.skirmish.world import change, world

AT = (20_500, 20_500)


def around(state, gait="walk"):
    return Desk(GAME.view(state, 0)).rings("alpha-1", gait)


def distances(ring, at=AT):
    return [math.dist(at, point) / 1000 for line in ring.lines for point in line]


def test_on_open_ground_a_ring_is_as_far_as_its_ap_walk():
    found = around(world([(20.5, 20.5)]))

    assert [ring.ap for ring in found] == [3, 6, 10]
    for ring in found:
        assert len(ring.lines) == 1
        assert ring.ap - 1 < min(distances(ring))
        assert max(distances(ring)) <= ring.ap + 0.03


def test_a_man_with_fewer_ap_has_a_ring_of_all_that_he_has():
    state = change(world([(20.5, 20.5)]), "alpha-1", ap=5)

    assert [ring.ap for ring in around(state)] == [3, 5]


def test_runs_have_a_ring_for_each_stretch_and_a_man_on_his_belly_goes_half_as_far():
    state = world([(20.5, 20.5)])
    lying = change(state, "alpha-1", prone=True)

    assert [ring.ap for ring in around(state, "run")] == [3, 6, 9]
    assert max(distances(around(lying, "crawl")[-1])) <= 5.1


def test_a_wall_and_rubble_hold_a_ring_back():
    wall = Wall("w", (10_000, 22_000, 30_000, 22_300), 1_900, "stone")
    rubble = Rubble("r", (21_500, 10_000, 40_000, 21_900))
    ring = around(world([(20.5, 20.5)], features=[wall, rubble]))[-1]

    north = max(y for line in ring.lines for _, y in line)
    east = max(x for line in ring.lines for x, _ in line)
    west = min(x for line in ring.lines for x, _ in line)
    assert north <= 22_000
    assert AT[0] - west > 9_000
    assert east - AT[0] < 6_500


def test_two_islands_have_two_lines_and_a_saddle_does_not_join_them():
    def island(x, y):
        return {(x + 1000 * a, y + 1000 * b): 0 for a in range(3) for b in range(3)}

    apart = rings(island(0, 0) | island(9000, 9000), [1], 1000)
    touching = rings(island(0, 0) | island(3000, 3000), [1], 1000)

    assert [len(ring.lines) for ring in (*apart, *touching)] == [2, 2]
