"""What can go wrong between a player and a set of rules.

Every error carries a :class:`Sentence`: English text with ``{named}`` places and the values for
them. The text is the key of the message catalogue, so the service can say it in another language;
``str(error)`` is the English. The sentence is for the person who can mend it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec


class Sentence(msgspec.Struct, frozen=True):
    """English text with ``{named}`` places, and the values that go there.

    A value that is words itself is a Sentence again, so that it can be said in another language.
    """

    text: str
    parameters: dict[str, Parameter] = {}

    def __str__(self) -> str:
        return self.text.format(**self.parameters)


#: What may stand in a named place.
Parameter: TypeAlias = str | int | Sentence


def listed(items: Iterable[Sentence], between: str = ", ") -> Sentence:
    """Several sentences in a row."""
    parameters: dict[str, Parameter] = {f"item{n}": item for n, item in enumerate(items)}
    return Sentence(between.join(f"{{{name}}}" for name in parameters), parameters)


class EngineError(Exception):
    """Base of all errors the engine raises on purpose."""

    #: Short machine name, as the HTTP interface shows it.
    code = "error"

    def __init__(self, text: str, *, rule: str | None = None, **parameters: Parameter) -> None:
        self.sentence = Sentence(text, parameters)
        self.rule = rule
        super().__init__(str(self.sentence))


class OrderError(EngineError):
    """An order that is not, as it stands, exactly one legal move."""


class Unreadable(OrderError):
    """The text is not in the game's notation."""

    code = "unreadable"


class IllegalMove(OrderError):
    """The order can be read, but the rules forbid it now; ``rule`` is the rule's id."""

    code = "illegal"


class Ambiguous(OrderError):
    """The text fits several legal moves; the sentence says how to tell them apart."""

    code = "ambiguous"


class OptionsError(EngineError):
    """An option that the game does not have, or a value it cannot take."""

    code = "options"


class DataError(EngineError):
    """A game's data file that does not fit its shape."""

    code = "data"


class UnknownGame(EngineError):
    """No game of this name is installed."""

    code = "unknown_game"
