"""The result of one line of a letter: written by the gateway, told by the answer mail."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

import msgspec

from engine.errors import Sentence
from pbem.acts.vacations import Vacation


class Told(msgspec.Struct, frozen=True):
    """One line and what came of it."""

    #: As it was written; "" for the letter as a whole.
    line: str
    how: Literal[
        "played",
        "wrong",
        "left_out",
        "asks",
        "waits",
        "waits_on",
        "help",
        "away",
        "here",
        "stop",
        "resign",
        "undo",
        "ask_undo",
        "when",
        "bot",
        "thanks",
    ]
    #: The ply of a move that was made.
    ply: int = 0
    #: What is wrong.
    sentence: Sentence | None = None
    #: The id of the rule that forbids it.
    rule: str = ""
    #: Of an order that wants to be confirmed: what it would bring, in plain values.
    events: list[dict[str, Any]] = []
    #: Of days away: what stands now.
    announced: Vacation | None = None
    #: Of days that were not said as days: the first and the last that may be meant.
    days: tuple[date, date] | None = None
