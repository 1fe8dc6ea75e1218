"""The twelve rewards: how much of one is available, and taking it (DOW-50 to DOW-62)."""

from __future__ import annotations

from collections import Counter

from engine.game import Seat
from engine.games.dogs_of_war.box.components import SOLDIER_REWARD, House, Reward, RewardKind
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.events import DeckReshuffled, Rewarded, Source, TacticsDrawn
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.state import TRACK_END, Table


def due(table: Table, options: Options, seat: Seat, reward: Reward, battle: int, side: int) -> int:
    """How much of a reward a seat receives for a captain that is now on this side.

    What the supply lacks is neither received nor owed (DOW-61). For a push: the spaces the tracker
    moves. A copy itself gives 0 (DOW-57).
    """
    soldier = SOLDIER_REWARD.get(reward.kind)
    if soldier is not None:
        return min(reward.amount, table.soldiers.count(soldier))
    here, opposing = table.battles[battle].sides[side], table.battles[battle].sides[1 - side]
    match reward.kind:
        case RewardKind.POINTS | RewardKind.COINS:
            return reward.amount
        case RewardKind.TACTICS:
            left = table.deck + len(table.discards)
            if left < reward.amount and options.short_draw == "nothing":
                return 0
            return min(reward.amount, left)
        case RewardKind.CAPTAIN:
            room = options.captain_limit - table.captains_this_year(seat)
            return max(0, min(reward.amount, room))
        case RewardKind.INFLUENCE:
            return min(reward.amount, table.row(here.house).influence)
        case RewardKind.COINS_PER_CAPTAIN:
            return reward.amount * opposing.captains_placed
        case RewardKind.PUSH:
            already = here.captains_placed - (0 if options.push_counts_self else 1)
            room = TRACK_END - table.battles[battle].lead(side)
            return min(reward.amount * already, room)
        case _:
            return 0


def lasts(table: Table, reward: Reward, house: House, takers: int) -> bool:
    """Whether the supply has this reward in full for this number of takers (DOW-84)."""
    wanted, soldier = reward.amount * takers, SOLDIER_REWARD.get(reward.kind)
    if soldier is not None:
        return table.soldiers.count(soldier) >= wanted
    match reward.kind:
        case RewardKind.TACTICS:
            return table.deck + len(table.discards) >= wanted
        case RewardKind.INFLUENCE:
            return table.row(house).influence >= wanted
        case _:
            return True


def take(draft: Draft, seat: Seat, reward: Reward, source: Source, battle: int, side: int) -> None:
    """Gives a seat the available part of a reward, for a captain on this side."""
    got = due(draft.table, draft.state.options, seat, reward, battle, side)
    if source == "bonus" and reward.kind is RewardKind.CAPTAIN:
        got = reward.amount  # kept for next year's muster, which has the limit (DOW-82)
        player = draft.table.players[seat]
        draft.put_player(seat, reserve=player.reserve + got)
    house = draft.table.battles[battle].sides[side].house
    housed = reward.kind in (RewardKind.INFLUENCE, RewardKind.PUSH)
    draft.tell(
        Rewarded(
            seat=seat,
            source=source,
            kind=reward.kind,
            got=got,
            battle=battle,
            house=house if housed else None,
        )
    )
    if got:
        _hand_over(draft, seat, reward.kind, got, source, battle, side)


def miss(draft: Draft, seat: Seat, reward: Reward, battle: int) -> None:
    """Reports that a seat gets no bonus reward, because the supply is too small (DOW-84)."""
    draft.tell(Rewarded(seat=seat, source="bonus", kind=reward.kind, got=0, battle=battle))


def _hand_over(
    draft: Draft, seat: Seat, kind: RewardKind, got: int, source: Source, battle: int, side: int
) -> None:
    screen, table = draft.state.screens[seat], draft.table
    soldier = SOLDIER_REWARD.get(kind)
    if soldier is not None:
        draft.put_screen(seat, soldiers=screen.soldiers.plus(soldier, got))
        draft.put_table(soldiers=table.soldiers.plus(soldier, -got))
        return
    match kind:
        case RewardKind.POINTS:
            draft.put_screen(seat, points=screen.points + got)
        case RewardKind.COINS | RewardKind.COINS_PER_CAPTAIN:
            draft.put_screen(seat, coins=screen.coins + got)
        case RewardKind.TACTICS:
            draw(draft, seat, got)
        case RewardKind.CAPTAIN if source != "bonus":
            draft.put_player(seat, captains=table.players[seat].captains + got)
        case RewardKind.INFLUENCE:
            house = table.battles[battle].sides[side].house
            draft.put_screen(seat, influence=screen.influence.plus(house, got))
            draft.put_house(house, influence=table.row(house).influence - got)
        case RewardKind.PUSH:
            draft.push(battle, side, got)


def draw(draft: Draft, seat: Seat, number: int) -> None:
    """Draws tactic cards; if the deck runs out, the discards become the new deck (DOW-53)."""
    drawn: list[str] = []
    for _ in range(number):
        if not draft.state.deck:
            _reshuffle(draft)
        *rest, card = draft.state.deck
        drawn.append(card)
        draft.put(deck=tuple(rest))
    draft.put_table(deck=len(draft.state.deck))
    draft.put_screen(seat, tactics=tuple(sorted((*draft.state.screens[seat].tactics, *drawn))))
    draft.tell(TacticsDrawn(readers=(seat,), seat=seat, tactics=tuple(drawn)))
    draft.reveals = True


def _reshuffle(draft: Draft) -> None:
    number = draft.state.reshuffles + 1
    # sorted by name, so that the new deck depends only on the set of discards.
    discards = sorted(draft.table.discards)
    dice = draft.dice
    deck = dice.shuffle(f"reshuffle {number}", "tactic deck", discards)
    draft.put(deck=deck, reshuffles=number)
    draft.put_table(discards=(), deck=len(deck))
    draft.tell(DeckReshuffled(cards=len(deck)))


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """The cards without one of this name."""
    left = Counter(cards)
    left[card] -= 1
    return tuple(sorted(left.elements()))
