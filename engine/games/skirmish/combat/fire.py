"""Ranged combat: SKR-63 to 91 and 132b, c. Checking a shot, and firing it."""

from __future__ import annotations

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import arms, blasts, chances, structures
from engine.games.skirmish.combat.chances import Chance
from engine.games.skirmish.data.library import Mode, Weapon, faction, weapon
from engine.games.skirmish.events import Fired, OutOfRange
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import Scene, touching
from engine.games.skirmish.ground.terrain import BASE, STOREY
from engine.games.skirmish.men import able, carrying, wounds
from engine.games.skirmish.moves import Fire
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.sight.sight import Look
from engine.games.skirmish.state import Arm, Model, Shot

AIM_AP = 2
SCOPE_AP = 2
SPOTTER_AP = 5
PRIORITY = 10 * INCH
CORRIDOR = 1500
LAST_SHOTS = 12


def cost(order: Fire, spotter_pays: bool) -> int:
    """SKR-69 to 71: the AP the shooter pays."""
    mode = arms.mode_of(weapon(order.weapon), order.mode)
    extra = AIM_AP * order.aimed + SCOPE_AP * order.scope
    return mode.ap + extra + (SPOTTER_AP if order.spotter and not spotter_pays else 0)


def pay_spotter(play: Play, order: Fire) -> None:
    """SKR-71: takes the spotter's AP, unless an option lets the shooter pay."""
    if order.spotter and play.state.options.spotter_pays:
        play.put(order.spotter, ap=play.models[order.spotter].ap - SPOTTER_AP)


def check_fire(play: Play, model: Model, order: Fire, ap: int) -> None:
    """SKR-63 and everything else that may forbid this shot."""
    kind = arms.gun(model, order.weapon)
    held = arms.arm_in_hand(model, order.weapon)
    mode = arms.mode_of(kind, order.mode)
    able.check_arms(model, kind.hands)
    check_extras(play, model, order, kind, held)
    able.check_ap(model, cost(order, play.state.options.spotter_pays), ap)
    arms.check_rounds(kind, held, mode)
    if play.foes_in_contact(model) and model.last_act != "won":
        raise IllegalMove(
            "{model} is hand to hand and has not won the last exchange.",
            rule="SKR-132c",
            model=model.name,
        )
    if order.target:
        check_target(play, model, order.target, order.aimed, order.spotter)
    elif kind.blast is None:
        raise IllegalMove("Only blast weapons are fired at a spot.", rule="SKR-115")
    else:
        _check_on_his_feet(play, model)
        spot, floor = order.spot or (0, 0), order.floor
        if order.building:
            _check_building(play, model, order)
            spot = geometry.nearest_in(play.terrain.buildings[order.building].rect, model.at)
        else:
            check_spot(play, model, spot, floor)
        _check_light(play, model, spot, order)
        _check_nobody_between(play, model, spot, order)
        if versions.fire_at_a_spot_has_priorities(play.state):
            rise = 0
            if not order.building:
                rise = play.terrain.height(model.floor) - play.terrain.height(floor)
            far = geometry.distance(model.at, spot, rise) - BASE
            _check_priority(play, model, far, order.aimed)


def check_extras(play: Play, model: Model, order: Fire, kind: Weapon, held: Arm) -> None:
    if order.aimed and "no-aim" in faction(model.faction).innate:
        raise IllegalMove("{model} cannot fire aimed shots.", rule="SKR-185", model=model.name)
    if order.aimed and order.mode != "single" and play.state.options.aimed_single_only:
        raise IllegalMove("Only single shots are aimed.", rule="SKR-88")
    if order.low and not order.aimed:
        raise IllegalMove("Only an aimed shot picks its place.", rule="SKR-87")
    if order.scope and not kind.scope:
        raise IllegalMove("The {weapon} has no scope.", rule="SKR-70", weapon=kind.title)
    if kind.per_turn and held.shots >= kind.per_turn:
        raise IllegalMove(
            "The {weapon} fires {most} times a turn.",
            rule="SKR-68",
            weapon=kind.title,
            most=kind.per_turn,
        )
    if order.reroll:
        arms.check_reroll(model)
    if order.spotter:
        _check_spotter(play, model, order)


