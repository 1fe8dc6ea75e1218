"""The life of a turn: a move is handed in, the match is carried on, a deadline passes.

Everything here is an act (see ``pbem.table``). The doors and the workers only translate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from engine.codec import encode, plain
from engine.dice import ChanceNeededError, NoDice, SeededDice, fields
from engine.game import MAX_ORDER, Event
from pbem import audit, deadlines, history, links, outbox
from pbem.errors import BadInput, NotFound, Stale, TurnClosed
from pbem.models import Link, MadeBy, Match, MatchStatus, Purpose, Seat, Submission, Turn
from pbem.service import Service
from pbem.table import (
    SomeoneWasFirstError,
    Table,
    change_seat,
    change_turn,
    claim,
    close_turn,
    load,
    retrying,
    state_text,
)

#: Plies that one transaction of ``advance`` writes at the most.
BATCH = 40
#: How long a worker that took a match on is left alone before another one tries.
ADVANCE_LEASE = timedelta(seconds=60)
#: After so many failures a match is set aside, and how long after each it is tried again.
ADVANCE_TRIES = 3
ADVANCE_BACKOFF = timedelta(seconds=20)
#: Longest name a submission may give itself.
MAX_SUBMISSION = 80


class Receipt(msgspec.Struct, frozen=True):
    """What the mover is told: the same for the same submission, whenever it is asked for."""

    ply: int
    order: str
    #: What happened, as far as the mover may know it, in plain values.
    events: list[dict[str, Any]]
    accepted: bool = True


class Preview(msgspec.Struct, frozen=True):
    """What a move would do, as far as chance and hidden choices leave it known."""

    order: str
    #: None where it cannot be known before the move is made.
    events: tuple[Event, ...] | None
    #: The mover's view after the move; None likewise.
    view: Any


@dataclass(frozen=True)
class _Made:
    """A ply that was worked out and is not written yet."""

    seat: int
    made_by: MadeBy
    phase: str
    order: str
    move: Any
    events: tuple[Event, ...]
    draws: tuple[Any, ...]
    reveals: bool


# --- a move is handed in ---


def submit(
    service: Service,
    link: Link,
    order: str,
    submission: str,
    ply: int | None = None,
    made_by: MadeBy = MadeBy.LINK,
) -> Receipt:
    """Makes the move that an order says, once.

    1. The same submission to the same turn was taken before: its receipt again.
    2. The turn must be open, and the question the order answers must be the present one.
    3. The engine reads the order and works the move out.
    4. One transaction: claim the match; log, state, submission, turn, "advance due".

    Raises NotFound, TurnClosed, Stale, Busy, BadInput, or the engine's OrderError.
    """
    check_order(order)
    if not 1 <= len(submission) <= MAX_SUBMISSION or not submission.isprintable():
        raise BadInput(
            "A submission needs a name of 1 to {most} printable characters.",
            field="submission",
            most=MAX_SUBMISSION,
        )
    receipt = retrying(lambda: _submit(service, link, order, submission, ply, made_by))
    service.ring("advance")
    return receipt


def _submit(
    service: Service,
    link: Link,
    order: str,
    submission: str,
    ply: int | None,
    made_by: MadeBy,
) -> Receipt:
    with service.database.read() as session:
        taken = _receipt(session, link, submission)
        if taken is not None:
            return taken
        table, turn = open_turn_of(session, link)
    if ply is not None and (ply < turn.asked_ply or ply > table.match.ply):
        raise Stale("The table has moved on since you looked. Look again, then choose.")
    now = service.now()
    move = table.game.parse(table.state, link.seat, order)
    made, state = _play(table, table.state, link.seat, move, made_by)
    receipt = Receipt(
        table.match.ply + 1,
        made.order,
        [plain(event) for event in made.events if event.readable_by(link.seat)],
    )
    try:
        with service.database.write("submit") as session:
            _claim_with(session, table, [made], state, now, advance_due_at=now)
            session.add(
                Submission(
                    turn_id=turn.id or 0,
                    key=submission,
                    ply=receipt.ply,
                    receipt_json=encode(receipt).decode(),
                    received_at=now,
                )
            )
            _after_own_move(session, table, turn, state, receipt.ply, made_by, now)
    except IntegrityError:
        # the same submission, from two devices at once: the other one was written
        raise SomeoneWasFirstError(table.match.id) from None
    return receipt


def check_order(order: str) -> None:
    """BadInput where a text cannot be an order in any game."""
    if not order.strip():
        raise BadInput("No order was given. Write one, or choose one on the page.", field="order")
    if len(order) > MAX_ORDER:
        raise BadInput("An order has at most {most} characters.", field="order", most=MAX_ORDER)
    if not all(sign.isprintable() or sign in "\n\t" for sign in order):
        raise BadInput("The order holds signs that cannot be read.", field="order")


def preview(service: Service, link: Link, order: str) -> Preview:
    """What an order would do, without doing it. Raises as ``submit`` does.

    Nothing is shown of a move that would reveal something: whoever has seen it has learned it.
    """
    check_order(order)
    with service.database.read() as session:
        table, _turn = open_turn_of(session, link)
    move = table.game.parse(table.state, link.seat, order)
    text = table.game.format(move)
    try:
        step = table.game.apply(table.state, link.seat, move, NoDice())
    except ChanceNeededError:
        return Preview(text, None, None)
    if step.reveals:
        return Preview(text, None, None)
    events = tuple(event for event in step.events if event.readable_by(link.seat))
    return Preview(text, events, table.game.view(step.state, link.seat))


def open_turn_of(session: Session, link: Link) -> tuple[Table, Turn]:
    """The table and the open turn that a turn link names; TurnClosed where it is over."""
    turn = session.get(Turn, link.turn_id)
    if turn is None or turn.match_id != link.match_id or turn.seat != link.seat:
        raise NotFound()
    table = load(session, link.match_id)
    if turn.closed_at is not None or not table.running:
        raise TurnClosed("This turn is closed.")
    return table, turn


def _receipt(session: Session, link: Link, key: str) -> Receipt | None:
    row = session.exec(
        select(Submission).where(Submission.turn_id == link.turn_id, Submission.key == key)
    ).first()
    return msgspec.json.decode(row.receipt_json, type=Receipt) if row else None


def _after_own_move(
    session: Session,
    table: Table,
    turn: Turn,
    state: Any,
    ply: int,
    made_by: MadeBy,
    now: datetime,
) -> None:
    """The seat was there: its misses are forgotten, and its turn closes or asks the next thing."""
    seat = table.seat(turn.seat)
    used = deadlines.reserve_used(turn.due_at, now, seat.reserve)
    change_seat(session, seat, missed=0, reserve=seat.reserve - used, told_ply=ply)
    if turn.seat not in table.game.phase(state).pending:
        close_turn(session, turn, made_by, now)
        return
    # the next question to the same seat has its full time, so nothing announced gets shorter
    change_turn(session, turn, asked_ply=ply, **_clock_anew(table.policy, now, seat.reserve - used))


def _play(table: Table, state: Any, seat: int, move: Any, made_by: MadeBy) -> tuple[_Made, Any]:
    """Works one ply out."""
    dice = table.dice()
    step = table.game.apply(state, seat, move, dice)
    made = _Made(
        seat,
        made_by,
        table.game.phase(state).name,
        table.game.format(move),
        move,
        step.events,
        tuple(dice.draws),
        step.reveals,
    )
    return made, step.state


def _claim_with(
    session: Session,
    table: Table,
    plies: Sequence[_Made],
    state: Any,
    now: datetime,
    **changes: Any,
) -> None:
    """Claims the match and writes the plies, the state after them and the head of the chain."""
    match, head, rows = table.match, table.match.chain_head, []
    for number, made in enumerate(plies, match.ply + 1):
        turn = table.open_turns.get(made.seat)
        row = history.write_ply(
            match,
            ply=number,
            seat=made.seat,
            turn_id=turn.id if turn else None,
            made_by=made.made_by,
            made_at=now,
            phase=made.phase,
            order=made.order,
            move=made.move,
            events=made.events,
            draws=made.draws,
            reveals=made.reveals,
            previous=head,
        )
        head = row.hash
        rows.append(row)
    claim(
        session,
        table,
        ply=match.ply + len(rows),
        state_json=state_text(state),
        phase=table.game.phase(state).name,
        chain_head=head,
        **changes,
    )
    session.add_all(rows)


# --- the match is carried on ---


def advance_due(service: Service, most: int = 50) -> int:
    """Carries on matches that are due, at most so many; returns how many were taken on.

    A match is taken by moving its due time into the future: a worker that dies on it leaves it due
    again after ``ADVANCE_LEASE``.
    """
    taken = _take_due(service, most)
    for match_id in taken:
        try:
            while advance(service, match_id):
                pass
        except Exception as error:
            # one match that cannot go on must not stop the others
            advance_failed(service, match_id, error)
    if taken:
        service.ring("post")
    return len(taken)


def _take_due(service: Service, most: int) -> list[str]:
    now = service.now()
    with service.database.read() as session:
        # most rings find nothing to do: look before taking the lock
        if session.exec(_due_matches(now, 1)).first() is None:
            return []
    with service.database.write("advance.take") as session:
        rows = session.exec(_due_matches(now, most).with_for_update(skip_locked=True)).all()
        for match in rows:
            match.advance_due_at = now + ADVANCE_LEASE
            session.add(match)
        return [match.id for match in rows]


def _due_matches(now: datetime, most: int) -> Any:
    return (
        select(Match)
        .where(col(Match.advance_due_at) <= now, col(Match.set_aside_at).is_(None))
        .order_by(col(Match.advance_due_at))
        .limit(most)
    )


def advance(service: Service, match_id: str) -> bool:
    """Plays what needs no human, then opens the turns of those who must decide.

    Returns whether there is more to do (a long run of bots is written in batches).
    """
    return retrying(lambda: _advance(service, match_id))


def _advance(service: Service, match_id: str) -> bool:
    with service.database.read() as session:
        table = load(session, match_id)
    if not table.running or table.match.advance_due_at is None:
        return False
    now = service.now()
    plies, state = _carry_on(table)
    outcome = table.game.outcome(state)
    more = len(plies) == BATCH and outcome is None
    changes: dict[str, Any] = {
        "advance_due_at": now if more else None,
        "advance_failures": 0,
    }
    if outcome is not None:
        changes |= {
            "status": MatchStatus.FINISHED,
            "ended_at": now,
            "outcome_json": encode(outcome).decode(),
        }
    with service.database.write("advance") as session:
        _claim_with(session, table, plies, state, now, **changes)
        ply = table.match.ply + len(plies)
        pending = table.game.phase(state).pending if outcome is None else frozenset()
        moved = {made.seat: made.made_by for made in plies}
        for number, turn in table.open_turns.items():
            if number in moved or number not in pending:
                close_turn(session, turn, moved.get(number, MadeBy.FORCED), now)
        if outcome is not None:
            owe_ending(session, table, "match_over", now)
        elif not more:
            for number in sorted(pending):
                seat = table.seat(number)
                waits = number in table.open_turns and number not in moved
                if seat.bot is None and seat.joined_at is not None and not waits:
                    _open_turn(session, table, seat, ply, now)
    return more


def _carry_on(table: Table) -> tuple[list[_Made], Any]:
    """The plies that need no human, from the present state on, at most ``BATCH``."""
    plies: list[_Made] = []
    state = table.state
    while len(plies) < BATCH and table.game.outcome(state) is None:
        found = _without_human(table, state)
        if found is None:
            break
        seat, move, made_by = found
        made, state = _play(table, state, seat, move, made_by)
        plies.append(made)
    return plies, state


def _without_human(table: Table, state: Any) -> tuple[int, Any, MadeBy] | None:
    """A move that can be made now without asking anybody: a bot's, or the only one there is."""
    game = table.game
    for number in sorted(game.phase(state).pending):
        bot = table.seat(number).bot
        if game.meta.exhaustive:
            few = list(islice(game.legal_moves(state, number), 2))
            if len(few) == 1:
                return number, few[0], MadeBy.BOT if bot else MadeBy.FORCED
        if bot is not None:
            legal = tuple(game.legal_moves(state, number))
            view = game.view(state, number)
            return number, game.choose(view, legal, _bot_dice(table, state), bot), MadeBy.BOT
    return None


