"""When a turn ends and when to remind: pure functions of instants and policies.

A turn that opens at ``t`` is due at ``t + turn``. After that the seat's reserve runs, then the
grace; only when all three are gone is the turn missed. What a late move used of the reserve is gone
for the rest of the match. An announced deadline is never made shorter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from pbem.errors import BadInput

#: Parts of a turn's time at which the player is reminded.
REMINDERS = (0.5, 0.9, 1.0)
#: Reminders of a turn shorter than this would only be noise; the last one is always sent.
SHORTEST_REMINDED = timedelta(seconds=2)

SHORTEST = timedelta(seconds=1)
LONGEST = timedelta(days=90)
LONGEST_GRACE = timedelta(days=2)
LONGEST_HOST_TIME = timedelta(days=3)

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d{1,7})\s*([smhd])")


class ClockPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much time a match gives. All spans in seconds; ``turn`` None means no limit."""

    turn: int | None = 72 * 3600
    reserve: int = 96 * 3600
    grace: int = 15 * 60
    #: How long the host has, when a seat missed its second turn in a row, before it is played for.
    host_time: int = 24 * 3600
    #: The missed turn in a row at which the host is asked, and the one at which a bot takes over.
    host_asked_at: int = 2
    bot_at: int = 3


class Deadline(msgspec.Struct, frozen=True):
    """The instants of a turn, as announced. All None without a limit."""

    due_at: datetime | None
    final_at: datetime | None


def parse_span(text: str, name: str) -> int:
    """Seconds of ``72h``, ``15m``, ``1d12h``; BadInput with the part's name otherwise."""
    squeezed = text.strip().lower().replace(" ", "")
    parts = _PART.findall(squeezed)
    if not parts or "".join(number + unit for number, unit in parts) != squeezed:
        raise BadInput(
            "The clock's {name} is not a length of time: write it like 72h, 15m or 1d12h.",
            field="clock",
            name=name,
        )
    return sum(int(number) * _UNITS[unit] for number, unit in parts)


def read_policy(given: Mapping[str, Any] | None, default: ClockPolicy) -> ClockPolicy:
    """The policy a host asked for, each span like ``72h``; BadInput where it cannot be.

    What is left out comes from ``default``; but who sets a turn's time and says nothing of the rest
    gets no reserve, and a grace and a time for the host in proportion to the turn.
    """
    if not given:
        return default
    unknown = set(given) - {"turn", "reserve", "grace", "host_time"}
    if unknown:
        raise BadInput(
            "The clock has no part called {name}. It has: turn, reserve, grace, host_time.",
            field="clock",
            name=str(sorted(unknown)[0])[:40],
        )
    spans: dict[str, int] = {}
    for name, value in given.items():
        if not isinstance(value, str):
            raise BadInput("The clock's {name} must be a text like 72h.", field="clock", name=name)
        if name == "turn" and value.strip().lower() == "none":
            continue
        spans[name] = parse_span(value, name)
    if str(given.get("turn", "")).strip().lower() == "none":
        return msgspec.structs.replace(default, turn=None, reserve=0)
    turn = spans.get("turn", default.turn)
    if turn is not None and "turn" in spans:
        _within(turn, SHORTEST, LONGEST, "turn")
        spans.setdefault("reserve", 0)
        spans.setdefault("grace", min(default.grace, max(1, turn // 10)))
        spans.setdefault("host_time", min(default.host_time, turn))
    _within(spans.get("reserve", 0), timedelta(), LONGEST, "reserve")
    _within(spans.get("grace", 0), timedelta(), LONGEST_GRACE, "grace")
    _within(spans.get("host_time", 1), SHORTEST, LONGEST_HOST_TIME, "host_time")
    return msgspec.structs.replace(default, **spans)


def _within(seconds: int, low: timedelta, high: timedelta, name: str) -> None:
    if not low.total_seconds() <= seconds <= high.total_seconds():
        raise BadInput(
            "The clock's {name} must be between {low} and {high}.",
            field="clock",
            name=name,
            low=span_text(int(low.total_seconds())),
            high=span_text(int(high.total_seconds())),
        )


def span_text(seconds: int) -> str:
    """The shortest text that reads back as these seconds: ``3d``, ``1h30m``, ``0s``."""
    out = ""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        out += f"{number}{unit}" if number else ""
    return out or "0s"


def open_turn(policy: ClockPolicy, opened_at: datetime, reserve: int) -> Deadline:
    """The deadline of a turn that opens now, for a seat with this many seconds of reserve."""
    if policy.turn is None:
        return Deadline(None, None)
    due_at = opened_at + timedelta(seconds=policy.turn)
    return Deadline(due_at, final_at(policy, due_at, reserve))


def final_at(policy: ClockPolicy, due_at: datetime, reserve: int) -> datetime:
    """When reserve and grace are gone too."""
    return due_at + timedelta(seconds=reserve + policy.grace)


def reserve_used(due_at: datetime | None, closed_at: datetime, reserve: int) -> int:
    """Seconds of reserve that a turn took, closed at this instant; never more than there were."""
    if due_at is None or closed_at <= due_at:
        return 0
    return min(reserve, int((closed_at - due_at).total_seconds()))


def reminder_at(clock_from: datetime, due_at: datetime, number: int) -> datetime | None:
    """The instant of reminder ``number`` (from 0), or None after the last one."""
    if number >= len(REMINDERS):
        return None
    if due_at - clock_from < SHORTEST_REMINDED and number < len(REMINDERS) - 1:
        return reminder_at(clock_from, due_at, len(REMINDERS) - 1)
    return clock_from + (due_at - clock_from) * REMINDERS[number]


def next_at(
    clock_from: datetime, due_at: datetime | None, final: datetime | None, reminders: int
) -> datetime | None:
    """When a turn with this many reminders behind it needs care next."""
    if due_at is None or final is None:
        return None
    reminder = reminder_at(clock_from, due_at, reminders)
    return final if reminder is None else min(reminder, final)


def reminders_passed(clock_from: datetime, due_at: datetime, now: datetime) -> int:
    """How many reminders lie behind ``now``: a late sweep sends one mail for all of them."""
    return sum(1 for part in REMINDERS if clock_from + (due_at - clock_from) * part <= now)
