"""What one man of an activation can do now: all his legal orders, by kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from engine.choices import Option
from engine.errors import Sentence
from engine.games.skirmish import moves as m
from engine.games.skirmish import notation
from engine.games.skirmish.combat import arms, devices, fire
from engine.games.skirmish.combat.chances import Chance
from engine.games.skirmish.data.library import library, weapon
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.men import things
from engine.games.skirmish.orders import acts
from engine.games.skirmish.shown import planning
from engine.games.skirmish.shown.contours import Ring
from engine.games.skirmish.shown.planning import Desk
from engine.games.skirmish.state import Model

#: Maximum number of throws and shells in a mail, the best first.
MARKS = 3
GAITS: tuple[m.Gaits, ...] = ("walk", "run", "crawl")
MODES = {
    "single": Sentence("single"),
    "burst": Sentence("burst"),
    "auto": Sentence("automatic"),
    "throw": Sentence("throw"),
}
IN_HAND = {
    "unarmed": Sentence("bare hands"),
    "club": Sentence("the rifle butt"),
    "knife": Sentence("the knife"),
    "bayonet": Sentence("the bayonet"),
}
#: What may follow an Op-Fire order: SKR-45, 69, 70, 180.
EXTRAS = {
    "aimed": Sentence("aimed: {ap} AP more a shot", {"ap": fire.AIM_AP}),
    "scope": Sentence("through the scope: {ap} AP more a shot", {"ap": fire.SCOPE_AP}),
    "reroll": Sentence("the first miss is rolled again"),
}
WALKING = {"walk": Sentence("walk"), "run": Sentence("run"), "crawl": Sentence("crawl")}


class WayOption(Option, frozen=True, kw_only=True):
    """A path on the floor a man is on."""

    at: Point
    ap: int


class Gait(msgspec.Struct, frozen=True):
    name: m.Gaits
    label: Sentence
    ways: tuple[WayOption, ...]
    farthest: WayOption
    #: How far so many AP take him.
    rings: tuple[Ring, ...]


class ClimbOption(Option, frozen=True, kw_only=True):
    at: Point
    floor: str
    ap: int


class Shot(Option, frozen=True, kw_only=True):
    """A shot and the chance of its first die."""

    chance: Chance
    dice: int
    ap: int


class Target(msgspec.Struct, frozen=True):
    """An enemy in sight: the shots in range, and those that are refused or out of range."""

    name: str
    #: The share of him in sight, in per cent.
    share: int
    distance: int
    #: The most likely to harm him first.
    shots: tuple[Shot, ...]
    best: Shot | None
    #: Shots that the rules refuse now, one for each reason.
    barred: tuple[Option, ...]
    #: Weapons for which he is out of range.
    short: tuple[str, ...]


class Wait(Option, frozen=True, kw_only=True):
    """An Op-Fire order with only the weapon and its mode, and which of ``EXTRAS`` may follow."""

    extras: tuple[str, ...]


class MarkOption(Option, frozen=True, kw_only=True):
    """A throw, or a shell at a spot or a building."""

    percent: int
    ap: int
    #: The models it would affect, as far as the seat knows.
    within: tuple[str, ...]


class Tool(msgspec.Struct, frozen=True):
    """What a click on the map can mean: the field ``tool`` of ``compose``, or a gait."""

    name: str
    #: "go", "face", "spot" or "wait".
    kind: str
    label: Sentence


class Man(msgspec.Struct, frozen=True):
    """What one man of an activation can do."""

    model: Model
    #: False if he cannot be given any order.
    able: bool
    gaits: tuple[Gait, ...] = ()
    #: Ways to whom he may want to touch, one for each: for a mail.
    meetings: tuple[WayOption, ...] = ()
    climbs: tuple[ClimbOption, ...] = ()
    targets: tuple[Target, ...] = ()
    marks: tuple[MarkOption, ...] = ()
    #: The marks worth a line in a mail.
    best_marks: tuple[MarkOption, ...] = ()
    turns: tuple[Option, ...] = ()
    blows: tuple[Option, ...] = ()
    waits: tuple[Wait, ...] = ()
    others: tuple[Option, ...] = ()
    tools: tuple[Tool, ...] = ()


def option(move: m.SkirmishMove, label: Sentence) -> Option:
    return Option(notation.write(move), label)


def man(desk: Desk, model: Model) -> Man:
    """What a model can still do; without AP only what costs none."""
    if not desk.takes_orders(model.name):
        return Man(model, False)
    turns = tuple(_legal_options(desk, _turns(desk, model)))
    others = tuple(_legal_options(desk, _others(desk, model)))
    name = model.name
    blows = tuple(map(_blow, desk.blows(name)))
    if not model.ap:
        tools = tuple(_tools(model, turns))
        return Man(model, True, turns=turns, blows=blows, others=others, tools=tools)
    gaits = tuple(_gaits(desk, model))
    marks = tuple(map(_mark, desk.marks(name)))
    waits = tuple(_legal_waits(desk, model))
    return Man(
        model,
        True,
        gaits=gaits,
        meetings=tuple(_meetings(gaits)),
        climbs=tuple(_climbs(desk, model)),
        targets=tuple(_targets(desk, name)),
        marks=marks,
        best_marks=tuple(_best(desk, marks)),
        turns=turns,
        blows=blows,
        waits=waits,
        others=others,
        tools=tuple(_tools(model, turns, gaits, waits)),
    )


def folded(desk: Desk, model: Model) -> Man:
    """A model whose orders are not listed: whether he can be given any, and his Op-Fire orders."""
    able = desk.takes_orders(model.name)
    return Man(model, able, waits=tuple(_legal_waits(desk, model)) if able and model.ap else ())


#: An order that may be legal, and its label.
Asked: TypeAlias = tuple[m.ModelMove, Sentence]


def _legal_options(desk: Desk, asked: Iterator[Asked]) -> Iterator[Option]:
    for move, label in asked:
        if desk.refusal(move) is None:
            places = (move.target,) if isinstance(move, m.Demand) else ()
            yield Option(notation.write(move), label, places=places)


def _gaits(desk: Desk, model: Model) -> Iterator[Gait]:
    ways = desk.ways(model.name)
    for gait in GAITS:
        found = tuple(
            _way(model, gait, way, ap) for way in ways if (ap := getattr(way, gait)) is not None
        )
        if found:
            farthest = max(found, key=lambda way: (way.ap, way.order))
            yield Gait(gait, WALKING[gait], found, farthest, desk.rings(model.name, gait))


def _way(model: Model, gait: m.Gaits, way: planning.Way, ap: int) -> WayOption:
    told = notation.path_text(way.path)
    order = f"{model.name} {notation.travel_text(gait, told, model.floor)}"
    at = way.path[-1]
    if not way.to:
        return WayOption(order, Sentence("{path}: {ap} AP", {"path": told, "ap": ap}), at=at, ap=ap)
    of: dict[str, str | int | Sentence] = {"path": told, "name": way.to, "ap": ap}
    label = Sentence("{path}, beside {name}: {ap} AP", of)
    short = Sentence("{gait} to {name} · {ap} AP", {**of, "gait": WALKING[gait]})
    return WayOption(order, label, (short,), places=(way.to,), at=at, ap=ap)


def _meetings(gaits: tuple[Gait, ...]) -> Iterator[WayOption]:
    """For each whom he can get at the cheapest way: rather a run, which is a charge."""
    best: dict[str, WayOption] = {}
    for way in (way for gait in gaits for way in gait.ways if way.places):
        [name] = way.places
        if name not in best or way.ap <= best[name].ap:
            best[name] = way
    yield from best.values()


def _climbs(desk: Desk, model: Model) -> Iterator[ClimbOption]:
    if model.prone:
        return
    for climb in desk.climbs(model.name):
        label = (
            Sentence("climb to {floor}: {ap} AP", {"floor": climb.floor, "ap": climb.ap})
            if climb.floor != model.floor
            else Sentence(
                "climb over to {spot}: {ap} AP",
                {"spot": notation.spot_text(climb.at), "ap": climb.ap},
            )
        )
        order = notation.write(climb.move)
        yield ClimbOption(order, label, at=climb.at, floor=climb.floor, ap=climb.ap)


def _targets(desk: Desk, name: str) -> Iterator[Target]:
    shots = desk.shots(name)
    for target in dict.fromkeys(shot.move.target for shot in shots):
        mine = [shot for shot in shots if shot.move.target == target]
        able = [shot for shot in mine if shot.refusal is None and shot.chance.reaches]
        short = [shot.move.weapon for shot in mine if not (shot.refusal or shot.chance.reaches)]
        found = tuple(sorted(map(_shot, able), key=_worth))
        yield Target(
            name=target,
            share=mine[0].share // 10,
            distance=mine[0].chance.distance,
            shots=found,
            best=next(iter(found), None),
            barred=tuple(_refused_shots(mine)),
            short=tuple(dict.fromkeys(short)),
        )


def _worth(shot: Shot) -> tuple[int, int]:
    """The hits to be expected count, then the AP that are left."""
    return -shot.chance.percent * shot.dice, shot.ap


def _shot(shot: planning.Shooting) -> Shot:
    move = shot.move
    label = Sentence(
        "{weapon} {mode} aimed" if move.aimed else "{weapon} {mode}",
        {"weapon": move.weapon, "mode": MODES[move.mode]},
    )
    return Shot(
        notation.write(move),
        label,
        places=(move.target,),
        chance=shot.chance,
        dice=shot.mode.dice,
        ap=shot.ap,
    )


def _refused_shots(shots: list[planning.Shooting]) -> Iterator[Option]:
    told: list[Sentence] = []
    for shot in shots:
        if shot.refusal is None or shot.refusal in told:
            continue
        told.append(shot.refusal)
        label = Sentence(
            "{weapon} aimed" if shot.move.aimed else "{weapon}", {"weapon": shot.move.weapon}
        )
        yield Option(notation.write(shot.move), label, why_not=shot.refusal)


def _mark(mark: planning.Mark) -> MarkOption:
    order, told = notation.write(mark.move), mark.told
    percent = told.chance.percent if told.chance is not None else 0
    short = order.removeprefix(f"{mark.move.model} ")
    return MarkOption(
        order,
        Sentence("{order}", {"order": short}),
        notes=(Sentence("{percent} %, {ap} AP", {"percent": percent, "ap": told.ap}),),
        percent=percent,
        ap=told.ap,
        within=told.area.within if told.area is not None else (),
    )


def _best(desk: Desk, marks: tuple[MarkOption, ...]) -> list[MarkOption]:
    """The best marks, without shells into buildings where nobody is known to be."""
    foes = {foe.name for foe in desk.view.others}
    sound = [
        mark for mark in marks if " building " not in mark.order or not foes.isdisjoint(mark.within)
    ]
    return sorted(sound, key=lambda mark: -mark.percent)[:MARKS]


def _turns(desk: Desk, model: Model) -> Iterator[Asked]:
    """Turns towards models on the map, and to the compass directions."""
    for foe in desk.view.others:
        degrees = geometry.bearing(model.at, (foe.x, foe.y))
        label = Sentence("{degrees}° {name}", {"degrees": degrees, "name": foe.name})
        yield m.Face(model.name, degrees), label
    for degrees in range(0, 360, 45):
        yield m.Face(model.name, degrees), Sentence("{degrees}°", {"degrees": degrees})


def _blow(blow: m.Attack | m.Tackle | m.Tie) -> Option:
    return Option(notation.write(blow), _blow_label(blow), places=(blow.target,))


def _blow_label(blow: m.Attack | m.Tackle | m.Tie) -> Sentence:
    match blow:
        case m.Attack(_, target, thing, knockout):
            of: dict[str, str | int | Sentence] = {"target": target}
            of["weapon"] = IN_HAND.get(thing, thing)
            if knockout:
                return Sentence("knock {target} out with {weapon}", of)
            return Sentence("attack {target} with {weapon}", of)
        case m.Tackle(_, target):
            return Sentence("tackle {target}", {"target": target})
        case m.Tie(_, target):
            return Sentence("tie {target}", {"target": target})


def _legal_waits(desk: Desk, model: Model) -> Iterator[Wait]:
    for arm in model.arms:
        for mode in weapon(arm.weapon).modes:
            move = m.OpFire(model.name, arm.weapon, mode.name)
            if desk.refusal(move) is not None:
                continue
            label = Sentence(
                "{model}: {weapon} {mode}",
                {"model": model.name, "weapon": arm.weapon, "mode": MODES[mode.name]},
            )
            asked = ((extra, replace(move, **{extra: True})) for extra in EXTRAS)
            extras = tuple(extra for extra, more in asked if desk.refusal(more) is None)
            yield Wait(notation.write(move), label, extras=extras)


def _others(desk: Desk, model: Model) -> Iterator[Asked]:
    view, name = desk.view, model.name
    yield (
        (m.Stance(name, False), Sentence("stand up"))
        if model.prone
        else (m.Stance(name, True), Sentence("lie down"))
    )
    yield from _with_arms(model)
    for friend in view.own:
        yield m.Bandage(name, friend.name), Sentence("bandage")
        if friend.condition == "unconscious" or friend.hp < friend.abilities.hp:
            yield m.Carry(name, friend.name), Sentence("take up")
        if friend.condition == "unconscious":
            yield m.Rouse(name, friend.name), Sentence("help to come round")
    if model.carrying:
        yield m.PutDown(name), Sentence("put down {name}", {"name": model.carrying})
    for thing, pile in things.piles(desk.play, model).items():
        yield m.PickUp(name, thing, acts.affordable(desk.play, model, pile)), Sentence("pick up")
    for foe in view.others:
        if foe.broken:
            yield m.Demand(name, foe.name), Sentence("call on {name}", {"name": foe.name})
        if foe.bleeding or foe.condition in ("captured", "unconscious"):
            yield m.Bandage(name, foe.name), Sentence("bandage")
        if foe.condition in ("captured", "unconscious"):
            yield m.Carry(name, foe.name), Sentence("take up")
    yield from _with_charges(desk, model)


def _with_arms(model: Model) -> Iterator[Asked]:
    for arm in model.arms:
        if arm.loaded < weapon(arm.weapon).magazine:
            yield m.Reload(model.name, arm.weapon), Sentence("reload")
    for arm in arms.strange(model):
        yield m.Learn(model.name, arm.weapon), Sentence("make out")
    if "bayonet" in model.gear and not model.bayonet_fixed:
        yield m.FixBayonet(model.name), Sentence("fix the bayonet")


def _with_charges(desk: Desk, model: Model) -> Iterator[Asked]:
    name = model.name
    for kind in devices.KINDS:
        if model.count(kind):
            places = (move for move in _places(desk, model, kind) if desk.refusal(move) is None)
            yield from ((move, Sentence("set here")) for move in islice(places, 1))
    for device in desk.view.devices:
        if device.owner != name or device.kind == "mine":
            continue
        yield m.Trigger(name, device.name), Sentence("set off")
        if device.kind == "claymore":
            label = Sentence("wait, and set it off when an enemy comes near it")
            yield m.OpFire(name, device=device.name), label
    if model.vest_charge:
        yield m.Trigger(name, "vest"), Sentence("set off")


def _places(desk: Desk, model: Model, kind: str) -> Iterator[m.Place]:
    """Where he may set a charge: at his feet, or an inch away if it harms whoever stands on it."""
    if kind not in ("mine", "claymore"):
        yield m.Place(model.name, kind, model.at, model.facing)
        return
    feet = [one.at for one in desk.play.models.values() if one.floor == model.floor]
    for turn in range(0, 360, 45):
        direction = (model.facing + turn) % 360
        spot = geometry.tidy(geometry.towards(model.at, direction, INCH))
        if all(geometry.distance(spot, at) > BASE // 2 for at in feet):
            yield m.Place(model.name, kind, spot, direction)


def _tools(
    model: Model,
    turns: tuple[Option, ...],
    gaits: tuple[Gait, ...] = (),
    waits: tuple[Wait, ...] = (),
) -> Iterator[Tool]:
    for gait in gaits:
        yield Tool(gait.name, "go", gait.label)
    if turns:
        yield Tool("face", "face", Sentence("turn"))
    if not model.ap:
        return
    unknown = {arm.weapon for arm in arms.strange(model)}
    for item, _ in model.stock:
        if item not in library().weapons or item in unknown:
            continue
        if weapon(item).kind == "grenade":
            yield Tool(f"throw {item}", "spot", Sentence("throw {thing}", {"thing": item}))
    for arm in model.arms:
        if arm.loaded and weapon(arm.weapon).blast is not None:
            label = Sentence("fire the {thing} at a spot", {"thing": arm.weapon})
            yield Tool(f"shell {arm.weapon}", "spot", label)
    if waits:
        yield Tool("wait", "wait", Sentence("wait and fire"))
