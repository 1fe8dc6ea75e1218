"""What a page offers to choose from, worked out by the rules from what the player knows.

Pages hold no rules: where a captain may go, by which soldier or card, why not, and where the
tracker ends, all stand here as values.
"""

from __future__ import annotations

import msgspec

from engine.errors import Sentence
from engine.game import Seat
from engine.games.dogs_of_war import last_choices
from engine.games.dogs_of_war.components import (
    COST,
    SOLDIERS,
    STRENGTH,
    Components,
    Dog,
    House,
    Reward,
    Soldier,
    Tactic,
)
from engine.games.dogs_of_war.eligible import placements, plays_with, soldiers_after
from engine.games.dogs_of_war.foresight import preview, strength_of
from engine.games.dogs_of_war.moves import Place, Shift
from engine.games.dogs_of_war.outcome import is_glorious, victorious_side
from engine.games.dogs_of_war.position import Position, Problem
from engine.games.dogs_of_war.reasons import side_problem, space_problem
from engine.games.dogs_of_war.state import CAPTAINS, YEARS, Battle, Options
from engine.games.dogs_of_war.words import (
    DOG_NAMES,
    SOLDIER_NAMES,
    SOLDIER_PLURALS,
    ability,
    reward_words,
    tactic_words,
)
from engine.games.dogs_of_war.work import moved
from engine.games.dogs_of_war.writing import format_place


class Copy(msgspec.Struct, frozen=True):
    """A space of the other tile whose reward may be taken, and that reward."""

    space: int
    reward: Reward


class Spot(msgspec.Struct, frozen=True):
    """A space of a tile, as the player who acts finds it."""

    house: House
    #: From 1.
    space: int
    reward: Reward | None
    #: How much of the reward there is to be had for certain, by the first soldier that may go here
    #: without a card; None where none may, or where the space copies another.
    got: int | None
    needs: Soldier | None
    taken_by: Seat | None
    #: The soldiers that may go here without a tactic card.
    soldiers: tuple[Soldier, ...]
    #: The tactic cards in hand with which some soldier may.
    cards: tuple[str, ...]
    #: What a "copy" space may take.
    copies: tuple[Copy, ...]
    #: What shuts it, wholly or to some of the soldiers in hand.
    reason: Sentence | None
    #: Whether the reason shuts the whole house.
    house_shut: bool

    @property
    def is_open(self) -> bool:
        return bool(self.soldiers or self.cards)


class End(msgspec.Struct, frozen=True):
    """Where a tracker goes when this soldier is played for this house, with this card or none."""

    house: House
    soldier: Soldier
    tactic: str | None
    tracker: int


class Hand(msgspec.Struct, frozen=True):
    """A kind of soldier that can be played this turn."""

    soldier: Soldier
    #: In hand; 0 where only a tactic card brings one.
    number: int
    #: The tactic cards that bring one first.
    brought_by: tuple[str, ...]


def spots(known: Position) -> tuple[Spot, ...]:
    """All spaces of all tiles, battle by battle, the first side first."""
    moves: dict[tuple[House, int], list[Place]] = {}
    for move in placements(known):
        moves.setdefault((move.house, move.space), []).append(move)
    found: list[Spot] = []
    for number, battle in enumerate(known.table.battles):
        for which, side in enumerate(battle.sides):
            whole = side_problem(known, number, which)
            for space in range(1, len(side.spaces) + 1):
                here = moves.get((side.house, space), [])
                found.append(_spot(known, (number, which), space, here, whole))
    return tuple(found)


def _spot(
    known: Position, where: tuple[int, int], number: int, moves: list[Place], whole: Problem | None
) -> Spot:
    battle = known.table.battles[where[0]]
    side, opposing = battle.sides[where[1]], battle.sides[1 - where[1]]
    plain = [move for move in moves if move.tactic is None]
    copied = dict.fromkeys(move.copied for move in moves if move.copied is not None)
    return Spot(
        house=side.house,
        space=number,
        reward=side.spaces[number - 1].reward,
        got=None if not plain or copied else preview(known, plain[0]).got,
        needs=side.spaces[number - 1].needs,
        taken_by=side.captains[number - 1],
        soldiers=tuple(dict.fromkeys(move.soldier for move in plain)),
        cards=tuple(dict.fromkeys(move.tactic for move in moves if move.tactic is not None)),
        copies=tuple(
            Copy(space, reward)
            for space in copied
            if (reward := opposing.spaces[space - 1].reward) is not None
        ),
        reason=_reason(known, where, number, whole),
        house_shut=whole is not None,
    )


