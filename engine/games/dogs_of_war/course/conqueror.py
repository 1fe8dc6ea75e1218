"""The Nameless Conqueror moves trackers after the last pass (DOW-70, DOW-91 to DOW-93)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec

from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.dogs_of_war.box.components import Dog, House
from engine.games.dogs_of_war.box.names import house_name
from engine.games.dogs_of_war.course import stormcrow
from engine.games.dogs_of_war.course.outcome import is_glorious, seat_of, victorious_side
from engine.games.dogs_of_war.effects.draft import Draft, pushed
from engine.games.dogs_of_war.events import NothingMoved, TrackerPushed
from engine.games.dogs_of_war.meta import Options, doing_nothing_is_told
from engine.games.dogs_of_war.moves import Push, Shift
from engine.games.dogs_of_war.state import TRACK_END, Battle, State, Table

#: Spaces the Nameless Conqueror may move a tracker.
CONQUEROR_SPACES = 2


def ask(draft: Draft) -> None:
    """Gives the Conqueror the turn before any battle is decided (DOW-70), if he has a choice."""
    conqueror = seat_of(draft.table, Dog.CONQUEROR)
    if conqueror is not None and any(_shifts(draft.table, draft.state.options, conqueror)):
        draft.put_table(phase="conqueror", turn=conqueror)
    else:
        stormcrow.ask(draft)


def shift_choices(table: Table, options: Options, seat: Seat, battle: int) -> tuple[Shift, ...]:
    """The ways to move one battle's tracker, except leaving it (DOW-91 to DOW-93).

    The end of the track caps a move; moves with the same effect are listed once.
    """
    found: list[Shift] = []
    if _must_stay(options, table.battles[battle], seat):
        return ()
    for which, side in enumerate(table.battles[battle].sides):
        lead = table.battles[battle].lead(which)
        if not side.captains_of(seat) or lead == -TRACK_END:
            continue
        most = min(CONQUEROR_SPACES, TRACK_END - lead)
        least = most if options.conqueror_moves == "two" else 1
        found += [Shift(side.house, spaces) for spaces in range(max(1, least), most + 1)]
    return tuple(found)


def _must_stay(options: Options, battle: Battle, seat: Seat) -> bool:
    """Whether the tracker must stay because of captains on both sides (DOW-93, an option)."""
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
    if _must_stay(state.options, battle, seat):
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


class End(msgspec.Struct, frozen=True):
    """The place of a tracker after a move, and the battle's outcome then."""

    tracker: int
    victor: House | None
    glorious: bool


def end(options: Options, battle: Battle, shift: Shift | None = None) -> End:
    """The result of a move of a battle's tracker; without a shift, of leaving it."""
    if shift is not None:
        which = 0 if battle.sides[0].house is shift.house else 1
        battle = pushed(battle, which, shift.spaces)
    winner = victorious_side(battle, options)
    return End(
        battle.tracker,
        None if winner is None else battle.sides[winner].house,
        winner is not None and is_glorious(battle, winner, options),
    )


def push(draft: Draft, seat: Seat, move: Push) -> None:
    if not move.shifts and doing_nothing_is_told(draft.state.rules):
        draft.tell(NothingMoved(seat=seat))
    for shift in move.shifts:
        number, which = draft.table.where(shift.house)
        before = draft.table.battles[number].lead(which)
        draft.push(number, which, shift.spaces)
        after = draft.table.battles[number]
        draft.tell(
            TrackerPushed(
                seat=seat,
                battle=number,
                house=shift.house,
                spaces=after.lead(which) - before,
                tracker_after=after.tracker,
            )
        )
    stormcrow.ask(draft)
