"""At whom a grenade is thrown: SKR-27, 57, 108."""

import pytest

from engine.games.skirmish.ground.terrain import Wall
from tests.engine.games.skirmish.world import after, refused, world

WALL = Wall("wall", (10_000, 20_000, 40_000, 20_300), 1500, "stone")
THROW = "alpha-1 throw m67 at bravo-1"


def over_the_wall(friend, rules=4):
    """alpha-1 is behind a wall, and only his friend sees the enemy beyond it."""
    return world([(20, 18.5), friend], [(20, 25)], features=(WALL,), rules=rules)


def test_nobody_throws_at_an_enemy_whom_only_somebody_out_of_touch_has_spotted():
    """SKR-57: his friend is farther off than the 7" of his CC. By rules 3 that was no matter."""
    assert refused(over_the_wall((42, 21)), THROW).rule == "SKR-57"
    assert after(over_the_wall((42, 21), rules=3), THROW).model("alpha-1").count("m67") == 1


def test_he_throws_at_whom_a_friend_in_touch_has_spotted_and_at_any_spot():
    """SKR-56, 108: by radio from anywhere."""
    spot = after(over_the_wall((42, 21)), "alpha-1 throw m67 at 20,25")
    assert spot.model("alpha-1").count("m67") == 1

    radio = world(
        [(20, 18.5), (42, 21)], [(20, 25)], features=(WALL,), lists=("delta-force", "taliban")
    )
    assert after(radio, THROW).model("alpha-1").count("m67") == 3


@pytest.mark.parametrize("rules", [4, 3])
def test_a_runner_throws_at_no_enemy_whom_he_had_not_spotted(rules):
    """SKR-27: as he fires at none. By rules 3 he threw."""
    corner = Wall("corner", (10_000, 24_000, 19_000, 24_300), 3000, "stone")
    state = world([(15, 20)], [(20, 32)], features=(corner,), rules=rules)
    state = after(state, "alpha-1 run to 20,20")

    assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-27"
    if rules == 4:
        assert refused(state, THROW).rule == "SKR-27"
    else:
        assert after(state, THROW).model("alpha-1").count("m67") == 1
