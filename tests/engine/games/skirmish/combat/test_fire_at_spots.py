"""What is fired at spots and walls, and thrown to spots: SKR-48, 51, 58, 140."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.combat import fire
from engine.games.skirmish.events import Exploded
from engine.games.skirmish.ground.terrain import Building, Wall
from engine.games.skirmish.moves import Fire
from tests.engine.games.skirmish.world import (
    Loaded,
    change,
    of_kind,
    order,
    play_on,
    refused,
    world,
)

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


def test_the_edge_of_the_table_is_on_it_and_nothing_beyond_is():
    """SKR-51: 48 inches each way."""
    state = world([(10, 10)], [(24, 24)], priority_target=False)
    corner = change(state, "alpha-1", x=40_000, y=40_000)

    for spot in ("0,10", "10,0"):
        assert bursts(state, f"alpha-1 fire {spot} with m203")
    for spot in ("48,40", "40,48"):
        assert bursts(corner, f"alpha-1 fire {spot} with m203")
    for spot in ("48.1,40", "40,48.1"):
        assert refused(corner, f"alpha-1 fire {spot} with m203").rule == "SKR-51"


def test_a_spot_on_a_roof_is_thrown_to():
    """SKR-51."""
    state = world([(33, 28)], features=(HOUSE,))

    assert bursts(state, "alpha-1 throw m67 at 33,32 on house-1") == [(33_000, 32_000)]


def test_a_wall_is_fired_at_by_who_sees_it_from_outside():
    """SKR-58, 115, 116: and only on a level that the building has."""
    high = Wall("high", (8_000, 20_000, 40_000, 20_300), 5000, "stone")
    text = "alpha-1 fire building house level {} with m203"
    before, inside, hidden = (
        world([at], features=features)
        for at, features in (
            ((33, 10), (HOUSE,)),
            ((33, 33), (HOUSE,)),
            ((33, 10), (HOUSE, high)),
        )
    )

    assert bursts(before, text.format(0))
    assert refused(before, text.format(1)).rule == "SKR-116"
    assert refused(before, text.format(0).replace("house", "shed")).rule == "SKR-116"
    assert refused(inside, text.format(0)).rule == "SKR-115"
    assert refused(hidden, text.format(0)).rule == "SKR-58"


@pytest.mark.parametrize(
    ("spot", "rule"), [("11,14.9 on house-1", None), ("0.1,4", "SKR-64"), ("0.5,4", None)]
)
def test_from_a_roof_a_spot_on_it_is_nearer_than_one_on_the_ground(spot, rule):
    """SKR-1, 64: as if a man stood there; 9.9" or 10.1" away, while an enemy is within 10"."""
    house = Building("house", (10_000, 1_000, 16_000, 20_000), 1, "stone", ())
    state = world([(11, 4)], [(8, 10)], features=(house,))
    state = change(state, "alpha-1", floor="house-1")

    if rule:
        assert refused(state, f"alpha-1 fire {spot} with m203").rule == rule
    else:
        assert bursts(state, f"alpha-1 fire {spot} with m203")


@pytest.mark.parametrize(("level", "far"), [(0, 14_500), (1, 14_632), (2, 15_024)])
def test_a_level_is_as_far_away_as_it_is_high(level, far):
    """SKR-1, 91: fifteen inches along the ground, and two up for each level."""
    tower = replace(HOUSE, levels=3)
    play = play_on(world([(33, 15)], features=(tower,)))
    shot = Fire("alpha-1", "m203", "single", building="house", level=level)

    assert fire.chance_of(play, shot).distance == far


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


def test_nobody_fires_at_a_spot_through_a_man():
    """SKR-48: a friend in the line stops a shell as he stops a shot, but not one that lies."""
    state = world([(20, 10), (20, 12)], [(20, 30)])
    text = "alpha-1 fire 20,28 with m203"

    assert refused(state, text).rule == "SKR-48"
    assert bursts(change(state, "alpha-2", prone=True), text)
    assert bursts(change(state, "alpha-2", x=21_000), text)
    assert bursts(world([(20, 10), (20, 12)], [(20, 30)], rules=3), text)


def test_who_stands_on_the_spot_is_what_a_shell_is_fired_at():
    """SKR-48: he does not stop it on its way to himself."""
    assert bursts(world([(20, 10)], [(20, 30)]), "alpha-1 fire 20,29.7 with m203")


def test_nobody_fires_at_a_wall_through_a_man():
    """SKR-48."""
    state = world([(33, 10), (33, 12)], [(46, 46)], features=(HOUSE,))
    text = "alpha-1 fire building house with m203"

    assert refused(state, text).rule == "SKR-48"
    assert bursts(change(state, "alpha-2", x=34_000), text)


def test_an_enemy_out_of_sight_refuses_no_shell():
    """SKR-48, 58: a refusal says nothing of whom the side does not see."""
    state = change(world([(20, 10)], [(20, 18)]), "alpha-1", facing=180)

    assert not any(contact.seen for contact in state.contacts[0])
    assert bursts(state, "alpha-1 fire 20,28 with m203")
