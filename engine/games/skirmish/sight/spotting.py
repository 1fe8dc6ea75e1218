"""Spotting: the contacts of a seat, the targets a model knows, and command range.

A seat's *contacts* are what its map shows of the enemy: those in sight now, and markers where
others were last seen. A model's *known* enemies are those he has spotted himself this turn; with
those of the models he is in touch with (SKR-56) they are the targets he may be given.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.games.skirmish import versions
from engine.games.skirmish.data.library import faction
from engine.games.skirmish.events import LostSight, Sighted
from engine.games.skirmish.ground.scene import Figure, Scene, gap, spot_of
from engine.games.skirmish.ground.terrain import Terrain
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight
from engine.games.skirmish.sight.sight import Look
from engine.games.skirmish.state import Contact, Model

#: A model in base contact is noticed even behind one's back and in the dark (ours).
TOUCH = 100


class Spotted(Figure, Protocol):
    """What spotting depends on; a model has it."""

    @property
    def flashed(self) -> bool: ...
    @property
    def saw_fire(self) -> tuple[str, ...] | None: ...
    @property
    def gear(self) -> tuple[str, ...]: ...


def saw_flash(watcher: Spotted, target: Spotted) -> bool:
    """SKR-60: whether the target has fired, in view of the watcher, with a weapon that flashes."""
    return target.flashed and (watcher.saw_fire is None or target.name in watcher.saw_fire)


def can_look(watcher: Figure) -> bool:
    """SKR-140: whether he sees anything: conscious, free, and carried by nobody."""
    return watcher.condition == "fit" and not watcher.carried_by


def spots(scene: Scene, watcher: Spotted, target: Spotted, generous: bool = False) -> Look:
    """How well the watcher sees the target, or ``sight.UNSEEN``: arc, light, and the half rule.

    SKR-60: less than half is enough to see a man who fired in his view with a weapon that flashes.
    Aimed shots reach further; see ``fire.targetable``.
    """
    if not can_look(watcher):
        return sight.UNSEEN
    if gap(scene, watcher, target) <= TOUCH:
        return sight.CLEAR
    if not sight.in_arc(watcher, spot_of(target)):
        return sight.UNSEEN
    goggles = "nvg" in watcher.gear or generous or saw_flash(watcher, target)
    if not sight.light_reaches(scene, watcher, target, goggles):
        return sight.UNSEEN
    return sight.look(scene, watcher, target)


def notices(seen: Look, watcher: Spotted, target: Spotted) -> bool:
    """Whether a look puts the target on the map: any part of him in sight is enough."""
    return noticeable(seen, saw_flash(watcher, target))


def noticeable(seen: Look, flashed: bool) -> bool:
    return seen.body >= 100 or seen.plain or (flashed and seen.any)


def contact_of(model: Model, turn: int, share: int) -> Contact:
    return Contact(
        model=model.name,
        turn=turn,
        seen=True,
        share=share,
        x=model.x,
        y=model.y,
        floor=model.floor,
        facing=model.facing,
        prone=model.prone,
        condition=model.condition,
        broken=bool(model.broken),
        gait=model.gait,
        flashed=model.flashed,
        bleeding=model.wounds.bleeding,
        overpowered=model.overpowered,
        carried_by=model.carried_by,
    )


#: Names: who looks, and at whom.
Pair: TypeAlias = tuple[str, str]
Pairs: TypeAlias = set[Pair]


class Placed(msgspec.Struct, frozen=True, gc=False):
    """All of a model that ``spots`` and ``notices`` depend on, and his side."""

    name: str
    seat: int
    x: int
    y: int
    floor: str
    facing: int
    prone: bool
    condition: str
    carried_by: str
    flashed: bool
    saw_fire: tuple[str, ...] | None
    gear: tuple[str, ...]


_place = attrgetter(*Placed.__struct_fields__)


class Sights(msgspec.Struct, frozen=True, gc=False, eq=False):
    """All that ``share`` depends on while the models stand in one way."""

    scene: Scene
    models: Mapping[str, Placed]
    generous: bool


def sights_now(play: Play) -> Sights:
    """``Sights`` as the models stand now."""
    scene, models = play.scene, play.models
    absent = frozenset(models.keys() - {figure.name for figure in scene.figures})
    places = tuple(map(_place, models.values()))
    generous = play.state.options.generous_night_sight
    return _sights(scene.terrain, scene.night, places, absent, generous)


@lru_cache(maxsize=64)
def _sights(
    terrain: Terrain,
    night: bool,
    places: tuple[tuple[Any, ...], ...],
    absent: frozenset[str],
    generous: bool,
) -> Sights:
    """The same ``Sights`` while nothing changes that they depend on: most orders move nobody."""
    models = {one.name: one for one in (Placed(*place) for place in places)}
    figures = tuple(one for one in models.values() if one.name not in absent)
    return Sights(Scene(terrain, figures, night=night), MappingProxyType(models), generous)


@lru_cache(maxsize=8192)
def share(sights: Sights, watcher: str, target: str) -> int | None:
    """The share of the target's body that the watcher sees; None if he does not notice him."""
    here, there = sights.models[watcher], sights.models[target]
    seen = spots(sights.scene, here, there, sights.generous)
    return seen.body if notices(seen, here, there) else None


