"""The notation: one line per move, easy to type on a phone.

==============  ==================================================================================
dogs of war     ``play stormcrow``
first player    ``keep`` · ``give token to 3``
mustering       ``buy 2 knights 1 footman`` · ``buy knights then footmen`` · ``buy nothing``
action          ``knight talbot 3`` · ``betrayal + knight mallory 5`` · ``footman 1a 4 copy 2`` ·
                ``pass`` · ``pass for the year``
conqueror       ``push talbot:2 harlow:1`` (a battle's number does, too: ``push 1:2 3:1``) ·
                ``push nothing``
withdrawal      ``withdraw talbot harlow`` · ``withdraw nothing``
==============  ==================================================================================

``then`` buys in this order while coins and piles last: as many as possible of each kind, or at most
the number before it (``buy 2 knights then footmen``). It is resolved when the order is parsed, so
it can be a standing order for coins and piles that are still unknown.

An action names a soldier, a house (or its side: ``1a`` is the first side of battle 1), a space and,
if any, a tactic card and the space that a "copy" takes. Words may be shortened to an unambiguous
prefix and be in any order; the first number that does not follow "copy" is the space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.game import Seat
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import (
    COST,
    SMALL_WORDS,
    SOLDIER_CARDS,
    Dog,
    Soldier,
    SoldierCounts,
    folded,
)
from engine.games.dogs_of_war.box.names import DOG_NAMES
from engine.games.dogs_of_war.moves import (
    Buy,
    ChooseDog,
    ChooseFirst,
    DogsMove,
)
from engine.games.dogs_of_war.orders.action import parse_action
from engine.games.dogs_of_war.orders.battles import parse_push, parse_withdrawal
from engine.games.dogs_of_war.orders.words import (
    HINTS,
    NOTHING_WORDS,
    number_of,
    soldier_of,
    unknown,
)
from engine.games.dogs_of_war.state import State, Table
from engine.spanish import each, in_english

_TOKEN = re.compile(r"[1-9][ab](?![a-z])|[0-9]+|(?:[^\W\d_]|')+")
_SEPARATORS = re.compile(r"[\s+,;.:=&/–-]*")


def parse_move(state: State, seat: Seat, text: str) -> DogsMove:
    """The move an order means. The caller must check whether it is legal."""
    words = _words(text)
    phase = state.table.phase
    _refuse_other_phases(phase, words)
    match phase:
        case "dogs of war":
            return _parse_dog(words)
        case "first player":
            return _parse_first(state.table, words)
        case "mustering":
            return _parse_in_order(state, seat, words) if "then" in words else _parse_buy(words)
        case "action":
            return parse_action(position(state, seat), words)
        case "conqueror":
            return parse_push(state, seat, words)
        case _:
            return parse_withdrawal(state, seat, words)


def _words(text: str) -> list[str]:
    """The words and numbers of an order; raises Unreadable for anything else."""
    text = folded(in_english(text, SPANISH))
    found: list[str] = []
    place = 0
    while True:
        # it matches always, at least nothing
        place = _SEPARATORS.match(text, place).end()  # type: ignore[union-attr]
        if place == len(text):
            return found
        token = _TOKEN.match(text, place)
        if token is None:
            raise Unreadable("“{sign}” has no meaning in an order.", sign=text[place])
        found.append(token.group())
        place = token.end()


#: What Spanish says for words of an order.
SPANISH: Mapping[str, str] = {
    **each("play", "jugar", "juego"),
    **each("keep", "guardar", "quedar", "quedarme"),
    **each("give", "dar", "doy"),
    **each("token", "ficha"),
    **each("buy", "comprar", "compro"),
    **each("nothing", "nada"),
    **each("pass", "pasar", "paso"),
    **each("push", "empujar", "empujo"),
    **each("withdraw", "retirar", "retiro"),
    **each("footman", "peon", "infante"),
    **each("footmen", "peones", "infantes"),
    **each("arquebuser", "arcabucero"),
    **each("arquebusers", "arcabuceros"),
    **each("knight", "caballero"),
    **each("knights", "caballeros"),
    **each("wm", "maquina", "maquinas"),
    **each("", "de", "guerra", "carta", "en", "el", "la", "un", "una"),
    **each("then", "luego"),
    **each("and", "y", "con"),
}


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


def _parse_dog(words: list[str]) -> ChooseDog:
    named = [word for word in words if word not in SMALL_WORDS and word not in _OF_DOGS]
    if not named:
        raise Unreadable("The order names no dog of war. " + HINTS["dogs of war"])
    found = [dog for dog in Dog if all(_fits(dog, word) for word in named)]
    if len(found) == 1:
        return ChooseDog(found[0])
    if found:
        raise Ambiguous("“{word}” fits several dogs of war.", word=" ".join(named)[:40])
    raise unknown(" ".join(named), "dogs of war")


#: Words an order may contain beside a name.
_OF_DOGS = {"choose", "i", "i'll", "dog", "war", "as", "be"}


def _fits(dog: Dog, word: str) -> bool:
    """Whether a word is a prefix of a part of a dog's name."""
    parts = [dog.value, *folded(DOG_NAMES[dog]).split()]
    return any(part.replace("'", "").startswith(word.replace("'", "")) for part in parts)


