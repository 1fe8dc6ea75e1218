"""The events of a match, from which sentences are made. Lengths are thousandths of an inch.

``who`` is the name of the affected model, ``by`` that of the acting one. Events out of the enemy's
sight have ``readers``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

from engine.game import Event, Seat
from engine.games.skirmish.data.library import Smoke
from engine.games.skirmish.ground.geometry import Point

#: Rolls in which a 1 always succeeds and a 10 never does.
NEVER_CERTAIN = ("to hit", "close combat", "tackle")


def highest_hit(need: int) -> int:
    """SKR-67: the highest die that hits; a 1 always does, a 10 never."""
    return max(1, min(need, 9))


class Ending(StrEnum):
    """Why a match is over: SKR-3."""

    #: A side cannot fight another turn.
    DESTROYED = "destroyed"
    TURN_LIMIT = "turn limit"


class Happened(Event, frozen=True, kw_only=True, tag_field="kind"):
    """Base of this game's events."""


class HandedIn(Happened, frozen=True, kw_only=True, tag="handed_in"):
    """A seat has built or placed its force, which is still secret."""

    seat: Seat
    what: str


class ForceShown(Happened, frozen=True, kw_only=True, tag="force_shown"):
    """A force as an order, with its price."""

    seat: Seat
    order: str
    points: int


class SideTaken(Happened, frozen=True, kw_only=True, tag="side_taken"):
    seat: Seat
    side: str


class OrderTaken(Happened, frozen=True, kw_only=True, tag="order_taken"):
    """The seat that deploys first."""

    seat: Seat


class Rolled(Happened, frozen=True, kw_only=True, tag="rolled"):
    """One die: its purpose, its result, and the maximum for success, if any."""

    purpose: str
    die: int
    sides: int = 10
    who: str = ""
    need: int | None = None
    passed: bool | None = None

    @property
    def at_most(self) -> int | None:
        """The highest die that succeeds, if it decides alone."""
        if self.need is None or self.purpose not in NEVER_CERTAIN:
            return self.need
        return highest_hit(self.need)


class RolledAt(Rolled, frozen=True, kw_only=True, tag="rolled_at"):
    """SKR-89, 132: a die of a shot at somebody else than whom it was ordered at, or of a tackle."""

    target: str


class TurnStarted(Happened, frozen=True, kw_only=True, tag="turn_started"):
    turn: int
    winner: Seat


class FirstTaken(Happened, frozen=True, kw_only=True, tag="first_taken"):
    """The seat that activates first this turn."""

    seat: Seat


class Activated(Happened, frozen=True, kw_only=True, tag="activated"):
    seat: Seat
    who: str


class ActivationEnded(Happened, frozen=True, kw_only=True, tag="activation_ended"):
    seat: Seat
    who: str


class Moved(Happened, frozen=True, kw_only=True, tag="moved"):
    """The part of somebody's path that its readers saw."""

    who: str
    gait: str
    path: tuple[Point, ...]
    floor: str
    ap: int


class Turned(Happened, frozen=True, kw_only=True, tag="turned"):
    who: str
    facing: int


class Stood(Happened, frozen=True, kw_only=True, tag="stood"):
    who: str
    prone: bool


class Fired(Happened, frozen=True, kw_only=True, tag="fired"):
    """A shot or burst: its target, the number of dice, and the target number of the first.

    Of an enemy out of sight neither who he is (``who`` is "") nor his target number is told.
    """

    who: str
    weapon: str
    mode: str
    target: str
    dice: int
    need: int | None
    modifiers: tuple[tuple[str, int], ...] = ()

    @property
    def at_most(self) -> int | None:
        """The highest die that hits."""
        return None if self.need is None else highest_hit(self.need)


class OutOfRange(Happened, frozen=True, kw_only=True, tag="out_of_range"):
    who: str
    target: str


class Hit(Happened, frozen=True, kw_only=True, tag="hit"):
    """The location of a hit; ``stopped`` is empty, "cover" or "armour"."""

    who: str
    by: str
    location: str
    stopped: str = ""


