"""The tables of matches that look for players, and of who wants to hear of them."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index

#: Listed matches of which not everybody who wants to hear of them was told yet.
UNTOLD = "told IS NOT NULL"


class OpenTable(SQLModel, table=True):
    """A match that is listed for everybody. The row is deleted when it cannot wait any more.

    What the list can be narrowed down by stands here once more: it does not change.
    """

    __tablename__ = "open_table"
    __table_args__ = (
        # the list asks: which are the newest
        Index("open_table_newest", "created_at", "match_id"),
        # the sweep asks: of which must people be told
        partial_index("open_table_untold", "created_at", where=UNTOLD),
    )

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    game: str = Field(max_length=40)
    seats: int
    language: str = Field(max_length=8)
    #: One of ``pbem.people.open_tables.PACES``.
    pace: str = Field(max_length=16)
    created_at: datetime
    #: The last watch whose person was told of it; None when all were.
    told: int | None = 0


class Watch(SQLModel, table=True):
    """Somebody wants a mail when a table like this is listed. Who wants none deletes the row."""

    __tablename__ = "watch"
    __table_args__ = (
        UniqueConstraint("person_id", "game", "seats", "language", name="watch_once"),
        # the sweep asks: who wants to hear of this game
        Index("watch_of_game", "game", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    game: str = Field(max_length=40)
    #: How many play; 0: any number.
    seats: int = 0
    #: "": any language.
    language: str = Field(default="", max_length=8)
    created_at: datetime
    #: The day (UTC) of the last mail, and how many there were on it.
    day: date
    mails: int = 0
