"""All matches, for the operator: a page at a time, by status, or by a search.

Every query has an index. A page begins where the last one ended (by the time of opening and the
id). A search is for a whole id, address or name, in any case of its letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import defer
from sqlmodel import Session, col, func, select, union
from sqlmodel.sql.expression import SelectOfScalar

from pbem.looks.own_matches import Sitter, sitters
from pbem.service import Service
from pbem.store.models import Match, Seat

#: Matches on one page, and how many a search reads.
PAGE = 25
MOST_FOUND = 500


@dataclass(frozen=True)
class MatchRow:
    """A match, and who sits at its table."""

    match: Match
    sitters: tuple[Sitter, ...]


@dataclass(frozen=True)
class ListPage:
    """One page; ``following`` is where the next one begins, "" if there is none."""

    matches: tuple[MatchRow, ...]
    following: str


def read(service: Service, asked: str = "", status: str = "", after: str = "") -> ListPage:
    """A page of matches, the newest first. ``after`` is the ``following`` of the page before.

    An ``after`` that cannot be read counts as "": the list begins again.
    """
    with service.database.read() as session:
        query = _newest_first(status).limit(PAGE + 1)
        if asked:
            query = query.where(col(Match.id).in_(_found(session, asked)))
        place = place_of(after)
        if place is not None:
            at, last = place
            older = (col(Match.created_at) < at) | (col(Match.id) < last)
            query = query.where(col(Match.created_at) <= at, older)
        found = session.exec(query).all()
        shown = found[:PAGE]
        end = shown[-1] if len(found) > PAGE else None
        following = mark_of(end.created_at, end.id) if end is not None else ""
        around = sitters(session, [match.id for match in shown])
        return ListPage(tuple(MatchRow(match, around[match.id]) for match in shown), following)


def newest(service: Service, most: int, status: str = "") -> Sequence[Match]:
    """The newest matches."""
    with service.database.read() as session:
        return session.exec(_newest_first(status).limit(most)).all()


def _newest_first(status: str) -> SelectOfScalar[Match]:
    """Matches without their states, the newest first; "": of any status."""
    query = (
        select(Match)
        .options(defer(col(Match.state_json)), defer(col(Match.outcome_json)))  # type: ignore[arg-type]
        .order_by(col(Match.created_at).desc(), col(Match.id).desc())
    )
    return query.where(Match.status == status) if status else query


def _found(session: Session, asked: str) -> list[str]:
    """The ids of matches that have this id, or somebody with this name or address."""
    folded = func.lower(asked)
    ways: list[Any] = [
        select(Match.id).where(Match.id == asked.lower()),
        select(Match.id).where(func.lower(Match.host_email) == folded),
        select(Match.id).where(func.lower(Match.host_name) == folded),
        select(Seat.match_id).where(func.lower(Seat.email) == folded),
        select(Seat.match_id).where(func.lower(Seat.name) == folded),
    ]
    return [row[0] for row in session.execute(union(*ways).limit(MOST_FOUND))]


def mark_of(at: datetime, match_id: str) -> str:
    """A place in a list of matches, as a text: the time that the list is sorted by, and the id."""
    return f"{at.isoformat()}~{match_id}"


def place_of(text: str) -> tuple[datetime, str] | None:
    """The time and the id in a mark; None if it cannot be read."""
    at, _, match_id = text[:80].partition("~")
    if not (1 <= len(match_id) <= 16 and match_id.isascii() and match_id.isalnum()):
        return None
    try:
        moment = datetime.fromisoformat(at)
        # at the ends of the calendar there is no such time in UTC
        return (moment.astimezone(UTC), match_id) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
