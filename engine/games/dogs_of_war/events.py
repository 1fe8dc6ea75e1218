"""The events, as a tagged union. Seats and battles count from 0, spaces and years from 1."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

from engine.game import Event, Score, Seat
from engine.games.dogs_of_war.box.components import (
    Dog,
    House,
    Reward,
    RewardKind,
    Soldier,
    SoldierCounts,
)

#: The source of a reward: the space, a space copied from the opposing tile, a tactic card, a bonus.
Source: TypeAlias = Literal["space", "copy", "tactic", "bonus"]


class Ending(StrEnum):
    """Why a match is over. The value is kept for older records."""

    FOURTH_YEAR = "The fourth year is over."


class DogChosen(Event, frozen=True, tag="dog_chosen"):
    """A player chose a dog of war for the match (DOW-1)."""

    seat: Seat
    dog: Dog


class DogsDealt(Event, frozen=True, tag="dogs_dealt"):
    """The dog of war of each seat, if nobody chose: by lot or by the host (DOW-1)."""

    dogs: tuple[Dog, ...]


class HousesRemoved(Event, frozen=True, tag="houses_removed"):
    """Houses that take no part in the match (DOW-V4)."""

    houses: tuple[House, ...]


class ScreenDealt(Event, frozen=True, tag="screen_dealt"):
    """A player's secret start: tactic cards, support card and coins. Only that player reads it."""

    seat: Seat
    tactics: tuple[str, ...]
    support: House
    coins: int


class TokenDrawn(Event, frozen=True, tag="token_drawn"):
    """The first-player token was drawn by lot (DOW-9)."""

    seat: Seat


class YearBegan(Event, frozen=True, tag="year_began"):
    """The battles of a year: houses, tile numbers and bonus of each (DOW-15 to DOW-19)."""

    year: int
    houses: tuple[tuple[House, House], ...]
    tiles: tuple[tuple[int, int], ...]
    bonuses: tuple[Reward, ...]


class FirstPlayerChosen(Event, frozen=True, tag="first_player_chosen"):
    """The holder kept the first-player token (both seats the same) or gave it (DOW-21)."""

    holder: Seat
    first: Seat


class MusteringBegan(Event, frozen=True, tag="mustering_began"):
    """Everybody got coins, and captains by seat (DOW-22, DOW-25)."""

    coins: int
    captains: tuple[int, ...]


class Mustered(Event, frozen=True, tag="mustered"):
    """A player made their purchase of the year; its content is hidden (DOW-29)."""

    seat: Seat


class Bought(Event, frozen=True, tag="bought"):
    """What a player bought and paid. Only that player reads it."""

    seat: Seat
    soldiers: SoldierCounts
    paid: int


class Placed(Event, frozen=True, tag="placed"):
    """An action: tactic card if any, soldier, captain, tracker (DOW-32)."""

    seat: Seat
    tactic: str | None
    soldier: Soldier
    battle: int
    house: House
    space: int
    tracker_before: int
    tracker_after: int

    @property
    def leads(self) -> tuple[int, int]:
        """Both places as the lead of the house, as a tracker moves only toward the supported house.

        Where it did not move, whose lead the places are is not known from the event.
        """
        sign = 1 if self.tracker_after > self.tracker_before else -1
        return sign * self.tracker_before, sign * self.tracker_after


class Rewarded(Event, frozen=True, tag="rewarded"):
    """A reward was due, and ``got`` of it was available (DOW-61).

    ``house`` is given if it matters: the house of the influence tokens, or the house the tracker
    was pushed toward.
    """

    seat: Seat
    source: Source
    kind: RewardKind
    got: int
    battle: int
    house: House | None = None


class BattleClosed(Event, frozen=True, tag="battle_closed"):
    """The tracker reached 15 and the battle takes no more captains (DOW-V2)."""

    battle: int
    house: House


class TacticsDrawn(Event, frozen=True, tag="tactics_drawn"):
    """The tactic cards a player drew. Only that player reads it."""

    seat: Seat
    tactics: tuple[str, ...]


class DeckReshuffled(Event, frozen=True, tag="deck_reshuffled"):
    """The tactic deck ran out and the discards became a new one (DOW-53)."""

    cards: int


class Passed(Event, frozen=True, tag="passed"):
    """A player passed and discarded captains; the first to pass gets next year's token (DOW-68)."""

    seat: Seat
    captains: int
    takes_token: bool


class TrackerPushed(Event, frozen=True, tag="tracker_pushed"):
    """The Nameless Conqueror moved a tracker (DOW-91)."""

    seat: Seat
    battle: int
    house: House
    spaces: int
    tracker_after: int


class CaptainsWithdrawn(Event, frozen=True, tag="captains_withdrawn"):
    """Stormcrow took his captains back from a losing side (DOW-94)."""

    seat: Seat
    battle: int
    house: House
    captains: int


class NothingMoved(Event, frozen=True, tag="nothing_moved"):
    """The Nameless Conqueror moved no tracker (DOW-91), since version 3 of the rules."""

    seat: Seat


class NothingWithdrawn(Event, frozen=True, tag="nothing_withdrawn"):
    """Stormcrow took no captain back (DOW-94), since version 3 of the rules."""

    seat: Seat


class BattleEnded(Event, frozen=True, tag="battle_ended"):
    """A battle's outcome. ``positions`` are the two houses' new places on the house track."""

    battle: int
    houses: tuple[House, House]
    tracker: int
    victor: House | None
    glorious: bool
    positions: tuple[int, int]


class PointsScored(Event, frozen=True, tag="points_scored"):
    """Victory points for the captains of the defeated house (DOW-78)."""

    seat: Seat
    battle: int
    points: int


class SpoilsTaken(Event, frozen=True, tag="spoils_taken"):
    """Blackmane took the strongest soldier of the defeated house (DOW-87)."""

    seat: Seat
    battle: int
    soldier: Soldier


class ProfitMade(Event, frozen=True, tag="profit_made"):
    """O'Malley got a coin for a battle won (DOW-90)."""

    seat: Seat
    battle: int
    coins: int


class MatchEnded(Event, frozen=True, tag="match_ended"):
    """The screens are opened: all scores with their breakdown (DOW-96)."""

    winners: tuple[Seat, ...]
    scores: tuple[Score, ...]


DogsEvent: TypeAlias = (
    DogChosen
    | DogsDealt
    | HousesRemoved
    | ScreenDealt
    | TokenDrawn
    | YearBegan
    | FirstPlayerChosen
    | MusteringBegan
    | Mustered
    | Bought
    | Placed
    | Rewarded
    | BattleClosed
    | TacticsDrawn
    | DeckReshuffled
    | Passed
    | TrackerPushed
    | CaptainsWithdrawn
    | NothingMoved
    | NothingWithdrawn
    | BattleEnded
    | PointsScored
    | SpoilsTaken
    | ProfitMade
    | MatchEnded
)
