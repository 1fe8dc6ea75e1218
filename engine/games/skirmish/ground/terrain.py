"""The table: a battlefield's form, and the solids, floors and links computed from it.

Terrain is literal (SKR-51): every wall, sill, lintel, trunk and slab is a solid with a bottom and a
top, and nothing else hides or stops anybody. Nothing moves; it can only be destroyed.
A storey is 2" high, twice a model's height (ours; the source gives no size).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Point, Rect

STOREY = 2000
WALL = 200
SLAB = 100
#: SKR-8: a base is 1" across, a model 1" high standing and 0.25" lying down.
BASE = 1000
STANDING = 1000
LYING = 250
#: A door is 1.5" wide and 1.2" high; a window 1.2" wide, open from 0.5" to 1.2" (ours).
DOOR, WINDOW, SILL, LINTEL = 1500, 1200, 500, 1200
GROUND = "ground"

Material: TypeAlias = Literal["wood", "stone", "concrete", "steel", "leaves"]


class Opening(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A door or window; ``at`` is its middle along the side, from west or south."""

    side: Literal["north", "east", "south", "west"]
    at: int
    kind: Literal["door", "window"]
    level: int = 0


class Building(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="building"):
    name: str
    rect: Rect
    levels: int
    material: Literal["wood", "stone", "concrete", "steel"]
    openings: tuple[Opening, ...]
    #: Where stairs connect all levels and the roof, or None.
    stairs: Point | None = None
    #: Height of the wall around the roof.
    parapet: int = 0


class Wall(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="wall"):
    """A wall, crate, wreck or hedge: a box."""

    name: str
    rect: Rect
    height: int
    material: Material
    #: Whether it can be walked through, like leaves.
    passable: bool = False


class Tree(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="tree"):
    name: str
    at: Point
    radius: int = 300
    height: int = 5000


class Rubble(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="rubble"):
    name: str
    rect: Rect


class Water(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="water"):
    name: str
    rect: Rect


class Bridge(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="bridge"):
    """A deck over water, level with the ground."""

    name: str
    rect: Rect


Feature: TypeAlias = Building | Wall | Tree | Rubble | Water | Bridge


class TableForm(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, cache_hash=True):
    """A battlefield as a data file or the generator writes it."""

    name: str
    title: str
    width: int
    depth: int
    features: tuple[Feature, ...]
    note: str = ""


class Breach(msgspec.Struct, frozen=True, gc=False):
    """A hole 1.5" wide that a shaped charge made, at a height."""

    x: int
    y: int
    z: int


class Solid(msgspec.Struct, frozen=True):
    """A convex prism. ``part_of`` is "name/level" of a building, or empty."""

    name: str
    outline: tuple[Point, ...]
    bottom: int
    top: int
    material: str
    part_of: str = ""
    passable: bool = False
    rect: Rect | None = None


class Floor(msgspec.Struct, frozen=True):
    """A surface to stand on at one height."""

    name: str
    height: int
    rect: Rect
    building: str = ""
    level: int = 0


class Link(msgspec.Struct, frozen=True):
    """Stairs between two floors, at one place."""

    at: Point
    low: str
    high: str


class Gap(msgspec.Struct, frozen=True):
    """A door or window as a place: the middle of the opening, and its level's part."""

    building: str
    level: int
    kind: str
    at: Point
    #: The compass direction out of the building.
    outward: int


