"""When people are away: reminders, the ladder of missed turns, bots that hold seats.

Nobody is charged for time that was not theirs: a clock that is held stands, and turns get back the
time in which the service itself was down, before anything times out.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem import journal
from pbem.acts import advance, outbox, starting
from pbem.acts.claims import (
    change_seat,
    change_turn,
    claim,
    close_turn,
    given_back,
    moved_clock,
    release_turn,
    reserve_left,
    retrying,
)
from pbem.acts.plies import claim_with, play
from pbem.clocks import deadlines
from pbem.errors import NotPossible
from pbem.journal import Line
from pbem.service import Service
from pbem.store import audit, links
from pbem.store.models import Heartbeat, Link, MadeBy, Match, Outage, Purpose, Seat, Turn
from pbem.store.table import Table, load

#: A gap between two sweeps that counts as an outage of the service.
OUTAGE = timedelta(minutes=10)
#: The heartbeat by which sweeps know of each other.
SWEEP = "last sweep"


def care_due(service: Service, most: int = 50) -> int:
    """Reminds, plays for the absent, asks hosts: for turns that are due, at most so many."""
    now = service.now()
    with service.database.read() as session:
        found = session.exec(
            select(Turn.id, Turn.match_id)
            .join(Match, col(Match.id) == col(Turn.match_id))
            .where(
                col(Turn.closed_at).is_(None),
                col(Turn.next_at) <= now,
                col(Match.set_aside_at).is_(None),
            )
            .order_by(col(Turn.next_at))
            .limit(most)
        ).all()
    for turn_id, match_id in found:
        with advance.guarded(service, match_id):
            care(service, turn_id or 0)
    if found:
        service.ring("advance")
        service.ring("post")
    return len(found)


def care(service: Service, turn_id: int) -> None:
    """Does for one open turn what its clock asks for now.

    1. Where the clock stands because mail is refused: the host is told again, then a bot plays.
    2. Outages of the service since the clock began are given back.
    3. Before the end: reminders that have come due, in one mail.
    4. At the end: a day of vacation if there is one, else the next rung of the ladder.
    """

    def act() -> None:
        with service.database.read() as session:
            turn = session.get(Turn, turn_id)
            if turn is None or turn.closed_at is not None:
                return
            table = load(session, turn.match_id)
            outages = _outages(session, turn)
        now = service.now()
        if not table.running or turn.next_at is None or turn.next_at > now:
            return
        if turn.held_at is not None:
            _care_for_unreached(service, table, turn, now)
        elif outages:
            _credit(service, table, turn, outages)
        elif turn.final_at is None or now < turn.final_at:
            _remind(service, table, turn, now)
        elif table.seat(turn.seat).vacation_days > 0:
            _spend_vacation_day(service, table, turn, now)
        else:
            _time_out(service, table, turn, now)

    retrying(act)


def _care_for_unreached(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    """Mail to this seat has been refused for long: its host may have overlooked it, or be gone."""
    seat, until = table.seat(turn.seat), table.match.paused_until
    with service.database.write("unreached") as session:
        if until is not None:
            claim(session, table)
            change_turn(session, turn, next_at=until + deadlines.UNREACHED)
        elif turn.host_asked_at is None:
            claim(session, table)
            change_turn(session, turn, host_asked_at=now, next_at=now + deadlines.UNREACHED)
            tell_of_mail(session, service, table, seat, now, again=True)
        else:
            seat_bot(session, table, seat, now, actor="service")


def tell_of_mail(
    session: Session, service: Service, table: Table, seat: Seat, now: datetime, again: bool = False
) -> None:
    """Owes the host a mail that a seat's address takes none, or after a week still takes none.

    It goes to the operator where the host's own address is the one.
    """
    match = table.match
    if seat.email is not None and match.host_email.casefold() == seat.email.casefold():
        outbox.owe_notice(session, service, "stalled", now, not_to=seat.email)
        return
    outbox.owe(
        session,
        "stalled",
        f"stalled:{match.id}:mail:{seat.number}:{match.revision}",
        now,
        match_id=match.id,
        seat=links.HOST,
        reason="mail",
        absent=seat.number,
        again=again,
    )


def _remind(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    zone = table.seat(turn.seat).zone
    passed = deadlines.reminders_passed(turn.clock_from, turn.due_at, now, zone)
    with service.database.write("remind") as session:
        claim(session, table)
        change_turn(
            session,
            turn,
            reminders=passed,
            next_at=deadlines.next_at(turn.clock_from, turn.due_at, turn.final_at, passed, zone),
        )
        if passed > turn.reminders:
            journal.after(
                session,
                Line.REMINDED,
                match=table.match.id,
                seat=turn.seat,
                turn=turn.id,
                number=passed,
            )
            outbox.owe(
                session,
                "reminder",
                f"reminder:{turn.id}:{passed}:{int(turn.clock_from.timestamp())}",
                now,
                match_id=table.match.id,
                seat=turn.seat,
                turn_id=turn.id,
                number=passed,
            )
        if turn.due_at is None and passed == len(deadlines.UNLIMITED_REMINDERS):
            # no deadline will ever come: whether to wait on is for the host to say
            outbox.owe(
                session,
                "stalled",
                f"stalled:{table.match.id}:silent:{turn.id}",
                now,
                match_id=table.match.id,
                seat=links.HOST,
                turn_id=turn.id,
                reason="silent",
                absent=turn.seat,
            )


def _spend_vacation_day(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    assert turn.due_at is not None
    seat = table.seat(turn.seat)
    due_at = deadlines.days_later(table.policy, table.match.zone, max(turn.due_at, now), 1)
    # the reserve ran out before this day began: it must not begin anew behind each of them
    bank = table.policy.kind == "bank"
    reserve = seat.reserve if bank else reserve_left(table, turn, now)
    with service.database.write("vacation") as session:
        claim(session, table)
        change_seat(session, seat, vacation_days=seat.vacation_days - 1, reserve=reserve)
        clock = moved_clock(table, turn, due_at, now, anew=False, reserve=reserve)
        # who is on vacation is not reminded: the next care is for the day's end
        change_turn(session, turn, **{**clock, "next_at": clock["final_at"]})
        audit.append(
            session,
            now=now,
            match_id=table.match.id,
            actor="service",
            act="vacation_day",
            seat=turn.seat,
            ply=table.match.ply,
            detail={"left": seat.vacation_days - 1},
        )


def _time_out(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    """The ladder: play the default; the next time ask the host; the time after, a bot."""
    policy, seat = table.policy, table.seat(turn.seat)
    missed = seat.missed + 1
    if missed >= policy.bot_at:
        with service.database.write("time_out") as session:
            seat_bot(session, table, seat, now, actor="service", missed=missed)
        return
    if missed >= policy.host_asked_at and turn.host_asked_at is None:
        with service.database.write("time_out") as session:
            _ask_host(session, table, turn, now)
        return
    play_default(service, table, turn, now, MadeBy.DEADLINE, missed=missed)


def _ask_host(session: Session, table: Table, turn: Turn, now: datetime) -> None:
    until = now + timedelta(seconds=table.policy.host_time)
    claim(session, table)
    change_turn(session, turn, host_asked_at=now, final_at=until, next_at=until)
    audit.append(
        session,
        now=now,
        match_id=table.match.id,
        actor="service",
        act="host_asked",
        seat=turn.seat,
        ply=table.match.ply,
    )
    outbox.owe(
        session,
        "host_asked",
        f"host_asked:{turn.id}",
        now,
        match_id=table.match.id,
        seat=links.HOST,
        turn_id=turn.id,
        absent=turn.seat,
    )


def play_default(
    service: Service,
    table: Table,
    turn: Turn,
    now: datetime,
    made_by: MadeBy,
    *,
    missed: int,
) -> None:
    """Plays what silence means for the seat of an open turn, closes the turn, tells the player.

    ``missed`` is the seat's new number of turns missed in a row.
    """
    seat = table.seat(turn.seat)
    move = table.game.default_move(table.state, turn.seat)
    made, state = play(table, table.state, turn.seat, move, made_by)
    ply = table.match.ply + 1
    with service.database.write("play_default") as session:
        claim_with(session, table, [made], state, now, advance_due_at=now)
        change_seat(session, seat, missed=missed, reserve=reserve_left(table, turn, now))
        close_turn(session, turn, made_by, now)
        audit.append(
            session,
            now=now,
            match_id=table.match.id,
            actor="service" if made_by == MadeBy.DEADLINE else str(made_by.value),
            act="played_default",
            seat=turn.seat,
            ply=ply,
        )
        outbox.owe(
            session,
            "played_for_you",
            f"played_for_you:{turn.id}",
            now,
            match_id=table.match.id,
            seat=turn.seat,
            turn_id=turn.id,
            ply=ply,
        )


def seat_bot(
    session: Session,
    table: Table,
    seat: Seat,
    now: datetime,
    *,
    actor: str,
    missed: int | None = None,
    bot: str | None = None,
    act: str = "bot_seated",
) -> None:
    """Lets a bot hold a seat until its owner comes back; in a transaction that this claims."""
    claim(session, table, **starting.due_when_full(table, seat.number, now))
    change_seat(
        session,
        seat,
        bot=bot or table.game.meta.bots[0],
        bot_since=now,
        missed=seat.missed if missed is None else missed,
    )
    turn = table.open_turns.get(seat.number)
    if turn is not None:
        close_turn(session, turn, MadeBy.BOT, now)
    links.make(session, Purpose.SEAT, table.match, seat, now)
    audit.append(
        session,
        now=now,
        match_id=table.match.id,
        actor=actor,
        act=act,
        seat=seat.number,
        ply=table.match.ply,
    )
    key = f"{seat.number}:{table.match.revision}"
    for kind, whose in (("bot_took_over", seat.number), ("bot_seated", links.HOST)):
        outbox.owe(
            session,
            kind,
            f"{kind}:{table.match.id}:{key}",
            now,
            match_id=table.match.id,
            seat=whose,
            absent=seat.number,
            how=_how_it_came(seat, missed, act),
        )


def _how_it_came(seat: Seat, missed: int | None, act: str) -> str:
    """Why a bot has the seat, for the mails about it."""
    if missed is not None:
        return "missed"
    if act == "resigned":
        return "given_up"
    if seat.joined_at is None:
        return "declined" if seat.resigned_at is not None else "not_joined"
    return "put"


def come_back(service: Service, link: Link) -> None:
    """The owner of a seat takes it back from the bot. Coming back twice is well, too."""

    def act() -> None:
        with service.database.read() as session:
            table = load(session, link.match_id)
        seat = table.seat(link.seat)
        if seat.bot is None or seat.email is None or not table.running:
            return
        if seat.resigned_at is not None:
            raise NotPossible("You gave this seat up. The host can invite you to it again.")
        now = service.now()
        with service.database.write("come_back") as session:
            claim(session, table, advance_due_at=now)
            change_seat(session, seat, bot=None, bot_since=None, missed=0)
            audit.append(
                session,
                now=now,
                match_id=table.match.id,
                actor="player",
                act="came_back",
                seat=seat.number,
                ply=table.match.ply,
            )

    retrying(act)
    service.ring("advance")


def resign(service: Service, link: Link) -> None:
    """A player gives the seat up for good: a bot holds it until the host finds somebody."""

    def act() -> None:
        with service.database.read() as session:
            table = load(session, link.match_id)
        seat = table.seat(link.seat)
        if not table.running:
            raise NotPossible("This match is not running.")
        if seat.resigned_at is not None:
            return
        now = service.now()
        with service.database.write("resign") as session:
            seat_bot(session, table, seat, now, actor="player", act="resigned")
            change_seat(session, seat, resigned_at=now)

    retrying(act)
    service.ring("advance")
    service.ring("post")


# --- time that was nobody's ---


def notice_outage(service: Service) -> None:
    """Called before each sweep: a long gap since the last one is written down as an outage.

    Of several workers that notice at once, one writes.
    """
    now = service.now()
    with service.database.write("notice_outage") as session:
        last = session.get(Heartbeat, SWEEP)
        if last is None:
            session.add(Heartbeat(name=SWEEP, at=now))
            return
        before = last.at
        if before >= now:
            return
        moved = session.execute(
            update(Heartbeat)
            .where(col(Heartbeat.name) == SWEEP, col(Heartbeat.at) == before)
            .values(at=now)
            .execution_options(synchronize_session=False)
        )
        if moved.rowcount == 1 and now - before > OUTAGE:  # type: ignore[attr-defined]
            session.add(Outage(begun_at=before, ended_at=now))
            journal.after(
                session, Line.OUTAGE, begun_at=before, seconds=round((now - before).total_seconds())
            )


def _outages(session: Session, turn: Turn) -> list[Outage]:
    """Outages that the turn's clock ran through and that were not credited yet."""
    since = turn.credited_until or turn.clock_from
    return list(
        session.exec(
            select(Outage).where(col(Outage.ended_at) > since).order_by(col(Outage.ended_at))
        )
    )


