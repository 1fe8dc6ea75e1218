"""A player announces days away, or takes them back.

The days are taken from the seat's vacation days. They are whole days in the seat's time zone. The
deadline of an open turn moves at once; turns that open later take them into account
(``pbem.clocks.away``).
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from pbem.acts import turn_clocks
from pbem.acts.writing import act, read_by, writing
from pbem.clocks import away
from pbem.clocks.away import Away
from pbem.errors import BadInput, NotPossible, Resigned
from pbem.service import Service
from pbem.store.models import Link, Seat, Turn
from pbem.store.names import Actor, AuditAct
from pbem.store.table import Table, away_of

#: How far ahead a vacation can begin.
AHEAD = timedelta(days=366)


class Vacation(msgspec.Struct, frozen=True):
    """A seat's vacation after an announcement, or after taking it back."""

    #: The vacation as it is now; None if there is none.
    away: Away | None
    #: The vacation days that the seat has left, and how many of them were just given back.
    left: int
    back: int = 0
    #: The deadline of the open turn; None if there is none or its clock is held.
    due_at: datetime | None = None


def read_day(text: str, name: str) -> date:
    """A day like 2026-07-31, or BadInput."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise BadInput("Choose a day, or write it like 2026-07-31.", field=name) from None


def example(service: Service) -> dict[str, str]:
    """The first and last day of a week about a month from now, for an example."""
    first = service.now().date() + timedelta(days=30)
    return {"first": first.isoformat(), "last": (first + timedelta(days=6)).isoformat()}


def current(seat: Seat, now: datetime) -> Away | None:
    """The vacation that a seat has announced, if it is not over; else None."""
    gone = away_of(seat)
    return gone if gone is not None and gone.ends > now else None


def why_not(table: Table, seat: Seat) -> NotPossible | None:
    """Why the seat cannot announce a vacation of any days; None if it can."""
    if not table.running or seat.email is None:
        return NotPossible("This match is not running.")
    if seat.resigned_at is not None:
        return Resigned()
    if table.policy.kind == "none":
        return NotPossible("There is no time limit in this match, so no vacation is needed.")
    if table.policy.vacation_days == 0:
        return NotPossible(
            "This match has no days of vacation. Whoever opens a match sets them; its host can "
            "still give you more time, or pause it."
        )
    return None


@act
def announce(service: Service, link: Link, first: date, last: date) -> Vacation:
    """The player is away from the first day to the last, whole days in the seat's time zone.

    Idempotent: announcing the same days again changes nothing. Raises BadInput if the days cannot
    be a vacation, NotPossible if the seat has too few days left or has announced another one.
    """
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    if (refused := why_not(table, seat)) is not None:
        raise refused
    turn = table.open_turns.get(seat.number)
    if (there := current(seat, now)) is not None:
        if away.first_and_last(there, seat.zone) == (first, last):
            return Vacation(there, seat.vacation_days, due_at=_due(turn))
        raise NotPossible("You have announced a vacation. Take it back before another one.")
    fits(first, last, now.astimezone(ZoneInfo(seat.zone)).date())
    number = (last - first).days + 1
    if number > seat.vacation_days:
        raise NotPossible(
            "These are {days} days, and you have {left} left.",
            days=number,
            left=seat.vacation_days,
        )
    gone = away.of_days(first, last, seat.zone)
    left = seat.vacation_days - gone.days
    clock = turn_clocks.skip(table, turn, gone) if turn is not None else {}
    span = {"from": first.isoformat(), "until": last.isoformat()}
    with writing(service, table, "announce_vacation", Actor.PLAYER, now) as write:
        write.seat(seat, away_from=gone.begins, away_until=gone.ends, vacation_days=left)
        if turn is not None:
            write.turn(turn, **clock)
        write.audit(AuditAct.GOING_AWAY, seat.number, **span)
    return Vacation(gone, left, due_at=_due(turn, clock.get("due_at")))


def _due(turn: Turn | None, moved: datetime | None = None) -> datetime | None:
    """The deadline of an open turn as its player is told: ``moved`` if it moved; None if held."""
    return None if turn is None or turn.held_at is not None else moved or turn.due_at


@act
def take_back(service: Service, link: Link) -> Vacation:
    """The player is there after all: gives back the days that have not begun.

    Days by which an open deadline was moved stay spent, because no announced deadline gets shorter.
    """
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    gone = current(seat, now)
    turn = table.open_turns.get(seat.number)
    if gone is None or away.not_begun(gone, seat.zone, now) == 0:
        return Vacation(gone, seat.vacation_days, due_at=_due(turn))
    # the deadline as others know it: how long somebody is away is not secret
    known = turn.public_due_at if turn is not None else None
    bought = max(now, known) if known is not None else now
    back = away.not_begun(gone, seat.zone, bought)
    if back == 0:
        raise NotPossible("These days are spent: your deadline was moved by them.")
    spent, left = gone.days - back, seat.vacation_days + back
    first, _ = away.first_and_last(gone, seat.zone)
    ends = away.midnight(first + timedelta(days=spent), seat.zone) if spent else None
    begins = gone.begins if spent else None
    with writing(service, table, "announce_vacation", Actor.PLAYER, now) as write:
        write.seat(seat, away_from=begins, away_until=ends, vacation_days=left)
        write.audit(AuditAct.HERE_AFTER_ALL, seat.number)
    still = Away(gone.begins, ends) if ends is not None else None
    return Vacation(still, left, back, _due(turn))


def fits(first: date, last: date, today: date) -> None:
    """Raises BadInput if these days cannot be a vacation that is announced today."""
    if first < today:
        raise BadInput("A vacation cannot begin in the past.", field="from")
    if last < first:
        raise BadInput("The last day comes before the first one.", field="until")
    if first > today + AHEAD:
        raise BadInput("A vacation begins within a year.", field="from")
