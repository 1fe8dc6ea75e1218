"""Invariants of every step, for any order and dice: used by simulations and laws.

No model is in a wall or overlaps another, or moved through either; action points are never
negative; rounds only decrease; the dead stay dead; a match is over after its turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise

from engine.game import Seat, Step
from engine.games.skirmish import moves as m
from engine.games.skirmish.data.library import library
from engine.games.skirmish.events import Fired, Moved, SkirmishEvent, Thrown
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.scene import takes_room
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.play import terrain_of, turn_limit
from engine.games.skirmish.stages.activation import POOL
from engine.games.skirmish.state import State

#: Thousandths of an inch by which bases may overlap because of rounding.
HAIR = 15
#: Orders that use something up; Op-Fire does in an enemy's order, and tells of it.
USES = (m.Fire, m.Throw, m.Place, m.Trigger)


def flaws(before: State, move: m.SkirmishMove, step: Step[State, SkirmishEvent]) -> Iterator[str]:
    """A sentence for each violated invariant."""
    after = step.state
    if after.turn > turn_limit(after.options):
        yield f"turn {after.turn} of {turn_limit(after.options)}"
    if not before.models or after.stage not in ("initiative", "activation", "over"):
        return
    yield from _points(after)
    yield from _places(after)
    yield from _ways(before, step)
    yield from _rounds(before, move, step)
    yield from _dead(before, after)


def _points(state: State) -> Iterator[str]:
    """SKR-7."""
    for model in state.models:
        if not 0 <= model.ap <= POOL:
            yield f"{model.name} has {model.ap} AP"


def _places(state: State) -> Iterator[str]:
    """SKR-48, 51: every base is on valid ground, and no two overlap."""
    ground = terrain_of(state)
    live = [model for model in state.models if takes_room(model)]
    for model in live:
        if model.floor not in ground.grounds or not ground.grounds[model.floor].holds(model.at):
            yield f"{model.name} stands in something at {model.at} on {model.floor}"
    for one, other in combinations(live, 2):
        if one.floor == other.floor and geometry.distance(one.at, other.at) < BASE - HAIR:
            yield f"{one.name} stands over {other.name}"


def _ways(before: State, step: Step[State, SkirmishEvent]) -> Iterator[str]:
    """SKR-48, 50, 51: nobody moved through walls, or through a model that stayed in place."""
    then, now = terrain_of(before), terrain_of(step.state)
    places = {
        model.name: (model.at, model.floor) for model in step.state.models if takes_room(model)
    }
    movers = {event.who for event in step.events if isinstance(event, Moved)}
    still = [
        model
        for model in before.models
        if model.name not in movers
        and takes_room(model)
        and places.get(model.name) == (model.at, model.floor)
    ]
    for event in step.events:
        if not isinstance(event, Moved) or event.gait in ("climb", "jump"):
            continue
        if len(event.path) < 2 or (
            event.readers is not None and _side(event.who, before) not in event.readers
        ):
            continue
        grounds = [t.grounds[event.floor] for t in (then, now) if event.floor in t.grounds]
        if not any(ground.allows(event.path) for ground in grounds):
            yield f"{event.who} went through something: {event.path}"
        for a, b in pairwise(event.path):
            for model in still:
                if model.floor == event.floor and geometry.off_line(a, b, model.at) < BASE - HAIR:
                    yield f"{event.who} went through {model.name}"


def _side(name: str, state: State) -> Seat:
    return next(model.seat for model in state.models if model.name == name)


def _rounds(before: State, move: m.SkirmishMove, step: Step[State, SkirmishEvent]) -> Iterator[str]:
    """SKR-68: counted things decrease only by use, and are never negative."""
    for model in step.state.models:
        for thing, count in [*model.stock, *((arm.weapon, arm.loaded) for arm in model.arms)]:
            if count < 0:
                yield f"{model.name} has {count} of {thing}"
    had, has = counted(before), counted(step.state)
    for thing in has:
        if has[thing] > had[thing]:
            yield f"{thing} came from nowhere: {had[thing]}, then {has[thing]}"
    used = isinstance(move, USES) or any(isinstance(e, Fired | Thrown) for e in step.events)
    if has != had and not used:
        yield f"{dict(had - has)} is gone without having been used"


def counted(state: State) -> Counter[str]:
    """The total of every counted thing: loaded, carried or on the ground."""
    total: Counter[str] = Counter()
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


def _dead(before: State, after: State) -> Iterator[str]:
    now = {model.name: model for model in after.models}
    for model in before.models:
        if model.condition != "dead":
            continue
        there = now[model.name]
        if there.condition != "dead":
            yield f"{model.name} was dead and is {there.condition}"
        if there.at != model.at and not there.carried_by and not model.carried_by:
            yield f"{model.name} was dead and has moved"
