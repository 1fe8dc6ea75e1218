"""Logs: one line per event, for people or as JSON, without secrets.

No token, no address of a player and no password reaches a log, whoever wrote the line: the last
step before a line is formatted redacts all its texts, also those of libraries and tracebacks.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import socket
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import click

from pbem.config import Settings
from pbem.errors import ConfigError
from pbem.store.names import DOORS

#: Names of fields whose values are never written: whole words, not parts of one (``passed``).
SECRET_NAMES = re.compile(
    r"(?:^|[\W_])"
    r"(?:pass(?:word|wd|phrase)?|phrase|secret|token|key|authori[sz]ation|cookie|dsn|seed)s?"
    r"(?=$|[\W_])|^hash$|password_?hash",
    re.I,
)

_DOORS = "".join(DOORS.values())
#: The worker's own name, which looks like an address and is none.
_WORKER = f"celery@{socket.gethostname()}"


def _address(found: re.Match[str]) -> str:
    return _WORKER if found[0] == _WORKER else "<address>"


_PATTERNS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # the password of a URL, up to the last @ before its host; a port is no password
    (re.compile(r"([a-z+]{2,20}://[^\s/:@]*):(?!\d+(?:[/?#\s\"']|$))\S+@"), r"\1:<hidden>@"),
    # the part of a link after its door: /t/1k-abc... and anything else in its place
    (re.compile(rf"(?<![\w.])/([{_DOORS}])/[^\s/?#\"'<>]+"), r"/\1/<token>"),
    (
        re.compile(
            r"[\w.!#$%&'*+=^`{|}~-]{1,80}@"
            r"(?:[\w-]+(?:\.[\w-]+)*|\[[\da-fA-F.:IPv]+\])"
        ),
        _address,
    ),
    # a token by itself, in a reply address, a return path or a message id
    (re.compile(r"(?i)\b[0-9a-z]{1,13}-[a-z2-7]{24,}"), "<token>"),
    (re.compile(r"\$argon2\S+"), "<hidden>"),
)


#: Libraries that log a line for each ring and each connection.
LOUD = (
    "alembic.runtime",
    "amqp",
    "celery.app.trace",
    "celery.beat",
    "celery.worker.strategy",
    "kombu",
    "mail.log",
)

#: Of levels, for people at a terminal.
COLOURS = {"warning": "yellow", "error": "red", "critical": "red"}


def redact(text: str) -> str:
    """The text without tokens, addresses and passwords."""
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


def redacted(value: Any, name: str = "") -> Any:
    """The value with all its texts redacted; values under secret names are removed."""
    if name and SECRET_NAMES.search(name) and value is not None:
        return "<hidden>"
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): redacted(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [redacted(inner) for inner in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return redact(str(value))


class Lines(logging.Formatter):
    """A record as one line: when, how grave, what, its fields and who wrote it.

    The fields are those that a record has as ``about``.
    """

    def __init__(self, *, as_json: bool, colours: bool = False) -> None:
        super().__init__()
        self.as_json, self.colours = as_json, colours

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "timestamp": f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "about", {}),
            "logger": record.name,
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        safe = redacted(line)
        return json.dumps(safe) if self.as_json else self._for_people(safe)

    def _for_people(self, line: dict[str, Any]) -> str:
        when, level, event = (line.pop(name) for name in ("timestamp", "level", "event"))
        trace = f"\n{line.pop('exception')}" if "exception" in line else ""
        if self.colours:
            level = click.style(level, fg=COLOURS.get(level))
            event = click.style(event, bold=True)
        about = (f"{name}={value}" for name, value in line.items())
        return " ".join((when, level, event, *about)) + trace


def set_up(settings: Settings, *, quiet: bool = False) -> None:
    """Sends the logs of this process, libraries' too, to standard error.

    ``quiet``: for commands at a terminal, which print their result themselves: only warnings and
    errors are logged, unless the level asks for more.
    """
    kind, for_people = settings.log.format, sys.stderr.isatty()
    as_json = kind == "json" or (kind == "auto" and not for_people)
    handler = logging.StreamHandler()
    handler.setFormatter(Lines(as_json=as_json, colours=for_people))
    # otherwise a line that cannot be formatted would be printed with its secrets
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    level = settings.log.level.upper()
    root.setLevel("WARNING" if quiet and level == "INFO" else level)
    for loud in LOUD:
        logging.getLogger(loud).setLevel(logging.WARNING)
    # that a request waits for a thread for a moment is nothing to warn of
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    _report_to_sentry(settings)


def _report_to_sentry(settings: Settings) -> None:
    dsn = settings.log.sentry_dsn.get_secret_value()
    if not dsn:
        return
    try:
        sentry = importlib.import_module("sentry_sdk")
    except ImportError:
        raise ConfigError(
            "log.sentry_dsn is set, but the package sentry-sdk is not installed."
        ) from None
    sentry.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        before_send=lambda event, _hint: redacted(event),
    )
