"""Matches that are over are entered into the standings: how each came out, for whom.

A match is found by the sweep, and entered once. What counts, and for whom, is a rule of
docs/standings.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlmodel import Session, col, func, select

from engine.codec import decode
from engine.game import Outcome
from pbem import journal
from pbem.acts import outbox
from pbem.acts.writing import hold
from pbem.journal import Line
from pbem.people import persons
from pbem.service import Service
from pbem.store import match_log, statements
from pbem.store.models import (
    Audit,
    Mail,
    Match,
    Seat,
    SeriesMatch,
    StandingMatch,
    StandingPool,
    StandingResult,
    Turn,
)
from pbem.store.names import AuditAct, MadeBy, MailKind, MatchStatus

#: A match that ended earlier than the last one entered may be committed after it, by so much.
LATE = timedelta(hours=1)

#: Who closes a turn that was ended in time, and one that ended without its player.
IN_TIME = frozenset({MadeBy.LINK, MadeBy.MAIL, MadeBy.STANDING})
MISSED = frozenset({MadeBy.DEADLINE, MadeBy.BOT})


class WhyNot(StrEnum):
    """Why a match does not count."""

    #: It was ended without a winner, or never began.
    ABORTED = "aborted"
    #: Somebody was seated without having agreed to it: only a trial does that.
    TRIAL = "trial"
    #: Fewer than two people sat there when it began.
    FEW_PEOPLE = "few_people"
    #: Its game is not installed or fails, or its outcome cannot be read.
    UNREADABLE = "unreadable"


@dataclass
class _Ended:
    """A match that is over, with what its rows say of its people."""

    match: Match
    seats: list[Seat] = field(default_factory=list)
    #: Seats that were given to somebody else after the beginning, and the address before, if that
    #: is still known.
    replaced: dict[int, str | None] = field(default_factory=dict)
    #: Whether it was opened for a series, whose players agreed to it by entering.
    of_series: bool = False
    #: How many turns of a seat were closed by whom.
    turns: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def address(self, seat: Seat) -> str | None:
        """The address of who held the seat when the match began; None for a bot."""
        return self.replaced.get(seat.number, seat.email)

    def why_not(self) -> WhyNot | None:
        if self.match.status != MatchStatus.FINISHED:
            return WhyNot.ABORTED
        agreed = self.of_series or self.match.rematch_of is not None
        if not agreed and any(self._was_seated(seat) for seat in self.seats):
            return WhyNot.TRIAL
        if sum(self.address(seat) is not None for seat in self.seats) < 2:
            return WhyNot.FEW_PEOPLE
        return None

    def _was_seated(self, seat: Seat) -> bool:
        """Whether the host seated somebody else without asking them."""
        match = self.match
        if seat.email is None or match.is_seat_of_host(seat):
            return False
        return seat.joined_at is not None and seat.joined_at <= match.created_at


def enter_due(service: Service, most: int, *, from_the_first: bool = False) -> int:
    """Enters matches that are over and were not entered yet, at most ``most``; returns how many.

    ``from_the_first``: also those that ended long before the last one that was entered.
    Idempotent: what another worker entered meanwhile is left as it is. So is what was changed since
    it was read, until the next time: somebody may have been forgotten.
    """
    with service.database.read() as session:
        due = _due(session, service.now(), from_the_first)
        ended = _read(session, session.exec(due.limit(most)).all())
    if not ended:
        return 0
    with service.database.write("standing.enter") as session:
        now = hold(session, [one.match.id for one in ended])
        as_read = [one for one in ended if now[one.match.id] == one.match.revision]
        for one in as_read:
            _enter(session, one)
    return len(as_read)


def _due(session: Session, now: datetime, from_the_first: bool) -> Any:
    """The query for matches that are over and not entered, those that ended first before."""
    due = select(Match).where(
        col(Match.ended_at).is_not(None),
        ~select(StandingMatch.match_id).where(StandingMatch.match_id == Match.id).exists(),
    )
    # not one that ended while the clock was ahead: all others would have ended long before it
    entered = select(func.max(StandingMatch.ended_at)).where(col(StandingMatch.ended_at) <= now)
    last = session.exec(entered).one()
    if last is not None and not from_the_first:
        due = due.where(col(Match.ended_at) >= last - LATE)
    return due.order_by(col(Match.ended_at), col(Match.id))


def _read(session: Session, matches: Sequence[Match]) -> list[_Ended]:
    found = {match.id: _Ended(match) for match in matches}
    if not found:
        return []
    of_them = list(found)
    seats = select(Seat).where(col(Seat.match_id).in_(of_them)).order_by(col(Seat.number))
    for seat in session.exec(seats):
        found[seat.match_id].seats.append(seat)
    given = select(Audit).where(
        col(Audit.match_id).in_(of_them), Audit.act == AuditAct.REPLACED, col(Audit.seat) >= 0
    )
    for row in session.exec(given):
        began = found[row.match_id].match.started_at
        if row.seat is not None and began is not None and row.at >= began:
            found[row.match_id].replaced[row.seat] = None
    _addresses_before(session, found)
    in_series = select(SeriesMatch.match_id).where(col(SeriesMatch.match_id).in_(of_them))
    for match_id in session.exec(in_series):
        found[match_id].of_series = True
    closed = (
        select(Turn.match_id, Turn.seat, Turn.closed_by, func.count())
        .where(col(Turn.match_id).in_(of_them))
        .group_by(col(Turn.match_id), col(Turn.seat), col(Turn.closed_by))
    )
    for match_id, number, by, count in session.exec(closed):
        found[match_id].turns[number][by or ""] = count
    return list(found.values())


def _addresses_before(session: Session, found: dict[str, _Ended]) -> None:
    """Fills in who had a seat before it was replaced: they were told so by mail."""
    told = select(Mail).where(
        col(Mail.match_id).in_([one.match.id for one in found.values() if one.replaced]),
        Mail.kind == MailKind.SEAT_CHANGED,
    )
    for mail in session.exec(told.order_by(col(Mail.id))):
        one, seat = found[mail.match_id or ""], mail.seat
        if seat not in one.replaced or one.replaced[seat] is not None:
            continue
        began = one.match.started_at
        if began and mail.created_at >= began and outbox.data(mail).get("how") == "replaced":
            one.replaced[seat] = mail.address


def _enter(session: Session, one: _Ended) -> None:
    match, why_not = one.match, one.why_not()
    results = []
    if why_not is None:
        try:
            places = _places(one)
        except Exception as error:
            # a game that fails, perhaps of a plug-in, keeps no other match from being entered
            journal.after(session, Line.MATCH_UNREADABLE, match=match.id, exc_info=error)
            why_not = WhyNot.UNREADABLE
        else:
            results = [
                {"match_id": match.id, "seat": seat.number, **place, **_holder(session, one, seat)}
                for seat, place in zip(one.seats, places, strict=True)
            ]
    pool = {"game": match.game, "seats": match.seat_count}
    row = {
        **pool,
        "match_id": match.id,
        "ended_at": match.ended_at,
        "why_not": why_not or "",
        "rated": False,
    }
    if statements.upsert(session, StandingMatch, [row], unique=("match_id",)):
        statements.upsert(
            session, StandingPool, [{**pool, "revision": 0, "last_match": ""}], unique=tuple(pool)
        )
        statements.upsert(session, StandingResult, results, unique=("match_id", "seat"))


def _places(one: _Ended) -> list[dict[str, int]]:
    """The team and the rank of each seat of a match that counts, by the rules of its game."""
    match = one.match
    game = match_log.installed(match)
    outcome = decode(Outcome[Any], match.outcome_json or "")
    teams = game.teams(match.seat_count, match_log.options_of(match))
    ranks = outcome.ranks(teams)
    team_of = {seat: team for team, members in enumerate(teams) for seat in members}
    return [
        {"team": team_of[seat.number], "rank": ranks[team_of[seat.number]]} for seat in one.seats
    ]


def _holder(session: Session, one: _Ended, seat: Seat) -> dict[str, Any]:
    """The columns that say who held a seat, and how they kept their time."""
    address, replaced = one.address(seat), seat.number in one.replaced
    now = one.match.ended_at
    assert now is not None
    person = persons.known(session, address, now, language=seat.language) if address else None
    turns = one.turns[seat.number] if not replaced else Counter[str]()
    return {
        "person_id": person.id if person else None,
        "bot": seat.bot,
        "left_early": person is not None
        and (replaced or seat.bot is not None or seat.resigned_at is not None),
        "in_time": sum(turns[by] for by in IN_TIME) if person else 0,
        "missed": sum(turns[by] for by in MISSED) if person else 0,
    }
