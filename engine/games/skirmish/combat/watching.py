"""Op-Fire: SKR-39, 45, 46. Orders to wait, triggered during the enemy's activation.

A model on Op-Fire has an order: weapon and mode, an arc, a range, a target, and the minimum chance.
Each such order is checked all along an enemy's way (``crossing``) and before any other act of his;
where its conditions hold, the model fires as often as 6 AP allow, all at that moment, and his watch
is over. No player has to act.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import arms, blasts, devices, fire
from engine.games.skirmish.events import Interrupted
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.men import able
from engine.games.skirmish.moves import Fire, OpFire
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight
from engine.games.skirmish.state import Device, Model

WATCH_AP = 10
SHOOT_AP = 6
TEAM_SIZE = 4  # SKR-2
#: The possible minimum chances of an order: SKR-67 gives no others.
LEAST_CHANCES = range(10, 91, 10)


def check_opfire(play: Play, model: Model, order: OpFire) -> None:
    if model.ap < WATCH_AP:
        raise IllegalMove(
            "Op-Fire takes all {need} AP; {model} has {left} left.",
            rule="SKR-39",
            need=WATCH_AP,
            model=model.name,
            left=model.ap,
        )
    if not LEAST_CHANCES[0] <= order.chance <= LEAST_CHANCES[-1]:
        raise IllegalMove("The least chance is from 10 to 90 per cent.", rule="SKR-45")
    if not all(0 <= edge < 360 for edge in order.arc):
        raise IllegalMove("A direction is from 0 to 359 degrees.", rule="SKR-53")
    if versions.arcs_lie_ahead(play.state) and not _is_ahead(model, order):
        raise IllegalMove(
            "{model} faces {facing}°, so nothing of that arc is ahead of him. Turn him first; that "
            "costs no AP.",
            rule="SKR-53",
            model=model.name,
            facing=model.facing,
        )
    if order.target != "first" and order.target not in _enemy_names(play, model):
        raise IllegalMove("There is no enemy called {name}.", rule="SKR-45", name=order.target)
    if order.reroll:
        arms.check_reroll(model, versions.who_waits_may_reroll(play.state))
    if order.device:
        device = _claymore(play, model, order.device)
        if device is None:
            raise IllegalMove(
                "{model} has set no {device}.", rule="SKR-45", model=model.name, device=order.device
            )
        if versions.wires_bind_who_waits(play.state):
            devices.check_wire(play, model, device)
        return
    kind = arms.gun(model, order.weapon)
    held = arms.arm_in_hand(model, order.weapon)
    mode = arms.mode_of(kind, order.mode)
    shot = Fire(model.name, order.weapon, order.mode, aimed=order.aimed, scope=order.scope)
    if (order.aimed or order.scope) and not versions.who_waits_may_aim(play.state):
        raise IllegalMove("Who waits to fire does not aim.", rule="SKR-45")
    fire.check_extras(play, model, shot, kind, held)
    if fire.cost(shot, True) > SHOOT_AP:
        raise IllegalMove("Op-Fire has {have} AP to shoot with.", rule="SKR-45", have=SHOOT_AP)
    arms.check_rounds(kind, held, mode)
    able.check_arms(model, kind.hands)


def _enemy_names(play: Play, model: Model) -> set[str]:
    """The enemy's teams and their men, in sight or not: everybody has read both lists."""
    names = {team.name for team in play.state.teams if team.seat != model.seat}
    return names | {f"{name}-{number}" for name in names for number in range(1, TEAM_SIZE + 1)}


def in_watched_arc(order: OpFire, bearing: int) -> bool:
    """Clockwise from the first edge to the second; two equal edges watch everything ahead."""
    first, second = order.arc
    return first == second or (bearing - first) % 360 <= (second - first) % 360


def _is_ahead(model: Model, order: OpFire) -> bool:
    """SKR-53: whether he has any of the watched arc in the half circle ahead."""
    edges = (geometry.turned(model.facing, edge) <= 90 for edge in order.arc)
    return any(edges) or in_watched_arc(order, model.facing)


