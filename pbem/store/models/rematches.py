"""The tables of who would like to play once more."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index

#: Questions that are not settled.
UNSETTLED = "due_at IS NOT NULL"


class RematchAsk(SQLModel, table=True):
    """The players of a match that is over are asked for a rematch. One question a match."""

    __tablename__ = "rematch_ask"
    __table_args__ = (
        # the sweep asks: which must be looked at
        partial_index("rematch_ask_due", "due_at", where=UNSETTLED),
    )

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    #: Who asked first.
    seat: int
    asked_at: datetime
    #: When to look at it: it lapses then, or all have agreed. None once it is settled.
    due_at: datetime | None = None


class RematchWish(SQLModel, table=True):
    """What a player said to it last."""

    __tablename__ = "rematch_wish"
    __table_args__ = (CheckConstraint("seat >= 0", name="rematch_wish_seat"),)

    match_id: str = Field(foreign_key="rematch_ask.match_id", primary_key=True, max_length=16)
    seat: int = Field(primary_key=True)
    #: The game to be played, with the same people; "" for no.
    game: str = Field(max_length=40)
    at: datetime
