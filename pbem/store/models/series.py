"""The tables of series: leagues and tournaments, who plays in them, and their rounds."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Column, Index, Text, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index

#: Series that something is due in at a certain time.
SERIES_DUE = "next_at IS NOT NULL"
#: Tables that were drawn and have no match yet, and those whose match was not scored yet.
TO_OPEN = "opened_at IS NULL"
TO_SCORE = "opened_at IS NOT NULL AND scored_at IS NULL"


class Series(SQLModel, table=True):
    """A league or a tournament. ``revision`` goes up with all that a draw hangs on."""

    __tablename__ = "series"
    __table_args__ = (
        # the sweep asks: whose time has come
        partial_index("series_due", "next_at", where=SERIES_DUE),
        # a limit asks: how many does somebody run
        Index("series_of_host", "host_id"),
        # the list asks: which are there, the newest first
        Index("series_created", "created_at", "id"),
        CheckConstraint("status in ('open','running','over')", name="series_status"),
        CheckConstraint("kind in ('groups','swiss')", name="series_kind"),
    )

    id: str = Field(primary_key=True, max_length=16)
    name: str = Field(max_length=60)
    game: str = Field(max_length=40)
    options_json: str = Field(sa_column=Column(Text, nullable=False))
    clock_json: str = Field(sa_column=Column(Text, nullable=False))
    language: str = Field(max_length=8)
    zone: str = Field(max_length=64)
    #: A ``SeriesKind``.
    kind: str = Field(max_length=8)
    #: How many sit at a table, where the number of players allows it.
    seats: int
    rounds: int
    #: Most players; who comes later waits.
    most: int
    host_id: int = Field(foreign_key="person.id")
    #: What all draws are made with.
    seed: str = Field(max_length=40)
    #: A ``SeriesStatus``.
    status: str = Field(max_length=8)
    created_at: datetime
    #: Until when one can enter; None: until the host starts it.
    enter_until: datetime | None = None
    #: After so many days the next round is drawn, whoever still plays; None: when all are over.
    round_days: int | None = None
    #: The number of the round that is played; 0 before the first.
    round: int = 0
    #: When to look at it again; None while it waits for its matches or its host.
    next_at: datetime | None = None
    ended_at: datetime | None = None
    #: Whether it ended because it was called off.
    called_off: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    revision: int = 0


class SeriesPlayer(SQLModel, table=True):
    """Somebody who entered a series, under the name they chose for it."""

    __tablename__ = "series_player"
    __table_args__ = (
        UniqueConstraint("series_id", "person_id", name="series_person_once"),
        UniqueConstraint("series_id", "folded", name="series_name_once"),
        Index("series_player_of_person", "person_id"),
    )

    series_id: str = Field(foreign_key="series.id", primary_key=True, max_length=16)
    #: In the order in which they entered, from 1.
    number: int = Field(primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    name: str = Field(max_length=60)
    #: The name as it is compared.
    folded: str = Field(max_length=120)
    entered_at: datetime
    #: A ``SeriesPlace``.
    place: str = Field(max_length=8)


class SeriesMatch(SQLModel, table=True):
    """A table of a round. It is there, with the id of its match, before the match is opened."""

    __tablename__ = "series_match"
    __table_args__ = (
        partial_index("series_match_to_open", "next_at", where=TO_OPEN),
        partial_index("series_match_to_score", "next_at", where=TO_SCORE),
    )

    series_id: str = Field(foreign_key="series.id", primary_key=True, max_length=16)
    round: int = Field(primary_key=True)
    #: From 1.
    number: int = Field(primary_key=True)
    match_id: str = Field(unique=True, max_length=16)
    #: Before this it is neither opened nor scored: later than drawn if that failed.
    next_at: datetime
    opened_at: datetime | None = None
    scored_at: datetime | None = None


class SeriesSeat(SQLModel, table=True):
    """Where a player sits in a round, and what they got for it."""

    __tablename__ = "series_seat"

    series_id: str = Field(foreign_key="series.id", primary_key=True, max_length=16)
    round: int = Field(primary_key=True)
    #: The player's number.
    player: int = Field(primary_key=True)
    #: The number of the table; 0: the round is off for them.
    number: int
    seat: int
    #: In tenths; None until the match is scored.
    points: int | None = None
    won: bool = False
    #: As in ``StandingResult``.
    left_early: bool = False
