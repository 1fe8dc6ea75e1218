"""The clock of a turn as columns of its row: it starts, moves, goes on; what is left of a reserve.

All of it is worked out before anything is claimed; ``Writer.turn`` writes the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pbem.clocks import away, deadlines
from pbem.clocks.away import TurnClock
from pbem.clocks.deadlines import Hold
from pbem.store.models import Seat, Turn
from pbem.store.table import Table, away_of


def begin(table: Table, seat: Seat, now: datetime, reserve: int) -> dict[str, Any]:
    """The columns of a turn's clock that starts now, for a seat with this reserve."""
    policy, zone = table.policy, table.match.zone
    clock = away.open_turn(policy, zone, now, reserve, away_of(seat))
    return {
        "clock_from": clock.clock_from,
        "charged_from": now,
        "due_at": clock.due_at,
        "final_at": clock.final_at,
        "next_at": deadlines.next_at(clock.clock_from, clock.due_at, clock.final_at, 0, seat.zone),
        "reminders": 0,
        "host_asked_at": None,
    }


def move(
    table: Table,
    turn: Turn,
    due_at: datetime,
    now: datetime,
    *,
    anew: bool,
    reserve: int | None = None,
) -> dict[str, Any]:
    """The columns of a turn's clock with a later deadline; ``anew`` lets reminders begin again.

    ``reserve`` is what the seat has left, where it is not what its row says. A turn whose clock is
    held stays held.
    """
    seat, policy, zone = table.seat(turn.seat), table.policy, table.match.zone
    left = seat.reserve if reserve is None else reserve
    due_at = deadlines.days_later(policy, zone, due_at, 0)
    final = deadlines.final_at(policy, zone, due_at, left)
    gone = away_of(seat)
    rest = away.still_to_come(gone, seat.zone, now)
    if gone and rest and turn.due_at is not None and turn.due_at <= gone.begins:
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
    return {"held_at": None, "held_why": None, **give_back(table, turn, [(held_at, now)], now)}


def give_back(
    table: Table, turn: Turn, spans: Sequence[tuple[datetime, datetime]], now: datetime
) -> dict[str, Any]:
    """The columns of a clock that gets back the time of these spans, around days announced away."""
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


def reserve_left(table: Table, turn: Turn, now: datetime, *, moved: bool = False) -> int:
    """The seconds of reserve (or bank) that the seat of a turn has when it closes now.

    ``moved``: its player moves, by a link or an answer.
    """
    seat = table.seat(turn.seat)
    # while the clock is held nothing is charged; but who moves though a mail came back had it
    came_back = seat.mail_returned_at is not None and seat.mail_returned_at == seat.mail_problem_at
    end = now if moved and turn.held_why == Hold.MAIL and came_back else turn.held_at or now
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