def _credit(service: Service, table: Table, turn: Turn, outages: list[Outage]) -> None:
    """Gives the time of outages back to a turn, as if its clock had stood."""
    since = turn.credited_until or turn.clock_from
    spans = [(max(outage.begun_at, since), outage.ended_at) for outage in outages]
    clock = given_back(table, turn, spans, service.now())
    with service.database.write("credit") as session:
        claim(session, table)
        change_turn(session, turn, credited_until=outages[-1].ended_at, **clock)


def resume_due(service: Service, most: int = 50) -> int:
    """Lets matches go on whose pause is over; returns how many."""
    now = service.now()
    with service.database.read() as session:
        found = session.exec(
            select(Match.id)
            .where(col(Match.paused_until) <= now, col(Match.set_aside_at).is_(None))
            .limit(most)
        ).all()
    for match_id in found:
        with advance.guarded(service, match_id):
            resume(service, match_id, actor="service")
    return len(found)


def resume(service: Service, match_id: str, *, actor: str) -> None:
    """Lets the clocks of a paused match go on, with what was left on each."""

    def act() -> None:
        with service.database.read() as session:
            table = load(session, match_id)
        if table.match.paused_until is None:
            if actor == "service":
                return
            raise NotPossible("This match is not paused.")
        now = service.now()
        with service.database.write("resume") as session:
            claim(session, table, paused_until=None)
            for turn in table.open_turns.values():
                if turn.held_why != "pause":
                    continue
                if table.seat(turn.seat).mail_problem_at is not None:
                    care_at = deadlines.held_care("mail", now)
                    change_turn(session, turn, held_why="mail", next_at=care_at)
                else:
                    release_turn(session, table, turn, now)
            audit.append(
                session,
                now=now,
                match_id=match_id,
                actor=actor,
                act="resumed",
                ply=table.match.ply,
            )

    retrying(act)
