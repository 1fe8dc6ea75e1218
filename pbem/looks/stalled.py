"""Which matches are stalled, and why. Only reads."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import bindparam
from sqlmodel import Session, col, exists, func, or_, select

from pbem import beacon
from pbem.clocks.deadlines import UNLIMITED_REMINDERS
from pbem.service import Service
from pbem.store import audit
from pbem.store.match_log import has_secret_moves
from pbem.store.models import Audit, Mail, Match, Seat, Turn
from pbem.store.names import AuditAct, MailKind, MatchStatus, StallReason
from pbem.words import texts

#: How long a lobby may wait for its players before it counts as stalled.
LOBBY_PATIENCE = timedelta(hours=48)

#: Kinds of mail that would tell others of a secret move: they follow from it, or from its clock.
TELLING = (MailKind.REPLY_ANSWER, MailKind.REMINDER)


# What makes a match stall: ``find`` says more of each.
_RUNNING = col(Match.status) == MatchStatus.RUNNING
_RUNS = col(Turn.closed_at).is_(None) & col(Turn.held_at).is_(None)
_SILENT = col(Turn.due_at).is_(None) & (col(Turn.reminders) >= len(UNLIMITED_REMINDERS))
_TROUBLE = (
    col(Seat.mail_problem_at).is_not(None)
    | col(Seat.muted_at).is_not(None)
    | (col(Seat.joined_at).is_(None) & _RUNNING)
    | (col(Seat.joined_at).is_(None) & col(Seat.resigned_at).is_not(None))
)
_SET_ASIDE = col(Match.set_aside_at).is_not(None)
_PAUSED = col(Match.paused_until).is_not(None) & _RUNNING
_WAITS_FOR_BEACON = col(Match.beacon_due_at).is_not(None)


def _old_lobby(before: Any) -> Any:
    return (col(Match.status) == MatchStatus.LOBBY) & (col(Match.created_at) < before)


#: Whether a match may stall, as its host may know it: one look for many matches, most of which do
#: not. Given ``may_stall``; ``find`` says whether it does, and why.
MAY_STALL: Any = or_(
    *(_SET_ASIDE, _PAUSED, _WAITS_FOR_BEACON, _old_lobby(bindparam("old_lobby"))),
    exists().where(
        col(Turn.match_id) == col(Match.id),
        *(_RUNS, _RUNNING, _SILENT | (col(Turn.public_due_at) < bindparam("now"))),
    ),
    exists().where(col(Seat.match_id) == col(Match.id), _TROUBLE),
)


def may_stall(now: datetime) -> dict[str, datetime]:
    """What a query with ``MAY_STALL`` is given."""
    return {"now": now, "old_lobby": now - LOBBY_PATIENCE}


class Stall(msgspec.Struct, frozen=True):
    """A match that makes no progress, or goes on without one of its players."""

    match_id: str
    title: str
    reason: StallReason
    since: datetime
    seat: int | None
    name: str
    #: Details of the reason: the relay's answer, the error's text. Never an address.
    detail: str
    #: Whether the match has started: before that, no clock runs.
    begun: bool = True
    #: Whether only the public deadline is known to be over, because moves may be secret.
    announced: bool = False


_MAY_THIS: Any = select(Match.id).where(col(Match.id) == bindparam("match_id"), MAY_STALL)


def of_match(service: Service, match_id: str, *, public: bool = False) -> list[Stall]:
    """The stalls of one match, as ``find`` has them. Where a host's match has none, one query."""
    if public:
        with service.database.read() as session:
            asked = {"match_id": match_id, **may_stall(service.now())}
            if session.exec(_MAY_THIS, params=asked).first() is None:
                return []
    return find(service, (match_id,), public=public)


def find(
    service: Service, match_ids: Collection[str] | None = None, *, public: bool = False
) -> list[Stall]:
    """All stalls, the oldest first; those of these matches if ``match_ids`` are given.

    ``public``: as a host may know them, who may be a player too: by public deadlines, and without
    the text of an error.
    """
    now = service.now()
    with service.database.read() as session:
        stalls = [
            *_overdue(session, now, match_ids, public),
            *_silent(session, match_ids),
            *_seats(session, match_ids),
            *_set_aside(session, match_ids, public),
            *_paused(session, match_ids),
            *_lobbies(session, now, match_ids),
            *_without_beacon(service, session, match_ids),
        ]
    return sorted(stalls, key=lambda stall: (stall.since, stall.match_id, stall.seat or 0))


def sent_to(session: Session, match: Match, seat: int, *, public: bool) -> list[Mail]:
    """The last four mails that were owed to a seat, the newest first.

    ``public``: without those that would tell a host, who may be a player, of secret moves.
    """
    query = select(Mail).where(Mail.match_id == match.id, Mail.seat == seat)
    if public and has_secret_moves(match):
        query = query.where(col(Mail.kind).not_in(TELLING))
    return list(session.exec(query.order_by(col(Mail.id).desc()).limit(4)))


