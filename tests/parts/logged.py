"""The log of this process, for a while, as it would be written."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any, Literal

from pbem import logs
from pbem.config import load_settings


@contextmanager
def logged(
    written: io.StringIO, *, quiet: bool = False, kind: Literal["json", "console"] = "json"
) -> Iterator[io.StringIO]:
    """What is logged in the block is written there, as JSON or as people read it."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    with redirect_stderr(written):
        logs.set_up(load_settings(log={"format": kind}), quiet=quiet)
    try:
        yield written
    finally:
        root.handlers[:] = before
        root.setLevel(level)


def told(written: io.StringIO) -> list[dict[str, Any]]:
    """The lines of the journal, as values."""
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    return [line for line in lines if line["logger"] == "pbem.journal"]


def names(written: io.StringIO) -> list[str]:
    return [line["event"] for line in told(written)]
