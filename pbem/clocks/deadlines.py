"""When a turn ends and when to remind: pure functions of instants and policies.

A policy has one of these kinds:

- ``turn``: each turn has its time, then the seat's reserve runs, then the grace;
- ``daily``: turns end at one hour of the day in the match's zone, the first that is at least
  ``NOTICE`` away; then reserve and grace as above;
- ``bank``: each seat has a bank of time that every turn tops up, to a cap (Fischer's clock);
- ``none``: no limit; there are reminders all the same.

Each kind can be combined with these: ``weekends`` stops the clock on Saturdays and Sundays of the
match's zone, ``quiet`` moves a deadline that falls into those hours to their end, and
``vacation_days`` are spent automatically, one by one, before a turn times out.

Whole days are wall-clock days in the match's zone: a turn that opens at eight in the evening ends
at eight in the evening, even if summer time begins or ends in between. All results are instants in
UTC. An announced deadline is never moved to an earlier instant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo

import msgspec

from engine.errors import shown
from pbem.clocks.durations import parse_span, span_text
from pbem.errors import BadInput

#: From when and until when.
Span: TypeAlias = tuple[datetime, datetime]


class Hold(StrEnum):
    """Why a turn's clock stands still."""

    #: Mail to the seat does not arrive.
    MAIL = "mail"
    #: The match is paused.
    PAUSE = "pause"


#: Parts of a turn's time at which the player is reminded.
REMINDERS = (0.5, 0.9, 1.0)
#: When the player is reminded if there is no limit: otherwise one overlooked mail would silently
#: end the match.
UNLIMITED_REMINDERS = (timedelta(days=3), timedelta(days=7), timedelta(days=14))
#: If a clock stands still because mail is refused: after this time the host is told again, and
#: after the same time once more a bot plays.
UNREACHED = timedelta(days=7)
#: If a daily deadline is nearer than this when a turn opens, the next day's is taken.
NOTICE = timedelta(hours=12)
#: The player's night, in their own zone: nobody is reminded then, on clocks of a day or more.
NIGHT = (time(22), time(8))
NIGHT_HEEDED_FROM = timedelta(days=1)

SHORTEST = timedelta(seconds=1)
LONGEST = timedelta(days=90)
LONGEST_GRACE = timedelta(days=2)
LONGEST_HOST_TIME = timedelta(days=3)
MOST_VACATION_DAYS = 60

_DAY = 86400
_SATURDAY = 5


#: The kinds of a clock: see above.
Kind: TypeAlias = Literal["turn", "daily", "bank", "none"]


class ClockPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much time a match gives. Spans are in seconds."""

    kind: Kind = "turn"
    #: Time of one turn; with ``bank``, what a turn adds.
    turn: int = 72 * 3600
    #: The reserve of a seat, for the whole match; with ``bank``, what the bank begins with.
    reserve: int = 96 * 3600
    #: The most a bank holds.
    cap: int = 14 * _DAY
    grace: int = 15 * 60
    #: With ``daily``: the hour, as minutes since midnight.
    daily_at: int = 20 * 60
    #: Whether the clock stands still on Saturdays and Sundays.
    weekends: bool = False
    #: Hours in which no deadline falls, as minutes since midnight; they may pass midnight.
    quiet: tuple[int, int] | None = None
    vacation_days: int = 0
    #: How long the host, once asked about a missed turn, has before it is played for the seat.
    host_time: int = 24 * 3600
    #: The missed turn in a row at which the host is asked, and the one at which a bot takes over.
    host_asked_at: int = 2
    bot_at: int = 3


class TurnClock(msgspec.Struct, frozen=True):
    """The instants of a turn as announced; ``due_at`` and ``final_at`` are None without a limit."""

    #: The start of the span that reminders divide.
    clock_from: datetime
    due_at: datetime | None
    final_at: datetime | None
    #: Whether reminders begin again.
    anew: bool = False


# --- a turn's instants ---


def open_turn(policy: ClockPolicy, zone: str, opened_at: datetime, reserve: int) -> TurnClock:
    """The clock of a turn that opens now, for a seat with this reserve (or bank), in seconds."""
    match policy.kind:
        case "none":
            return TurnClock(opened_at, None, None)
        case "turn":
            due_at = add_time(policy, zone, opened_at, policy.turn)
        case "bank":
            due_at = add_time(policy, zone, opened_at, reserve)
        case "daily":
            due_at = _next_daily(policy, zone, opened_at)
    due_at = after_quiet(policy, zone, due_at)
    return TurnClock(opened_at, due_at, final_at(policy, zone, due_at, reserve))


def final_at(policy: ClockPolicy, zone: str, due_at: datetime, reserve: int) -> datetime:
    """When the reserve and the grace are over, too. A bank is the turn's own time, not added."""
    rest = 0 if policy.kind == "bank" else reserve
    end = after_quiet(policy, zone, add_time(policy, zone, due_at, rest)) if rest else due_at
    return end + timedelta(seconds=policy.grace)


