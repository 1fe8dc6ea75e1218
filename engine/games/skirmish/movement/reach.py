"""Reachable ground, and the shortest paths: a cached lattice of 1" over each floor.

For the page (reachable ground with its cost), the bot, and models that the rules make run.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from engine.games.skirmish import versions
from engine.games.skirmish.combat import close
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.terrain import BASE, Terrain
from engine.games.skirmish.movement import movement
from engine.games.skirmish.movement.movement import Ways
from engine.games.skirmish.state import Model

#: How far from a man the nodes are from which somebody goes straight to him.
NEAR_HIM = 2500

#: The longest leg of the lattice.
LEG = 1500

#: Places, or legs from one to another.
Places: TypeAlias = npt.NDArray[np.float64]


class Spot(msgspec.Struct, frozen=True):
    """A reachable place: the corners of the path, its length, and its costs."""

    at: Point
    path: tuple[Point, ...]
    length: int
    #: How much of it is rubble.
    rough: int
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
        self.nodes = tuple(ground.held(nodes))
        #: The same as an array, read-only.
        self.places: Places = np.array(self.nodes, float).reshape(-1, 2)
        self.places.flags.writeable = False
        cells: dict[Point, list[int]] = {}
        for number, node in enumerate(self.nodes):
            cells.setdefault((node[0] // INCH, node[1] // INCH), []).append(number)
        self._cells = {cell: tuple(numbers) for cell, numbers in cells.items()}
        pairs = [
            (number, other)
            for number, node in enumerate(self.nodes)
            for other in self.near(node, LEG)
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


class Reach:
    """The places of the lattice that a model can reach by a path of at most a length."""

    def __init__(self, ways: Ways, model: Model, longest: int) -> None:
        self._ways, self._model, self._longest = ways, model, longest
        self._grid = lattice(ways.terrain, model.floor)
        self._ground = ways.terrain.grounds[model.floor]
        self._others = [
            (other.x, other.y)
            for other in movement.obstacles(ways.figures, model, model.floor)
            if geometry.distance((other.x, other.y), model.at) < longest + 2 * BASE
        ]
        #: The places of the nodes, and last, as of node -1, where the model is.
        self._places: Places = np.concatenate([self._grid.places, [model.at]])
        #: Shortest paths by node: length and predecessor (-1 for the start).
        self._best = self._search()
        #: The nodes, in their order.
        self.nodes = tuple(sorted(self._best))

    def at(self, node: int) -> Point:
        """The place of a node; of -1, where the model is."""
        return self._grid.nodes[node] if node >= 0 else self._model.at

    def spots(self, nodes: Sequence[int]) -> list[Spot]:
        """Some of the places, with the path and its cost, walking and running."""
        ways = self._straightened(nodes)
        return self._costed([ways[node] for node in nodes])

    def beside(self, others: Sequence[Point]) -> list[Spot | None]:
        """For each of these men the nearest place in base contact with him, if he can get there."""
        found = [self._way_beside(other) for other in others]
        spots = iter(self._costed([way for way in found if way is not None]))
        return [None if way is None else next(spots) for way in found]

    def _way_beside(self, other: Point) -> tuple[tuple[Point, ...], int] | None:
        """Straight to him if that can be, else from the node where the path is shortest."""
        if geometry.distance(self._model.at, other) > self._longest + 2 * BASE:
            return None
        near = [node for node in self._grid.near(other, NEAR_HIM) if node in self._best]
        ends = self._straight_to(other, [self._model.at, *map(self.at, near)])
        nodes = dict(zip((-1, *near), ends, strict=True))
        lengths = {
            node: far + (self._best[node][0] if node >= 0 else 0)
            for node, (_, far, is_open) in nodes.items()
            if is_open
        }
        node = min(lengths, key=lambda one: (lengths[one], one), default=None)
        if node is None or lengths[node] > self._longest:
            return None
        path = self._straightened([node])[node][0] if node >= 0 else ()
        corners = [self._model.at, *path]
        for number, (end, _, is_open) in enumerate(self._straight_to(other, corners)):
            if is_open:
                way = (*path[:number], end)
                return way, geometry.length([self._model.at, *way])
        return None

    def _straight_to(self, other: Point, starts: Sequence[Point]) -> list[tuple[Point, int, bool]]:
        """From each place straight to a man: where bases meet, how far, whether it is open."""
        ends = [close.beside(start, other) for start in starts]
        legs = np.array([*zip(starts, ends, strict=True)], float)
        return list(zip(ends, *self._measured(legs), strict=True))

    def _costed(self, ways: Sequence[tuple[tuple[Point, ...], int]]) -> list[Spot]:
        start = self._model.at
        wholes = [(start, *path) for path, _ in ways]
        rough = movement.rough_lengths(self._ways.terrain, self._model.floor, wholes)
        return [
            Spot(
                path[-1],
                path,
                length,
                rubble,
                movement.walk_ap(self._model, length, rubble),
                movement.run_ap(self._ways.options, self._model, length, rubble),
            )
            for (path, length), rubble in zip(ways, rough, strict=True)
        ]

    def _search(self) -> dict[int, tuple[int, int]]:
        grid, start, longest = self._grid, self._model.at, self._longest
        shut = self._shut_nodes()
        closed = self._closed_legs(shut)
        near = [node for node in grid.near(start, LEG) if node not in shut]
        legs = self._legs([-1] * len(near), near)
        queue = [
            (far, node, -1)
            for node, far, is_open in zip(near, *self._measured(legs), strict=True)
            if is_open and far <= longest
        ]
        heapq.heapify(queue)
        best: dict[int, tuple[int, int]] = {}
        # no longer path to a node need wait in the queue
        limit = [longest] * len(grid.nodes)
        for node in shut:
            limit[node] = -1
        while queue:
            far, node, before = heapq.heappop(queue)
            if node in best:
                continue
            best[node] = (far, before)
            for other, step in grid.joined[node]:
                if far + step <= limit[other] and (node, other) not in closed:
                    limit[other] = far + step
                    heapq.heappush(queue, (far + step, other, node))
        return best

    def _shut_nodes(self) -> set[int]:
        """Nodes blocked by other models' bases, with a small margin for most legs between them."""
        return {node for other in self._others for node in self._grid.near(other, BASE + 150)}

    def _closed_legs(self, shut: set[int]) -> set[tuple[int, int]]:
        """SKR-48: the legs from one node to another, neither of them shut, through a model."""
        if not versions.ways_keep_off_men(self._ways):
            return set()
        far = math.isqrt(movement.TOO_NEAR**2 + (LEG // 2) ** 2) + 1
        near = {node for other in self._others for node in self._grid.near(other, far)} - shut
        joined = self._grid.joined
        ends = [(node, end) for node in near for end, _ in joined[node] if end not in shut]
        legs = self._legs([a for a, _ in ends], [b for _, b in ends])
        is_open = geometry.keep_off(legs, self._others, movement.TOO_NEAR)
        closed = [leg for leg, free in zip(ends, is_open, strict=True) if not free]
        return {*closed, *((end, node) for node, end in closed)}

    def _straightened(self, nodes: Sequence[int]) -> dict[int, tuple[tuple[Point, ...], int]]:
        """The paths to these nodes, with as few corners as can be, and their lengths.

        From each corner on, the farthest place of a path that is open is the next. So a path has
        the corners of the path to its last corner, and a node need only know that one. All nodes
        look for it together: their legs are asked at once.
        """
        best = self._best
        found: dict[int, tuple[tuple[Point, ...], int]] = {-1: ((), 0)}
        corner = dict.fromkeys(self._on_the_way(nodes), -1)
        while rest := [node for node in corner if node not in found]:
            legs = self._legs([corner[node] for node in rest], rest)
            for node, far, is_open in zip(rest, *self._measured(legs), strict=True):
                last, before = corner[node], best[node][1]
                if is_open or before == last:
                    path, length = found[last]
                    found[node] = ((*path, self._grid.nodes[node]), length + far)
                else:
                    corner[node] = before if before in found else corner[before]
        return found

    def _on_the_way(self, nodes: Sequence[int]) -> list[int]:
        """Some nodes and all on the paths to them, each after the one before it."""
        wanted = {-1}
        for node in nodes:
            while node not in wanted:
                wanted.add(node)
                node = self._best[node][1]
        return [node for node in self._best if node in wanted]

    def _legs(self, starts: Sequence[int], ends: Sequence[int]) -> Places:
        """The straight legs from some nodes to others."""
        return self._places.take(np.array((starts, ends), dtype=int).T, axis=0)

    def _measured(self, legs: Places) -> tuple[list[int], list[bool]]:
        """How long each of these legs is, and whether the model can go straight along it."""
        free = geometry.keep_off(legs, self._others, movement.TOO_NEAR)
        allowed = self._ground.allowed_legs(legs)
        is_open = [both[0] and both[1] for both in zip(free, allowed, strict=True)]
        return geometry.distances(legs), is_open


# --- long paths ---


#: The length of a path to where no path leads.
NOWHERE = 10**9
#: A path length for each node.
Lengths: TypeAlias = npt.NDArray[np.int64]


@lru_cache(maxsize=64)
def field(terrain: Terrain, floor: str, goal: int) -> Lengths:
    """The path length from every node of a floor to one of them, ignoring models; read-only."""
    joined = lattice(terrain, floor).joined
    best = [NOWHERE] * len(joined)
    best[goal] = 0
    queue = [(0, goal)]
    while queue:
        far, number = heapq.heappop(queue)
        if far > best[number]:
            continue
        for other, step in joined[number]:
            if far + step < best[other]:
                best[other] = far + step
                heapq.heappush(queue, (far + step, other))
    lengths = np.array(best)
    lengths.flags.writeable = False
    return lengths


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
    away = grid.places - at
    near = np.flatnonzero(((away * away).sum(axis=1) <= far * far) & (lengths < NOWHERE))
    places = [grid.nodes[n] for n in near[np.argsort(lengths[near], kind="stable")][:60]]
    # mostly one of the first is open
    for some in (places[:4], places[4:]):
        for place, is_open in zip(some, ground.allowed_legs([(at, p) for p in some]), strict=True):
            if is_open:
                return place
    return None