def _reason(
    known: Position, where: tuple[int, int], number: int, whole: Problem | None
) -> Sentence | None:
    if whole is not None:
        return whole.sentence
    side = known.table.battles[where[0]].sides[where[1]]
    problems = (
        space_problem(side, number, kind)
        for kind in SOLDIERS
        if known.screen.soldiers.count(kind) or side.captains[number - 1] is not None
    )
    return next((found.sentence for found in problems if found is not None), None)


def hand(known: Position) -> tuple[Hand, ...]:
    """The soldiers that can be played this turn, weakest first."""
    held = known.screen.soldiers
    found: list[Hand] = []
    for kind in SOLDIERS:
        brought = tuple(
            name
            for name in dict.fromkeys(known.screen.tactics)
            if soldiers_after(known, known.cards[name]).count(kind) > held.count(kind)
            and plays_with(known.cards[name], kind)
        )
        if held.count(kind) or brought:
            found.append(Hand(kind, held.count(kind), brought))
    return tuple(found)


def ends(known: Position) -> tuple[End, ...]:
    """Where each soldier that can be played takes each tracker; a push comes on top of it."""
    found: list[End] = []
    for battle in known.table.battles:
        for which, side in enumerate(battle.sides):
            sign = 1 if which else -1
            for each in hand(known):
                for name in (None, *dict.fromkeys(known.screen.tactics)):
                    card = None if name is None else known.cards[name]
                    if not plays_with(card, each.soldier):
                        continue
                    lead = moved(battle.lead(which), strength_of(each.soldier, card))
                    found.append(End(side.house, each.soldier, name, sign * lead))
    return tuple(found)


class Examples(msgspec.Struct, frozen=True):
    """Orders a player could give now, to be copied from; None where there is none of the kind."""

    any: str | None
    with_card: str | None
    copying: str | None


def examples(known: Position) -> Examples:
    moves = list(placements(known))
    plain = next((move for move in moves if move.tactic is None), None)
    carded = next((move for move in moves if move.tactic is not None), None)
    copying = next((move for move in moves if move.copied is not None), None)
    return Examples(
        *(
            None if move is None else format_place(move)
            for move in (plain or carded, carded, copying)
        )
    )


class Pushed(msgspec.Struct, frozen=True):
    """A move of the Conqueror's: where it takes the tracker, and how the battle would then end."""

    shift: Shift
    tracker: int
    victor: House | None
    glorious: bool


def pushed(options: Options, battle: Battle, shifts: tuple[Shift, ...]) -> tuple[Pushed, ...]:
    """What each of these moves of one battle's tracker would come to."""
    found: list[Pushed] = []
    for shift in shifts:
        which = 0 if battle.sides[0].house is shift.house else 1
        after = last_choices.shifted(battle, which, shift.spaces)
        winner = victorious_side(after, options)
        found.append(
            Pushed(
                shift,
                after.tracker,
                None if winner is None else after.sides[winner].house,
                winner is not None and is_glorious(after, winner, options),
            )
        )
    return tuple(found)


class SoldierKind(msgspec.Struct, frozen=True):
    """A line of the soldiers' table."""

    kind: Soldier
    name: Sentence
    plural: Sentence
    cost: int
    strength: int


SOLDIER_KINDS = tuple(
    SoldierKind(
        kind,
        Sentence(SOLDIER_NAMES[kind]),
        Sentence(SOLDIER_PLURALS[kind]),
        COST[kind],
        STRENGTH[kind],
    )
    for kind in SOLDIERS
)


class Words:
    """The rules' words for things, for pages: each answers a Sentence."""

    soldiers = SOLDIER_KINDS
    dogs = tuple(Dog)
    years = YEARS
    captains = CAPTAINS

    def dog(self, dog: Dog) -> Sentence:
        return Sentence(DOG_NAMES[dog])

    def ability(self, dog: Dog, options: Options) -> Sentence:
        return ability(dog, by_two=options.conqueror_moves == "two")

    def reward(self, reward: Reward) -> Sentence:
        return reward_words(reward)

    def card(self, card: Tactic) -> tuple[Sentence, ...]:
        return tactic_words(card)

    def soldier(self, kind: Soldier, number: int = 1) -> Sentence:
        names = SOLDIER_NAMES if number == 1 else SOLDIER_PLURALS
        return Sentence(names[kind])


class Reference:
    """What the page of the rules draws its tables from: the set a match has unless told others."""

    say = Words()

    def __init__(self, components: Components, digest: str) -> None:
        self.components = components
        self.digest = digest
        self.options = Options()