def reserve_after(
    policy: ClockPolicy,
    zone: str,
    reserve: int,
    charged_from: datetime,
    due_at: datetime | None,
    closed_at: datetime,
    not_charged: Iterable[Span] = (),
) -> int:
    """The seconds of reserve (or bank) a seat has left after a turn that closed at this instant.

    A bank is charged from ``charged_from``, a reserve from the deadline; neither for the time of
    ``not_charged``, spans that may overlap.
    """
    if due_at is None:
        return reserve
    bank = policy.kind == "bank"
    charged = outside((charged_from if bank else due_at, closed_at), not_charged)
    left = max(0, reserve - sum(running_time(policy, zone, *span) for span in charged))
    return min(policy.cap, left + policy.turn) if bank else left


def first_reserve(policy: ClockPolicy) -> int:
    """What a seat begins with: its reserve, or its bank with the first turn's addition."""
    if policy.kind == "bank":
        return min(policy.cap, policy.reserve + policy.turn)
    return 0 if policy.kind == "none" else policy.reserve


# --- time that runs ---


def add_time(policy: ClockPolicy, zone: str, start: datetime, seconds: int) -> datetime:
    """The instant after this much running time: whole wall-clock days, then seconds."""
    days, rest = divmod(seconds, _DAY)
    place = ZoneInfo(zone)
    if not policy.weekends:
        return _at_wall(start, place, days) + timedelta(seconds=rest)
    moment = _past_weekend(start, place)
    for _ in range(days):
        moment = _past_weekend(_at_wall(moment, place, 1), place, keep_hour=True)
    return _run(moment, place, timedelta(seconds=rest))


def _run(moment: datetime, place: ZoneInfo, rest: timedelta) -> datetime:
    """The instant after ``rest`` of running time, if the clock stands still at weekends."""
    moment = _past_weekend(moment, place)
    while rest > (left := (until := _next_saturday(moment, place)) - moment):
        rest -= left
        moment = _past_weekend(until, place)
    return moment + rest


def together(spans: Iterable[Span]) -> list[Span]:
    """Spans of the same time in their order, of which none touches another."""
    joined: list[Span] = []
    for begun, ended in sorted(spans):
        if joined and begun <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], ended)
        else:
            joined.append((begun, ended))
    return joined


def outside(span: Span, others: Iterable[Span]) -> list[Span]:
    """The parts of a span that are in none of the others, in their order."""
    start, end = span
    parts = []
    for begun, ended in together(others):
        parts.append((start, min(begun, end)))
        start = max(start, ended)
    return [(begun, ended) for begun, ended in (*parts, (start, end)) if begun < ended]


def after_standing(
    policy: ClockPolicy, zone: str, instant: datetime, begun: datetime, ended: datetime
) -> datetime:
    """The instant, moved because the clock stood still from ``begun`` to ``ended``.

    The running time that was left stays the same: weekends, if the clock stands still then anyway,
    are neither given back nor lost.
    """
    if not policy.weekends:
        return instant + (ended - begun)
    ran = timedelta(seconds=running_time(policy, zone, begun, ended))
    return _run(instant, ZoneInfo(zone), ran) if ran else instant


