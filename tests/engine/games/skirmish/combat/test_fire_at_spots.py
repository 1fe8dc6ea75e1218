"""What is fired at spots and walls, and thrown to spots: SKR-48, 51, 58, 140."""

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
