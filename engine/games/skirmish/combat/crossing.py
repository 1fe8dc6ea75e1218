"""Op-Fire at somebody who goes by: where on a leg the first order goes off (SKR-45, 46).

Whether one does is asked of the order itself (``watching.ready``), at single places. Between two
of them lies at most one line where anything changes that the order depends on: the edge of an arc,
a range, the outline of smoke or of a body as the watcher sees it, the end of a shadow. So the
first place where it holds is found to the thousandth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from engine.games.skirmish.combat import blasts, fire, watching
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Leg, Point
from engine.games.skirmish.ground.scene import CONTACT, Scene, gap, takes_room
from engine.games.skirmish.ground.sweeps import settled
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import passing, sight
from engine.games.skirmish.sight.passing import Line, Spotting, circle
from engine.games.skirmish.sight.sight import CLEAR, Look
from engine.games.skirmish.state import Device, Model

HALF = BASE // 2


class Aiming(Spotting):
    """The line of a shot: he turns to whom he aims at, and must see enough of him (SKR-59, 60)."""

    def __init__(
        self, scene: Scene, leg: Leg, watcher: Model, target: Model, generous: bool
    ) -> None:
        super().__init__(scene, leg, watcher, target, target.name, generous)
        aimed = watcher.watch is not None and watcher.watch.aimed
        self.counts = fire.targetable_by_aim if aimed else fire.targetable
        self.turns = True


class Blast(Line):
    """The line from a Claymore to whom it may catch (SKR-107, 170)."""

    def whole(self, place: int) -> Look | None:
        centre = (self.fixed.x, self.fixed.y)
        return CLEAR if geometry.distance(centre, self.leg.at(place)) < HALF else None

    def edges(self) -> list[float]:
        return circle(self.leg, (self.fixed.x, self.fixed.y), HALF)


def first_place(play: Play, who: str, leg: Leg, after: int, last: int) -> int | None:
    """The first place after one and up to another where an enemy's order goes off, or None.

    Everything but the mover's own place is taken as it is now.
    """
    mover, first = play.models[who], None

    def holds(watcher: Model) -> Callable[[int], bool]:
        def at(place: int) -> bool:
            x, y = leg.at(place)
            play.put(who, x=x, y=y)
            return watching.ready(play, watcher, who)

        return at

    for watcher in watching.waiting(play, who):
        if last <= after:
            break
        places = passing.samples(after + 1, last, _cuts(play, watcher, mover, leg, after, last))
        found = _first(places, holds(watcher))
        play.models[who] = mover
        if found is not None:
            first, last = found, found - 1
    return first


def _first(places: list[int], holds: Callable[[int], bool]) -> int | None:
    before = None
    for place in places:
        if holds(place):
            return place if before is None else settled(before, place, holds)
        before = place
    return None


def _cuts(
    play: Play, watcher: Model, mover: Model, leg: Leg, after: int, last: int
) -> Iterator[float]:
    order, spot = watcher.watch, watcher.at
    assert order is not None
    low, high = order.arc
    yield leg.abreast(spot)
    for edge in (low - 0.5, high + 0.5, watcher.facing - 90.5, watcher.facing + 90.5):
        yield from leg.across(spot, edge)
    rise = play.terrain.height(watcher.floor) - play.terrain.height(mover.floor)
    if order.reach:
        yield from circle(leg, spot, order.reach + BASE + 1, rise)
    if order.device:
        device = watching.claymore_of(play, watcher)
        if device is not None:
            yield from _cone(play, device, mover, leg, after, last)
        return
    yield from _ranges(play, watcher, mover, leg, rise)
    yield from _screens(play, watcher, mover, leg)
    generous = play.state.options.generous_night_sight
    line = Aiming(play.scene, leg, watcher, mover, generous)
    yield from line.edges()
    yield from passing.changes(line, after, last)


def _cone(
    play: Play, device: Device, mover: Model, leg: Leg, after: int, last: int
) -> Iterator[float]:
    """SKR-170: the edges of a Claymore's kill zone."""
    cone, spot = blasts.claymore_cone(), (device.x, device.y)
    for edge in (cone.angle // 2 + 0.5, -cone.angle // 2 - 0.5):
        yield from leg.across(spot, device.facing + edge)
    rise = play.terrain.height(device.floor) - play.terrain.height(mover.floor)
    yield from circle(leg, spot, cone.kill + HALF + 1, rise)
    centre = blasts.Centre(device.x, device.y, device.floor)
    line = Blast(play.scene, leg, centre, mover, mover.name, _any)
    yield from line.edges()
    yield from passing.changes(line, after, last)


def _any(seen: Look, flashed: bool) -> bool:
    return seen.any


def _ranges(play: Play, watcher: Model, mover: Model, leg: Leg, rise: int) -> Iterator[float]:
    """The distances at which the chance, or the choice of targets, changes."""
    order, spot = watcher.watch, watcher.at
    assert order is not None
    kind = weapon(order.weapon)
    limits = {band.limit for band in kind.ranges} | {kind.minimum - 1, fire.PRIORITY}
    if play.night:
        limits.add(sight.NIGHT_SIGHT)
    for limit in limits:
        yield from circle(leg, spot, limit + BASE + 1, rise)
    if mover.prone:
        yield from circle(leg, spot, 3 * INCH + BASE + 1)
        yield from circle(leg, spot, 2 * max(0, rise) + BASE + 1)
    if watcher.floor == mover.floor:
        yield from circle(leg, spot, CONTACT + 1)


def _screens(play: Play, watcher: Model, mover: Model, leg: Leg) -> Iterator[float]:
    """Where smoke or a body comes between them, or he himself before a mate."""
    spot = watcher.at
    for cloud in play.state.smoke:
        yield from _rim(leg, spot, (cloud.x, cloud.y), cloud.radius)
    for body in play.models.values():
        if body.name in (watcher.name, mover.name) or not takes_room(body):
            continue
        yield from _rim(leg, spot, body.at, HALF)
        if body.seat == mover.seat and gap(play.scene, watcher, body) <= fire.PRIORITY:
            yield from _lane(leg, spot, body.at)


def _rim(leg: Leg, eye: Point, centre: Point, radius: int) -> Iterator[float]:
    """Where the lines from an eye begin and cease to touch a disc."""
    yield from circle(leg, centre, radius)
    far = math.hypot(centre[0] - eye[0], centre[1] - eye[1])
    if far > radius:
        towards = math.degrees(math.atan2(centre[0] - eye[0], centre[1] - eye[1]))
        half = math.degrees(math.asin(radius / far))
        yield from leg.across(eye, towards - half)
        yield from leg.across(eye, towards + half)


def _lane(leg: Leg, eye: Point, target: Point) -> Iterator[float]:
    """Where he begins and ceases to stand in a lane, a base wide, from an eye to a target."""
    for end in (eye, target):
        yield from circle(leg, end, HALF)
    towards = math.degrees(math.atan2(target[0] - eye[0], target[1] - eye[1]))
    for side in (90, -90):
        yield from leg.across(geometry.towards(eye, round(towards) + side, HALF), towards)
