"""Lines of equal cost around a man: how far so many AP take him, as closed lines on the map.

The costs are those of the path search at every place of its lattice. A line is where they pass a
number of AP, by marching squares: each square of four places adds at most two stretches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from engine.games.skirmish.ground.geometry import INCH, Point

#: Lines of fewer corners than this are holes around men, and are left out.
LEAST = 6
#: The cost of a place that cannot be reached: more than any.
FAR = 10**9
#: The corners of a square, anticlockwise from the south-west, and the first once more.
CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)])
CORNERS.flags.writeable = False
#: Whole numbers, of many places.
Places: TypeAlias = npt.NDArray[np.int64]


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
    bands = list(bands)
    found = zip(bands, Squares(costs, inch).steps([ap * 1000 for ap in bands]), strict=True)
    drawn = (Ring(ap, tuple(_closed(steps))) for ap, steps in found)
    return tuple(ring for ring in drawn if ring.lines)


class Squares:
    """The squares that have one of some places as a corner."""

    def __init__(self, costs: Mapping[Point, int], inch: int) -> None:
        self._inch = inch
        places = np.array(list(costs))
        self._origin = places.min(axis=0) - INCH
        places = (places - self._origin) // INCH
        self._costs = np.full(places.max(axis=0) + 2, FAR)
        self._costs[tuple(places.T)] = list(costs.values())
        wide, high = self._costs.shape
        self._of_corners = np.array(
            [self._costs[x : wide - 1 + x, y : high - 1 + y] for x, y in CORNERS[:4]]
        )

    def steps(self, levels: Sequence[int]) -> list[dict[Point, Point]]:
        """For each level the stretches of the lines around what costs at most this.

        Each goes from where the outline leaves what is within to where it comes back; they come
        from west to east.
        """
        of_levels = np.array(levels)[:, None, None]
        least, greatest = self._of_corners.min(axis=0), self._of_corners.max(axis=0)
        number, west, south = np.nonzero((least <= of_levels) & (of_levels < greatest))
        within = self._of_corners[:, west, south] <= of_levels[number, 0, 0]
        beyond = within[[1, 2, 3, 0]]
        squares, leaves = np.nonzero((within & ~beyond).T)
        # of a saddle the two corners within stay apart: each is passed on its outer side
        saddle = (within[0] == within[2]) & (within[1] == within[3])
        entered = (beyond & ~within).argmax(axis=0)
        enters = np.where(saddle[squares], (leaves - 1) % 4, entered[squares])
        number, corner = number[squares], np.array([west, south])[:, squares]
        level = of_levels[number, 0, 0]
        starts = self._crossings(corner + CORNERS[leaves].T, corner + CORNERS[leaves + 1].T, level)
        ends = self._crossings(corner + CORNERS[enters + 1].T, corner + CORNERS[enters].T, level)
        out: list[dict[Point, Point]] = [{} for _ in levels]
        for of, start, end in zip(number.tolist(), starts, ends, strict=True):
            out[of][start] = end
        return out

    def _crossings(self, inner: Places, outer: Places, level: Places) -> Iterator[Point]:
        """Where the cost passes a level on the way from a place to one outside.

        A place without a cost is too far, or a wall is between: half-way at most.
        """
        low, high = self._costs[tuple(inner)], self._costs[tuple(outer)]
        rise = np.where(high < FAR, high - low, self._inch)
        part = 1000 * (level - low) // np.maximum(rise, 1)
        # never at a place itself, where lines would meet
        part = np.minimum(np.maximum(part, 20), np.where(high < FAR, 980, 500))
        spots = self._origin[:, None] + inner * INCH + (outer - inner) * INCH * part // 1000
        return zip(*spots.tolist(), strict=True)


def _closed(steps: dict[Point, Point]) -> Iterator[tuple[Point, ...]]:
    """The closed lines that steps make, those around holes included."""
    while steps:
        first, here = steps.popitem()
        line = [first]
        while here != first and here in steps:
            line.append(here)
            here = steps.pop(here)
        if len(line) >= LEAST:
            yield tuple(line)
