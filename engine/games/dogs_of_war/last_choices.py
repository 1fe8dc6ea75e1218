"""The choices after the last pass: the Conqueror's, then Stormcrow's (DOW-70, DOW-91 to 94)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from msgspec.structs import replace

from engine.errors import IllegalMove, Sentence
from engine.game import Seat
from engine.games.dogs_of_war.components import (
    Dog,
    House,
)
from engine.games.dogs_of_war.events import (
    CaptainsWithdrawn,
    TrackerPushed,
)
from engine.games.dogs_of_war.moves import Push, Shift, Withdraw
from engine.games.dogs_of_war.outcome import seat_of, victorious_side
from engine.games.dogs_of_war.state import (
    TRACK_END,
    Battle,
    Options,
    State,
    Table,
)
from engine.games.dogs_of_war.words import house_name
from engine.games.dogs_of_war.work import Work, moved

#: Spaces the Nameless Conqueror may move a tracker.
CONQUEROR_SPACES = 2


def end_action(work: Work) -> None:
    """Asks the Conqueror before any battle is decided (DOW-70), where he has a choice."""
    conqueror = seat_of(work.table, Dog.CONQUEROR)
    if conqueror is not None and any(_shifts(work.table, work.state.options, conqueror)):
        work.put_table(phase="conqueror", turn=conqueror)
    else:
        _ask_stormcrow(work)


def _ask_stormcrow(work: Work) -> None:
    stormcrow = seat_of(work.table, Dog.STORMCROW)
    asks = work.state.options.stormcrow_withdraws == "by_choice"
    if asks and stormcrow is not None and losing_houses(work.table, work.state.options, stormcrow):
        work.put_table(phase="withdrawal", turn=stormcrow)
    else:
        work.put_table(turn=None)


# --- the Nameless Conqueror ---


def shift_choices(table: Table, options: Options, seat: Seat, battle: int) -> tuple[Shift, ...]:
    """The ways to move one battle's tracker, leaving it apart (DOW-91 to DOW-93).

    The track's end caps a move, so only what differs in effect is listed.
    """
    found: list[Shift] = []
    if _torn(options, table.battles[battle], seat):
        return ()
    for which, side in enumerate(table.battles[battle].sides):
        lead = table.battles[battle].lead(which)
        if not side.captains_of(seat) or lead == -TRACK_END:
            continue
        most = min(CONQUEROR_SPACES, TRACK_END - lead)
        least = most if options.conqueror_moves == "two" else 1
        found += [Shift(side.house, spaces) for spaces in range(max(1, least), most + 1)]
    return tuple(found)


def _torn(options: Options, battle: Battle, seat: Seat) -> bool:
    """Captains on both sides, where the match has it that the tracker then stays (DOW-93)."""
    both = all(side.captains_of(seat) for side in battle.sides)
    return both and options.conqueror_on_both_sides == "stays"


def _shifts(table: Table, options: Options, seat: Seat) -> list[tuple[Shift, ...]]:
    return [shift_choices(table, options, seat, number) for number in range(len(table.battles))]


def pushes(state: State, seat: Seat) -> Iterator[Push]:
    """Every choice for all battles at once; moving nothing first."""
    each = [(None, *shifts) for shifts in _shifts(state.table, state.options, seat)]
    for picked in product(*each):
        yield Push(tuple(shift for shift in picked if shift is not None))


def check_push(state: State, seat: Seat, move: Push) -> None:
    table, last = state.table, -1
    for shift in move.shifts:
        found = table.find(shift.house)
        if found is None:
            raise IllegalMove(
                "{house} does not fight this year.", rule="DOW-91", house=house_name(shift.house)
            )
        number, which = found
        if number <= last:
            raise IllegalMove(
                "Name each battle once, in their order.", rule="DOW-91", battle=number + 1
            )
        last = number
        _check_shift(state, seat, shift, number, which)


def _check_shift(state: State, seat: Seat, shift: Shift, number: int, which: int) -> None:
    battle = state.table.battles[number]
    house = house_name(shift.house)
    if not battle.sides[which].captains_of(seat):
        raise IllegalMove(
            "You have no captain with {house}, so you cannot move the tracker its way.",
            rule="DOW-91",
            house=house,
        )
    if _torn(state.options, battle, seat):
        raise IllegalMove(
            "You support both houses of battle {battle}: in this match its tracker then stays.",
            rule="DOW-93",
            battle=number + 1,
        )
    if battle.lead(which) == -TRACK_END:
        raise IllegalMove(
            "The tracker stands on 15 of the house opposing {house}: it cannot be moved.",
            rule="DOW-92",
            house=house,
        )
    allowed = shift_choices(state.table, state.options, seat, number)
    if shift not in allowed:
        spaces = [str(each.spaces) for each in allowed if each.house is shift.house]
        raise IllegalMove(
            "You can move the tracker toward {house} by: {spaces}.",
            rule="DOW-91",
            house=house,
            spaces=", ".join(["0", *spaces]),
        )


def shifted(battle: Battle, side: int, spaces: int) -> Battle:
    """The battle once its tracker was moved toward a side, not past 15 (DOW-91)."""
    lead = moved(battle.lead(side), spaces)
    sides = list(battle.sides)
    strength = sides[side].strength + lead - battle.lead(side)
    sides[side] = replace(sides[side], strength=strength)
    return replace(battle, tracker=lead if side else -lead, sides=(sides[0], sides[1]))


def push(work: Work, seat: Seat, move: Push) -> None:
    for shift in move.shifts:
        number, which = work.table.where(shift.house)
        before = work.table.battles[number]
        after = shifted(before, which, shift.spaces)
        went = after.lead(which) - before.lead(which)
        work.put_battle(number, tracker=after.tracker, sides=after.sides)
        work.tell(
            TrackerPushed(
                seat=seat,
                battle=number,
                house=shift.house,
                spaces=went,
                tracker_after=work.table.battles[number].tracker,
            )
        )
    _ask_stormcrow(work)


# --- Stormcrow, where he withdraws by choice ---


def losing_houses(table: Table, options: Options, seat: Seat) -> tuple[House, ...]:
    """The houses about to be defeated that a seat has captains with, by battle."""
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


def withdraw(work: Work, seat: Seat, move: Withdraw) -> None:
    for house in move.houses:
        number, which = work.table.where(house)
        side = work.table.battles[number].sides[which]
        left = tuple(None if captain == seat else captain for captain in side.captains)
        work.tell(
            CaptainsWithdrawn(
                seat=seat, battle=number, house=house, captains=side.captains_of(seat)
            )
        )
        work.put_side(number, which, captains=left)
    work.put_table(turn=None)
