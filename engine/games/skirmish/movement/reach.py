"""Reachable ground, and the shortest paths: a cached lattice of 1" over each floor.

For the page (reachable ground with its cost), the bot, and models that the rules make run.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from types import MappingProxyType

import msgspec

from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.terrain import BASE, Terrain
from engine.games.skirmish.movement import movement
from engine.games.skirmish.movement.movement import Ways
from engine.games.skirmish.state import Model


class Spot(msgspec.Struct, frozen=True):
    """A reachable place: the corners of the path, its length, and its costs."""

    at: Point
    path: tuple[Point, ...]
    length: int
    walk_ap: int
    run_ap: int


class Lattice:
    """The graph of a floor: its nodes and edges."""

    def __init__(self, terrain: Terrain, floor: str) -> None:
        ground, rect = terrain.grounds[floor], terrain.floors[floor].rect
        nodes = [
            (x, y)
            for x in range(rect[0] + BASE // 2, rect[2], INCH)
            for y in range(rect[1] + BASE // 2, rect[3], INCH)
        ]
        nodes += list(_gap_nodes(terrain, floor))
        self.nodes = tuple(node for node in nodes if ground.holds(node))
        cells: dict[Point, list[int]] = {}
        for number, node in enumerate(self.nodes):
            cells.setdefault((node[0] // INCH, node[1] // INCH), []).append(number)
        self._cells = {cell: tuple(numbers) for cell, numbers in cells.items()}
        pairs = [
            (number, other)
            for number, node in enumerate(self.nodes)
            for other in self.near(node, 1500)
            if other > number
        ]
        open_ = ground.allowed_legs([(self.nodes[a], self.nodes[b]) for a, b in pairs])
        joined: list[list[tuple[int, int]]] = [[] for _ in self.nodes]
        for (a, b), ok in zip(pairs, open_, strict=True):
            if ok:
                far = geometry.distance(self.nodes[a], self.nodes[b])
                joined[a].append((b, far))
                joined[b].append((a, far))
        self.joined = tuple(map(tuple, joined))

    def near(self, at: Point, far: int) -> list[int]:
        """The nodes within a distance."""
        across, up = (range((z - far) // INCH, (z + far) // INCH + 1) for z in at)
        nodes, limit = self.nodes, far * far
        return [
            number
            for cell in product(across, up)
            for number in self._cells.get(cell, ())
            if (nodes[number][0] - at[0]) ** 2 + (nodes[number][1] - at[1]) ** 2 <= limit
        ]


def _gap_nodes(terrain: Terrain, floor: str) -> Iterator[Point]:
    """A node in every doorway of a floor and one on each side of it."""
    here = terrain.floors[floor]
    for gap in terrain.gaps:
        if gap.kind == "door" and (
            gap.level == 0
            if not here.building
            else (gap.building, gap.level) == (here.building, here.level)
        ):
            for far in (-900, 0, 900):
                yield geometry.towards(gap.at, gap.outward, far)


@lru_cache(maxsize=32)
def lattice(terrain: Terrain, floor: str) -> Lattice:
    return Lattice(terrain, floor)


def _ways_from(ways: Ways, model: Model, longest: int) -> dict[int, tuple[int, int]]:
    """Shortest paths by node: length and predecessor (-1 for the start)."""
    grid = lattice(ways.terrain, model.floor)
    ground = ways.terrain.grounds[model.floor]
    shut = _shut_nodes(ways, model, grid)
    best: dict[int, tuple[int, int]] = {}
    queue: list[tuple[int, int, int]] = []
    for number in grid.near(model.at, 1500):
        leg = [model.at, grid.nodes[number]]
        if (
            number not in shut
            and ground.allows(leg)
            and not movement.first_in_way(ways.figures, model, leg, model.floor)
        ):
            heapq.heappush(queue, (geometry.length(leg), number, -1))
    while queue:
        far, number, before = heapq.heappop(queue)
        if number in best or far > longest:
            continue
        best[number] = (far, before)
        for other, step in grid.joined[number]:
            if other not in best and other not in shut:
                heapq.heappush(queue, (far + step, other, number))
    return best


def _shut_nodes(ways: Ways, model: Model, grid: Lattice) -> set[int]:
    """Nodes blocked by other models' bases, with a small margin for the edges between them."""
    return {
        number
        for figure in ways.figures
        if figure.name != model.name
        and figure.floor == model.floor
        and figure.condition != "dead"
        and not figure.carried_by
        for number in grid.near((figure.x, figure.y), BASE + 150)
    }


