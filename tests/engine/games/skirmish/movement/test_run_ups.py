"""The run-up of a long jump is a run: SKR-35, 44, 46, 48, 165."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.events import Exploded, Fired, Moved
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.moves import OpFire
from engine.games.skirmish.state import Device
from tests.engine.games.skirmish.world import Loaded, after, change, of_kind, order, world

JUMP = "alpha-1 jump to 20,25"


def mined(y, rules=4):
    """He stands at 20,20, and an enemy's mine lies north of him."""
    mine = Device("mine-1", "mine", 1, "bravo-1", 20_000, y, "ground")
    return replace(world([(20, 20)], rules=rules), devices=(mine,))


@pytest.mark.parametrize(("rules", "y", "bangs"), [(4, 21_500, 1), (4, 23_800, 0), (3, 21_500, 0)])
def test_a_mine_goes_off_under_the_run_up_but_not_under_the_jump(rules, y, bangs):
    """SKR-35, 165: by rules 3 he was in the air from the first inch."""
    assert len(of_kind(order(mined(y, rules), JUMP, Loaded(other=9)), Exploded)) == bangs


def test_who_is_hurt_on_the_run_up_does_not_jump():
    """SKR-35, 97: he lies where the mine was, and has spent the AP of the whole."""
    man = after(mined(21_500), JUMP, Loaded(location=[7, 7], wound=[6, 6])).model("alpha-1")

    assert man.at == (20_000, 21_000)
    assert man.ap == 3


@pytest.mark.parametrize(("rules", "shots"), [(4, 3), (3, 0)])
def test_who_waits_fires_at_the_run_up(rules, shots):
    """SKR-35, 46: through a gap that is a man wide he is seen running, not in the air."""
    walls = (
        Wall("south", (25_000, 10_000, 25_300, 21_000), 3000, "stone"),
        Wall("north", (25_000, 22_000, 25_300, 40_000), 3000, "stone"),
    )
    state = world([(21, 19)], [(40, 21.5)], features=walls, rules=rules)
    watch = OpFire("bravo-1", "ak-47")
    state = change(state, "bravo-1", facing=270, watch=watch)

    step = order(state, "alpha-1 jump to 21,24", Loaded(other=9))

    assert len(of_kind(step, Fired)) == shots
    assert step.state.model("alpha-1").at == (21_000, 24_000)


def test_he_is_told_to_run_and_then_to_jump():
    """SKR-35: the way on the ground is one of its own."""
    step = order(world([(20, 20)]), JUMP)

    ways = [(e.gait, e.path) for e in of_kind(step, Moved) if 0 in e.readers]
    assert ways == [
        ("run", ((20_000, 20_000), (20_000, 23_000))),
        ("jump", ((20_000, 23_000), (20_000, 25_000))),
    ]


@pytest.mark.parametrize(("die", "y"), [(5, 25_000), (6, 23_000)])
def test_a_long_jump_is_tested_at_its_edge(die, y):
    """SKR-44: who falls short has run up to it."""
    state = world([(20, 20)], jump_test=True)

    assert after(state, JUMP, Loaded(jump=[die])).model("alpha-1").y == y
