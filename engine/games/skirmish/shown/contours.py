"""Lines of equal cost around a man: how far so many AP take him, as closed lines on the map.

The costs are those of the path search at every place of its lattice. A line is where they pass a
number of AP, by marching squares: each square of four places adds at most two stretches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec
import numpy as np

from engine.games.skirmish.ground.geometry import INCH, Point

#: Lines of fewer corners than this are holes around men, and are left out.
LEAST = 6
#: The cost of a place that cannot be reached: more than any.
FAR = 10**9
#: The corners of a square, anticlockwise from the south-west.
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


class Ring(msgspec.Struct, frozen=True):
    """What so many AP reach: its edges, each a closed line without its last point."""

    ap: int
    lines: tuple[tuple[Point, ...], ...]

    def points(self) -> list[str]:
        """Each line as SVG writes points, in tenths of an inch; rounded down."""
        return [" ".join(f"{x // 100},{y // 100}" for x, y in line) for line in self.lines]


def rings(costs: Mapping[Point, int], bands: Iterable[int], inch: int) -> tuple[Ring, ...]:
    """The rings of some numbers of AP.

    ``costs``: in thousandths of AP, of places on a lattice of one inch; ``inch``: what an inch of
    open ground costs. Bands that reach no place have no ring.
    """
    if not costs:
        return ()
    squares = Squares(costs)
    found = (Ring(ap, tuple(_lines(costs, squares.at(ap * 1000), ap * 1000, inch))) for ap in bands)
    return tuple(ring for ring in found if ring.lines)


class Squares:
    """The squares that have one of some places as a corner, with the least and greatest cost."""

    def __init__(self, costs: Mapping[Point, int]) -> None:
        places = np.array(list(costs))
        self._origin = places.min(axis=0) - INCH
        places = (places - self._origin) // INCH
        known = np.full(places.max(axis=0) + 2, FAR)
        known[tuple(places.T)] = list(costs.values())
        wide, high = known.shape
        of_corners = [known[x : wide - 1 + x, y : high - 1 + y] for x, y in CORNERS]
        self._least, self._greatest = np.min(of_corners, axis=0), np.max(of_corners, axis=0)

    def at(self, level: int) -> Iterator[tuple[Point, ...]]:
        """The corners of those that a line of this cost passes, from west to east."""
        passed = np.argwhere((self._least <= level) & (level < self._greatest))
        for west, south in (passed * INCH + self._origin).tolist():
            yield tuple((west + x * INCH, south + y * INCH) for x, y in CORNERS)


def _lines(
    costs: Mapping[Point, int], squares: Iterable[tuple[Point, ...]], level: int, inch: int
) -> Iterator[tuple[Point, ...]]:
    """The closed lines around what costs at most this, those around holes included."""
    steps: dict[Point, Point] = {}
    for places in squares:
        within = [costs.get(place, FAR) <= level for place in places]
        # a stretch goes from where the outline leaves what is within to where it comes back
        leaves, enters = [], []
        for number, (place, inside) in enumerate(zip(places, within, strict=True)):
            beyond = (number + 1) % 4
            if inside and not within[beyond]:
                leaves.append(_crossing(costs, place, places[beyond], level, inch))
            elif within[beyond] and not inside:
                enters.append(_crossing(costs, places[beyond], place, level, inch))
        # of a saddle the two corners within stay apart: each is passed on its outer side
        if len(leaves) == 2 and within[0]:
            enters = [enters[1], enters[0]]
        steps.update(zip(leaves, enters, strict=True))
    while steps:
        first, here = steps.popitem()
        line = [first]
        while here != first and here in steps:
            line.append(here)
            here = steps.pop(here)
        if len(line) >= LEAST:
            yield tuple(line)


def _crossing(
    costs: Mapping[Point, int], inner: Point, outer: Point, level: int, inch: int
) -> Point:
    """Where the cost passes the level on the way to a place outside.

    A place without a cost is too far, or a wall is between: half-way at most.
    """
    low, high = costs[inner], costs.get(outer)
    part = 1000 * (level - low) // max((high or low + inch) - low, 1)
    # never at a place itself, where lines would meet
    part = min(max(part, 20), 980 if high is not None else 500)
    (x, y), (to_x, to_y) = inner, outer
    return (x + (to_x - x) * part // 1000, y + (to_y - y) * part // 1000)