class Looked(msgspec.Struct, frozen=True, gc=False):
    """What a watcher sees of those he looked at: their names, and the names of whom he noticed."""

    watcher: str
    targets: frozenset[str]
    noticed: tuple[str, ...]


class Around(msgspec.Struct, frozen=True, gc=False):
    """What a side sees when it looks around, and of each whom it notices the best share."""

    looks: tuple[Looked, ...]
    best: Mapping[str, int]


@lru_cache(maxsize=256)
def _look_around(
    sights: Sights, seat: int, moved: frozenset[str] | None, only: frozenset[Pair] | None
) -> Around:
    """Looks along the lines of sight of a seat that may have changed (``refresh``)."""
    looks, best = [], dict[str, int]()
    enemies = [one.name for one in sights.models.values() if one.seat != seat]
    for watcher in (one for one in sights.models.values() if one.seat == seat):
        targets = enemies
        if can_look(watcher):
            if moved is not None and watcher.name not in moved:
                targets = [name for name in targets if name in moved]
            if only is not None:
                targets = [name for name in targets if (watcher.name, name) in only]
        if not targets:
            continue
        shares = [(name, share(sights, watcher.name, name)) for name in targets]
        noticed = {name: seen for name, seen in shares if seen is not None}
        for name, seen in noticed.items():
            best[name] = max(best.get(name, 0), seen)
        looks.append(Looked(watcher.name, frozenset(targets), tuple(noticed)))
    return Around(tuple(looks), MappingProxyType(best))


def refresh(play: Play, moved: Set[str] | None = None, only: Pairs | None = None) -> None:
    """Brings both seats' contacts and every model's known enemies up to date.

    ``moved``: only sight of and by these models is computed again; None for all. ``only``: of
    these, only the lines of sight that have changed, where that is known (``passing``). A model
    that has run in the present activation spots nobody new himself (SKR-27), but everything in his
    side's sight is on its map.
    """
    sights = sights_now(play)
    who = None if moved is None else frozenset(moved)
    lines = None if only is None else frozenset(only)
    for seat in (0, 1):
        around = _look_around(sights, seat, who, lines)
        for look in around.looks:
            _take_in(play, look)
        contacts = {contact.model: contact for contact in play.state.contacts[seat]}
        seeing = {name for watcher in play.side(seat) for name in watcher.sees}
        for target in play.side(1 - seat):
            before = contacts.get(target.name)
            seen = around.best.get(target.name, 0)
            if not seen and target.name in seeing:
                seen = before.share if before is not None else 1000
            _note(play, seat, contacts, target, seen)
        now = tuple(contacts[name] for name in sorted(contacts))
        if now != play.state.contacts[seat]:
            both = list(play.state.contacts)
            both[seat] = now
            play.change(contacts=tuple(both))


def _take_in(play: Play, look: Looked) -> None:
    """Brings up to date whom a model sees and knows."""
    watcher = play.models[look.watcher]
    sees, known = look.noticed, watcher.known
    if sees != watcher.sees:
        sees = (*(name for name in watcher.sees if name not in look.targets), *sees)
    new = [name for name in look.noticed if name not in known]
    if new and not may_not_spot(play, watcher):
        known = (*known, *new)
    if sees != watcher.sees or known != watcher.known:
        play.put(watcher.name, sees=sees, known=known)


def note_glimpse(play: Play, watcher: str, target: str) -> None:
    """A watcher has seen somebody in passing, who was on his side's map all the time."""
    model = play.models[watcher]
    if target not in model.known and not may_not_spot(play, model):
        play.put(watcher, known=(*model.known, target))


