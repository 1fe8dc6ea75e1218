"""Orders of a list: what is supposed after each, and after which the list stops."""

import pytest

from engine.dice import ChanceNeededError, NoDice
from engine.errors import IllegalMove
from engine.games.skirmish import GAME
from engine.games.skirmish.events import Rolled
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.moves import OpFire
from engine.games.skirmish.notation import write
from engine.games.skirmish.orders import sampling
from tests.engine.games.skirmish.shown.test_planning import tables
from tests.engine.games.skirmish.world import Loaded, change, order, play_on, world

WALL = Wall("wall", (0, 20_000, 48_000, 20_300), 1_900, "stone")


def news(step):
    return any(GAME.is_news(event, 0) for event in step.events)


def suppose(state, text):
    return GAME.suppose(GAME.view(state, 0), text)


def test_what_is_supposed_is_what_happens_where_no_die_decides_and_nothing_is_news():
    compared = 0
    for state in tables():
        for model in [one for one in state.models if one.seat == 0]:
            for move in sampling.candidates(play_on(state), model):
                text = write(move)
                try:
                    step = GAME.apply(state, 0, GAME.parse(state, 0, text), NoDice())
                except (IllegalMove, ChanceNeededError):
                    continue
                if news(step):
                    continue
                supposed = suppose(state, text)
                after = GAME.view(step.state, 0)
                assert supposed.assumed is None, text
                assert (supposed.order, supposed.view.own) == (text, after.own)
                assert supposed.view.others == after.others, text
                compared += 1
    assert compared > 200


def test_an_order_that_the_rules_refuse_is_refused_in_a_list_with_the_same_rule():
    state = world([(20, 10)], [(20, 18)])

    with pytest.raises(IllegalMove) as refused:
        suppose(state, "alpha-1 walk to 20,30")
    with pytest.raises(IllegalMove) as by_the_rules:
        GAME.parse(state, 0, "alpha-1 walk to 20,30")

    assert refused.value.sentence == by_the_rules.value.sentence


@pytest.mark.parametrize("whom", ["bravo-2", "bravo"])
def test_a_wait_for_an_enemy_out_of_sight_is_told_in_a_list_as_by_itself(whom):
    """SKR-45: both lists are public, so that he may be named before he is seen."""
    state = world([(20, 10)], [(20, 30), (44, 44)], features=[WALL])
    text = f"alpha-1 opfire with m16a2 single at {whom} chance 10"

    assert write(GAME.parse(state, 0, text)) == text
    assert suppose(state, text).order == text


def test_nobody_waits_for_an_enemy_who_is_in_neither_list():
    state = world([(20, 10)], [(20, 30)])

    for whom in ("bravo-5", "delta", "alpha-2"):
        with pytest.raises(IllegalMove, match=f"There is no enemy called {whom}"):
            GAME.parse(state, 0, f"alpha-1 opfire at {whom}")


def test_the_next_order_is_judged_from_where_the_walk_ends():
    state = world([(20, 10)], [(20, 30)], features=[WALL])
    walk = suppose(state, "alpha-1 walk to 24,12")

    shot = GAME.suppose(walk.view, "alpha-1 face 90")

    assert walk.view.own[0].at == (24_000, 12_000)
    assert walk.view.own[0].ap == state.models[0].ap - 5
    assert shot.view.own[0].facing == 90


def test_of_a_shot_it_is_supposed_that_it_costs_and_hits_nobody():
    state = world([(20, 10)], [(20, 18)])
    gun = state.models[0].arms[0]

    shot = suppose(state, f"alpha-1 fire bravo-1 with {gun.weapon} single")

    assert str(shot.assumed) == "nobody is hit"
    assert shot.view.own[0].ap < state.models[0].ap
    assert shot.view.own[0].arms[0].loaded == gun.loaded - 1
    assert shot.view.others == GAME.view(state, 0).others
    assert [line.hit for line in shot.view.shots] == [False]


def test_an_enemy_who_waits_out_of_sight_is_not_in_what_is_supposed():
    state = world([(20, 10)], [(20, 40)], features=[WALL])
    waiting = change(state, "bravo-1", watch=OpFire("bravo-1", "ak-47", "single"))

    assert suppose(waiting, "alpha-1 walk to 20,14") == suppose(state, "alpha-1 walk to 20,14")


def test_after_the_end_of_an_activation_its_seat_is_asked_nothing_more():
    ended = suppose(world([(20, 10)], [(20, 18)]), "alpha end")

    assert ended.view.active is None
    assert GAME.suppose(ended.view, "alpha-1 face 90") is None


def test_a_hit_is_news_and_a_miss_is_none():
    state = world([(20, 10)], [(20, 18)])
    text = f"alpha-1 fire bravo-1 with {state.models[0].arms[0].weapon} single"

    assert news(order(state, text, Loaded(other=1)))
    assert not news(order(state, text, Loaded(other=10)))


def test_a_ten_is_a_miss_and_a_one_a_hit_whatever_is_needed():
    """SKR-67: who needs 12 or less misses by a 10, and who needs less than 1 hits by a 1."""
    sure = Rolled(purpose="to hit", die=10, who="alpha-1", need=12, passed=True)
    hopeless = Rolled(purpose="to hit", die=1, who="alpha-1", need=-3, passed=False)

    assert not GAME.is_news(sure, 0)
    assert GAME.is_news(hopeless, 0)


def test_a_walk_is_no_news_unless_somebody_comes_in_sight():
    state = world(
        [(20, 10)],
        [(20, 40)],
        features=[Wall("w", (10_000, 20_000, 30_000, 20_300), 1_900, "stone")],
    )

    assert not news(order(state, "alpha-1 walk to 20,12"))
    assert news(order(state, "alpha-1 run to 35,10"))


@pytest.mark.parametrize(
    ("before", "text", "gait"),
    [
        ("still", "jump to 20,11", "walked"),
        ("still", "jump to 20,15", "ran"),
        ("ran", "jump to 20,11", "ran"),
    ],
)
def test_who_is_supposed_to_jump_is_supposed_to_have_moved(before, text, gait):
    """SKR-44, 86: a die decides the jump; what he fires next is judged as after it."""
    state = change(world([(20, 10)], [(20, 40)], jump_test=True), "alpha-1", gait=before)

    supposed = suppose(state, f"alpha-1 {text}")

    assert supposed.assumed is not None
    assert supposed.view.own[0].gait == gait
