"""Grenades, shells and everything that goes off: SKR-102 to 114 and 165 to 171, 188."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish.combat import chances, fire, structures
from engine.games.skirmish.combat.chances import Chance
from engine.games.skirmish.data.library import (
    Blast,
    Charge,
    Weapon,
    faction,
    library,
    weapon,
)
from engine.games.skirmish.events import Changed, Exploded, SmokeRose, Thrown
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import Cloud
from engine.games.skirmish.ground.terrain import BASE, GROUND, Breach
from engine.games.skirmish.men import wounds
from engine.games.skirmish.moves import Fire, Throw
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight
from engine.games.skirmish.sight.sight import Look
from engine.games.skirmish.state import Device, Model

DOOR_REACH = 2 * INCH
#: SKR-113: the sides of the die that says how far astray a miss comes down.
DEVIATION = 6


class Centre(msgspec.Struct, frozen=True):
    """Where something went off, as an eye near the ground."""

    x: int
    y: int
    floor: str
    facing: int = 0
    name: str = ""
    prone: bool = True
    condition: str = "dead"
    carried_by: str = ""


def levels_standing(play: Play, building: str) -> list[int]:
    return structures.levels_standing(play, building)


def reach_of(play: Play, centre: Centre, model: Model) -> int:
    """From the centre of a blast to the edge of a base."""
    rise = play.terrain.height(centre.floor) - play.terrain.height(model.floor)
    return max(0, geometry.distance((centre.x, centre.y), model.at, rise) - BASE // 2)


def ring(distance: int) -> int:
    """SKR-102: which 1" ring, from 0; a model on the border is in the inner one."""
    return max(0, -(-distance // INCH) - 1)


def blast_at(blast: Blast, distance: int) -> tuple[int, int] | None:
    """SKR-103: rating and number of wound rolls at a distance, or None outside."""
    number = ring(distance)
    if number >= len(blast.rings):
        return None
    return blast.rings[number], blast.rolls[number]


def charge_zones(quarters: int) -> Charge:
    """SKR-168, 169: the zones of a charge of so many quarter pounds."""
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
    """SKR-107: cover is judged from the centre of the blast."""
    if geometry.distance((centre.x, centre.y), model.at) < BASE // 2:
        return Look(1000, 1000)
    return sight.look(play.scene, centre, model)


def explode(play: Play, centre: Centre, kind: Weapon, by: str, *, inside: bool = True) -> None:
    """SKR-103, 114: wound rolls for everybody in the rings, then the building around it.

    ``inside`` is false for what burst on a wall: that level's own roll comes from the hit.
    """
    assert kind.blast is not None
    blast = kind.blast
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
                wounds.strike(play, model.name, by, kind, seen, rating=rating, faces=faces)
    if kind.structural and inside:
        structures.burst_inside(play, at, centre.floor, kind, 1)


def deviated(play: Play, at: Point, distance: int, who: str) -> Point:
    """SKR-113: where a miss comes down."""
    far = chances.deviation(play.roll("deviation", who=who, sides=DEVIATION), distance)
    direction = (play.roll("direction", who=who) - 1) * 36
    x, y = geometry.towards(at, direction, far)
    table = play.state.table
    return (min(max(x, 0), table.width), min(max(y, 0), table.depth))


def floor_under(play: Play, at: Point, floor: str) -> str:
    """What a thing that comes down lands on: the floor meant if it is there, else the ground."""
    here = play.terrain.floors.get(floor)
    return floor if here is not None and geometry.inside(here.rect, at) else GROUND


def launch(play: Play, order: Fire, kind: Weapon, chance: Chance, end: Point) -> None:
    """A rocket or shell: on the mark, or off it like a grenade (ours)."""
    floor = play.models[order.target].floor if order.target else order.floor
    struck = fire.roll_to_hit(play, order.model, chance.need, order.reroll)
    if not struck:
        end = deviated(play, end, chance.distance, order.model)
    centre = Centre(end[0], end[1], floor_under(play, end, floor))
    if struck and order.target and kind.blast is not None:
        target = play.models[order.target]
        seen = sight.look(play.scene, play.models[order.model], target)
        victim = wounds.carrier_or_load(play, order.target)
        for _ in range(kind.blast.direct):
            wounds.strike(play, victim, order.model, kind, seen)
    explode(play, centre, kind, order.model, inside=not (struck and order.building))
    if struck and order.building and kind.structural:
        structures.damage(play, order.building, order.level, kind.structural, 1)


# --- grenades ---


def throw_distance(play: Play, model: Model, spot: Point, floor: str) -> int:
    rise = play.terrain.height(model.floor) - play.terrain.height(floor)
    return max(0, geometry.distance(model.at, spot, rise) - BASE // 2)


def mark_of(play: Play, order: Throw) -> tuple[Point, str]:
    if order.target:
        target = play.models[order.target]
        return target.at, target.floor
    return order.spot or (0, 0), order.floor


def difficult(play: Play, model: Model, spot: Point, floor: str) -> bool:
    """SKR-110: anything but open ground in sight: walls, buildings, roofs."""
    if floor != GROUND or model.floor != GROUND:
        return True
    if play.terrain.inside_of(spot, floor) or play.terrain.inside_of(model.at, model.floor):
        return True
    return not sight.sees_spot(play.scene, model, spot, play.terrain.height(floor) + 100)


def beside_opening(play: Play, model: Model, spot: Point, floor: str) -> bool:
    """SKR-111: whether a door or window of the target's room is within 2" of the thrower."""
    room = play.terrain.inside_of(spot, floor)
    if room is None:
        return False
    return any(
        (gap.building, gap.level) == room
        and geometry.distance(model.at, gap.at) - BASE // 2 <= DOOR_REACH
        for gap in play.terrain.gaps
    )


def throw_chance(play: Play, order: Throw) -> Chance:
    """SKR-109 to 111."""
    model = play.models[order.model]
    kind = weapon(order.grenade)
    spot, floor = mark_of(play, order)
    options, scene = play.state.options, play.scene
    if order.target:
        base = chances.to_hit(scene, options, model, play.models[order.target], kind, "throw")
    else:
        rise = scene.height(model) - play.terrain.height(floor)
        base = chances.to_hit_spot(scene, options, model, spot, rise, kind, "throw")
    far = throw_distance(play, model, spot, floor)
    if order.through or not difficult(play, model, spot, floor):
        return base
    penalty = chances.throw_penalty(far)
    parts = (*base.modifiers, ("difficult throw", penalty)) if penalty else base.modifiers
    return replace(base, need=base.need + penalty, modifiers=parts)


def check_throw(play: Play, model: Model, order: Throw, ap: int) -> None:
    kind = library().weapons.get(order.grenade)
    if kind is None or kind.kind != "grenade" or not model.count(order.grenade):
        raise IllegalMove(
            "{model} has no {grenade}.", rule="SKR-108", model=model.name, grenade=order.grenade
        )
    need = kind.modes[0].ap
    if need > ap:
        raise IllegalMove(
            "That takes {need} AP; {model} has {left} left.",
            rule="SKR-38",
            need=need,
            model=model.name,
            left=ap,
        )
    fire.check_arms(model, 1)
    if play.foes_in_contact(model):
        raise IllegalMove("{model} is hand to hand.", rule="SKR-132c", model=model.name)
    if order.reroll and (model.rerolled or "expert-rifleman" not in faction(model.faction).innate):
        raise IllegalMove("{model} has no re-roll left.", rule="SKR-180", model=model.name)
    if order.target:
        target = play.models.get(order.target)
        if (
            target is None
            or target.seat == model.seat
            or not fire.on_map(play, model.seat, order.target)
        ):
            raise IllegalMove("{name} is not in sight.", rule="SKR-58", name=order.target)
    elif order.spot is None or order.floor not in play.terrain.floors:
        raise IllegalMove("There is no such spot.", rule="SKR-108")
    spot, floor = mark_of(play, order)
    table = play.state.table
    if not (0 <= spot[0] <= table.width and 0 <= spot[1] <= table.depth):
        raise IllegalMove("That spot is not on the table.", rule="SKR-51")
    if order.through and not beside_opening(play, model, spot, floor):
        raise IllegalMove(
            "{model} has no door or window of that room within 2 inches.",
            rule="SKR-111",
            model=model.name,
        )


def throw(play: Play, order: Throw) -> None:
    """SKR-109 to 114: on the mark or off it, dud or not."""
    model = play.models[order.model]
    kind = weapon(order.grenade)
    chance = throw_chance(play, order)
    spot, floor = mark_of(play, order)
    use_up(play, order.model, order.grenade, 1)
    play.put(order.model, facing=geometry.bearing(model.at, spot), arm_acts=model.arm_acts + 1)
    fire.note_ranged(play, order.model)
    if not chance.reaches:
        spot = geometry.along(model.at, spot, kind.reach())
        missed = True
    else:
        missed = not fire.roll_to_hit(play, order.model, chance.need, order.reroll)
    if missed:
        spot = deviated(play, spot, chance.distance, order.model)
    centre = Centre(spot[0], spot[1], floor_under(play, spot, floor))
    dud = False
    if "dud-grenades" in faction(model.faction).innate:  # SKR-186
        dud = play.roll("dud", 5, who=order.model) <= 5
    play.tell(
        Thrown(
            who=order.model,
            grenade=kind.name,
            at=spot,
            missed=missed,
            dud=dud,
            readers=play.readers(order.model),
        )
    )
    if dud:
        return
    if kind.smoke is not None:
        cloud = Cloud(spot[0], spot[1], kind.smoke.radius, kind.smoke.turns)
        play.change(smoke=(*play.state.smoke, cloud))
        play.tell(SmokeRose(at=spot, cloud=kind.smoke))
    else:
        explode(play, centre, kind, order.model)


def use_up(play: Play, who: str, thing: str, count: int) -> None:
    """Takes counted things off a model."""
    stock = dict(play.models[who].stock)
    stock[thing] = stock.get(thing, 0) - count
    assert stock[thing] >= 0, f"{who} has used up more {thing} than he had"
    play.put(who, stock=tuple(sorted((name, left) for name, left in stock.items() if left)))


# --- what was set ---


def go_off(play: Play, device: Device, by: str) -> None:
    """A device is used up and does what its kind does."""
    play.change(devices=tuple(d for d in play.state.devices if d != device))
    kind = weapon(device.kind)
    centre = Centre(device.x, device.y, device.floor)
    if device.kind == "mine":
        explode(play, centre, kind, by)  # SKR-165
    elif device.kind == "claymore":
        _claymore(play, device, kind, by)
    elif device.kind == "c4":
        _plastic(play, centre, device.quarters, by)
    else:
        explode(play, centre, kind, by, inside=False)
        breach = Breach(device.x, device.y, play.terrain.height(device.floor))
        structures.breach(play, breach, kind)


def claymore_victims(play: Play, device: Device) -> list[tuple[Model, int]]:
    """SKR-170: who stands in the cone, in sight of it."""
    cone = weapon("claymore").cone
    assert cone is not None
    centre = Centre(device.x, device.y, device.floor)
    at = (device.x, device.y)
    return [
        (model, far)
        for model, far in victims(play, centre, cone.reach)
        if geometry.turned(device.facing, geometry.bearing(at, model.at)) <= cone.angle // 2
        and seen_from(play, centre, model).any
    ]


def _claymore(play: Play, device: Device, kind: Weapon, by: str) -> None:
    assert kind.cone is not None
    at = (device.x, device.y)
    hit = claymore_victims(play, device)
    play.tell(Exploded(weapon=kind.name, at=at, floor=device.floor, radius=kind.cone.reach))
    for model, far in hit:
        if far <= kind.cone.kill:
            wounds.kill(play, model.name, by)  # SKR-106
        else:
            seen = seen_from(play, Centre(device.x, device.y, device.floor), model)
            faces = sight.in_arc(model, at)
            wounds.strike(play, model.name, by, kind, seen, faces=faces)


def _plastic(play: Play, centre: Centre, quarters: int, by: str) -> None:
    """SKR-106, 168, 169."""
    kind, zones = weapon("c4"), charge_zones(quarters)
    at = (centre.x, centre.y)
    play.tell(Exploded(weapon=kind.name, at=at, floor=centre.floor, radius=zones.radius))
    for model, far in victims(play, centre, zones.radius):
        if far <= zones.kill:
            wounds.kill(play, model.name, by)
            continue
        seen, faces = seen_from(play, centre, model), sight.in_arc(model, at)
        for _ in range(2 if far <= zones.multiple else 1):
            if play.models[model.name].condition != "dead":
                wounds.strike(play, model.name, by, kind, seen, faces=faces)
    structures.burst_inside(play, at, centre.floor, kind, quarters, BASE)


def vest(play: Play, who: str) -> None:
    """SKR-188: a quarter pound goes off where its wearer is."""
    model = play.models[who]
    play.put(who, vest_charge=False)
    play.tell(Changed(who=who, what="vest", readers=play.readers(who)))
    _plastic(play, Centre(model.x, model.y, model.floor), 1, who)
    if play.models[who].condition != "dead":
        wounds.kill(play, who, who)


def first_mine(play: Play, a: Point, b: Point, floor: str) -> tuple[Device, Point] | None:
    """SKR-165: the first mine that a base crosses on its way from a to b, and where it then is."""
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
    """The same at the end of a stride, as it was before ``versions.mines_go_off_on_the_way``."""
    model = play.models[who]
    for device in play.state.devices:
        if (
            device.kind == "mine"
            and device.floor == model.floor
            and geometry.distance((device.x, device.y), model.at) <= BASE // 2
        ):
            go_off(play, device, who)