def may_not_spot(play: Play, watcher: Model) -> bool:
    """SKR-27: whether he has run in this activation, and so spots nobody new."""
    active = play.state.active
    return (
        play.state.options.running_bars_new_targets
        and watcher.gait == "ran"
        and active is not None
        and watcher.name in active.members
    )


def flash(play: Play, who: str) -> None:
    """SKR-60: he fires a weapon that flashes; those in whose sight he is then remember it."""
    man = play.put(who, flashed=True)
    scene, generous = play.scene, play.state.options.generous_night_sight
    for foe in play.side(1 - man.seat):
        if foe.saw_fire is None or who in foe.saw_fire:
            continue
        # as one whose flash he sees: it can be seen in the dark, too
        there = replace(foe, saw_fire=(*foe.saw_fire, who))
        if spots(scene, there, man, generous).any:
            play.put(foe.name, saw_fire=there.saw_fire)


def forget_flash(play: Play, who: str) -> None:
    """With his next activation nobody need remember where he fired."""
    man = play.put(who, flashed=False)
    for foe in play.side(1 - man.seat):
        if foe.saw_fire and who in foe.saw_fire:
            play.put(foe.name, saw_fire=tuple(name for name in foe.saw_fire if name != who))


def _note(play: Play, seat: int, contacts: dict[str, Contact], target: Model, share: int) -> None:
    before = contacts.get(target.name)
    hidden = play.state.options.hidden_enemies
    if share or not hidden:
        flashed = target.flashed and any(saw_flash(one, target) for one in play.side(seat))
        contacts[target.name] = replace(contact_of(target, play.state.turn, share), flashed=flashed)
        if hidden and (before is None or not before.seen):
            play.tell(Sighted(who=target.name, at=target.at, floor=target.floor, readers=(seat,)))
    elif before is not None and before.seen:
        contacts[target.name] = replace(before, seen=False)
        play.tell(LostSight(who=target.name, readers=(seat,)))


# --- command and sharing ---


def leader_of(play: Play, team: str) -> Model | None:
    """The team's leader if he can command: SKR-54."""
    for model in play.models.values():
        if model.team == team and model.role == "leader":
            return model if model.fit else None
    return None


def by_radio(model: Model) -> bool:
    """SKR-54, 161: whether he is in command anywhere, by radio."""
    return faction(model.faction).command == "radio" or "earpiece" in model.gear


def commands(play: Play, leader: Model, model: Model) -> bool:
    """SKR-54: whether he is within the leader's CC inches and in sight of him, or has a radio."""
    if model.name == leader.name or by_radio(leader):
        return True
    scene = play.scene
    if gap(scene, leader, model) > leader.abilities.cc * 1000:
        return False
    return sight.look(scene, leader, model).any


def in_touch(play: Play, one: Model, other: Model) -> bool:
    """SKR-56, 57: whether the other, by radio or within his command range, tells him of targets.

    By older rules the longer of the two ranges counted.
    """
    if one.name == other.name:
        return True
    if not one.fit or not other.fit:
        return False
    if one.team == other.team and by_radio(one):
        return True
    if one.role == other.role == "leader" and all(
        "motorola" in model.gear or by_radio(model) for model in (one, other)
    ):
        return True  # SKR-160
    reach = other.abilities.cc
    if not versions.the_spotters_range_counts(play.state):
        reach = max(one.abilities.cc, reach)
    scene = play.scene
    return gap(scene, one, other) <= reach * 1000 and sight.look(scene, one, other).any


def known_targets(play: Play, model: Model) -> set[str]:
    """SKR-56, 57: the enemies he may attack: spotted by him or shared with him."""
    out = set(model.known)
    for mate in play.side(model.seat):
        if mate.name != model.name and set(mate.known) - out and in_touch(play, model, mate):
            out |= set(mate.known)
    return out


def seers(play: Play, victim: str) -> list[str]:
    """Team members who see a man at his present place."""
    man = play.models[victim]
    scene, generous = play.scene, play.state.options.generous_night_sight

    def sees(mate: Model) -> bool:
        if versions.witnesses_face_the_death(play.state):
            return spots(scene, mate, man, generous).any
        return can_look(mate) and sight.look(scene, mate, man).any

    return [mate.name for mate in play.mates(man) if sees(mate)]
