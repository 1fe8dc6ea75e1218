"""What a remedy would do: it is carried out on the real rows, compared, and rolled back.

A foresight says only what everybody may know. The default move can depend on a hand, so a foresight
never holds an order. What happens after the remedy (forced moves, bots, whose turn opens next) can
depend on hands too, so it ends with "The match is carried on".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec
from sqlmodel import Session, col, func, select

from pbem.acts import absence, mail_relevance, permissions, remedies
from pbem.acts.effects import Clock, DeadLink, Foresight, MailEffect
from pbem.acts.remedy import RehearsedRemedy, RemedyRequest
from pbem.acts.who_may import May
from pbem.acts.writing import SomeoneWasFirstError, act, rehearsing
from pbem.clock import ManualClock
from pbem.errors import UnreadableMatch
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Mail, Match, Ply, Turn
from pbem.store.names import Actor, MadeBy, MailKind, Purpose
from pbem.store.table import Table, load

#: Links that only say "this turn is closed" once it is.
_OF_A_TURN = (Purpose.TURN, Purpose.REPLY)


@dataclass(frozen=True)
class Look:
    """The match and its links at one moment: a foresight compares two of these."""

    table: Table
    #: The links that work, by the number of their row.
    alive: dict[int, Link]


@dataclass(frozen=True)
class _Begun:
    """The match's revision and the last mail, as they were before the rehearsal wrote."""

    revision: int
    last_mail: int


