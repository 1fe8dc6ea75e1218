"""The type of a remedy. Each is defined in one file of ``pbem.acts.remedies``.

Forms, ``pbem remedy`` and ``pbem stalled`` are made from these definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from engine.errors import Sentence
from pbem.acts.effects import Foresight
from pbem.acts.who_may import Row
from pbem.clocks.durations import seconds_of, span_text
from pbem.errors import BadInput, NotPossible
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Seat, Turn
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table


@dataclass(frozen=True)
class RemedyRequest:
    """A remedy and its parameters. ``seat`` is None for a remedy of the whole match."""

    remedy: str
    seat: int | None = None
    #: The span of an extension or a pause, like ``24h``.
    by: str = ""
    bot: str = ""
    name: str = ""
    email: str = ""
    ply: int = 0

    @property
    def place(self) -> int:
        """The seat's number; ``links.HOST``, which no seat has, for the whole match."""
        return links.HOST if self.seat is None else self.seat

    def span(self, longest: timedelta) -> timedelta:
        """How long an extension or a pause lasts; BadInput if the text says no such length."""
        try:
            seconds = seconds_of(self.by)
        except ValueError:
            seconds = 0
        if not 1 <= seconds <= longest.total_seconds():
            raise BadInput(
                "{name} must be a length of time between 1s and {most}, like 24h or 1d12h.",
                field="by",
                name="by",
                most=span_text(int(longest.total_seconds())),
            )
        return timedelta(seconds=seconds)


@dataclass(frozen=True)
class RehearsedRemedy:
    """A remedy that was carried out and rolled back."""

    asked: RemedyRequest
    #: The match before the remedy.
    table: Table
    effect: Foresight
    #: What the act returned.
    answer: object


@dataclass(frozen=True)
class Question:
    """A parameter of a remedy, besides its seat."""

    #: The field of ``RemedyRequest``, of the form and of the command line.
    field: str
    label: Sentence
    #: What the form suggests.
    suggested: str = ""
    #: Whether it must be given.
    needed: bool = True


NAME = Question("name", Sentence("Name"))
EMAIL = Question("email", Sentence("E-mail address"))

#: The act. If it raises, nothing was changed. ``Remedy.sentence`` gets what it returns.
Act: TypeAlias = Callable[[Service, str, RemedyRequest, Actor], object]
#: What it does, in sentences. They may hold ``{name}`` (of the player), ``{new}``, ``{email}`` and
#: ``{ply}`` (the parameters), ``{before}`` and ``{until}`` (deadlines).
Said: TypeAlias = Sentence | Callable[[RehearsedRemedy], Sequence[Sentence]]


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """What a host or the operator can do for a match."""

    #: Its name in forms, requests and on the command line.
    name: str
    label: Sentence
    act: Act
    #: Shown before it is done, and after.
    sentence: Said
    asks: tuple[Question, ...] = ()
    who: frozenset[Actor] = frozenset({Actor.HOST, Actor.OPERATOR})
    #: The reasons of a stall that it helps against, each with its place among the remedies for it.
    helps: Mapping[StallReason, int] = field(default_factory=dict)
    #: Whether it can be done to several matches at once.
    for_several: bool = False
    #: The sentence of the table's history for each act of the audit log that only this remedy
    #: writes: ``{who}`` did it, to ``{name}``.
    history: Mapping[AuditAct, Sentence] = field(default_factory=dict)

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the parameters that must be given."""
        return tuple(question.field for question in self.asks if question.needed)


@dataclass(frozen=True, kw_only=True)
class OfSeat(Remedy):
    """A remedy for one seat."""

    #: Whether it is offered for a seat now. It is not asked when the match is over.
    fits: Callable[[Table, Seat], bool]
    #: Who may do it, in which state of the seat's owner.
    row: Row
    #: What it would do, as its owner is asked about it; None if no row says that they are. It may
    #: hold ``{new}`` and ``{email}`` (the parameters).
    question: Sentence | None = None


@dataclass(frozen=True, kw_only=True)
class OfMatch(Remedy):
    """A remedy for the whole match."""

    #: Whether it is offered now.
    fits: Callable[[Table], bool]
    #: The remedy of a seat that does the same as this one does for the host. The command line has
    #: that name for both, with ``--seat host`` for this one.
    of_host: str = ""


# --- checks that several remedies share ---


def not_over(table: Table) -> None:
    if table.match.ended_at is not None:
        raise NotPossible("This match is over.")


def waiting_turn(table: Table, seat: int) -> Turn:
    """The open turn of a seat; NotPossible if it has none."""
    table.seat(seat)
    turn = table.open_turns.get(seat)
    if turn is None or not table.running:
        raise NotPossible("{name} has no open turn.", name=table.seats[seat].name)
    return turn


def player_of(table: Table, number: int) -> Seat:
    """The seat of this number; NotPossible if it is open, or a bot without an address has it."""
    seat = table.seat(number)
    if seat.is_open:
        raise NotPossible("The seat is open: nobody has taken it yet.")
    if seat.email is None:
        raise NotPossible("{name} is a bot and has no address.", name=seat.name)
    return seat


def refuse_doubled(table: Table, player: Seat, email: str) -> None:
    """BadInput if another seat has this address: one address plays one seat."""
    for other in table.seats:
        if other.number != player.number and other.has_address(email):
            raise BadInput("Two seats have the same e-mail address.", field="e-mail address")
