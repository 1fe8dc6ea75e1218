"""The order made from the fields of ``turn.html``, if it is not one of those listed there.

Fields of a force (N is a team, M a member): ``list-N``, ``upgrade-N``, ``member-N-M``. Of a
deployment, for each model: ``east-NAME``, ``north-NAME`` (inches), ``floor-NAME``, ``facing-NAME``
(degrees), ``lying-NAME``; an empty field is as in the first default deployment. Of Op-Fire:
``wait`` (the order to start from), ``from``, ``to`` (degrees), ``range`` (inches), ``at``,
``chance``, and ``aimed``, ``scope``, ``reroll`` if they are to follow. Of a place clicked on the
map: ``man``, ``tool`` (``shown.man.Tool``), ``east``, ``north``, ``floor``, ``target`` (a model at
that place).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from msgspec.structs import replace

from engine.choices import check_fields
from engine.games.skirmish import moves as m
from engine.games.skirmish import notation
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.terrain import GROUND
from engine.games.skirmish.orders import defaults
from engine.games.skirmish.shown import planning
from engine.games.skirmish.shown.man import EXTRAS
from engine.games.skirmish.stages import building, deploying
from engine.games.skirmish.state import Model
from engine.games.skirmish.view import View
from engine.games.skirmish.words import arc_between, range_of, unreadable

WAITING = ("wait", "from", "to", "range", "at", "chance", *EXTRAS)
POINTING = ("man", "tool", "east", "north", "floor", "target")
#: Half the angle of a sector chosen on the map, in degrees.
HALF_SECTOR = 30


def compose(view: View, picked: Mapping[str, str]) -> str:
    """The order, or "" if no field is set.

    Raises Unreadable for an unknown field or an invalid number, IllegalMove for an arc or a range
    that watches nothing.
    """
    check_fields(picked, _fields(view))
    match view.stage:
        case "building":
            move: m.SkirmishMove | None = _force(picked)
        case "deployment" if picked:
            move = _deployment(view, picked)
        case "activation" if "tool" in picked:
            move = _from_map(view, picked)
        case "activation" if "wait" in picked:
            move = _waiting(view, picked)
        case _:
            move = None
    return "" if move is None else notation.write(move)


def _fields(view: View) -> list[str]:
    match view.stage:
        case "building":
            teams = range(1, building.MOST_TEAMS + 1)
            return [
                name
                for team in teams
                for name in (
                    f"list-{team}",
                    f"upgrade-{team}",
                    *(f"member-{team}-{member}" for member in range(1, 5)),
                )
            ]
        case "deployment":
            parts = ("east", "north", "floor", "facing", "lying")
            return [f"{part}-{model.name}" for model in view.own for part in parts]
        case "activation" if view.active is not None and view.active.seat == view.seat:
            return [*WAITING, *POINTING]
    return []


# --- a force, a deployment ---


def _force(picked: Mapping[str, str]) -> m.Build | None:
    teams = tuple(
        m.TeamOrder(
            picked[f"list-{team}"],
            picked.get(f"upgrade-{team}", ""),
            tuple(
                tuple(picked.get(f"member-{team}-{member}", "").split()) for member in range(1, 5)
            ),
        )
        for team in range(1, building.MOST_TEAMS + 1)
        if f"list-{team}" in picked
    )
    return m.Build(teams) if teams else None


def _deployment(view: View, picked: Mapping[str, str]) -> m.Deploy:
    assert view.seat is not None
    default = deploying.default_deploy(planning.known_state(view), view.seat)
    return m.Deploy(tuple(_placement(place, picked) for place in default.places))


def _placement(place: m.Placement, picked: Mapping[str, str]) -> m.Placement:
    east, north, floor, facing, lying = (
        picked.get(f"{part}-{place.model}", "")
        for part in ("east", "north", "floor", "facing", "lying")
    )
    return m.Placement(
        place.model,
        _tenths(east) if east else place.x,
        _tenths(north) if north else place.y,
        floor or GROUND,
        _degrees(facing) if facing else place.facing,
        bool(lying),
    )


# --- Op-Fire, and places on the map ---


def _waiting(view: View, picked: Mapping[str, str]) -> m.OpFire:
    """The Op-Fire order from the fields; empty fields are as in the order to start from."""
    begun = notation.read(picked["wait"])
    if not isinstance(begun, m.OpFire):
        raise unreadable(picked["wait"])
    watch = _armed(view, begun)
    if "from" in picked and "to" in picked:
        arc = arc_between(_degrees(picked["from"]), _degrees(picked["to"]))
        watch = replace(watch, arc=arc)
    if "range" in picked:
        watch = replace(watch, reach=range_of(_tenths(picked["range"])))
    return _at_whom(watch, picked)


def _armed(view: View, watch: m.OpFire) -> m.OpFire:
    return cast(m.OpFire, defaults.filled(watch, view.own_model))


def _at_whom(watch: m.OpFire, picked: Mapping[str, str]) -> m.OpFire:
    if "chance" in picked:
        watch = replace(watch, chance=_whole(picked["chance"]))
    follows = {extra: True for extra in EXTRAS if extra in picked}
    return replace(watch, target=picked.get("at", watch.target), **follows)


def _from_map(view: View, picked: Mapping[str, str]) -> m.SkirmishMove:
    man = view.own_model(picked.get("man", ""))
    tool, _, thing = picked["tool"].partition(" ")
    if man is None or "east" not in picked or "north" not in picked:
        raise unreadable(picked["tool"])
    spot = (_tenths(picked["east"]), _tenths(picked["north"]))
    floor = picked.get("floor", GROUND)
    target = next((foe.name for foe in view.others if foe.name == picked.get("target")), "")
    at = None if target else spot
    match tool:
        case "face":
            return m.Face(man.name, geometry.bearing(man.at, spot))
        case "throw":
            return m.Throw(man.name, thing, target, at, GROUND if target else floor)
        case "shell":
            shell = m.Fire(man.name, thing, "", target, at, GROUND if target else floor)
            return defaults.filled(shell, view.own_model)
        case "wait":
            return _sector(view, man, spot, picked)
    raise unreadable(picked["tool"])


def _sector(view: View, man: Model, spot: Point, picked: Mapping[str, str]) -> m.OpFire:
    """An Op-Fire sector centred on the spot and reaching to it; weapon and chance as picked."""
    begun = notation.read(picked["wait"]) if "wait" in picked else None
    watch = m.OpFire(man.name, mode="")
    if isinstance(begun, m.OpFire) and begun.model == man.name:
        watch = begun
    middle = geometry.bearing(man.at, spot)
    return replace(
        _at_whom(_armed(view, watch), picked),
        arc=((middle - HALF_SECTOR) % 360, (middle + HALF_SECTOR) % 360),
        reach=max(1, round(geometry.distance(man.at, spot) / INCH)) * INCH,
    )


# --- numbers ---


def _tenths(text: str) -> int:
    """Inches as thousandths, rounded to a tenth of an inch."""
    if not re.fullmatch(r"\d{1,3}(\.\d{1,20})?", text):
        raise unreadable(text)
    return round(float(text) * 10) * 100


def _whole(text: str) -> int:
    if not re.fullmatch(r"\d{1,3}", text):
        raise unreadable(text)
    return int(text)


def _degrees(text: str) -> int:
    return _whole(text) % 360
