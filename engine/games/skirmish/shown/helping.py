"""What one model could do now, cut to what is worth writing in a mail: asked of a view alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from engine.games.skirmish import moves as m
from engine.games.skirmish import notation
from engine.games.skirmish.data.library import library
from engine.games.skirmish.shown import planning

if TYPE_CHECKING:
    from engine.games.skirmish.state import Model
    from engine.games.skirmish.view import Shooting, View

#: Throws and shells that are told, the best first.
MARKS = 3


class Going(msgspec.Struct, frozen=True):
    """The farthest that a gait takes him, as an order."""

    gait: str
    ap: int
    order: str


class Shot(msgspec.Struct, frozen=True):
    """An enemy in sight, and the best shot at him; no order where none stands."""

    target: str
    share: int
    distance: int
    order: str = ""
    percent: int = 0
    ap: int = 0


class Helped(msgspec.Struct, frozen=True):
    """What a model could do now."""

    ways: tuple[Going, ...]
    shots: tuple[Shot, ...]
    marks: tuple[planning.Mark, ...]
    #: Everything else that stands: hand to hand, Op-Fire, aid, reloading, stance.
    others: tuple[str, ...]


def helped(view: View, model: Model) -> Helped:
    """Only what the rules would take now, as far as the seat knows."""
    foes = {foe.name for foe in view.others}
    marks = [mark for mark in view.marks(model.name) if not _in_vain(mark, foes)]
    marks.sort(key=_percent, reverse=True)
    return Helped(
        ways=tuple(_ways(view, model.name)),
        shots=tuple(_shots(view.shooting(model.name))),
        marks=tuple(marks[:MARKS]),
        others=(
            *view.blows(model.name),
            *(order for order in map(notation.write, _others(view, model)) if view.stands(order)),
        ),
    )


def _in_vain(mark: planning.Mark, foes: set[str]) -> bool:
    """A shell into a building where nobody is known to be."""
    within = mark.told.area.within if mark.told.area is not None else ()
    return " building " in mark.order and foes.isdisjoint(within)


def _percent(mark: planning.Mark) -> int:
    return mark.told.chance.percent if mark.told.chance is not None else 0


def _ways(view: View, name: str) -> Iterator[Going]:
    ways = view.ground(name)
    for gait in ("walk", "run", "crawl"):
        costs = [(getattr(way, gait), way.path) for way in ways if getattr(way, gait) is not None]
        if costs:
            ap, path = max(costs)
            yield Going(gait, ap, f"{name} {gait} to {path}")


def _shots(shots: list[Shooting]) -> Iterator[Shot]:
    for target in dict.fromkeys(shot.target for shot in shots):
        mine = [shot for shot in shots if shot.target == target]
        able = [shot for shot in mine if shot.refusal is None and shot.chance.reaches]
        told = Shot(target, mine[0].share, mine[0].chance.distance)
        if able:
            best = max(able, key=lambda shot: (shot.chance.percent * shot.mode.dice, -shot.ap))
            told = msgspec.structs.replace(
                told, order=notation.write(best.move), percent=best.chance.percent, ap=best.ap
            )
        yield told


def _others(view: View, model: Model) -> Iterator[m.ModelMove]:
    name = model.name
    for arm in model.arms:
        kind = library().weapons.get(arm.weapon)
        if kind is None:
            continue
        if arm.loaded < kind.magazine:
            yield m.Reload(name, arm.weapon)
        if kind.modes:
            yield m.OpFire(name, arm.weapon, kind.modes[0].name)
    for mate in view.own:
        if mate.wounds.untreated or mate.wounds.bleeding:
            yield m.Bandage(name, mate.name)
        if mate.condition == "unconscious":
            yield from (m.Rouse(name, mate.name), m.Carry(name, mate.name))
    if model.carrying:
        yield m.PutDown(name)
    for item in view.lying:
        yield m.PickUp(name, item.thing, item.count)
    for device in view.devices:
        if device.owner == name:
            yield m.Trigger(name, device.name)
    yield m.Stance(name, not model.prone)
    for foe in view.others:
        if foe.broken:
            yield m.Demand(name, foe.name)
