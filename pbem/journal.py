"""The journal: what the service did, a line each, for whoever runs it.

Names and fields are stable: filters, alerts and searches depend on them, and ``docs/operators.md``
lists them all. A line holds ids (match, seat, turn, ply, mail) and counts: never a name, an
address, a token, an order or anything hidden. Two kinds of line hold a network address (a rate
limit was hit, a password was wrong), so that a firewall can block it.

A line about an act is written once the act is committed: ``after`` keeps it until then
(``Database.write``), and if the act lost its claim nothing is written.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

import structlog
from sqlmodel import Session

log = structlog.get_logger("pbem.journal")


class Line(StrEnum):
    """The names there are."""

    # a match
    MATCH_OPENED = "match_opened"
    JOINED = "joined"
    STARTED = "started"
    TURN_OPENED = "turn_opened"
    MOVE_MADE = "move_made"
    ADVANCED = "advanced"
    MATCH_OVER = "match_over"
    ACT = "act"
    REMEDY = "remedy"
    REMINDED = "reminded"
    TIMED_OUT = "timed_out"
    MATCH_FAILED = "match_failed"
    SET_ASIDE = "set_aside"
    MATCH_UNREADABLE = "match_unreadable"
    # mail that goes out
    MAIL_SENT = "mail_sent"
    MAIL_PUT_OFF = "mail_put_off"
    MAIL_REFUSED = "mail_refused"
    MAIL_GIVEN_UP = "mail_given_up"
    MAIL_DROPPED = "mail_dropped"
    MAIL_RETURNED = "mail_returned"
    MAIL_FAILED = "mail_failed"
    RELAY_UNUSABLE = "relay_unusable"
    # letters that come in
    LETTER_CAME = "letter_came"
    LETTER_NOT_READ = "letter_not_read"
    LETTER_FAILED = "letter_failed"
    RETURN_SAYS_NOTHING = "return_says_nothing"
    DOOR_OPEN = "door_open"
    DOOR_SHUT = "door_shut"
    DOOR_FAILED = "door_failed"
    # who knocks
    LOGGED_IN = "logged_in"
    LOGGED_OUT = "logged_out"
    LOGIN_REFUSED = "login_refused"
    LIMIT_HIT = "limit_hit"
    # the parts
    OUTAGE = "outage"
    BROKER_SILENT = "broker_silent"
    DATABASE_SILENT = "database_silent"
    PAGE_FAILED = "page_failed"
    TASK_FAILED = "task_failed"


#: Lines that are no news but trouble; all others are at level info.
WARNINGS = frozenset(
    {
        *(Line.MATCH_FAILED, Line.MAIL_PUT_OFF, Line.MAIL_REFUSED, Line.RELAY_UNUSABLE),
        *(Line.LOGIN_REFUSED, Line.LIMIT_HIT, Line.OUTAGE),
        *(Line.BROKER_SILENT, Line.DATABASE_SILENT),
    }
)
ERRORS = frozenset(
    {
        *(Line.SET_ASIDE, Line.MATCH_UNREADABLE, Line.MAIL_GIVEN_UP, Line.MAIL_FAILED),
        *(Line.LETTER_FAILED, Line.DOOR_FAILED, Line.PAGE_FAILED, Line.TASK_FAILED),
    }
)

_KEPT = "journal"


def write(line: Line, **about: Any) -> None:
    """Writes a line now. What is None is left out; ``exc_info`` is an error, for its traceback."""
    if not structlog.is_configured():
        # a program that uses the acts by itself, and has no log
        return
    level = "error" if line in ERRORS else "warning" if line in WARNINGS else "info"
    known = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in about.items()
        if value is not None
    }
    getattr(log, level)(line.value, **known)


def after(session: Session, line: Line, **about: Any) -> None:
    """Writes a line as soon as the transaction of this session is committed."""
    session.info.setdefault(_KEPT, []).append((line, about))


def committed(session: Session) -> None:
    """Writes the lines that were kept: their transaction is committed."""
    for line, about in session.info.pop(_KEPT, ()):
        write(line, **about)
