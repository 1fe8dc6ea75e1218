"""An order as a sequence of words, and what may follow an order to fire or to wait."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.terrain import GROUND

MODES = ("single", "burst", "auto")
NUMBER = r"\d{1,3}(?:\.\d{1,3})?"
SPOT = re.compile(rf"({NUMBER}),({NUMBER})")
NAME = r"[a-z]+-\d{1,2}"


def thousandths(text: str) -> int:
    whole, _, rest = text.partition(".")
    return int(whole) * 1000 + int((rest + "000")[:3])


def unreadable(text: str, who: str = "alpha-2", like: str = "") -> Unreadable:
    """The refusal of an order, with examples for a man of whoever wrote it, or of its kind."""
    if like:
        sentence = "I cannot read “{order}”. Such an order looks like “{like}”."
        return Unreadable(sentence, order=text.strip()[:80], like=like)
    return Unreadable(
        "I cannot read “{order}”. Orders look like “{who} run to 23.5,14” or “{team} end”.",
        order=text.strip()[:80],
        who=who,
        team=who.rpartition("-")[0],
    )


class Words:
    """A line as a sequence of words, consumed from the front."""

    def __init__(self, text: str) -> None:
        self.text = text
        tidy = re.sub(r"\s*,\s*(?=\d)", ",", text.lower().strip())
        tidy = re.sub(r"\bop[ -]fire\b", "opfire", tidy)
        self.left = tidy.replace("“", "").replace("”", "").split()

    def take(self) -> str:
        if not self.left:
            raise unreadable(self.text)
        return self.left.pop(0)

    def skip(self, *words: str) -> bool:
        """Consumes the first word if it is one of these."""
        if self.left and self.left[0] in words:
            self.left.pop(0)
            return True
        return False

    def number(self, top: int = 999_999) -> int:
        word = self.take()
        if not re.fullmatch(r"\d{1,6}", word) or int(word) > top:
            raise unreadable(self.text)
        return int(word)

    def length(self) -> int:
        word = self.take()
        if not re.fullmatch(NUMBER, word):
            raise unreadable(self.text)
        return thousandths(word)

    def direction(self) -> int:
        word = self.take()
        named = {"north": 0, "east": 90, "south": 180, "west": 270}
        return named[word] if word in named else self.degrees(word)

    def degrees(self, word: str) -> int:
        if not re.fullmatch(r"\d{1,3}", word) or int(word) > 360:
            raise unreadable(self.text)
        return int(word) % 360

    def spot(self) -> Point:
        found = SPOT.fullmatch(self.take())
        if not found:
            raise unreadable(self.text)
        return (thousandths(found[1]), thousandths(found[2]))

    def is_spot(self) -> bool:
        return bool(self.left) and SPOT.fullmatch(self.left[0]) is not None

    def floor(self) -> str:
        return self.take() if self.skip("on") else GROUND

    def done(self) -> None:
        if self.left:
            raise unreadable(self.text)


FLAGS = ("aimed", "scope", "low", "reroll")
WAITING_FLAGS = ("aimed", "scope", "reroll")


def arc_between(first: int, second: int) -> tuple[int, int]:
    """SKR-45: the watched arc, clockwise between two bearings; IllegalMove if they are the same."""
    if first == second:
        raise IllegalMove(
            "Both edges of that arc are the same direction. An arc goes clockwise from one "
            "direction to another, as in “arc 30-60”; without one he watches all that is ahead.",
            rule="SKR-45",
        )
    return (first, second)


def range_of(far: int) -> int:
    """SKR-45: how far an order watches; IllegalMove for 0, which would reach nobody."""
    if not far:
        raise IllegalMove(
            "A range of 0 inches reaches nobody. Write a longer one, as in “range 24”; without "
            "one he watches as far as his weapon carries.",
            rule="SKR-45",
        )
    return far


def _arc(words: Words, _: str) -> tuple[int, int]:
    first, dash, second = words.take().partition("-")
    if not dash:
        raise unreadable(words.text)
    return arc_between(words.degrees(first), words.degrees(second))


#: A word of an order: the field of its move, and how to read the value from what follows the word.
Parts: TypeAlias = Mapping[str, tuple[str, Callable[[Words, str], Any]]]
_WITH: Parts = {"with": ("weapon", lambda words, _: words.take())}
_MODE: Parts = dict.fromkeys(MODES, ("mode", lambda _, word: word))


def _flags(*flags: str) -> Parts:
    """Words that stand for themselves."""
    return {flag: (flag, lambda words, word: True) for flag in flags}


#: What an order to fire may say after its target.
OF_A_SHOT: Parts = {
    **_WITH,
    **_MODE,
    **_flags(*FLAGS),
    "spotter": ("spotter", lambda words, _: words.take()),
}
#: What an order to wait may say.
OF_A_WATCH: Parts = {
    **_WITH,
    **_MODE,
    **_flags(*WAITING_FLAGS),
    "arc": ("arc", _arc),
    "range": ("reach", lambda words, _: range_of(words.length())),
    "at": ("target", lambda words, _: words.take()),
    "chance": ("chance", lambda words, _: words.number(100)),
    "trigger": ("device", lambda words, _: words.take()),
}
#: What an order to throw, to attack or to set a charge may say after its target or place.
OF_A_THROW: Parts = _flags("through", "reroll")
OF_AN_ATTACK: Parts = {**_WITH, **_flags("knockout")}
OF_A_CHARGE: Parts = {
    "facing": ("facing", lambda words, _: words.direction()),
    "quarters": ("quarters", lambda words, _: words.number(40)),
}


class Said:
    """What the rest of an order says, in any sequence: the value of each field it gives, once."""

    def __init__(self, words: Words, parts: Parts) -> None:
        self.values: dict[str, Any] = {}
        self._in_words: dict[str, str] = {}
        while words.left:
            before = tuple(words.left)
            word = words.take()
            if word not in parts:
                raise unreadable(words.text)
            field, value = parts[word][0], parts[word][1](words, word)
            said = " ".join(before[: len(before) - len(words.left)])
            if self.values.setdefault(field, value) != value:
                raise _either(self._in_words[field], said)
            self._in_words.setdefault(field, said)

    def check_only(self, one: str, other: str) -> None:
        """Raises Ambiguous if it gives both fields."""
        if one in self.values and other in self.values:
            raise _either(self._in_words[one], self._in_words[other])


def _either(one: str, other: str) -> Ambiguous:
    return Ambiguous(
        "The order says “{one}” and “{other}”; only one of the two is possible. "
        "Leave out the other.",
        one=one[:40],
        other=other[:40],
    )
