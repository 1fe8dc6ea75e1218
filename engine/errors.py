"""Errors between a player and a set of rules.

Every error carries a :class:`Sentence`: English text with ``{named}`` placeholders and their
values. The text is the key of the message catalogue, so the service can translate it;
``str(error)`` is the English. The sentence is for the person who can fix the problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec


class Sentence(msgspec.Struct, frozen=True):
    """English text with ``{named}`` placeholders, and their values.

    A value that consists of words is itself a Sentence, so that it can be translated.
    """

    text: str
    parameters: dict[str, Parameter] = {}

    def __str__(self) -> str:
        return self.text.format(**self.parameters)


#: The value of a placeholder.
Parameter: TypeAlias = str | int | Sentence


def listed(items: Iterable[Sentence], between: str = ", ") -> Sentence:
    """Several sentences as one list."""
    parameters: dict[str, Parameter] = {f"item{n}": item for n, item in enumerate(items)}
    return Sentence(between.join(f"{{{name}}}" for name in parameters), parameters)


def shown(text: object) -> Parameter:
    """What somebody wrote, to be quoted to them: at most 40 printable characters.

    Where nothing can be seen of it, it says so: a name that is not there would leave a gap.
    """
    short = "".join(sign if sign.isprintable() else "?" for sign in str(text)[:40])
    # a mail program would take it for the beginning of an encoded word
    return short.replace("=?", "??") if short.strip() else Sentence("(nothing)")


class EngineError(Exception):
    """Base of all errors the engine raises on purpose."""

    #: Short identifier, as the HTTP interface shows it.
    code = "error"

    def __init__(self, text: str, *, rule: str | None = None, **parameters: Parameter) -> None:
        self.sentence = Sentence(text, parameters)
        self.rule = rule
        super().__init__(str(self.sentence))


class OrderError(EngineError):
    """The order does not mean exactly one legal move."""


class Unreadable(OrderError):
    """The text is not in the game's notation."""

    code = "unreadable"


class IllegalMove(OrderError):
    """The order is readable, but the rules forbid it now; ``rule`` is the rule's id."""

    code = "illegal"


class Ambiguous(OrderError):
    """The text fits several legal moves; the sentence says how to tell them apart."""

    code = "ambiguous"


class OptionsError(EngineError):
    """The game does not have this option, or the option cannot have this value."""

    code = "options"


class DataError(EngineError):
    """A game's data file does not match its schema."""

    code = "data"


class UnknownGame(EngineError):
    """No game with this name is installed."""

    code = "unknown_game"
