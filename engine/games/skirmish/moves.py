"""The moves: one move is one line of an order. Lengths are thousandths of an inch."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from engine.game import Move
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.terrain import GROUND


class TeamOrder(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One fire team to build: its list, its upgrade, and the extras of each of four members."""

    faction: str
    upgrade: str = ""
    members: tuple[tuple[str, ...], ...] = ((), (), (), ())


class Placement(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    model: str
    x: int
    y: int
    floor: str = GROUND
    facing: int = 0
    prone: bool = False


class Build(Move, frozen=True, gc=False, tag="build"):
    """SKR-14: the whole force."""

    teams: tuple[TeamOrder, ...]


class TakeSide(Move, frozen=True, tag="side"):
    """SKR-17."""

    side: Literal["south", "north"]


class TakeOrder(Move, frozen=True, tag="order"):
    """SKR-18: deploy first or second."""

    first: bool


class Deploy(Move, frozen=True, gc=False, tag="deploy"):
    """SKR-19: every model's place."""

    places: tuple[Placement, ...]


class Initiative(Move, frozen=True, tag="initiative"):
    """SKR-22: the side that activates first this turn."""

    first: bool


class Activate(Move, frozen=True, tag="activate"):
    """SKR-23: a team, or one member by name."""

    who: str


class End(Move, frozen=True, tag="end"):
    """Ends the activation of a team or member; one that has not begun is skipped."""

    who: str


class Demands(Move, frozen=True, tag="demands"):
    """SKR-147: whether broken enemies within 5" are always called on to surrender."""

    on: bool


Gaits: TypeAlias = Literal["walk", "run", "crawl", "climb", "jump"]


class Travel(Move, frozen=True, tag="travel"):
    """SKR-26 to 35. ``path`` is the list of corners; ``floor`` the floor where it ends."""

    model: str
    gait: Gaits
    path: tuple[Point, ...]
    floor: str = GROUND


class Face(Move, frozen=True, tag="face"):
    """SKR-40."""

    model: str
    facing: int


class Stance(Move, frozen=True, tag="stance"):
    """SKR-29, 30."""

    model: str
    prone: bool


class Fire(Move, frozen=True, tag="fire"):
    """Section 6. The target is a model, else a spot, else a building's level."""

    model: str
    weapon: str
    mode: str  # "single", "burst" or "auto", as the weapon has it
    target: str = ""
    spot: Point | None = None
    floor: str = GROUND
    building: str = ""
    level: int = 0
    aimed: bool = False
    scope: bool = False
    low: bool = False  # SKR-87: one off the location roll
    reroll: bool = False  # SKR-180
    spotter: str = ""


class Throw(Move, frozen=True, tag="throw"):
    """SKR-38, 108."""

    model: str
    grenade: str
    target: str = ""
    spot: Point | None = None
    floor: str = GROUND
    through: bool = False  # SKR-111: by a door or window next to the thrower
    reroll: bool = False


#: The default minimum chance of an Op-Fire order.
LEAST_CHANCE = 10


class OpFire(Move, frozen=True, gc=False, tag="opfire"):
    """SKR-45: the standing order that the engine follows in the enemy's activation.

    The watched arc runs clockwise between two bearings; ``reach`` 0 is as far as the weapon
    carries; ``target`` is "first" or a model or team; ``chance`` the minimum chance in per cent.
    ``device`` is a Claymore to trigger instead of a weapon to fire. ``reroll``: SKR-180;
    ``aimed`` and ``scope``: SKR-69, 70.
    """

    model: str
    weapon: str = ""
    mode: str = "single"
    arc: tuple[int, int] = (0, 0)
    reach: int = 0
    target: str = "first"
    chance: int = LEAST_CHANCE
    device: str = ""
    reroll: bool = False
    aimed: bool = False
    scope: bool = False


class Reload(Move, frozen=True, tag="reload"):
    model: str
    weapon: str


class Learn(Move, frozen=True, tag="learn"):
    """SKR-10: try to learn a strange weapon."""

    model: str
    weapon: str


class PickUp(Move, frozen=True, tag="pick-up"):
    model: str
    thing: str
    count: int = 1


class Drop(Move, frozen=True, tag="drop"):
    model: str
    thing: str
    count: int = 1


class FixBayonet(Move, frozen=True, tag="fix-bayonet"):
    model: str


class Attack(Move, frozen=True, tag="attack"):
    """SKR-119, 131: hand to hand."""

    model: str
    target: str
    weapon: str
    knockout: bool = False


class Tackle(Move, frozen=True, tag="tackle"):
    """SKR-132: after running into contact."""

    model: str
    target: str


class Tie(Move, frozen=True, tag="tie"):
    """SKR-132: flex-cuffs for somebody overpowered."""

    model: str
    target: str


class Bandage(Move, frozen=True, tag="bandage"):
    model: str
    patient: str


class Rouse(Move, frozen=True, tag="rouse"):
    """SKR-138: help an unconscious friend come round."""

    model: str
    patient: str


class Carry(Move, frozen=True, tag="carry"):
    model: str
    load: str


class PutDown(Move, frozen=True, tag="put-down"):
    model: str


class Place(Move, frozen=True, tag="place"):
    """SKR-165 to 170: set a mine, Claymore, C4 or shaped charge."""

    model: str
    thing: str
    spot: Point
    facing: int = 0
    quarters: int = 1


class Trigger(Move, frozen=True, tag="trigger"):
    """SKR-41; "vest" is the charge he wears (SKR-188)."""

    model: str
    device: str


class Demand(Move, frozen=True, tag="demand"):
    """SKR-148."""

    model: str
    target: str


#: An order to one man.
ModelMove: TypeAlias = (
    Travel
    | Face
    | Stance
    | Fire
    | Throw
    | OpFire
    | Reload
    | Learn
    | PickUp
    | Drop
    | FixBayonet
    | Attack
    | Tackle
    | Tie
    | Bandage
    | Rouse
    | Carry
    | PutDown
    | Place
    | Trigger
    | Demand
)
SkirmishMove: TypeAlias = (
    Build | TakeSide | TakeOrder | Deploy | Initiative | Activate | End | Demands | ModelMove
)
