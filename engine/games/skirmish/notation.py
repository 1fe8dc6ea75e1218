"""Parsing and formatting orders.

::

    build rangers (1: motorola; 3: m60e3 nvg) + marines meu-soc (2: sniper)
    side south                          deploy first
    deploy alpha-1 5,2 facing 0; alpha-2 7.5,2 facing 20 prone
    go first                            activate alpha          alpha end
    alpha-2 run to 20,12 then 23.5,14   alpha-2 climb to 12,14 on inn-1
    alpha-2 fire bravo-1 with m16a2 single aimed       alpha-1 fire 20,30 with m203
    alpha-1 fire building inn level 1 with rpg-7       alpha-2 throw m67 at bravo-1
    alpha-3 opfire arc 30-60 range 24 at first burst chance 40
    alpha-2 face 90 | prone | stand | reload | learn ak-47 | fix bayonet | put down
    alpha-2 pick up 30 7.62 | drop 1 m67 | attack bravo-1 with knife | tackle bravo-1
    alpha-2 tie bravo-1 | bandage alpha-3 | rouse alpha-3 | carry alpha-3 | demand bravo-1
    alpha-2 place claymore at 12,14 facing 30 | trigger claymore-1 | trigger vest
    demands on

Places are inches from the south-west corner, up to three decimals; directions are compass
degrees. A line is parsed literally; ``orders.defaults`` fills in what it leaves out (weapon,
mode).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal, cast

from engine.errors import Unreadable
from engine.games.skirmish import moves as m
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.terrain import GROUND
from engine.games.skirmish.words import (
    FLAGS,
    NAME,
    OF_A_CHARGE,
    OF_A_SHOT,
    OF_A_THROW,
    OF_A_WATCH,
    OF_AN_ATTACK,
    WAITING_FLAGS,
    Said,
    Words,
    unreadable,
)
from engine.spanish import each, in_english


def inches(value: int) -> str:
    """Thousandths written as inches: 23500 is "23.5"."""
    whole, rest = divmod(value, 1000)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".") if rest else str(whole)


@lru_cache(maxsize=8192)
def spot_text(spot: Point) -> str:
    return f"{inches(spot[0])},{inches(spot[1])}"


@lru_cache(maxsize=2048)
def path_text(path: tuple[Point, ...]) -> str:
    """The corners of a path, cached: a page has each for two gaits."""
    return " then ".join(map(spot_text, path))


#: What orders look like before men are activated.
LIKE: Mapping[str, str] = {
    "building": "I cannot read “{order}”. A force is built as in “build airborne + airborne”.",
    "sides": "I cannot read “{order}”. Write “side south” or “side north”.",
    "order": "I cannot read “{order}”. Write “deploy first” or “deploy second”.",
    "deployment": "I cannot read “{order}”. All men are placed in one order, as in "
    "“deploy alpha-1 24,1.5 facing 0; alpha-2 25.5,1.5 facing 0”.",
    "initiative": "I cannot read “{order}”. Write “go first” or “go second”.",
}


def verb_of(text: str) -> str:
    """What an order that cannot be read tells a man to do, or ""; it may be misspelt."""
    words = Words(in_english(text, SPANISH)).left[1:2]
    near = get_close_matches(words[0], READERS, 1, 0.75) if words else []
    return near[0] if near else ""


#: What Spanish says for words of an order.
SPANISH: Mapping[str, str] = {
    **each("walk", "andar", "caminar"),
    **each("run", "correr"),
    **each("crawl", "reptar", "arrastrarse"),
    **each("climb", "trepar", "subir"),
    **each("jump", "saltar"),
    **each("face", "girar", "mirar"),
    **each("prone", "tumbarse"),
    **each("stand", "levantarse"),
    **each("fire", "disparar"),
    **each("throw", "lanzar"),
    **each("opfire", "vigilar"),
    **each("reload", "recargar"),
    **each("drop", "soltar"),
    **each("attack", "atacar"),
    **each("bandage", "vendar"),
    **each("rouse", "despertar"),
    **each("carry", "llevar"),
    **each("activate", "activar"),
    **each("end", "fin", "terminar"),
    **each("side", "lado"),
    **each("deploy", "desplegar"),
    **each("first", "primero"),
    **each("second", "segundo"),
    **each("north", "norte"),
    **each("south", "sur"),
    **each("east", "este"),
    **each("west", "oeste"),
    **each("to", "a", "hasta", "hacia"),
    **each("then", "luego"),
}


def read(text: str) -> m.SkirmishMove:
    """The move a line means. Does not look up names.

    Raises Unreadable if it is not an order, Ambiguous if it gives one thing two values, IllegalMove
    if it watches nothing (``words.arc_between``, ``words.range_of``).
    """
    english = in_english(text, SPANISH)
    try:
        return _read(english)
    except Unreadable:
        if english == text:
            raise
        # told in the words in which it was written
        raise unreadable(text) from None


def _read(text: str) -> m.SkirmishMove:
    words = Words(text)
    first = words.take()
    if first == "build":
        return _build(text)
    if first == "deploy" and words.left and words.left[0] not in ("first", "second"):
        return _deploy(text)
    move = _table_order(first, words) or _model_order(first, words)
    words.done()
    return move


def _table_order(first: str, words: Words) -> m.SkirmishMove | None:
    if first == "side":
        side = words.take()
        if side not in ("south", "north"):
            raise unreadable(words.text)
        return m.TakeSide(cast(Literal["south", "north"], side))
    if first in ("deploy", "go"):
        word = words.take()
        if word not in ("first", "second"):
            raise unreadable(words.text)
        return m.TakeOrder(word == "first") if first == "deploy" else m.Initiative(word == "first")
    if first == "demands":
        word = words.take()
        if word not in ("on", "off"):
            raise unreadable(words.text)
        return m.Demands(word == "on")
    if first == "activate":
        return m.Activate(words.take())
    if words.left == ["end"]:
        words.take()
        return m.End(first)
    return None


def _model_order(name: str, words: Words) -> m.SkirmishMove:
    verb = words.take()
    reader = READERS.get(verb)
    if reader is None or not re.fullmatch(NAME, name):
        raise unreadable(words.text)
    return reader(name, words, verb)


def _travel(name: str, words: Words, gait: str) -> m.Travel:
    words.skip("to")
    path = [words.spot()]
    while words.skip("then"):
        path.append(words.spot())
    return m.Travel(name, cast(Any, gait), tuple(path), words.floor())


def _fire(name: str, words: Words, _: str) -> m.Fire:
    at: dict[str, Any] = {}
    words.skip("at")
    if words.is_spot():
        at["spot"] = words.spot()
        at["floor"] = words.floor()
    elif words.skip("building"):
        at["building"] = words.take()
        while words.left and words.left[0] != "level" and words.left[0] not in OF_A_SHOT:
            at["building"] += " " + words.take()
        at["level"] = words.number(9) if words.skip("level") else 0
    else:
        at["target"] = words.take()
    said = Said(words, OF_A_SHOT)
    return m.Fire(name, **at, **{"weapon": "", "mode": "", **said.values})


def _throw(name: str, words: Words, _: str) -> m.Throw:
    grenade = words.take()
    given: dict[str, Any] = {}
    words.skip("at")
    if words.is_spot():
        given["spot"] = words.spot()
        given["floor"] = words.floor()
    else:
        given["target"] = words.take()
    return m.Throw(name, grenade, **given, **Said(words, OF_A_THROW).values)


def _opfire(name: str, words: Words, _: str) -> m.OpFire:
    said = Said(words, OF_A_WATCH)
    for other in ("weapon", "mode"):  # he waits with a weapon, or with a charge
        said.check_only("device", other)
    return m.OpFire(name, **{"mode": "", **said.values})


def _counted(
    kind: Callable[[str, str, int], m.SkirmishMove], words: Words, name: str
) -> m.SkirmishMove:
    count = 1
    if len(words.left) > 1:
        count = words.number(9999)
    return kind(name, words.take(), count)


def _pick_up(name: str, words: Words, _: str) -> m.SkirmishMove:
    if not words.skip("up"):
        raise unreadable(words.text)
    return _counted(m.PickUp, words, name)


def _fix(name: str, words: Words, _: str) -> m.FixBayonet:
    if not words.skip("bayonet"):
        raise unreadable(words.text)
    return m.FixBayonet(name)


def _attack(name: str, words: Words, _: str) -> m.Attack:
    target = words.take()
    return m.Attack(name, target, **{"weapon": "", **Said(words, OF_AN_ATTACK).values})


def _place(name: str, words: Words, _: str) -> m.Place:
    thing = words.take()
    words.skip("at")
    spot = words.spot()
    return m.Place(name, thing, spot, **Said(words, OF_A_CHARGE).values)


def _put(name: str, words: Words, _: str) -> m.PutDown:
    if not words.skip("down"):
        raise unreadable(words.text)
    return m.PutDown(name)


def _on(kind: Callable[[str, str], m.SkirmishMove]) -> Callable[[str, Words, str], m.SkirmishMove]:
    return lambda name, words, verb: kind(name, words.take())


READERS: dict[str, Callable[[str, Words, str], m.SkirmishMove]] = {
    **dict.fromkeys(("walk", "run", "crawl", "climb", "jump"), _travel),
    "face": lambda name, words, verb: m.Face(name, words.direction()),
    "prone": lambda name, words, verb: m.Stance(name, True),
    "stand": lambda name, words, verb: m.Stance(name, False),
    "fire": _fire,
    "throw": _throw,
    "opfire": _opfire,
    "reload": lambda name, words, verb: m.Reload(name, words.take() if words.left else ""),
    "learn": _on(m.Learn),
    "pick": _pick_up,
    "drop": lambda name, words, verb: _counted(m.Drop, words, name),
    "fix": _fix,
    "attack": _attack,
    "tackle": _on(m.Tackle),
    "tie": _on(m.Tie),
    "bandage": lambda name, words, verb: m.Bandage(
        name, name if words.skip("self", "himself") else words.take()
    ),
    "rouse": _on(m.Rouse),
    "carry": _on(m.Carry),
    "put": _put,
    "place": _place,
    "trigger": _on(m.Trigger),
    "demand": _on(m.Demand),
}

TEAM = re.compile(r"([a-z-]+)(?:\s+([a-z-]+))?\s*(?:\(([^()]*)\))?")


def _build(text: str) -> m.Build:
    body = text.strip().lower()[len("build") :]
    teams = []
    for part in body.split("+"):
        found = TEAM.fullmatch(part.strip())
        if not found:
            raise unreadable(text)
        members: list[tuple[str, ...]] = [(), (), (), ()]
        for clause in filter(None, (c.strip() for c in (found[3] or "").split(";"))):
            number, colon, things = clause.partition(":")
            if not colon or number.strip() not in ("1", "2", "3", "4"):
                raise unreadable(text)
            members[int(number) - 1] += tuple(things.replace(",", " ").split())
        teams.append(m.TeamOrder(found[1], found[2] or "", tuple(members)))
    return m.Build(tuple(teams))


def _deploy(text: str) -> m.Deploy:
    places = []
    for part in text.strip()[len("deploy") :].split(";"):
        words = Words(part)
        if not words.left:
            continue
        name = words.take()
        words.skip("at", "to")
        spot = words.spot()
        floor = words.floor()
        facing = words.direction() if words.skip("facing") else 0
        prone = words.skip("prone")
        words.done()
        places.append(m.Placement(name, spot[0], spot[1], floor, facing, prone))
    return m.Deploy(tuple(places))


def _on_floor(floor: str) -> str:
    return "" if floor == GROUND else f" on {floor}"


def _team_text(team: m.TeamOrder) -> str:
    clauses = [f"{k}: {' '.join(things)}" for k, things in enumerate(team.members, 1) if things]
    name = f"{team.faction} {team.upgrade}".strip()
    return f"{name} ({'; '.join(clauses)})" if clauses else name


def _place_text(place: m.Placement) -> str:
    at = spot_text((place.x, place.y)) + _on_floor(place.floor)
    return f"{place.model} {at} facing {place.facing}" + (" prone" if place.prone else "")


def write(move: m.SkirmishMove) -> str:
    """The move as an order; ``read`` is the inverse."""
    match move:
        case m.Build(teams):
            return "build " + " + ".join(_team_text(team) for team in teams)
        case m.TakeSide(side):
            return f"side {side}"
        case m.TakeOrder(first):
            return "deploy first" if first else "deploy second"
        case m.Deploy(places):
            return "deploy " + "; ".join(_place_text(place) for place in places)
        case m.Initiative(first):
            return "go first" if first else "go second"
        case m.Activate(who):
            return f"activate {who}"
        case m.End(who):
            return f"{who} end"
        case m.Demands(on):
            return "demands on" if on else "demands off"
        case _:
            return f"{move.model} {_act_text(move)}"


def _act_text(move: m.ModelMove) -> str:
    match move:
        case m.Travel(_, gait, path, floor):
            return travel_text(gait, path_text(path), floor)
        case m.Face(_, facing):
            return f"face {facing}"
        case m.Stance(_, prone):
            return "prone" if prone else "stand"
        case m.Fire():
            return _fire_text(move)
        case m.Throw():
            at = move.target or spot_text(move.spot or (0, 0)) + _on_floor(move.floor)
            flags = [word for word in ("through", "reroll") if getattr(move, word)]
            return " ".join([f"throw {move.grenade} at {at}", *flags])
        case m.OpFire():
            return _opfire_text(move)
        case m.Reload(_, weapon):
            return f"reload {weapon}"
        case m.PickUp(_, thing, count):
            return f"pick up {count} {thing}"
        case m.Drop(_, thing, count):
            return f"drop {count} {thing}"
        case m.FixBayonet():
            return "fix bayonet"
        case m.Attack(_, target, weapon, knockout):
            return f"attack {target} with {weapon}" + (" knockout" if knockout else "")
        case m.PutDown():
            return "put down"
        case m.Place(_, thing, spot, facing, quarters):
            tail = f" quarters {quarters}" if quarters != 1 else ""
            return f"place {thing} at {spot_text(spot)} facing {facing}{tail}"
        case m.Learn(_, other) | m.Trigger(_, other):
            verb = "learn" if isinstance(move, m.Learn) else "trigger"
            return f"{verb} {other}"
        case m.Tackle(_, other) | m.Tie(_, other) | m.Demand(_, other):
            return f"{type(move).__name__.lower()} {other}"
        case m.Bandage(_, other) | m.Rouse(_, other) | m.Carry(_, other):
            return f"{type(move).__name__.lower()} {other}"


def travel_text(gait: m.Gaits, path: str, floor: str) -> str:
    """Where somebody goes, as an order says it; the path is text already."""
    return f"{gait} to {path}{_on_floor(floor)}"


def _fire_text(move: m.Fire) -> str:
    if move.target:
        at = move.target
    elif move.spot:
        at = spot_text(move.spot) + _on_floor(move.floor)
    else:
        at = f"building {move.building} level {move.level}"
    words = [f"fire {at} with {move.weapon} {move.mode}"]
    words += [flag for flag in FLAGS if getattr(move, flag)]
    if move.spotter:
        words.append(f"spotter {move.spotter}")
    return " ".join(words)


def _opfire_text(move: m.OpFire) -> str:
    if move.device:
        words = [f"opfire trigger {move.device}"]
    else:
        words = [f"opfire with {move.weapon} {move.mode}"]
    if move.arc != (0, 0):
        words.append(f"arc {move.arc[0]}-{move.arc[1]}")
    if move.reach:
        words.append(f"range {inches(move.reach)}")
    words.append(f"at {move.target} chance {move.chance}")
    words += [flag for flag in WAITING_FLAGS if getattr(move, flag)]
    return " ".join(words)
