"""The result of one line of a letter: written by the gateway, shown in the answer mail."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

import msgspec

from engine.errors import Sentence
from pbem.acts.vacations import Vacation


class LineResult(msgspec.Struct, frozen=True):
    """One line and what came of it."""

    #: As it was written; "" for the letter as a whole.
    line: str
    how: Literal[
        "played",
        "done",
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
        "said",
        "unsaid",
    ]
    #: The ply of a move that was made.
    ply: int = 0
    #: Of a move that brought something new, and of the lines below it, which are not played.
    news: bool = False
    #: What is wrong.
    sentence: Sentence | None = None
    #: The id of the rule that forbids it.
    rule: str = ""
    #: Of an order that must be confirmed: its events, as plain values.
    events: list[dict[str, Any]] = []
    #: Of a line about days away: the vacation that is now announced.
    announced: Vacation | None = None
    #: Of a standing order: how many that were left before it are used first, one for each decision.
    behind: int = 0
    #: Of a message to one seat: whose name is there; "" for one to all.
    to: str = ""
    #: Of days away without dates: the first and the last day that may be meant.
    days: tuple[date, date] | None = None
