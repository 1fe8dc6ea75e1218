"""The notation: one line a move, typeable on a phone.

==============  ==================================================================================
first player    ``keep`` · ``give token to 3``
mustering       ``buy 2 knights 1 footman`` · ``buy knights then footmen`` · ``buy nothing``
action          ``knight talbot 3`` · ``betrayal + knight mallory 5`` · ``footman 1a 4 copy 2`` ·
                ``pass``
conqueror       ``push talbot:2 harlow:1`` (a battle's number does, too: ``push 1:2 3:1``) ·
                ``push nothing``
withdrawal      ``withdraw talbot harlow`` · ``withdraw nothing``
==============  ==================================================================================

``then`` buys in this order while coins and piles last: of each kind as many as can be had, or the
number that stands before it at most (``buy 2 knights then footmen``). It is settled when the order
is read, so it can be left for a purse and piles that nobody knows yet.

An action names a soldier, a house (or its side: ``1a`` is the first side of battle 1), a space, and
what they bring: a tactic card, the space a "copy" takes. Words may be cut to a beginning that fits
one thing only, and stand in any order; the first number that does not follow "copy" is the space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, product
from math import prod

from engine.errors import Ambiguous, IllegalMove, Sentence, Unreadable, listed
from engine.game import Seat
from engine.games.dogs_of_war.components import (
    COST,
    HOUSES,
    SOLDIER_CARDS,
    SOLDIERS,
    House,
    Reward,
    Soldier,
    SoldierCounts,
)
from engine.games.dogs_of_war.moves import (
    Buy,
    ChooseFirst,
    DogsMove,
    Pass,
    Place,
    Push,
    Shift,
    Withdraw,
)
from engine.games.dogs_of_war.outcome import CONQUEROR_SPACES, losing_houses, shift_choices
from engine.games.dogs_of_war.placing import Position, choices, position, why_not_here
from engine.games.dogs_of_war.state import TRACK_END, State, Table
from engine.games.dogs_of_war.words import (
    DOG_NAMES,
    SOLDIER_NAMES,
    SOLDIER_PLURALS,
    house_name,
    numbers,
    reward_words,
    side_name,
)

_NOTHING = {"nothing", "none", "no", "0"}
_SMALL_WORDS = {
    *(
        "a",
        "an",
        "and",
        "at",
        "captain",
        "captains",
        "card",
        "for",
        "house",
        "in",
        "it",
        "my",
        "of",
    ),
    *("on", "place", "play", "player", "please", "soldier", "soldiers", "space", "tactic", "the"),
    *("to", "token", "tracker", "toward", "towards", "use", "using", "with", "x", "by"),
}
_COUNTING = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SOLDIER_WORDS: Mapping[str, Soldier] = {
    "footman": Soldier.FOOTMAN,
    "footmen": Soldier.FOOTMAN,
    "arquebusers": Soldier.ARQUEBUSER,
    "arquebusiers": Soldier.ARQUEBUSER,
    "knights": Soldier.KNIGHT,
    "war": Soldier.WAR_MACHINE,
    "machines": Soldier.WAR_MACHINE,
    "warmachines": Soldier.WAR_MACHINE,
    "wm": Soldier.WAR_MACHINE,
}
_TOKEN = re.compile(r"[1-9][ab](?![a-z])|[0-9]+|[a-z']+")
_SEPARATORS = re.compile(r"[\s+,;.:=&/–-]*")
#: What an order of each phase looks like.
HINTS: Mapping[str, str] = {
    "first player": "Write “keep”, or “give token to 2”.",
    "mustering": "Write what you buy, for example “buy 2 knights 1 footman”,"
    " “buy knights then footmen” to buy in this order while coins and piles last,"
    " or “buy nothing”.",
    "action": "Write a soldier, a house and a space, for example “knight talbot 3”, or “pass”.",
    "conqueror": "Write how far each tracker moves, for example “push 1:2 3:1”, or “push nothing”.",
    "withdrawal": "Write the houses you leave, for example “withdraw talbot”,"
    " or “withdraw nothing”.",
}


# --- writing ---


def format_move(move: DogsMove) -> str:
    match move:
        case ChooseFirst(seat=None):
            return "keep"
        case ChooseFirst(seat=seat):
            return f"give token to {(seat or 0) + 1}"
        case Buy(soldiers=soldiers):
            return "buy " + (", ".join(_amounts(soldiers)) or "nothing")
        case Place():
            return _format_place(move)
        case Pass():
            return "pass"
        case Push(shifts=shifts):
            named = [f"{shift.house}:{shift.spaces}" for shift in shifts]
            return "push " + (" ".join(named) or "nothing")
        case Withdraw(houses=houses):
            return "withdraw " + (" ".join(houses) or "nothing")


def _amounts(soldiers: SoldierCounts) -> Iterator[str]:
    for kind in reversed(SOLDIERS):
        number = soldiers.count(kind)
        if number:
            names = SOLDIER_NAMES if number == 1 else SOLDIER_PLURALS
            yield f"{number} {names[kind]}"


def _format_place(move: Place) -> str:
    card = "" if move.tactic is None else f"{move.tactic.lower()} + "
    copy = "" if move.copied is None else f" copy {move.copied}"
    return f"{card}{SOLDIER_NAMES[move.soldier]} {move.house} {move.space}{copy}"


# --- reading ---


def parse_move(state: State, seat: Seat, text: str) -> DogsMove:
    """The move an order means. Whether the rules allow it is for the caller to check."""
    words = _words(text)
    phase = state.table.phase
    _refuse_other_phases(phase, words)
    match phase:
        case "first player":
            return _parse_first(state.table, words)
        case "mustering":
            return _parse_in_order(state, seat, words) if "then" in words else _parse_buy(words)
        case "action":
            return _parse_action(position(state, seat), words)
        case "conqueror":
            return _parse_push(state, seat, words)
        case _:
            return _parse_withdrawal(state, seat, words)


def _words(text: str) -> list[str]:
    """The words and numbers of an order; Unreadable for anything that is neither."""
    text = text.casefold().replace("’", "'")
    found: list[str] = []
    place = 0
    while True:
        place = _SEPARATORS.match(text, place).end()  # type: ignore[union-attr]
        if place == len(text):
            return found
        token = _TOKEN.match(text, place)
        if token is None:
            raise Unreadable("“{sign}” has no meaning in an order.", sign=text[place])
        found.append(token.group())
        place = token.end()


_VERBS: Mapping[str, str] = {
    "keep": "first player",
    "give": "first player",
    "buy": "mustering",
    "pass": "action",
    "push": "conqueror",
    "withdraw": "withdrawal",
}


def _refuse_other_phases(phase: str, words: list[str]) -> None:
    if not words:
        raise Unreadable("The order is empty. " + HINTS[phase])
    belongs = _VERBS.get(words[0], phase)
    if belongs != phase:
        raise IllegalMove(
            "“{word}” belongs to another phase than this one. " + HINTS[phase],
            rule="DOW-14",
            word=words[0],
        )


def _number(word: str) -> int | None:
    if word.isdigit():
        return int(word[:4])
    return _COUNTING.index(word) if word in _COUNTING else None


def _unknown(word: str, hint: str) -> Unreadable:
    return Unreadable("“{word}” is not understood. " + HINTS[hint], word=word[:40])


# the first player


def _parse_first(table: Table, words: list[str]) -> ChooseFirst:
    verb, *rest = words
    rest = [word for word in rest if word not in _SMALL_WORDS and word != "me"]
    if verb == "keep" and not rest:
        return ChooseFirst()
    if verb != "give" or len(rest) != 1:
        raise Unreadable("The order is not understood. " + HINTS["first player"])
    number = _number(rest[0])
    if number is not None:
        return ChooseFirst(number - 1)
    found = [
        seat
        for seat, player in enumerate(table.players)
        if any(part.startswith(rest[0]) for part in DOG_NAMES[player.dog].lower().split())
    ]
    if len(found) == 1:
        return ChooseFirst(found[0])
    if found:
        raise Ambiguous("“{word}” fits several players. Write a number.", word=rest[0])
    raise _unknown(rest[0], "first player")


# mustering


def _parse_buy(words: list[str]) -> Buy:
    if words[0] == "buy":
        words = words[1:]
    if len(words) == 1 and words[0] in _NOTHING:
        return Buy()
    # "2a" is read as the side of a battle elsewhere; here it is two arquebusers.
    words = [part for word in words for part in ((word[0], "arq") if word[1:] == "a" else (word,))]
    entries = [
        word if _number(word) is None else _number(word)
        for word in words
        if word not in _SMALL_WORDS or word in ("a", "an")
    ]
    if not entries:
        raise Unreadable("The order names no soldiers. " + HINTS["mustering"])
    if isinstance(entries[0], str) and isinstance(entries[-1], int):
        # "knights 2, footmen 1": each number belongs to the word before it.
        entries.reverse()
    bought, number, machine = SoldierCounts(), None, False
    for entry in entries:
        if isinstance(entry, int):
            if number is not None:
                raise Unreadable("Two numbers follow one another. " + HINTS["mustering"])
            number, machine = entry, False
        elif entry in ("a", "an"):
            number = 1 if number is None else number
        elif entry is not None:
            kind = _soldier(entry)
            # "war machine" is two words for one soldier.
            if not (machine and kind is Soldier.WAR_MACHINE and number is None):
                bought = bought.plus(kind, 1 if number is None else number)
            machine = kind is Soldier.WAR_MACHINE and not machine
            number = None
    if number is not None:
        raise Unreadable("{number} of what? " + HINTS["mustering"], number=number)
    return Buy(bought)


def _parse_in_order(state: State, seat: Seat, words: list[str]) -> Buy:
    """One kind after the other, while coins and piles last."""
    left, purse = state.table.soldiers, state.screens[seat].coins
    bought, room = SoldierCounts(), 1 if state.options.one_soldier_a_year else left.total
    for begins_next, run in groupby(words[words[0] == "buy" :], lambda word: word == "then"):
        named = [word for word in run if word not in _SMALL_WORDS or word in ("a", "an")]
        if begins_next or (len(named) == 1 and named[0] in _NOTHING):
            continue
        kind, most = _wish(named)
        number = min(
            most, room, left.count(kind) - bought.count(kind), (purse - bought.cost) // COST[kind]
        )
        bought, room = bought.plus(kind, number), room - number
    return Buy(bought)


def _wish(words: list[str]) -> tuple[Soldier, int]:
    """A kind of soldier, and how many of it at most."""
    counts = [1 if word in ("a", "an") else _number(word) for word in words]
    kinds = {
        _soldier(word)
        for word, count in zip(words, counts, strict=True)
        if count is None and word != "all"
    }
    given = [count for count in counts if count is not None]
    if len(kinds) != 1 or len(given) > 1:
        raise Unreadable("“then” stands between single kinds of soldiers. " + HINTS["mustering"])
    return kinds.pop(), given[0] if given else SOLDIER_CARDS


def _soldier(word: str) -> Soldier:
    found = {kind for name, kind in _SOLDIER_WORDS.items() if name.startswith(word)}
    if len(found) == 1:
        return found.pop()
    raise _unknown(word, "mustering")


# the action turn


def _parse_action(known: Position, words: list[str]) -> Place | Pass:
    if [word for word in words if word not in _SMALL_WORDS] == ["pass"]:
        return Pass()
    spaces, copied, rest = _split_numbers(words)
    readings = _readings(known, rest)
    if not readings:
        raise _nothing_fits(known, rest)
    if len(readings) > 1:
        raise Ambiguous(
            "The order can be read in several ways: {ways}. Write more of the words.",
            ways="; ".join(sorted(_reading_text(reading) for reading in readings)[:4]),
        )
    soldier, house, tactic = readings[0]
    if len(spaces) != 1:
        raise Unreadable(
            "Say which space of {house} your captain takes: one number from 1 to 6.",
            house=house_name(house),
        )
    move = Place(soldier, house, spaces[0], tactic)
    found = why_not_here(known, move)
    if found is not None:
        raise found.error()
    return _with_copy(known, move, copied)


def _split_numbers(words: list[str]) -> tuple[list[int], int | None, list[str]]:
    """The numbers that are spaces, the number after "copy", and the other words."""
    spaces: list[int] = []
    copied: int | None = None
    rest: list[str] = []
    after_copy = False
    for word in words:
        number = _number(word)
        if number is None:
            after_copy = word == "copy" or (after_copy and word in _SMALL_WORDS)
            if word != "copy":
                rest.append(word)
        elif after_copy:
            copied, after_copy = number, False
        else:
            spaces.append(number)
    return spaces, copied, rest


#: An order that could be read in more ways than this is not worked out ("b b b b b b b").
_MOST_READINGS = 5_000
#: What an action's words say: soldier, house, tactic card.
_Reading = tuple[Soldier, House, str | None]
_Meaning = tuple[str, str]


def _readings(known: Position, words: list[str]) -> list[_Reading]:
    """Every way in which all the words together name a soldier, a house and at most one card."""
    meanings = [
        found for word in words if (found := _meanings(known, word)) or word not in _SMALL_WORDS
    ]
    if prod(len(each) for each in meanings) > _MOST_READINGS:
        return []
    readings: dict[_Reading, int] = {}
    for picked in product(*meanings):
        reading = _reading(picked)
        if reading is not None:
            spelled = sum(role == "tactic" for role, _ in picked)
            full = reading[2] is not None and spelled == len(reading[2].split())
            readings[reading] = max(readings.get(reading, 0), int(full))
    # "charge" is the card Charge before it is the beginning of another's name.
    best = max(readings.values(), default=0)
    if sum(full == best for full in readings.values()) == 1:
        return [reading for reading, full in readings.items() if full == best]
    return list(readings)


def _vocabulary(known: Position) -> list[tuple[str, _Meaning]]:
    entries = [(word, ("soldier", str(kind))) for word, kind in _SOLDIER_WORDS.items()]
    entries += [(SOLDIER_NAMES[kind], ("soldier", str(kind))) for kind in SOLDIERS[:-1]]
    entries += [("machine", ("soldier", str(Soldier.WAR_MACHINE)))]
    entries += [(str(house), ("house", str(house))) for house in HOUSES]
    for number, battle in enumerate(known.table.battles):
        for side in (0, 1):
            entries.append((side_name(number, side), ("house", str(battle.sides[side].house))))
    return entries + _card_words(dict.fromkeys(known.screen.tactics))


def _card_words(cards: Iterable[str]) -> list[tuple[str, _Meaning]]:
    return [(word, ("tactic", name)) for name in cards for word in name.lower().split()]


def _meanings(known: Position, word: str) -> list[_Meaning]:
    """What a word can mean; a card that is not held only where it can mean nothing else."""
    return _fitting(_vocabulary(known), word) or _fitting(_card_words(known.cards), word)


def _fitting(vocabulary: list[tuple[str, _Meaning]], word: str) -> list[_Meaning]:
    exact = {meaning: None for name, meaning in vocabulary if name == word}
    if exact or word in _SMALL_WORDS:
        return list(exact)
    return list({meaning: None for name, meaning in vocabulary if name.startswith(word)})


def _reading(picked: Iterable[_Meaning]) -> _Reading | None:
    roles: dict[str, str] = {}
    for role, key in picked:
        if roles.setdefault(role, key) != key:
            return None
    if "soldier" not in roles or "house" not in roles:
        return None
    return Soldier(roles["soldier"]), House(roles["house"]), roles.get("tactic")


def _reading_text(reading: _Reading) -> str:
    soldier, house, tactic = reading
    card = "" if tactic is None else f"{tactic} + "
    return f"{card}{SOLDIER_NAMES[soldier]} {house_name(house)}"


def _nothing_fits(known: Position, words: list[str]) -> Unreadable:
    roles: set[str] = set()
    for word in words:
        meanings = _meanings(known, word)
        if not meanings and word not in _SMALL_WORDS:
            return _unknown(word, "action")
        roles |= {role for role, _ in meanings}
    if "soldier" not in roles:
        return Unreadable("The order names no soldier. " + HINTS["action"])
    if "house" not in roles:
        return Unreadable("The order names no house. " + HINTS["action"])
    return Unreadable("The order does not fit together. " + HINTS["action"])


def _with_copy(known: Position, move: Place, copied: int | None) -> Place:
    """Settles what a "copy" space takes: the only choice by itself, equal ones by the first."""
    number, side = known.table.where(move.house)
    battle = known.table.battles[number]
    allowed = choices(known, move)
    if copied is None and len(allowed) > 1:
        raise Ambiguous(
            "Say which space of the other tile you copy, for example “{example}”: {choices}.",
            example=_format_place(_copying(move, allowed[0])),
            choices=listed(
                (
                    Sentence(
                        "copy {space}: {reward}", {"space": choice, "reward": reward_words(reward)}
                    )
                    for choice in allowed
                    if choice is not None and (reward := _reward(known, move.house, choice))
                ),
                "; ",
            ),
        )
    if copied is None:
        return _copying(move, allowed[0])
    opposing = battle.sides[1 - side]
    if 1 <= copied <= len(opposing.spaces) and opposing.captains[copied - 1] is None:
        wanted = opposing.spaces[copied - 1].reward
        for choice in allowed:
            if choice is not None and opposing.spaces[choice - 1].reward == wanted:
                return _copying(move, choice)
    return _copying(move, copied)


def _copying(move: Place, copied: int | None) -> Place:
    return Place(move.soldier, move.house, move.space, move.tactic, copied)


def _reward(known: Position, house: House, space: int) -> Reward | None:
    number, side = known.table.where(house)
    return known.table.battles[number].sides[1 - side].spaces[space - 1].reward


# the Conqueror, and Stormcrow


def _parse_push(state: State, seat: Seat, words: list[str]) -> Push:
    if words[0] == "push":
        words = words[1:]
    words = [word for word in words if word not in _SMALL_WORDS]
    if len(words) == 1 and words[0] in _NOTHING:
        return Push()
    if not words or len(words) % 2:
        raise Unreadable("Name battles and spaces in pairs. " + HINTS["conqueror"])
    shifts: dict[int, Shift | None] = {}
    for target, amount in zip(words[::2], words[1::2], strict=True):
        spaces = _number(amount)
        if spaces is None:
            raise _unknown(amount, "conqueror")
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
        return battle, Shift(house, max(fitting))  # the end of the track caps it
    at_end = state.table.battles[battle].lead(which) == TRACK_END
    if at_end and state.table.battles[battle].sides[which].captains_of(seat):
        return battle, None  # on 15 already: nothing is left to move
    return battle, Shift(house, spaces)


def _target(state: State, word: str, hint: str) -> tuple[int, House | None]:
    """The battle a word names, and the house where it names one."""
    battles = state.table.battles
    number = _number(word)
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
    raise _unknown(word, hint)


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


def _parse_withdrawal(state: State, seat: Seat, words: list[str]) -> Withdraw:
    if words[0] == "withdraw":
        words = words[1:]
    words = [word for word in words if word not in _SMALL_WORDS and word != "from"]
    losing = losing_houses(state.table, state.options, seat)
    if len(words) == 1 and words[0] in _NOTHING:
        return Withdraw()
    if words == ["all"]:
        return Withdraw(losing)
    if not words:
        raise Unreadable("The order names no house. " + HINTS["withdrawal"])
    named: dict[int, House] = {}
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
        named[battle] = house
    return Withdraw(tuple(house for _, house in sorted(named.items())))
