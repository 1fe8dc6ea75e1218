"""Worlds that a seat cannot distinguish from the real one."""

from __future__ import annotations

from msgspec.structs import replace

from engine.dice import Dice
from engine.game import Seat
from engine.games.dogs_of_war.box.components import HOUSES, SOLDIERS, SoldierCounts
from engine.games.dogs_of_war.state import INCOME, Influence, Screen, State

_WHERE = "elsewhere"


def other_world(state: State, seat: Seat | None, dice: Dice) -> State:
    """Deals everything hidden again: the others' screens, the deck, the unused cards.

    It respects what follows from the view and the rules: total cards and tokens, and the coins and
    numbers of cards that everybody still knows in the first year (DOW-2, DOW-3).
    """
    if not state.screens:
        # nothing has been dealt while dogs of war are being chosen
        return state
    if state.scores:
        # the screens are open; only the deck is still hidden
        return replace(state, deck=dice.shuffle(_WHERE, "deck", state.deck))
    others = [number for number in range(len(state.screens)) if number != seat]
    dealt = _Deal(state, others, dice)
    screens = list(state.screens)
    for place, number in enumerate(others):
        screens[number] = Screen(
            support=dealt.support[place],
            coins=dealt.coins(number),
            points=dealt.points[place],
            soldiers=dealt.soldiers[place],
            tactics=dealt.tactics[place],
            influence=dealt.influence[place],
        )
    return replace(
        state, screens=tuple(screens), deck=dealt.deck, undealt=dealt.support[len(others) :]
    )


class _Deal:
    """The hidden things of some seats, collected and dealt again."""

    def __init__(self, state: State, others: list[Seat], dice: Dice) -> None:
        self._state, self._dice, self._count = state, dice, len(others)
        hidden = [state.screens[seat] for seat in others]
        cards = [screen.support for screen in hidden] + list(state.undealt)
        self.support = dice.shuffle(_WHERE, "support", cards)
        self.points = self._points(sum(screen.points for screen in hidden))
        self.soldiers = self._soldiers(hidden)
        self.influence = self._influence(hidden)
        self._deal_tactics(hidden)

    def coins(self, seat: Seat) -> int:
        """Until the first purchase five coins and the income are known; later only the income."""
        dice, table = self._dice, self._state.table
        order = table.in_turn_order()
        bought = table.phase not in ("first player", "mustering") or (
            table.phase == "mustering" and order.index(seat) < order.index(table.turn or 0)
        )
        if table.year == 1 and not bought:
            return self._state.screens[seat].coins
        least = INCOME if table.phase == "mustering" and not bought else 0
        return least + dice.roll(_WHERE, "coins", 9) - 1

    def _spread(self, number: int, what: str) -> list[int]:
        dice, shares = self._dice, [0] * self._count
        for _ in range(number):
            shares[dice.roll(_WHERE, what, self._count) - 1] += 1
        return shares

    def _points(self, total: int) -> list[int]:
        if not total:
            return [0] * self._count
        dice = self._dice
        return self._spread(dice.roll(_WHERE, "all points", 2 * total), "points")

    def _soldiers(self, hidden: list[Screen]) -> list[SoldierCounts]:
        kinds = [
            self._spread(sum(screen.soldiers.count(kind) for screen in hidden), kind)
            for kind in SOLDIERS
        ]
        return [SoldierCounts(*counts) for counts in zip(*kinds, strict=True)]

    def _influence(self, hidden: list[Screen]) -> list[Influence]:
        houses = [
            self._spread(sum(screen.influence.count(house) for screen in hidden), house)
            for house in HOUSES
        ]
        return [Influence(*counts) for counts in zip(*houses, strict=True)]

    def _deal_tactics(self, hidden: list[Screen]) -> None:
        dice = self._dice
        sizes = [len(screen.tactics) for screen in hidden]
        if self._state.table.year > 1:
            sizes = self._spread(sum(sizes), "sizes")
        cards = [*self._state.deck, *(card for screen in hidden for card in screen.tactics)]
        shuffled = dice.shuffle(_WHERE, "tactics", sorted(cards))
        self.tactics: list[tuple[str, ...]] = []
        for size in sizes:
            self.tactics.append(tuple(sorted(shuffled[:size])))
            shuffled = shuffled[size:]
        self.deck = shuffled
