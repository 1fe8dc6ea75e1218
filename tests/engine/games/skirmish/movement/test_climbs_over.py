"""A climb over something crosses the ground on both sides of it: SKR-33, 165."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.events import Exploded
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.state import Device
from tests.engine.games.skirmish.world import Loaded, after, of_kind, order, world

WALL = Wall("wall", (10_000, 22_000, 30_000, 22_300), 500, "stone")
CLIMB = "alpha-1 climb to 20,24.5"


def mined(y, rules=4):
    """He stands two inches before the wall, and a mine lies on his way."""
    mine = Device("mine-1", "mine", 1, "bravo-1", 20_000, y, "ground")
    return replace(world([(20, 20)], features=(WALL,), rules=rules), devices=(mine,))


@pytest.mark.parametrize(
    ("y", "rules", "bangs"),
    [
        (20_900, 4, 1),
        (23_400, 4, 1),
        (22_150, 4, 0),  # under the wall
        (24_900, 4, 1),
        (20_900, 3, 0),
        (23_400, 3, 0),
        (24_900, 3, 1),
    ],
)
def test_mines_go_off_before_and_behind_what_is_climbed_over(y, rules, bangs):
    """SKR-165: by rules 3 only where he came down."""
    step = order(mined(y, rules), CLIMB, Loaded(other=9))

    assert len(of_kind(step, Exploded)) == bangs
    assert step.state.model("alpha-1").at == (20_000, 24_500)


@pytest.mark.parametrize(("y", "stops"), [(20_900, 20_400), (23_400, 22_900)])
def test_who_is_hurt_on_his_climb_lies_where_his_base_touched_the_mine(y, stops):
    """SKR-98, 165: immobilized by a leg."""
    man = after(mined(y), CLIMB, Loaded(location=[7, 7], wound=[4, 9])).model("alpha-1")

    assert man.at == (20_000, stops)
    assert man.prone
