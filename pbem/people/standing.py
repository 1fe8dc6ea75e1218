"""How people stand: leaderboards, the page of a player who wants one, how reliable somebody is.

Only who has a page, under a name they chose, stands in a list. The results of all others count for
the ratings all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, delete, func, select

from pbem.errors import BadInput, NotFound
from pbem.people import persons
from pbem.people.rating import Rating
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import (
    Match,
    PublicPlayer,
    Standing,
    StandingMatch,
    StandingResult,
)
from pbem.words import texts

#: Most players of one leaderboard, and matches on one page of a player.
MOST_LISTED = 500
PAGE = 50
#: Below so many turns nothing is said of somebody's reliability.
FEWEST_TURNS = 10


# --- a page of one's own ---


def publish(service: Service, person_id: int, name: str | None) -> None:
    """Gives a person a page under this name, or takes it away (None). Idempotent.

    BadInput if the name cannot be used or somebody else has one that reads the same; NotFound for
    a person who was forgotten.
    """
    if name is None:
        with service.database.write("standing.publish") as session:
            session.execute(delete(PublicPlayer).where(col(PublicPlayer.person_id) == person_id))
        return
    wanted = _checked(name)
    row = {
        "person_id": person_id,
        "name": wanted,
        "folded": texts.folded(wanted),
        "since": service.now(),
    }
    try:
        with service.database.write("standing.publish") as session:
            persons.hold(session, person_id)
            statements.upsert(
                session, PublicPlayer, [row], unique=("person_id",), updated=("name", "folded")
            )
    except IntegrityError:
        raise BadInput("Somebody else has this name. Choose another.", field="name") from None


def _checked(name: str) -> str:
    found = texts.name(name)
    if any(sign in found for sign in "/\\?#%") or found in (".", ".."):
        raise BadInput(
            "The {name} contains characters that cannot be used in it.", field="name", name="name"
        )
    return found


def _named(session: Session, name: str) -> PublicPlayer | None:
    same = PublicPlayer.folded == texts.folded(name)
    return session.exec(select(PublicPlayer).where(same)).first()


#: The name of a person's page, if they have one.
PUBLIC_NAME: Any = select(PublicPlayer.name).where(
    col(PublicPlayer.person_id) == bindparam("person")
)


# --- leaderboards ---


@dataclass(frozen=True)
class LeaderboardRow:
    """Somebody in a leaderboard. ``rank`` is None while the rating is provisional."""

    rank: int | None
    name: str
    rating: Rating


@dataclass(frozen=True)
class Leaderboard:
    """Who stands where in a game with so many seats."""

    game: str
    seats: int
    players: tuple[LeaderboardRow, ...]
    #: How many people are rated there, with a page or without.
    rated: int


def pools(session: Session) -> list[tuple[str, int, int]]:
    """Every game and number of seats with ratings, and how many people are rated there."""
    query = (
        select(Standing.game, Standing.seats, func.count())
        .group_by(col(Standing.game), col(Standing.seats))
        .order_by(col(Standing.game), col(Standing.seats))
    )
    return [(game, seats, people) for game, seats, people in session.exec(query)]


def leaderboard(session: Session, game: str, seats: int) -> Leaderboard:
    """The best first; those with a provisional rating after all others, without a rank."""
    here = (Standing.game == game, Standing.seats == seats)
    rows = session.exec(
        select(Standing, PublicPlayer.name)
        .join(PublicPlayer, col(PublicPlayer.person_id) == col(Standing.person_id))
        .where(*here)
    ).all()
    found = [(name, Rating(row.mu, row.sigma, row.matches)) for row, name in rows]
    found.sort(key=lambda one: (one[1].is_provisional, -one[1].ordinal, one[0].casefold()))
    listed: list[LeaderboardRow] = []
    for place, (name, rating) in enumerate(found[:MOST_LISTED], 1):
        before = listed[-1] if listed else None
        is_equal = before is not None and before.rating.ordinal == rating.ordinal
        rank = before.rank if before is not None and is_equal else place
        listed.append(LeaderboardRow(None if rating.is_provisional else rank, name, rating))
    rated = session.exec(select(func.count()).select_from(Standing).where(*here)).one()
    return Leaderboard(game, seats, tuple(listed), rated)


# --- one player ---


@dataclass(frozen=True)
class Reliability:
    """How somebody kept their time in matches against people that are over."""

    #: Turns that ended by them or without them, and those that they ended in time.
    turns: int
    in_time: int
    #: Matches, and those in which they stayed to the end.
    matches: int
    finished: int


def reliability(session: Session, person_id: int) -> Reliability | None:
    """How reliable a person is; None while too little is known (``FEWEST_TURNS``)."""
    result = StandingResult
    query = select(
        func.coalesce(func.sum(result.in_time), 0),
        func.coalesce(func.sum(result.missed), 0),
        func.count(),
        func.count().filter(~col(result.left_early)),
    ).where(result.person_id == person_id)
    in_time, missed, matches, finished = session.exec(query).one()
    if in_time + missed < FEWEST_TURNS:
        return None
    return Reliability(in_time + missed, in_time, matches, finished)


@dataclass(frozen=True)
class Stand:
    """Where a player stands in a game with so many seats."""

    game: str
    seats: int
    rating: Rating
    #: How many other people sat in the matches behind it.
    people: int


@dataclass(frozen=True)
class RatedMatch:
    """A match behind a player's rating."""

    match: Match
    rank: int
    teams: int
    left_early: bool
    #: The rating after it; None while it is not rated yet.
    after: Rating | None


