"""Movement: SKR-26 to 35, 47 to 51, 140. The cost of a path, its obstacles, and walking it.

Costs are for the whole order, rounded up to whole inches (ours). ``Ways`` uses the terrain and the
known models; the same code computes the cost of a plan on a page and of a real move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import blasts, close, watching
from engine.games.skirmish.events import Moved, Stood
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import Figure
from engine.games.skirmish.ground.terrain import BASE, GROUND, STANDING, Link, Terrain
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import Travel
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.state import Device, Model

RUN = 5 * INCH
#: The length of a stride, after which sight is updated: the width of a base.
STRIDE = BASE
RUN_AP, LADEN_RUN_AP = 3, 6
#: Bases may overlap by this much, because of rounding to thousandths.
HAIR = 10
CLIMB_ACROSS = 2500
NEAR_LINK = 1500
STANDING_JUMP, LONG_JUMP, RUN_UP = 1 * INCH, 2 * INCH, 3 * INCH


class Ways(msgspec.Struct, frozen=True):
    """What the planner of a path knows: the terrain, and the models on it."""

    terrain: Terrain
    figures: Sequence[Figure]
    options: SkirmishOptions


def ceiling(thousandths: int) -> int:
    """Inches, rounded up."""
    return -(-thousandths // INCH)


def factor(model: Model) -> int:
    """SKR-99, 101, 140: the cost factor: 2 for the slow or laden, else 1."""
    return 2 if model.wounds.slow or model.carrying else 1


def may_run(model: Model) -> bool:
    """Whether his condition lets him run (``_check_body``)."""
    laden = bool(model.carrying) and not model.may_run_laden
    return not (model.prone or model.wounds.slow or model.wounds.untreated or laden)


def walk_cost(terrain: Terrain, model: Model, path: Sequence[Point]) -> int:
    """SKR-26, 31: 1 AP an inch, 2 in rubble."""
    rough = terrain.rubble.length_of(path) if model.floor == GROUND else 0
    return ceiling(geometry.length(path) + rough) * factor(model)


def run_cost(ways: Ways, model: Model, path: Sequence[Point]) -> int:
    """SKR-27, 32: for each 5" or part of it; more expensive if any of it is rubble."""
    stretches = -(-geometry.length(path) // RUN)
    if in_rubble(ways.terrain, model, path):
        return stretches * ways.options.rubble_run_ap * factor(model)
    return stretches * (LADEN_RUN_AP if model.carrying else RUN_AP)


def in_rubble(terrain: Terrain, model: Model, path: Sequence[Point]) -> bool:
    return model.floor == GROUND and terrain.rubble.length_of(path) > 0


def check_travel(ways: Ways, model: Model, move: Travel) -> int:
    """The AP the order costs; raises IllegalMove with the obstacle."""
    if not move.path or len(move.path) > 12:
        raise IllegalMove("A way has one to twelve corners.", rule="SKR-26")
    _check_body(model, move)
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


def _check_body(model: Model, move: Travel) -> None:
    """Raises IllegalMove for what his condition forbids."""
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
    if model.carrying and move.gait in ("jump", "climb"):
        raise IllegalMove(
            "{model} is carrying somebody: no jumps or climbs.", rule="SKR-140", model=model.name
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
    return 2 * ceiling(geometry.length(path)) * factor(model)


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
    """Over walls and through windows: up and down at 2 AP an inch, across at 1."""
    terrain = ways.terrain
    across = geometry.distance(model.at, end)
    if across > 2 * CLIMB_ACROSS:
        raise IllegalMove("Climb at most 5 inches across at a time.", rule="SKR-33")
    if not terrain.climbing[model.floor].allows([model.at, end]):
        raise IllegalMove(
            "That is higher than twice {model}'s height.", rule="SKR-33", model=model.name
        )
    foot = terrain.height(model.floor)
    heights = [
        solid.top - foot
        for solid in (terrain.solids[number] for number in terrain.index.crossed(model.at, end))
        if not solid.passable and solid.bottom < foot + STANDING and solid.top > foot
    ]
    if not heights:
        raise IllegalMove("There is nothing to climb over.", rule="SKR-33")
    return 4 * max(heights) // INCH + ceiling(across)


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
    each = 1 if rope and rise < 0 else 2
    return each * ceiling(abs(rise)) + ceiling(across) // 2


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


def first_in_way(
    figures: Sequence[Figure], model: Model, path: Sequence[Point], *floors: str
) -> str:
    """The first live model whose base the path would cross, or ""."""
    others = [
        figure
        for figure in figures
        if figure.name != model.name
        and figure.floor in floors
        and figure.condition != "dead"
        and not figure.carried_by
        and figure.name != model.carrying
    ]
    for a, b in pairwise(path):
        near = [f for f in others if geometry.off_line(a, b, (f.x, f.y)) < BASE - HAIR]
        if near:
            return min(near, key=lambda f: geometry.distance(a, (f.x, f.y))).name
    return ""


def known_ways(play: Play, seat: int) -> Ways:
    """The ``Ways`` of a seat's knowledge: without enemies out of sight."""
    seen = {c.model for c in play.state.contacts[seat] if c.seen}
    figures = [m for m in play.models.values() if m.seat == seat or m.name in seen]
    return Ways(play.terrain, figures, play.state.options)


# --- walking a path ---


def travel(play: Play, move: Travel) -> None:
    """Carries out a checked and paid move, stride by stride, until something stops it."""
    model = play.models[move.model]
    close.leave(play, move.model, move.path[0])
    if not _still_going(play, model):
        return
    gait = {"run": "ran", "walk": "walked", "climb": "walked"}.get(move.gait, model.gait)
    length = geometry.length([model.at, *move.path])
    if move.gait == "jump":
        gait = "ran" if length > RUN_UP else "walked"
    if model.gait == "ran":
        gait = "ran"
    start_seen = _covers(play, model)
    play.put(
        move.model,
        gait=gait,
        walked_too=model.walked_too or gait == "walked" or model.gait == "walked",
        ran_this_turn=model.ran_this_turn or gait == "ran",
        last_act="",
        charged=0,
    )
    if move.gait == "jump" and play.state.options.jump_test and _falls_short(play, move):
        return
    rough = move.gait == "run" and in_rubble(play.terrain, model, [model.at, *move.path])
    whole = _stride(play, move)
    _arrive(play, move, length if whole else 0, start_seen, rough)


def _falls_short(play: Play, move: Travel) -> bool:
    """SKR-44, an option: ST check; if it fails, he stays where he is, prone."""
    model = play.models[move.model]
    if play.check("jump", model.abilities.st, move.model):
        return False
    play.put(move.model, prone=True)
    play.tell(Stood(who=move.model, prone=True, readers=play.readers(move.model)))
    return True


def _covers(play: Play, model: Model) -> tuple[str, ...]:
    """Enemies in cover as seen from the start of his path, for SKR-126."""
    return tuple(
        foe.name
        for foe in play.side(1 - model.seat)
        if foe.fit
        and play.gap(model, foe) <= 12 * INCH
        and sight.look(play.scene, model, foe).body < 750
    )


def _still_going(play: Play, before: Model) -> bool:
    """Whether he can still move after a parting blow."""
    now = play.models[before.name]
    return now.fit and now.broken == before.broken and now.prone == before.prone


def _stride(play: Play, move: Travel) -> bool:
    """Moves by strides, with sight and Op-Fire after each, mines on the way; whether he arrived."""
    who = move.model
    before = play.models[who]
    level = move.gait not in ("climb", "jump")
    seen_path: list[Point] = [before.at] if play.is_seen(before) else []
    walked: list[Point] = [before.at]
    fleeing = before.broken
    whole = True
    for spot, mine in _spots(play, move):
        here = play.models[who]
        if level or move.floor == here.floor:
            blocker = first_in_way(tuple(play.models.values()), here, [here.at, spot], here.floor)
            if blocker:  # an enemy nobody had seen
                whole = False
                break
        facing = geometry.bearing(here.at, spot) if spot != here.at else here.facing
        play.put(who, x=spot[0], y=spot[1], floor=move.floor, facing=facing)
        _bring_load(play, who)
        walked.append(spot)
        if mine is not None:
            blasts.go_off(play, mine, who)
        elif not versions.mines_go_off_on_the_way(play.state):
            blasts.step_on_mines(play, who)
        spotting.refresh(play, {who})
        if play.is_seen(play.models[who]):
            seen_path.append(spot)
        watching.interrupts(play, who)
        now = play.models[who]
        if (
            not now.fit
            or (now.broken and not fleeing)
            or now.prone != before.prone
            or not _may_go_on(play, now, move)
        ):
            whole = False
            break
    if versions.ways_are_told_by_their_corners(play.state):
        turns = {before.at, *move.path}
        walked = [spot for spot in walked[:-1] if spot in turns] + walked[-1:]
    _tell_way(play, move, walked, seen_path)
    return whole


def _may_go_on(play: Play, model: Model, move: Travel) -> bool:
    """SKR-97, 99: whether he may continue at this gait after what happened on the way."""
    if not versions.aid_comes_first(play.state):
        return True
    try:
        _check_body(model, move)
    except IllegalMove:
        return False
    return True


def _spots(play: Play, move: Travel) -> Iterator[tuple[Point, Device | None]]:
    """The ends of his strides, and on the way each mine that his base crosses.

    A lazy generator, because a mine, or the man, may be gone by the time he would reach it.
    """
    start = play.models[move.model].at
    strides = versions.strides_are_all_alike(play.state)
    watched = any(foe.watch is not None for foe in play.side(1 - play.models[move.model].seat))
    way = geometry.steps([start, *move.path], STRIDE if strides or watched else 2 * STRIDE)
    if move.gait in ("climb", "jump"):
        way = [move.path[-1]]  # he cannot stop in mid-air or on top of a wall
    for spot in way:
        while versions.mines_go_off_on_the_way(play.state):
            # in the air he crosses nothing
            on = spot if move.gait in ("climb", "jump") else play.models[move.model].at
            met = blasts.first_mine(play, on, spot, move.floor)
            if met is None:
                break
            yield met[1], met[0]
        yield spot, None


def _bring_load(play: Play, who: str) -> None:
    model = play.models[who]
    if model.carrying:
        play.put(model.carrying, x=model.x, y=model.y, floor=model.floor)


def _tell_way(play: Play, move: Travel, walked: list[Point], seen: list[Point]) -> None:
    """His own side reads the whole path, the other side the part it saw."""
    model = play.models[move.model]
    way = tuple(walked)
    if not play.state.options.hidden_enemies:
        play.tell(Moved(who=move.model, gait=move.gait, path=way, floor=model.floor, ap=0))
        return
    own = (model.seat,)
    play.tell(Moved(who=move.model, gait=move.gait, path=way, floor=model.floor, ap=0, readers=own))
    if seen:
        play.tell(
            Moved(
                who=move.model,
                gait=move.gait,
                path=tuple(seen),
                floor=model.floor,
                ap=0,
                readers=(1 - model.seat,),
            )
        )


def _arrive(play: Play, move: Travel, length: int, covers: tuple[str, ...], rough: bool) -> None:
    """The effects of a finished path: a fall in rubble (SKR-32), a charge (SKR-122)."""
    model = play.models[move.model]
    if not model.fit:
        return
    if rough and not play.check("rubble", model.abilities.st, move.model):
        play.put(move.model, prone=True)
        play.tell(Stood(who=move.model, prone=True, readers=play.readers(move.model)))
    foes = play.foes_in_contact(play.models[move.model])
    if move.gait == "run" and foes and length:
        covered = foes[0].name in covers
        play.put(move.model, charged=length, charge_from_cover=covered)
