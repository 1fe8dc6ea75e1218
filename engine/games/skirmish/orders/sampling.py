"""A representative sample of the legal moves: every possible kind is in it at least once.

The continuum of paths is sampled at plausible goals: towards objectives, towards and away from
known enemies, and a few paces in each direction. Each move in it has passed the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from engine.errors import IllegalMove
from engine.games.skirmish import moves as m
from engine.games.skirmish.combat import arms, close, devices, fire, watching
from engine.games.skirmish.data.library import Faction, library, weapon
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import touching
from engine.games.skirmish.men import things, wounds
from engine.games.skirmish.movement import movement, reach
from engine.games.skirmish.orders import acts
from engine.games.skirmish.play import Play, scenario
from engine.games.skirmish.stages import activation, building, deploying
from engine.games.skirmish.state import Model, State

#: Paths sampled towards each goal: the gait, and the maximum length in inches.
STRIDES: tuple[tuple[m.Gaits, int], ...] = (("walk", 4), ("run", 5), ("run", 10), ("run", 15))


def plain_team(list_: Faction) -> m.TeamOrder:
    """A fire team as in its list; if the list buys its weapons, rifles and a machine gun."""
    if list_.slots[0].weapons:
        return m.TeamOrder(list_.name)
    return m.TeamOrder(list_.name, "", (("m4",), ("m4",), ("m249",), ("m4",)))


def builds(limit: int) -> Iterator[m.Build]:
    """Plain forces: each list, once and twice; and the default."""
    seen: set[m.Build] = set()
    for list_ in library().factions.values():
        order = plain_team(list_)
        cost = building.team_price(order)
        for count in (1, 2):
            build = m.Build((order,) * count)
            if cost * count <= limit and build not in seen:
                seen.add(build)
                yield build
    default = building.default_build(limit)
    if default not in seen:
        yield default


def deployments(state: State, seat: int) -> Iterator[m.Deploy]:
    """The default, and the same a few steps back or prone."""
    default = deploying.default_deploy(state, seat)
    yield default
    prone = tuple(m.Placement(p.model, p.x, p.y, p.floor, p.facing, True) for p in default.places)
    yield m.Deploy(prone)
    for shift in (-6000, 6000):
        moved = m.Deploy(
            tuple(m.Placement(p.model, p.x + shift, p.y, p.floor, p.facing) for p in default.places)
        )
        try:
            deploying.check_deploy(state, seat, moved)
        except IllegalMove:
            continue
        yield moved


def activations(play: Play, seat: int) -> Iterator[m.SkirmishMove]:
    names = activation.candidates(play, seat)
    for name in names:
        yield m.Activate(name)
    for name in names:
        if name not in play.models:
            yield m.End(name)


#: Some orders that a man may be given.
Sample: TypeAlias = Callable[[Play, Model], Iterator[m.SkirmishMove]]


def orders(play: Play, seat: int, of: Sample | None = None) -> Iterator[m.SkirmishMove]:
    """Orders of an open activation, to be checked; its end last. ``of``: only these of each man."""
    active = play.state.active
    assert active is not None
    for name in active.members:
        model = play.models[name]
        if not model.fit or model.broken or model.recalled or model.overpowered:
            continue
        seen: set[m.SkirmishMove] = set()
        for move in (of or candidates)(play, model):
            if move not in seen:
                seen.add(move)
                yield move
    if activation.free_orders_left(active) > 0:
        yield m.Demands(not play.state.demands[seat])
    yield m.End(active.who)


def candidates(play: Play, model: Model) -> Iterator[m.SkirmishMove]:
    """Orders worth checking, those with cheap checks first."""
    yield from ways(play, model)
    yield from deeds(play, model)


def deeds(play: Play, model: Model) -> Iterator[m.SkirmishMove]:
    """Those in which he stays where he is."""
    yield m.Stance(model.name, not model.prone)
    yield m.Face(model.name, (model.facing + 90) % 360)
    if model.ap > 0:
        yield from _shots(play, model)
        yield from _close_orders(play, model)
        yield from _aid(play, model)
        yield from _things(play, model)
    for foe in play.side(1 - model.seat):
        if foe.fit and touching(model, foe):
            yield m.Tackle(model.name, foe.name)
        if foe.broken:
            yield m.Demand(model.name, foe.name)


def goals(play: Play, model: Model) -> list[Point]:
    """A side's goals: objectives, then the nearest known enemies."""
    out = [(o.x, o.y) for o in scenario(play.state.options).objectives]
    contacts = [
        c
        for c in play.state.contacts[model.seat]
        if c.condition == "fit" and c.floor == model.floor
    ]
    contacts.sort(key=lambda c: (geometry.distance(model.at, (c.x, c.y)), c.model))
    out += [(c.x, c.y) for c in contacts[:2]]
    table = play.state.table
    if not contacts:
        y = table.depth - 6000 if play.state.sides[model.seat] == "south" else 6000
        out.append((model.x, y))
    return out[:4]


