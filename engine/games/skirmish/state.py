"""The whole state of a match, hidden things included. Everything is frozen.

Nothing of it can hold itself, so the garbage collector need not look at it (``gc=False``): a state
has some hundred structs, and is made anew with every step.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from engine.game import Outcome
from engine.games.skirmish.data.library import Abilities
from engine.games.skirmish.events import Ending
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.scene import Cloud
from engine.games.skirmish.ground.terrain import GROUND, Breach, TableForm
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import Build, Deploy, OpFire

Gait: TypeAlias = Literal["still", "walked", "ran"]
Condition: TypeAlias = Literal["fit", "unconscious", "dead", "captured"]


class Arm(msgspec.Struct, frozen=True, gc=False):
    """A weapon in a model's hands: the rounds in it, and whether it is from his own list."""

    weapon: str
    loaded: int = 0
    own: bool = True
    learnt: bool = False
    barred: bool = False  # SKR-12
    tried: bool = False
    shots: int = 0  # this turn


class Wounds(msgspec.Struct, frozen=True, gc=False):
    """The effects of wounds other than lost health: SKR-97 to 101. They accumulate."""

    untreated: bool = False  # IMA
    bleeding: bool = False
    slow: bool = False
    immobilized: bool = False
    one_action_right: bool = False
    one_action_left: bool = False
    left_arm_useless: bool = False


class Model(msgspec.Struct, frozen=True, gc=False):
    """One model. Places are thousandths of an inch; ``floor`` names the floor he is on."""

    name: str
    team: str
    number: int
    seat: int
    faction: str
    role: Literal["leader", "second", "gunner", "assistant"]
    abilities: Abilities
    hp: int
    skills: tuple[str, ...] = ()
    gear: tuple[str, ...] = ()
    arms: tuple[Arm, ...] = ()
    #: What he knows of weapons he has dropped, and has fired with them this turn; no rounds. Also
    #: of grenades and mines that are not of his list.
    dropped: tuple[Arm, ...] = ()
    #: Counted things: rounds by calibre, grenades, charges.
    stock: tuple[tuple[str, int], ...] = ()

    x: int = 0
    y: int = 0
    floor: str = GROUND
    facing: int = 0
    prone: bool = False

    ap: int = 10
    pool: int = 10  # the AP of this turn's activation, if he wakes for it
    condition: Condition = "fit"
    wounds: Wounds = Wounds()
    bandaged: bool = False

    gait: Gait = "still"  # since the start of his latest activation
    walked_too: bool = False
    ran_this_turn: bool = False
    ran_last_turn: bool = False
    half_pool: bool = False  # SKR-47
    charged: int = 0  # how far he ran into contact
    ran_on: int = 0  # how far he has run, in one run or several, without doing anything else
    charge_from_cover: bool = False  # SKR-126, by rules 3
    charged_in_cover: tuple[str, ...] = ()  # whom he charged while they were in cover (SKR-126)
    last_act: Literal["", "ranged", "won", "lost", "close"] = ""
    distracted: bool = False  # his last action was a shot out of close combat (SKR-129)
    #: Fired in the open since his last activation, by a weapon that flashes (SKR-60).
    flashed: bool = False
    #: Enemies whose flash he has seen since their last activation; None: everybody's (rules 3).
    saw_fire: tuple[str, ...] | None = None
    known: tuple[str, ...] = ()  # enemies he has spotted this turn
    sees: tuple[str, ...] = ()  # enemies in his sight now
    watch: OpFire | None = None  # SKR-45
    arm_acts: int = 0  # SKR-99
    rerolled: bool = False  # SKR-180
    morale_checks: int = 0  # SKR-181
    failed_checks: int = 0
    saw_leader_die: bool = False  # SKR-145; by rules 3 the team knows it
    lost_this_turn: bool = False  # SKR-145: fell or was taken, even if he has woken since
    broken: Literal["", "broken", "ducking"] = ""
    venturing: bool = False  # SKR-55
    recalled: bool = False
    overpowered: str = ""  # by whom (SKR-132)
    captor: str = ""
    carrying: str = ""
    carried_by: str = ""
    may_run_laden: bool = False
    wake_tried: bool = False
    wake_help: bool = False
    tested: bool = False  # survivability, once per turn (SKR-136)
    bayonet_fixed: bool = False
    vest_charge: bool = False  # SKR-188

    @property
    def at(self) -> Point:
        return (self.x, self.y)

    @property
    def fit(self) -> bool:
        """Conscious and free."""
        return self.condition == "fit"

    @property
    def fights(self) -> bool:
        """SKR-3: conscious, uncaptured and not broken."""
        return self.condition == "fit" and self.broken != "broken"

    def count(self, thing: str) -> int:
        return dict(self.stock).get(thing, 0)

    def arm(self, weapon: str) -> Arm | None:
        return next((arm for arm in self.arms if arm.weapon == weapon), None)


