"""When people do not answer: reminders, missed turns step by step, bots that hold seats.

A player is only charged for time in which they could have moved: a held clock does not run, and
turns get back the time in which the service itself was down, before anything times out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import bindparam, delete, update
from sqlmodel import Session, col, func, select

from pbem import journal
from pbem.acts import (
    advance,
    due_work,
    going_back,
    outbox,
    permissions,
    starting,
    turn_clocks,
)
from pbem.acts.plies import entries, play
from pbem.acts.writing import Writer, act, read, read_by, writing
from pbem.clocks import deadlines
from pbem.clocks.deadlines import Hold, Span
from pbem.errors import NotPossible, Resigned
from pbem.journal import Line
from pbem.service import Service
from pbem.store import links, statements
from pbem.store.models import Heartbeat, Link, Match, Outage, Seat, Turn, rows_of
from pbem.store.names import Actor, AuditAct, MadeBy, MailKind, Purpose
from pbem.store.table import Table

#: A gap between two sweeps that counts as an outage of the service.
OUTAGE = timedelta(minutes=10)
#: The heartbeat row in which each sweep writes its time, for the next one to compare.
SWEEP = "last sweep"


#: Open turns that need care, the longest due first, and up to when outages are credited to each.
TURNS_DUE: Any = (
    select(Turn.match_id, Turn.id, func.coalesce(Turn.credited_until, Turn.clock_from))
    .join(Match, col(Match.id) == col(Turn.match_id))
    .where(
        col(Turn.closed_at).is_(None),
        col(Turn.next_at) <= due_work.NOW,
        col(Match.set_aside_at).is_(None),
    )
    .order_by(col(Turn.next_at))
)
_FIRST_DUE: Any = TURNS_DUE.limit(bindparam("most")).with_for_update(
    of=Match, skip_locked=True, key_share=True
)
_DUE_IN: Any = (
    TURNS_DUE.where(col(Turn.match_id).in_(bindparam("matches", expanding=True)))
    .order_by(None)
    .order_by(col(Turn.next_at), col(Turn.id))
)
_TAKE = (
    update(rows_of(Turn))
    .where(col(Turn.id).in_(bindparam("taken", expanding=True)))
    .values(next_at=bindparam("until"))
)
#: Matches whose pause is over.
PAUSES_DUE: Any = due_work.matches_due(Match.paused_until)


def care_due(service: Service, most: int = 50) -> int:
    """Gives care to open turns that are due; returns how many there were.

    At most ``most``, and the others that are due in their matches.

    It takes a turn by moving its due time into the future, and if there may be more, rings before
    it does its own: several workers share what is due. If the worker dies, the turn is due again
    after ``due_work.LEASE``.
    """
    until = service.now() + due_work.LEASE
    due = _take_due(service, most, until)
    if not due:
        return 0
    if len(due) >= most:
        service.ring("sweep")
    outages = turn_clocks.outages(service, min(since for _match, _turn, since in due))
    rows = [(match_id, turn_id) for match_id, turn_id, _since in due]
    asked = going_back.with_proposal(service, {match_id for match_id, _turn in rows})
    then = partial(advance.at_once, asked=asked)
    return due_work.each(service, rows, partial(care, taken=until, outages=outages), then)


def _take_due(service: Service, most: int, until: datetime) -> Sequence[due_work.Row]:
    now = service.now()
    with service.database.write("care.take") as session:
        first = session.execute(_FIRST_DUE, {"now": now, "most": most}).all()
        # a match and all that is due in it: else two workers would be at it, and one in vain
        matches = list({match_id for match_id, *_ in first})
        due = session.execute(_DUE_IN, {"now": now, "matches": matches}).all()
        taken = [turn_id for _match, turn_id, _since in due]
        session.connection().execute(_TAKE, {"taken": taken, "until": until})
        return due


@act
def care(
    service: Service, match_id: str, turn_id: int, taken: datetime, outages: Sequence[Outage]
) -> None:
    """Does for one open turn what its clock asks for now. ``outages`` are the latest.

    ``taken``: until when it was taken. If that is another instant by now, whoever moved it has done
    what was due, or has taken it after the lease was over. If that is past, this process stood
    still: the next sweep, which first looks whether that was an outage, does what is due.

    1. If the clock is held because mail is refused: the host is told again, then a bot plays.
    2. If the service was down since the clock began: that time is given back.
    3. Before the end: one mail for all reminders that are due.
    4. At the end: a day of vacation is spent if there is one, else the turn is missed.
    """
    table, now = read(service, match_id)
    turn = next((one for one in table.open_turns.values() if one.id == turn_id), None)
    if turn is None or not table.running or turn.next_at != taken or now > taken:
        return
    missing = turn_clocks.uncredited(turn, outages)
    if turn.held_at is not None:
        _care_for_unreached(service, table, turn, now)
    elif missing:
        _credit(service, table, turn, missing, now)
    elif turn.final_at is None or now < turn.final_at:
        _remind(service, table, turn, now)
    elif table.seat(turn.seat).vacation_days > 0:
        _spend_vacation_day(service, table, turn, now)
    else:
        _time_out(service, table, turn, now)


def _care_for_unreached(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    """Mail to this seat has been refused for long: tells the host again, then lets a bot play."""
    seat, until = table.seat(turn.seat), table.match.paused_until
    with writing(service, table, "unreached", Actor.SERVICE, now) as write:
        if until is not None:
            write.turn(turn, next_at=until + deadlines.UNREACHED)
        elif turn.host_asked_at is None:
            write.turn(turn, host_asked_at=now, next_at=now + deadlines.UNREACHED)
            tell_of_mail(write, seat, again=True)
        else:
            seat_bot(write, seat)


def tell_of_mail(write: Writer, seat: Seat, again: bool = False) -> None:
    """Owes the host a mail that mail to a seat is refused; ``again``: that it still is.

    If it is the host's own address that takes no mail, the operator is told instead.
    """
    match = write.table.match
    if match.is_seat_of_host(seat):
        service, kind, now = write.service, MailKind.STALLED, write.now
        write.call(
            lambda session: outbox.owe_notice(session, service, kind, now, not_to=match.host_email)
        )
        write.rings.add("post")
        return
    write.owe(
        MailKind.STALLED,
        f"{match.id}:mail:{seat.number}:{match.revision}",
        links.HOST,
        reason="mail",
        absent=seat.number,
        again=again,
    )


def _remind(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    seat = table.seat(turn.seat)
    number = deadlines.reminders_passed(turn.clock_from, turn.due_at, now, seat.zone)
    next_at = deadlines.next_at(turn.clock_from, turn.due_at, turn.final_at, number, seat.zone)
    # with the time: a turn's clock can begin anew
    key = f"{turn.id}:{number}:{int(turn.clock_from.timestamp())}"
    with writing(service, table, "remind", Actor.SERVICE, now) as write:
        write.turn(turn, reminders=number, next_at=next_at)
        if number > turn.reminders and seat.reminders:
            write.journal(Line.REMINDED, seat=turn.seat, turn=turn.id, number=number)
            write.owe(MailKind.REMINDER, key, turn.seat, turn_id=turn.id, number=number)
        if turn.due_at is None and number == len(deadlines.UNLIMITED_REMINDERS):
            # no deadline will ever come: the host decides whether to go on waiting
            permissions.look_again(write, turn.seat)
            write.owe(
                MailKind.STALLED,
                f"{table.match.id}:silent:{key}",
                links.HOST,
                turn_id=turn.id,
                reason="silent",
                absent=turn.seat,
            )


def _spend_vacation_day(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    seat, policy, zone = table.seat(turn.seat), table.policy, table.match.zone
    # the reserve ran out before this day began: it must not start again after each such day
    bank = policy.kind == "bank"
    reserve = seat.reserve if bank else turn_clocks.reserve_left(table, turn, now)

    def later(due_at: datetime) -> datetime:
        return deadlines.days_later(policy, zone, max(due_at, now), 1)

    clock = turn_clocks.move(table, turn, later, now, anew=False, reserve=reserve)
    left = seat.vacation_days - 1
    with writing(service, table, "vacation", Actor.SERVICE, now) as write:
        write.seat(seat, vacation_days=left, reserve=reserve)
        # a player on vacation is not reminded: the turn is due again when the day ends
        write.turn(turn, **{**clock, "next_at": clock["final_at"]})
        write.audit(AuditAct.VACATION_DAY, turn.seat, left=left)


def _time_out(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    """A missed turn. The first: the default move; the second: ask the host; the third: a bot."""
    policy, seat = table.policy, table.seat(turn.seat)
    missed = seat.missed + 1
    if missed >= policy.bot_at:
        with writing(service, table, "time_out", Actor.SERVICE, now) as write:
            seat_bot(write, seat, missed=missed)
    elif missed >= policy.host_asked_at and turn.host_asked_at is None:
        _ask_host(service, table, turn, now)
    else:
        play_default(service, table, turn, now, MadeBy.DEADLINE, Actor.SERVICE, missed=missed)


def _ask_host(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    until = now + timedelta(seconds=table.policy.host_time)
    with writing(service, table, "time_out", Actor.SERVICE, now) as write:
        write.turn(turn, host_asked_at=now, final_at=until, next_at=until)
        permissions.look_again(write, turn.seat)
        write.audit(AuditAct.HOST_ASKED, turn.seat)
        # once more where the host gave more time, and that is over too
        key = f"{turn.id}:{table.match.revision}"
        write.owe(MailKind.HOST_ASKED, key, links.HOST, turn_id=turn.id, absent=turn.seat)


def play_default(
    service: Service,
    table: Table,
    turn: Turn,
    now: datetime,
    made_by: MadeBy,
    actor: Actor,
    *,
    missed: int,
    down: Sequence[Span] = (),
) -> None:
    """Plays the default move for the seat of an open turn, closes the turn, tells the player.

    ``missed`` is the seat's new number of turns missed in a row; ``down`` are outages that are not
    credited to the turn.
    """
    move = table.game.default_move(table.state, turn.seat)
    made, state = play(table, table.state, turn.seat, move, made_by)
    log = entries(table, [made], state, now)
    reserve = turn_clocks.reserve_left(table, turn, now, down)
    columns = {**log.columns, "advance_due_at": now}
    with writing(service, table, "play_default", actor, now, **columns) as write:
        log.write(write)
        write.seat(table.seat(turn.seat), missed=missed, reserve=reserve)
        write.close(turn, made_by)
        write.audit(AuditAct.PLAYED_DEFAULT, turn.seat)
        write.owe(MailKind.PLAYED_FOR_YOU, f"{turn.id}", turn.seat, turn_id=turn.id, ply=write.ply)


def seat_bot(
    write: Writer,
    seat: Seat,
    *,
    missed: int | None = None,
    bot: str | None = None,
    resigns: bool = False,
) -> None:
    """Puts a bot on a seat until its owner comes back, and tells the owner and the host.

    ``missed`` is given where missed turns are the reason: the seat's new number of them.
    ``resigns``: the owner loses the seat for good.
    """
    table, now = write.table, write.now
    write.match(**starting.due_when_full(table, seat.number, now))
    write.seat(
        seat,
        bot=bot or table.game.meta.bots[0],
        bot_since=now,
        missed=seat.missed if missed is None else missed,
        **({"resigned_at": now} if resigns else {}),
    )
    turn = table.open_turns.get(seat.number)
    if turn is not None:
        write.close(turn, MadeBy.BOT)
    write.link(Purpose.SEAT, seat)
    write.audit(AuditAct.RESIGNED if resigns else AuditAct.BOT_SEATED, seat.number)
    key = f"{table.match.id}:{seat.number}:{table.match.revision}"
    how = _why_a_bot(seat, missed, resigns)
    write.owe(MailKind.BOT_TOOK_OVER, key, seat.number, absent=seat.number, how=how)
    write.owe(MailKind.BOT_SEATED, key, links.HOST, absent=seat.number, how=how)


def _why_a_bot(seat: Seat, missed: int | None, resigns: bool) -> str:
    """Why a bot has the seat, as the mails about it say it."""
    if missed is not None:
        return "missed"
    if resigns:
        return "given_up"
    if seat.joined_at is None:
        return "declined" if seat.resigned_at is not None else "not_joined"
    return "put"


@act
def come_back(service: Service, link: Link) -> None:
    """The owner of a seat takes it back from the bot. Idempotent: a second call changes nothing."""
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    if seat.bot is None or seat.email is None or not table.running:
        return
    if seat.resigned_at is not None:
        raise Resigned()
    with writing(service, table, "come_back", Actor.PLAYER, now, advance_due_at=now) as write:
        write.seat(seat, bot=None, bot_since=None, missed=0)
        write.audit(AuditAct.CAME_BACK, seat.number)


@act
def resign(service: Service, link: Link) -> None:
    """A player gives the seat up for good: a bot holds it until the host finds somebody."""
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    if not table.running:
        raise NotPossible("This match is not running.")
    if seat.resigned_at is not None:
        return
    with writing(service, table, "resign", Actor.PLAYER, now) as write:
        seat_bot(write, seat, resigns=True)


# --- outages and pauses ---


def notice_outage(service: Service) -> None:
    """Called before each sweep: records an outage if the last sweep was long ago.

    If the last one is far ahead, the clock it looked at has been set back since: outages are
    measured from now on again. If several workers notice it at once, one of them writes it.
    """
    now = service.now()
    with service.database.write("notice_outage") as session:
        last = session.get(Heartbeat, SWEEP)
        if last is None:
            session.add(Heartbeat(name=SWEEP, at=now))
            return
        before = last.at
        set_back = before - now > OUTAGE
        if before >= now and not set_back:
            return
        moved = (
            update(Heartbeat)
            .where(col(Heartbeat.name) == SWEEP, col(Heartbeat.at) == before)
            .values(at=now)
            .execution_options(synchronize_session=False)
        )
        if not statements.rowcount(session, moved):
            return
        seconds = round(abs(now - before).total_seconds())
        if set_back:
            _end_outages(session, now)
            journal.after(session, Line.CLOCK_SET_BACK, seconds=seconds)
        elif now - before > OUTAGE:
            session.add(Outage(begun_at=before, ended_at=now))
            journal.after(session, Line.OUTAGE, begun_at=before, seconds=seconds)


def _end_outages(session: Session, now: datetime) -> None:
    """What a clock that was ahead took for an outage gives nobody time that is still to come."""
    rows = session.connection()
    rows.execute(delete(rows_of(Outage)).where(col(Outage.begun_at) >= now))
    rows.execute(update(rows_of(Outage)).where(col(Outage.ended_at) > now).values(ended_at=now))


def _credit(
    service: Service,
    table: Table,
    turn: Turn,
    down: Sequence[Span],
    now: datetime,
) -> None:
    """Gives the time of outages back to a turn, as if its clock had been held."""
    clock = turn_clocks.give_back(table, turn, down)
    with writing(service, table, "credit", Actor.SERVICE, now) as write:
        write.turn(turn, credited_until=down[-1][1], **clock)


def resume_due(service: Service, most: int = 50) -> int:
    """Resumes matches whose pause is over, at most ``most``; returns how many there were."""
    due = due_work.find(service, PAUSES_DUE, most)
    return due_work.each(service, due, partial(resume, actor=Actor.SERVICE))


@act
def resume(service: Service, match_id: str, *, actor: Actor) -> None:
    """Starts the clocks of a paused match again, with the time that was left on each."""
    table, now = read(service, match_id)
    until = table.match.paused_until
    if actor == Actor.SERVICE and (until is None or now < until):
        # it was resumed, or paused anew, since it was found to be due
        return
    if until is None:
        raise NotPossible("This match is not paused.")
    with writing(service, table, "resume", actor, now, paused_until=None) as write:
        for turn in table.open_turns.values():
            if turn.held_at is None or turn.held_why != Hold.PAUSE:
                continue
            if table.seat(turn.seat).mail_problem_at is not None:
                write.turn(turn, held_why=Hold.MAIL, next_at=deadlines.held_care(Hold.MAIL, now))
            else:
                write.turn(turn, **turn_clocks.release(write, turn))
        write.audit(AuditAct.RESUMED)
