"""Where things are drawn on the board of Dog for 3 to 6 players.

Every player has an arm of 16 fields: the ring goes along its outer edge, in again, and out along
the next arm. So all fields are one ``PITCH`` apart however many play. Places on an arm are given as
(out, along): so far outward from the middle, so far along the outer edge in the sense of play, in
fields. Points are in units of the drawing, rounded to a tenth, y pointing down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import msgspec

from engine.games.dog.board import E1, PAWNS, TILE, ring_length

PITCH = 40
MARGIN = 38
#: How far Home lies from the corner where two arms meet, by the number of players.
DEPTH = {3: 2.5, 4: 4.0, 5: 3.2, 6: 3.3}
#: The size of the numbers of fields: the more fields, the smaller the picture shows them.
NUMERALS = {3: 19, 4: 19, 5: 22, 6: 22}
#: Half the distance between the pawns of a Home, and from its middle to the owner's name.
HOME_STEP, NAME_STEP = 22, 44


class Point(msgspec.Struct, frozen=True):
    x: float
    y: float


class Layout(msgspec.Struct, frozen=True):
    """The board as one seat looks at it: its own arm is below."""

    left: int
    top: int
    width: int
    height: int
    numerals: int
    fields: tuple[Point, ...]
    #: By seat, from the entrance inward.
    end_zones: tuple[tuple[Point, ...], ...]
    homes: tuple[tuple[Point, ...], ...]
    #: By seat, the middle of its name.
    names: tuple[Point, ...]

    def at(self, owner: int, place: int) -> Point:
        """A place of the ring, or of this owner's End Zone."""
        return self.end_zones[owner][place - E1] if place >= E1 else self.fields[place]

    def box(self, one: Point, other: Point, margin: int) -> str:
        """Left, top, width and height of what has both points and this much around them."""
        left, right = sorted((one.x, other.x))
        top, bottom = sorted((one.y, other.y))
        size = right - left + 2 * margin, bottom - top + 2 * margin
        return f"{left - margin:.1f} {top - margin:.1f} {size[0]:.1f} {size[1]:.1f}"


class Drawing(msgspec.Struct, frozen=True):
    """The layouts of a board for so many players."""

    seats: int

    def seen_by(self, seat: int | None) -> Layout:
        """As this seat looks at it; an onlooker looks as the first seat does."""
        return layout(self.seats, seat or 0)


@cache
def layout(seats: int, seen_by: int) -> Layout:
    inner = 2 / math.tan(math.pi / seats)
    edge = inner + 6

    def on_arm(seat: float, out: float, along: float) -> Point:
        turn = math.tau * (0.25 - ((seat - seen_by) % seats) / seats)
        return Point(
            round((out * math.cos(turn) + along * math.sin(turn)) * PITCH, 1),
            round((out * math.sin(turn) - along * math.cos(turn)) * PITCH, 1),
        )

    def field(number: int) -> Point:
        seat, step = divmod(number, TILE)
        after = (seat + 1) % seats
        if step <= 2:
            return on_arm(seat, edge, step)
        if step <= 8:
            return on_arm(seat, edge - step + 2, 2)
        if step <= 14:
            return on_arm(after, inner + step - 8, -2)
        return on_arm(after, edge, -1)

    def between(seat: int, depth: float, aside: float = 0) -> Point:
        """Between this seat's arm and the next one, so far from the corner where they meet."""
        return on_arm(seat + 0.5, 2 / math.sin(math.pi / seats) + depth, aside)

    def home(seat: int, slot: int) -> Point:
        if is_beside(seat):
            return between(seat, 4.9, (slot - 1.5) * 1.05)
        middle = between(seat, DEPTH[seats])
        across, down = (slot % 2) * 2 - 1, (slot // 2) * 2 - 1
        return _moved(middle, across * HOME_STEP, down * HOME_STEP)

    def name(seat: int) -> Point:
        if is_beside(seat):
            return between(seat, 3.0)
        turn = math.tau * (0.25 - ((seat - seen_by) % seats + 0.5) / seats)
        down = 58 if math.sin(turn) >= -1e-9 else -58
        return _moved(between(seat, DEPTH[seats]), math.cos(turn) * NAME_STEP, down)

    def is_beside(seat: int) -> bool:
        """Where there is little room above and below, the four places of a Home are a column."""
        return seats == 6 and (seat - seen_by) % 3 == 1

    ends = [on_arm(seat, edge, along) for seat in range(seats) for along in (2, -2)]
    left, top, right, bottom = _bounds(ends)
    # with three players one Home lies on top, and its name needs room
    top -= 24 if seats == 3 else 0
    return Layout(
        left=round(left - MARGIN),
        top=round(top - MARGIN),
        width=round(right - left + 2 * MARGIN),
        height=round(bottom - top + 2 * MARGIN),
        numerals=NUMERALS[seats],
        fields=tuple(field(number) for number in range(ring_length(seats))),
        end_zones=tuple(
            tuple(on_arm(seat, edge - step, 0) for step in range(1, PAWNS + 1))
            for seat in range(seats)
        ),
        homes=tuple(tuple(home(seat, slot) for slot in range(PAWNS)) for seat in range(seats)),
        names=tuple(name(seat) for seat in range(seats)),
    )


def _moved(point: Point, across: float, down: float) -> Point:
    return Point(round(point.x + across, 1), round(point.y + down, 1))


def _bounds(points: Iterable[Point]) -> tuple[float, float, float, float]:
    """Left, top, right, bottom; the middle of the board is always inside."""
    xs, ys = zip(*((point.x, point.y) for point in points), strict=True)
    return min(0, *xs), min(0, *ys), max(0, *xs), max(0, *ys)