def _check_spotter(play: Play, model: Model, order: Fire) -> None:
    """SKR-71: the spotter is a friend in touch who sees the target and has the AP."""
    spotter = play.models.get(order.spotter)
    active = play.state.active
    if (
        spotter is None
        or spotter.seat != model.seat
        or spotter.name == model.name
        or not spotter.fit
        or spotter.broken
        or able.kept_from_acting(play, spotter)
        or not order.target
        or active is None
        or spotter.name not in active.members
        or order.target not in spotter.sees
        or (versions.runners_spot_for_nobody(play.state) and order.target not in spotter.known)
        or (play.state.options.spotter_pays and spotter.ap < SPOTTER_AP)
        or not spotting.in_touch(play, model, spotter)
    ):
        raise IllegalMove(
            "{spotter} cannot spot for {model}: it takes a friend of the same activation who is in "
            "touch, sees the target and has {need} AP.",
            rule="SKR-71",
            spotter=order.spotter,
            model=model.name,
            need=SPOTTER_AP,
        )


def look_at(play: Play, model: Model, target: Model, spotter: str = "") -> Look:
    """How much he would see of the target if he turned to it (SKR-40: turning is free).

    In the dark a spotter's goggles show it to him, too (SKR-61, 71).
    """
    facing = geometry.bearing(model.at, target.at)
    shown = (
        spotter != ""
        and "nvg" in play.models[spotter].gear
        and versions.goggles_of_spotters_help(play.state)
    )
    return spotting.spots(
        play.scene,
        replace(model, facing=facing),
        target,
        play.state.options.generous_night_sight or shown,
    )


def targetable(seen: Look, flashed: bool, aimed: bool = False) -> bool:
    """SKR-59, 60, 87."""
    return seen.plain or (seen.any and (aimed or flashed))


def targetable_by_aim(seen: Look, flashed: bool) -> bool:
    """SKR-87."""
    return targetable(seen, flashed, True)


def possible_targets(play: Play, model: Model, aimed: bool) -> list[str]:
    """The enemies he may be ordered to fire at: conscious, spotted, seen, with a clear line."""
    known = spotting.known_targets(play, model)
    barred = model.gait == "ran" and play.state.options.running_bars_new_targets
    on_map = play.in_sight_of(model.seat)
    out = []
    for foe in play.side(1 - model.seat):
        if not foe.fit or foe.name not in on_map:
            continue
        if foe.name not in known and barred:
            continue
        seen = look_at(play, model, foe)
        flashed = spotting.saw_flash(model, foe)
        if targetable(seen, flashed, aimed) and not sight.line_blocked(play.scene, model, foe):
            out.append(foe.name)
    return out


def enemy_on_map(play: Play, model: Model, name: str) -> Model:
    """The enemy of this name; raises IllegalMove if it is none, or his side does not see him."""
    target = play.models.get(name)
    if target is not None and target.seat == model.seat:
        raise IllegalMove("{name} is not an enemy.", rule="SKR-63", name=name)
    if target is None or name not in play.in_sight_of(model.seat):
        raise IllegalMove("{name} is not in sight.", rule="SKR-58", name=name)
    return target


def check_run(play: Play, model: Model, name: str) -> None:
    """SKR-27: raises IllegalMove if he has run, and nobody in touch had spotted this enemy."""
    if (
        play.state.options.running_bars_new_targets
        and model.gait == "ran"
        and name not in spotting.known_targets(play, model)
    ):
        raise IllegalMove(
            "{model} is running and had not spotted {name}.",
            rule="SKR-27",
            model=model.name,
            name=name,
        )


def check_target(play: Play, model: Model, name: str, aimed: bool, spotter: str = "") -> None:
    """Checks that this man may shoot at this enemy now, with a checked spotter if there is one."""
    target = enemy_on_map(play, model, name)
    if target.condition in ("dead", "captured"):
        raise IllegalMove("{name} is out of action.", rule="SKR-63", name=name)
    check_run(play, model, name)
    seen = look_at(play, model, target, spotter)
    if not seen.any:
        raise IllegalMove("{model} cannot see {name}.", rule="SKR-58", model=model.name, name=name)
    if not targetable(seen, spotting.saw_flash(model, target), aimed):
        raise IllegalMove(
            "Less than half of {name} is in sight: only an aimed shot, or one at a man whom "
            "{model} saw fire, is possible.",
            rule="SKR-60",
            model=model.name,
            name=name,
        )
    blocker = sight.line_blocked(play.scene, model, target)
    if blocker:
        raise IllegalMove("{blocker} is in the line of fire.", rule="SKR-48", blocker=blocker)
    _check_priority(play, model, play.gap(model, target), aimed)


