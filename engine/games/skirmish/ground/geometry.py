"""Lengths, directions and shapes. Only this module of the game, and ``sweeps``, use shapely.

A position is ``(x, y)`` in whole thousandths of an inch, x to the east and y to the north, from the
table's south-west corner. A direction is a compass bearing in degrees: 0 north, 90 east.

Shapes that are queried often are prepared geometries, and GEOS changes the cache of a prepared
geometry while it answers: two threads that query the same one crash the process. So every thread
has its own copies, and no shapely geometry is ever shared; this is the module's only use of
``threading`` (docs/decisions/threads.md).
"""

from __future__ import annotations

import math
import struct
import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

Point: TypeAlias = tuple[int, int]
Rect: TypeAlias = tuple[int, int, int, int]  # west, south, east, north
Ends: TypeAlias = tuple[Point, Point]
#: Many legs; who asks several things of them makes them an array once.
Legs: TypeAlias = Sequence[Ends] | npt.NDArray[np.float64]

INCH = 1000
#: What places are rounded to where a thousandth does not matter.
TIDY = 100


def distance(a: Point, b: Point, rise: int = 0) -> int:
    """The distance between centres in thousandths, including a difference in height if given."""
    return math.isqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + rise**2)


def distances(legs: npt.NDArray[np.float64]) -> list[int]:
    """``distance`` between the ends of many legs."""
    ahead = legs[:, 1] - legs[:, 0]
    # whole numbers of this size have no rounding errors, nor have their roots before the point
    found: list[int] = np.sqrt((ahead * ahead).sum(axis=1)).astype(int).tolist()
    return found


def length(path: Sequence[Point]) -> int:
    """The length of a path from point to point."""
    return sum(distance(a, b) for a, b in pairwise(path))


def bearing(a: Point, b: Point) -> int:
    """The compass direction from one point to another, 0 to 359."""
    return round(math.degrees(math.atan2(b[0] - a[0], b[1] - a[1]))) % 360


def turned(from_direction: int, to_direction: int) -> int:
    """The angle between two directions, 0 to 180 degrees."""
    return abs((to_direction - from_direction + 180) % 360 - 180)


def along(a: Point, b: Point, far: int) -> Point:
    """The point ``far`` thousandths from a in the direction of b."""
    whole = math.hypot(b[0] - a[0], b[1] - a[1])
    if whole == 0:
        return a
    return (round(a[0] + (b[0] - a[0]) * far / whole), round(a[1] + (b[1] - a[1]) * far / whole))


def towards(a: Point, direction: int, far: int) -> Point:
    """The point ``far`` thousandths from a in a compass direction."""
    angle = math.radians(direction)
    return (round(a[0] + math.sin(angle) * far), round(a[1] + math.cos(angle) * far))


def tidy(p: Point) -> Point:
    """To a tenth of an inch, as people write it."""
    return (round(p[0] / TIDY) * TIDY, round(p[1] / TIDY) * TIDY)


