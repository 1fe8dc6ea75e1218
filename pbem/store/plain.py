"""Matches, seats, plies and acts as plain rows of the columns that lists and histories show.

To make an object of a row takes several times as long as to read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from pbem.store.models import Audit, Match, Ply, Seat
from pbem.store.models.matches import counted


class PlainMatch(NamedTuple):
    """The columns of a ``Match`` that lists need."""

    id: str
    game: str
    seat_count: int
    options_json: str
    title: str
    name: str
    language: str
    zone: str
    clock_json: str
    status: str
    host_name: str
    host_email: str
    host_epoch: int
    unproved_host: bool
    beacon_due_at: datetime | None
    ply: int
    public_ply: int | None
    outcome_json: str | None
    set_aside_at: datetime | None
    paused_until: datetime | None
    created_at: datetime
    ended_at: datetime | None

    @property
    def counted(self) -> int:
        """As of a ``Match``."""
        return counted(self.ply, self.public_ply, self.ended_at)


class PlainSeat(NamedTuple):
    """The columns of a ``Seat`` that lists need."""

    id: int
    number: int
    name: str
    email: str | None
    bot: str | None
    bot_since: datetime | None
    joined_at: datetime | None
    epoch: int
    zone: str
    language: str
    told_ply: int
    hidden_plies: int
    mail_problem_at: datetime | None
    muted_at: datetime | None


class PlainPly(NamedTuple):
    """The columns of a ``Ply`` that histories need."""

    ply: int
    seat: int | None
    turn_id: int | None
    made_by: str
    made_at: datetime
    order_text: str
    events_json: str
    public_ply: int | None


class PlainAct(NamedTuple):
    """The columns of an ``Audit`` that histories need."""

    at: datetime
    ply: int
    seat: int | None
    actor: str
    act: str
    detail_json: str
    said_json: str | None


AnyMatch: TypeAlias = Match | PlainMatch
AnySeat: TypeAlias = Seat | PlainSeat
AnyPly: TypeAlias = Ply | PlainPly
AnyAct: TypeAlias = Audit | PlainAct

#: The columns to ask for: first those of the match, then those of the seat.
MATCH: Sequence[Any] = [getattr(Match, name) for name in PlainMatch._fields]
SEAT: Sequence[Any] = [getattr(Seat, name) for name in PlainSeat._fields]
PLY: Sequence[Any] = [getattr(Ply, name) for name in PlainPly._fields]
ACT: Sequence[Any] = [getattr(Audit, name) for name in PlainAct._fields]


def match_of(row: Sequence[Any]) -> PlainMatch:
    """The match of a row that begins with ``MATCH``."""
    return PlainMatch._make(row[: len(MATCH)])


def both_of(row: Sequence[Any]) -> tuple[PlainMatch, PlainSeat]:
    """The match and the seat of a row that begins with ``MATCH`` and ``SEAT``."""
    return match_of(row), PlainSeat._make(row[len(MATCH) : len(MATCH) + len(SEAT)])