def _bot_dice(table: Table, state: Any) -> SeededDice:
    """A bot's own chance: apart from the match's, so what it imagines never touches the draws."""
    key = history.dice_key(table.match, table.seats)
    return SeededDice(fields("bot", key, encode(state)))


def _clock_anew(policy: deadlines.ClockPolicy, now: datetime, reserve: int) -> dict[str, Any]:
    """The columns of a turn's clock that starts now."""
    deadline = deadlines.open_turn(policy, now, reserve)
    return {
        "clock_from": now,
        "due_at": deadline.due_at,
        "final_at": deadline.final_at,
        "next_at": deadlines.next_at(now, deadline.due_at, deadline.final_at, 0),
        "reminders": 0,
        "host_asked_at": None,
    }


def _open_turn(session: Session, table: Table, seat: Seat, ply: int, now: datetime) -> None:
    """Opens a seat's turn with its link, and owes the mail that says so."""
    policy = table.policy
    turn = Turn(
        match_id=table.match.id,
        seat=seat.number,
        opened_ply=ply,
        asked_ply=ply,
        opened_at=now,
        clock_json=encode(policy).decode(),
        **_clock_anew(policy, now, seat.reserve),
    )
    if seat.mail_problem_at is not None:
        # nobody is charged for time in which their mail does not arrive
        turn.held_at, turn.next_at = now, None
    session.add(turn)
    session.flush()
    links.make(session, Purpose.TURN, table.match, seat, now, turn.id or 0)
    outbox.owe(
        session,
        "your_turn",
        f"turn:{turn.id}",
        now,
        match_id=table.match.id,
        seat=seat.number,
        turn_id=turn.id,
    )


