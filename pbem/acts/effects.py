"""What a remedy would do, as far as everybody may know it: values alone."""

from __future__ import annotations

from datetime import datetime

import msgspec


class Mailed(msgspec.Struct, frozen=True):
    """A mail that would be owed. ``seat`` is ``links.HOST`` for the host."""

    kind: str
    seat: int
    #: Whose it is, by name: the new player's where a seat changes hands.
    name: str
    #: Why it would not go out all the same; "" where it would.
    held_back: str = ""


class Clock(msgspec.Struct, frozen=True):
    """The deadline, as others know it, that a seat's open turn would get; None: no limit."""

    seat: int
    before: datetime | None
    due_at: datetime | None
    #: Whether it only holds if nothing comes between: the end of a pause.
    then: bool = False


class DeadLink(msgspec.Struct, frozen=True):
    """A link that would work no longer."""

    purpose: str
    seat: int


class Foresight(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a remedy."""

    remedy: str
    seat: int | None
    #: The seat for which a move would be made at once, and by whom: "default" or "bot".
    moves: int | None = None
    moved_by: str = ""
    #: Whether several seats decide at once now, so that the move stays hidden until all have.
    hidden: bool = False
    clocks: tuple[Clock, ...] = ()
    mails: tuple[Mailed, ...] = ()
    dead: tuple[DeadLink, ...] = ()
    #: Seats whose open turn would be closed.
    closes: tuple[int, ...] = ()
    #: Seats that would have an open turn right after, before the match is carried on.
    waits: tuple[int, ...] = ()
    #: Seats whose decision it would be after going back.
    decide: tuple[int, ...] = ()
    #: Whether the service would carry the match on at once.
    goes_on: bool = False
    paused_until: datetime | None = None
    back_to: int | None = None
    ends: bool = False