def ways(play: Play, model: Model) -> Iterator[m.SkirmishMove]:
    """Paths to plausible goals. Each is searched for when it is asked for."""
    if model.ap <= 0 or model.wounds.immobilized or model.carried_by:
        return
    name, floor = model.name, model.floor
    if model.prone:
        yield m.Travel(name, "crawl", (_away(model, model.facing, 2 * INCH),), floor)
        return
    for goal in goals(play, model):
        for gait, far in STRIDES:
            spot = reach.toward(play.terrain, model, goal, far * INCH)
            if spot is not None and spot != model.at:
                yield m.Travel(name, gait, (spot,), floor)
        foe = close.beside(model.at, goal)
        if geometry.distance(model.at, foe) < 15 * INCH and foe != model.at:
            yield m.Travel(name, "run", (foe,), floor)
    for direction in (0, 90, 180, 270):
        yield m.Travel(name, "walk", (_away(model, direction, 2 * INCH),), floor)
        yield m.Travel(name, "climb", (_away(model, direction, 2 * INCH),), floor)
    yield m.Travel(name, "jump", (_away(model, model.facing, INCH),), floor)
    for other, place in play.terrain.floors.items():
        rise = place.height - play.terrain.height(floor)
        if other != floor and abs(rise) <= 4 * INCH:
            inner = movement.inside_wall(place, model.at)
            if rise > 0 and geometry.distance(inner, model.at) <= movement.CLIMB_ACROSS:
                yield m.Travel(name, "climb", (inner,), other)
            for link in play.terrain.links:
                near = geometry.distance(link.at, model.at) <= movement.NEAR_LINK
                if other in (link.low, link.high) and near:
                    yield m.Travel(name, "climb", (link.at,), other)


def _away(model: Model, direction: int, far: int) -> Point:
    """A place in a direction, no farther than this from him, and short to write."""
    spot = geometry.tidy(geometry.towards(model.at, direction, far))
    if geometry.distance(model.at, spot) <= far:
        return spot
    return geometry.tidy(geometry.towards(model.at, direction, far - geometry.TIDY))


def _shots(play: Play, model: Model) -> Iterator[m.SkirmishMove]:
    seen = [c for c in play.state.contacts[model.seat] if c.seen and c.condition != "dead"]
    seen.sort(key=lambda c: (geometry.distance(model.at, (c.x, c.y)), c.model))
    # most of what his side sees he does not: that is asked once, and not for each way to fire
    in_view = [c for c in seen[:4] if fire.look_at(play, model, play.models[c.model]).any]
    for arm in model.arms:
        kind = weapon(arm.weapon)
        for contact in in_view:
            for mode in kind.modes:
                if mode.ap > model.ap or arm.loaded < mode.dice:
                    continue
                shot = m.Fire(model.name, arm.weapon, mode.name, contact.model)
                yield shot
                if mode.name == "single" and kind.blast is None:
                    yield m.Fire(model.name, arm.weapon, "single", contact.model, aimed=True)
        if kind.blast is not None and arm.loaded and model.ap >= kind.modes[0].ap:
            for house in list(play.terrain.buildings)[:2]:
                yield m.Fire(model.name, arm.weapon, "single", building=house)
            ahead = _away(model, model.facing, 12 * INCH)
            yield m.Fire(model.name, arm.weapon, "single", spot=ahead)
        if model.ap >= watching.WATCH_AP and kind.modes:
            yield m.OpFire(model.name, arm.weapon, kind.modes[0].name)
        if arm.loaded < kind.magazine:
            yield m.Reload(model.name, arm.weapon)
    for arm in arms.strange(model):
        yield m.Learn(model.name, arm.weapon)
    for device in play.state.devices:
        if device.owner == model.name:
            yield m.Trigger(model.name, device.name)
            yield m.OpFire(model.name, device=device.name)
    if model.vest_charge:
        yield m.Trigger(model.name, "vest")
    for grenade in ("m67", "mini-frag", "soviet-frag", "smoke"):
        if model.count(grenade) and model.ap >= 3:
            for contact in seen[:2]:
                if geometry.distance(model.at, (contact.x, contact.y)) <= 16 * INCH:
                    yield m.Throw(model.name, grenade, contact.model)
            yield m.Throw(model.name, grenade, spot=_away(model, model.facing, 8 * INCH))


def _close_orders(play: Play, model: Model) -> Iterator[m.SkirmishMove]:
    for foe in play.side(1 - model.seat):
        if not touching(model, foe) or foe.condition == "dead":
            continue
        yield from close.blows(model, foe.name)
        yield m.Tie(model.name, foe.name)
    if not model.bayonet_fixed and "bayonet" in model.gear:
        yield m.FixBayonet(model.name)


def _aid(play: Play, model: Model) -> Iterator[m.SkirmishMove]:
    if wounds.needs_test(model) or model.wounds.untreated:
        yield m.Bandage(model.name, model.name)
    for mate in play.side(model.seat):
        if mate.name != model.name and touching(model, mate):
            yield m.Bandage(model.name, mate.name)
            yield m.Rouse(model.name, mate.name)
            yield m.Carry(model.name, mate.name)
    if model.carrying:
        yield m.PutDown(model.name)


def _things(play: Play, model: Model) -> Iterator[m.SkirmishMove]:
    ahead = _away(model, model.facing, INCH)
    for thing in devices.KINDS:
        if model.count(thing):
            yield m.Place(model.name, thing, ahead, model.facing)
    for thing, pile in things.piles(play, model).items():
        yield m.PickUp(model.name, thing, acts.affordable(play, model, pile))
    if model.stock:
        yield m.Drop(model.name, model.stock[0][0], 1)