def _check_priority(play: Play, model: Model, far: int, aimed: bool) -> None:
    """SKR-64: an enemy within 10" has priority over any target farther away."""
    if not play.state.options.priority_target or far <= PRIORITY:
        return
    on_map = play.in_sight_of(model.seat)
    near = [
        foe
        for foe in play.side(1 - model.seat)
        if foe.fit and foe.name in on_map and play.gap(model, foe) <= PRIORITY
    ]
    if not near:
        return
    names = {foe.name for foe in near}
    first = [name for name in possible_targets(play, model, aimed) if name in names]
    if first:
        raise IllegalMove(
            "{near} is within 10 inches and must be chosen first.",
            rule="SKR-64",
            near=" or ".join(first),
        )


def _check_on_his_feet(play: Play, model: Model) -> None:
    """SKR-58, 140: who is carried sees nothing, so he fires at no spot or wall."""
    if model.carried_by and versions.the_carried_are_loads(play.state):
        raise IllegalMove(
            "{carrier} carries {model}, and must first put him down.",
            rule="SKR-140",
            carrier=model.carried_by,
            model=model.name,
        )


def check_spot(play: Play, model: Model, spot: Point, floor: str) -> None:
    """Checks that he sees the spot, to fire a shell at it."""
    if floor not in play.terrain.floors:
        raise IllegalMove("There is no floor called {floor}.", rule="SKR-51", floor=floor)
    z = play.terrain.height(floor)
    blasts.check_on_table(play, spot, floor)
    if not sight.sees_spot(play.scene, model, spot, z + 100):
        raise IllegalMove("{model} cannot see that spot.", rule="SKR-58", model=model.name)


