"""Throwing grenades: SKR-108 to 114, 186."""

from __future__ import annotations

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import arms, blasts, chances, fire
from engine.games.skirmish.combat.chances import Chance
from engine.games.skirmish.data.library import faction, library, weapon
from engine.games.skirmish.events import SmokeRose, Thrown
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import Cloud
from engine.games.skirmish.ground.terrain import BASE, GROUND, STOREY
from engine.games.skirmish.men import able, things
from engine.games.skirmish.moves import Throw
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.state import Model

DOOR_REACH = 2 * INCH


def mark_of(play: Play, order: Throw) -> tuple[Point, str]:
    if order.target:
        target = play.models[order.target]
        return target.at, target.floor
    return order.spot or (0, 0), order.floor


def difficult(play: Play, model: Model, spot: Point, floor: str) -> bool:
    """SKR-110: whether the target is anything but open ground in sight: walls, buildings, roofs."""
    by_mark = versions.throws_are_hard_by_their_mark(play.state)
    if floor != GROUND or (model.floor != GROUND and not by_mark):
        return True
    if play.terrain.inside_of(spot, floor) or play.terrain.inside_of(model.at, model.floor):
        return True
    return not sight.sees_spot(play.scene, model, spot, play.terrain.height(floor) + 100)


def beside_opening(play: Play, model: Model, spot: Point, floor: str) -> bool:
    """SKR-111: whether a door or window of the target's room is within 2" of the thrower.

    Or one of his own room, if he sees a target on open ground through it.
    """
    room = play.terrain.inside_of(spot, floor)
    out = versions.throws_are_hard_by_their_mark(play.state) and floor == GROUND
    if room is None and out and sight.sees_spot(play.scene, model, spot, 100):
        room = play.terrain.inside_of(model.at, model.floor)
    if room is None:
        return False
    rise = 0
    if versions.openings_are_as_high_as_they_are(play.state):
        rise = room[1] * STOREY - play.terrain.height(model.floor)
    return any(
        (gap.building, gap.level) == room
        and geometry.distance(model.at, gap.at, rise) - BASE // 2 <= DOOR_REACH
        for gap in play.terrain.gaps
    )


def _distance(play: Play, base: Chance, model: Model, spot: Point, floor: str) -> int:
    """SKR-1, 110: the distance of a throw; by older rules to the middle of a man, not his base."""
    if versions.throws_reach_to_the_base(play.state):
        return base.distance
    rise = play.terrain.height(model.floor) - play.terrain.height(floor)
    return max(0, geometry.distance(model.at, spot, rise) - BASE // 2)


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
    if order.through or not difficult(play, model, spot, floor):
        return base
    penalty = chances.throw_penalty(_distance(play, base, model, spot, floor))
    parts = (*base.modifiers, ("difficult throw", penalty)) if penalty else base.modifiers
    return replace(base, need=base.need + penalty, modifiers=parts)


def check_throw(play: Play, model: Model, order: Throw) -> None:
    kind = library().weapons.get(order.grenade)
    if kind is None or kind.kind != "grenade" or not model.count(order.grenade):
        raise IllegalMove(
            "{model} has no {grenade}.", rule="SKR-108", model=model.name, grenade=order.grenade
        )
    arms.check_known(model, order.grenade)
    able.check_ap(model, kind.modes[0].ap, model.ap, "SKR-38")
    able.check_arms(model, 1)
    won = model.last_act == "won" and versions.winners_throw_out_of_a_fight(play.state)
    if play.foes_in_contact(model) and not won:
        raise IllegalMove("{model} is hand to hand.", rule="SKR-132c", model=model.name)
    if order.reroll:
        arms.check_reroll(model)
    if order.target:
        target = fire.enemy_on_map(play, model, order.target)
        if versions.throws_are_at_known_men(play.state):
            _check_spotted(play, model, target)
    elif order.spot is None or order.floor not in play.terrain.floors:
        raise IllegalMove("There is no such spot.", rule="SKR-108")
    spot, floor = mark_of(play, order)
    blasts.check_on_table(play, spot, floor)
    if order.through and not beside_opening(play, model, spot, floor):
        raise IllegalMove(
            "{model} has no door or window of that room within 2 inches.",
            rule="SKR-111",
            model=model.name,
        )


def _check_spotted(play: Play, model: Model, target: Model) -> None:
    """SKR-27, 57: he or somebody in touch with him has spotted the target, or he sees it now."""
    fire.check_run(play, model, target.name)
    if target.name in spotting.known_targets(play, model):
        return
    if not fire.look_at(play, model, target).any:
        raise IllegalMove(
            "{model} does not see {name}, and nobody in touch with him has spotted {name}.",
            rule="SKR-57",
            model=model.name,
            name=target.name,
        )


def throw(play: Play, order: Throw) -> None:
    """SKR-109 to 114: carries out a throw: on target or not, dud or not."""
    model = play.models[order.model]
    kind = weapon(order.grenade)
    chance = throw_chance(play, order)
    spot, floor = mark_of(play, order)
    things.use_up(play, order.model, order.grenade, 1)
    play.put(order.model, facing=geometry.bearing(model.at, spot))
    able.use_arms(play, order.model, 1)
    arms.note_ranged(play, order.model)
    if not chance.reaches:
        spot = geometry.along(model.at, spot, kind.reach())
        missed = True
    else:
        missed = not arms.roll_to_hit(play, order.model, chance.need, order.reroll)
    if missed:
        spot = blasts.deviate(play, spot, chance.distance, order.model)
    centre = blasts.Centre(spot[0], spot[1], blasts.floor_under(play, spot, floor))
    dud = False
    frag = kind.blast is not None or not versions.only_frags_are_duds(play.state)
    if frag and "dud-grenades" in faction(model.faction).innate:  # SKR-186
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
        blasts.explode(play, centre, kind, order.model)
