"""The layout of the drawing of the table, so that nothing hides anything else.

Models are drawn larger than their bases, to be legible: symbols that would overlap are moved apart.
Floors above the ground get their own plans below the map. All lengths are thousandths of an inch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from engine.games.skirmish import notation
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point, Rect
from engine.games.skirmish.ground.scene import Figure, takes_room
from engine.games.skirmish.ground.terrain import (
    DOOR,
    GROUND,
    WINDOW,
    Building,
    Terrain,
    Tree,
    Wall,
    standing_levels,
    terrain,
)
from engine.games.skirmish.movement.movement import CLIMB_ACROSS
from engine.games.skirmish.moves import OpFire
from engine.games.skirmish.view import View

#: The minimum distance between the centres of two symbols, the maximum shift of a symbol, and the
#: maximum number of rounds.
APART, FARTHEST, ROUNDS = 1650, 2600, 60
#: The margin of a floor's plan, and the height of the line of text above it.
MARGIN, HEADING = 800, 1300
#: The width of a letter of that line, and the room for the word for a roof, in letters.
LETTER, ROOF = 720, 7
#: The radius of the drawn sector of a waiting model whose order sets no range.
WATCHED = 14 * INCH


class Floor(msgspec.Struct, frozen=True):
    """A plan of a floor above the ground; ``shift`` is added to a place on it (y points north)."""

    name: str
    building: Building
    level: int
    #: Whether there is open sky above.
    roof: bool
    rect: Rect
    shift: Point


class Picture(msgspec.Struct, frozen=True):
    """What a drawing needs in addition to the view."""

    #: The shift of each model's symbol from his place.
    moved: dict[str, Point]
    #: The centre of the label of each objective.
    labels: dict[str, Point]
    floors: tuple[Floor, ...]
    #: The height of the plans of the floors below the map.
    below: int
    #: The corners of the sector watched by each of the seat's waiting models.
    sectors: dict[str, tuple[Point, ...]]
    #: The Op-Fire orders of these models.
    waiting: dict[str, str]
    #: Buildings that have collapsed completely.
    fallen: tuple[str, ...]
    #: Houses on whose ground floor somebody is known to be: they are drawn without their roofs.
    inside: tuple[str, ...]
    #: The width of doors and windows.
    openings: dict[str, int]

    def floor(self, name: str) -> Floor | None:
        return next((floor for floor in self.floors if floor.name == name), None)


def picture(view: View) -> Picture:
    """The picture of a view, computed from the view alone."""
    ground = terrain(view.table, view.collapsed, view.breaches)
    figures: list[Figure] = [*view.own, *view.others]
    floors, below = _floors(view, ground, {figure.floor for figure in figures})
    return Picture(
        moved=_moved_apart([f for f in figures if takes_room(f)]),
        labels={
            place.name: _label(view, (place.x, place.y), place.radius, len(place.name))
            for place in view.objectives
        },
        floors=floors,
        below=below,
        sectors={
            model.name: sector(model.at, model.facing, model.watch)
            for model in view.own
            if model.watch is not None
        },
        waiting={
            model.name: notation.write(model.watch) for model in view.own if model.watch is not None
        },
        fallen=tuple(level.removesuffix("/0") for level in view.collapsed if level.endswith("/0")),
        inside=tuple(
            name
            for name, house in ground.buildings.items()
            if any(f.floor == GROUND and geometry.inside(house.rect, (f.x, f.y)) for f in figures)
        ),
        openings={"door": DOOR, "window": WINDOW},
    )


# --- symbols ---


def _moved_apart(figures: Sequence[Figure]) -> dict[str, Point]:
    """Shifts the symbols of each floor until none overlap, or nearly none."""
    out: dict[str, Point] = {}
    for floor in sorted({figure.floor for figure in figures}):
        crowd = sorted((f for f in figures if f.floor == floor), key=lambda f: f.name)
        places = [[float(f.x), float(f.y)] for f in crowd]
        for _ in range(ROUNDS):
            if not _push(places):
                break
        for figure, (x, y) in zip(crowd, places, strict=True):
            shift = (round(x) - figure.x, round(y) - figure.y)
            far = math.hypot(*shift)
            if far > FARTHEST:
                shift = (round(shift[0] * FARTHEST / far), round(shift[1] * FARTHEST / far))
            out[figure.name] = shift if far > INCH // 10 else (0, 0)
    return out


def _push(places: list[list[float]]) -> bool:
    """One round; returns whether anything had to move."""
    pushed = False
    for number, one in enumerate(places):
        for other in places[number + 1 :]:
            dx, dy = other[0] - one[0], other[1] - one[1]
            far = math.hypot(dx, dy)
            if far >= APART - 150:
                continue
            if far == 0:
                dx, dy, far = 1.0, 0.0, 1.0
            step = (APART - far) / 2
            one[0] -= dx / far * step
            one[1] -= dy / far * step
            other[0] += dx / far * step
            other[1] += dy / far * step
            pushed = True
    return pushed


# --- names of objectives ---


def _label(view: View, at: Point, radius: int, letters: int) -> Point:
    """The label's place around or in the circle, off its middle: where it covers the least."""
    half = (letters + 8) * 290
    boxes = list(_drawn(view))
    best: tuple[int, Point] | None = None
    for dy in (radius + 700, -radius - 700, radius // 2, -radius // 2):
        x = min(max(at[0], half), view.table.width - half)
        spot = (x, at[1] + dy)
        mine = (x - half, spot[1] - 600, x + half, spot[1] + 600)
        hidden = sum(_overlap_area(mine, box) for box in boxes)
        if best is None or hidden < best[0]:
            best = (hidden, spot)
    assert best is not None
    return best[1]


def _drawn(view: View) -> Iterable[Rect]:
    for feature in view.table.features:
        if isinstance(feature, Building | Wall):
            yield feature.rect
        elif isinstance(feature, Tree):
            x, y = feature.at
            yield (x - 700, y - 700, x + 700, y + 700)


def _overlap_area(a: Rect, b: Rect) -> int:
    """The area of the intersection of two boxes."""
    wide = min(a[2], b[2]) - max(a[0], b[0])
    deep = min(a[3], b[3]) - max(a[1], b[1])
    return wide * deep if wide > 0 and deep > 0 else 0


# --- floors ---


def _floors(view: View, ground: Terrain, used: set[str]) -> tuple[tuple[Floor, ...], int]:
    """Plans of upper floors, in rows below the map; of roofs only where they matter now."""
    used = used | {item.floor for item in view.lying} | {item.floor for item in view.devices}
    used |= set(_near_roofs(view, ground))
    out: list[Floor] = []
    left = top = row = 0
    for house in ground.buildings.values():
        standing = standing_levels(house, view.collapsed)
        for level in range(1, standing + 1):
            name = f"{house.name}-{level}"
            if level == house.levels and name not in used:
                continue
            west, south, east, north = house.rect
            said = LETTER * (len(name) + (ROOF if level == house.levels else 0))
            wide = max(east - west + 2 * MARGIN, said)
            deep = north - south + 2 * MARGIN + HEADING
            if left and left + wide > view.table.width:
                left, top, row = 0, top + row, 0
            # the plan's north-west corner; y points north and is 0 at the map's foot
            corner = (left + MARGIN, -top - MARGIN - HEADING)
            shift = (corner[0] - west, corner[1] - north)
            out.append(Floor(name, house, level, level == house.levels, house.rect, shift))
            left, row = left + wide, max(row, deep)
    return tuple(out), top + row


def _near_roofs(view: View, ground: Terrain) -> Iterable[str]:
    """Floors that one of the seat's models could climb to from his place or the floor below."""
    for floor in ground.floors.values():
        if not floor.building:
            continue
        near = geometry.grown(floor.rect, CLIMB_ACROSS)
        for model in view.own:
            below = ground.floors[model.floor].level
            if geometry.inside(near, model.at) and floor.level <= below + 1:
                yield floor.name


# --- waiting models ---


def sector(at: Point, facing: int, order: OpFire) -> tuple[Point, ...]:
    """What an Op-Fire order watches, as a polygon: its arc within the half circle ahead."""
    first, second = order.arc
    if first == second:
        first, second = facing - 90, facing + 90
    far = order.reach or WATCHED
    swept = (second - first) % 360 or 180
    edges = [first + swept * step // 12 for step in range(13)]
    ahead = [edge for edge in edges if geometry.turned(facing, edge % 360) <= 90]
    return (at, *(geometry.towards(at, edge % 360, far) for edge in ahead))
