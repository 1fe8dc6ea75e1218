"""What the bot does with its men."""

import pytest

from engine.games.skirmish import GAME
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.moves import Fire, Stance, Travel
from tests.engine.games.skirmish.world import Loaded, change, world

#: No enemy is in sight, so the bot makes for the middle of the table.
HIDDEN = Wall("wall", (30_000, 44_000, 48_000, 44_600), 1_900, "stone")
#: Whoever lies behind it sees nobody, and whoever stands sees all.
LOW = Wall("low", (20_000, 11_000, 28_000, 11_300), 600, "stone")


def chosen(state):
    return GAME.choose(GAME.view(state, 0), list(GAME.legal_moves(state, 0)), Loaded())


def lying(at, *features, **values):
    state = world([at], features=[HIDDEN, *features])
    return change(state, "alpha-1", prone=True, **values)


def test_the_bot_gets_up_to_go_on_and_goes():
    state = lying((10, 10))

    move = chosen(state)
    state = GAME.apply(state, 0, move, Loaded()).state

    assert move == Stance("alpha-1", False)
    assert isinstance(chosen(state), Travel)


@pytest.mark.parametrize(
    "state",
    [
        lying((24, 24)),
        lying((10, 10), Wall("pen", (9_000, 11_000, 11_000, 11_300), 2_500, "stone"), ap=5),
    ],
    ids=["he is where he would go", "there is no time to go anywhere"],
)
def test_the_bot_does_not_get_up_where_it_could_go_nowhere(state):
    assert chosen(state) != Stance("alpha-1", False)


@pytest.mark.parametrize(("mate", "fires"), [(21.2, False), (21.6, True)])
def test_the_bot_does_not_sweep_its_own_men(mate, fires):
    """SKR-89: within 1.5" of the line of automatic fire."""
    state = world([(4, 4), (mate, 20), (20, 10)], [(20, 30)])
    for name in ("alpha-1", "alpha-2"):
        state = change(state, name, ap=0)

    move = chosen(state)

    assert isinstance(move, Fire)
    assert (move.mode == "auto") == fires


def test_the_bot_does_not_fire_at_whom_its_own_men_fight():
    """SKR-132b: half of such hits are on a friend."""
    state = world([(20, 10), (21, 30)], [(20, 30)])

    assert not isinstance(chosen(change(state, "alpha-2", ap=0)), Fire)


@pytest.mark.parametrize(("features", "lies_down"), [((), True), ((LOW,), False)])
def test_the_bot_lies_down_only_where_it_still_sees_somebody(features, lies_down):
    """Else it would pay for getting up again, turn after turn, to shoot."""
    state = world([(24, 10)], [(24, 30)], features=features)
    state = change(state, "alpha-1", ap=1)
    assert state.model("alpha-1").sees == ("bravo-1",)

    assert (chosen(state) == Stance("alpha-1", True)) == lies_down
