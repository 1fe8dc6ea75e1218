"""The state of a match: what lies face up, what stands behind the screens, and what is face down.

``Table`` holds only what everybody sees, and every view shows it whole: nothing hidden may ever be
put there. A player's secrets are in their ``Screen`` (DOW-13).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec

from engine import game as contract
from engine.errors import DataError, OptionsError, Sentence
from engine.game import Score, Seat
from engine.games.dogs_of_war.components import (
    DEFAULT_SET,
    HOUSES,
    Components,
    Dog,
    House,
    Reward,
    RewardKind,
    Soldier,
    SoldierCounts,
    Space,
    catalogue,
)
from engine.games.dogs_of_war.words import DOG_NAMES

YEARS = 4
#: The last space of a battle track, each way (DOW-47).
TRACK_END = 15
STARTING_COINS = 5
INCOME = 3
STARTING_TACTICS = 2
#: Captains mustered in years 1 to 4 (DOW-22).
CAPTAINS = (3, 4, 4, 5)
CAPTAINS_PER_DOG = 6
#: The lowest space of the house track (DOW-76).
LOWEST_POSITION = -1

PhaseName: TypeAlias = Literal[
    "dogs of war", "first player", "mustering", "action", "conqueror", "withdrawal", "over"
]


class Options(contract.Options, frozen=True, forbid_unknown_fields=True):
    """The switches of a match; where documents differ, the default follows the rule list."""

    #: DOW-1: the players choose their dogs of war in seat order, or lots decide.
    dogs_by: Literal["choice", "lot"] = "choice"
    #: DOW-1: the dog each seat plays, in seat order, by the host's word; empty: ``dogs_by``.
    dogs: tuple[Dog, ...] = ()
    #: A component set of this package by name, or one in full.
    components: str | Components = DEFAULT_SET
    #: DOW-V1: a tracker on 12 or more is a glorious victory, and house tokens start on 0.
    crushing_at_twelve: bool = False
    #: DOW-V2: a battle closes at once when its tracker reaches 15.
    sudden_death: bool = False
    #: DOW-V2a: the one who closes a battle still takes the space's reward.
    sudden_death_reward: bool = True
    #: DOW-V3: in year 4 the first house meets the second, the third the fourth, and so on.
    decisive_fourth_year: bool = False
    #: DOW-V3: houses of equal rank are ordered by lot, or as they stand in the list of houses.
    decisive_ties: Literal["random", "listed"] = "random"
    #: DOW-V4, for 3 players: two houses and the third battle are left out.
    two_battles: bool = False
    #: DOW-V5: with two battles, too, each house has 8 influence tokens and not 12.
    two_battles_fewer_influence: bool = True
    #: DOW-24: no player has more captains than this in a year, placed and in hand.
    captain_limit: Annotated[int, msgspec.Meta(ge=5, le=12)] = CAPTAINS_PER_DOG
    #: DOW-26: false lets a player buy any number of soldiers a year, true only one.
    one_soldier_a_year: bool = False
    #: DOW-40: Betrayal opens both sides of that battle, or of every battle, for the year.
    betrayal_opens: Literal["battle", "year"] = "battle"
    #: DOW-41: Betrayal opens the other side for the turn it is played in, or for later turns only.
    betrayal_at_once: bool = True
    #: DOW-49: the victor is read from the tracker, or from strengths without the cap at 15.
    victor_by: Literal["tracker", "strength"] = "tracker"
    #: DOW-53: of too few tactic cards in deck and discards, those there are are drawn, or none.
    short_draw: Literal["what_there_is", "nothing"] = "what_there_is"
    #: DOW-57: a "copy" may take a reward whose own space asks for a stronger soldier.
    copy_ignores_prerequisite: bool = True
    #: DOW-60: "push" counts the captain just placed as well.
    push_counts_self: bool = False
    #: DOW-68: who passes first because they must gets the first-player token, too.
    forced_pass_takes_token: bool = True
    #: DOW-76: house tokens stop at −1.
    house_floor: bool = True
    #: DOW-83: a bonus reward of influence is of the victorious house, or of the defeated one.
    bonus_influence: Literal["victor", "defeated"] = "victor"
    #: DOW-84: where a supply does not last for all who tie for a bonus reward, they are served in
    #: turn order, or nobody is.
    short_bonus: Literal["turn_order", "nobody"] = "turn_order"
    #: DOW-88: Ordalia's captain more counts for the bonus only, or in the whole outcome.
    ordalia_counts_for: Literal["bonus", "outcome"] = "bonus"
    #: DOW-89: Ordalia's captain more needs a real one at its side.
    ordalia_needs_captain: bool = True
    #: DOW-91: the Conqueror moves a tracker by up to two, or by two or not at all.
    conqueror_moves: Literal["up_to_two", "two"] = "up_to_two"
    #: DOW-93: with captains on both sides the Conqueror picks one, or the tracker stays.
    conqueror_on_both_sides: Literal["picks", "stays"] = "picks"
    #: DOW-94: Stormcrow's captains are uncounted by themselves, or he may take them back.
    stormcrow_withdraws: Literal["always", "by_choice"] = "always"
    #: DOW-95: Stormcrow's own points count his own captains among the defeated.
    stormcrow_counts_own: bool = True
    #: DOW-100: equal points share the victory, or those of them with most coins left have it.
    ties: Literal["shared", "coins"] = "shared"


def check_options(seats: int, options: Options) -> None:
    """OptionsError where a value has no meaning with this number of players or these options."""
    if options.two_battles and seats != 3:
        raise OptionsError(
            "Two battles a year is an option for 3 players, not for {seats}.",
            rule="DOW-V4",
            seats=seats,
        )
    if not options.two_battles and not options.two_battles_fewer_influence:
        raise OptionsError(
            "The influence tokens of the game with two battles have no meaning without it.",
            rule="DOW-V5",
        )
    if not options.sudden_death and not options.sudden_death_reward:
        raise OptionsError(
            "The reward of a sudden death has no meaning without sudden death.", rule="DOW-V2a"
        )
    if not options.decisive_fourth_year and options.decisive_ties != "random":
        raise OptionsError(
            "The order of houses of equal rank has no meaning without the decisive fourth year.",
            rule="DOW-V3",
        )
    if options.dogs and len(options.dogs) != seats:
        raise OptionsError(
            "{seats} players need {seats} dogs of war, not {number}.",
            rule="DOW-1",
            seats=seats,
            number=len(options.dogs),
        )
    if options.dogs and options.dogs_by != "choice":
        raise OptionsError(
            "The host has said who plays which dog of war: no lots are drawn.", rule="DOW-1"
        )
    if len(set(options.dogs)) != len(options.dogs):
        raise OptionsError("Each player needs a different dog of war.", rule="DOW-1")
    try:
        box = catalogue(options.components)
    except DataError as problem:
        raise OptionsError(
            problem.sentence.text, rule=None, **problem.sentence.parameters
        ) from None
    _refuse_without_dog(options)
    _refuse_without_component(options, box.components)


#: Switches about one dog of war: they need that dog at the table.
_OF_A_DOG: Mapping[str, tuple[Dog, str]] = {
    "ordalia_counts_for": (Dog.ORDALIA, "DOW-88"),
    "ordalia_needs_captain": (Dog.ORDALIA, "DOW-89"),
    "conqueror_moves": (Dog.CONQUEROR, "DOW-91"),
    "conqueror_on_both_sides": (Dog.CONQUEROR, "DOW-93"),
    "stormcrow_withdraws": (Dog.STORMCROW, "DOW-94"),
    "stormcrow_counts_own": (Dog.STORMCROW, "DOW-95"),
}


def _refuse_without_dog(options: Options) -> None:
    for name, (dog, rule) in _OF_A_DOG.items():
        if options.dogs and dog not in options.dogs and _is_set(options, name):
            raise OptionsError(
                "{option} means nothing here: nobody plays {dog}.",
                rule=rule,
                option=name,
                dog=Sentence(DOG_NAMES[dog]),
            )


def _refuse_without_component(options: Options, box: Components) -> None:
    """Switches about something that the component set does not have."""
    spaces = {space.reward.kind for tile in box.tiles for space in tile if space.reward}
    betrays = any(card.both_sides for card in box.tactics)
    needed = (
        ("betrayal_opens", "DOW-40", betrays, "a card that opens both sides of a battle"),
        ("betrayal_at_once", "DOW-41", betrays, "a card that opens both sides of a battle"),
        ("conqueror_on_both_sides", "DOW-93", betrays, "a card that opens both sides of a battle"),
        (
            "copy_ignores_prerequisite",
            "DOW-57",
            RewardKind.COPY in spaces,
            "a space that copies another",
        ),
        ("push_counts_self", "DOW-60", RewardKind.PUSH in spaces, "a space that pushes a tracker"),
        (
            "bonus_influence",
            "DOW-83",
            any(reward.kind is RewardKind.INFLUENCE for reward in box.bonuses),
            "a bonus reward of influence",
        ),
    )
    for name, rule, has, what in needed:
        if _is_set(options, name) and not has:
            raise OptionsError(
                "{option} means nothing here: the component set has not {what}.",
                rule=rule,
                option=name,
                what=Sentence(what),
            )


def _is_set(options: Options, name: str) -> bool:
    """Whether a switch is off its default."""
    return bool(getattr(options, name) != getattr(_PLAIN, name))


_PLAIN = Options()


class Influence(msgspec.Struct, frozen=True):
    """Influence tokens of each house."""

    talbot: int = 0
    mallory: int = 0
    bastiani: int = 0
    hackett: int = 0
    tornborn: int = 0
    harlow: int = 0

    def count(self, house: House) -> int:
        return int(getattr(self, house))

    def plus(self, house: House, number: int) -> Influence:
        return msgspec.structs.replace(self, **{str(house): self.count(house) + number})

    @property
    def total(self) -> int:
        return sum(self.count(house) for house in HOUSES)


class Screen(msgspec.Struct, frozen=True):
    """What one player keeps hidden from the others (DOW-13)."""

    support: House
    coins: int = STARTING_COINS
    points: int = 0
    soldiers: SoldierCounts = SoldierCounts()
    #: Names of the tactic cards in hand, in the order of the alphabet.
    tactics: tuple[str, ...] = ()
    influence: Influence = Influence()


class Player(msgspec.Struct, frozen=True):
    """What everybody sees of a player."""

    #: None until it is chosen.
    dog: Dog | None
    #: Captains in hand this year.
    captains: int = 0
    #: Captains won as bonus rewards, for next year's muster (DOW-82).
    reserve: int = 0
    passed: bool = False
    #: The battles, from 0, in which Betrayal lets them support both sides this year.
    betrayed: tuple[int, ...] = ()


class HouseRow(msgspec.Struct, frozen=True):
    """A house of this match: where its token stands, and its influence tokens in the supply."""

    house: House
    position: int
    influence: int


class Side(msgspec.Struct, frozen=True):
    """One side of a battle: a house and its order of battle tile (DOW-20)."""

    house: House
    #: The tile's number in the component set, from 1.
    tile: int
    spaces: tuple[Space, ...]
    #: Who stands on each space.
    captains: tuple[Seat | None, ...]
    #: The soldier cards played for the house.
    soldiers: SoldierCounts = SoldierCounts()
    #: What moved the tracker this side's way, lost surplus included.
    strength: int = 0

    def captains_of(self, seat: Seat) -> int:
        return self.captains.count(seat)

    @property
    def captains_placed(self) -> int:
        return len(self.captains) - self.captains.count(None)

    def with_captain(self, space: int, seat: Seat) -> Side:
        """The side with one captain more, on a space counted from 1."""
        captains = (*self.captains[: space - 1], seat, *self.captains[space:])
        return msgspec.structs.replace(self, captains=captains)


class Battle(msgspec.Struct, frozen=True):
    """A battle of this year. Sides are written 1a and 1b, 2a and 2b, 3a and 3b."""

    #: From −15, glory for the first side, over 0 to 15, glory for the second.
    tracker: int
    bonus: Reward
    sides: tuple[Side, Side]

    def lead(self, side: int) -> int:
        """How far the tracker stands on this side's half; negative on the other's."""
        return self.tracker if side else -self.tracker


class Placement(msgspec.Struct, frozen=True):
    """One action of this year, as everybody saw it. Battle from 0, space from 1."""

    seat: Seat
    battle: int
    house: House
    space: int
    soldier: Soldier
    tactic: str | None
    copied: int | None
    #: Where the tracker stood afterwards.
    tracker: int


class BattleResult(msgspec.Struct, frozen=True):
    """How a battle ended. ``points`` are the victory points of each seat (DOW-78)."""

    year: int
    battle: int
    houses: tuple[House, House]
    tracker: int
    victor: House | None
    glorious: bool
    bonus: Reward
    points: tuple[int, ...]
    takers: tuple[Seat, ...]


class Table(msgspec.Struct, frozen=True):
    """Everything that lies face up, and whose turn it is."""

    year: int
    phase: PhaseName
    #: The seat that must act; nobody once the match is over.
    turn: Seat | None
    #: The holder of the first-player token, and who goes first this year; both are the first seat
    #: while dogs of war are chosen, before the token is drawn.
    token: Seat
    first: Seat
    #: Who passed first this year and has the token from next year on (DOW-68).
    first_passed: Seat | None
    players: tuple[Player, ...]
    houses: tuple[HouseRow, ...]
    removed: tuple[House, ...]
    battles: tuple[Battle, ...]
    #: Soldier cards in the supply.
    soldiers: SoldierCounts
    #: Cards left in the tactic deck, and the discards in the order they were played.
    deck: int
    discards: tuple[str, ...]
    placements: tuple[Placement, ...] = ()
    results: tuple[BattleResult, ...] = ()

    def dogs_left(self) -> tuple[Dog, ...]:
        """The dogs of war that nobody plays (DOW-1)."""
        taken = {player.dog for player in self.players}
        return tuple(dog for dog in Dog if dog not in taken)

    def row(self, house: House) -> HouseRow:
        return next(row for row in self.houses if row.house is house)

    def find(self, house: House) -> tuple[int, int] | None:
        """The battle and the side a house fights on this year; None for one that does not."""
        for number, battle in enumerate(self.battles):
            for side in (0, 1):
                if battle.sides[side].house is house:
                    return number, side
        return None

    def where(self, house: House) -> tuple[int, int]:
        """The battle and the side of a house that is known to fight this year."""
        found = self.find(house)
        if found is None:
            raise ValueError(f"{house} does not fight this year")
        return found

    def captains_this_year(self, seat: Seat) -> int:
        """Placed and in hand (DOW-24)."""
        placed = sum(side.captains_of(seat) for battle in self.battles for side in battle.sides)
        return self.players[seat].captains + placed

    def after(self, seat: Seat) -> Seat:
        """The next seat clockwise."""
        return (seat + 1) % len(self.players)

    def in_turn_order(self) -> tuple[Seat, ...]:
        """All seats, clockwise from this year's first player."""
        seats = tuple(range(len(self.players)))
        return seats[self.first :] + seats[: self.first]


class State(msgspec.Struct, frozen=True):
    """All there is, hidden things included."""

    options: Options
    #: SHA-256 of the component set the match is played with, in hexadecimal.
    components_digest: str
    table: Table
    #: By seat; none while dogs of war are chosen.
    screens: tuple[Screen, ...]
    #: The tactic deck, next card last.
    deck: tuple[str, ...]
    #: House support cards that lie face down out of the game (DOW-5).
    undealt: tuple[House, ...]
    #: Times the discards became a new deck: the name of the next shuffle.
    reshuffles: int = 0
    #: Set when the match is over.
    scores: tuple[Score, ...] = ()
    #: The version of the rules the match began with: ``versions``.
    rules: int = 1