class Wounded(Happened, frozen=True, kw_only=True, tag="wounded"):
    """SKR-98. ``effects`` in the table's words; a loss of 0 is a near miss."""

    who: str
    location: str
    loss: int
    effects: tuple[str, ...] = ()


Change: TypeAlias = Literal[
    "killed",
    "unconscious",
    "woke",
    "bandaged",
    "bled",
    "broken",
    "ducking",
    "rallied",
    "disciplined",
    "captured",
    "overpowered",
    "fatigued",
    "recalled",
    "high",
    "vest",
]


class Changed(Happened, frozen=True, kw_only=True, tag="changed"):
    """Somebody's condition changed."""

    who: str
    what: Change
    by: str = ""


class TeamChecked(Happened, frozen=True, kw_only=True, tag="team_checked"):
    """SKR-143: a team's check at the end of a turn."""

    team: str
    passed: bool


class Did(Happened, frozen=True, kw_only=True, tag="did"):
    """A small act, such as reloading, picking something up or setting a mine.

    Or "prevented": SKR-46, 132a: what was ordered is not done, though its AP are spent.
    """

    who: str
    act: str
    thing: str = ""
    count: int = 1


class Watching(Happened, frozen=True, kw_only=True, tag="watching"):
    """Somebody waits on Op-Fire; only his own side reads it."""

    who: str
    order: str


class Interrupted(Happened, frozen=True, kw_only=True, tag="interrupted"):
    """SKR-46: somebody's Op-Fire interrupts another's act; ``who`` is "" if he is out of sight."""

    who: str
    target: str


class Exploded(Happened, frozen=True, kw_only=True, tag="exploded"):
    weapon: str
    at: Point
    floor: str
    radius: int


class Thrown(Happened, frozen=True, kw_only=True, tag="thrown"):
    """Where a grenade landed, and whether it exploded."""

    who: str
    grenade: str
    at: Point
    missed: bool
    dud: bool = False


class SmokeRose(Happened, frozen=True, kw_only=True, tag="smoke_rose"):
    at: Point
    cloud: Smoke


class Struck(Happened, frozen=True, kw_only=True, tag="struck"):
    """SKR-117: the points a level of a building lost, and has left."""

    building: str
    level: int
    loss: int
    left: int


class Collapsed(Happened, frozen=True, kw_only=True, tag="collapsed"):
    building: str
    level: int
    rating: int


class Breached(Happened, frozen=True, kw_only=True, tag="breached"):
    at: Point


class Fought(Happened, frozen=True, kw_only=True, tag="fought"):
    """SKR-119: an attack hand to hand, before its die.

    By rules 3 after it; only then it says itself whether it succeeded.
    """

    who: str
    target: str
    weapon: str
    need: int
    modifiers: tuple[tuple[str, int], ...]
    success: bool | None = None

    @property
    def at_most(self) -> int:
        """The highest die that wins the exchange."""
        return highest_hit(self.need)


class Sighted(Happened, frozen=True, kw_only=True, tag="sighted"):
    """A seat's models see an enemy they did not see before."""

    who: str
    at: Point
    floor: str


class LostSight(Happened, frozen=True, kw_only=True, tag="lost_sight"):
    who: str


class Paid(Happened, frozen=True, kw_only=True, tag="paid"):
    """Points for an objective held at the end of a turn."""

    seat: Seat
    objective: str
    points: int


class MatchOver(Happened, frozen=True, kw_only=True, tag="match_over"):
    reason: Ending
    winners: tuple[Seat, ...]


SkirmishEvent: TypeAlias = (
    HandedIn
    | ForceShown
    | SideTaken
    | OrderTaken
    | Rolled
    | RolledAt
    | TurnStarted
    | FirstTaken
    | Activated
    | ActivationEnded
    | Moved
    | Turned
    | Stood
    | Fired
    | OutOfRange
    | Hit
    | Wounded
    | Changed
    | TeamChecked
    | Did
    | Watching
    | Interrupted
    | Exploded
    | Thrown
    | SmokeRose
    | Struck
    | Collapsed
    | Breached
    | Fought
    | Sighted
    | LostSight
    | Paid
    | MatchOver
)
