"""Parsing orders at the end of a year: pushing trackers, and withdrawing from battles."""

from __future__ import annotations

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.game import Seat
from engine.games.dogs_of_war.box.components import SMALL_WORDS, House
from engine.games.dogs_of_war.box.names import (
    house_name,
    numbers,
    side_name,
)
from engine.games.dogs_of_war.course.conqueror import CONQUEROR_SPACES, shift_choices
from engine.games.dogs_of_war.course.stormcrow import losing_houses
from engine.games.dogs_of_war.moves import (
    Push,
    Shift,
    Withdraw,
)
from engine.games.dogs_of_war.orders.text import ALL
from engine.games.dogs_of_war.orders.words import (
    HINTS,
    NOTHING_WORDS,
    number_of,
    unknown,
)
from engine.games.dogs_of_war.state import TRACK_END, State


def parse_push(state: State, seat: Seat, words: list[str]) -> Push:
    if words[0] == "push":
        words = words[1:]
    words = [word for word in words if word not in SMALL_WORDS]
    if len(words) == 1 and words[0] in NOTHING_WORDS:
        return Push()
    if not words or len(words) % 2:
        raise Unreadable("Name battles and spaces in pairs. " + HINTS["conqueror"])
    shifts: dict[int, Shift | None] = {}
    for target, amount in zip(words[::2], words[1::2], strict=True):
        spaces = number_of(amount)
        if spaces is None:
            raise unknown(amount, "conqueror")
        battle, shift = _shift(state, seat, target, spaces)
        if battle in shifts:
            raise Unreadable("Battle {battle} stands in the order twice.", battle=battle + 1)
        shifts[battle] = shift
    return Push(tuple(shift for _, shift in sorted(shifts.items()) if shift is not None))


def _shift(state: State, seat: Seat, target: str, spaces: int) -> tuple[int, Shift | None]:
    battle, house = _target(state, target, "conqueror")
    if spaces == 0:
        return battle, None
    if house is None:
        house = _own_house(state, seat, battle)
    which = state.table.where(house)[1]
    fitting = [
        shift.spaces
        for shift in shift_choices(state.table, state.options, seat, battle)
        if shift.house is house
    ]
    if fitting and max(fitting) < spaces <= CONQUEROR_SPACES:
        return battle, Shift(house, max(fitting))  # capped by the end of the track
    at_end = state.table.battles[battle].lead(which) == TRACK_END
    if at_end and state.table.battles[battle].sides[which].captains_of(seat):
        return battle, None  # already on 15: cannot move further
    return battle, Shift(house, spaces)


def _target(state: State, word: str, hint: str) -> tuple[int, House | None]:
    """The battle a word names, and the house if it names one."""
    battles = state.table.battles
    number = number_of(word)
    if number is not None:
        if not 1 <= number <= len(battles):
            raise Unreadable(
                "There is no battle {number}. There are: {battles}.",
                number=number,
                battles=numbers(range(1, len(battles) + 1)),
            )
        return number - 1, None
    names = {
        name: (place, side.house)
        for place, battle in enumerate(battles)
        for which, side in enumerate(battle.sides)
        for name in (side_name(place, which), str(side.house))
    }
    found = {where for name, where in names.items() if name.startswith(word)}
    if len(found) == 1:
        return found.pop()
    if found:
        raise Ambiguous(
            "“{word}” fits several houses: {houses}.",
            word=word,
            houses=", ".join(sorted(house_name(house) for _, house in found)),
        )
    raise unknown(word, hint)


def _own_house(state: State, seat: Seat, battle: int) -> House:
    sides = [side for side in state.table.battles[battle].sides if side.captains_of(seat)]
    if not sides:
        raise IllegalMove(
            "You have no captain in battle {battle}.", rule="DOW-91", battle=battle + 1
        )
    if len(sides) > 1:
        raise Ambiguous(
            "You support both houses of battle {battle}. Write {one} or {other}.",
            battle=battle + 1,
            one=house_name(sides[0].house),
            other=house_name(sides[1].house),
        )
    return sides[0].house


def parse_withdrawal(state: State, seat: Seat, words: list[str]) -> Withdraw:
    if words[0] == "withdraw":
        words = words[1:]
    words = [word for word in words if word not in SMALL_WORDS and word != "from"]
    losing = losing_houses(state.table, state.options, seat)
    if len(words) == 1 and words[0] in NOTHING_WORDS:
        return Withdraw()
    if words == [ALL]:
        return Withdraw(losing)
    if not words:
        raise Unreadable("The order names no house. " + HINTS["withdrawal"])
    named: set[tuple[int, House]] = set()
    for word in words:
        battle, house = _target(state, word, "withdrawal")
        if house is None:
            sides = {side.house for side in state.table.battles[battle].sides}
            house = next((each for each in losing if each in sides), None)
        if house is None:
            raise IllegalMove(
                "You have no captains on a losing side in battle {battle}.",
                rule="DOW-94",
                battle=battle + 1,
            )
        named.add((battle, house))
    return Withdraw(tuple(house for _, house in sorted(named)))
