"""Where things are drawn on the board of Dog for 3 to 6 players.

The board is a wooden tray with a groove of holes, all one pitch apart along the groove. With three
or four players the groove is a square with round corners. With more players a square would leave
too little room for so many holes, so the groove is a star: an arm for each player, out along one
side and in again along the other.

Points are in whole units of the drawing, y pointing down, so that pieces look the same in many
places; angles are degrees, 0 to the right and growing clockwise. The reader's own Start is at the
bottom, play goes to the right from there, and the tray is ``WIDTH`` units wide.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise

import msgspec

from engine.games.dog.board import E1, PAWNS, TILE, ring_length, start_of

WIDTH = 720
#: Half the width of the tray, and how far it reaches beyond the groove.
HALF, RIM = 352, 42
#: How far the floor of the tray lies within its edge, and how many rings of the trunk it shows.
FLOOR, RINGS = 19, 36
#: Where holes are far apart they are drawn bigger, but no more than this.
MOST_SCALE = 1.2
#: What the measures of ring, pawns and Homes are given for: the distance of two holes.
USUAL_PITCH = 35
#: The exponent of the superellipse that tray and square groove are.
ROUND = 5.0
#: A star's arm, in pitches: half its width, the radius of its outer corners, and of those between
#: two arms.
ARM, OUTER, INNER = 1.5, 0.95, 0.7
#: Half the distance between the holes of a Home.
HOME_STEP = 21
#: Letters that are much narrower than the others, and much broader.
NARROW, BROAD = frozenset("fijlrtIJ1.,'’ -()"), frozenset("mwMWQ@…")
#: How finely the groove is measured: steps of its length.
STEPS = 8000


class Point(msgspec.Struct, frozen=True):
    x: float
    y: float


class Label(msgspec.Struct, frozen=True):
    """Where a player's name stands, and the room for it; ``high``: in two lines."""

    x: float
    y: float
    high: bool
    room: int

    def fitting(self, name: str, size: int) -> str:
        """As much of a name as there is room for, in bold letters of this size.

        A number at its end stays: it may be all that tells the name from others.
        """
        if self.long(name, size) <= self.room:
            return name
        head, _, last = name.rpartition(" ")
        name, end = (
            (head, f"… {last}") if head and last.isdecimal() and len(last) < 3 else (name, "…")
        )
        while name and self.long(name + end, size) > self.room:
            name = name[:-1]
        return name.rstrip() + end

    def long(self, name: str, size: int) -> float:
        """About how wide a name is in bold letters of this size."""
        each = (0.34 if one in NARROW else 0.86 if one in BROAD else 0.59 for one in name)
        return sum(each) * size


class Bowl(msgspec.Struct, frozen=True):
    """A Home: its middle, how far it reaches across and down, the middles of its four holes."""

    x: float
    y: float
    across: float
    down: float
    holes: tuple[Point, ...]


class Stride(msgspec.Struct, frozen=True):
    """The way between two neighbouring holes: SVG path data around its middle, and the heading."""

    x: float
    y: float
    path: str
    angle: float


class Passed(msgspec.Struct, frozen=True):
    """A hole on a pawn's way; ``field`` is None in an End Zone."""

    at: Point
    field: int | None


class Way(msgspec.Struct, frozen=True):
    """How a pawn went: from hole to hole, and the holes, both ends among them."""

    strides: tuple[Stride, ...]
    passed: tuple[Passed, ...]


class Hop(msgspec.Struct, frozen=True):
    """A leap off the groove, as a curve around its middle, which ends in a tip.

    ``box`` is what it covers, around the middle: left, top, width, height.
    """

    x: float
    y: float
    path: str
    tip: Point
    angle: float
    box: str


class Ring(msgspec.Struct, frozen=True):
    """A year's ring of the wood: SVG path data, how broad and how dark it is."""

    path: str
    width: float
    opacity: float


