"""The clock of a turn as columns of its row: it starts, moves, goes on; what is left of a reserve.

All of it is worked out before anything is claimed; ``Writer.turn`` writes the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from pbem.clocks import away, deadlines
from pbem.clocks.away import TurnClock
from pbem.clocks.deadlines import Hold
from pbem.store.models import Seat, Turn
from pbem.store.table import Table, away_of

#: The columns of a turn's clock as others know it.
PUBLIC = ("public_due_at", "public_held_at")


def begin(table: Table, seat: Seat, now: datetime, reserve: int) -> dict[str, Any]:
    """The columns of a turn's clock that starts now, for a seat with this reserve."""
    policy, zone = table.policy, table.match.zone
    clock = away.open_turn(policy, zone, now, reserve, away_of(seat))
    return {
        "clock_from": clock.clock_from,
        "charged_from": now,
        "due_at": clock.due_at,
        "public_due_at": clock.due_at,
        "final_at": clock.final_at,
        "next_at": deadlines.next_at(clock.clock_from, clock.due_at, clock.final_at, 0, seat.zone),
        "reminders": 0,
        "host_asked_at": None,
    }


def as_told(table: Table, turn: Turn) -> Turn:
    """An open turn with its clock as others know it: as it was when last everybody read of a ply.

    What is done to a clock for all to see is done to this one as well, so that it follows from
    nothing but what everybody knows.
    """
    if (turn.due_at, turn.held_at) == (turn.public_due_at, turn.public_held_at):
        return turn
    seat, due_at = table.seat(turn.seat), turn.public_due_at
    final_at = due_at and deadlines.final_at(table.policy, table.match.zone, due_at, seat.reserve)
    told = {"due_at": due_at, "final_at": final_at, "held_at": turn.public_held_at}
    return turn.model_copy(update=told)


def move(
    table: Table,
    turn: Turn,
    later: Callable[[datetime], datetime],
    now: datetime,
    *,
    anew: bool,
    reserve: int | None = None,
) -> dict[str, Any]:
    """The columns of a turn's clock with a ``later`` deadline; ``anew``: reminders begin again.

    ``reserve`` is what the seat has left, where it is not what its row says. A turn whose clock is
    held stays held.
    """
    clock = _moved(table, turn, later, now, anew=anew, reserve=reserve)
    told = _moved(table, as_told(table, turn), later, now, anew=anew, reserve=reserve)
    return {**clock, "public_due_at": told["due_at"]}


def _moved(
    table: Table,
    turn: Turn,
    later: Callable[[datetime], datetime],
    now: datetime,
    *,
    anew: bool,
    reserve: int | None,
) -> dict[str, Any]:
    assert turn.due_at is not None
    seat, policy, zone = table.seat(turn.seat), table.policy, table.match.zone
    left = seat.reserve if reserve is None else reserve
    due_at = deadlines.days_later(policy, zone, later(turn.due_at), 0)
    final = deadlines.final_at(policy, zone, due_at, left)
    gone = away_of(seat)
    rest = away.still_to_come(gone, seat.zone, now)
    if gone and rest and turn.due_at <= gone.begins:
        # the new deadline may be the first one that the vacation touches
        clock = TurnClock(turn.clock_from, due_at, final)
        around = away.moved(policy, zone, clock, left, rest)
        due_at, final = around.due_at or due_at, around.final_at or final
    clock_from, reminders = (now, 0) if anew else (turn.clock_from, turn.reminders)
    next_at = deadlines.next_at(clock_from, due_at, final, reminders, seat.zone)
    return {
        "due_at": due_at,
        "final_at": final,
        "clock_from": clock_from,
        "reminders": reminders,
        "next_at": deadlines.held_care(turn.held_why, now) if turn.held_at else next_at,
        "host_asked_at": None,
    }


def release(table: Table, turn: Turn, held_at: datetime, now: datetime) -> dict[str, Any]:
    """The columns of a clock that stood since ``held_at``: what was left then is left again."""
    told = as_told(table, turn)
    stood = _given_back(table, told, [(turn.public_held_at or held_at, now)], now)
    return {
        **_given_back(table, turn, [(held_at, now)], now),
        "held_at": None,
        "held_why": None,
        "public_held_at": None,
        "public_due_at": stood["due_at"],
    }


def that_ran(table: Table, turn: Turn, now: datetime) -> dict[str, Any]:
    """The columns of a clock that stood for a mail that came back, once its player was there.

    Whoever has the mail can feign that it came back, so the time is theirs, as when they move; but
    who has just shown to be there has ``deadlines.NOTICE`` to move, or a turn's time where it is
    shorter.
    """
    seat = table.seat(turn.seat)
    notice = min(deadlines.NOTICE, timedelta(seconds=table.policy.turn))
    final_at = turn.final_at and max(turn.final_at, now + notice)
    reminders = deadlines.reminders_passed(turn.clock_from, turn.due_at, now, seat.zone)
    return {
        "held_at": None,
        "held_why": None,
        "public_held_at": None,
        "final_at": final_at,
        "reminders": reminders,
        "next_at": deadlines.next_at(turn.clock_from, turn.due_at, final_at, reminders, seat.zone),
        "host_asked_at": None,
    }


def give_back(
    table: Table, turn: Turn, spans: Sequence[tuple[datetime, datetime]], now: datetime
) -> dict[str, Any]:
    """The columns of a clock that gets back the time of these spans, around days announced away."""
    told = _given_back(table, as_told(table, turn), spans, now)
    return {**_given_back(table, turn, spans, now), "public_due_at": told["due_at"]}


def _given_back(
    table: Table, turn: Turn, spans: Sequence[tuple[datetime, datetime]], now: datetime
) -> dict[str, Any]:
    seat, policy, zone = table.seat(turn.seat), table.policy, table.match.zone
    gone = away_of(seat)
    clock = away.stood(
        policy,
        zone,
        TurnClock(turn.clock_from, turn.due_at, turn.final_at),
        spans,
        seat.reserve,
        away.still_to_come(gone, seat.zone, now),
        gone.begins if gone else None,
    )
    charged_from = turn.charged_from
    for begun, ended in spans:
        charged_from = deadlines.after_standing(policy, zone, charged_from, begun, ended)
    reminders = 0 if clock.anew else turn.reminders
    return {
        "due_at": clock.due_at,
        "final_at": clock.final_at,
        "clock_from": clock.clock_from,
        "charged_from": charged_from,
        "reminders": reminders,
        "next_at": deadlines.next_at(
            clock.clock_from, clock.due_at, clock.final_at, reminders, seat.zone
        ),
    }


def mail_came_back(seat: Seat) -> bool:
    """Whether all that is said against mail to the seat is a mail that came back."""
    return seat.mail_problem_at is not None and seat.mail_problem_at == seat.mail_returned_at


def reserve_left(table: Table, turn: Turn, now: datetime, *, moved: bool = False) -> int:
    """The seconds of reserve (or bank) that the seat of a turn has when it closes now.

    ``moved``: its player moves, by a link or an answer.
    """
    seat = table.seat(turn.seat)
    # while the clock is held nothing is charged; but who moves though a mail came back had it
    had_it = moved and turn.held_why == Hold.MAIL and mail_came_back(seat)
    end = now if had_it else turn.held_at or now
    gone = away_of(seat)
    return deadlines.reserve_after(
        table.policy,
        table.match.zone,
        seat.reserve,
        turn.charged_from,
        turn.due_at,
        end,
        (gone.begins, gone.ends) if gone else None,
    )
