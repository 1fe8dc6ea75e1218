"""What is fired at spots and walls, and thrown to spots: SKR-51, 58, 140."""

import pytest

from engine.games.skirmish.events import Exploded
from engine.games.skirmish.ground.terrain import Building, Wall
from tests.engine.games.skirmish.world import Loaded, change, of_kind, order, refused, world

HOUSE = Building("house", (30_000, 30_000, 36_000, 36_000), 1, "stone", ())
WALL = Wall("wall", (8_000, 20_000, 29_000, 20_300), 1500, "stone")


def bursts(state, text):
    """Where it goes off."""
    return [event.at for event in of_kind(order(state, text, Loaded(to_hit=[1])), Exploded)]


@pytest.mark.parametrize(
    "text", ["fire 10,26 on house-1 with m203", "throw m67 at 10,20 on house-1"]
)
def test_a_spot_lies_on_the_floor_it_is_said_to_lie_on(text):
    """SKR-51, 58: nobody looks over a wall at a floor that is not there. By rules 3 he did."""
    places = {"features": (HOUSE, WALL)}

    assert refused(world([(10, 10)], **places), f"alpha-1 {text}").rule == "SKR-51"
    assert bursts(world([(10, 10)], rules=3, **places), f"alpha-1 {text}")


def test_a_spot_on_a_roof_is_thrown_to():
    """SKR-51."""
    state = world([(33, 28)], features=(HOUSE,))

    assert bursts(state, "alpha-1 throw m67 at 33,32 on house-1") == [(33_000, 32_000)]


def carried(state):
    """The same with alpha-1 on the back of alpha-2."""
    state = change(state, "alpha-2", carrying="alpha-1")
    return change(state, "alpha-1", x=10_000, y=12_000, carried_by="alpha-2", hp=3)


@pytest.mark.parametrize("at", ["10,30", "building house"])
def test_who_is_carried_fires_at_no_spot_or_wall(at):
    """SKR-140: he sees nothing. By rules 3 he did."""
    places = ([(10, 10), (10, 12)], [(46, 46)])
    now, before = (carried(world(*places, features=(HOUSE,), rules=rules)) for rules in (4, 3))

    assert refused(now, f"alpha-1 fire {at} with m203").rule == "SKR-140"
    assert bursts(before, f"alpha-1 fire {at} with m203")