class Layout(msgspec.Struct, frozen=True):
    """The board as one seat looks at it: its own Start is below."""

    seats: int
    width: int
    height: int
    #: The middle of the tray, and of groove and felt; the radius of the felt.
    middle: Point
    centre: Point
    felt: int
    #: How big everything on the ring is drawn, against a board for four.
    scale: float
    #: As SVG path data: the tray around its middle, the groove around its own.
    tray: str
    groove: str
    #: How much smaller than the tray its floor is, across and down; the grain of its wood.
    floor: Point
    grain: tuple[Ring, ...]
    fields: tuple[Point, ...]
    #: By seat, from the entrance inward.
    end_zones: tuple[tuple[Point, ...], ...]
    homes: tuple[Bowl, ...]
    names: tuple[Label, ...]
    #: From each field to the next one.
    strides: tuple[Stride, ...]

    def at(self, owner: int, place: int) -> Point:
        """A place of the ring, or of this owner's End Zone."""
        return self.end_zones[owner][place - E1] if place >= E1 else self.fields[place]

    def way(self, owner: int, source: int, target: int, steps: int) -> Way:
        """How a pawn went, stride by stride; ``steps`` is negative for backward."""
        ring, start = len(self.fields), start_of(owner)
        if steps < 0:
            back = [(source - step) % ring for step in range(-steps + 1)]
            strides = (self.strides[field] for field in back[1:])
            turned = tuple(Stride(one.x, one.y, one.path, one.angle + 180) for one in strides)
            return Way(turned, tuple(Passed(self.fields[field], field) for field in back))
        last = start if target >= E1 else target
        ahead = range(source, source + (last - source) % ring + 1) if source < E1 else ()
        fields = [field % ring for field in ahead]
        first = source - E1 if source >= E1 else 0
        inside = self.end_zones[owner][first : target - E1 + 1] if target >= E1 else ()
        lane = (*(self.fields[field] for field in fields[-1:]), *inside)
        return Way(
            (
                *(self.strides[field] for field in fields[:-1]),
                *(_straight(*two) for two in pairwise(lane)),
            ),
            (
                *(Passed(self.fields[field], field) for field in fields),
                *(Passed(point, None) for point in inside),
            ),
        )

    def hop(self, one: Point | Bowl, other: Point | Bowl, bend: float = 0.2) -> Hop:
        """A leap from one place to another, which leaves room for what stands there."""
        across, down = other.x - one.x, other.y - one.y
        length = math.hypot(across, down) or 1.0
        first, last = 16 * self.scale / length, 1 - 20 * self.scale / length
        begins = one.x + across * first, one.y + down * first
        ends = one.x + across * last, one.y + down * last
        centre = (one.x + other.x) / 2 - down * bend, (one.y + other.y) / 2 + across * bend
        middle = Point(round((one.x + other.x) / 2), round((one.y + other.y) / 2))
        (x1, y1), (x2, y2), (cx, cy) = (
            (round(x - middle.x, 1), round(y - middle.y, 1)) for x, y in (begins, ends, centre)
        )
        left, right = min(x1, x2, cx) - 12, max(x1, x2, cx) + 12
        top, bottom = min(y1, y2, cy) - 12, max(y1, y2, cy) + 12
        return Hop(
            middle.x,
            middle.y,
            f"M{x1} {y1}Q{cx} {cy} {x2} {y2}",
            Point(x2, y2),
            round(math.degrees(math.atan2(y2 - cy, x2 - cx)), 1),
            f"{left:.1f} {top:.1f} {right - left:.1f} {bottom - top:.1f}",
        )


class Drawing(msgspec.Struct, frozen=True):
    """The layouts of a board for so many players."""

    seats: int

    def seen_by(self, seat: int | None) -> Layout:
        """As this seat looks at it; an onlooker looks as the first seat does."""
        return layout(self.seats, seat or 0)


#: By the number of players and the place from the reader on: where the middle of a Home lies, and
#: its owner's name, from the middle of the board.
_HOMES = {
    3: ((190, 176), (0, -203), (-190, 176)),
    4: ((176, 190), (176, -190), (-176, -190), (-176, 190)),
    5: ((150, 200), (222, -66), (0, -206), (-222, -66), (-150, 200)),
    6: ((127, 216), (302, 0), (127, -216), (-127, -216), (-302, 0), (-127, 216)),
}
_NAMES = {
    3: ((190, 88), (152, -228), (-190, 88)),
    4: ((178, 106), (178, -106), (-178, -106), (-178, 106)),
    5: ((214, 285), (276, -156), (0, -281), (-276, -156), (-214, 285)),
    6: ((214, 300), (231, 0), (214, -300), (-214, -300), (-231, 0), (-214, 300)),
}
#: The places of a Home, in halves of their distance: a square, or a column where an arm is near.
_SQUARE = ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0))
_COLUMN = ((0.0, -2.4), (0.0, -0.8), (0.0, 0.8), (0.0, 2.4))
#: The radius of the felt, and the distance of two holes in an End Zone.
_FELT = {3: 104, 4: 106, 5: 82, 6: 78}
_LANE = {3: 43.0, 4: 38.5}