@act
def foresee(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> RehearsedRemedy:
    """The effect of a remedy, or what its effect will be once the owner of the seat says yes.

    Raises what ``remedies.carry_out`` raises. Changes nothing.
    """
    before = take_look(service, match_id)
    may = remedies.allowed(before.table, asked, actor)
    if may != May.NOW:
        permissions.refuse_too_often(service, before.table.seat(asked.place))
    with rehearsing(service, lambda session: _begun(session, match_id)) as (on_trial, tried):
        answer = remedies.find(asked.remedy).act(on_trial, match_id, asked, actor)
        effect = _effect(on_trial, asked, before, tried.before)
    if may != May.NOW:
        effect = msgspec.structs.replace(effect, asks=may.value)
    if before.table.match.advance_due_at is not None:
        # a worker may have skipped the match while the rehearsal held its row
        service.ring("advance")
    return RehearsedRemedy(asked, before.table, effect, answer)


def _begun(session: Session, match_id: str) -> _Begun:
    revision = session.exec(select(Match.revision).where(Match.id == match_id)).one()
    return _Begun(revision, session.exec(select(func.max(Mail.id))).one() or 0)


def take_look(service: Service, match_id: str) -> Look:
    """The match and the links that work; NotFound if there is no such match."""
    with service.database.read() as session:
        table = load(session, match_id)
        found = session.exec(
            select(Link)
            # the index of links begins with the purpose
            .where(col(Link.purpose).in_(list(Purpose)), Link.match_id == match_id)
            .order_by(col(Link.id))
        ).all()
    now = service.now()
    alive = {
        link.id or 0: link
        for link in found
        if link.revoked_at is None
        and (link.expires_at is None or link.expires_at > now)
        and link.epoch == table.epoch(link.seat)
    }
    return Look(table, alive)


def _effect(
    service: Service, asked: RemedyRequest, before: Look, begun: _Begun | None
) -> Foresight:
    """What differs from ``before``; an empty effect if the remedy wrote nothing."""
    was = before.table
    if begun is None:
        return Foresight(remedy=asked.remedy, seat=asked.seat, waits=tuple(sorted(was.open_turns)))
    if begun.revision != was.match.revision:
        raise SomeoneWasFirstError(was.match.id)
    after = take_look(service, was.match.id)
    now = after.table
    with service.database.read() as session:
        mails = tuple(_mails(session, was, begun.last_mail))
        entries = _entries(session, was.match)
    mover, moved_by = _move(was, now, entries)
    back = [row for row in entries if row.made_by == MadeBy.BACK]
    due, pause = now.match.advance_due_at, now.match.paused_until
    paused_until = pause if pause != was.match.paused_until else None
    return Foresight(
        remedy=asked.remedy,
        seat=asked.seat,
        moves=mover,
        moved_by=moved_by,
        hidden=mover is not None and len(_pending(was)) > 1,
        clocks=tuple(
            _clocks(was, now)
            if paused_until is None
            else _clocks_after_the_pause(service, was, paused_until)
        ),
        mails=mails,
        dead=tuple(_dead(before, after)),
        closes=tuple(sorted(set(was.open_turns) - set(now.open_turns))),
        waits=tuple(sorted(now.open_turns)),
        decide=tuple(sorted(_pending(now))) if back else (),
        goes_on=due is not None and due != was.match.advance_due_at,
        paused_until=paused_until,
        back_to=json.loads(back[-1].move_json)["back_to"] if back else None,
        ends=now.match.ended_at is not None and was.match.ended_at is None,
    )


def _entries(session: Session, was: Match) -> Sequence[Ply]:
    """The entries of the log that the remedy added."""
    query = select(Ply).where(Ply.match_id == was.id, col(Ply.ply) > was.ply)
    return session.exec(query.order_by(col(Ply.ply))).all()


def _move(was: Table, now: Table, entries: Iterable[Ply]) -> tuple[int | None, str]:
    """The seat for which a move is made at once, and what makes it; never which move."""
    for row in entries:
        if row.seat is not None and row.made_by != MadeBy.BACK:
            return row.seat, "default"
    for seat, held in zip(was.seats, now.seats, strict=True):
        if seat.bot is None and held.bot is not None and seat.number in _pending(was):
            return seat.number, "bot"
    return None, ""


def _pending(table: Table) -> frozenset[int]:
    """The seats that must decide now; none if that cannot be read."""
    try:
        return table.game.phase(table.state).pending if table.running else frozenset()
    except UnreadableMatch:
        return frozenset()


def _clocks(was: Table, now: Table) -> Iterable[Clock]:
    """The clocks of open turns that the remedy changed."""
    for number in sorted(set(was.open_turns) & set(now.open_turns)):
        before, turn = was.open_turns[number], now.open_turns[number]
        if _clock_of(before) != _clock_of(turn) and turn.held_at is None:
            yield Clock(number, before.public_due_at, turn.public_due_at)


def _clock_of(turn: Turn) -> tuple[datetime | None, ...]:
    return turn.due_at, turn.final_at, turn.held_at


def _clocks_after_the_pause(service: Service, was: Table, until: datetime) -> Iterable[Clock]:
    """The deadlines after a pause: the rehearsal resumes the match at the end of the pause."""
    at_its_end = replace(service, clock=ManualClock(until))
    absence.resume(at_its_end, was.match.id, actor=Actor.SERVICE)
    resumed = take_look(at_its_end, was.match.id).table
    for number, turn in sorted(resumed.open_turns.items()):
        if turn.held_at is None:
            yield Clock(number, was.open_turns[number].public_due_at, turn.public_due_at, then=True)


def _mails(session: Session, was: Table, last: int) -> Iterable[MailEffect]:
    """The mails that the remedy owes, each with whether it would be sent."""
    query = select(Mail).where(col(Mail.id) > last, col(Mail.match_id).is_not(None))
    for mail in session.exec(query.order_by(col(Mail.id))).all():
        about = mail_relevance.subject(session, mail)
        seat, name = links.HOST, about.match.host_name
        if about.seat is not None:
            seat, name = about.seat.number, about.seat.name
            if mail.kind == MailKind.SEAT_CHANGED:
                # it goes to who had the seat until now
                name = was.seats[seat].name
        yield MailEffect(mail.kind, seat, name, mail_relevance.unwanted(about) or "")


def _dead(before: Look, after: Look) -> Iterable[DeadLink]:
    """The links that the remedy killed. Links of turns that were closed before do not count."""
    turns = {turn.id for turn in before.table.open_turns.values()}
    found = {
        (link.seat, str(link.purpose))
        for number, link in before.alive.items()
        if number not in after.alive and (link.purpose not in _OF_A_TURN or link.turn_id in turns)
    }
    return (DeadLink(purpose, seat) for seat, purpose in sorted(found))
