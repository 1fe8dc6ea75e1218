"""The journal: what the service did, a line for each event, for the operator.

Names and fields are stable: filters, alerts and searches depend on them, and ``docs/operators.md``
lists them all. A line holds ids (match, seat, turn, ply, mail) and counts; never a name, an
address, a token, an order or anything hidden. Two kinds of line hold a network address (a rate
limit was hit, a password was wrong), so that a firewall can block it.

A line about an act is written after the act's commit: ``after`` keeps it until then
(``Database.write``). If the act loses its claim, nothing is written.
"""

from __future__ import annotations

import logging
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlmodel import Session

log = logging.getLogger("pbem.journal")
# a program that calls acts and has set up no log hears nothing
log.addHandler(logging.NullHandler())


class Line(StrEnum):
    """The names of all lines."""

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
    # a series
    SERIES_FAILED = "series_failed"
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
    MAILBOX_UNUSABLE = "mailbox_unusable"
    LETTER_CAME = "letter_came"
    LETTER_NOT_READ = "letter_not_read"
    LETTER_FAILED = "letter_failed"
    RETURN_SAYS_NOTHING = "return_says_nothing"
    DOOR_OPEN = "door_open"
    DOOR_SHUT = "door_shut"
    DOOR_FAILED = "door_failed"
    # requests and logins
    LOGGED_IN = "logged_in"
    LOGGED_OUT = "logged_out"
    LOGIN_REFUSED = "login_refused"
    LIMIT_HIT = "limit_hit"
    # the parts
    OUTAGE = "outage"
    CLOCK_SET_BACK = "clock_set_back"
    BEACON_SILENT = "beacon_silent"
    BEACON_FALSE = "beacon_false"
    BROKER_SILENT = "broker_silent"
    WORKER_DEAF = "worker_deaf"
    DATABASE_SILENT = "database_silent"
    PAGE_FAILED = "page_failed"
    TASK_FAILED = "task_failed"


#: Lines at level warning and at level error; all others are at level info.
WARNINGS = frozenset(
    {
        *(Line.MATCH_FAILED, Line.MAIL_PUT_OFF, Line.MAIL_REFUSED, Line.RELAY_UNUSABLE),
        *(Line.MAILBOX_UNUSABLE, Line.LOGIN_REFUSED, Line.LIMIT_HIT, Line.OUTAGE),
        Line.CLOCK_SET_BACK,
        *(Line.BROKER_SILENT, Line.DATABASE_SILENT, Line.BEACON_SILENT, Line.BEACON_FALSE),
    }
)
ERRORS = frozenset(
    {
        *(Line.SET_ASIDE, Line.MATCH_UNREADABLE, Line.MAIL_GIVEN_UP, Line.MAIL_FAILED),
        *(Line.LETTER_FAILED, Line.DOOR_FAILED, Line.PAGE_FAILED, Line.TASK_FAILED),
        *(Line.WORKER_DEAF, Line.SERIES_FAILED),
    }
)

_KEPT = "journal"


def write(line: Line, *, exc_info: BaseException | bool = False, **about: Any) -> None:
    """Writes a line now, without the fields that are None. ``exc_info``: an error to be traced."""
    level = (
        logging.ERROR if line in ERRORS else logging.WARNING if line in WARNINGS else logging.INFO
    )
    known = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in about.items()
        if value is not None
    }
    log.log(level, line.value, exc_info=exc_info, extra={"about": known})


def after(session: Session, line: Line, **about: Any) -> None:
    """Writes a line as soon as the transaction of this session is committed."""
    session.info.setdefault(_KEPT, []).append((line, about))


def committed(session: Session) -> None:
    """Writes the lines that ``after`` kept: their transaction is committed."""
    for line, about in session.info.pop(_KEPT, ()):
        write(line, **about)