def wants(play: Play, watcher: Model, target: Model) -> bool:
    """Whether this target meets the conditions of the order."""
    order = watcher.watch
    if order is None or not target.fit:
        return False
    if order.target not in ("first", target.name, target.team):
        return False
    if not in_watched_arc(order, geometry.bearing(watcher.at, target.at)):
        return False
    if not sight.in_arc(watcher, target.at):
        return False
    return not order.reach or play.gap(watcher, target) <= order.reach


def waiting(play: Play, actor: str) -> Iterator[Model]:
    """The enemies of the actor who wait with an order and are able to act, sorted by name."""
    moving = play.models[actor]
    for name in sorted(play.models):
        watcher = play.models[name]
        if watcher.seat == moving.seat or watcher.watch is None or not watcher.fit:
            continue
        if not able.kept_from_acting(play, watcher):
            yield watcher


def ready(play: Play, watcher: Model, actor: str) -> bool:
    """Whether his order goes off against the actor as he stands now."""
    order = watcher.watch
    if order is None or not wants(play, watcher, play.models[actor]):
        return False
    if order.device:
        return _in_kill_zone(play, watcher, actor, claymore_of(play, watcher))
    shot = _shot(watcher, order, actor)
    try:
        fire.check_fire(play, watcher, shot, SHOOT_AP)
    except IllegalMove:
        return False
    return fire.chance_of(play, shot).percent >= order.chance


def interrupts(play: Play, actor: str) -> None:
    """SKR-46: fires every Op-Fire order whose conditions the actor meets now, sorted by name."""
    for watcher in waiting(play, actor):
        order = watcher.watch
        if order is None or not wants(play, watcher, play.models[actor]):
            continue
        if order.device and claymore_of(play, watcher) is None:
            play.put(watcher.name, watch=None)
        elif not ready(play, watcher, actor):
            continue
        elif order.device:
            _set_off(play, watcher, actor)
        else:
            _volley(play, watcher, actor, order)


def claymore_of(play: Play, watcher: Model) -> Device | None:
    """The Claymore that his order is to set off."""
    return None if watcher.watch is None else _claymore(play, watcher, watcher.watch.device)


def _claymore(play: Play, owner: Model, name: str) -> Device | None:
    found = (d for d in play.state.devices if d.name == name and d.owner == owner.name)
    return next((d for d in found if d.kind == "claymore"), None)


def _in_kill_zone(play: Play, watcher: Model, actor: str, device: Device | None) -> bool:
    """SKR-45, 170: whether the actor is in the kill zone of the Claymore, and in his sight."""
    if device is None or actor not in watcher.sees:
        return False
    caught = {m.name: far for m, far in blasts.claymore_victims(play, device)}
    return actor in caught and caught[actor] <= blasts.claymore_cone().kill


def _set_off(play: Play, watcher: Model, actor: str) -> None:
    device = claymore_of(play, watcher)
    assert device is not None
    _go_off(play, watcher, actor)
    blasts.go_off(play, device, watcher.name)


def _go_off(play: Play, watcher: Model, actor: str) -> None:
    """Ends his watch, and tells both sides that somebody was waiting."""
    play.put(watcher.name, watch=None)
    play.revealed = True
    arms.tell_attack(play, Interrupted(who=watcher.name, target=actor))


def _shot(watcher: Model, order: OpFire, actor: str) -> Fire:
    reroll = order.reroll and arms.may_reroll(watcher)
    return Fire(
        watcher.name,
        order.weapon,
        order.mode,
        actor,
        aimed=order.aimed,
        scope=order.scope,
        reroll=reroll,
    )


def _volley(play: Play, watcher: Model, actor: str, order: OpFire) -> None:
    """Fires at the actor until he is down, or the AP or the rounds are spent."""
    ap = SHOOT_AP
    _go_off(play, watcher, actor)
    while play.models[watcher.name].fit and play.models[actor].fit:
        shot = _shot(play.models[watcher.name], order, actor)
        try:
            fire.check_fire(play, play.models[watcher.name], shot, ap)
        except IllegalMove:
            break
        ap -= fire.cost(shot, True)
        fire.fire(play, shot)
