"""The legal actions of an action turn (DOW-36 to DOW-45, DOW-56 and DOW-57)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from msgspec.structs import replace

from engine.games.dogs_of_war.action.position import Position, card_of
from engine.games.dogs_of_war.box.components import (
    RANK,
    SOLDIER_REWARD,
    SOLDIERS,
    Reward,
    RewardKind,
    Soldier,
    SoldierCounts,
    Tactic,
)
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.moves import Place
from engine.games.dogs_of_war.state import (
    TRACK_END,
    Battle,
    Side,
)


def closed(options: Options, battle: Battle) -> bool:
    """Sudden death: the tracker has reached 15 and the battle is closed (DOW-V2)."""
    return options.sudden_death and abs(battle.tracker) == TRACK_END


def meets(needs: Soldier | None, soldier: Soldier, card: Tactic | None = None) -> bool:
    """Whether a soldier may take a space with the prerequisite ``needs`` (DOW-42, DOW-43)."""
    if needs is None or (card is not None and card.ignores_prerequisite):
        return True
    return RANK[soldier] >= RANK[needs]


@cache
def too_weak(needs: Soldier | None) -> tuple[Soldier, ...]:
    """The soldiers that may not take a space with this prerequisite, if no card helps."""
    return tuple(kind for kind in SOLDIERS if not meets(needs, kind))


def opposed(position: Position, battle: int, side: int, card: Tactic | None) -> bool:
    """Whether the seat has supported the other house and has no Betrayal to change (DOW-39).

    A Betrayal played this turn counts, unless an option says otherwise (DOW-41).
    """
    table, seat = position.table, position.seat
    now = card is not None and card.both_sides and position.options.betrayal_at_once
    if now or battle in table.players[seat].betrayed:
        return False
    return seat in table.battles[battle].sides[1 - side].captains


def plays_with(card: Tactic | None, soldier: Soldier) -> bool:
    return card is None or not card.soldiers or soldier in card.soldiers


def soldiers_after(position: Position, card: Tactic | None) -> SoldierCounts:
    """The hand of soldiers after the effect of a tactic card.

    The card comes first (DOW-32), so a soldier it provides may be played the same turn.
    """
    hand, supply = position.screen.soldiers, position.table.soldiers
    for reward in card.gains if card else ():
        soldier = SOLDIER_REWARD.get(reward.kind)
        if soldier is not None:
            got = min(reward.amount, supply.count(soldier))
            hand, supply = hand.plus(soldier, got), supply.plus(soldier, -got)
    return hand


def copies(position: Position, move: Place) -> tuple[int | None, ...]:
    """The possible values of ``Place.copied`` for an action: (None,) unless there is a choice.

    A free space of the other tile with a reward can be copied (DOW-56), with any prerequisite
    unless an option says otherwise (DOW-57); of several with the same reward the first represents
    all. If there is a choice, it is mandatory (DOW-61).
    """
    number, side = position.table.where(move.house)
    sides = position.table.battles[number].sides
    reward = sides[side].spaces[move.space - 1].reward
    if reward is None or reward.kind is not RewardKind.COPY:
        return (None,)
    card, strict = card_of(position, move), not position.options.copy_ignores_prerequisite
    seen: dict[Reward, int] = {}
    for copied, (space, captain) in enumerate(
        zip(sides[1 - side].spaces, sides[1 - side].captains, strict=True), start=1
    ):
        if captain is not None or space.reward is None:
            continue
        if not strict or meets(space.needs, move.soldier, card):
            seen.setdefault(space.reward, copied)
    return tuple(seen.values()) or (None,)


def open_spaces(side: Side, soldier: Soldier, card: Tactic | None) -> tuple[int, ...]:
    """The free spaces of a tile that a captain with this soldier may take."""
    return tuple(
        number
        for number, (space, captain) in enumerate(
            zip(side.spaces, side.captains, strict=True), start=1
        )
        if captain is None and meets(space.needs, soldier, card)
    )


def placements(position: Position) -> Iterator[Place]:
    """Every legal action of a player, except passing."""
    table, seat = position.table, position.seat
    if not table.players[seat].captains:
        return
    cards = position.cards
    for name in (None, *dict.fromkeys(position.screen.tactics)):
        card = None if name is None else cards[name]
        hand = soldiers_after(position, card)
        kinds = [kind for kind in SOLDIERS if hand.count(kind) and plays_with(card, kind)]
        for number, battle in enumerate(table.battles if kinds else ()):
            if closed(position.options, battle):
                continue
            for side in (0, 1):
                if opposed(position, number, side, card):
                    continue
                house = battle.sides[side].house
                for kind in kinds:
                    for space in open_spaces(battle.sides[side], kind, card):
                        move = Place(kind, house, space, name)
                        for copied in copies(position, move):
                            yield replace(move, copied=copied)


def gentle_placement(position: Position) -> Place | None:
    """The action that commits an absent player least, or None if there is none.

    No tactic card, a house already supported before a new one, the weakest soldier, and then the
    first space with a reward.
    """
    table, seat = position.table, position.seat

    def cost(move: Place) -> tuple[bool, int, bool]:
        number, which = table.where(move.house)
        side = table.battles[number].sides[which]
        return (
            side.captains_of(seat) == 0,
            RANK[move.soldier],
            side.spaces[move.space - 1].reward is None,
        )

    # those without a card come first
    plain = takewhile(lambda move: move.tactic is None, placements(position))
    # of equals the first, as placements go by battle, side and space; a card is played only if
    # nothing else is legal
    return min(plain, key=cost, default=None) or next(placements(position), None)


def can_act(position: Position) -> bool:
    """Whether the player can do anything but pass (DOW-65)."""
    return next(placements(position), None) is not None


def takes_token(position: Position) -> bool:
    """Whether a pass now takes the first-player token for next year (DOW-68)."""
    return position.table.first_passed is None and (
        position.options.forced_pass_takes_token or can_act(position)
    )
