"""The table of animated pictures: a match that is over, from its beginning to its end."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index

#: Those that are to be made, and those that are there.
TO_MAKE, MADE = "due_at IS NOT NULL", "made_at IS NOT NULL"


class Animation(SQLModel, table=True):
    """The animated picture of a match, which somebody asked for. One a match."""

    __tablename__ = "animation"
    __table_args__ = (
        # a worker asks: which is to be made
        partial_index("animation_to_make", "due_at", where=TO_MAKE),
        # and: which are the oldest
        partial_index("animation_made", "made_at", where=MADE),
    )

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    #: When to make it; while a worker makes it, when another may. None once it is made or given up.
    due_at: datetime | None = None
    #: How often it was begun.
    tries: int = 0
    made_at: datetime | None = None
    #: The file; None unless it is made.
    content: bytes | None = None