def _stall(
    match: Match, reason: StallReason, since: datetime, seat: Seat | None = None, detail: str = ""
) -> Stall:
    return Stall(
        match.id,
        match.title,
        reason,
        since,
        seat.number if seat else None,
        seat.name if seat else "",
        detail,
        match.started_at is not None,
    )


def _overdue(
    session: Session, now: datetime, match_ids: Collection[str] | None, public: bool
) -> list[Stall]:
    due_at = col(Turn.public_due_at if public else Turn.due_at)
    stalls = []
    for match, seat, turn, since in session.exec(
        _open_turns(match_ids).where(due_at < now).add_columns(due_at)
    ):
        found = _stall(
            match, StallReason.OVERDUE, since, seat, "host" if turn.host_asked_at else ""
        )
        announced = public and has_secret_moves(match)
        stalls.append(msgspec.structs.replace(found, announced=announced))
    return stalls


def _silent(session: Session, match_ids: Collection[str] | None) -> list[Stall]:
    query = _open_turns(match_ids).where(_SILENT)
    return [
        _stall(match, StallReason.SILENT, turn.clock_from, seat)
        for match, seat, turn in session.exec(query)
    ]


def _open_turns(match_ids: Collection[str] | None) -> Any:
    """Open turns whose clock runs, with their matches and seats."""
    query = (
        select(Match, Seat, Turn)
        .join(Turn, col(Turn.match_id) == col(Match.id))
        .join(Seat, (col(Seat.match_id) == col(Match.id)) & (col(Seat.number) == col(Turn.seat)))
        .where(_RUNS, _RUNNING)
    )
    return _of(match_ids, query)


def _of(match_ids: Collection[str] | None, query: Any) -> Any:
    """The query, for these matches alone if they are given."""
    return query if match_ids is None else query.where(col(Match.id).in_(match_ids))


def _seats(session: Session, match_ids: Collection[str] | None) -> list[Stall]:
    query = (
        select(Match, Seat)
        .join(Seat, col(Seat.match_id) == col(Match.id))
        .where(col(Match.ended_at).is_(None))
    )
    if match_ids is not None:
        query = query.where(col(Match.id).in_(match_ids))
    else:
        # first the matches that are not over, then their seats: SQLite would begin with all seats
        going_on = select(Match.id).where(col(Match.ended_at).is_(None))
        query = query.where(col(Seat.match_id).in_(going_on))
    stalls = []
    for match, seat in session.exec(query.where(_TROUBLE)):
        if seat.mail_problem_at is not None:
            stalls.append(
                _stall(match, StallReason.MAIL, seat.mail_problem_at, seat, seat.mail_problem or "")
            )
        elif seat.joined_at is None and seat.resigned_at is not None:
            stalls.append(_stall(match, StallReason.DECLINED, seat.resigned_at, seat))
        elif seat.joined_at is None:
            stalls.append(
                _stall(
                    match, StallReason.ABSENT, audit.invited_at(session, match, seat.number), seat
                )
            )
        elif seat.muted_at is not None and seat.bot is None:
            stalls.append(_stall(match, StallReason.MUTED, seat.muted_at, seat))
    return stalls


def _set_aside(session: Session, match_ids: Collection[str] | None, public: bool) -> list[Stall]:
    stalls = []
    for match in session.exec(_of(match_ids, select(Match).where(_SET_ASIDE))):
        # an error may name what a rival holds
        error = "" if public else texts.without_addresses(match.set_aside_error or "", "")
        since = match.set_aside_at or match.created_at
        stalls.append(_stall(match, StallReason.SET_ASIDE, since, None, error))
    return stalls


def _paused(session: Session, match_ids: Collection[str] | None) -> list[Stall]:
    query = (
        select(Match, func.max(Audit.at))
        .join(Audit, (col(Audit.match_id) == col(Match.id)) & (col(Audit.act) == AuditAct.PAUSED))
        .where(_PAUSED)
        .group_by(col(Match.id))
    )
    return [
        _stall(match, StallReason.PAUSED, since, None, (match.paused_until or since).isoformat())
        for match, since in session.exec(_of(match_ids, query))
    ]


def _without_beacon(
    service: Service, session: Session, match_ids: Collection[str] | None
) -> list[Stall]:
    """Matches whose round should have been there for some time."""
    stalls = []
    for match in session.exec(_of(match_ids, select(Match).where(_WAITS_FOR_BEACON))):
        waits = beacon.read(match.beacon_json)
        assert waits is not None  # both are written together
        assert waits.chain is not None
        since = waits.chain.time_of(waits.round)
        if since + service.settings.beacon.patience < service.now():
            stalls.append(_stall(match, StallReason.BEACON, since))
    return stalls


def _lobbies(session: Session, now: datetime, match_ids: Collection[str] | None) -> list[Stall]:
    query = select(Match).where(_old_lobby(now - LOBBY_PATIENCE))
    return [
        _stall(match, StallReason.LOBBY, match.created_at)
        for match in session.exec(_of(match_ids, query))
        if match.beacon_due_at is None
    ]
