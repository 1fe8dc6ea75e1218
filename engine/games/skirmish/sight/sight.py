"""Line of sight: who sees whom, and how well, by a single predicate.

**The predicate** (``look``). The watcher's eye is at his head, nine tenths of his height (SKR-58).
The target is an upright rectangle at the middle of his base, facing the eye: 1" wide and as tall as
he is, 0.25" when lying (SKR-8). Every solid of the terrain and every other live body between them
casts a shadow from the eye on that plane. The share of the rectangle that no shadow covers is the
share of his *body* in sight; the same for its lowest 0.06" is the share of his *base*. He is in
plain sight if more than half of either is open (SKR-59). Smoke hides nobody (SKR-62); darkness ends
sight at 10" for those without night vision (SKR-61); the facing arc is 90 degrees to each side
(SKR-53). Everything else about seeing is built on this.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

import msgspec

from engine.games.skirmish.data.library import library
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Cast, Point, Rect, Shadow
from engine.games.skirmish.ground.scene import Figure, Scene, gap, spot_of, takes_room, tall
from engine.games.skirmish.ground.terrain import BASE, STANDING, Terrain

NIGHT_SIGHT = 10 * INCH
HALF = 500
BASE_STRIP = 60


#: A body between two others: its base, its height above the table, and how tall it is.
Body: TypeAlias = tuple[Point, int, int]


class LineOfSight(msgspec.Struct, frozen=True, gc=False):
    """All that a look depends on: from an eye to a target's base, height and size."""

    terrain: Terrain
    eye: tuple[int, int, int]
    end: Point
    foot: int
    high: int
    bodies: tuple[Body, ...]

    @property
    def box(self) -> Rect:
        """The target as the eye sees him, on the plane at his base."""
        half = BASE // 2
        return (-half, self.foot, half, self.foot + self.high)

    def shadows(self) -> Iterator[tuple[Cast, str]]:
        """What casts shadows near him on that plane, each with its material."""
        eye, end, box = self.eye, self.end, self.box
        corridor = self._corridor()
        if corridor is None:
            return
        solids, index = self.terrain.up_to(max(eye[2], box[3]))
        for number in index.touched(corridor):
            solid = solids[number]
            shadow = geometry.cast(eye, end, solid.outline, solid.bottom, solid.top, box)
            if shadow is not None:
                yield shadow, solid.material
        for spot, low, size in self.bodies:
            outline = geometry.octagon(spot, BASE // 2)
            shadow = geometry.cast(eye, end, outline, low, low + size, box)
            if shadow is not None:
                yield shadow, "body"

    def _corridor(self) -> tuple[Point, Point, Point] | None:
        """From the eye to both ends of his base; None where he stands in the same place."""
        (x, y, _), end, half = self.eye, self.end, BASE // 2
        whole = geometry.distance((x, y), end)
        if whole == 0:
            return None
        across = ((end[1] - y) * half // whole, (x - end[0]) * half // whole)
        return (
            (x, y),
            (end[0] + across[0], end[1] + across[1]),
            (end[0] - across[0], end[1] - across[1]),
        )


class Look(msgspec.Struct, frozen=True, gc=False):
    """Shares in sight, in thousandths. ``line``: where there is something in between."""

    body: int
    base: int
    line: LineOfSight | None = None

    @property
    def plain(self) -> bool:
        """SKR-59: more than half of base or body."""
        return self.body > HALF or self.base > HALF

    @property
    def any(self) -> bool:
        return self.body > 0

    def shadows(self) -> list[tuple[Shadow, str]]:
        """The shadows on him with their materials: few ask, so they are not kept."""
        if self.line is None:
            return []
        return [(geometry.outlined(shadow), thing) for shadow, thing in self.line.shadows()]


CLEAR, UNSEEN = Look(1000, 1000), Look(0, 0)


def look(scene: Scene, watcher: Figure, target: Figure) -> Look:
    """How much of the target the watcher sees (the module's predicate)."""
    start, end = spot_of(watcher), spot_of(target)
    eye = (*start, scene.eye(watcher))
    bodies = tuple(
        (spot_of(body), scene.height(body), tall(body))
        for body in bodies_between(scene, start, end, (watcher.name, target.name))
    )
    return _look(LineOfSight(scene.terrain, eye, end, scene.height(target), tall(target), bodies))


@lru_cache(maxsize=16_384)
def _look(line: LineOfSight) -> Look:
    """``look`` from its line alone, cached: the same look is needed many times a turn."""
    box, shadows = line.box, []
    for shadow, _ in line.shadows():
        if geometry.hides(shadow, box):
            return Look(0, 0, line)
        shadows.append(shadow)
    if not shadows:
        return CLEAR
    masks = [geometry.outlined(shadow) for shadow in shadows]
    west, foot, east, _ = box
    strip = (west, foot, east, foot + BASE_STRIP)
    body, base = geometry.open_shares((box, strip), masks)
    return Look(body, base, line)


def bodies_between(scene: Scene, start: Point, end: Point, apart: Iterable[str]) -> list[Figure]:
    """Live models, other than those in ``apart``, whose base is near the segment."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    west, east = min(x, end[0]) - BASE, max(x, end[0]) + BASE
    south, north = min(y, end[1]) - BASE, max(y, end[1]) + BASE
    # who is not near the line through both, which most are not, is not near the segment
    wide = BASE * math.hypot(dx, dy) + 1
    return [
        figure
        for figure in scene.figures
        if west < figure.x < east
        and south < figure.y < north
        and abs(dx * (figure.y - y) - dy * (figure.x - x)) < wide
        and takes_room(figure)
        and figure.name not in apart
        and geometry.off_line(start, end, spot_of(figure)) < BASE
    ]


def line_blocked(scene: Scene, shooter: Figure, target: Figure) -> str:
    """SKR-48, 49: the model in the line of fire, or "".

    The line runs from centre to centre. Over a model at least 1" lower than the shooter, and by a
    standing shooter over one lying down, shots pass.
    """
    start, end = spot_of(shooter), spot_of(target)
    for figure in bodies_between(scene, start, end, (shooter.name, target.name)):
        if geometry.off_line(start, end, spot_of(figure)) >= BASE // 2:
            continue
        drop = scene.height(shooter) - scene.height(figure)
        if drop >= INCH or (figure.prone and not shooter.prone):
            continue
        if drop < -STANDING or abs(scene.height(figure) - scene.height(target)) > STANDING:
            continue
        return figure.name
    return ""


def sees_spot(scene: Scene, watcher: Figure, spot: Point, z: int, ignoring: str = "") -> bool:
    """Whether the eye has a clear line to a point; a building's own walls may be ignored."""
    eye = (*spot_of(watcher), scene.eye(watcher))
    return _is_clear(scene.terrain, eye, spot, z, ignoring)


@lru_cache(maxsize=4096)
def _is_clear(
    terrain: Terrain, eye: tuple[int, int, int], spot: Point, z: int, ignoring: str
) -> bool:
    """``sees_spot`` from its inputs alone, cached: each throw at a spot asks for it."""
    start = (eye[0], eye[1])
    if geometry.distance(start, spot) < 20:
        return True
    point = (-1, z - 1, 1, z + 1)
    solids, index = terrain.up_to(max(eye[2], z + 1))
    for number in index.crossed(start, spot):
        solid = solids[number]
        if ignoring and solid.part_of.startswith(f"{ignoring}/"):
            continue
        shadow = geometry.cast(eye, spot, solid.outline, solid.bottom, solid.top, point)
        if shadow is not None and geometry.within(geometry.outlined(shadow), (0, z)):
            return False
    return True


def in_arc(watcher: Figure, at: Point) -> bool:
    """SKR-53: the half circle ahead."""
    if spot_of(watcher) == at:
        return True
    return geometry.turned(watcher.facing, geometry.bearing(spot_of(watcher), at)) <= 90


def light_reaches(scene: Scene, watcher: Figure, target: Figure, goggles: bool) -> bool:
    """SKR-61: whether it is light enough: by night, sight ends at 10" without night vision."""
    return not scene.night or goggles or gap(scene, watcher, target) <= NIGHT_SIGHT


def smoke_on(scene: Scene, a: Point, b: Point) -> bool:
    """SKR-62: whether there is smoke on the line, at either end or between."""
    return any(geometry.off_line(a, b, (cloud.x, cloud.y)) < cloud.radius for cloud in scene.smoke)


#: SKR-92, R: where each location is on a standing body, as (left, bottom, right, top): the width in
#: thousandths of an inch from the middle, as the watcher sees it when the man faces him, and the
#: height in thousandths of his own.
ZONES: dict[str, tuple[int, int, int, int]] = {
    "head": (-150, 820, 150, 1000),
    "chest": (-250, 640, 250, 820),
    "stomach": (-250, 520, 250, 640),
    "abdomen": (-250, 430, 250, 520),
    "right leg": (-250, 0, 0, 430),
    "left leg": (0, 0, 250, 430),
    "right arm": (-450, 430, -250, 820),
    "left arm": (250, 430, 450, 820),
}


def cover_at(scene: Scene, seen: Look, target: Figure, location: str, faces: bool) -> str:
    """The material that hides more than half of a location, or "": SKR-93.

    Of several materials the one that hides most counts. A prone man is all at one height. ``faces``
    is whether he faces the shooter, which swaps right and left.
    """
    shadows = seen.shadows()
    if not shadows:
        return ""
    left, bottom, right, top = ZONES[location]
    if not faces:
        left, right = -right, -left
    foot, high = scene.height(target), tall(target)
    if target.prone:
        bottom, top = 0, 1000
    rect = (left, foot + bottom * high // 1000, right, foot + top * high // 1000)
    if geometry.open_share(rect, [mask for mask, _ in shadows]) >= HALF:
        return ""
    worst, least = "", 1001
    for material in sorted({material for _, material in shadows}):
        masks = [mask for mask, thing in shadows if thing == material]
        share = geometry.open_share(rect, masks)
        if share < least:
            worst, least = material, share
    return worst


def cover_value(material: str, soft: int, hard: int) -> int:
    """SKR-93: the maximum of a successful cover roll for this material."""
    kind = library().cover[material]
    return (soft if kind.kind == "soft" else hard) + kind.modifier