def _path(grid: Lattice, best: dict[int, tuple[int, int]], number: int) -> list[Point]:
    out: list[Point] = []
    while number >= 0:
        out.append(grid.nodes[number])
        number = best[number][1]
    return out[::-1]


def _open_legs(ways: Ways, model: Model) -> Callable[[Point, Point], bool]:
    """Tells whether a model can go straight from one point to another; it looks at each leg once.

    Paths to places side by side have most of their legs in common.
    """
    ground = ways.terrain.grounds[model.floor]

    @cache
    def is_open(a: Point, b: Point) -> bool:
        leg = [a, b]
        return ground.allows(leg) and not movement.first_in_way(
            ways.figures, model, leg, model.floor
        )

    return is_open


def _straighten(
    is_open: Callable[[Point, Point], bool], start: Point, path: list[Point]
) -> tuple[Point, ...]:
    """The same path with as few corners as the ground and the models allow."""
    out: list[Point] = []
    at, rest = start, path
    while rest:
        pick = 0
        for number in range(len(rest) - 1, 0, -1):
            if is_open(at, rest[number]):
                pick = number
                break
        at = rest[pick]
        out.append(at)
        rest = rest[pick + 1 :]
    return tuple(out)


def reachable(ways: Ways, model: Model, longest: int) -> list[Point]:
    """The lattice's places within a path length."""
    grid = lattice(ways.terrain, model.floor)
    return [grid.nodes[number] for number in sorted(_ways_from(ways, model, longest))]


def spots(ways: Ways, model: Model, longest: int, wanted: list[Point] | None = None) -> list[Spot]:
    """Reachable places with the path and its cost, walking and running.

    ``wanted`` limits the answer to the reachable places nearest to these points.
    """
    grid = lattice(ways.terrain, model.floor)
    best = _ways_from(ways, model, longest)
    numbers = sorted(best)
    if wanted is not None and numbers:
        picked: list[int] = []
        for point in wanted:
            nearest = min(numbers, key=lambda n: (geometry.distance(grid.nodes[n], point), n))
            if nearest not in picked:
                picked.append(nearest)
        numbers = picked
    out, is_open = [], _open_legs(ways, model)
    for number in numbers:
        path = _straighten(is_open, model.at, _path(grid, best, number))
        whole = [model.at, *path]
        out.append(
            Spot(
                grid.nodes[number],
                path,
                geometry.length(whole),
                movement.walk_cost(ways.terrain, model, whole),
                movement.run_cost(ways, model, whole),
            )
        )
    return out


# --- long paths ---


@lru_cache(maxsize=64)
def field(terrain: Terrain, floor: str, goal: int) -> Mapping[int, int]:
    """The path length from every node of a floor to one of them, ignoring models."""
    grid = lattice(terrain, floor)
    best: dict[int, int] = {}
    queue = [(0, goal)]
    while queue:
        far, number = heapq.heappop(queue)
        if number in best:
            continue
        best[number] = far
        for other, step in grid.joined[number]:
            if other not in best:
                heapq.heappush(queue, (far + step, other))
    return MappingProxyType(best)


@lru_cache(maxsize=8192)
def node_at(terrain: Terrain, floor: str, at: Point) -> int | None:
    """The node nearest to a place, within 3"."""
    grid = lattice(terrain, floor)
    near = grid.near(at, 3 * INCH)
    return min(near, key=lambda n: (geometry.distance(grid.nodes[n], at), n)) if near else None


def toward(terrain: Terrain, model: Model, goal: Point, far: int) -> Point | None:
    """The place nearest to a goal by path length, within one straight leg of at most ``far``."""
    return _toward(terrain, model.floor, model.at, goal, far)


@lru_cache(maxsize=8192)
def _toward(terrain: Terrain, floor: str, at: Point, goal: Point, far: int) -> Point | None:
    end = node_at(terrain, floor, goal)
    if end is None:
        return None
    lengths = field(terrain, floor, end)
    grid, ground = lattice(terrain, floor), terrain.grounds[floor]
    near = sorted((lengths[n], n) for n in grid.near(at, far) if n in lengths)
    for _, number in near[:60]:
        if ground.allows([at, grid.nodes[number]]):
            return grid.nodes[number]
    return None
