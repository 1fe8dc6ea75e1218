"""The tables of standings: how matches came out for people, what they are rated, who has a page.

Ratings are whole numbers, in millionths: then equal means equal, on every machine.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index

#: Matches that count and are not in the ratings yet.
TO_RATE = "why_not = '' AND NOT rated"


class StandingMatch(SQLModel, table=True):
    """A match that is over, as the standings know it: entered once."""

    __tablename__ = "standing_match"
    __table_args__ = (
        # the sweep asks: where does it go on
        Index("standing_match_ended", "ended_at"),
        # and: which are to be rated
        partial_index("standing_match_to_rate", "game", "seats", where=TO_RATE),
        # all of a pool, in the order in which they are rated
        Index("standing_match_of_pool", "game", "seats", "ended_at", "match_id"),
    )

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    game: str = Field(max_length=40)
    #: How many seats it had.
    seats: int
    ended_at: datetime
    #: A ``WhyNot``; "" if it counts.
    why_not: str = Field(default="", max_length=16)
    rated: bool = False


class StandingResult(SQLModel, table=True):
    """How a match that counts came out for one seat."""

    __tablename__ = "standing_result"
    __table_args__ = (
        # a person's page, and how reliable they are
        Index("standing_result_of_person", "person_id", "match_id"),
    )

    match_id: str = Field(foreign_key="standing_match.match_id", primary_key=True, max_length=16)
    seat: int = Field(primary_key=True)
    #: Who held the seat at the start; None for a bot, and for somebody who is not known any more.
    person_id: int | None = Field(default=None, foreign_key="person.id")
    #: The bot that held it from the start, or holds it at the end.
    bot: str | None = Field(default=None, max_length=40)
    #: The seats with the same number won or lost together.
    team: int
    #: The rank of the team, from 1.
    rank: int
    #: Whether the person gave the seat up, lost it, or left it to a bot.
    left_early: bool = False
    #: Turns that the person ended in time, and that they let run out.
    in_time: int = 0
    missed: int = 0
    #: The person's rating after the match, in millionths; None until it is rated.
    mu: int | None = None
    sigma: int | None = None


class Standing(SQLModel, table=True):
    """What a person is rated in a game with so many seats."""

    __tablename__ = "standing"
    __table_args__ = (CheckConstraint("sigma > 0 and matches > 0", name="standing_counts"),)

    game: str = Field(primary_key=True, max_length=40)
    seats: int = Field(primary_key=True)
    person_id: int = Field(foreign_key="person.id", primary_key=True)
    mu: int
    sigma: int
    matches: int


class StandingPool(SQLModel, table=True):
    """A game with so many seats, rated for itself. ``revision`` goes up when ratings are written:
    of two that write at once only the first may."""

    __tablename__ = "standing_pool"

    game: str = Field(primary_key=True, max_length=40)
    seats: int = Field(primary_key=True)
    revision: int = 0
    #: The last match that was rated: an earlier one would have to be rated before it.
    last_ended_at: datetime | None = None
    last_match: str = Field(default="", max_length=16)


class PublicPlayer(SQLModel, table=True):
    """The page of a person who wants one, under the name they chose for it."""

    __tablename__ = "public_player"

    person_id: int = Field(foreign_key="person.id", primary_key=True)
    name: str = Field(max_length=60)
    #: The name as it is compared.
    folded: str = Field(unique=True, max_length=120)
    since: datetime
