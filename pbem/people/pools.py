"""Ratings of a pool: a game with so many seats. They are worked out from the results alone.

Matches are rated in the order in which they ended (then by their ids). The sweep goes on from the
last one; if an earlier one was entered late, the whole pool is worked out again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import bindparam, delete, text, update
from sqlmodel import Session, col, select

from engine.games.registry import games
from pbem.acts.writing import SomeoneWasFirstError
from pbem.people import rating
from pbem.people.apart import apart
from pbem.people.rating import NEWCOMER, Place, Rating
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import (
    TO_RATE,
    Standing,
    StandingMatch,
    StandingPool,
    StandingResult,
    rows_of,
)


@dataclass(frozen=True)
class Pool:
    """The name of a pool."""

    game: str
    seats: int


@dataclass(frozen=True)
class Recomputation:
    """What came of working a pool out again."""

    pool: Pool
    matches: int
    players: int
    #: How many ratings of matches that had been rated are others now.
    changed: int


@dataclass(frozen=True)
class _Match:
    """A match to be rated, with the results of its seats."""

    ended_at: datetime
    id: str
    results: Sequence[StandingResult]


def rate_due(service: Service, most: int) -> int:
    """Rates matches that were entered, at most ``most`` of each pool; returns how many."""
    which = select(StandingMatch.game, StandingMatch.seats).where(text(TO_RATE)).distinct()
    with service.database.read() as session:
        pools = [Pool(*row) for row in session.exec(which)]
    done = 0
    for pool in pools:
        # a game whose results cannot be rated, perhaps of a plug-in, keeps no other from it
        with apart("pools.rate_due", game=pool.game, seats=pool.seats):
            done += _rate_next(service, pool, most)
    return done


def _rate_next(service: Service, pool: Pool, most: int) -> int:
    with service.database.read() as session:
        row = session.get_one(StandingPool, (pool.game, pool.seats))
        matches = _matches(session, pool, text(TO_RATE), most)
        people = [one.person_id for match in matches for one in match.results if one.person_id]
        before = _standings(session, pool, people)
    if not matches:
        return 0
    first, last = (matches[0].ended_at, matches[0].id), (row.last_ended_at, row.last_match)
    try:
        if last[0] is not None and first < last:
            return _work_out(service, pool).matches
        _write(service, row, matches, _follow(pool, matches, before))
    except SomeoneWasFirstError:
        # another worker rates this pool
        return 0
    return len(matches)


def recompute(service: Service, game: str | None = None) -> list[Recomputation]:
    """Works out all pools, or those of a game, from the results; says what changed."""
    which = select(StandingPool.game, StandingPool.seats).order_by(
        col(StandingPool.game), col(StandingPool.seats)
    )
    if game is not None:
        which = which.where(StandingPool.game == game)
    with service.database.read() as session:
        pools = [Pool(*row) for row in session.exec(which)]
    return [_until_first(service, pool) for pool in pools]


def _until_first(service: Service, pool: Pool) -> Recomputation:
    while True:
        try:
            return _work_out(service, pool)
        except SomeoneWasFirstError:
            continue


def _work_out(service: Service, pool: Pool) -> Recomputation:
    """Works a pool out from its first match on, and writes what is otherwise now."""
    with service.database.read() as session:
        row = session.get_one(StandingPool, (pool.game, pool.seats))
        matches = _matches(session, pool, StandingMatch.why_not == "")
        were = _standings(session, pool)
        waiting = session.exec(_of(pool, text(TO_RATE)).limit(1)).first() is not None
    new = _follow(pool, matches, {})
    changed = sum(one.mu is not None and _differs(one, now) for one, now in new.results)
    if not waiting:
        changed += sum(were.get(who) != new.standings.get(who) for who in {*were, *new.standings})
    _write(service, row, matches, new, gone=were.keys() - new.standings.keys())
    return Recomputation(pool, len(matches), len(new.standings), changed)


@dataclass(frozen=True)
class _New:
    """What some matches come to: each result with its rating, and where everybody stands then."""

    results: list[tuple[StandingResult, Rating | None]]
    standings: dict[int, Rating]


def _follow(pool: Pool, matches: Sequence[_Match], before: Mapping[int, Rating]) -> _New:
    """Rates matches one after the other. ``before``: who was rated by earlier ones."""
    game = games().get(pool.game)
    bots = game.meta.bots if game is not None else ()
    new, known = _New([], {}), dict(before)
    for match in matches:
        places = [_place(one, known, bots) for one in match.results]
        for one, rated in zip(match.results, rating.after(places), strict=True):
            new.results.append((one, rated))
            if rated is not None and one.person_id is not None:
                known[one.person_id] = new.standings[one.person_id] = rated
    return new


def _place(one: StandingResult, known: Mapping[int, Rating], bots: Sequence[str]) -> Place:
    person = known.get(one.person_id, NEWCOMER) if one.person_id is not None else None
    if person is not None and not one.left_early:
        return Place(one.team, one.rank, person)
    stand_in = rating.rung(bots, one.bot) if one.bot is not None else NEWCOMER
    return Place(one.team, one.rank, person, stand_in)


def _differs(one: StandingResult, now: Rating | None) -> bool:
    return (one.mu, one.sigma) != ((now.mu, now.sigma) if now else (None, None))


# --- rows ---


def _of(pool: Pool, which: Any) -> Any:
    """The query for the matches of a pool, in the order in which they are rated."""
    return (
        select(StandingMatch.match_id, StandingMatch.ended_at)
        .where(StandingMatch.game == pool.game, StandingMatch.seats == pool.seats, which)
        .order_by(col(StandingMatch.ended_at), col(StandingMatch.match_id))
    )


def _matches(session: Session, pool: Pool, which: Any, most: int | None = None) -> list[_Match]:
    """The matches of a pool in their order, with their results by seats."""
    found = _of(pool, which).limit(most).subquery()
    rows = session.exec(
        select(StandingResult, found.c.ended_at)
        .join(found, found.c.match_id == col(StandingResult.match_id))
        .order_by(found.c.ended_at, found.c.match_id, col(StandingResult.seat))
    ).all()
    of_matches = groupby(rows, lambda row: (row[1], row[0].match_id))
    return [_Match(at, match_id, [row[0] for row in some]) for (at, match_id), some in of_matches]


def _standings(
    session: Session, pool: Pool, people: Collection[int] | None = None
) -> dict[int, Rating]:
    """Where people stand, by their ids; all of the pool without ``people``."""
    rows = select(Standing).where(Standing.game == pool.game, Standing.seats == pool.seats)
    if people is not None:
        rows = rows.where(col(Standing.person_id).in_(people))
    return {row.person_id: Rating(row.mu, row.sigma, row.matches) for row in session.exec(rows)}


_RESULTS, _MATCHES = rows_of(StandingResult), rows_of(StandingMatch)
_RATE = update(_RESULTS).where(
    _RESULTS.c.match_id == bindparam("of_match"), _RESULTS.c.seat == bindparam("of_seat")
)
_RATED = update(_MATCHES).where(_MATCHES.c.match_id == bindparam("of_match")).values(rated=True)
_POOL = ("game", "seats")


def _write(
    service: Service,
    row: StandingPool,
    matches: Sequence[_Match],
    new: _New,
    gone: Collection[int] = (),
) -> None:
    """Claims the pool and writes ratings, or raises SomeoneWasFirstError.

    ``gone``: people who do not stand there any more.
    """
    pool = {"game": row.game, "seats": row.seats}
    last = matches[-1] if matches else None
    claim = (
        update(StandingPool)
        .where(
            col(StandingPool.game) == row.game,
            col(StandingPool.seats) == row.seats,
            col(StandingPool.revision) == row.revision,
        )
        .values(
            revision=row.revision + 1,
            last_ended_at=last.ended_at if last else None,
            last_match=last.id if last else "",
        )
    )
    rated = [
        {
            "of_match": one.match_id,
            "of_seat": one.seat,
            "mu": now.mu if now else None,
            "sigma": now.sigma if now else None,
        }
        for one, now in new.results
        if _differs(one, now)
    ]
    standings = [
        {**pool, "person_id": who, "mu": now.mu, "sigma": now.sigma, "matches": now.matches}
        for who, now in new.standings.items()
    ]
    with service.database.write("standing.rate") as session:
        if not statements.rowcount(session, claim):
            raise SomeoneWasFirstError()
        connection = session.connection()
        if rated:
            connection.execute(_RATE, rated)
        if matches:
            connection.execute(_RATED, [{"of_match": match.id} for match in matches])
        statements.upsert(
            session,
            Standing,
            standings,
            unique=(*_POOL, "person_id"),
            updated=("mu", "sigma", "matches"),
        )
        if gone:
            session.execute(
                delete(Standing).where(
                    col(Standing.game) == row.game,
                    col(Standing.seats) == row.seats,
                    col(Standing.person_id).in_(gone),
                )
            )
