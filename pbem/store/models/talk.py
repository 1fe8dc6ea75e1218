"""The tables of what people say at a table. No act of a match needs them.

What a player kept to themselves at a seat is deleted when somebody else gets it.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Column, Index, Text, UniqueConstraint
from sqlmodel import Field, SQLModel


class Message(SQLModel, table=True):
    """What a seat, or the host, said to the table or to one seat."""

    __tablename__ = "message"
    __table_args__ = (
        # said twice with one key, it is said once
        UniqueConstraint("match_id", "seat", "key", name="message_once"),
        # a page asks: what was said in this match; a limit asks: how much of it by this seat
        Index("message_of_match", "match_id", "id"),
        CheckConstraint("to_seat IS NULL OR to_seat <> seat", name="message_to_others"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    #: Who said it; ``links.HOST`` for a host who does not play.
    seat: int
    #: The seat it is for; None for the table.
    to_seat: int | None = None
    #: The name of whoever said it: the seat may be somebody else's by now.
    name: str = Field(max_length=60)
    #: The row in ``former_holder`` of whoever said it; None if they have the seat, or the match.
    former: int | None = None
    #: The ply after which it was said, as everybody knew its number then.
    ply: int
    text: str = Field(sa_column=Column(Text, nullable=False))
    at: datetime
    #: What makes it the same message of its seat.
    key: str = Field(max_length=120)
    #: When the host or the operator hid it, and which of them.
    hidden_at: datetime | None = None
    hidden_by: str | None = Field(default=None, max_length=16)


class TalkRule(SQLModel, table=True):
    """What a match allows, where that is not what its game has by default."""

    __tablename__ = "talk_rule"
    __table_args__ = (
        CheckConstraint("onlookers in ('now','end','never')", name="talk_rule_onlookers"),
    )

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    allowed: bool
    #: Why not, in the host's words; "" for none.
    reason: str = Field(default="", max_length=200)
    #: When onlookers read what was said to all: an ``Onlookers``.
    onlookers: str = Field(max_length=8)


class TalkMute(SQLModel, table=True):
    """A seat that does not want to read what another seat says."""

    __tablename__ = "talk_mute"

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    seat: int = Field(primary_key=True)
    #: Whom it does not want to read.
    muted: int = Field(primary_key=True)
    at: datetime


class TalkNote(SQLModel, table=True):
    """What a player wrote down for nobody but themselves."""

    __tablename__ = "talk_note"

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    seat: int = Field(primary_key=True)
    text: str = Field(sa_column=Column(Text, nullable=False))
    at: datetime


class TalkDue(SQLModel, table=True):
    """A seat to which something was said: when to see whether a mail has brought it."""

    __tablename__ = "talk_due"
    __table_args__ = (Index("talk_due_next", "next_at"),)

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    seat: int = Field(primary_key=True)
    next_at: datetime
