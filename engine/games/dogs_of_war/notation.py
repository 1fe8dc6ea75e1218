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
it can be a standing order for coins and piles that are still unknown. A kind in the plural without
a number (``buy knights``) is ambiguous where more than one can be had.

An action names a soldier, a house (or its side: ``1a`` is the first side of battle 1), a space and,
if any, a tactic card and the space that a "copy" takes. Words may be shortened to an unambiguous
prefix and be in any order; the first number that does not follow "copy" is the space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TypeAlias

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.game import Seat
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import (
    COST,
    COUNTING,
    SMALL_WORDS,
    Dog,
    Soldier,
    SoldierCounts,
    catalogue,
    folded,
)
from engine.games.dogs_of_war.box.names import DOG_NAMES, SOLDIER_PLURALS
from engine.games.dogs_of_war.moves import (
    Buy,
    ChooseDog,
    ChooseFirst,
    DogsMove,
)
from engine.games.dogs_of_war.orders.action import parse_action
from engine.games.dogs_of_war.orders.battles import parse_push, parse_withdrawal
from engine.games.dogs_of_war.orders.text import NOTHING, amounts, buy, format_move
from engine.games.dogs_of_war.orders.words import (
    HINTS,
    NOTHING_WORDS,
    PLURALS,
    number_of,
    soldier_of,
    unknown,
)
from engine.games.dogs_of_war.state import State, Table
from engine.spanish import each, in_english

#: A word or number, or a sign that neither is one nor separates them.
_PART = re.compile(r"(?P<word>[1-9][ab](?![a-z])|[0-9]+|(?:[^\W\d_]|')+)|(?P<sign>[^\s+,;.:=&/–-])")
_MINUS = re.compile(r"(?<!\w)[–-]\d+")


def parse_move(state: State, seat: Seat, text: str) -> DogsMove:
    """The move an order means. The caller must check whether it is legal."""
    phase = state.table.phase
    cards = catalogue(state.options.components).cards if phase == "action" else ()
    words = _words(text, tuple(cards))
    _refuse_other_phases(phase, words)
    match phase:
        case "dogs of war":
            return _parse_dog(words)
        case "first player":
            return _parse_first(state.table, words)
        case "mustering":
            return (_parse_in_order if "then" in words else _parse_buy)(state, seat, words)
        case "action":
            return parse_action(position(state, seat), words)
        case "conqueror":
            return parse_push(state, seat, words)
        case _:
            return parse_withdrawal(state, seat, words)


def _words(text: str, cards: tuple[str, ...] = ()) -> list[str]:
    """The words and numbers of an order; raises Unreadable for anything else.

    ``cards``: the names of tactic cards, which are no Spanish for anything.
    """
    text = _in_english(folded(text), cards)
    minus = _MINUS.search(text)
    if minus is not None:  # elsewhere the sign only separates: "2 knights - 1 footman"
        raise Unreadable(
            "“{number}” has a minus sign, and no number in an order is below 0.",
            number=minus.group()[:40],
        )
    found: list[str] = []
    for part in _PART.finditer(text):
        if part["sign"]:
            raise Unreadable("“{sign}” has no meaning in an order.", sign=part["sign"])
        found.append(part["word"])
    return found


def _in_english(text: str, cards: tuple[str, ...]) -> str:
    """A folded order with its Spanish words replaced, except in the whole name of a card."""
    parts = _any_name(cards).split(text) if cards else [text]
    parts[::2] = [in_english(part, SPANISH) for part in parts[::2]]
    return "".join(parts)


@lru_cache(maxsize=16)
def _any_name(cards: tuple[str, ...]) -> re.Pattern[str]:
    """The whole name of one of the cards; cached: a match has the same cards in each order."""
    names = [r"[\s-]+".join(re.split("[ -]", folded(name))) for name in cards]
    # the longest first: a name may begin with another one
    longest_first = "|".join(sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)({longest_first})(?!\w)")


