"""The tables that only grow: what was played and handed in, and what was done by other means."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, LargeBinary, Text, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index


class Ply(SQLModel, table=True):
    """One line of a match's log. Entry 0 is the table before the first move."""

    __tablename__ = "ply"

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    ply: int = Field(primary_key=True)
    seat: int | None = None
    #: The name of who held the seat then, in a match that began before the log held digests; None
    #: in entry 0, in older rows, and where it was taken out.
    player: str | None = Field(default=None, max_length=60)
    #: The digest of who held the seat then (``pbem.store.holders``); None in entry 0.
    holder: str | None = Field(default=None, max_length=64)
    #: A name was taken out: the hash stays as it was, and cannot be computed again.
    redacted: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    turn_id: int | None = Field(default=None, foreign_key="turn.id")
    made_by: str = Field(max_length=16)
    made_at: datetime
    rules_version: str = Field(max_length=40)
    phase: str = Field(max_length=60)
    order_text: str = Field(sa_column=Column(Text, nullable=False))
    move_json: str = Field(sa_column=Column(Text, nullable=False))
    events_json: str = Field(sa_column=Column(Text, nullable=False))
    draws_json: str = Field(sa_column=Column(Text, nullable=False))
    reveals: bool = False
    previous_hash: str = Field(max_length=64)
    hash: str = Field(max_length=64)
    #: How many of the plies up to this one told everybody something; None in older rows: all.
    public_ply: int | None = None


class PackedLog(SQLModel, table=True):
    """The plies and submissions of a match that has been over for a long time. Append only."""

    __tablename__ = "packed_log"

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    #: As ``pbem.store.packed`` writes them.
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Submission(SQLModel, table=True):
    """A move as received, and the receipt it got: the same submission gets the same again."""

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("turn_id", "key", name="submission_once"),)

    id: int | None = Field(default=None, primary_key=True)
    turn_id: int = Field(foreign_key="turn.id")
    key: str = Field(max_length=80)
    ply: int
    receipt_json: str = Field(sa_column=Column(Text, nullable=False))
    received_at: datetime


#: What the operator did.
ACTS_OF_THE_OPERATOR = "actor = 'operator'"


class Audit(SQLModel, table=True):
    """What was done to a match by other means than a move. Append only, chained by hash.

    ``match_id`` is empty for what concerns the service; each match has a chain of its own.
    """

    __tablename__ = "audit"
    __table_args__ = (
        UniqueConstraint("match_id", "number", name="audit_once"),
        # the operator's page asks: what was done here last
        partial_index("audit_of_operator", "id", where=ACTS_OF_THE_OPERATOR),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(default="", max_length=16)
    number: int
    at: datetime
    #: An Actor.
    actor: str = Field(max_length=16)
    #: An AuditAct.
    act: str = Field(max_length=40)
    seat: int | None = None
    detail_json: str = Field(sa_column=Column(Text, nullable=False))
    #: Texts about people, which the chain binds by digests only: each can be taken out. None if
    #: there are none, or none any more.
    said_json: str | None = Field(default=None, sa_column=Column(Text))
    #: Shown in the table's history.
    public: bool = True
    ply: int = 0
    previous_hash: str = Field(max_length=64)
    hash: str = Field(max_length=64)


class AuditHead(SQLModel, table=True):
    """The last row of a chain of the audit log, so that its deletion is noticed."""

    __tablename__ = "audit_head"

    match_id: str = Field(primary_key=True, max_length=16)
    number: int
    hash: str = Field(max_length=64)
