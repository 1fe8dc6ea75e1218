"""The twelve rewards: how much of one there is to be had, and taking it (DOW-50 to DOW-62)."""

from __future__ import annotations

from collections import Counter

from engine.game import Seat
from engine.games.dogs_of_war.components import SOLDIER_REWARD, House, Reward, RewardKind
from engine.games.dogs_of_war.events import DeckReshuffled, Rewarded, Source, TacticsDrawn
from engine.games.dogs_of_war.state import TRACK_END, Options, Table
from engine.games.dogs_of_war.work import Work


def due(table: Table, options: Options, seat: Seat, reward: Reward, battle: int, side: int) -> int:
    """How much of a reward a seat receives for a captain that now stands on this side.

    What the supply does not have is not received and not owed (DOW-61). For a push: the spaces the
    tracker moves. A copy by itself is nothing (DOW-57).
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
    """Whether the supply has this reward in full for so many (DOW-84)."""
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


def take(work: Work, seat: Seat, reward: Reward, source: Source, battle: int, side: int) -> None:
    """Gives a seat what it receives of a reward, for a captain on this side."""
    got = due(work.table, work.state.options, seat, reward, battle, side)
    if source == "bonus" and reward.kind is RewardKind.CAPTAIN:
        got = reward.amount  # kept for next year's muster, which has the limit (DOW-82)
        player = work.table.players[seat]
        work.put_player(seat, reserve=player.reserve + got)
    house = work.table.battles[battle].sides[side].house
    housed = reward.kind in (RewardKind.INFLUENCE, RewardKind.PUSH)
    work.tell(
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
        _hand_over(work, seat, reward.kind, got, source, battle, side)


def miss(work: Work, seat: Seat, reward: Reward, battle: int) -> None:
    """Tells that a seat gets nothing of a bonus reward, because not all who tie can (DOW-84)."""
    work.tell(Rewarded(seat=seat, source="bonus", kind=reward.kind, got=0, battle=battle))


def _hand_over(
    work: Work, seat: Seat, kind: RewardKind, got: int, source: Source, battle: int, side: int
) -> None:
    screen, table = work.state.screens[seat], work.table
    soldier = SOLDIER_REWARD.get(kind)
    if soldier is not None:
        work.put_screen(seat, soldiers=screen.soldiers.plus(soldier, got))
        work.put_table(soldiers=table.soldiers.plus(soldier, -got))
        return
    match kind:
        case RewardKind.POINTS:
            work.put_screen(seat, points=screen.points + got)
        case RewardKind.COINS | RewardKind.COINS_PER_CAPTAIN:
            work.put_screen(seat, coins=screen.coins + got)
        case RewardKind.TACTICS:
            draw(work, seat, got)
        case RewardKind.CAPTAIN if source != "bonus":
            work.put_player(seat, captains=table.players[seat].captains + got)
        case RewardKind.INFLUENCE:
            house = table.battles[battle].sides[side].house
            work.put_screen(seat, influence=screen.influence.plus(house, got))
            work.put_house(house, influence=table.row(house).influence - got)
        case RewardKind.PUSH:
            went = work.move_tracker(battle, side, got)
            work.put_side(
                battle, side, strength=work.table.battles[battle].sides[side].strength + went
            )


def draw(work: Work, seat: Seat, number: int) -> None:
    """Draws tactic cards; the discards become the new deck where it runs out (DOW-53)."""
    drawn: list[str] = []
    for _ in range(number):
        if not work.state.deck:
            _reshuffle(work)
        *rest, card = work.state.deck
        drawn.append(card)
        work.put(deck=tuple(rest))
    work.put_table(deck=len(work.state.deck))
    work.put_screen(seat, tactics=tuple(sorted((*work.state.screens[seat].tactics, *drawn))))
    work.tell(TacticsDrawn(readers=(seat,), seat=seat, tactics=tuple(drawn)))
    work.reveals = True


def _reshuffle(work: Work) -> None:
    number = work.state.reshuffles + 1
    # By name, so that the new deck depends on what was discarded and on nothing else.
    discards = sorted(work.table.discards)
    dice = work.dice
    deck = dice.shuffle(f"reshuffle {number}", "tactic deck", discards)
    work.put(deck=deck, reshuffles=number)
    work.put_table(discards=(), deck=len(deck))
    work.tell(DeckReshuffled(cards=len(deck)))


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """The cards less one of this name."""
    left = Counter(cards)
    left[card] -= 1
    return tuple(sorted(left.elements()))