def _parse_first(table: Table, words: list[str]) -> ChooseFirst:
    verb, *rest = words
    rest = [word for word in rest if word not in SMALL_WORDS and word != "me"]
    if verb == "keep" and not rest:
        return ChooseFirst()
    if verb != "give" or len(rest) != 1:
        raise Unreadable("The order is not understood. " + HINTS["first player"])
    number = number_of(rest[0])
    if number is not None:
        return ChooseFirst(number - 1)
    found = [
        seat
        for seat, player in enumerate(table.players)
        if player.dog is not None and _fits(player.dog, rest[0])
    ]
    if len(found) == 1:
        return ChooseFirst(found[0])
    if found:
        raise Ambiguous("“{word}” fits several players. Write a number.", word=rest[0])
    raise unknown(rest[0], "first player")


def _parse_buy(words: list[str]) -> Buy:
    if words in (["no"], ["0"]):  # it may be the answer to something else
        raise Unreadable("The order names no soldiers. " + HINTS["mustering"])
    if words[0] == "buy":
        words = words[1:]
    if len(words) == 1 and words[0] in NOTHING_WORDS:
        return Buy()
    # elsewhere "2a" is the side of a battle; here it is two arquebusers.
    words = [part for word in words for part in ((word[0], "arq") if word[1:] == "a" else (word,))]
    entries = [
        word if number_of(word) is None else number_of(word)
        for word in words
        if word not in SMALL_WORDS or word in ("a", "an")
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
            kind = soldier_of(entry)
            # "war machine" is two words for one soldier.
            if not (machine and kind is Soldier.WAR_MACHINE and number is None):
                bought = bought.plus(kind, 1 if number is None else number)
            machine = kind is Soldier.WAR_MACHINE and not machine
            number = None
    if number is not None:
        raise Unreadable("{number} of what? " + HINTS["mustering"], number=number)
    return Buy(bought)


def _parse_in_order(state: State, seat: Seat, words: list[str]) -> Buy:
    """Buys one kind after the other, while coins and piles last."""
    wishes = list(_wishes(words[words[0] == "buy" :]))
    if not wishes:  # "then" alone, or "luego": a word of a letter
        raise Unreadable("The order names no soldiers. " + HINTS["mustering"])
    left, purse = state.table.soldiers, state.screens[seat].coins
    bought, room = SoldierCounts(), 1 if state.options.one_soldier_a_year else left.total
    for kind, most in wishes:
        number = min(
            most, room, left.count(kind) - bought.count(kind), (purse - bought.cost) // COST[kind]
        )
        bought, room = bought.plus(kind, number), room - number
    return Buy(bought)


def _wishes(words: list[str]) -> Iterator[tuple[Soldier, int]]:
    """What is named between the words "then"; "nothing" is no wish."""
    for begins_next, run in groupby(words, lambda word: word == "then"):
        named = [word for word in run if word not in SMALL_WORDS or word in ("a", "an")]
        if not begins_next and not (len(named) == 1 and named[0] in NOTHING_WORDS):
            yield _wish(named)


def _wish(words: list[str]) -> tuple[Soldier, int]:
    """A kind of soldier, and the maximum number."""
    counts = [1 if word in ("a", "an") else number_of(word) for word in words]
    kinds = {
        soldier_of(word)
        for word, count in zip(words, counts, strict=True)
        if count is None and word != "all"
    }
    given = [count for count in counts if count is not None]
    if len(kinds) != 1 or len(given) > 1:
        raise Unreadable("“then” stands between single kinds of soldiers. " + HINTS["mustering"])
    return kinds.pop(), given[0] if given else SOLDIER_CARDS