def running_time(policy: ClockPolicy, zone: str, start: datetime, end: datetime) -> int:
    """Seconds between two instants in which the clock ran; 0 if ``end`` is not later."""
    if end <= start:
        return 0
    total = (end - start).total_seconds()
    if not policy.weekends:
        return int(total)
    place, moment, still = ZoneInfo(zone), start, 0.0
    while moment < end:
        away = _past_weekend(moment, place)
        if away > moment:
            still += (min(away, end) - moment).total_seconds()
            moment = away
        else:
            moment = _next_saturday(moment, place)
    return int(total - still)


def after_quiet(policy: ClockPolicy, zone: str, instant: datetime) -> datetime:
    """The instant itself, or the end of the quiet hours it falls into."""
    if policy.quiet is None:
        return instant
    begin, end = (_clock_time(minutes) for minutes in policy.quiet)
    moved = after_hours(instant, ZoneInfo(zone), begin, end)
    return _past_weekend(moved, ZoneInfo(zone), keep_hour=True) if policy.weekends else moved


def days_later(policy: ClockPolicy, zone: str, instant: datetime, days: int) -> datetime:
    """The same wall-clock time ``days`` days later; past the weekend and the quiet hours."""
    place = ZoneInfo(zone)
    later = _at_wall(instant, place, days)
    if policy.weekends:
        later = _past_weekend(later, place, keep_hour=True)
    return after_quiet(policy, zone, later)


def first_after(policy: ClockPolicy, zone: str, instant: datetime) -> datetime:
    """The first instant at least ``NOTICE`` after this one at which a turn can end."""
    if policy.kind == "daily":
        return after_quiet(policy, zone, _next_daily(policy, zone, instant))
    return days_later(policy, zone, instant + NOTICE, 0)


def _next_daily(policy: ClockPolicy, zone: str, opened_at: datetime) -> datetime:
    place, earliest = ZoneInfo(zone), opened_at + NOTICE
    day = earliest.astimezone(place).date()
    for number in range(5):
        instant = at_hour(day + timedelta(days=number), _clock_time(policy.daily_at), place)
        if instant >= earliest and not (policy.weekends and _in_weekend(instant, place)):
            return instant
    raise AssertionError("four days hold a working day")


def _at_wall(start: datetime, place: ZoneInfo, days: int) -> datetime:
    """The same wall-clock time ``days`` days later."""
    local = start.astimezone(place)
    return at_hour(local.date() + timedelta(days=days), local.time(), place)


def at_hour(day: date, hour: time, place: ZoneInfo) -> datetime:
    """The instant of an hour of a day. An hour that summer time skips is the one after the skip."""
    return datetime.combine(day, hour, place).astimezone(UTC)


def _in_weekend(instant: datetime, place: ZoneInfo) -> bool:
    return instant.astimezone(place).weekday() >= _SATURDAY


def _past_weekend(instant: datetime, place: ZoneInfo, keep_hour: bool = False) -> datetime:
    """The instant, or if it is in a weekend the Monday after: at midnight, or the same hour."""
    local = instant.astimezone(place)
    if local.weekday() < _SATURDAY:
        return instant
    monday = local.date() + timedelta(days=7 - local.weekday())
    return at_hour(monday, local.time() if keep_hour else time(0), place)


def _next_saturday(instant: datetime, place: ZoneInfo) -> datetime:
    """The midnight at which the next weekend begins, of an instant that is in none."""
    local = instant.astimezone(place)
    ahead = _SATURDAY - local.weekday()
    return at_hour(local.date() + timedelta(days=ahead), time(0), place)


