"""The clock of a turn, as columns of its row: to start it, move it, release it; the reserve left.

All of it is computed before the match is claimed; ``Writer.turn`` writes the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import col, select

from engine.codec import decode, encode
from pbem.acts.writing import Writer
from pbem.clocks import away, deadlines
from pbem.clocks.away import Away
from pbem.clocks.deadlines import Hold, Span, TurnClock
from pbem.service import Service
from pbem.store.models import Outage, Seat, Turn
from pbem.store.table import Table, away_of

#: The columns of a turn's clock as others know it.
PUBLIC = ("public_due_at", "public_held_at")


def begin(table: Table, seat: Seat, now: datetime, reserve: int) -> dict[str, Any]:
    """The columns of a clock that starts now, for a seat with this reserve (seconds)."""
    policy, zone = table.policy, table.match.zone
    clock = away.open_turn(policy, zone, now, reserve, away_of(seat))
    return {
        "clock_from": clock.clock_from,
        "charged_from": now,
        "not_charged_json": None,
        # an outage before it is none of this clock's
        "credited_until": now,
        "due_at": clock.due_at,
        "public_due_at": clock.due_at,
        "final_at": clock.final_at,
        "next_at": deadlines.next_at(clock.clock_from, clock.due_at, clock.final_at, 0, seat.zone),
        "reminders": 0,
        "host_asked_at": None,
    }


def as_told(table: Table, turn: Turn) -> Turn:
    """An open turn with its clock as others know it: as it was after the last public ply.

    What changes a clock publicly changes this one too, so it depends only on what everybody knows.
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
    """The columns of a clock whose deadline moves; ``later`` makes the new one from the old one.

    ``anew``: reminders begin again. ``reserve`` is what the seat has left, in seconds; None: what
    its row says. A held clock stays held.
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
        # the vacation did not touch the old deadline, but it may touch the new one
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


def outages(service: Service, since: datetime) -> Sequence[Outage]:
    """Outages that ended after this instant, in their order."""
    ended = select(Outage).where(col(Outage.ended_at) > since).order_by(col(Outage.ended_at))
    with service.database.ask() as session:
        return session.exec(ended).all()


def uncredited(turn: Turn, known: Sequence[Outage]) -> list[Span]:
    """The time of these outages that the turn has not got back yet, as others know it.

    The turn's own clock gets none of it from before a secret move, which began that clock anew.
    """
    times = [(one.begun_at, one.ended_at) for one in known]
    return _after(turn.credited_until or turn.clock_from, times)


def _after(start: datetime, spans: Sequence[Span]) -> list[Span]:
    """What of these spans comes after an instant."""
    return [(max(begun, start), ended) for begun, ended in spans if ended > start]


def release(write: Writer, turn: Turn) -> dict[str, Any]:
    """The columns of a clock that was held and runs again with what was left.

    It gets back the time since it was held, and of outages the time before that: outages up to now
    are credited with it.
    """
    table, now = write.table, write.now
    assert turn.held_at is not None
    down = uncredited(turn, outages(write.service, turn.credited_until or turn.clock_from))

    def stood(clock: Turn, down: Sequence[Span], held_at: datetime) -> dict[str, Any]:
        before = [(begun, min(ended, held_at)) for begun, ended in down if begun < held_at]
        return _given_back(table, clock, [*before, (held_at, now)])

    told = stood(as_told(table, turn), down, turn.public_held_at or turn.held_at)
    return {
        **stood(turn, _after(turn.charged_from, down), turn.held_at),
        "credited_until": now,
        "held_at": None,
        "held_why": None,
        "public_held_at": None,
        "public_due_at": told["due_at"],
    }


def that_ran(table: Table, turn: Turn, now: datetime) -> dict[str, Any]:
    """The columns of a clock that was held for a bounce, when its player shows to be there.

    A player can forge a bounce, so the time is charged to them as if the clock had run. But from
    now on they have at least ``deadlines.NOTICE`` to move, or one turn's time if that is shorter.
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


