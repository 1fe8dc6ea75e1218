"""What an act can refuse. The doors turn these into pages, answers and replies.

The sentence is for the person who can mend it; its text is a key of the message catalogue.
"""

from __future__ import annotations

from typing import Any

from engine.errors import Parameter, Sentence


class Refused(Exception):
    """Base: an act that was not carried out. Nothing was changed, nothing is lost."""

    #: Short machine name, and the HTTP status that fits.
    code = "refused"
    status = 400

    def __init__(self, text: str, **parameters: Parameter) -> None:
        self.sentence = Sentence(text, parameters)
        super().__init__(str(self.sentence))


class NotFound(Refused):
    """A link, match or seat that is not there, or not for this person: all look the same."""

    code = "not_found"
    status = 404

    def __init__(self) -> None:
        super().__init__("There is nothing here. The link may be old, or was not copied whole.")


class BadInput(Refused):
    """Something that was handed in is missing, too long or not understood."""

    code = "input"
    status = 422

    def __init__(self, text: str, *, field: str = "", **parameters: Parameter) -> None:
        self.field = field
        super().__init__(text, **parameters)


class Unconfirmed(Refused):
    """An order that a letter must confirm: what it would do, and the words that confirm it."""

    code = "unconfirmed"
    status = 409

    def __init__(self, line: str, events: list[dict[str, Any]]) -> None:
        self.line = line
        #: What would happen, as far as the mover may know it beforehand, in plain values.
        self.events = events
        super().__init__("To confirm it, answer with this line: {line}", line=line)


class TurnClosed(Refused):
    """The turn is over: played, passed on, or the match ended."""

    code = "turn_closed"
    status = 409


class Stale(Refused):
    """The table has moved on since the page was made. It must be looked at again."""

    code = "stale"
    status = 409


class Busy(Refused):
    """Others kept changing the match; nothing was done, and trying again is right."""

    code = "busy"
    status = 503


class NotPossible(Refused):
    """The match is not in a condition for this act."""

    code = "not_possible"
    status = 409


class UnreadableMatch(NotPossible):
    """The stored state of a match does not fit the rules that are installed."""

    code = "unreadable_match"


class TooMany(Refused):
    """More than the limits of this service allow, for now."""

    code = "too_many"
    status = 429