def after_hours(instant: datetime, place: ZoneInfo, begin: time, end: time) -> datetime:
    """The instant, or the end of the hours it falls into; they may pass midnight.

    Never earlier: in the hour that a clock shows twice, the hours can have ended an hour ago.
    """
    local = instant.astimezone(place)
    now = local.time()
    if begin <= end:
        ends = local.date() if begin <= now < end else None
    elif now >= begin:
        ends = local.date() + timedelta(days=1)
    else:
        ends = local.date() if now < end else None
    return instant if ends is None else max(instant, at_hour(ends, end, place))


def _clock_time(minutes: int) -> time:
    return time(minutes // 60 % 24, minutes % 60)


# --- reminders ---


def reminder_at(
    clock_from: datetime, due_at: datetime | None, number: int, zone: str = "UTC"
) -> datetime | None:
    """The instant of reminder ``number`` (from 0), or None after the last one.

    A reminder in the player's night (``zone`` is the player's) is put off to the morning; if the
    next one is due by then, one mail is sent for both.
    """
    if number >= len(REMINDERS):
        return None
    if due_at is None:
        return after_hours(clock_from + UNLIMITED_REMINDERS[number], ZoneInfo(zone), *NIGHT)
    span = due_at - clock_from
    instant = clock_from + span * REMINDERS[number]
    if span < NIGHT_HEEDED_FROM:
        return instant
    return after_hours(instant, ZoneInfo(zone), *NIGHT)


def held_care(why: str | None, held_at: datetime) -> datetime | None:
    """When a held clock next needs care: after ``UNREACHED`` if mail is refused, else never."""
    return held_at + UNREACHED if why == Hold.MAIL else None


def next_at(
    clock_from: datetime,
    due_at: datetime | None,
    final: datetime | None,
    reminders: int,
    zone: str = "UTC",
) -> datetime | None:
    """When a turn that had this many reminders needs care next; None: never again."""
    reminder = reminder_at(clock_from, due_at, reminders, zone)
    return min((instant for instant in (reminder, final) if instant is not None), default=None)


def reminders_passed(
    clock_from: datetime, due_at: datetime | None, now: datetime, zone: str = "UTC"
) -> int:
    """How many reminders were due by ``now``: a late sweep sends one mail for all of them."""
    instants = (reminder_at(clock_from, due_at, number, zone) for number in range(len(REMINDERS)))
    return sum(1 for instant in instants if instant is not None and instant <= now)


# --- what a host asks for ---

_SPANS = ("turn", "reserve", "cap", "grace", "host_time")
#: Every part of a clock that a host may set.
PARTS = ("kind", *_SPANS, "daily_at", "weekends", "quiet", "vacation_days")
#: Parts that only one kind of clock has, with that kind.
_OF_ONE_KIND = {"daily_at": "daily", "cap": "bank"}


def parts_of(kind: str) -> tuple[str, ...]:
    """The parts that a host may set of a clock of this kind.

    Where there is no limit, those that every kind has are taken and mean nothing.
    """
    return tuple(part for part in PARTS if _OF_ONE_KIND.get(part, kind) == kind)


def read_policy(given: Mapping[str, Any] | None, default: ClockPolicy) -> ClockPolicy:
    """The policy a host asked for, with spans like ``72h`` and hours like ``20:00``; or BadInput.

    What is missing comes from ``default``, except if the turn's time is given: then there is no
    reserve (a bank keeps it), and at most a tenth of the turn as grace and one turn as host's time.
    A part that the kind does not have is refused; a turn of ``none`` is a clock of that kind.
    """
    if not given:
        return default
    for name in given:
        if name not in PARTS:
            raise BadInput(
                "The clock has no part called {name}. It has: {parts}.",
                field="clock",
                name=shown(name),
                parts=", ".join(PARTS),
            )
    changes: dict[str, Any] = {}
    for name in _SPANS:
        if name not in given or (name == "turn" and _says_none(given[name])):
            continue
        without = name in ("reserve", "grace") and _says_none(given[name])
        changes[name] = 0 if without else parse_span(_text(given, name, "72h"), name)
    changes["kind"] = _kind(given, default)
    if "turn" in changes:
        _within(changes["turn"], SHORTEST, LONGEST, "turn")
        if changes["kind"] != "bank":
            changes.setdefault("reserve", 0)
        changes.setdefault("grace", min(default.grace, changes["turn"] // 10))
        changes.setdefault("host_time", min(default.host_time, changes["turn"]))
    if "daily_at" in given:
        changes["daily_at"] = _minutes(_text(given, "daily_at", "20:00"), "daily_at")
    if "quiet" in given and given["quiet"] is not None:
        changes["quiet"] = _hours(_text(given, "quiet", "22:00-08:00"))
    if "weekends" in given:
        changes["weekends"] = _weekends(given["weekends"])
    if "vacation_days" in given:
        changes["vacation_days"] = _vacation_days(given["vacation_days"])
    _within(changes.get("reserve", 0), timedelta(), LONGEST, "reserve")
    _within(changes.get("cap", default.cap), SHORTEST, LONGEST, "cap")
    _within(changes.get("grace", 0), timedelta(), LONGEST_GRACE, "grace")
    _within(changes.get("host_time", 1), SHORTEST, LONGEST_HOST_TIME, "host_time")
    if _says_none(given.get("turn")):
        changes["kind"] = "none"
    _refuse_parts_of_others(given, changes["kind"])
    if changes["kind"] == "none":
        return msgspec.structs.replace(default, kind="none", reserve=0)
    return msgspec.structs.replace(default, **changes)


def _refuse_parts_of_others(given: Mapping[str, Any], kind: str) -> None:
    had = parts_of(kind)
    for name in given:
        if name not in had:
            raise BadInput(
                "A clock of the kind {kind} has no {name}. It has: {parts}.",
                field="clock",
                kind=kind,
                name=name,
                parts=", ".join(had),
            )


def _says_none(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower() == "none"


def _text(given: Mapping[str, Any], name: str, example: str) -> str:
    value = given[name]
    if not isinstance(value, str):
        raise BadInput(
            "The clock's {name} must be a text like {example}.",
            field="clock",
            name=name,
            example=example,
        )
    return value


def _kind(given: Mapping[str, Any], default: ClockPolicy) -> str:
    kind = given.get("kind", default.kind)
    if kind not in get_args(Kind):
        raise BadInput("The clock's kind is turn, daily, bank or none.", field="clock", name="kind")
    return str(kind)


def _minutes(text: str, name: str) -> int:
    hour, colon, minute = text.strip().partition(":")
    digits = hour.isascii() and hour.isdecimal() and minute.isascii() and minute.isdecimal()
    written = colon and digits and len(hour) <= 2 and len(minute) == 2
    if not written or int(hour) > 23 or int(minute) > 59:
        raise BadInput("The clock's {name} is an hour like 20:00.", field="clock", name=name)
    return int(hour) * 60 + int(minute)


def _hours(text: str) -> tuple[int, int]:
    begin, _, end = text.partition("-")
    try:
        hours = _minutes(begin, "quiet"), _minutes(end, "quiet")
    except BadInput:
        raise BadInput("The clock's quiet hours are like 22:00-08:00.", field="clock") from None
    if hours[0] == hours[1] or (hours[1] - hours[0]) % (24 * 60) > 16 * 60:
        raise BadInput("Quiet hours leave at least eight hours of the day.", field="clock")
    return hours


def _weekends(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadInput("The clock's {name} is true or false.", field="clock", name="weekends")
    return value


def _vacation_days(value: object) -> int:
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not 0 <= value <= MOST_VACATION_DAYS
    ):
        raise BadInput(
            "The clock's {name} is a number from 0 to {most}.",
            field="clock",
            name="vacation_days",
            most=MOST_VACATION_DAYS,
        )
    return value


def _within(seconds: int, low: timedelta, high: timedelta, name: str) -> None:
    if not low.total_seconds() <= seconds <= high.total_seconds():
        raise BadInput(
            "The clock's {name} must be between {low} and {high}.",
            field="clock",
            name=name,
            low=span_text(int(low.total_seconds())),
            high=span_text(int(high.total_seconds())),
        )
