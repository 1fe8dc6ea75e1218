"""What a remedy would do, as values. They hold only what everybody may know."""

from __future__ import annotations

from datetime import datetime

import msgspec


class MailEffect(msgspec.Struct, frozen=True):
    """A mail that would be owed. ``seat`` is ``links.HOST`` for the host."""

    kind: str
    seat: int
    #: The name of who gets it: of the new player where a seat changes hands.
    name: str
    #: Why it would be owed but not sent; "" if it would be sent.
    held_back: str = ""


class Clock(msgspec.Struct, frozen=True):
    """The deadline, as others know it, that a seat's open turn would get. None: no deadline."""

    seat: int
    before: datetime | None
    due_at: datetime | None
    #: Whether it is the deadline after a pause, if nothing happens before the pause ends.
    then: bool = False


class DeadLink(msgspec.Struct, frozen=True):
    """A link that would stop working."""

    purpose: str
    seat: int


class Foresight(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a remedy."""

    remedy: str
    seat: int | None
    #: The seat for which a move would be made at once, and what makes it: "default" or "bot".
    moves: int | None = None
    moved_by: str = ""
    #: Whether several seats decide at once, so that the move stays hidden until all have moved.
    hidden: bool = False
    clocks: tuple[Clock, ...] = ()
    mails: tuple[MailEffect, ...] = ()
    dead: tuple[DeadLink, ...] = ()
    #: Seats whose open turn would be closed.
    closes: tuple[int, ...] = ()
    #: Seats that would have an open turn right after, before the match is advanced.
    waits: tuple[int, ...] = ()
    #: Seats that would have to decide after going back.
    decide: tuple[int, ...] = ()
    #: Whether the service would advance the match at once.
    goes_on: bool = False
    paused_until: datetime | None = None
    back_to: int | None = None
    ends: bool = False
    #: "asks" or "warns" (``who_may.May``) if the owner of the seat is asked before; else "".
    asks: str = ""
