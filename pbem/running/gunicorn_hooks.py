"""What gunicorn does besides serving, read by it as its configuration."""

from __future__ import annotations

from typing import Any

from pbem.running.niceness import be_nice

#: The niceness of the web, as of the worker that mails: who waits for a mail waits for a page, too.
NICENESS = 1


def on_starting(_: Any) -> None:
    """Before a process is forked that serves: all of them are as nice."""
    be_nice(NICENESS)
