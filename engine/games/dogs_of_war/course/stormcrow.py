"""Stormcrow takes his captains back after the Conqueror, if that is a choice (DOW-94)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from engine.errors import IllegalMove, Sentence
from engine.game import Seat
from engine.games.dogs_of_war.box.components import Dog, House
from engine.games.dogs_of_war.box.names import house_name
from engine.games.dogs_of_war.course.outcome import seat_of, victorious_side
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.events import CaptainsWithdrawn, NothingWithdrawn
from engine.games.dogs_of_war.meta import Options, doing_nothing_is_told
from engine.games.dogs_of_war.moves import Withdraw
from engine.games.dogs_of_war.state import State, Table


def ask(draft: Draft) -> None:
    """Gives Stormcrow the turn, if an option lets him choose and he has captains to withdraw."""
    seat, options = seat_of(draft.table, Dog.STORMCROW), draft.state.options
    asks = options.stormcrow_withdraws == "by_choice"
    if asks and seat is not None and losing_houses(draft.table, options, seat):
        draft.put_table(phase="withdrawal", turn=seat)
    else:
        draft.put_table(turn=None)


def losing_houses(table: Table, options: Options, seat: Seat) -> tuple[House, ...]:
    """The houses about to be defeated where a seat has captains, by battle."""
    found: list[House] = []
    for battle in table.battles:
        victor = victorious_side(battle, options)
        if victor is not None and battle.sides[1 - victor].captains_of(seat):
            found.append(battle.sides[1 - victor].house)
    return tuple(found)


def withdrawals(state: State, seat: Seat) -> Iterator[Withdraw]:
    """Every choice, from all losing houses to none."""
    losing = losing_houses(state.table, state.options, seat)
    for number in range(len(losing), -1, -1):
        for houses in combinations(losing, number):
            yield Withdraw(houses)


def check_withdrawal(state: State, seat: Seat, move: Withdraw) -> None:
    losing = losing_houses(state.table, state.options, seat)
    if move.houses != tuple(house for house in losing if house in move.houses):
        raise IllegalMove(
            "You can take your captains back from: {houses}.",
            rule="DOW-94",
            houses=", ".join(house_name(house) for house in losing) or Sentence("nothing"),
        )


def withdraw(draft: Draft, seat: Seat, move: Withdraw) -> None:
    if not move.houses and doing_nothing_is_told(draft.state.rules):
        draft.tell(NothingWithdrawn(seat=seat))
    for house in move.houses:
        number, which = draft.table.where(house)
        side = draft.table.battles[number].sides[which]
        left = tuple(None if captain == seat else captain for captain in side.captains)
        draft.tell(
            CaptainsWithdrawn(
                seat=seat, battle=number, house=house, captains=side.captains_of(seat)
            )
        )
        draft.put_side(number, which, captains=left)
    draft.put_table(turn=None)
