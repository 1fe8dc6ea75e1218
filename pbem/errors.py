"""The errors of acts, and those of the service itself.

The doors turn errors of acts into pages, answers to programs and mails. The sentence is for the
person who can mend it; its text is a key of the message catalogue. What is not in order with the
service itself is for whoever runs it, in English.
"""

from __future__ import annotations

from typing import Any

from engine.errors import Parameter, Sentence


class Refused(Exception):
    """Base: an act was refused. Nothing was changed, nothing is lost."""

    #: A short name for programs, and the HTTP status.
    code = "refused"
    status = 400

    def __init__(self, text: str, **parameters: Parameter) -> None:
        self.sentence = Sentence(text, parameters)
        super().__init__(str(self.sentence))


class NotFound(Refused):
    """A link, match or seat does not exist, or is not for this person: both look the same."""

    code = "not_found"
    status = 404

    def __init__(self) -> None:
        super().__init__("There is nothing here. The link may be old, or was not copied whole.")


class BadInput(Refused):
    """Some input is missing, too long or not understood."""

    code = "input"
    status = 422

    def __init__(self, text: str, *, field: str = "", **parameters: Parameter) -> None:
        self.field = field
        super().__init__(text, **parameters)


class Unconfirmed(Refused):
    """An order by mail needs a confirmation: what it would do, and the line that confirms it."""

    code = "unconfirmed"
    status = 409

    def __init__(self, line: str, events: list[dict[str, Any]]) -> None:
        self.line = line
        #: What would happen, as far as the mover may know it beforehand, in plain values.
        self.events = events
        super().__init__("To confirm it, answer with this line: {line}", line=line)


class TurnClosed(Refused):
    """The turn is closed: it was played, or timed out, or the match ended."""

    code = "turn_closed"
    status = 409


class Stale(Refused):
    """The table has moved on since the page was made: the player has to look again."""

    code = "stale"
    status = 409


class Busy(Refused):
    """Others kept changing the match: nothing was done, and it can be tried again."""

    code = "busy"
    status = 503


class NotPossible(Refused):
    """The match is not in a state in which this act is possible."""

    code = "not_possible"
    status = 409


class Resigned(NotPossible):
    """Who resigned from a seat asks for what only its player may do."""

    def __init__(self) -> None:
        super().__init__("You resigned from this seat. The host can invite you to it again.")


class UnreadableMatch(NotPossible):
    """The stored state of a match does not fit the rules that are installed."""

    code = "unreadable_match"


class TooMany(Refused):
    """More than the limits of this service allow now."""

    code = "too_many"
    status = 429


class NotInOrder(Exception):
    """Base: the service cannot work as it is set up; the sentence tells the operator why."""


class ConfigError(NotInOrder):
    """Settings that cannot be used. ``str(error)`` has a sentence per line, for the operator."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = sentences
        super().__init__("\n".join(sentences))