def off_line(a: Point, b: Point, p: Point) -> float:
    """The distance of p from the segment between a and b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    ahead = (p[0] - a[0]) * dx + (p[1] - a[1]) * dy
    share = 0.0 if ahead <= 0 else 1.0 if ahead >= square else ahead / square
    return math.hypot(a[0] + share * dx - p[0], a[1] + share * dy - p[1])


def keep_off(legs: Legs, points: Sequence[Point], room: int) -> list[bool]:
    """Whether each leg is nowhere nearer than ``room`` to any of the points.

    ``off_line`` decides, but it is only asked where the two are about as near as that.
    """
    if not len(legs) or not points:
        return [True] * len(legs)
    ends = np.asarray(legs, dtype=float)
    x, y, to_x, to_y = ends.reshape(-1, 4).T[:, :, None]
    dx, dy = to_x - x, to_y - y
    east, north = np.array(points, dtype=float).T
    east, north = east - x, north - y
    share = (east * dx + north * dy) / np.maximum(1.0, dx * dx + dy * dy)
    share = np.minimum(1.0, np.maximum(0.0, share))
    off = (east - share * dx) ** 2 + (north - share * dy) ** 2
    out: list[bool] = (off >= (room - 1) ** 2).all(axis=1).tolist()
    for leg, point in np.argwhere(abs(off - room**2) <= 2 * room + 1).tolist():
        a, b = ends[leg].tolist()
        if off_line(a, b, points[point]) < room:
            out[leg] = False
    return out


def off_triangle(a: Point, b: Point, c: Point, p: Point) -> float:
    """The distance of p from the triangle of three points, 0 inside it."""
    sides = ((a, b), (b, c), (c, a))
    turns = [(t[0] - s[0]) * (p[1] - s[1]) - (t[1] - s[1]) * (p[0] - s[0]) for s, t in sides]
    if all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns):
        return 0.0
    return min(off_line(s, t, p) for s, t in sides)


def first_within(a: Point, b: Point, p: Point, radius: int) -> Point | None:
    """The first point of the segment from a to b within a radius of p, to the thousandth."""
    if off_line(a, b, p) > radius:
        return None
    if distance(a, p) <= radius:
        return a
    whole = math.hypot(b[0] - a[0], b[1] - a[1])
    ahead = ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / whole
    aside = math.hypot(a[0] - p[0], a[1] - p[1]) ** 2 - ahead**2
    return along(a, b, max(0, round(ahead - math.sqrt(max(0.0, radius**2 - aside)))))


class Leg(msgspec.Struct, frozen=True, gc=False):
    """A straight piece of a way. Its places are whole thousandths from its start."""

    start: Point
    end: Point

    @property
    def length(self) -> int:
        return distance(self.start, self.end)

    def at(self, place: int) -> Point:
        return self.end if place >= self.length else along(self.start, self.end, place)

    def abreast(self, p: Point) -> float:
        """The place of its line that is nearest to a point."""
        dx, dy = self._ahead
        return (p[0] - self.start[0]) * dx + (p[1] - self.start[1]) * dy

    def at_distance(self, p: Point, far: float) -> list[float]:
        """The places of its line at a distance from a point: none, or two."""
        dx, dy = self._ahead
        aside = (p[0] - self.start[0]) * dy - (p[1] - self.start[1]) * dx
        square = far * far - aside * aside
        if far < 0 or square < 0:
            return []
        here, half = self.abreast(p), math.sqrt(square)
        return [here - half, here + half]

    def across(self, p: Point, direction: float) -> list[float]:
        """The place where the line through a point in a compass direction crosses its line."""
        dx, dy = self._ahead
        x, y = math.sin(math.radians(direction)), math.cos(math.radians(direction))
        turn = dx * y - dy * x
        if abs(turn) < 1e-12:
            return []
        return [((p[0] - self.start[0]) * y - (p[1] - self.start[1]) * x) / turn]

    @property
    def _ahead(self) -> tuple[float, float]:
        whole = math.hypot(self.end[0] - self.start[0], self.end[1] - self.start[1]) or 1.0
        return (self.end[0] - self.start[0]) / whole, (self.end[1] - self.start[1]) / whole


def steps(path: Sequence[Point], stride: int) -> list[Point]:
    """The points of a path at most a stride apart, without its first, its corners among them."""
    out: list[Point] = []
    for a, b in pairwise(path):
        whole = distance(a, b)
        out += [along(a, b, far) for far in range(stride, whole, stride)]
        out.append(b)
    return out


def corners(rect: Rect) -> tuple[Point, ...]:
    west, south, east, north = rect
    return ((west, south), (east, south), (east, north), (west, north))


def inside(rect: Rect, p: Point) -> bool:
    return rect[0] <= p[0] <= rect[2] and rect[1] <= p[1] <= rect[3]


def nearest_in(rect: Rect, p: Point) -> Point:
    """The point of a rectangle that is nearest to another point."""
    return (min(max(p[0], rect[0]), rect[2]), min(max(p[1], rect[1]), rect[3]))


def grown(rect: Rect, by: int) -> Rect:
    """A rectangle with a margin around it, or within it if that is negative."""
    return (rect[0] - by, rect[1] - by, rect[2] + by, rect[3] + by)


def octagon(centre: Point, radius: int) -> tuple[Point, ...]:
    return tuple(
        (
            round(centre[0] + radius * math.cos(math.pi * (2 * k + 1) / 8)),
            round(centre[1] + radius * math.sin(math.pi * (2 * k + 1) / 8)),
        )
        for k in range(8)
    )


class _Prepared(threading.local):
    """A shape with a prepared copy for each thread, made on first use."""

    def __init__(self, made: bytes) -> None:
        self.shape: BaseGeometry = shapely.from_wkb(made)
        shapely.prepare(self.shape)


class _Tree(threading.local):
    """The same for a tree of shapes."""

    def __init__(self, made: Sequence[bytes]) -> None:
        self.tree = shapely.STRtree([shapely.from_wkb(one) for one in made])


class Ground:
    """Where the centre of a base may be: an outline minus the obstacles on it."""

    def __init__(
        self,
        outline: Rect,
        holes: Iterable[Rect],
        bridges: Iterable[Rect],
        blocks: Iterable[tuple[Sequence[Point], int]],
    ) -> None:
        shape: BaseGeometry = shapely.box(*outline)
        water = shapely.union_all([shapely.box(*hole) for hole in holes])
        water = water.difference(shapely.union_all([shapely.box(*deck) for deck in bridges]))
        solid = [shapely.Polygon(points).buffer(room, quad_segs=4) for points, room in blocks]
        shape = shape.difference(water).difference(shapely.union_all(solid))
        self._own = _Prepared(shapely.to_wkb(shape))

    def holds(self, p: Point) -> bool:
        return bool(shapely.intersects_xy(self._own.shape, *p))

    def held(self, points: Sequence[Point]) -> list[Point]:
        """Those of these points that it holds, in their order."""
        found = shapely.intersects_xy(self._own.shape, np.reshape(points, (-1, 2)))
        return list(compress(points, found))

    def allows(self, path: Sequence[Point]) -> bool:
        """Whether the whole path is on it."""
        return _covered(self._own, tuple(path))

    def allowed_legs(self, legs: Legs) -> list[bool]:
        """Like ``allows``, for many legs at once."""
        if not len(legs):
            return []
        lines = shapely.linestrings(np.asarray(legs, dtype=float))
        allowed: list[bool] = np.asarray(shapely.covers(self._own.shape, lines)).tolist()
        return allowed


class Areas:
    """Areas of ground, to measure how much of a path is in them."""

    def __init__(self, rects: Sequence[Rect]) -> None:
        shape = shapely.union_all([shapely.box(*rect) for rect in rects])
        self.empty = bool(shape.is_empty)
        self._own = _Prepared(shapely.to_wkb(shape))
        self._rects = np.reshape(rects, (-1, 4))
        self._rects.flags.writeable = False

    def length_of(self, path: Sequence[Point]) -> int:
        """The length of a path inside them, in thousandths."""
        return 0 if self.empty or len(path) < 2 else _length_in(self._own, tuple(path))

    def lengths_of(self, paths: Sequence[Sequence[Point]]) -> list[int]:
        """``length_of`` of many paths."""
        out = [0] * len(paths)
        if self.empty or not paths:
            return out
        near = [number for number in self._near(paths) if len(paths[number]) > 1]
        lines = shapely.from_wkb([_line_bytes(paths[number]) for number in near])
        # an intersection takes ten times as long
        touching = np.flatnonzero(shapely.intersects(self._own.shape, lines))
        inside = shapely.length(shapely.intersection(self._own.shape, lines[touching]))
        for place, length in zip(touching.tolist(), inside.tolist(), strict=True):
            out[near[place]] = round(length)
        return out

    def _near(self, paths: Sequence[Sequence[Point]]) -> list[int]:
        """The paths whose bounding box touches an area: of many paths most are far from all."""
        flat = np.fromiter((z for path in paths for point in path for z in point), np.int64)
        points, starts = flat.reshape(-1, 2), np.cumsum([0, *map(len, paths[:-1])])
        west, south = np.minimum.reduceat(points, starts).T[:, :, None]
        east, north = np.maximum.reduceat(points, starts).T[:, :, None]
        rects = self._rects.T
        over = (west <= rects[2]) & (east >= rects[0]) & (south <= rects[3]) & (north >= rects[1])
        return np.flatnonzero(over.any(axis=1)).tolist()

    def holds(self, p: Point) -> bool:
        return not self.empty and bool(shapely.intersects_xy(self._own.shape, *p))


class Index:
    """Finds the outlines that a corridor touches."""

    def __init__(self, outlines: Iterable[Sequence[Point]]) -> None:
        self._own = _Tree([shapely.to_wkb(shapely.Polygon(points)) for points in outlines])

    def touched(self, corridor: Sequence[Point]) -> list[int]:
        return _touched(self._own, _polygon(corridor))

    def crossed(self, a: Point, b: Point) -> tuple[int, ...]:
        """Those that the segment from a to b crosses."""
        return _crossed(self._own, a, b)

    def touched_by_hulls(self, groups: Sequence[Sequence[Point]]) -> list[list[int]]:
        """For each group of points, all as many, the outlines that its convex hull touches."""
        out: list[list[int]] = [[] for _ in groups]
        if groups:
            hulls = shapely.convex_hull(shapely.linestrings(np.array(groups, dtype=float)))
            for group, found in self._own.tree.query(hulls, predicate="intersects").T:
                out[int(group)].append(int(found))
        return out


def _touched(own: _Tree, shape: BaseGeometry) -> list[int]:
    # of one shape in a list the tree makes no array anew
    _, found = own.tree.query([shape], predicate="intersects").tolist()
    return sorted(found)


# Kept, because of a man who has not moved the same is asked at each order of his team.


@lru_cache(maxsize=2048)
def _covered(own: _Prepared, path: tuple[Point, ...]) -> bool:
    return bool(shapely.covers(own.shape, _line(path)))


@lru_cache(maxsize=2048)
def _length_in(own: _Prepared, path: tuple[Point, ...]) -> int:
    line = _line(path)
    # an intersection takes ten times as long
    if not shapely.intersects(own.shape, line):
        return 0
    return round(float(shapely.length(shapely.intersection(own.shape, line))))


@lru_cache(maxsize=1024)
def _crossed(own: _Tree, a: Point, b: Point) -> tuple[int, ...]:
    return tuple(_touched(own, _line((a, b))))


Shadow: TypeAlias = tuple[tuple[float, float], ...]
Outline: TypeAlias = Sequence[tuple[float, float]]
#: A shadow by the corners that cast it: the offset of each to the right of the middle, and on
#: which height its bottom and its top fall.
Cast: TypeAlias = tuple[Sequence[float], Sequence[float], Sequence[float]]
#: The part of a solid nearer to the eye than this, or behind the plane, casts no shadow.
NEAR, BEHIND = 20.0, 1.0


def cast(
    eye: tuple[int, int, int],
    middle: Point,
    outline: Sequence[Point],
    bottom: int,
    top: int,
    mark: Rect,
) -> Cast | None:
    """The shadow of a solid on the vertical plane through ``middle`` that faces the eye.

    Lengths are in thousandths. The solid is convex, from ``bottom`` to ``top``; only its part
    between the eye and the plane counts. None where it cannot overlap the rectangle ``mark`` on
    that plane, by their bounding boxes: so it is with most.
    """
    ex, ey, ez = eye
    west, south, east, north = mark
    if (bottom >= ez and bottom >= north) or (top <= ez and top <= south):
        return None  # over or under all that passes from the eye to the mark
    far = math.hypot(middle[0] - ex, middle[1] - ey)
    if far < 1:
        return None
    dx, dy = (middle[0] - ex) / far, (middle[1] - ey) / far
    local: Outline = [
        ((x - ex) * dx + (y - ey) * dy, (x - ex) * dy - (y - ey) * dx) for x, y in outline
    ]
    nearest, farthest = min(local)[0], max(local)[0]
    if nearest < NEAR or farthest > far - BEHIND:
        local = clipped(clipped(local, NEAR, 1), far - BEHIND, -1)
        if not local:
            return None
    scales = [far / depth for depth, _ in local]
    offsets = [right * scale for (_, right), scale in zip(local, scales, strict=True)]
    if min(offsets) >= east or max(offsets) <= west:
        return None
    lows = [ez + (bottom - ez) * scale for scale in scales]
    if min(lows) >= north:
        return None
    highs = [ez + (top - ez) * scale for scale in scales]
    if max(highs) <= south:
        return None
    return offsets, lows, highs


def hides(shadow: Cast, rect: Rect) -> bool:
    """Whether all of a rectangle lies between the least and the most of a shadow.

    What is higher than each bottom and lower than each top is in shadow from end to end.
    """
    offsets, lows, highs = shadow
    return (
        max(lows) < rect[1]
        and min(highs) > rect[3]
        and min(offsets) < rect[0]
        and max(offsets) > rect[2]
    )


def outlined(shadow: Cast) -> Shadow:
    """The convex outline of a shadow, counter-clockwise, as (offset to the right, height)."""
    offsets, lows, highs = shadow
    return _hull([*zip(offsets, lows, strict=True), *zip(offsets, highs, strict=True)])


def clipped(outline: Outline, limit: float, sign: int) -> Outline:
    """The part of a convex outline whose depth is on one side of a limit."""
    out: list[tuple[float, float]] = []
    for k, (d1, r1) in enumerate(outline):
        d0, r0 = outline[k - 1]
        in0, in1 = (d0 - limit) * sign >= 0, (d1 - limit) * sign >= 0
        if in0 != in1:
            out.append((limit, r0 + (r1 - r0) * (limit - d0) / (d1 - d0)))
        if in1:
            out.append((d1, r1))
    return out


def _hull(points: Outline) -> Shadow:
    """The convex hull, counter-clockwise (Andrew's monotone chain)."""
    points = sorted(set(points))
    if len(points) < 3:
        return ()

    def half(ordered: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        out: list[tuple[float, float]] = []
        for p in ordered:
            while (
                len(out) > 1
                and (out[-1][0] - out[-2][0]) * (p[1] - out[-2][1])
                - (out[-1][1] - out[-2][1]) * (p[0] - out[-2][0])
                <= 0
            ):
                out.pop()
            out.append(p)
        return out[:-1]

    return (*half(points), *half(reversed(points)))


def touches(mask: Outline, rect: Rect) -> bool:
    """Whether the bounding boxes of a shadow and a rectangle overlap: cheap, and sufficient."""
    return bool(mask) and (
        min(p[0] for p in mask) < rect[2]
        and max(p[0] for p in mask) > rect[0]
        and min(p[1] for p in mask) < rect[3]
        and max(p[1] for p in mask) > rect[1]
    )


def open_shares(rects: Iterable[Rect], shadows: Sequence[Shadow]) -> list[int]:
    """The share of each rectangle not covered by the shadows, in thousandths of its area."""
    out: list[int] = []
    before: list[Shadow] = []
    for rect in rects:
        near = [mask for mask in shadows if touches(mask, rect)]
        if not near:
            out.append(1000)
        elif any(all(within(mask, corner) for corner in corners(rect)) for mask in near):
            out.append(0)
        elif len(near) == 1 and (share := _left_open(rect, near[0])) is not None:
            out.append(share)
        else:
            # the same shadows are mostly near all of them
            if near != before:
                before, dark = near, _joined(near)
            left = shapely.area(shapely.difference(shapely.box(*rect), dark))
            west, south, east, north = rect
            out.append(round(1000 * float(left) / ((east - west) * (north - south))))
    return out


def _left_open(rect: Rect, mask: Shadow) -> int | None:
    """``open_shares`` of one shadow; None where rounding decides, and must be that of GEOS."""
    west, south, east, north = rect
    dark = clipped(clipped(mask, west, 1), east, -1)
    dark = clipped(clipped([(y, x) for x, y in dark], south, 1), north, -1)
    twice = sum(dark[k - 1][0] * y - dark[k - 1][1] * x for k, (x, y) in enumerate(dark))
    share = 1000 - 500 * abs(twice) / ((east - west) * (north - south))
    return None if abs(share % 1 - 0.5) < 1e-6 else round(share)


def open_share(rect: Rect, shadows: Sequence[Shadow]) -> int:
    return open_shares((rect,), shadows)[0]


def _joined(shadows: Sequence[Shadow]) -> BaseGeometry:
    polygons = [_polygon(mask) for mask in shadows]
    return polygons[0] if len(polygons) == 1 else shapely.union_all(polygons)


# Single shapes are made from their bytes (WKB): their constructors take three times as long.


def _polygon(points: Outline) -> BaseGeometry:
    count = len(points) + 1
    flat = [z for point in points for z in point]
    return shapely.from_wkb(struct.pack(f"<BIII{2 * count}d", 1, 3, 1, count, *flat, *points[0]))


def _line(points: Outline) -> BaseGeometry:
    return shapely.from_wkb(_line_bytes(points))


def _line_bytes(points: Outline) -> bytes:
    flat = [z for point in points for z in point]
    return struct.pack(f"<BII{len(flat)}d", 1, 2, len(points), *flat)


def within(mask: Shadow, p: Point) -> bool:
    """Whether a point is inside a convex shadow with counter-clockwise corners."""
    return bool(mask) and all(
        (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0
        for a, b in zip(mask, mask[1:] + mask[:1], strict=True)
    )
