"""Setting and triggering: SKR-41, 165 to 170, 188."""

from __future__ import annotations

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import arms, blasts
from engine.games.skirmish.data.library import faction, weapon
from engine.games.skirmish.events import Did
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.men import able, things
from engine.games.skirmish.moves import Place, Trigger
from engine.games.skirmish.play import Play
from engine.games.skirmish.state import Device, Model

#: What is set and goes off later.
KINDS = ("mine", "claymore", "c4", "shaped-charge")
ARM_REACH = 1500


def check(play: Play, model: Model, move: Place | Trigger) -> int:
    if isinstance(move, Trigger):
        return _check_trigger(play, model, move)
    if move.thing not in KINDS or not model.count(move.thing):
        raise IllegalMove(
            "{model} has no {thing} to set.", rule="SKR-108", model=model.name, thing=move.thing
        )
    arms.check_known(model, move.thing)
    if move.quarters < 1 or (move.thing != "c4" and move.quarters != 1):
        raise IllegalMove("Only C4 is set by the quarter pound.", rule="SKR-167")
    if model.count(move.thing) < move.quarters:
        raise IllegalMove(
            "{model} has {left} of that.",
            rule="SKR-167",
            model=model.name,
            left=model.count(move.thing),
        )
    if move.thing == "shaped-charge" and "engineer" not in model.skills:
        raise IllegalMove("Only a Combat Engineer sets it.", rule="SKR-166")
    taught = "engineer" in model.skills or "c4" in faction(model.faction).equipment
    if move.thing == "c4" and not taught and versions.c4_is_for_the_taught(play.state):
        raise IllegalMove("Only an engineer, or a list that has C4, sets it.", rule="SKR-167")
    if not 0 <= move.facing < 360:
        raise IllegalMove("A direction is from 0 to 359 degrees.", rule="SKR-53")
    if geometry.distance(model.at, move.spot) > ARM_REACH:
        raise IllegalMove("Set it within an inch of your base.", rule="SKR-165")
    x, y = move.spot
    on_table = 0 <= x <= play.state.table.width and 0 <= y <= play.state.table.depth
    if versions.devices_are_set_on_the_table(play.state) and not on_table:
        raise IllegalMove("That spot is not on the table.", rule="SKR-51")
    if versions.devices_are_set_on_this_side(play.state) and _behind_a_wall(play, model, move):
        raise IllegalMove("{model} cannot reach behind that.", rule="SKR-51", model=model.name)
    if move.thing == "shaped-charge" and not _at_wall(play, model, move):
        raise IllegalMove("A shaped charge is set on a wall or door.", rule="SKR-166")
    able.check_arms(model, 2)
    return weapon(move.thing).place_ap * move.quarters


def _behind_a_wall(play: Play, model: Model, move: Place) -> bool:
    """Whether something as high as a man is between him and the spot, which does not lie on it."""
    z = play.terrain.height(model.floor)
    solids = (play.terrain.solids[n] for n in play.terrain.index.crossed(model.at, move.spot))
    return any(
        solid.bottom < z + INCH <= solid.top
        and not solid.passable
        and not (solid.rect is not None and geometry.inside(solid.rect, move.spot))
        for solid in solids
    )


def _at_wall(play: Play, model: Model, move: Place) -> bool:
    z = play.terrain.height(model.floor)
    ring = [geometry.towards(move.spot, direction, 700) for direction in (0, 90, 180, 270)]
    return any(
        play.terrain.solids[number].rect is not None
        and play.terrain.solids[number].bottom <= z + INCH
        and play.terrain.solids[number].top > z + 100
        and not play.terrain.solids[number].passable
        for end in ring
        for number in play.terrain.index.crossed(move.spot, end)
    )


def _check_trigger(play: Play, model: Model, move: Trigger) -> int:
    if versions.triggers_take_a_hand(play.state):
        able.check_arms(model, 1)
    if move.device == "vest":
        if not model.vest_charge:
            raise IllegalMove("{model} wears no charge.", rule="SKR-188", model=model.name)
        return weapon("c4").trigger_ap
    device = _own(play, model, move.device)
    if device is None or device.kind == "mine":
        raise IllegalMove(
            "{model} has set no {device}.", rule="SKR-41", model=model.name, device=move.device
        )
    check_wire(play, model, device)
    return weapon(device.kind).trigger_ap


def check_wire(play: Play, model: Model, device: Device) -> None:
    """SKR-1, 170: a Claymore is triggered from within its wire's length of a man's base."""
    far = geometry.distance(model.at, (device.x, device.y))
    if versions.wires_reach_to_the_base(play.state):
        far -= BASE // 2
    if device.kind == "claymore" and far > blasts.claymore_cone().wire:
        raise IllegalMove("The wire is only 10 inches long.", rule="SKR-170")


def _own(play: Play, model: Model, name: str) -> Device | None:
    """A device that he set himself; None if there is no such device."""
    return next((d for d in play.state.devices if d.name == name and d.owner == model.name), None)


def perform(play: Play, move: Place | Trigger) -> None:
    model = play.models[move.model]
    able.use_arms(play, move.model, 1 if isinstance(move, Trigger) else 2)
    if isinstance(move, Trigger):
        if move.device == "vest":
            blasts.vest(play, move.model)
            return
        device = _own(play, model, move.device)
        assert device is not None
        play.note(move.model, "trigger", device.kind)
        blasts.go_off(play, device, move.model)
        return
    things.use_up(play, move.model, move.thing, move.quarters)
    device = _set(play, model, move)
    play.tell(Did(who=move.model, act="place", thing=device.name, readers=(model.seat,)))


def _beside(play: Play, device: Device, spot: Point, floor: str) -> bool:
    level = device.floor == floor or not versions.charges_join_on_one_floor(play.state)
    return level and geometry.distance((device.x, device.y), spot) <= INCH


def _set(play: Play, model: Model, move: Place) -> Device:
    """Puts the device on the table; C4 beside one's own C4 is added to it (SKR-167: over turns)."""
    for old in play.state.devices:
        near = _beside(play, old, move.spot, model.floor)
        if old.kind == move.thing == "c4" and old.seat == model.seat and near:
            device = replace(old, quarters=old.quarters + move.quarters, owner=model.name)
            rest = tuple(d for d in play.state.devices if d != old)
            play.change(devices=(*rest, device))
            return device
    numbers = list(play.state.device_numbers)
    numbers[model.seat] += 1
    device = Device(
        name=f"{move.thing}-{numbers[model.seat]}",
        kind=move.thing,
        seat=model.seat,
        owner=move.model,
        x=move.spot[0],
        y=move.spot[1],
        floor=model.floor,
        facing=move.facing,
        quarters=move.quarters,
    )
    play.change(devices=(*play.state.devices, device), device_numbers=(numbers[0], numbers[1]))
    return device