def owe_ending(session: Session, table: Table, kind: str, now: datetime) -> None:
    """Owes everybody the mail that the match is over."""
    addresses = set()
    for seat in table.seats:
        if seat.email is not None:
            addresses.add(seat.email.casefold())
            outbox.owe(
                session,
                kind,
                f"{kind}:{table.match.id}:{seat.number}",
                now,
                match_id=table.match.id,
                seat=seat.number,
            )
    if table.match.host_email.casefold() not in addresses:
        outbox.owe(
            session,
            kind,
            f"{kind}:{table.match.id}:host",
            now,
            match_id=table.match.id,
            seat=links.HOST,
        )


def advance_failed(service: Service, match_id: str, error: Exception) -> None:
    """Counts a failure to carry a match on; after ``ADVANCE_TRIES`` it is set aside, alone."""

    def act() -> None:
        with service.database.read() as session:
            table = load(session, match_id)
        now = service.now()
        failures = table.match.advance_failures + 1
        reason = f"{type(error).__name__}: {error}"[:2000]
        aside = failures >= ADVANCE_TRIES
        with service.database.write("advance.failed") as session:
            if not aside:
                due = now + ADVANCE_BACKOFF * failures
                claim(session, table, advance_failures=failures, advance_due_at=due)
                return
            claim(
                session,
                table,
                advance_failures=failures,
                set_aside_at=now,
                set_aside_error=reason,
            )
            audit.append(
                session,
                now=now,
                match_id=match_id,
                actor="service",
                act="set_aside",
                ply=table.match.ply,
                detail={"failures": failures},
            )
            outbox.owe(
                session,
                "stalled",
                f"stalled:{match_id}:set_aside:{table.match.revision}",
                now,
                match_id=match_id,
                seat=links.HOST,
                reason="set_aside",
            )

    retrying(act)


