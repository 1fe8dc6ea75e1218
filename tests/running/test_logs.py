"""No secret reaches a log line."""

from __future__ import annotations

import io
import json
import logging
import socket
from collections.abc import Iterator

import pytest
from gunicorn.config import Config

from pbem import journal, logs
from pbem.config import load_settings
from pbem.errors import ConfigError
from pbem.journal import Line
from pbem.logs import redact, redacted
from pbem.running.gunicorn_config import GunicornLogger
from tests.parts.logged import logged

TOKEN = "1k-" + "abcdefgh" * 4


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    with logged(io.StringIO()) as written:
        yield written


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
        ("postgresql://u:p@s/w%25@db/x", "postgresql://u:<hidden>@db/x"),
        (f"<r+{TOKEN}@pbem.example>", "<<address>>"),
        ("alice!x$y@example.org", "<address>"),
        ("bob@[192.0.2.1] refused", "<address> refused"),
        ("root@localhost", "<address>"),
        ("$argon2id$v=19$m=8,t=1,p=1$abc", "<hidden>"),
    ],
)
def test_tokens_addresses_and_passwords_are_taken_out(text: str, wanted: str) -> None:
    assert redact(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "opened /var/log/pbem.log",
        "opened /d/reports/of/June",
        "match k3x9 is at ply 12",
        "Listening at: http://127.0.0.1:8000 (22494)",
        "Connected to redis://127.0.0.1:6379/0",
        "asked http://relay.example.org:8025/x for 3 mails",
        f"celery@{socket.gethostname()} ready.",
        "203.0.113.7 and 2001:db8::7",
        "550-5.1.1 no such user here",
        "the match 2cb-internationalisation goes on",
        "at 2026-11-22T02:27:27.707842Z",
    ],
)
def test_nothing_else_is_taken_out(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "name",
    [
        *("password", "PBEM_MAIL_PASSWORD", "webhook_key", "keys", "token", "reply_token"),
        *("seed", "phrase", "X-Pbem-Authorization", "sentry_dsn", "password_hash", "cookies"),
    ],
)
def test_what_stands_under_a_secret_name_is_taken_out(name: str) -> None:
    assert redacted("abc", name) == "<hidden>"


@pytest.mark.parametrize(
    "name", ["passed", "bypass", "keyboard", "tokenless", "seeded", "chain_head", "monkey"]
)
def test_what_stands_under_another_name_stays(name: str) -> None:
    assert redacted("abc", name) == "abc"


def test_a_line_begins_with_when_how_grave_and_what(lines: io.StringIO) -> None:
    journal.write(Line.JOINED, match="k3x9", seat=2)

    assert list(json.loads(lines.getvalue())) == [
        *("timestamp", "level", "event", "match", "seat", "logger")
    ]


def test_what_is_waited_for_at_a_terminal_says_only_what_is_wrong() -> None:
    written = io.StringIO()
    with logged(written, quiet=True):
        journal.write(Line.JOINED, match="k3x9", seat=2)
        journal.write(Line.OUTAGE, seconds=3600)

    assert [json.loads(line)["event"] for line in written.getvalue().splitlines()] == ["outage"]


def test_a_web_server_of_which_each_worker_listens_says_where(lines: io.StringIO) -> None:
    configuration = Config()
    configuration.set("bind", ["127.0.0.1:8731"])
    root = logging.getLogger().handlers[:]

    logger = GunicornLogger(configuration)
    logging.getLogger().handlers[:] = root
    logger.info("Listening at: %s (%s)", "", 22494)

    assert "Listening at: 127.0.0.1:8731 (22494)" in lines.getvalue()


def test_at_a_terminal_a_line_reads_as_a_sentence_with_its_trace_below() -> None:
    written = io.StringIO()
    with logged(written, kind="console"):
        journal.write(Line.OUTAGE, seconds=3600, until=None)
        journal.write(Line.TASK_FAILED, task="sweep", exc_info=ValueError(f"/t/{TOKEN}"))

    first, second, *trace = written.getvalue().splitlines()
    assert first.endswith("Z warning outage seconds=3600 logger=pbem.journal")
    assert second.endswith(" error task_failed task=sweep logger=pbem.journal")
    assert trace == ["ValueError: /t/<token>"]


def test_the_log_of_another_program_gets_the_lines_of_the_journal(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level("INFO"):
        journal.write(Line.JOINED, match="k3x9", seat=2)

    assert [record.getMessage() for record in caplog.records] == ["joined"]


def test_our_own_lines_hold_no_secret(lines: io.StringIO) -> None:
    about = {
        "to": "alice@example.org",
        "password": "hunter2",
        "nested": {"token": TOKEN, "list": [f"/s/{TOKEN}"]},
        "ply": 12,
    }
    logging.getLogger("pbem").info(f"link /t/{TOKEN}", extra={"about": about})

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
    logging.getLogger("celery.worker.strategy").info("Task pbem.acts.sweep received")

    assert lines.getvalue() == ""


def test_sentry_without_its_package_is_said_at_the_start(lines: io.StringIO) -> None:
    settings = load_settings(log={"sentry_dsn": "https://key@sentry.example/1"})

    with pytest.raises(ConfigError, match="sentry-sdk is not installed"):
        logs.set_up(settings)
