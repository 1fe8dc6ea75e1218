"""Movement: SKR-26 to 35, 47 to 51, 140. The cost of a path, and its obstacles.

Costs are for the whole order, rounded up to whole inches (ours). ``Ways`` uses the terrain and the
known models; the same code computes the cost of a plan on a page and of a real move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

import msgspec

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import Figure, takes_room
from engine.games.skirmish.ground.terrain import (
    BASE,
    GROUND,
    LINTEL,
    SILL,
    SLAB,
    STANDING,
    STOREY,
    Floor,
    Link,
    Solid,
    Terrain,
)
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import Travel
from engine.games.skirmish.play import Play
from engine.games.skirmish.state import Model

RUN = 5 * INCH
RUN_AP, LADEN_RUN_AP = 3, 6
#: SKR-30.
STAND_AP = 3
#: Bases may overlap by this much, because of rounding to thousandths.
HAIR = 10
#: SKR-48: a leg nearer than this to the middle of another model leads through him.
TOO_NEAR = BASE - HAIR
CLIMB_ACROSS = 2500
NEAR_LINK = 1500
#: How far beside a wall, within it or without, somebody stands who climbs it.
BESIDE = 700
STANDING_JUMP, LONG_JUMP, RUN_UP = 1 * INCH, 2 * INCH, 3 * INCH

Blocker = TypeVar("Blocker", bound=Figure)


class Ways(msgspec.Struct, frozen=True):
    """What the planner of a path knows: the terrain, and the models on it."""

    terrain: Terrain
    figures: Sequence[Figure]
    options: SkirmishOptions
    #: The version of the rules.
    rules: int


def ceiling(thousandths: int) -> int:
    """Inches, rounded up."""
    return -(-thousandths // INCH)


def factor(model: Model) -> int:
    """SKR-99, 101, 140: the cost factor: 2 for the slow or laden, else 1."""
    return 2 if model.wounds.slow or model.carrying else 1


def may_run(model: Model) -> bool:
    """Whether his condition lets him run (``check_body``)."""
    laden = bool(model.carrying) and not model.may_run_laden
    return not (model.prone or model.wounds.slow or model.wounds.untreated or laden)


def rough_lengths(terrain: Terrain, floor: str, paths: Sequence[Sequence[Point]]) -> list[int]:
    """How much of each path is rubble, in thousandths of an inch."""
    if floor != GROUND:
        return [0] * len(paths)
    return terrain.rubble.lengths_of(paths)


def rough_length(terrain: Terrain, floor: str, path: Sequence[Point]) -> int:
    return terrain.rubble.length_of(path) if floor == GROUND else 0


def walk_ap(model: Model, length: int, rough: int) -> int:
    """SKR-26, 31: 1 AP an inch, 2 in rubble."""
    return ceiling(length + rough) * factor(model)


def run_ap(options: SkirmishOptions, model: Model, length: int, rough: int) -> int:
    """SKR-27, 32: for each 5" or part of it; more expensive if any of it is rubble."""
    stretches = -(-length // RUN)
    if rough:
        return stretches * options.rubble_run_ap * factor(model)
    return stretches * (LADEN_RUN_AP if model.carrying else RUN_AP)


def crawl_ap(model: Model, length: int) -> int:
    """SKR-28: 2 AP an inch."""
    return 2 * ceiling(length) * factor(model)


def longest_way(model: Model, ap: int, *, runs: bool) -> int:
    """The longest path on his feet that these AP can be enough for."""
    return ap // RUN_AP * RUN if runs else ap * INCH // factor(model)


def walk_cost(terrain: Terrain, model: Model, path: Sequence[Point]) -> int:
    return walk_ap(model, geometry.length(path), rough_length(terrain, model.floor, path))


def run_cost(ways: Ways, model: Model, path: Sequence[Point]) -> int:
    rough = rough_length(ways.terrain, model.floor, path)
    return run_ap(ways.options, model, geometry.length(path), rough)


def check_travel(ways: Ways, model: Model, move: Travel) -> int:
    """The AP the order costs; raises IllegalMove with the obstacle."""
    if not move.path or len(move.path) > 12:
        raise IllegalMove("A way has one to twelve corners.", rule="SKR-26")
    check_body(ways, model, move)
    if move.floor not in ways.terrain.floors:
        raise IllegalMove("There is no floor called {floor}.", rule="SKR-51", floor=move.floor)
    path = [model.at, *move.path]
    if geometry.length(path) == 0 and move.floor == model.floor:
        raise IllegalMove("{model} is there already.", rule="SKR-26", model=model.name)
    if move.gait == "climb":
        cost = _check_climb(ways, model, move)
    elif move.gait == "jump":
        cost = _check_jump(ways, model, move)
    else:
        cost = _check_level(ways, model, move, path)
    if not ways.terrain.grounds[move.floor].holds(move.path[-1]):
        raise IllegalMove("{model} cannot stand there.", rule="SKR-51", model=model.name)
    _check_models(ways, model, path, move)
    return cost


def check_body(ruled: versions.Ruled, model: Model, move: Travel) -> None:
    """Raises IllegalMove for what his condition forbids."""
    if model.carried_by:
        raise IllegalMove(
            "{carrier} carries {model}, and must first put him down.",
            rule="SKR-140",
            carrier=model.carried_by,
            model=model.name,
        )
    if model.wounds.immobilized:
        raise IllegalMove("{model} is immobilized.", rule="SKR-137", model=model.name)
    if model.prone != (move.gait == "crawl"):
        if model.prone:
            raise IllegalMove(
                "{model} is prone: he can only crawl, or stand up first.",
                rule="SKR-28",
                model=model.name,
            )
        raise IllegalMove("{model} must be prone to crawl.", rule="SKR-28", model=model.name)
    if model.wounds.untreated and move.gait not in ("walk", "crawl"):
        raise IllegalMove(
            "{model} needs aid: until then he may only walk or crawl.",
            rule="SKR-97",
            model=model.name,
        )
    if move.gait == "run" and model.wounds.slow:
        raise IllegalMove("{model} is too badly hurt to run.", rule="SKR-99", model=model.name)
    grounded = ("jump",) if versions.climbs_cost_every_inch(ruled) else ("jump", "climb")
    if model.carrying and move.gait in grounded:
        raise IllegalMove(
            "{model} cannot do that while he carries somebody.", rule="SKR-140", model=model.name
        )
    if model.carrying and move.gait == "run" and not model.may_run_laden:
        raise IllegalMove(
            "{model} can only walk with his load this turn.", rule="SKR-140", model=model.name
        )


def _check_level(ways: Ways, model: Model, move: Travel, path: list[Point]) -> int:
    if move.floor != model.floor:
        raise IllegalMove("Floors are changed by climbing.", rule="SKR-33")
    if not ways.terrain.grounds[model.floor].allows(path):
        raise IllegalMove(
            "Something stands in the way of {model}; go around it by corners (“then”).",
            rule="SKR-51",
            model=model.name,
        )
    if move.gait == "walk":
        return walk_cost(ways.terrain, model, path)
    if move.gait == "run":
        return run_cost(ways, model, path)
    return crawl_ap(model, geometry.length(path))


# --- climbing ---


def _check_climb(ways: Ways, model: Model, move: Travel) -> int:
    """SKR-33, 172: stairs, over something low, or up and down an outside wall."""
    if len(move.path) != 1:
        raise IllegalMove("Climb to one place at a time.", rule="SKR-33")
    end = move.path[0]
    if move.floor == model.floor:
        return _over(ways, model, end) * factor(model)
    stairs = _stairs(ways.terrain, model, end, move.floor)
    if stairs is not None:
        rise = abs(ways.terrain.height(move.floor) - ways.terrain.height(model.floor))
        return ceiling(rise + geometry.distance(model.at, end)) * factor(model)
    return _outside(ways, model, end, move.floor) * factor(model)


def _stairs(terrain: Terrain, model: Model, end: Point, floor: str) -> Link | None:
    for link in terrain.links:
        if {link.low, link.high} == {model.floor, floor} and all(
            geometry.distance(place, link.at) <= NEAR_LINK for place in (model.at, end)
        ):
            return link
    return None


def _over(ways: Ways, model: Model, end: Point) -> int:
    """Over walls and through windows: 2 AP an inch up and down, 1 across and down by a rope."""
    terrain = ways.terrain
    across = geometry.distance(model.at, end)
    if across > 2 * CLIMB_ACROSS:
        raise IllegalMove("Climb at most 5 inches across at a time.", rule="SKR-33")
    if not terrain.climbing[model.floor].allows([model.at, end]):
        raise IllegalMove(
            "That is higher than twice {model}'s height.", rule="SKR-33", model=model.name
        )
    foot = terrain.height(model.floor)
    solids = [terrain.solids[number] for number in terrain.index.crossed(model.at, end)]
    solids = [one for one in solids if not one.passable and one.top > foot]
    heights = [one.top - foot for one in solids if one.bottom < foot + STANDING]
    high, down = max(heights, default=0), 2
    if versions.walls_are_climbed_as_they_stand(ways):
        high, down = _stacked(solids, foot), 1 if "mountaineering" in model.skills else 2
        _check_headroom(terrain, model, end, high)
    if not high:
        raise IllegalMove("There is nothing to climb over.", rule="SKR-33")
    up_and_down = (2 + down) * high
    if versions.climbs_cost_every_inch(ways):
        return ceiling(up_and_down) + ceiling(across)
    return up_and_down // INCH + ceiling(across)


def _stacked(solids: Iterable[Solid], foot: int) -> int:
    """How high solids stand one on the other; an opening as high as a window ends them."""
    high = 0
    for solid in sorted(solids, key=lambda one: one.bottom):
        if solid.bottom - foot < high + LINTEL - SILL:
            high = max(high, solid.top - foot)
    return high


def _check_headroom(terrain: Terrain, model: Model, end: Point, high: int) -> None:
    """SKR-33, 51: raises IllegalMove for what is too high, or has a ceiling on it."""
    if high > 2 * STANDING:
        raise IllegalMove(
            "That is higher than twice {model}'s height.", rule="SKR-33", model=model.name
        )
    inside = any(terrain.inside_of(place, model.floor) for place in (model.at, end))
    if inside and high > STOREY - SLAB:
        raise IllegalMove("There is no window to climb through.", rule="SKR-33")


def inside_wall(floor: Floor, at: Point) -> Point:
    """The place behind a floor's wall that is nearest to somebody outside."""
    return geometry.nearest_in(geometry.grown(floor.rect, -BESIDE), at)


def _outside(ways: Ways, model: Model, end: Point, floor: str) -> int:
    """Climbing between two heights, outdoors or through a window."""
    terrain = ways.terrain
    across = geometry.distance(model.at, end)
    rise = terrain.height(floor) - terrain.height(model.floor)
    upper, low_at = (floor, model.at) if rise > 0 else (model.floor, end)
    high_at = end if rise > 0 else model.at
    if across > CLIMB_ACROSS:
        raise IllegalMove("Stand within 2.5 inches of where you climb.", rule="SKR-33")
    house = terrain.floors[upper].building
    if geometry.inside(terrain.floors[upper].rect, low_at):
        raise IllegalMove("There is a ceiling in between; take the stairs.", rule="SKR-33")
    if terrain.inside_of(high_at, upper) and not any(
        gap.building == house
        and gap.level == terrain.floors[upper].level
        and geometry.distance(gap.at, high_at) <= NEAR_LINK
        for gap in terrain.gaps
    ):
        raise IllegalMove("There is no window to climb through.", rule="SKR-33")
    rope = "mountaineering" in model.skills
    if abs(rise) > 2 * STANDING and not rope:
        raise IllegalMove(
            "That is higher than twice {model}'s height; it takes a rope.",
            rule="SKR-33",
            model=model.name,
        )
    each, paid = 1 if rope and rise < 0 else 2, ceiling(across)
    if not versions.climbs_cost_every_inch(ways):
        paid //= 2
    return each * ceiling(abs(rise)) + paid


# --- jumping ---


def _check_jump(ways: Ways, model: Model, move: Travel) -> int:
    """SKR-34, 35: 1" standing, 2" with a run-up of 3"."""
    terrain = ways.terrain
    if len(move.path) != 1:
        raise IllegalMove("Jump to one place.", rule="SKR-34")
    end = move.path[0]
    drop = terrain.height(move.floor) - terrain.height(model.floor)
    if abs(drop) > STANDING // 2:
        raise IllegalMove("That is too high or deep for a jump.", rule="SKR-34")
    far = geometry.distance(model.at, end)
    start, cost = model.at, 2
    if far > STANDING_JUMP:
        if not RUN_UP < far <= RUN_UP + LONG_JUMP:
            raise IllegalMove(
                "Jump 1 inch from where you stand, or 2 inches after a run-up of 3.", rule="SKR-35"
            )
        if model.wounds.slow:
            raise IllegalMove("{model} is too badly hurt to run.", rule="SKR-99", model=model.name)
        start, cost = geometry.along(model.at, end, RUN_UP), 7
        if not terrain.grounds[model.floor].allows([model.at, start]):
            raise IllegalMove("There is no room for the run-up.", rule="SKR-35")
    foot = terrain.height(model.floor)
    for number in terrain.index.crossed(start, end):
        solid = terrain.solids[number]
        if not solid.passable and solid.bottom < foot + STANDING and solid.top > foot + 100:
            raise IllegalMove("Something stands in the way of the jump.", rule="SKR-51")
    return cost * factor(model)


def _check_models(ways: Ways, model: Model, path: list[Point], move: Travel) -> None:
    """SKR-48, 50: raises IllegalMove for a path through live models; the dead do not block."""
    blocker = first_in_way(ways.figures, model, path, model.floor, move.floor)
    if blocker:
        raise IllegalMove(
            "{blocker} is in the way of {model}.", rule="SKR-48", blocker=blocker, model=model.name
        )


def obstacles(figures: Iterable[Blocker], model: Model, *floors: str) -> list[Blocker]:
    """SKR-48, 50: the models on these floors that he may not go through."""
    return [
        figure
        for figure in figures
        if figure.name != model.name
        and figure.floor in floors
        and takes_room(figure)
        and figure.name != model.carrying
    ]


def first_in_way(
    figures: Sequence[Figure], model: Model, path: Sequence[Point], *floors: str
) -> str:
    """The first live model whose base the path would cross, or ""."""
    others = obstacles(figures, model, *floors)
    for a, b in pairwise(path):
        near = [f for f in others if geometry.off_line(a, b, (f.x, f.y)) < TOO_NEAR]
        if near:
            return min(near, key=lambda f: geometry.distance(a, (f.x, f.y))).name
    return ""


def known_ways(play: Play, seat: int) -> Ways:
    """The ``Ways`` of a seat's knowledge: without enemies out of sight."""
    seen = play.in_sight_of(seat)
    figures = [m for m in play.models.values() if m.seat == seat or m.name in seen]
    return Ways(play.terrain, figures, play.state.options, play.state.rules)