@dataclass(frozen=True)
class Player:
    """The page of a player: where they stand, and the matches behind it, the newest first."""

    name: str
    stands: tuple[Stand, ...]
    reliability: Reliability | None
    played: tuple[RatedMatch, ...]
    #: Whether there are older ones.
    more: bool


def player(
    session: Session, name: str, game: str | None = None, seats: int | None = None, page: int = 1
) -> Player:
    """The player of a public name, or NotFound.

    ``game`` and ``seats``: only the matches of these; ``page`` counts from 1.
    """
    row = _named(session, name)
    if row is None:
        raise NotFound()
    people = _met(session, row.person_id)
    stands = session.exec(
        select(Standing)
        .where(Standing.person_id == row.person_id)
        .order_by(col(Standing.game), col(Standing.seats))
    )
    played = _played(session, row.person_id, game, seats, page)
    return Player(
        row.name,
        tuple(
            Stand(
                one.game,
                one.seats,
                Rating(one.mu, one.sigma, one.matches),
                people.get((one.game, one.seats), 0),
            )
            for one in stands
        ),
        reliability(session, row.person_id),
        tuple(played[:PAGE]),
        len(played) > PAGE,
    )


def _met(session: Session, person_id: int) -> dict[tuple[str, int], int]:
    """With how many other people somebody has played, by game and number of seats."""
    others = aliased(StandingResult)
    query = (
        select(StandingMatch.game, StandingMatch.seats, func.count(func.distinct(others.person_id)))
        .join(StandingResult, col(StandingResult.match_id) == col(StandingMatch.match_id))
        .join(others, col(others.match_id) == col(StandingMatch.match_id))
        .where(StandingResult.person_id == person_id, col(others.person_id) != person_id)
        .group_by(col(StandingMatch.game), col(StandingMatch.seats))
    )
    return {(game, seats): people for game, seats, people in session.exec(query)}


def _played(
    session: Session, person_id: int, game: str | None, seats: int | None, page: int
) -> Sequence[RatedMatch]:
    """One page of matches, and one more if there is one."""
    others = aliased(StandingResult)
    teams = (
        select(func.count(func.distinct(col(others.team))))
        .where(col(others.match_id) == col(StandingMatch.match_id))
        .scalar_subquery()
    )
    query: Any = (
        select(StandingResult, Match, teams)
        .join(StandingMatch, col(StandingMatch.match_id) == col(StandingResult.match_id))
        .join(Match, col(Match.id) == col(StandingResult.match_id))
        .where(StandingResult.person_id == person_id)
        .order_by(col(StandingMatch.ended_at).desc(), col(StandingMatch.match_id).desc())
        .offset((page - 1) * PAGE)
        .limit(PAGE + 1)
    )
    if game is not None:
        query = query.where(StandingMatch.game == game)
    if seats is not None:
        query = query.where(StandingMatch.seats == seats)
    return [
        RatedMatch(match, one.rank, count, one.left_early, _rating_after(one))
        for one, match, count in session.exec(query)
    ]


def _rating_after(one: StandingResult) -> Rating | None:
    return Rating(one.mu, one.sigma) if one.mu is not None and one.sigma is not None else None