def give_back(table: Table, turn: Turn, spans: Sequence[Span]) -> dict[str, Any]:
    """The columns of a clock that gets the time of outages back, and skips days away."""
    told = _given_back(table, as_told(table, turn), spans)
    return {
        **_given_back(table, turn, _after(turn.charged_from, spans)),
        "public_due_at": told["due_at"],
    }


def _given_back(table: Table, turn: Turn, spans: Sequence[Span]) -> dict[str, Any]:
    seat, clock = table.seat(turn.seat), _instants(turn)
    for span in spans:
        clock = away.stood(table.policy, table.match.zone, clock, span, seat.reserve, away_of(seat))
    return {**_columns(turn, clock, seat.zone), **not_charged(turn, spans)}


def skip(table: Table, turn: Turn, gone: Away) -> dict[str, Any]:
    """The columns of a clock that skips days away, which are announced now."""
    seat = table.seat(turn.seat)
    clock, told = (
        away.moved(table.policy, table.match.zone, _instants(one), seat.reserve, gone)
        for one in (turn, as_told(table, turn))
    )
    # the seat's row holds one vacation
    before = away_of(seat)
    return {
        **_columns(turn, clock, seat.zone),
        **({"next_at": turn.next_at} if turn.held_at else {}),
        **({"host_asked_at": None} if clock.anew else {}),
        **not_charged(turn, [before.span] if before else []),
        "public_due_at": told.due_at,
    }


def _instants(turn: Turn) -> TurnClock:
    return TurnClock(turn.clock_from, turn.due_at, turn.final_at)


def _columns(turn: Turn, clock: TurnClock, zone: str) -> dict[str, Any]:
    """The columns of a turn's instants. ``zone`` is its player's."""
    reminders = 0 if clock.anew else turn.reminders
    return {
        "clock_from": clock.clock_from,
        "due_at": clock.due_at,
        "final_at": clock.final_at,
        "reminders": reminders,
        "next_at": deadlines.next_at(
            clock.clock_from, clock.due_at, clock.final_at, reminders, zone
        ),
    }


def not_charged(turn: Turn, spans: Iterable[Span]) -> dict[str, Any]:
    """The column of the time that a turn does not charge, with these spans as well."""
    return {"not_charged_json": encode(deadlines.together([*_not_charged(turn), *spans])).decode()}


def _not_charged(turn: Turn) -> list[Span]:
    return decode(list[Span], turn.not_charged_json) if turn.not_charged_json else []


def mail_came_back(seat: Seat) -> bool:
    """Whether mail to the seat counts as failing only because a mail came back (a bounce)."""
    return seat.mail_problem_at is not None and seat.mail_problem_at == seat.mail_returned_at


def not_credited(service: Service, table: Table, turn: Turn, now: datetime) -> list[Span]:
    """The time of outages that a turn has not got back yet, if its closing now charges anything."""
    if turn.due_at is None or (table.policy.kind != "bank" and now <= turn.due_at):
        return []
    known = outages(service, turn.credited_until or turn.clock_from)
    return _after(turn.charged_from, uncredited(turn, known))


def reserve_left(
    table: Table, turn: Turn, now: datetime, down: Sequence[Span] = (), *, moved: bool = False
) -> int:
    """The seconds of reserve (or bank) that a seat has left if its turn closes now.

    ``down``: outages that are not credited to the turn. ``moved``: whether it closes by a move of
    its player, by a link or an answer.
    """
    seat = table.seat(turn.seat)
    # a held clock charges nothing; but a player who moves after a bounce did have the mail
    had_it = moved and turn.held_why == Hold.MAIL and mail_came_back(seat)
    end = now if had_it else turn.held_at or now
    clock = turn.model_copy(update=_given_back(table, turn, down)) if down else turn
    gone = away_of(seat)
    return deadlines.reserve_after(
        table.policy,
        table.match.zone,
        seat.reserve,
        clock.charged_from,
        clock.due_at,
        end,
        [*_not_charged(clock), *([gone.span] if gone else [])],
    )
