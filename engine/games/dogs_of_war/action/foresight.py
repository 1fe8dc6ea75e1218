"""The certain effects of an action, before it is played: its tracker and its reward."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from engine.games.dogs_of_war.action.position import Position, card_of
from engine.games.dogs_of_war.box.components import (
    SOLDIER_REWARD,
    STRENGTH,
    House,
    Reward,
    RewardKind,
    Soldier,
    Tactic,
)
from engine.games.dogs_of_war.effects.draft import moved
from engine.games.dogs_of_war.effects.rewards import due
from engine.games.dogs_of_war.moves import Place
from engine.games.dogs_of_war.state import (
    TRACK_END,
    Battle,
    Table,
)


class Preview(msgspec.Struct, frozen=True):
    """The certain effects of an action. Which tactic cards are drawn is random."""

    battle: int
    #: 0 or 1, as in ``Battle.sides``.
    side: int
    #: The soldier's strength in spaces, before the cap at 15.
    strength: int
    #: The tracker before, after the soldier, and after the reward (a push moves it again).
    tracker_before: int
    tracker_moved: int
    tracker_after: int
    #: The reward taken, with a copy already resolved; None for a space without a reward.
    reward: Reward | None
    #: The amount of it that is available.
    got: int
    #: The battle ends at once (DOW-V2).
    closes: bool

    @property
    def leads(self) -> tuple[int, int, int]:
        """The three places of the tracker, each as the lead of the house that is supported."""
        sign = 1 if self.side else -1
        return (
            sign * self.tracker_before,
            sign * self.tracker_moved,
            sign * self.tracker_after,
        )


def strength_of(soldier: Soldier, card: Tactic | None) -> int:
    """A soldier's strength this turn (DOW-46), with the card played with it."""
    if card is None:
        return STRENGTH[soldier]
    if card.holds_tracker:
        return 0
    own = STRENGTH[soldier] if card.strength is None else card.strength
    return own + card.extra_strength


def reward_of(battle: Battle, side: int, move: Place) -> Reward | None:
    """The reward of the space, with a copy resolved. A copied copy gives nothing."""
    reward = battle.sides[side].spaces[move.space - 1].reward
    if reward is None or reward.kind is not RewardKind.COPY:
        return reward
    if move.copied is None:
        return None
    copied = battle.sides[1 - side].spaces[move.copied - 1].reward
    return None if copied is None or copied.kind is RewardKind.COPY else copied


def preview(position: Position, move: Place) -> Preview:
    """The effect of a legal action on the tracker, and its reward."""
    table, options, seat = position.table, position.options, position.seat
    number, side = table.where(move.house)
    battle = table.battles[number]
    card = card_of(position, move)
    strength = strength_of(move.soldier, card)
    lead = moved(battle.lead(side), strength)
    reward = reward_of(battle, side, move)
    closes = options.sudden_death and lead == TRACK_END
    if closes and not options.sudden_death_reward:
        reward = None
    got, final = 0, lead
    if reward is not None:
        # without a card, only a push depends on what the action itself changes
        changed = card is not None or reward.kind is RewardKind.PUSH
        then = _foreseen(position, move, card, lead) if changed else table
        got = due(then, options, seat, reward, number, side)
        if reward.kind is RewardKind.PUSH:
            final = moved(lead, got)
    sign = 1 if side else -1
    return Preview(
        battle=number,
        side=side,
        strength=strength,
        tracker_before=battle.tracker,
        tracker_moved=sign * lead,
        tracker_after=sign * final,
        reward=reward,
        got=got,
        closes=options.sudden_death and final == TRACK_END,
    )


def _foreseen(position: Position, move: Place, card: Tactic | None, lead: int) -> Table:
    """The table when the reward is taken, as far as rewards depend on it."""
    table = position.table
    number, side = table.where(move.house)
    battles = list(table.battles)
    sides = list(battles[number].sides)
    sides[side] = sides[side].with_captain(move.space, position.seat)
    battles[number] = replace(
        battles[number], tracker=lead if side else -lead, sides=(sides[0], sides[1])
    )
    players = list(table.players)
    player = players[position.seat]
    players[position.seat] = replace(player, captains=player.captains - 1)
    table = replace(table, battles=tuple(battles), players=tuple(players))
    if card is None:
        return table
    for reward in card.gains:
        table = _less(position, table, reward, move.house)
    return replace(table, discards=(*table.discards, card.name))


def _less(position: Position, table: Table, reward: Reward, house: House) -> Table:
    """The table with a tactic card's gain removed from the supplies."""
    number, side = table.where(house)
    got = due(table, position.options, position.seat, reward, number, side)
    soldier = SOLDIER_REWARD.get(reward.kind)
    if soldier is not None:
        return replace(table, soldiers=table.soldiers.plus(soldier, -got))
    match reward.kind:
        case RewardKind.TACTICS:
            return replace(table, deck=table.deck - got)
        case RewardKind.CAPTAIN:
            players = list(table.players)
            player = players[position.seat]
            players[position.seat] = replace(player, captains=player.captains + got)
            return replace(table, players=tuple(players))
        case RewardKind.INFLUENCE:
            rows = tuple(
                replace(row, influence=row.influence - got) if row.house is house else row
                for row in table.houses
            )
            return replace(table, houses=rows)
        case _:
            return table
