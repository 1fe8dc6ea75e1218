"""What must hold in every match, by random play and by the bot's."""

from collections import Counter
from functools import cache

import pytest

from engine.dice import SeededDice
from engine.games.skirmish import GAME, geometry, moves
from engine.games.skirmish.data import library
from engine.games.skirmish.events import Moved
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.play import terrain_of, turn_limit
from engine.games.skirmish.terrain import BASE
from engine.mutants import Chooser
from tests.bench.skirmish_strength import play

CASES = [
    ("random", SkirmishOptions(table="compound", points=250), "1"),
    ("random", SkirmishOptions(table="generated", scenario="clash"), "2"),
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


@played
def test_every_match_ends_within_its_turns(player, options, seed):
    plies = match(player, options, seed)

    assert plies[-1].after.turn <= turn_limit(plies[-1].after)
    assert GAME.outcome(plies[-1].after).reason in ("destroyed", "turn limit")


@played
def test_nobody_stands_in_a_wall_or_on_somebody(player, options, seed):
    for ply in match(player, options, seed):
        state = ply.after
        if state.stage not in ("initiative", "activation"):
            continue
        ground = terrain_of(state)
        live = [m for m in state.models if m.condition != "dead" and not m.carried_by]
        for number, one in enumerate(live):
            assert ground.grounds[one.floor].holds(one.at), (one.name, ply.move)
            for other in live[:number]:
                apart = geometry.distance(one.at, other.at)
                assert one.floor != other.floor or apart >= BASE - 15, (one.name, other.name)


@played
def test_nobody_walks_through_walls_or_models(player, options, seed):
    walked = 0
    for ply in match(player, options, seed):
        ground = terrain_of(ply.before)
        for event in ply.events:
            own = not isinstance(event, Moved) or event.readers in (None, (ply.seat,))
            if not own or not isinstance(event, Moved) or len(event.path) < 2:
                continue
            if event.gait in ("walk", "run", "crawl") and ply.before.active is not None:
                walked += 1
                assert ground.grounds[event.floor].allows(event.path), ply.move
                others = [
                    m
                    for m in ply.before.models
                    if m.condition != "dead"
                    and m.name not in moved(ply)
                    and not m.carried_by
                    and m.floor == event.floor
                ]
                for a, b in zip(event.path, event.path[1:], strict=False):
                    for m in others:
                        assert geometry.off_line(a, b, m.at) >= BASE - 15, (event.who, m.name)
    assert walked


def moved(ply):
    """Everybody whose place changed in a ply: flights may cross where somebody was before."""
    return {
        new.name
        for old, new in zip(ply.before.models, ply.after.models, strict=True)
        if (old.x, old.y, old.floor) != (new.x, new.y, new.floor)
    }


@played
def test_points_are_never_negative_and_never_more_than_ten(player, options, seed):
    """SKR-7."""
    for ply in match(player, options, seed):
        assert all(0 <= m.ap <= 10 for m in ply.after.models)


@played
def test_ammunition_is_counted(player, options, seed):
    """SKR-68: rounds go only by being fired, dropped or handed over; never below nought."""
    for ply in match(player, options, seed):
        before, after = rounds(ply.before), rounds(ply.after)
        assert all(count >= 0 for m in ply.after.models for _, count in m.stock)
        assert all(arm.loaded >= 0 for m in ply.after.models for arm in m.arms)
        if ply.before.stage != "activation":
            continue
        for thing in before:
            assert after[thing] <= before[thing]
        shooting = (moves.Fire, moves.Throw, moves.Place, moves.Trigger)
        fired = any(type(e).__name__ in ("Fired", "Thrown") for e in ply.events)
        if not isinstance(ply.move, shooting) and not fired:
            assert after == before, ply.move


def rounds(state):
    """Everything that is counted, wherever it is: loaded, carried or lying about."""
    total = Counter()
    for model in state.models:
        total.update(dict(model.stock))
        for arm in model.arms:
            total[library().weapons[arm.weapon].calibre] += arm.loaded
    for item in state.lying:
        gun = library().weapons.get(item.thing)
        if gun is not None and gun.kind == "gun":
            total[gun.calibre] += item.loaded
        else:
            total[item.thing] += item.count
    return Counter({thing: count for thing, count in total.items() if count})


@played
def test_the_dead_stay_dead_where_they_fell(player, options, seed):
    for ply in match(player, options, seed):
        now = {m.name: m for m in ply.after.models}
        for model in ply.before.models:
            if model.condition == "dead":
                assert now[model.name].condition == "dead"
                assert now[model.name].at == model.at or now[model.name].carried_by


@played
def test_nobody_reads_what_his_side_did_not_see(player, options, seed):
    """Ways are told to each side by itself, and only the stretch it saw."""
    for ply in match(player, options, seed):
        whole = {
            event.who: set(event.path)
            for event in ply.events
            if isinstance(event, Moved) and event.readers in (None, (ply.seat,))
        }
        for event in ply.events:
            if isinstance(event, Moved) and options.hidden_enemies:
                assert event.readers is not None
                if event.who in whole:
                    assert set(event.path) <= whole[event.who]


def test_the_bot_beats_random_orders():
    """Two matches with the seats swapped, the same forces; the bench script plays two hundred."""
    results = [play(f"test {number}", bot_seat=number % 2, points=250) for number in range(2)]

    assert all(winners == (number % 2,) for number, (winners, _) in enumerate(results))
