"""The components of the box: known facts in code, the undocumented ones from a data file.

The kinds of soldiers, houses and captains are known and defined here. The tactic cards, the order
of battle tiles, the fronts of the bonus tokens and the split of the soldier cards are in no
document this project could find; ``components.json`` holds this project's own set, and a host may
supply another with the same schema (option ``components``).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Annotated

import msgspec

from engine import codec
from engine.errors import DataError, shown


class House(StrEnum):
    TALBOT = "talbot"
    MALLORY = "mallory"
    BASTIANI = "bastiani"
    HACKETT = "hackett"
    TORNBORN = "tornborn"
    HARLOW = "harlow"


class Soldier(StrEnum):
    """The kinds of soldier cards, weakest first."""

    FOOTMAN = "footman"
    ARQUEBUSER = "arquebuser"
    KNIGHT = "knight"
    WAR_MACHINE = "war_machine"


class Dog(StrEnum):
    """The dogs of war, one for each player."""

    BLACKMANE = "blackmane"
    ORDALIA = "ordalia"
    OMALLEY = "omalley"
    CONQUEROR = "conqueror"
    STORMCROW = "stormcrow"


class RewardKind(StrEnum):
    POINTS = "points"
    FOOTMAN = "footman"
    ARQUEBUSER = "arquebuser"
    KNIGHT = "knight"
    WAR_MACHINE = "war_machine"
    COINS = "coins"
    TACTICS = "tactics"
    CAPTAIN = "captain"
    INFLUENCE = "influence"
    COPY = "copy"
    COINS_PER_CAPTAIN = "coins_per_captain"
    PUSH = "push"


HOUSES = tuple(House)
SOLDIERS = tuple(Soldier)
#: The price of a soldier card in coins, and the spaces it moves the tracker (DOW-26, DOW-46).
COST: Mapping[Soldier, int] = dict(zip(SOLDIERS, (1, 2, 3, 4), strict=True))
STRENGTH: Mapping[Soldier, int] = dict(zip(SOLDIERS, (1, 3, 5, 7), strict=True))
#: For prerequisites: a space needs a soldier of this rank or higher (DOW-42, DOW-43).
RANK: Mapping[Soldier, int] = dict(zip(SOLDIERS, (1, 2, 3, 4), strict=True))
#: The soldier card of each reward that is a soldier card (DOW-51).
SOLDIER_REWARD: Mapping[RewardKind, Soldier] = {RewardKind(kind.value): kind for kind in SOLDIERS}

SPACES_PER_TILE = 6
TILES = 8
BONUS_TOKENS = 6
TACTIC_CARDS = 32
SOLDIER_CARDS = 50
_BOARD_ONLY = {RewardKind.COPY, RewardKind.COINS_PER_CAPTAIN, RewardKind.PUSH}
#: Words of the notation, which cannot be names of cards.
_TAKEN_WORDS = {"pass", "copy", "buy", "push", "keep", "give", "nothing", "war", "machine", "then"}
#: Filler words that orders may contain; a card's name may contain them with other words.
SMALL_WORDS = frozenset(
    "a|an|and|at|by|captain|captains|card|for|house|in|it|my|of|on|place|play|player|please|soldier"
    "|soldiers|space|tactic|the|to|token|toward|towards|tracker|use|using|with|x".split("|")
)
COUNTING = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SET_NAME = re.compile("[a-z0-9][a-z0-9-]*")
_CARD_NAME = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")


def folded(text: str) -> str:
    """A text normalised for orders: lower case, no accents, one kind of apostrophe."""
    text = text.casefold().replace("’", "'")
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


@lru_cache(maxsize=256)
def words_of_card(name: str) -> tuple[str, ...]:
    """The words by which an order can name a card: all but filler words."""
    return tuple(word for word in re.split("[ -]", folded(name)) if word not in SMALL_WORDS)


class Reward(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a space or a bonus token shows, and how much of it."""

    kind: RewardKind
    amount: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1


