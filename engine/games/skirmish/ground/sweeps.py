"""Shadows on a target while he, or the eye, goes along a straight line.

For each point of the target and each convex solid, the stretch of the line on which the solid hides
the point is one piece: the eyes from which it does, and the places of the point at which it does,
are convex sets. So between two places of the line

- what one solid hides at both of them it hides in between: the *inner* shadow;
- what it hides in between lies in the convex hull of its shadows at both: the *outer* shadow.

They bound the share in sight over the whole stretch. Stretches are halved until it is known of each
that nothing changes on it, or it is short: so no glimpse longer than ``SHORT`` is missed, and no
place is looked at where nothing can change.

The plane of a shadow faces the eye, so it turns on the way. What that may add to a share grows with
the square of the angle, and is allowed for (``_slack``).

Like ``geometry`` this uses shapely; its shapes are made for one question and kept by nobody.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
import shapely

from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import BEHIND, NEAR, Leg, Point

Eye: TypeAlias = tuple[int, int, int]
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Rows: TypeAlias = npt.NDArray[np.intp]
Shapes: TypeAlias = npt.NDArray[Any]
#: The outline of a convex solid, its bottom and its top.
Prism: TypeAlias = tuple[tuple[Point, ...], int, int]
#: Whether the shares of body and base that are in sight, in thousandths, count; more counts rather.
Counts: TypeAlias = Callable[[int, int], bool]

#: Solids have at most so many corners; a clipped outline two more, each twice (bottom and top).
CORNERS = 8
POINTS = 2 * (CORNERS + 2)
#: Stretches this short are not halved any more: thousandths of an inch.
SHORT = 8


class Passage(msgspec.Struct, frozen=True, gc=False):
    """One eye and one target, of which one goes along a leg, past these solids.

    Places are whole thousandths of an inch along the leg. ``eye`` and ``foot`` are heights above
    the table; ``tall``, ``strip`` and ``half`` are the target's: his height, that of his base, and
    half his width.
    """

    solids: tuple[Prism, ...]
    leg: Leg
    fixed: Point
    eye_moves: bool
    eye: int
    foot: int
    tall: int
    strip: int
    half: int

    def ends(self, place: int) -> tuple[Eye, Point]:
        """Where the eye and the middle of the target are."""
        there = self.leg.at(place)
        start, end = (there, self.fixed) if self.eye_moves else (self.fixed, there)
        return (*start, self.eye), end


class _Cast:
    """All shadows at one place: their points, their bounds, and which solids cast any."""

    def __init__(self, sweep: Sweep, place: int) -> None:
        self.place = place
        eye, middle = sweep.passage.ends(place)
        self.far = math.hypot(middle[0] - eye[0], middle[1] - eye[1])
        self.dark: Flags = np.zeros(len(sweep.corners), bool)
        self.whole: Flags = self.dark
        self.depth = self.right = np.zeros((len(sweep.corners), CORNERS))
        self._made: Flags = np.zeros(len(sweep.corners), bool)
        self._shapes: Shapes = np.empty(len(sweep.corners), dtype=object)
        self.ahead = (1.0, 0.0)
        if self.far < BEHIND:
            self.points = self.flat = np.zeros((len(sweep.corners), POINTS, 2))
        else:
            self.ahead = ((middle[0] - eye[0]) / self.far, (middle[1] - eye[1]) / self.far)
            self._project(sweep, eye)
        self.low, self.high = self.points.min(axis=1), self.points.max(axis=1)

    def hide(self, rows: Rows, body: geometry.Rect, spare: float) -> Flags:
        """Which solids hide all of a rectangle, and a bit around it, by the least they cover."""
        if self.far < BEHIND:
            return np.zeros(len(rows), bool)
        west, south, east, north = body
        return np.asarray(
            self.dark[rows]
            & (self.low[rows, 0] <= west - spare)
            & (self.high[rows, 0] >= east + spare)
            & (self.bottom[rows] <= south)
            & (self.top[rows] >= north + spare)
        )

    def hulls(self, rows: Rows) -> Shapes:
        """The shadows of some solids as polygons, empty for one that casts none."""
        new = rows[~self._made[rows]]
        if len(new):
            shapes = _hulls(self.points[new])
            if not self.dark[new].all():
                shapes[~self.dark[new]] = shapely.Polygon()
            self._shapes[new] = shapes
            self._made[new] = True
        return self._shapes[rows]

    def _project(self, sweep: Sweep, eye: Eye) -> None:
        dx, dy = self.ahead
        away = sweep.corners - (eye[0], eye[1])
        depth = self.depth = away[..., 0] * dx + away[..., 1] * dy
        right = self.right = away[..., 0] * dy - away[..., 1] * dx
        limit = self.far - BEHIND
        nearest, farthest = depth.min(axis=1), depth.max(axis=1)
        whole = self.whole = (nearest >= NEAR) & (farthest <= limit)
        self.dark = (farthest >= NEAR) & (nearest <= limit)
        scale = np.where(whole[:, None], self.far / np.maximum(depth, NEAR), 1.0)
        self.points, self.bottom, self.top = _upright(
            right * scale, scale, eye[2], sweep.bottoms, sweep.tops
        )
        #: where he comes in front of a solid, its shadow begins where it stands
        self.flat = self.points if whole.all() else self.points.copy()
        for row in np.flatnonzero(self.dark & ~whole):
            outline = list(zip(depth[row].tolist(), right[row].tolist(), strict=True))
            kept = geometry.clipped(geometry.clipped(outline, NEAR, 1), limit, -1)
            if not kept:
                self.dark[row] = False
                continue
            part = np.array(kept)
            size = self.far / part[:, 0]
            cut, bottom, top = _upright(
                (part[:, 1] * size)[None],
                size[None],
                eye[2],
                sweep.bottoms[row : row + 1],
                sweep.tops[row : row + 1],
            )
            self.points[row], self.bottom[row], self.top[row] = cut[0], bottom[0], top[0]


def _upright(
    right: Floats, scale: Floats, eye: int, bottoms: Floats, tops: Floats
) -> tuple[Floats, Floats, Floats]:
    """Points (offset, height) on the plane, for the bottom and the top of each corner.

    Also the highest of the bottoms and the lowest of the tops: between them all is in shadow.
    """
    low = eye + (bottoms[:, None] - eye) * scale
    high = eye + (tops[:, None] - eye) * scale
    count = right.shape[1]
    both = np.empty((len(right), POINTS, 2))
    both[:, :count, 0] = both[:, count : 2 * count, 0] = right
    both[:, :count, 1], both[:, count : 2 * count, 1] = low, high
    both[:, 2 * count :] = both[:, 2 * count - 1 : 2 * count]
    return both, low.max(axis=1), high.min(axis=1)


class Sweep:
    """The shadows on a passage, and what of the target counts."""

    def __init__(self, passage: Passage, counts: Counts) -> None:
        self.passage, self._counts = passage, counts
        solids, foot, half = passage.solids, passage.foot, passage.half
        outlines = [
            [*outline, *[outline[-1]] * (CORNERS - len(outline))] for outline, _, _ in solids
        ]
        self.corners: Floats = np.array(outlines, float).reshape(len(solids), CORNERS, 2)
        self.bottoms: Floats = np.array([bottom for _, bottom, _ in solids], float)
        self.tops: Floats = np.array([top for _, _, top in solids], float)
        self._body = (-half, foot, half, foot + passage.tall)
        self._box = shapely.box(*self._body)
        self._base = shapely.box(-half, foot, half, foot + passage.strip)
        self._casts: dict[int, _Cast] = {}
        self._known: dict[int, bool] = {}

    def changes(self, first: int, last: int) -> tuple[bool, tuple[int, ...]]:
        """Whether he counts at the first place, and the places where that changes."""
        out: list[int] = []
        self._search(first, last, np.arange(len(self.corners)), out)
        return self._at(first), tuple(out)

    def turns(self, first: int, last: int) -> tuple[bool, bool]:
        """Whether he counts at the first place, and whether that changes at all."""
        begins = self._at(first)
        if begins != self._at(last):
            return begins, True
        return begins, bool(self.changes(first, last)[1])

    def _search(self, a: int, b: int, rows: Rows, out: list[int]) -> None:
        one, two = self._cast(a), self._cast(b)
        rows, low, high, bounded = self._between(one, two, rows)
        if len(rows) == 0:
            return  # nothing comes between
        slack = _slack(one, two)
        hiding = rows[one.hide(rows, self._body, slack + 1)]
        if len(hiding) and two.hide(hiding, self._body, slack + 1).any():
            return  # the same solid hides him all the way
        here, there = self._at(a), self._at(b)
        short = b - a <= SHORT
        if here != there:
            if short:
                out.append(settled(a, b, self._at))
        elif here:
            if self._counts(round(self._left_open(low, high) - slack), 0):
                return
            if not short and bounded and self._counted(self._outer(one, two, rows), -slack):
                return
        elif not short and self._hidden(one.hulls(rows), two.hulls(rows), slack):
            return
        if not short:
            middle = (a + b) // 2
            self._search(a, middle, rows, out)
            self._search(middle, b, rows, out)

    def _hidden(self, before: Shapes, after: Shapes, slack: float) -> bool:
        """Whether what is hidden at both ends is enough to hide him in between."""
        inner = shapely.intersection(before, after)
        if self._counts(1, 0):  # then no part of him may be in sight
            around = shapely.box(*shapely.bounds(shapely.buffer(self._box, slack + 1)))
            return bool(shapely.covers(shapely.union_all(inner), around))
        return not self._counted(inner, slack)

    def _left_open(self, low: Floats, high: Floats) -> float:
        """At least so much of him is not in boxes, in thousandths: a quick bound."""
        west, south, east, north = self._body
        wide = np.minimum(high[:, 0], east) - np.maximum(low[:, 0], west)
        tall = np.minimum(high[:, 1], north) - np.maximum(low[:, 1], south)
        area = float(np.sum(np.maximum(wide, 0) * np.maximum(tall, 0)))
        above = (north - float(high[:, 1].max())) / (north - south)
        return 1000 * max(0.0, above, 1 - area / ((east - west) * (north - south)))

    def _cast(self, place: int) -> _Cast:
        if place not in self._casts:
            self._casts[place] = _Cast(self, place)
        return self._casts[place]

    def _at(self, place: int) -> bool:
        if place not in self._known:
            cast = self._cast(place)
            rows = np.flatnonzero(cast.dark & self._overlaps(cast.low, cast.high, 0.0))
            if len(rows) == 0:
                self._known[place] = self._counts(1000, 1000)
            elif np.any(cast.hide(rows, self._body, 0.0)):
                self._known[place] = self._counts(0, 0)
            elif self._counts(math.floor(self._left_open(cast.low[rows], cast.high[rows])), 0):
                self._known[place] = True
            else:
                self._known[place] = self._counted(cast.hulls(rows), 0.0)
        return self._known[place]

    def _overlaps(self, low: Floats, high: Floats, spare: float) -> Flags:
        west, south, east, north = self._body
        return np.asarray(
            (low[:, 0] < east + spare)
            & (high[:, 0] > west - spare)
            & (low[:, 1] < north + spare)
            & (high[:, 1] > south - spare)
        )

    def _between(self, one: _Cast, two: _Cast, rows: Rows) -> tuple[Rows, Floats, Floats, bool]:
        """The solids whose shadows may touch him between two places, and boxes around those.

        Also whether these boxes have bounds: the shadow of a corner that the eye passes has none.
        """
        rows = rows[one.dark[rows] | two.dark[rows]]
        low = np.minimum(one.low[rows], two.low[rows])
        high = np.maximum(one.high[rows], two.high[rows])
        if (one.whole[rows] & two.whole[rows]).all():
            near = self._overlaps(low, high, 5.0)
            return rows[near], low[near], high[near], True
        flat = np.concatenate([one.flat[rows], two.flat[rows]], axis=1)
        low, high = np.minimum(low, flat.min(axis=1)), np.maximum(high, flat.max(axis=1))
        passed = (one.depth[rows] < NEAR) != (two.depth[rows] < NEAR)
        free = passed.any(axis=1)
        if free.any():
            low, high = low.copy(), high.copy()
            for number in np.flatnonzero(free):
                sides = np.concatenate(
                    [cast.right[rows[number]][passed[number]] for cast in (one, two)]
                )
                low[number] = (-np.inf if sides.min() < 0 else low[number, 0], -np.inf)
                high[number] = (np.inf if sides.max() > 0 else high[number, 0], np.inf)
        near = self._overlaps(low, high, 5.0)
        return rows[near], low[near], high[near], not free[near].any()

    def _outer(self, one: _Cast, two: _Cast, rows: Rows) -> Shapes:
        points = [one.points[rows], two.points[rows]]
        if not (one.whole[rows] & two.whole[rows]).all():
            points += [one.flat[rows], two.flat[rows]]
        return _hulls(np.concatenate(points, axis=1))

    def _counted(self, shadows: Shapes, more: float) -> bool:
        """Whether what these shadows leave in sight counts, and some more, in thousandths."""
        if len(shadows) == 0:
            return self._counts(1000, 1000)
        union = shadows[0] if len(shadows) == 1 else shapely.union_all(shadows)

        def share(shape: Any) -> int:
            left = 1000 * shapely.area(shapely.difference(shape, union)) / shapely.area(shape)
            return min(1000, max(0, round(float(left) + more)))

        body = share(self._box)
        if self._counts(body, 0) or not self._counts(body, 1000):
            return self._counts(body, 0)
        return self._counts(body, share(self._base))


def settled(a: int, b: int, asked: Callable[[int], object]) -> int:
    """The first place after a at which the answer is that at b: it changes between them once."""
    there = asked(b)
    while b - a > 1:
        middle = (a + b) // 2
        if asked(middle) == there:
            b = middle
        else:
            a = middle
    return b


def _slack(one: _Cast, two: _Cast) -> float:
    """What the turning of the plane between two places may add to a share, in thousandths."""
    cosine = one.ahead[0] * two.ahead[0] + one.ahead[1] * two.ahead[1]
    angle = math.acos(min(1.0, max(-1.0, cosine)))
    near = max(1.0, min(one.far, two.far))
    return 1000 * angle * (angle / 4 + 500 / near)


def _hulls(points: Floats) -> Shapes:
    return np.asarray(shapely.convex_hull(shapely.linestrings(points)))
