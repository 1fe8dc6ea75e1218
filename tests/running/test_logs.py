"""No secret reaches a log line."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from pbem import logs
from pbem.config import ConfigError, load_settings
from pbem.logs import redact

TOKEN = "1k-" + "abcdefgh" * 4


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    written = io.StringIO()
    logs.set_up(load_settings(log={"format": "json"}), written)
    yield written
    root.handlers[:] = before
    root.setLevel(level)
    structlog.reset_defaults()
    logging.raiseExceptions = True


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"GET /t/{TOKEN} failed", "GET /t/<token> failed"),
        (f"https://pbem.example/h/{TOKEN}?x=1", "https://pbem.example/h/<token>?x=1"),
        ("POST /t/something-else", "POST /t/<token>"),
        (f"to reply+{TOKEN}@pbem.example", "to <address>"),
        (f"the token {TOKEN.upper()} is unknown", "the token <token> is unknown"),
        ("alice.o'hara+x@example.co.uk refused", "<address> refused"),
        ("redis://:hunter2@host:6379/0", "redis://:<hidden>@host:6379/0"),
        ("postgresql+psycopg://u:hunter2@db/x", "postgresql+psycopg://u:<hidden>@db/x"),
        ("opened /var/log/pbem.log", "opened /var/log/pbem.log"),
        ("match k3x9 is at ply 12", "match k3x9 is at ply 12"),
    ],
)
def test_texts_are_redacted(text: str, wanted: str) -> None:
    assert redact(text) == wanted


def test_our_own_lines_hold_no_secret(lines: io.StringIO) -> None:
    structlog.get_logger("pbem").info(
        f"link /t/{TOKEN}",
        to="alice@example.org",
        password="hunter2",
        nested={"token": TOKEN, "list": [f"/s/{TOKEN}"]},
        ply=12,
    )

    line = lines.getvalue()
    told = json.loads(line)

    assert "alice" not in line
    assert TOKEN not in line
    assert "hunter2" not in line
    assert told["ply"] == 12


def test_lines_of_libraries_and_tracebacks_hold_no_secret(
    lines: io.StringIO,
) -> None:
    try:
        raise ValueError(f"no such link: /t/{TOKEN} for alice@example.org")
    except ValueError:
        logging.getLogger("gunicorn.error").exception("Error handling request %s", f"/t/{TOKEN}")

    line = lines.getvalue()

    assert "Error handling request" in line
    assert TOKEN not in line
    assert "alice" not in line


def test_what_libraries_say_of_each_ring_is_left_out(lines: io.StringIO) -> None:
    logging.getLogger("celery.worker.strategy").info("Task pbem.sweep received")

    assert lines.getvalue() == ""


def test_sentry_without_its_package_is_said_at_the_start(lines: io.StringIO) -> None:
    settings = load_settings(log={"sentry_dsn": "https://key@sentry.example/1"})

    with pytest.raises(ConfigError, match="sentry-sdk is not installed"):
        logs.set_up(settings, lines)
