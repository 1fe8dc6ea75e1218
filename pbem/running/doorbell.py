"""Rings a worker after a commit, so that what is due is done now and not at the next sweep.

Ringing may fail: it waits a fraction of a second at most, and after a failure it is skipped for a
while, so that a broker that is down does not slow down pages.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from celery import Celery
from kombu.exceptions import OperationalError

from pbem import journal, metrics
from pbem.config import Settings
from pbem.journal import Line

#: The queues of the workers, each with a task of its name, and their niceness. A worker takes from
#: the first queue that is not empty, and has the niceness of the least nice one.
QUEUES = {"advance": 0, "sweep": 5, "post": 5, "housekeeping": 10}

#: Longest wait for the broker, and how long it is left alone after it did not answer, in seconds.
RING_SECONDS = 0.3
REST_SECONDS = 10.0


def task_name(queue: str) -> str:
    """The name under which workers know the task of a queue."""
    return f"pbem.{queue}"


class Doorbell:
    """A bell for one process. ``ring`` never raises and returns whether the broker took it."""

    def __init__(
        self,
        broker_url: str,
        now: Callable[[], float] = time.monotonic,
        rest_seconds: float = REST_SECONDS,
    ) -> None:
        self._app = Celery("pbem-doorbell", broker=broker_url, set_as_current=False)
        self._app.conf.update(
            task_ignore_result=True,
            broker_connection_timeout=RING_SECONDS,
            broker_transport_options={
                "socket_timeout": RING_SECONDS,
                "socket_connect_timeout": RING_SECONDS,
                "retry_on_timeout": False,
                "max_retries": 0,
            },
        )
        self._now = now
        self._rest = rest_seconds
        self._quiet_until = 0.0
        self._lock = threading.Lock()

    def ring(self, queue: str) -> bool:
        if queue not in QUEUES:
            raise ValueError(f"there is no queue called {queue}")
        if self._now() < self._quiet_until:
            metrics.RINGS.labels(queue, "skipped").inc()
            return False
        try:
            self._app.send_task(task_name(queue), queue=queue, retry=False)
        except (OperationalError, OSError) as error:
            self._give_up(queue, error)
            return False
        metrics.RINGS.labels(queue, "rung").inc()
        return True

    def _give_up(self, queue: str, error: Exception) -> None:
        with self._lock:
            first = self._now() >= self._quiet_until
            self._quiet_until = self._now() + self._rest
        metrics.RINGS.labels(queue, "failed").inc()
        if first:
            journal.write(Line.BROKER_SILENT, queue=queue, error=type(error).__name__)


def bell(settings: Settings) -> Callable[[str], None]:
    """What a Service rings with, for the broker of these settings."""
    doorbell = Doorbell(settings.broker)

    def ring(queue: str) -> None:
        doorbell.ring(queue)

    return ring