_SPANISH_COUNTING = (
    *("uno", "dos", "tres", "cuatro", "cinco"),
    *("seis", "siete", "ocho", "nueve", "diez"),
)
#: What Spanish says for words of an order.
SPANISH: Mapping[str, str] = {
    **each("play", "jugar", "juego"),
    **each("keep", "guardar", "guardo", "quedar", "quedarme", "quedo"),
    **each("give", "dar", "doy"),
    **each("token", "ficha"),
    **each("first", "primer"),
    **each("player", "jugador", "jugadora"),
    **each("seat", "asiento"),
    **each("captain", "capitan"),
    **each("conqueror", "conquistador"),
    **each("buy", "comprar", "compro"),
    **each("nothing", "nada"),
    **each("pass", "pasar", "paso"),
    **each("push", "empujar", "empujo"),
    **each("withdraw", "retirar", "retiro"),
    **each("footman", "peon", "infante"),
    **each("footmen", "peones", "infantes", "infanteria"),
    **each("soldier", "soldado"),
    **each("soldiers", "soldados"),
    **each("arquebuser", "arcabucero"),
    **each("arquebusers", "arcabuceros"),
    **each("knight", "caballero"),
    **each("knights", "caballeros"),
    **each("wm", "maquina"),
    **each("machines", "maquinas"),
    **each("house", "casa"),
    **each("space", "casilla", "espacio"),
    **each("copy", "copiar", "copia", "copio"),
    **each("a", "un", "una"),
    **dict(zip(_SPANISH_COUNTING, COUNTING[1:], strict=True)),
    **each("", "al", "de", "del", "guerra", "carta", "en", "el", "la"),
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
_OF_DOGS = {"choose", "i", "i'll", "dog", "war", "as", "be", "sin", "nombre"}


def _fits(dog: Dog, word: str) -> bool:
    """Whether a word is a prefix of a part of a dog's name."""
    parts = [dog.value, *folded(DOG_NAMES[dog]).split()]
    return any(part.replace("'", "").startswith(word.replace("'", "")) for part in parts)


def _parse_first(table: Table, words: list[str]) -> ChooseFirst:
    verb, *rest = [word for word in words if word not in SMALL_WORDS | _OF_THE_TOKEN] or [""]
    if verb == "keep" and not rest:
        return ChooseFirst()
    if verb != "give" or not rest:
        raise Unreadable("The order is not understood. " + HINTS["first player"])
    name = " ".join(rest)
    number = number_of(name)
    if number is not None:
        return ChooseFirst(number - 1)
    found = [
        seat
        for seat, player in enumerate(table.players)
        if player.dog is not None and all(_fits(player.dog, word) for word in rest)
    ]
    if len(found) == 1:
        return ChooseFirst(found[0])
    if found:
        raise Ambiguous("“{word}” fits several players. Write a number.", word=name[:40])
    raise unknown(name, "first player")


#: Words an order may contain beside whose token it is.
_OF_THE_TOKEN = {"i", "me", "first", "seat"}


#: A kind of soldier, and how many of it; None: it is in the plural and has no number.
_Wish: TypeAlias = tuple[Soldier, int | None]


def _parse_buy(state: State, seat: Seat, words: list[str]) -> Buy:
    named = [word for word in words if word not in SMALL_WORDS]
    if named in (["no"], ["0"]):  # it may be the answer to something else
        raise Unreadable("The order names no soldiers. " + HINTS["mustering"])
    if words[0] == "buy":
        words, named = words[1:], named[1:]
    if len(named) == 1 and named[0] in NOTHING_WORDS:
        return Buy()
    # elsewhere "2a" is the side of a battle; here it is two arquebusers.
    words = [part for word in words for part in ((word[0], "arq") if word[1:] == "a" else (word,))]
    # "war machine" is two words for one soldier.
    pairs = zip(words, [*words[1:], None], strict=False)
    words = [word for word, after in pairs if after is None or not _is_machine(word, after)]
    entries = [
        word if (count := _count(word)) is None else count
        for word in words
        if word not in SMALL_WORDS or word in _ONE
    ]
    if not entries:
        raise Unreadable("The order names no soldiers. " + HINTS["mustering"])
    if isinstance(entries[0], str):
        if isinstance(entries[-1], int):
            # "knights 2, footmen 1": each number belongs to the word before it.
            entries.reverse()
        else:
            _refuse_between(entries)
    wishes: list[_Wish] = []
    number = None
    for entry in entries:
        if isinstance(entry, int):
            if number is not None:
                raise Unreadable("Two numbers follow one another. " + HINTS["mustering"])
            number = entry
        else:
            several = entry in PLURALS
            wishes.append((soldier_of(entry), 1 if number is None and not several else number))
            number = None
    if number is not None:
        raise Unreadable("{number} of what? " + HINTS["mustering"], number=number)
    return _so_many(state, seat, wishes)


_ONE = ("a", "an")


def _count(word: str) -> int | None:
    return 1 if word in _ONE else number_of(word)


def _refuse_between(entries: Sequence[str | int]) -> None:
    """Refuses a number that can belong to the soldier before it: "knight 2, footman".

    In "knight, 2 footmen" and "knight, 1 footman" it cannot.
    """
    for number, soldier in pairwise(entries):
        if isinstance(number, int) and (number == 1) == (soldier in PLURALS):
            raise Unreadable(
                "{number} stands between two kinds of soldiers. " + HINTS["mustering"],
                number=number,
            )


def _is_machine(word: str, after: str) -> bool:
    return "war".startswith(word) and "machines".startswith(after)


def _so_many(state: State, seat: Seat, wishes: list[_Wish]) -> Buy:
    """Buys so many of each kind; Ambiguous if a kind without a number can be had more than once."""
    bought = SoldierCounts()
    for kind, number in wishes:
        bought = bought.plus(kind, 1 if number is None else number)
    most = _in_order(state, seat, wishes)
    for kind, number in wishes:
        if number is None and most.count(kind) > bought.count(kind):
            parts = [part for wish in wishes for part in _in_words(*wish)]
            raise Ambiguous(
                "“{kind}” has no number. Do you mean 1, or as many as possible? Write “{one}” or "
                "“{most}”.",
                kind=SOLDIER_PLURALS[kind],
                one=format_move(Buy(bought)),
                most=buy(parts if parts[1:] else [*parts, NOTHING], " then "),
            )
    return Buy(bought)


def _in_words(kind: Soldier, number: int | None) -> list[str]:
    """A wish as it is written beside "then"; none if the number is 0."""
    return [SOLDIER_PLURALS[kind]] if number is None else amounts({kind: f"{number}"})


def _parse_in_order(state: State, seat: Seat, words: list[str]) -> Buy:
    """Buys one kind after the other, while coins and piles last."""
    wishes = list(_wishes(words[words[0] == "buy" :]))
    if not wishes:  # "then" alone, or "luego": a word of a letter
        raise Unreadable("The order names no soldiers. " + HINTS["mustering"])
    return Buy(_in_order(state, seat, wishes))


def _in_order(state: State, seat: Seat, wishes: Iterable[_Wish]) -> SoldierCounts:
    """What can be had of one kind after the other; of each as much as possible, or its number."""
    left, purse = state.table.soldiers, state.screens[seat].coins
    bought, room = SoldierCounts(), 1 if state.options.one_soldier_a_year else left.total
    for kind, most in wishes:
        there = left.count(kind) - bought.count(kind)
        number = min(room, there, (purse - bought.cost) // COST[kind])
        number = number if most is None else min(number, most)
        bought, room = bought.plus(kind, number), room - number
    return bought


def _wishes(words: list[str]) -> Iterator[_Wish]:
    """What is named between the words "then"; "nothing" is no wish."""
    for begins_next, run in groupby(words, lambda word: word == "then"):
        named = [word for word in run if word not in SMALL_WORDS or word in _ONE]
        if not begins_next and not (len(named) == 1 and named[0] in NOTHING_WORDS):
            yield _wish(named)


def _wish(words: list[str]) -> _Wish:
    """A kind of soldier, and the maximum number if there is one."""
    counts = [_count(word) for word in words]
    kinds = {
        soldier_of(word)
        for word, count in zip(words, counts, strict=True)
        if count is None and word != "all"
    }
    given = [count for count in counts if count is not None]
    if len(kinds) != 1 or len(given) > 1:
        raise Unreadable("“then” stands between single kinds of soldiers. " + HINTS["mustering"])
    return kinds.pop(), given[0] if given else None
