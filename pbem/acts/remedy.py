"""The shape of a remedy: all that is known of it stands in one file of ``pbem.acts.remedies``.

Forms, ``pbem remedy`` and ``pbem stalled`` are made from what is said there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.errors import Sentence
from pbem.acts.effects import Foresight
from pbem.errors import BadInput, NotPossible
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Actor, Seat, StallReason, Turn
from pbem.store.names import AuditAct
from pbem.store.table import Table


@dataclass(frozen=True)
class Asked:
    """A remedy with all it must be told. ``seat`` is None for one of the whole match."""

    remedy: str
    seat: int | None = None
    #: A span like ``24h``: of an extension or a pause.
    by: str = ""
    bot: str = ""
    name: str = ""
    email: str = ""
    ply: int = 0

    @property
    def place(self) -> int:
        """The seat's number; for the whole match one that no seat has."""
        return links.HOST if self.seat is None else self.seat


@dataclass(frozen=True)
class Rehearsed:
    """A remedy that was carried out and undone."""

    asked: Asked
    #: The match as it is.
    table: Table
    effect: Foresight
    #: What the act answered.
    answer: object


@dataclass(frozen=True)
class Question:
    """What a remedy must be told beside its seat."""

    #: The field of ``Asked``, of the form and of the command line.
    field: str
    label: Sentence
    #: What the form suggests.
    suggested: str = ""
    #: Whether it cannot do without.
    needed: bool = True


NAME = Question("name", Sentence("Name"))
EMAIL = Question("email", Sentence("E-mail address"))

#: The act. It raises what stands in its way, and then nothing was changed. What it answers is for
#: ``Remedy.sentence``.
Act: TypeAlias = Callable[[Service, str, Asked, Actor], object]
#: What it does, in sentences; they may name ``{name}`` (who has the seat), ``{new}``, ``{email}``
#: and ``{ply}`` (what was asked), ``{before}`` and ``{until}`` (deadlines).
Said: TypeAlias = Sentence | Callable[[Rehearsed], Sequence[Sentence]]


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """What a host or the operator can do for a match."""

    #: As forms, scripts and the command line call it.
    name: str
    label: Sentence
    act: Act
    #: Said before it is done, and after.
    sentence: Said
    asks: tuple[Question, ...] = ()
    who: frozenset[Actor] = frozenset({Actor.HOST, Actor.OPERATOR})
    #: Why a match stalls where it helps, and at which place it is named among what helps there.
    helps: Mapping[StallReason, int] = field(default_factory=dict)
    #: Whether it can be done to several matches at once.
    for_several: bool = False
    #: How the table's history tells the acts of the audit log that only this remedy writes:
    #: ``{who}`` did it, to ``{name}``.
    history: Mapping[AuditAct, Sentence] = field(default_factory=dict)

    @property
    def needs(self) -> tuple[str, ...]:
        """What else it must be told."""
        return tuple(question.field for question in self.asks if question.needed)


@dataclass(frozen=True, kw_only=True)
class OfSeat(Remedy):
    """A remedy for one seat."""

    #: Whether it is offered for a seat as things stand, while the match is not over.
    fits: Callable[[Table, Seat], bool]


@dataclass(frozen=True, kw_only=True)
class OfMatch(Remedy):
    """A remedy for the whole match."""

    #: Whether it is offered as things stand.
    fits: Callable[[Table], bool]
    #: The remedy of a seat that this one is for the host: on the command line it is that one with
    #: ``--seat host``.
    of_host: str = ""


# --- what several of them need ---


def not_over(table: Table) -> None:
    if table.match.ended_at is not None:
        raise NotPossible("This match is over.")


def waiting_turn(table: Table, seat: int) -> Turn:
    """The open turn of a seat."""
    table.seat(seat)
    turn = table.open_turns.get(seat)
    if turn is None or not table.running:
        raise NotPossible("{name} has no open turn.", name=table.seats[seat].name)
    return turn


def player_of(table: Table, number: int) -> Seat:
    """The seat, where a person has it."""
    seat = table.seat(number)
    if seat.email is None:
        raise NotPossible("{name} is a bot and has no address.", name=seat.name)
    return seat


def refuse_doubled(table: Table, player: Seat, email: str) -> None:
    """One address plays one seat."""
    for other in table.seats:
        if other.number != player.number and (other.email or "").casefold() == email.casefold():
            raise BadInput("Two seats have the same e-mail address.", field="e-mail address")