def _check_nobody_between(play: Play, model: Model, spot: Point, order: Fire) -> None:
    """SKR-48: men stop what is fired at a spot or a wall, but for those whose base is on it."""
    if not versions.men_stop_shells(play.state):
        return
    scene, floor = play.scene, order.floor
    if order.building and order.level:
        floor = f"{order.building}-{order.level}"
    away = [one for one in scene.figures if geometry.distance((one.x, one.y), spot) > BASE // 2]
    mark = blasts.Centre(spot[0], spot[1], floor)
    blocker = sight.line_blocked(replace(scene, figures=away), model, mark)
    if blocker:
        raise IllegalMove("{blocker} is in the line of fire.", rule="SKR-48", blocker=blocker)


def _check_light(play: Play, model: Model, spot: Point, order: Fire) -> None:
    """SKR-61, 81: whether it is light enough to see a spot or a wall."""
    z = order.level * STOREY if order.building else play.terrain.height(order.floor)
    rise = play.terrain.height(model.floor) - z
    far = geometry.distance(model.at, spot, rise) - BASE // 2
    sees = "nvg" in model.gear or play.state.options.generous_night_sight
    dark = play.night and not sees and far > sight.NIGHT_SIGHT
    if dark and versions.the_dark_hides_spots(play.state):
        raise IllegalMove("{model} cannot see that in the dark.", rule="SKR-61", model=model.name)


def _check_building(play: Play, model: Model, order: Fire) -> None:
    house = play.terrain.buildings.get(order.building)
    standing = f"{order.building}-{order.level + 1}" in play.terrain.floors
    if house is None or not standing:
        raise IllegalMove(
            "There is no level {level} of “{building}”.",
            rule="SKR-116",
            level=order.level,
            building=order.building,
        )
    spot = geometry.nearest_in(house.rect, model.at)
    z = order.level * STOREY + STOREY // 2
    if geometry.inside(house.rect, model.at):
        raise IllegalMove("{model} is inside that building.", rule="SKR-115", model=model.name)
    if not sight.sees_spot(play.scene, model, spot, z, house.name):
        raise IllegalMove("{model} cannot see that level.", rule="SKR-58", model=model.name)


# --- firing ---


def fire(play: Play, order: Fire) -> None:
    """Carries out a checked shot whose AP are paid: turn, spend, roll, strike."""
    model = play.models[order.model]
    kind = weapon(order.weapon)
    mode = arms.mode_of(kind, order.mode)
    end = end_of(play, order)
    play.put(order.model, facing=geometry.bearing(model.at, end))
    able.use_arms(play, order.model, kind.hands)
    arms.spend_rounds(play, order.model, order.weapon, mode.dice)
    arms.note_ranged(play, order.model)
    chance = chance_of(play, order)
    told = Fired(
        who=order.model,
        weapon=order.weapon,
        mode=order.mode,
        target=order.target or order.building or "spot",
        dice=mode.dice,
        need=chance.need,
        modifiers=chance.modifiers,
        readers=play.readers(order.model),
    )
    readers = told.readers
    if order.target:
        readers = arms.tell_attack(play, told)
    else:
        play.tell(told)
    if not kind.suppressor:
        spotting.flash(play, order.model)
    before = {name: m.hp for name, m in play.models.items()}
    if not chance.reaches:
        play.tell(OutOfRange(who=order.model, target=order.target, readers=readers))
    elif kind.blast is not None:
        _launch(play, order, kind, chance, end)
    else:
        _bullets(play, order, kind, mode, chance)
    hit = any(foe.hp < before[foe.name] and play.is_seen(foe) for foe in play.side(1 - model.seat))
    note_shot(play, order.model, model.at, end, hit, readers)


def note_shot(
    play: Play, who: str, start: Point, end: Point, hit: bool, readers: tuple[int, ...] | None
) -> None:
    """Keeps the latest lines of fire for the map."""
    shot = Shot(who, start, end, hit, readers)
    play.change(shots=(*play.state.shots, shot)[-LAST_SHOTS:])


def end_of(play: Play, order: Fire) -> Point:
    if order.target:
        return play.models[order.target].at
    if order.spot:
        return order.spot
    house = play.terrain.buildings[order.building]
    return geometry.nearest_in(house.rect, play.models[order.model].at)


def chance_of(play: Play, order: Fire) -> Chance:
    """The chance of the first die of a shot, as its man and its target are now."""
    shooter, kind = play.models[order.model], weapon(order.weapon)
    if order.target:
        return chances.to_hit(
            play.scene,
            play.state.options,
            shooter,
            play.models[order.target],
            kind,
            order.mode,
            aimed=order.aimed,
            scope=order.scope,
            spotter=bool(order.spotter),
        )
    extra: tuple[tuple[str, int], ...] = ()
    z = play.terrain.height(order.floor)
    if order.building:
        levels = len(structures.levels_standing(play, order.building))
        extra = (("building", levels),)  # SKR-91
        z = order.level * STOREY
    return chances.to_hit_spot(
        play.scene,
        play.state.options,
        shooter,
        end_of(play, order),
        play.terrain.height(shooter.floor) - z,
        kind,
        order.mode,
        extra,
        aimed=order.aimed,
        scope=order.scope,
    )


def _launch(play: Play, order: Fire, kind: Weapon, chance: Chance, end: Point) -> None:
    """A rocket or shell: on target, or deviating like a grenade (ours)."""
    floor = play.models[order.target].floor if order.target else order.floor
    if order.building and order.level and versions.blasts_are_at_their_level(play.state):
        floor = f"{order.building}-{order.level}"
    struck = arms.roll_to_hit(play, order.model, chance.need, order.reroll)
    if not struck:
        end = blasts.deviate(play, end, chance.distance, order.model)
    centre = blasts.Centre(end[0], end[1], blasts.floor_under(play, end, floor))
    if struck and order.target and kind.blast is not None:
        shooter, hit = play.models[order.model], order.target
        if kind.blast.direct and versions.rockets_may_hit_a_friend(play.state):
            hit = _melee_victim(play, shooter, hit)
        seen = sight.look(play.scene, shooter, play.models[hit])
        victim = carrying.carrier_or_load(play, hit)
        for _ in range(kind.blast.direct):
            wounds.strike(play, victim, order.model, kind, seen)
    blasts.explode(play, centre, kind, order.model, inside=not (struck and order.building))
    if struck and order.building and kind.structural:
        structures.damage(play, order.building, order.level, kind.structural, 1)


def _bullets(play: Play, order: Fire, kind: Weapon, mode: Mode, chance: Chance) -> None:
    """SKR-68, 89, 90: the dice, distributed over the models in the way of automatic fire."""
    shooter = play.models[order.model]
    scene = play.scene
    marks = [order.target]
    if order.mode == "auto":
        marks += in_corridor(play, shooter, play.models[order.target], kind.reach(), CORRIDOR)
    looks = {name: sight.look(scene, shooter, play.models[name]) for name in marks}
    for number in range(mode.dice):
        name = marks[number % len(marks)]
        _one_shot(play, order, kind, name, looks[name], chance if name == order.target else None)
    if kind.template is not None and chance.distance > kind.template.beyond:
        for name in _in_pattern(play, shooter, order.target, kind):
            seen = sight.look(scene, shooter, play.models[name])
            _one_shot(play, order, kind, name, seen, None)


def _one_shot(
    play: Play, order: Fire, kind: Weapon, name: str, seen: Look, chance: Chance | None
) -> None:
    target = play.models[name]
    shooter = play.models[order.model]
    if target.condition == "dead":
        return
    if chance is None:
        chance = chances.to_hit(play.scene, play.state.options, shooter, target, kind, order.mode)
    if not chance.reaches:
        return
    aside = name != order.target and versions.dice_name_others(play.state)
    at = name if aside else ""
    friend = target.seat == shooter.seat and versions.rerolls_are_at_enemies(play.state)
    if not arms.roll_to_hit(play, order.model, chance.need, order.reroll and not friend, at):
        return
    hit = _melee_victim(play, shooter, name)
    if hit != name and versions.each_victim_has_his_own_cover(play.state):
        seen = sight.look(play.scene, shooter, play.models[hit])
    name = carrying.carrier_or_load(play, hit)
    target = play.models[name]
    faces = sight.in_arc(target, shooter.at)
    wounds.strike(play, name, order.model, kind, seen, low=order.low, faces=faces)


def _melee_victim(play: Play, shooter: Model, name: str) -> str:
    """SKR-132b: the model that is hit in close combat."""
    target = play.models[name]
    fights = target.fit or not versions.the_unconscious_do_not_fight(play.state)
    if target.seat == shooter.seat or not fights:
        return name
    melee = _melee(play, shooter, target)
    friends = [man for man in melee if man.seat == shooter.seat]
    if not friends:
        return name
    need = chances.melee_number(len(melee) - len(friends), len(friends))
    if play.roll("into melee", need, who=shooter.name) <= need:
        return name
    return friends[play.roll("which friend", who=shooter.name, sides=len(friends)) - 1].name


def _melee(play: Play, shooter: Model, target: Model) -> list[Model]:
    """The target, whoever is hand to hand with him, and so on; but for the shooter.

    By older rules those who fight one of his opponents were the last.
    """
    melee = reached = [target]
    while reached:
        known = {shooter.name, *(man.name for man in melee)}
        near = [
            man
            for man in play.models.values()
            if man.fit
            and man.name not in known
            and any(man.seat != foe.seat and touching(man, foe) for foe in reached)
        ]
        first = reached == [target]
        melee = melee + near
        reached = near if first or versions.melees_are_counted_whole(play.state) else []
    return melee


def in_corridor(play: Play, shooter: Model, target: Model, reach: int, half: int) -> list[str]:
    """SKR-89: models near the line out to the weapon's range, not hidden behind another."""
    scene: Scene = play.scene
    if versions.corridors_follow_the_line(play.state):
        far = geometry.along(shooter.at, target.at, reach)
    else:
        far = geometry.towards(shooter.at, geometry.bearing(shooter.at, target.at), reach)
    spared = ("dead",) if versions.corridors_hold_captives(play.state) else ("dead", "captured")
    ahead = versions.corridors_begin_in_front(play.state)
    out = []
    for model in play.models.values():
        if model.name in (shooter.name, target.name) or model.condition in spared:
            continue
        if model.carried_by or geometry.off_line(shooter.at, far, model.at) > half:
            continue
        if ahead and geometry.distance(model.at, far) >= geometry.distance(shooter.at, far):
            continue
        if sight.line_blocked(scene, shooter, model) or not sight.look(scene, shooter, model).any:
            continue
        out.append(model)
    out.sort(key=lambda model: (geometry.distance(shooter.at, model.at), model.name))
    return [model.name for model in out]


def _in_pattern(play: Play, shooter: Model, name: str, kind: Weapon) -> list[str]:
    """SKR-171: the other models in a shotgun's pattern at long range."""
    assert kind.template is not None
    target = play.models[name]
    near = in_corridor(play, shooter, target, kind.reach(), kind.template.width // 2)
    return [n for n in near if play.gap(shooter, play.models[n]) > kind.template.beyond]
