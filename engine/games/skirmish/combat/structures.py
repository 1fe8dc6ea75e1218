"""Damage to buildings, and their collapse: SKR-115 to 118, 166."""

from __future__ import annotations

from msgspec.structs import replace

from engine.games.skirmish import versions
from engine.games.skirmish.data.library import Weapon, library
from engine.games.skirmish.events import Breached, Collapsed, Struck
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Point, Rect
from engine.games.skirmish.ground.terrain import (
    BASE,
    GROUND,
    STOREY,
    Breach,
    Building,
    standing_levels,
)
from engine.games.skirmish.men import carrying
from engine.games.skirmish.play import Cause, Play
from engine.games.skirmish.state import LevelPoints


class Buried(Cause, frozen=True):
    """A level collapses on somebody: SKR-118."""

    who: str
    rating: int


def structure_loss(result: int) -> int:
    """SKR-117: structure points lost for D10 - SDPR."""
    return 4 if result <= 0 else 3 if result <= 2 else 1 if result <= 5 else 0


def collapse_rating(points: int) -> int:
    """SKR-118: half of the collapsing structure points, rounded up."""
    return (points + 1) // 2


def levels_standing(play: Play, name: str) -> list[int]:
    house = play.terrain.buildings[name]
    return list(range(standing_levels(house, play.state.collapsed)))


def points_left(play: Play, house: Building, level: int) -> int:
    """SKR-116."""
    part = f"{house.name}/{level}"
    for entry in play.state.levels:
        if entry.part == part:
            return entry.points
    return library().structures[house.material]


def near_outline(rect: Rect, at: Point) -> int:
    """The distance of a point outside from a building's outline."""
    return geometry.distance(at, geometry.nearest_in(rect, at))


def burst_inside(play: Play, at: Point, floor: str, kind: Weapon, rolls: int, reach: int) -> None:
    """SKR-115: an explosion inside a building, or of a charge set on it, damages that level."""
    if floor not in play.terrain.floors:
        return  # what it set off has made the level collapse already
    room = play.terrain.inside_of(at, floor)
    if room is None and reach:
        room = _set_on(play, at, floor, reach)
    if room is not None:
        damage(play, room[0], room[1], kind.structural, rolls)


def _set_on(play: Play, at: Point, floor: str, reach: int) -> tuple[str, int] | None:
    """The building and level that something outside lies on."""
    here, room = play.terrain.floors[floor], None
    if here.building and versions.charges_harm_what_they_are_on(play.state):
        return here.building, here.level - 1
    for name, house in play.terrain.buildings.items():
        near = floor == GROUND and near_outline(house.rect, at) <= reach
        if near and levels_standing(play, name):
            room = (name, 0)
    return room


def damage(play: Play, name: str, level: int, rating: int, rolls: int) -> None:
    """SKR-117: makes structure rolls against a level; at 0 points it collapses."""
    house = play.terrain.buildings[name]
    for _ in range(rolls):
        if level not in levels_standing(play, name):
            return
        loss = structure_loss(play.roll("structure") - rating)
        left = max(0, points_left(play, house, level) - loss)
        part = f"{name}/{level}"
        others = tuple(entry for entry in play.state.levels if entry.part != part)
        play.change(levels=(*others, LevelPoints(part, left)))
        play.tell(Struck(building=name, level=level, loss=loss, left=left))
        if left == 0:
            collapse(play, house, level)


def collapse(play: Play, house: Building, level: int) -> None:
    """SKR-118: a level collapses with all above it, on everybody inside and on top."""
    falling = [number for number in levels_standing(play, house.name) if number >= level]
    rating = collapse_rating(len(falling) * library().structures[house.material])
    inside = []
    for model in play.models.values():
        here = play.terrain.floors[model.floor]
        within = geometry.inside(house.rect, model.at)
        height = here.level if here.building == house.name else 0
        if within and height >= level and here.building in ("", house.name):
            inside.append(model.name)
    play.tell(Collapsed(building=house.name, level=level, rating=rating))
    play.change(collapsed=(*play.state.collapsed, f"{house.name}/{level}"))
    rest = GROUND if level == 0 else f"{house.name}-{level}"
    for name in inside:
        play.put(name, floor=rest)
        carrying.settle(play, name)
        man = play.models[name]
        if man.carrying and versions.loads_fall_with_their_carriers(play.state):
            play.put(man.carrying, x=man.x, y=man.y)
    _drop_things(play, house, level, rest)
    for name in inside:
        play.follow(Buried(name, rating))


def _drop_things(play: Play, house: Building, level: int, rest: str) -> None:
    gone = {f"{house.name}-{number}" for number in range(level + 1, house.levels + 1)}
    play.change(
        devices=tuple(replace(d, floor=rest) if d.floor in gone else d for d in play.state.devices),
        lying=tuple(replace(d, floor=rest) if d.floor in gone else d for d in play.state.lying),
    )


def breach(play: Play, hole: Breach, kind: Weapon) -> None:
    """SKR-166: a wall section opens; the level behind it takes one structure roll."""
    at = (hole.x, hole.y)
    play.change(breaches=(*play.state.breaches, hole))
    play.tell(Breached(at=at))
    for name, house in play.terrain.buildings.items():
        for level in levels_standing(play, name):
            if level * STOREY == hole.z and near_outline(house.rect, at) <= BASE:
                damage(play, name, level, kind.structural, 1)
                return