@cache
def layout(seats: int, seen_by: int) -> Layout:
    ring = ring_length(seats)
    groove, half_height, shift = _groove(seats)
    pitch = groove.length / ring
    scale = min(round(pitch / USUAL_PITCH, 2), MOST_SCALE)
    middle = Point(WIDTH // 2, round(half_height + 8))
    centre = Point(middle.x, round(middle.y + shift))

    def place(seat: int) -> int:
        return (seat - seen_by) % seats

    def exactly(field: float) -> Point:
        x, y = groove.at((field - TILE * seen_by) % ring / ring)
        return Point(centre.x + x, centre.y + y)

    def at(field: int) -> Point:
        exact = exactly(field)
        return Point(round(exact.x), round(exact.y))

    def off(point: tuple[int, int]) -> Point:
        return Point(centre.x + point[0], centre.y + point[1])

    def lane(seat: int, step: int) -> Point:
        start = at(start_of(seat))
        across, down = centre.x - start.x, centre.y - start.y
        part = _LANE.get(seats, pitch) * step / math.hypot(across, down)
        return Point(round(start.x + across * part), round(start.y + down * part))

    def bowl(seat: int) -> Bowl:
        middle = off(_HOMES[seats][place(seat)])
        by = HOME_STEP * scale
        corners = _COLUMN if seats == 6 and place(seat) in (1, 4) else _SQUARE
        holes = tuple(
            Point(round(middle.x + across * by), round(middle.y + down * by))
            for across, down in corners
        )
        reach = (24.0, 74.0) if corners is _COLUMN else (50 * scale, 50 * scale)
        return Bowl(middle.x, middle.y, round(reach[0], 1), round(reach[1], 1), holes)

    def name(seat: int) -> Label:
        middle = off(_NAMES[seats][place(seat)])
        beside = seats == 6 and place(seat) in (1, 4)
        between = seats == 5 and place(seat) == 2
        return Label(middle.x, middle.y, seats > 4 and not between, 100 if beside else 140)

    return Layout(
        seats=seats,
        width=WIDTH,
        height=round(2 * half_height + 20),
        middle=middle,
        centre=centre,
        felt=_FELT[seats],
        scale=scale,
        tray=_closed(_superellipse(HALF, half_height)),
        groove=groove.drawn,
        floor=Point(round(1 - FLOOR / HALF, 4), round(1 - FLOOR / half_height, 4)),
        grain=_grain(HALF - FLOOR, half_height - FLOOR),
        fields=tuple(at(field) for field in range(ring)),
        end_zones=tuple(
            tuple(lane(seat, step) for step in range(1, PAWNS + 1)) for seat in range(seats)
        ),
        homes=tuple(bowl(seat) for seat in range(seats)),
        names=tuple(name(seat) for seat in range(seats)),
        strides=tuple(
            _stride([exactly(field + part / 8) for part in range(9)]) for field in range(ring)
        ),
    )


# --- the groove ---


class _Groove(msgspec.Struct, frozen=True):
    """A closed line around 0,0 that begins at the bottom; ``drawn`` is SVG path data."""

    points: tuple[tuple[float, float], ...]
    lengths: tuple[float, ...]
    drawn: str

    @property
    def length(self) -> float:
        return self.lengths[-1]

    def at(self, part: float) -> tuple[float, float]:
        """The point after this part of its length."""
        return self.points[bisect_right(self.lengths, part * self.length) - 1]


@cache
def _groove(seats: int) -> tuple[_Groove, float, float]:
    """The groove, half the tray's height, and how far its middle lies below the tray's."""
    if seats < 5:
        # with three players holes and groove are bigger
        radius = HALF - RIM - (6 if seats == 3 else 0)
        turn = [math.pi / 2 - math.tau * step / STEPS for step in range(STEPS + 1)]
        points = [_on_superellipse(one, radius, radius) for one in turn]
        return _measured(points, _closed(_superellipse(radius, radius))), HALF, 0.0
    star, data = _star(seats)
    heights = [y for _, y in star]
    top, bottom = min(heights), max(heights)
    return _measured(star, data), (bottom - top) / 2 + RIM, -(top + bottom) / 2


def _measured(points: Sequence[tuple[float, float]], drawn: str) -> _Groove:
    lengths = accumulate((math.dist(*two) for two in pairwise(points)), initial=0.0)
    return _Groove(tuple(points), tuple(lengths), drawn)


def _star(seats: int) -> tuple[list[tuple[float, float]], str]:
    """A star with an arm of 16 pitches for each player, from the tip of the lowest, rightward.

    As wide as the tray lets it be: its points, and its path data.
    """
    wedge = math.pi / seats
    turn, cut = math.pi - 2 * wedge, INNER / math.tan(wedge)
    side = (TILE - 2 * (ARM - OUTER) - math.pi * OUTER - turn * INNER) / 2
    vertex = ARM / math.tan(wedge) + cut
    edge = vertex + side + OUTER
    # where half an arm turns, from its tip to the corner between two arms
    corners = list(accumulate((ARM - OUTER, OUTER * math.pi / 2, side)))

    def half(length: float) -> tuple[float, float]:
        """A point so far from the tip; across the arm, and outward."""
        if length <= corners[0]:
            return length, edge
        if length <= corners[1]:
            bent = (length - corners[0]) / OUTER
            return ARM - OUTER + OUTER * math.sin(bent), edge - OUTER + OUTER * math.cos(bent)
        if length <= corners[2]:
            return ARM, edge - OUTER - (length - corners[1])
        bent = (length - corners[2]) / INNER
        return ARM + INNER - INNER * math.cos(bent), vertex - INNER * math.sin(bent)

    def at(length: float) -> tuple[float, float]:
        seat, along = divmod(length, TILE)
        back = along > TILE / 2
        x, y = half(TILE - along if back else along)
        x = -x if back else x
        angle = math.tau * (seat + back) / seats
        return (
            x * math.cos(angle) + y * math.sin(angle),
            y * math.cos(angle) - x * math.sin(angle),
        )

    points = [at(step / STEPS * seats * TILE) for step in range(STEPS + 1)]
    by = (HALF - RIM) / max(x for x, _ in points)
    data = [f"M0 {edge * by:.1f}"]
    for seat in range(seats):
        # a line or an arc to each corner of a tile: its radius, and 0 if it turns left
        out, back = corners, [TILE - corner for corner in reversed(corners)]
        bends = (None, (OUTER, 0), None, (INNER, 1), None, (OUTER, 0))
        for length, bend in zip((*out, *back), bends, strict=True):
            x, y = (one * by for one in at(seat * TILE + length))
            arc = f"A{bend[0] * by:.1f} {bend[0] * by:.1f} 0 0 {bend[1]} " if bend else "L"
            data.append(f"{arc}{x:.1f} {y:.1f}")
    return [(x * by, y * by) for x, y in points], "".join(data) + "Z"


def _on_superellipse(turn: float, across: float, down: float) -> tuple[float, float]:
    cosine, sine = math.cos(turn), math.sin(turn)
    by = (abs(cosine) ** ROUND + abs(sine) ** ROUND) ** (-1 / ROUND)
    return across * by * cosine, down * by * sine


def _superellipse(across: float, down: float) -> list[tuple[float, float]]:
    return [_on_superellipse(math.tau * step / 48, across, down) for step in range(49)]


@cache
def _grain(across: float, down: float) -> tuple[Ring, ...]:
    """Rings of a trunk that stood far to the upper right, as far as they lie on the floor."""
    found = []
    for number in range(RINGS):
        off = math.sin(number * 2.3)
        x, y = 540 + 8 * off, -620 + 9 * math.sin(number * 3.8)
        wide, high = 340 + number * 31 + 9 * off, 360 + number * 32.5 + 11 * math.sin(number * 1.4)

        def at(step: int, ring: tuple[float, ...] = (x, y, wide, high)) -> tuple[float, float]:
            turn = math.pi / 2 + math.tau * step / 1600
            return ring[0] + ring[2] * math.cos(turn), ring[1] + ring[3] * math.sin(turn)

        inside = [
            step
            for step in range(-400, 800)
            if (abs(at(step)[0]) / across) ** ROUND + (abs(at(step)[1]) / down) ** ROUND < 0.985
        ]
        if len(inside) > 20:
            (x1, y1), (x2, y2) = at(inside[0]), at(inside[-1])
            path = f"M{x1:.0f} {y1:.0f}A{wide:.0f} {high:.0f} 0 0 1 {x2:.0f} {y2:.0f}"
            opacity = round(0.1 + 0.06 * math.sin(number * 1.8), 2)
            found.append(Ring(path, (1, 2.5, 1.5, 4, 1, 2)[number % 6], opacity))
    return tuple(found)


# --- lines ---


def _closed(points: Sequence[tuple[float, float]]) -> str:
    """SVG path data of a smooth closed line; the last point is the first."""
    around = [points[-2], *points, points[1]]
    data = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for before, one, other, after in zip(around, around[1:], around[2:], around[3:], strict=False):
        first = [b + (d - a) / 6 for a, b, d in zip(before, one, other, strict=True)]
        second = [c - (d - b) / 6 for b, c, d in zip(one, other, after, strict=True)]
        data.append("C" + " ".join(f"{number:.1f}" for number in (*first, *second, *other)))
    return "".join(data) + "Z"


def _stride(points: Sequence[Point]) -> Stride:
    """From the first of nine points to the last."""
    middle = Point(round(points[4].x), round(points[4].y))
    local = [(point.x - middle.x, point.y - middle.y) for point in points]
    (left, top), (right, bottom) = local[0], local[-1]
    bent = max(abs(x * (bottom - top) - y * (right - left)) for x, y in local) > 8
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (local if bent else local[::8]))
    (x1, y1), (x2, y2) = local[3], local[5]
    return Stride(middle.x, middle.y, path, round(math.degrees(math.atan2(y2 - y1, x2 - x1)), 1))


def _straight(one: Point, other: Point) -> Stride:
    across, down = other.x - one.x, other.y - one.y
    return _stride([Point(one.x + across * k / 8, one.y + down * k / 8) for k in range(9)])
