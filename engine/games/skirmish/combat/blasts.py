"""Explosions and their victims: SKR-102 to 107, 113, 114 and 165 to 170, 188."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import chances
from engine.games.skirmish.data.library import Blast, Charge, Cone, Weapon, weapon
from engine.games.skirmish.events import Changed, Exploded
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.terrain import BASE, GROUND, Breach
from engine.games.skirmish.play import Cause, Play
from engine.games.skirmish.sight import sight
from engine.games.skirmish.sight.sight import Look
from engine.games.skirmish.state import Device, Model

#: SKR-115: a charge so near to a wall is set on it; the map is pointed at in tenths.
ON_A_WALL = 100
#: SKR-113: the sides of the die for the deviation of a miss.
DEVIATION = 6


class Fragment(Cause, frozen=True):
    """A fragment of a blast hits somebody: SKR-103, 107."""

    who: str
    by: str
    weapon: Weapon
    seen: Look
    #: Whether he faces the blast.
    faces: bool
    #: Damage prevention rating; None for the weapon's own.
    rating: int | None = None


class KilledOutright(Cause, frozen=True):
    """Somebody is so near that he dies without a roll: SKR-106, 188."""

    who: str
    by: str


class BurstBy(Cause, frozen=True):
    """An explosion that may damage a building: in a room, or within reach of a wall.

    What has a reach may also have been set on a roof.
    """

    at: Point
    floor: str
    weapon: Weapon
    rolls: int = 1
    reach: int = 0


class Breaching(Cause, frozen=True):
    """A charge set on a wall went off: SKR-166."""

    hole: Breach
    weapon: Weapon


class Centre(msgspec.Struct, frozen=True):
    """The centre of an explosion, as an eye near the ground."""

    x: int
    y: int
    floor: str
    facing: int = 0
    name: str = ""
    prone: bool = True
    condition: str = "dead"
    carried_by: str = ""


def check_on_table(play: Play, spot: Point, floor: str) -> None:
    """Raises IllegalMove for a spot beyond the edge of the table, or of the floor it is said on."""
    table = play.state.table
    if not (0 <= spot[0] <= table.width and 0 <= spot[1] <= table.depth):
        raise IllegalMove("That spot is not on the table.", rule="SKR-51")
    elsewhere = floor_under(play, spot, floor) != floor
    if elsewhere and versions.spots_are_on_their_floor(play.state):
        raise IllegalMove("That spot is not on the floor {floor}.", rule="SKR-51", floor=floor)


def reach_of(play: Play, centre: Centre, model: Model) -> int:
    """The distance from the centre of a blast to the edge of a base."""
    rise = play.terrain.height(centre.floor) - play.terrain.height(model.floor)
    return max(0, geometry.distance((centre.x, centre.y), model.at, rise) - BASE // 2)


def ring(distance: int) -> int:
    """SKR-102: which 1" ring, from 0; a model on the border is in the inner one."""
    return max(0, -(-distance // INCH) - 1)


def blast_at(blast: Blast, distance: int) -> tuple[int, int] | None:
    """SKR-103: rating and number of wound rolls at a distance; None outside the blast."""
    number = ring(distance)
    if number >= len(blast.rings):
        return None
    return blast.rings[number], blast.rolls[number]


def charge_zones(quarters: int) -> Charge:
    """SKR-168, 169: the zones of a charge of this number of quarter pounds."""
    chart = weapon("c4").charges
    if quarters <= len(chart):
        return chart[quarters - 1]
    last = chart[-1]
    return Charge(last.kill + INCH * (quarters - len(chart)), last.multiple, last.radius)


def victims(play: Play, centre: Centre, radius: int) -> list[tuple[Model, int]]:
    """Everybody within a radius, nearest first."""
    found = [
        (model, reach_of(play, centre, model))
        for model in play.models.values()
        if model.condition != "dead"
    ]
    found = [(model, far) for model, far in found if far <= radius]
    return sorted(found, key=lambda pair: (pair[1], pair[0].name))


def seen_from(play: Play, centre: Centre, model: Model) -> Look:
    """SKR-107: cover is judged from the centre of the blast, on the floors that still stand."""
    centre = _on_what_stands(play, centre)
    if model.floor not in play.terrain.floors:
        model = play.models[model.name]
    scene = play.scene
    if geometry.distance((centre.x, centre.y), model.at) < BASE // 2:
        if centre.floor == model.floor or not versions.floors_cover_who_is_above(play.state):
            return sight.CLEAR
        centre = _beside_his_base(centre, model)
    if model.carried_by and versions.carriers_hide_no_load(play.state):
        others = tuple(one for one in scene.figures if one.name != model.carried_by)
        scene = replace(scene, figures=others)
    return sight.look(scene, centre, model)


def _on_what_stands(play: Play, centre: Centre) -> Centre:
    """The same centre, on the ground if its floor has collapsed since (SKR-118, 188)."""
    return centre if centre.floor in play.terrain.floors else replace(centre, floor=GROUND)


def _beside_his_base(centre: Centre, model: Model) -> Centre:
    """The same centre at the edge of his base: from straight below no shadow falls on him."""
    direction = geometry.bearing(model.at, (centre.x, centre.y))
    x, y = geometry.towards(model.at, direction, BASE // 2)
    return replace(centre, x=x, y=y)


def explode(play: Play, centre: Centre, kind: Weapon, by: str, *, inside: bool = True) -> None:
    """SKR-103, 114: wound rolls for everybody in the rings, then the building around it.

    ``inside`` is false for an explosion on a wall: that level's own roll comes from the hit.
    """
    assert kind.blast is not None
    blast, centre = kind.blast, _on_what_stands(play, centre)
    at = (centre.x, centre.y)
    radius = len(blast.rings) * INCH
    play.tell(Exploded(weapon=kind.name, at=at, floor=centre.floor, radius=radius))
    for model, far in victims(play, centre, radius):
        here = blast_at(blast, far)
        if here is None:
            continue
        rating, rolls = here
        seen = seen_from(play, centre, model)
        faces = sight.in_arc(model, at)
        for _ in range(rolls):
            if play.models[model.name].condition != "dead":
                play.follow(Fragment(model.name, by, kind, seen, faces, rating))
    if kind.structural and inside:
        play.follow(BurstBy(at, centre.floor, kind))


def deviate(play: Play, at: Point, distance: int, who: str) -> Point:
    """SKR-113: rolls where a miss lands."""
    far = chances.deviation(play.roll("deviation", who=who, sides=DEVIATION), distance)
    direction = (play.roll("direction", who=who) - 1) * 36
    table = play.state.table
    return geometry.nearest_in(
        (0, 0, table.width, table.depth), geometry.towards(at, direction, far)
    )


def floor_under(play: Play, at: Point, floor: str) -> str:
    """The floor where something lands: the intended floor if it exists there, else the ground."""
    here = play.terrain.floors.get(floor)
    return floor if here is not None and geometry.inside(here.rect, at) else GROUND


# --- mines and charges ---


def go_off(play: Play, device: Device, by: str) -> None:
    """Triggers a device and removes it."""
    play.change(devices=tuple(d for d in play.state.devices if d != device))
    kind = weapon(device.kind)
    centre = Centre(device.x, device.y, device.floor)
    if device.kind == "mine":
        explode(play, centre, kind, by)  # SKR-165
    elif device.kind == "claymore":
        _claymore(play, device, kind, by)
    elif device.kind == "c4":
        _plastic(play, centre, device.quarters, by, ON_A_WALL)
    else:
        explode(play, centre, kind, by, inside=False)
        breach = Breach(device.x, device.y, play.terrain.height(device.floor))
        play.follow(Breaching(breach, kind))


def claymore_cone() -> Cone:
    """SKR-170: the zones of a Claymore, and the length of its wire."""
    cone = weapon("claymore").cone
    assert cone is not None
    return cone


def claymore_victims(play: Play, device: Device) -> list[tuple[Model, int]]:
    """SKR-170: the models in the cone and in sight of the device."""
    cone = claymore_cone()
    centre = Centre(device.x, device.y, device.floor)
    at = (device.x, device.y)
    return [
        (model, far)
        for model, far in victims(play, centre, cone.reach)
        if geometry.turned(device.facing, geometry.bearing(at, model.at)) <= cone.angle // 2
        and seen_from(play, centre, model).any
    ]


def _claymore(play: Play, device: Device, kind: Weapon, by: str) -> None:
    cone = claymore_cone()
    at = (device.x, device.y)
    hit = claymore_victims(play, device)
    play.tell(Exploded(weapon=kind.name, at=at, floor=device.floor, radius=cone.reach))
    for model, far in hit:
        if far <= cone.kill:
            play.follow(KilledOutright(model.name, by))  # SKR-106
        else:
            seen = seen_from(play, Centre(device.x, device.y, device.floor), model)
            faces = sight.in_arc(model, at)
            play.follow(Fragment(model.name, by, kind, seen, faces))


def _plastic(play: Play, centre: Centre, quarters: int, by: str, reach: int = 0) -> None:
    """SKR-106, 115, 168, 169."""
    kind, zones = weapon("c4"), charge_zones(quarters)
    at = (centre.x, centre.y)
    play.tell(Exploded(weapon=kind.name, at=at, floor=centre.floor, radius=zones.radius))
    for model, far in victims(play, centre, zones.radius):
        if far <= zones.kill:
            play.follow(KilledOutright(model.name, by))
            continue
        seen, faces = seen_from(play, centre, model), sight.in_arc(model, at)
        for _ in range(2 if far <= zones.multiple else 1):
            if play.models[model.name].condition != "dead":
                play.follow(Fragment(model.name, by, kind, seen, faces))
    if not versions.charges_harm_what_they_are_on(play.state):
        reach = BASE
    play.follow(BurstBy(at, centre.floor, kind, quarters, reach))


def vest(play: Play, who: str) -> None:
    """SKR-188: explodes a quarter pound at its wearer's place."""
    model = play.models[who]
    play.put(who, vest_charge=False)
    play.tell(Changed(who=who, what="vest", readers=play.readers(who)))
    _plastic(play, Centre(model.x, model.y, model.floor), 1, who)


def first_mine(play: Play, a: Point, b: Point, floor: str) -> tuple[Device, Point] | None:
    """SKR-165: the first mine that a base crosses from a to b, and the base's place then."""
    met = [
        (geometry.distance(a, at), device.name, device, at)
        for device in play.state.devices
        if device.kind == "mine" and device.floor == floor
        if (at := geometry.first_within(a, b, (device.x, device.y), BASE // 2)) is not None
    ]
    if not met:
        return None
    _, _, device, at = min(met, key=lambda one: one[:2])
    return device, at


def step_on_mines(play: Play, who: str) -> None:
    """The same at the end of a stride: the rule before ``versions.mines_go_off_on_the_way``."""
    model = play.models[who]
    for device in play.state.devices:
        if (
            device.kind == "mine"
            and device.floor == model.floor
            and geometry.distance((device.x, device.y), model.at) <= BASE // 2
        ):
            go_off(play, device, who)