class Space(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place for one captain: its reward, if any, and the weakest soldier allowed, if limited."""

    reward: Reward | None = None
    needs: Soldier | None = None


class Tactic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tactic card: the number of copies, and its effects, which add up."""

    #: Letters of any script, with a space, a hyphen or an apostrophe between them.
    name: Annotated[str, msgspec.Meta(min_length=2, max_length=24)]
    copies: Annotated[int, msgspec.Meta(ge=1, le=TACTIC_CARDS)]
    #: The soldiers it can be played with; empty: any.
    soldiers: tuple[Soldier, ...] = ()
    #: Both houses of the battle may be supported from now on this year (DOW-40).
    both_sides: bool = False
    #: The soldier played this turn does not move the tracker.
    holds_tracker: bool = False
    #: The soldier's strength this turn, instead of its own.
    strength: Annotated[int, msgspec.Meta(ge=0, le=15)] | None = None
    #: Added to the soldier's strength this turn.
    extra_strength: Annotated[int, msgspec.Meta(ge=0, le=15)] = 0
    #: The space's prerequisite does not count this turn.
    ignores_prerequisite: bool = False
    #: Gained at once, before the soldier is played; influence is of the house supported this turn.
    gains: tuple[Reward, ...] = ()


class SoldierCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many soldier cards of each kind."""

    footman: Annotated[int, msgspec.Meta(ge=0)] = 0
    arquebuser: Annotated[int, msgspec.Meta(ge=0)] = 0
    knight: Annotated[int, msgspec.Meta(ge=0)] = 0
    war_machine: Annotated[int, msgspec.Meta(ge=0)] = 0

    def count(self, kind: Soldier) -> int:
        return int(getattr(self, kind))

    def plus(self, kind: Soldier, number: int = 1) -> SoldierCounts:
        return msgspec.structs.replace(self, **{str(kind): self.count(kind) + number})

    def __add__(self, other: SoldierCounts) -> SoldierCounts:
        return SoldierCounts(*(self.count(kind) + other.count(kind) for kind in SOLDIERS))

    def __sub__(self, other: SoldierCounts) -> SoldierCounts:
        return SoldierCounts(*(self.count(kind) - other.count(kind) for kind in SOLDIERS))

    @property
    def total(self) -> int:
        return self.footman + self.arquebuser + self.knight + self.war_machine

    @property
    def cost(self) -> int:
        """Coins for all of them (DOW-26)."""
        return sum(COST[kind] * self.count(kind) for kind in SOLDIERS)


class Components(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One set of all undocumented components. ``checked`` tests whether it is consistent."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    version: Annotated[int, msgspec.Meta(ge=1)]
    #: For people: a description of the set and its source.
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    source: Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
    soldiers: SoldierCounts
    bonuses: tuple[Reward, ...]
    tactics: tuple[Tactic, ...]
    tiles: tuple[tuple[Space, ...], ...]


class Catalogue:
    """A set prepared for use: its cards by name, its whole deck, its hash."""

    def __init__(self, components: Components) -> None:
        self.components = components
        self.cards: Mapping[str, Tactic] = MappingProxyType(
            {card.name: card for card in components.tactics}
        )
        self.deck = tuple(card.name for card in components.tactics for _ in range(card.copies))
        self.digest = hashlib.sha256(codec.encode(components)).hexdigest()


def read(data: bytes | str) -> Components:
    """A checked set from the text of a data file; raises DataError with what is wrong."""
    try:
        components = codec.decode(Components, data)
    except msgspec.MsgspecError as problem:
        raise DataError(
            "The component data does not have its shape: {problem}.", problem=str(problem)[:200]
        ) from None
    return checked(components)


def checked(components: Components) -> Components:
    """The same set; raises DataError with the first inconsistency."""
    if not (components.title + components.source).isprintable():
        raise DataError("Title and source of the component data must be one line of plain text.")
    if not _SET_NAME.fullmatch(components.name):
        raise DataError(
            "The name of the component data must consist of lower-case letters a-z, digits and"
            " hyphens, as in my-set-2: “{name}” does not.",
            name=components.name,
        )
    _count("soldier cards", SOLDIER_CARDS, components.soldiers.total)
    _count("bonus tokens", BONUS_TOKENS, len(components.bonuses))
    _count("order of battle tiles", TILES, len(components.tiles))
    _count("tactic cards", TACTIC_CARDS, sum(card.copies for card in components.tactics))
    for number, tile in enumerate(components.tiles, start=1):
        _count(f"spaces on tile {number}", SPACES_PER_TILE, len(tile))
        _check_prerequisites(number, tile)
    for reward in components.bonuses:
        _off_the_board("A bonus token", reward)
    _check_cards(components.tactics)
    return components


def _count(what: str, wanted: int, found: int) -> None:
    if found != wanted:
        raise DataError(
            "There must be {wanted} {what} in the component data, not {found}.",
            what=what,
            wanted=wanted,
            found=found,
        )


def _check_prerequisites(number: int, tile: tuple[Space, ...]) -> None:
    for place, space in enumerate(tile, start=1):
        if space.needs not in (None, Soldier.ARQUEBUSER, Soldier.KNIGHT):
            raise DataError(
                "Space {place} of tile {number} may ask for an arquebuser or a knight, not for"
                " a {needs}.",
                place=place,
                number=number,
                needs=str(space.needs).replace("_", " "),
            )


def _off_the_board(what: str, reward: Reward) -> None:
    if reward.kind in _BOARD_ONLY:
        raise DataError(
            "{what} cannot bring “{kind}”: that has a meaning on a space of a tile only.",
            what=what,
            kind=reward.kind.value,
        )


def _check_cards(cards: tuple[Tactic, ...]) -> None:
    seen: set[str] = set()
    for card in cards:
        if not _CARD_NAME.fullmatch(card.name):
            raise DataError(
                "The name of a tactic card is of letters, with a space, a hyphen or an apostrophe"
                " between them: “{name}” is not.",
                name=card.name,
            )
        words = words_of_card(card.name)
        name = " ".join(words)
        if not words:
            raise DataError(
                "A tactic card cannot be called {name}: an order could not tell it.",
                name=card.name,
            )
        if name in seen:
            raise DataError("Two tactic cards are called {name}.", name=card.name)
        seen.add(name)
        taken = {*HOUSES, *SOLDIERS, *_TAKEN_WORDS, *COUNTING} & set(words)
        if taken:
            raise DataError(
                "A tactic card cannot be called {name}: “{word}” means something else in an order.",
                name=card.name,
                word=min(taken),
            )
        for reward in card.gains:
            _off_the_board(f"The card {card.name}", reward)


#: The sets of this package by name. A released set is never removed: running matches name it.
_FILES: Mapping[str, str] = {"pbem-1": "components.json"}


def _load(name: str, file: str) -> Catalogue:
    components = read(resources.files(__package__).joinpath(file).read_bytes())
    if components.name != name:
        raise DataError("The set in {file} is not called {name}.", file=file, name=name)
    return Catalogue(components)


_SETS: Mapping[str, Catalogue] = {name: _load(name, file) for name, file in _FILES.items()}
DEFAULT_SET = "pbem-1"
SET_NAMES = tuple(_SETS)


@lru_cache(maxsize=64)
def _ready(components: Components) -> Catalogue:
    return Catalogue(checked(components))


def catalogue(choice: str | Components) -> Catalogue:
    """The set given by the option ``components``: a name of this package, or a complete set."""
    if isinstance(choice, Components):
        return _ready(choice)
    try:
        return _SETS[choice]
    except KeyError:
        raise DataError(
            "There is no component set called {name}. There are: {names}.",
            name=shown(choice),
            names=", ".join(SET_NAMES),
        ) from None