# --- a deadline passes ---


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
        try:
            care(service, turn_id or 0)
        except Exception as error:
            # one match whose rules fail must not keep the others waiting
            advance_failed(service, match_id, error)
    if found:
        service.ring("advance")
        service.ring("post")
    return len(found)


def care(service: Service, turn_id: int) -> None:
    """Does for one open turn what its clock asks for now: nothing, a reminder, or the next rung."""

    def act() -> None:
        with service.database.read() as session:
            turn = session.get(Turn, turn_id)
            if turn is None or turn.closed_at is not None:
                return
            table = load(session, turn.match_id)
        now = service.now()
        if not table.running or turn.next_at is None or turn.next_at > now:
            return
        if turn.final_at is not None and now >= turn.final_at:
            _time_out(service, table, turn, now)
        else:
            _remind(service, table, turn, now)

    retrying(act)


def _remind(service: Service, table: Table, turn: Turn, now: datetime) -> None:
    assert turn.due_at is not None  # a turn without a deadline is never due
    passed = deadlines.reminders_passed(turn.clock_from, turn.due_at, now)
    with service.database.write("remind") as session:
        claim(session, table)
        change_turn(
            session,
            turn,
            reminders=passed,
            next_at=deadlines.next_at(turn.clock_from, turn.due_at, turn.final_at, passed),
        )
        if passed > turn.reminders:
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
    made, state = _play(table, table.state, turn.seat, move, made_by)
    ply = table.match.ply + 1
    with service.database.write("play_default") as session:
        _claim_with(session, table, [made], state, now, advance_due_at=now)
        used = deadlines.reserve_used(turn.due_at, now, seat.reserve)
        change_seat(session, seat, missed=missed, reserve=seat.reserve - used)
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
) -> None:
    """Lets a bot hold a seat until its owner comes back; in a transaction that this claims."""
    claim(session, table, advance_due_at=now if table.running else None)
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
        act="bot_seated",
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
        )


def come_back(service: Service, link: Link) -> None:
    """The owner of a seat takes it back from the bot. Coming back twice is well, too."""

    def act() -> None:
        with service.database.read() as session:
            table = load(session, link.match_id)
        seat = table.seat(link.seat)
        if seat.bot is None or seat.email is None or not table.running:
            return
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


# --- the sweep ---


def sweep(service: Service, most: int = 50) -> int:
    """One round over all that is due in the matches; returns how much there was."""
    return care_due(service, most) + advance_due(service, most)
