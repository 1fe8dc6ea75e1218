"""What must hold in every match, by random play and by the bot's."""

from functools import cache
from itertools import pairwise

import pytest
from msgspec.structs import replace

from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.game import Step
from engine.games.skirmish import GAME, moves
from engine.games.skirmish.events import Moved
from engine.games.skirmish.ground.geometry import off_line
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.play import turn_limit
from tests.bench.skirmish_strength import play
from tests.engine.games.skirmish.world import change, world

CASES = [
    ("random", SkirmishOptions(table="compound", points=250), "1"),
    ("random", SkirmishOptions(table="generated", scenario="clash"), "6"),
    ("random", SkirmishOptions(table="bridge", hidden_enemies=False, deployment="turns"), "3"),
    ("bot", SkirmishOptions(table="village", scenario="hold"), "4"),
    ("bot", SkirmishOptions(table="wood", scenario="night-raid"), "5"),
]


class Ply:
    """One move of a match: the states around it, and what was told."""

    def __init__(self, before, seat, move, step):
        self.before, self.seat, self.move = before, seat, move
        self.after, self.events = step.state, step.events


@cache
def match(player, options, seed):
    """A whole match, every ply of it."""
    chooser = Chooser(seed)
    state = GAME.setup(2, options, SeededDice.from_text(seed)).state
    plies = []
    while GAME.outcome(state) is None:
        seat = min(GAME.phase(state).pending)
        legal = list(GAME.legal_moves(state, seat))
        if player == "bot":
            dice = SeededDice.from_text(f"{seed} {len(plies)}")
            move = GAME.choose(GAME.view(state, seat), legal, dice)
        else:
            move = legal[chooser.below(len(legal))]
        step = GAME.apply(state, seat, move, SeededDice.from_text(seed))
        plies.append(Ply(state, seat, move, step))
        state = step.state
        assert len(plies) < 5000
    return tuple(plies)


def played(check):
    return pytest.mark.parametrize(("player", "options", "seed"), CASES)(check)


@pytest.mark.slow
@played
def test_every_match_ends_within_its_turns(player, options, seed):
    plies = match(player, options, seed)

    assert plies[-1].after.turn <= turn_limit(plies[-1].after.options)
    assert GAME.outcome(plies[-1].after).reason in ("destroyed", "turn limit")


@played
def test_no_step_of_a_match_has_a_flaw(player, options, seed):
    """Walls, models, points, rounds, the dead: ``soundness`` says each, tests below try each."""
    ways = 0
    for ply in match(player, options, seed):
        step = Step(ply.after, ply.events)
        assert list(GAME.flaws(ply.before, ply.seat, ply.move, step)) == []
        ways += sum(isinstance(event, Moved) and len(event.path) > 1 for event in ply.events)
    assert ways > 10


@played
def test_nobody_reads_what_his_side_did_not_see(player, options, seed):
    """Ways are told to each side by itself, and only the stretch it saw."""
    for ply in match(player, options, seed):
        whole = {
            event.who: event.path
            for event in ply.events
            if isinstance(event, Moved) and event.readers in (None, (ply.seat,))
        }
        for event in ply.events:
            if isinstance(event, Moved) and options.hidden_enemies:
                assert event.readers is not None
                if event.who in whole:
                    way = list(pairwise(whole[event.who])) or [whole[event.who] * 2]
                    for spot in event.path:
                        assert min(off_line(a, b, spot) for a, b in way) < 2


# --- what a flaw is ---

END = moves.End("alpha")


def flaws(before, move=END, events=(), **changed):
    """What is wrong with a step that changes alpha-1 like this."""
    models = tuple(replace(m, **changed) if m.name == "alpha-1" else m for m in before.models)
    return list(GAME.flaws(before, 0, move, Step(replace(before, models=models), tuple(events))))


WALL = Wall("w", (10_000, 15_000, 30_000, 15_300), 3000, "stone")


def test_a_step_that_changes_nothing_is_sound():
    assert flaws(world([(20, 10), (24, 10)], features=[WALL])) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ap": -1}, "alpha-1 has -1 AP"),
        ({"ap": 11}, "alpha-1 has 11 AP"),
        ({"y": 15_100}, "alpha-1 stands in something"),
        ({"floor": "nowhere"}, "alpha-1 stands in something"),
        ({"x": 23_500}, "alpha-1 stands over alpha-2"),
        ({"stock": (("m67", -1),)}, "alpha-1 has -1 of m67"),
        ({"stock": (("m67", 99),)}, "m67 came from nowhere"),
        ({"stock": ()}, "gone without having been used"),
        ({"arms": ()}, "gone without having been used"),
    ],
)
def test_what_cannot_be_is_said(changed, said):
    """SKR-7, 48, 51, 68."""
    state = world([(20, 10), (24, 10)], features=[WALL])

    assert said in " ".join(flaws(state, **changed))


def test_what_is_fired_may_be_gone():
    """SKR-68."""
    state = world([(20, 10)])

    assert flaws(state, move=moves.Fire("alpha-1", "m16a2", "single", "bravo-1"), arms=()) == []


@pytest.mark.parametrize(("changed", "said"), [({"condition": "fit"}, "is fit"), ({"x": 0}, "mov")])
def test_the_dead_stay_dead_where_they_fell(changed, said):
    state = change(world([(20, 10)]), "alpha-1", condition="dead")

    assert said in " ".join(flaws(state, **changed))
    assert flaws(state, x=20_000) == []


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (((20_000, 10_000), (20_000, 20_000)), "went through something"),
        (((20_000, 10_000), (28_000, 10_000)), "went through alpha-2"),
    ],
)
def test_nobody_goes_through_walls_or_models(path, said):
    """SKR-48, 51."""
    state = world([(20, 10), (24, 10)], features=[WALL])
    way = Moved(who="alpha-1", gait="walk", path=path, floor="ground", ap=0, readers=(0,))

    assert said in " ".join(flaws(state, events=[way], x=path[-1][0], y=path[-1][1]))


def test_who_went_and_fled_back_has_gone_through_nobody():
    """He is where he was, and was not there in between."""
    state = world([(20, 10)])
    there, back = ((20_000, 10_000), (20_000, 14_000)), ((20_000, 14_000), (20_000, 10_000))
    ways = [
        Moved(who="alpha-1", gait="walk", path=path, floor="ground", ap=0, readers=(0,))
        for path in (there, back)
    ]

    assert flaws(state, events=ways) == []


def test_no_turn_follows_the_last_one():
    state = world([(20, 10)], turn_limit=3)

    assert list(GAME.flaws(state, 0, END, Step(replace(state, turn=4), ()))) == ["turn 4 of 3"]


# --- the bot ---


def test_the_bot_beats_random_orders():
    """Two matches with the seats swapped, the same forces; the bench script plays two hundred."""
    results = [play(f"test {number}", bot_seat=number % 2, points=250) for number in range(2)]

    assert all(winners == (number % 2,) for number, (winners, _) in enumerate(results))
