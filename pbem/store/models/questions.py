"""The tables of what people left or were asked: standing orders, taking back, their seats."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Index, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index

#: A value of ``after_turn``: the standing order waits until the turn that opens next is over.
NEXT_TURN = 0


class StandingOrder(SQLModel, table=True):
    """What a seat wants played at a decision to come: the first order that is legal then."""

    __tablename__ = "standing_order"
    __table_args__ = (
        # carrying a match on asks: what did this seat leave, oldest first
        Index("standing_order_of_seat", "match_id", "seat", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    seat: int
    #: The alternatives in their order, as a list of texts.
    orders_json: str = Field(sa_column=Column(Text, nullable=False))
    #: The turn that was open when it was left, and is answered without it; ``NEXT_TURN`` for the
    #: one that opens next, after going back. None if no turn was open.
    after_turn: int | None = None
    created_at: datetime
    ended_at: datetime | None = None
    #: What came of it: a ``StandingEnded``.
    ended: str | None = Field(default=None, max_length=12)
    ended_ply: int | None = None


class Proposal(SQLModel, table=True):
    """A seat asks all others to let the match go back to an earlier ply."""

    __tablename__ = "proposal"

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16, index=True)
    seat: int
    back_to: int
    #: The ply it was made at: when the match has moved on, it is void.
    ply: int
    created_at: datetime
    closed_at: datetime | None = None
    #: What came of it: a ``ProposalEnded``.
    closed: str | None = Field(default=None, max_length=12)


class Consent(SQLModel, table=True):
    """What one seat answered to a proposal."""

    __tablename__ = "consent"
    __table_args__ = (UniqueConstraint("proposal_id", "seat", name="consent_once"),)

    id: int | None = Field(default=None, primary_key=True)
    proposal_id: int = Field(foreign_key="proposal.id")
    seat: int
    agreed: bool
    at: datetime


class Permission(SQLModel, table=True):
    """A remedy for somebody's seat that waits for the owner's yes."""

    __tablename__ = "permission"
    __table_args__ = (
        # the sweep asks: which are answered, or out of time
        partial_index("permission_due", "next_at", where="closed_at IS NULL"),
        Index("permission_of_seat", "match_id", "seat", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    seat: int
    #: Of the seat's links when its owner was asked: in a later epoch nobody can answer.
    epoch: int
    #: Who asks: an Actor.
    actor: str = Field(max_length=16)
    remedy: str = Field(max_length=40)
    #: What the remedy is told, as ``permissions`` writes it; empty once it is closed.
    asked_json: str = Field(sa_column=Column(Text, nullable=False))
    #: Whether silence is a yes.
    silence: bool = False
    created_at: datetime
    #: Until then its owner can answer.
    ends_at: datetime
    #: The next instant at which it needs care.
    next_at: datetime
    #: Whether the owner has said yes. A no closes it.
    agreed: bool = False
    closed_at: datetime | None = None
    #: What came of it: a ``PermissionEnded``.
    closed: str | None = Field(default=None, max_length=12)