class Team(msgspec.Struct, frozen=True, gc=False):
    name: str
    seat: int
    faction: str
    upgrade: str = ""
    high: bool = False  # SKR-184
    checked: bool = False  # SKR-143
    lost_this_turn: int = 0
    leader_death_seen: bool = False


class Device(msgspec.Struct, frozen=True, gc=False):
    """A mine, Claymore, C4 or shaped charge on the table. Enemies do not see it."""

    name: str
    kind: str
    seat: int
    owner: str
    x: int
    y: int
    floor: str
    facing: int = 0
    quarters: int = 1


class Lying(msgspec.Struct, frozen=True, gc=False):
    """Things on the ground that may be picked up."""

    thing: str
    count: int
    loaded: int
    x: int
    y: int
    floor: str
    #: The fallen man who had it: the other side sees it only when it is at hand.
    of: str = ""


class Contact(msgspec.Struct, frozen=True, gc=False):
    """What a seat knows of an enemy model, as seen now or when last seen."""

    model: str
    turn: int
    seen: bool
    share: int
    x: int
    y: int
    floor: str
    facing: int
    prone: bool
    condition: Condition
    broken: bool
    gait: Gait
    flashed: bool
    bleeding: bool
    overpowered: str = ""  # by whom (SKR-132)
    carried_by: str = ""


class Shot(msgspec.Struct, frozen=True, gc=False):
    """A line of fire to draw on the map, and who may see it."""

    shooter: str
    start: Point
    end: Point
    hit: bool
    readers: tuple[int, ...] | None


class Activation(msgspec.Struct, frozen=True, gc=False):
    """SKR-23: a whole team, or one single member."""

    seat: int
    who: str
    members: tuple[str, ...]
    #: The number of orders so far that cost no AP.
    free_orders: int = 0


class LevelPoints(msgspec.Struct, frozen=True, gc=False):
    """SKR-116: structure points left in a damaged level."""

    part: str
    points: int


class Tally(msgspec.Struct, frozen=True, gc=False):
    """What a seat has earned so far."""

    objectives: tuple[int, ...]


class State(msgspec.Struct, frozen=True, gc=False):
    """A match. ``stage`` is the rules' name of the phase."""

    options: SkirmishOptions
    table: TableForm
    stage: Literal["building", "sides", "order", "deployment", "initiative", "activation", "over"]
    turn: int = 0
    activation_number: int = 0
    order_number: int = 0
    #: The seat that decides now in "sides", "order", "initiative" and "activation".
    chooser: int = 0
    sides: tuple[str, str] = ("", "")
    deploy_first: int = 0
    builds: tuple[Build | None, ...] = (None, None)
    places: tuple[Deploy | None, ...] = (None, None)
    models: tuple[Model, ...] = ()
    teams: tuple[Team, ...] = ()
    active: Activation | None = None
    done: tuple[str, ...] = ()
    devices: tuple[Device, ...] = ()
    device_numbers: tuple[int, int] = (0, 0)
    lying: tuple[Lying, ...] = ()
    smoke: tuple[Cloud, ...] = ()
    collapsed: tuple[str, ...] = ()
    breaches: tuple[Breach, ...] = ()
    levels: tuple[LevelPoints, ...] = ()
    contacts: tuple[tuple[Contact, ...], ...] = ((), ())
    shots: tuple[Shot, ...] = ()
    tallies: tuple[Tally, ...] = ()
    demands: tuple[bool, bool] = (True, True)
    result: Outcome[Ending] | None = None
    #: The version of the rules that the match began with; 2 if a stored state has none.
    rules: int = 2

    def model(self, name: str) -> Model | None:
        return next((model for model in self.models if model.name == name), None)
