"""Moves that the rules make, not a player: the broken flee (SKR-146), strays go back (SKR-55)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.events import Changed, Stood
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.men import morale
from engine.games.skirmish.movement import movement, reach, walking
from engine.games.skirmish.moves import Travel
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.state import Model

Gait: TypeAlias = Literal["run", "walk"]


def flee(play: Play, who: str) -> None:
    """SKR-146: with all AP, running, to the nearest cover away from the enemy.

    Cover is a place that no known enemy sees; if there is none, the place farthest from them.
    """
    model = play.models[who]
    enemies = _known_enemies(play, model)
    spots = list(_spots(play, model))
    if spots and enemies:
        start = min(geometry.distance(model.at, e.at) for e in enemies)
        away = [
            spot
            for spot in spots
            if min(geometry.distance(spot.at, e.at) for e in enemies) >= start
        ]
        away.sort(key=lambda spot: (spot.length, spot.at))
        hidden = next((spot for spot in away if _hidden(play, model, spot.at, enemies)), None)
        if hidden is None and away:
            hidden = max(away, key=lambda s: min(geometry.distance(s.at, e.at) for e in enemies))
        if hidden is not None:
            _go(play, who, hidden.path, _fastest(model))
    play.put(who, ap=0)
    if play.models[who].broken == "broken":
        morale.standing_demands(play, who)


def _known_enemies(play: Play, model: Model) -> list[Model]:
    seen = play.in_sight_of(model.seat)
    return [foe for foe in play.side(1 - model.seat) if foe.fit and foe.name in seen]


def _hidden(play: Play, model: Model, at: Point, enemies: list[Model]) -> bool:
    there = replace(model, x=at[0], y=at[1])
    return not any(sight.look(play.scene, enemy, there).plain for enemy in enemies)


def _spots(play: Play, model: Model, goal: Point | None = None) -> Iterator[reach.Spot]:
    """The places he can reach: running if he can, else walking; standing up first if he can pay.

    With a goal only those that are nearer to it than he is, the nearest and quickest first; without
    one, and by rules 3, some forty of them.
    """
    if model.wounds.immobilized or model.carried_by:
        return
    ap = model.ap - (movement.STAND_AP if model.prone else 0)
    if ap <= 0:
        return
    runs = _runs(model)
    ways = movement.known_ways(play, model.seat)
    found = reach.Reach(ways, model, movement.longest_way(model, ap, runs=runs))
    every = goal is not None and versions.strays_stop_in_range(play.state)
    looked_at = found.nodes if every else found.nodes[:: max(1, len(found.nodes) // 40)]
    cost = "run_ap" if runs else "walk_ap"
    for nodes in [looked_at] if goal is None else _nearer(found, looked_at, model, goal):
        spots = sorted(found.spots(nodes), key=lambda spot: spot.length)
        yield from (spot for spot in spots if getattr(spot, cost) <= ap)


def _nearer(
    found: reach.Reach, nodes: Sequence[int], model: Model, goal: Point
) -> Iterator[list[int]]:
    """Those of the nodes that are nearer to a goal than he is, in groups of one distance."""
    far = {node: geometry.distance(found.at(node), goal) for node in nodes}
    start = geometry.distance(model.at, goal)
    nearer = sorted((node for node in nodes if far[node] < start), key=far.__getitem__)
    return (list(group) for _, group in groupby(nearer, far.__getitem__))


def _runs(model: Model) -> bool:
    """Whether he runs once he stands; who carries somebody walks."""
    return not (model.wounds.slow or model.wounds.untreated or model.carrying)


def _fastest(model: Model) -> Gait:
    return "run" if _runs(model) else "walk"


def _cheapest(play: Play, model: Model, path: tuple[Point, ...]) -> Gait:
    way, ways = [model.at, *path], movement.known_ways(play, model.seat)
    walks = movement.walk_cost(play.terrain, model, way) <= movement.run_cost(ways, model, way)
    return "walk" if walks else _fastest(model)


def _go(play: Play, who: str, path: tuple[Point, ...], gait: Gait) -> None:
    model = play.models[who]
    if model.prone:
        play.put(who, prone=False, ap=model.ap - movement.STAND_AP)
        play.tell(Stood(who=who, prone=False, readers=play.readers(who)))
        model = play.models[who]
    move = Travel(who, gait, path, model.floor)
    try:
        cost = movement.check_travel(movement.known_ways(play, model.seat), model, move)
    except IllegalMove:
        return
    if cost <= model.ap:
        play.put(who, ap=model.ap - cost)
        walking.travel(play, move)


# --- command range ---


def check_command(play: Play, who: str) -> None:
    """SKR-55: at the end of an activation, a member out of command range tests his courage once."""
    model = play.models[who]
    leader = spotting.leader_of(play, model.team)
    if not model.fit or model.broken or leader is None or leader.name == who:
        return
    if spotting.commands(play, leader, model):
        if model.venturing or model.recalled:
            play.put(who, venturing=False, recalled=False)
        return
    if model.venturing:
        return
    play.put(who, venturing=True)
    if morale.never_tests(play, model):
        return
    if not play.check("courage", model.abilities.ml, who):
        play.put(who, recalled=True)
        play.tell(Changed(who=who, what="recalled", readers=play.readers(who)))
        go_back(play, who)


def go_back(play: Play, who: str) -> None:
    """SKR-55: moves back until in range. By older rules to the leader, with all AP."""
    model = play.models[who]
    leader = spotting.leader_of(play, model.team)
    if leader is None or spotting.commands(play, leader, model):
        play.put(who, recalled=False, venturing=False)
        return
    stops = versions.strays_stop_in_range(play.state)
    nearest = next(_spots(play, model, leader.at), None)
    if nearest is not None:
        path = _until_in_range(play, leader, model, nearest.path) if stops else nearest.path
        _go(play, who, path, _cheapest(play, model, path) if stops else _fastest(model))
    back = play.models[who].fit and spotting.commands(play, leader, play.models[who])
    if not (back and stops):
        play.put(who, ap=0)
    if back:
        play.put(who, recalled=False, venturing=False)


def _until_in_range(
    play: Play, leader: Model, model: Model, path: tuple[Point, ...]
) -> tuple[Point, ...]:
    """The path up to its first whole inch in command range, or all of it."""
    gone: list[Point] = []
    for spot in geometry.steps([model.at, *path], INCH):
        there = replace(model, x=spot[0], y=spot[1], prone=False)
        if spotting.commands(play, leader, there):
            return (*gone, spot)
        if spot in path:
            gone.append(spot)
    return path