class Terrain:
    """The terrain of a form, without what has collapsed or been breached."""

    def __init__(
        self, form: TableForm, collapsed: Collection[str], breaches: tuple[Breach, ...]
    ) -> None:
        self.form = form
        rubble = [f.rect for f in form.features if isinstance(f, Rubble)]
        floors = [Floor(GROUND, 0, (0, 0, form.width, form.depth))]
        links: list[Link] = []
        gaps: list[Gap] = []
        solids: list[Solid] = []
        for feature in form.features:
            if isinstance(feature, Building):
                standing = standing_levels(feature, collapsed)
                if standing == 0:
                    rubble.append(feature.rect)
                solids += _raised(feature, standing)
                floors += [_floor(feature, level) for level in range(1, standing + 1)]
                links += _stairs(feature, standing)
                gaps += _gaps(feature, standing)
            elif isinstance(feature, Wall):
                solids.append(_box(feature))
            elif isinstance(feature, Tree):
                outline = geometry.octagon(feature.at, feature.radius)
                solids.append(Solid(feature.name, outline, 0, feature.height, "wood"))
        for breach in breaches:
            solids = [piece for solid in solids for piece in _pierced(solid, breach)]
        self.buildings: Mapping[str, Building] = MappingProxyType(
            {f.name: f for f in form.features if isinstance(f, Building)}
        )
        self.floors: Mapping[str, Floor] = MappingProxyType({f.name: f for f in floors})
        self.links, self.gaps, self.solids = tuple(links), tuple(gaps), tuple(solids)
        self.index = geometry.Index([solid.outline for solid in solids])
        self._low = tuple(solid for solid in solids if solid.bottom < STANDING)
        self._low_index = geometry.Index([solid.outline for solid in self._low])
        self.rubble = geometry.Areas(rubble)
        self.grounds = self._grounds()
        #: The same ground for a climber: obstacles at most 2" high do not stop him.
        self.climbing = self._grounds(2 * STANDING)

    def _grounds(self, climbs: int = 0) -> Mapping[str, geometry.Ground]:
        return MappingProxyType(
            {name: self._ground(floor, climbs) for name, floor in self.floors.items()}
        )

    def _ground(self, floor: Floor, climbs: int) -> geometry.Ground:
        z = floor.height
        blocks = [
            (solid.outline, BASE // 2 - 5)
            for solid in self.solids
            if not solid.passable
            and solid.bottom < z + STANDING
            and solid.top > z + max(SLAB, climbs)
        ]
        if floor.name != GROUND:
            return geometry.Ground(floor.rect, (), (), blocks)
        half = BASE // 2
        outline = (half, half, self.form.width - half, self.form.depth - half)
        holes = [f.rect for f in self.form.features if isinstance(f, Water)]
        decks = [f.rect for f in self.form.features if isinstance(f, Bridge)]
        return geometry.Ground(outline, holes, decks, blocks)

    def up_to(self, high: int) -> tuple[tuple[Solid, ...], geometry.Index]:
        """The solids and their index; those that begin above a height need not be among them.

        Most solids of a house are above whoever stands on the ground, as most men do.
        """
        if high > STANDING:
            return self.solids, self.index
        return self._low, self._low_index

    def height(self, floor: str) -> int:
        return self.floors[floor].height

    def inside_of(self, at: Point, floor: str) -> tuple[str, int] | None:
        """The building and level that a place is inside of, or None."""
        here = self.floors[floor]
        for name, house in self.buildings.items():
            level = here.level if here.building == name else 0
            if here.building not in ("", name) or not geometry.inside(house.rect, at):
                continue
            if f"{name}-{level + 1}" in self.floors:
                return name, level
        return None


def standing_levels(house: Building, collapsed: Collection[str]) -> int:
    """SKR-118: the number of levels still standing; a level collapses with all above it."""
    for level in range(house.levels):
        if f"{house.name}/{level}" in collapsed:
            return level
    return house.levels


def _raised(house: Building, standing: int) -> list[Solid]:
    """The walls, ceilings and parapet of the standing levels of a building."""
    out: list[Solid] = []
    for level in range(standing):
        out += _walls(house, level)
        top, part = (level + 1) * STOREY, f"{house.name}/{level}"
        slab, name = geometry.corners(house.rect), f"{house.name} ceiling {level}"
        out.append(Solid(name, slab, top - SLAB, top, house.material, part))
    if house.parapet and standing == house.levels:
        part, base = f"{house.name}/{house.levels - 1}", house.levels * STOREY
        for side, rect in _sides(house.rect).items():
            name, top = f"{house.name} parapet {side}", base + house.parapet
            out.append(_upright(name, rect, base, top, house.material, part))
    return out


def _floor(house: Building, level: int) -> Floor:
    return Floor(f"{house.name}-{level}", level * STOREY, house.rect, house.name, level)


def _stairs(house: Building, standing: int) -> Iterator[Link]:
    if house.stairs is not None:
        for level in range(standing):
            low = GROUND if level == 0 else f"{house.name}-{level}"
            yield Link(house.stairs, low, f"{house.name}-{level + 1}")


def _gaps(house: Building, standing: int) -> list[Gap]:
    return [
        _gap(house, opening)
        for level in range(standing)
        for opening in house.openings
        if opening.level == level
    ]


def _box(wall: Wall) -> Solid:
    outline = geometry.corners(wall.rect)
    return Solid(wall.name, outline, 0, wall.height, wall.material, "", wall.passable, wall.rect)


def _upright(name: str, rect: Rect, bottom: int, top: int, material: str, part: str) -> Solid:
    return Solid(name, geometry.corners(rect), bottom, top, material, part, False, rect)


def _sides(rect: Rect) -> dict[str, Rect]:
    west, south, east, north = rect
    return {
        "south": (west, south, east, south + WALL),
        "north": (west, north - WALL, east, north),
        "west": (west, south, west + WALL, north),
        "east": (east - WALL, south, east, north),
    }


def _walls(house: Building, level: int) -> list[Solid]:
    """The four walls of a level, with openings for its doors and windows."""
    out: list[Solid] = []
    base, part = level * STOREY, f"{house.name}/{level}"
    for side, rect in _sides(house.rect).items():
        lengthwise = 0 if side in ("south", "north") else 1
        start, end = rect[lengthwise], rect[lengthwise + 2]
        cuts = sorted(
            (o for o in house.openings if o.side == side and o.level == level), key=lambda o: o.at
        )
        for number, opening in enumerate(cuts):
            middle = rect[lengthwise] + opening.at
            half = (DOOR if opening.kind == "door" else WINDOW) // 2
            name = f"{house.name} {side} {level}.{number}"
            before = _stretch(rect, lengthwise, start, middle - half)
            gap = _stretch(rect, lengthwise, middle - half, middle + half)
            out.append(_upright(name, before, base, base + STOREY, house.material, part))
            lintel = base + LINTEL
            out.append(_upright(name, gap, lintel, base + STOREY, house.material, part))
            if opening.kind == "window":
                out.append(_upright(name, gap, base, base + SILL, house.material, part))
            start = middle + half
        rest = _stretch(rect, lengthwise, start, end)
        out.append(
            _upright(
                f"{house.name} {side} {level}", rest, base, base + STOREY, house.material, part
            )
        )
    return out


def _stretch(rect: Rect, lengthwise: int, start: int, end: int) -> Rect:
    if lengthwise == 0:
        return (start, rect[1], end, rect[3])
    return (rect[0], start, rect[2], end)


def _gap(house: Building, opening: Opening) -> Gap:
    west, south, east, north = house.rect
    at, outward = {
        "south": ((west + opening.at, south + WALL // 2), 180),
        "north": ((west + opening.at, north - WALL // 2), 0),
        "west": ((west + WALL // 2, south + opening.at), 270),
        "east": ((east - WALL // 2, south + opening.at), 90),
    }[opening.side]
    return Gap(house.name, opening.level, opening.kind, at, outward)


def _pierced(solid: Solid, breach: Breach) -> list[Solid]:
    """The rest of a wall after a breach: SKR-166, one section 1.5" wide opens."""
    rect = solid.rect
    half = DOOR // 2
    hole = (breach.x - half, breach.y - half, breach.x + half, breach.y + half)
    if rect is None or not (
        solid.bottom < breach.z + LINTEL
        and solid.top > breach.z
        and rect[0] < hole[2]
        and rect[2] > hole[0]
        and rect[1] < hole[3]
        and rect[3] > hole[1]
    ):
        return [solid]
    lengthwise = 0 if rect[2] - rect[0] >= rect[3] - rect[1] else 1
    rests = [
        (rect[lengthwise], max(rect[lengthwise], hole[lengthwise])),
        (min(rect[lengthwise + 2], hole[lengthwise + 2]), rect[lengthwise + 2]),
    ]
    pieces = [_stretch(rect, lengthwise, *rest) for rest in rests if rest[1] - rest[0] > 50]
    return [
        msgspec.structs.replace(solid, rect=piece, outline=geometry.corners(piece))
        for piece in pieces
    ]


@lru_cache(maxsize=32)
def terrain(
    form: TableForm, collapsed: tuple[str, ...] = (), breaches: tuple[Breach, ...] = ()
) -> Terrain:
    """The terrain of a form, cached for each state of damage."""
    return Terrain(form, collapsed, breaches)
