"""The components of a shot's chance: SKR-66 to 91, 109 to 111.

Pure arithmetic, for the rules and for pages.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from engine.games.skirmish.data.library import Band, Weapon, faction
from engine.games.skirmish.events import highest_hit
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import Figure, Scene, gap
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.sight import sight
from engine.games.skirmish.sight.sight import NIGHT_SIGHT
from engine.games.skirmish.state import Model


class Target(Figure, Protocol):
    @property
    def gait(self) -> str: ...


class Chance(msgspec.Struct, frozen=True):
    """A target number and its components. ``reaches`` is false if every shot must miss."""

    need: int
    modifiers: tuple[tuple[str, int], ...]
    distance: int
    reaches: bool

    @property
    def at_most(self) -> int:
        """The highest die that hits."""
        return highest_hit(self.need)

    @property
    def percent(self) -> int:
        return 10 * self.at_most if self.reaches else 0


def hits(die: int, need: int) -> bool:
    """SKR-67."""
    return die <= highest_hit(need)


def band_modifier(bands: tuple[Band, ...], distance: int) -> int | None:
    """The modifier of the band of a distance; None beyond the last band."""
    for band in bands:
        if distance <= band.limit:
            return band.modifier
    return None


def gait_modifier(model: Model, add_up: bool) -> int:
    """SKR-75, 76, 86: the worst of walking and running, unless the option adds them up."""
    if model.gait == "ran":
        return -6 if add_up and model.walked_too else -4
    return -2 if model.gait == "walked" else 0


def prone_counts(rise: int, flat: int) -> bool:
    """SKR-85: whether being prone protects: not within 3", nor from half the distance above."""
    return flat > 3 * INCH and 2 * rise < flat


def night_modifier(shooter: Model, distance: int) -> list[tuple[str, int]]:
    """SKR-81 to 84."""
    if "nvg" in shooter.gear:
        goggles = faction(shooter.faction).nvg
        out = [("night vision", -goggles.penalty)]
        if "laser" in shooter.gear:
            out.append(("laser", goggles.laser))
        return out
    return [("night, far", -3) if distance > NIGHT_SIGHT else ("night", -1)]


def to_hit(
    scene: Scene,
    options: SkirmishOptions,
    shooter: Model,
    target: Target,
    weapon: Weapon,
    mode: str,
    *,
    aimed: bool = False,
    scope: bool = False,
    spotter: bool = False,
) -> Chance:
    """SKR-66 to 86: WP, range and every modifier, against a model."""
    start, end = shooter.at, (target.x, target.y)
    rise = scene.height(shooter) - scene.height(target)
    flat = max(0, geometry.distance(start, end) - BASE)
    parts = _shooter_parts(options, shooter, mode, aimed, scope, spotter)
    if target.gait == "ran":
        parts.append(("target running", -2))
    elif target.gait == "walked":
        parts.append(("target walking", -1))
    if target.prone and prone_counts(rise, flat):
        parts.append(("target prone", -1))
    return _chance(scene, shooter, weapon, end, gap(scene, shooter, target), parts)


def to_hit_spot(
    scene: Scene,
    options: SkirmishOptions,
    shooter: Model,
    spot: Point,
    rise: int,
    weapon: Weapon,
    mode: str,
    extra: tuple[tuple[str, int], ...] = (),
    *,
    aimed: bool = False,
    scope: bool = False,
) -> Chance:
    """The same against a spot on the table or a building."""
    parts = _shooter_parts(options, shooter, mode, aimed, scope, False)
    distance = max(0, geometry.distance(shooter.at, spot, rise) - BASE // 2)
    return _chance(scene, shooter, weapon, spot, distance, [*parts, *extra])


def _shooter_parts(
    options: SkirmishOptions,
    shooter: Model,
    mode: str,
    aimed: bool,
    scope: bool,
    spotter: bool,
) -> list[tuple[str, int]]:
    parts = [
        ("aimed", 1 if aimed else 0),
        ("scope", 1 if scope else 0),
        ("spotter", 1 if spotter else 0),
        ("prone", 1 if shooter.prone else 0),
        ("burst", -1 if mode == "burst" else 0),
        ("automatic", -3 if mode == "auto" else 0),
        ("moved", gait_modifier(shooter, options.walk_and_run_add_up)),
    ]
    return [part for part in parts if part[1]]


def _chance(
    scene: Scene,
    shooter: Model,
    weapon: Weapon,
    end: Point,
    distance: int,
    parts: list[tuple[str, int]],
) -> Chance:
    band = band_modifier(weapon.ranges, distance)
    if band:
        parts.insert(0, ("range", band))
    if sight.smoke_on(scene, shooter.at, end):
        parts.append(("smoke", -3))
    if scene.night:
        parts += night_modifier(shooter, distance)
    need = shooter.abilities.wp + sum(value for _, value in parts)
    reaches = band is not None and distance >= weapon.minimum
    return Chance(need, tuple(parts), distance, reaches)


def throw_penalty(distance: int) -> int:
    """SKR-110: a difficult throw, by bands that close at their lower end."""
    inches = distance / INCH
    return 0 if inches < 2 else -1 if inches < 6 else -2 if inches < 10 else -3


def deviation(die: int, distance: int) -> int:
    """SKR-113: D6 inches; half of it, rounded up, if the target was under 10" away."""
    return ((die + 1) // 2 if distance < 10 * INCH else die) * INCH


def melee_number(enemies: int, friends: int) -> int:
    """SKR-132b: D10 at most this hits the enemy meant."""
    return 5 + enemies - friends
