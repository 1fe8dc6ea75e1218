"""For a worker of the tests: it grows deaf as ``GROWS_DEAF`` says, and notices within seconds."""

from __future__ import annotations

import os
import time
from typing import Any

from celery import signals

from workers import hearing

hearing.LOOK_SECONDS = 0.2
hearing.PATIENCE_SECONDS = 4.0
hearing.ENDING_SECONDS = 2.0


@signals.worker_ready.connect(weak=False)
def grow_deaf(sender: Any, **_: Any) -> None:
    ways = {
        "its loop stands still": lambda: time.sleep(3600),
        "it asks for nothing": sender.task_consumer.cancel,
        "never": lambda: None,
    }
    sender.hub.call_soon(ways[os.environ["GROWS_DEAF"]])


@signals.task_received.connect(weak=False)
def take_a_while(**_: Any) -> None:
    """A look falls between two tasks, too."""
    time.sleep(0.5)
