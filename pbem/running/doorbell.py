"""Rings a worker after a commit, so that due work is done now and not at the next sweep.

Ringing may fail: its timeout is a fraction of a second, and after a failure it is skipped for a
while, so that a broker that is down does not slow down pages.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError
from redis import RedisError

from pbem import journal, metrics
from pbem.config import Settings
from pbem.journal import Line

#: The queues of the workers and their niceness; each has a task of the same name. A worker takes
#: from the first queue that is not empty, and has the lowest niceness of its queues.
QUEUES = {"advance": 0, "sweep": 1, "post": 1, "housekeeping": 10}

#: Seconds: the timeout of a ring, and how long rings are skipped after one failed.
RING_SECONDS = 0.3
REST_SECONDS = 10.0
#: Seconds between two rings of ``BackgroundRing``.
PAUSE_SECONDS = 0.02
#: What can be rung besides: a task of another name, and the queue in which it waits.
OTHERS = {"animations": "housekeeping"}


def task_name(task: str) -> str:
    """The name under which workers know a task; that of a queue is called as the queue."""
    return f"pbem.{task}"


class Doorbell:
    """The doorbell of one process. ``ring`` returns whether the broker has it, and never raises for
    a broker that is down. What waits in a queue already is not rung again."""

    def __init__(self, broker_url: str, now: Callable[[], float] = time.monotonic) -> None:
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
        self._quiet_until = 0.0
        self._lock = threading.Lock()

    def ring(self, task: str) -> bool:
        queue = OTHERS.get(task, task)
        if queue not in QUEUES:
            raise ValueError(f"there is no queue called {queue}")
        if self._now() < self._quiet_until:
            metrics.RINGS.labels(queue, "skipped").inc()
            return False
        try:
            with self._app.producer_or_acquire() as producer:
                waits = _is_waiting(producer, queue, task_name(task))
                if not waits:
                    self._app.send_task(
                        task_name(task), queue=queue, retry=False, producer=producer
                    )
        except (OperationalError, RedisError, OSError) as error:
            self._give_up(queue, error)
            return False
        metrics.RINGS.labels(queue, "waits" if waits else "rung").inc()
        return True

    def _give_up(self, queue: str, error: Exception) -> None:
        with self._lock:
            first = self._now() >= self._quiet_until
            self._quiet_until = self._now() + REST_SECONDS
        metrics.RINGS.labels(queue, "failed").inc()
        if first:
            journal.write(Line.BROKER_SILENT, queue=queue, error=type(error).__name__)


def _is_waiting(producer: Any, queue: str, task: str) -> bool:
    """Whether the newest ring in a queue is for this task: whoever hears it sees all that was
    committed before. To ring, to hear it and to find nothing take many times as long as this."""
    newest: bytes = producer.channel.client.lindex(queue, 0) or b""
    return f'"{task}"'.encode() in newest


class BackgroundRing:
    """A ring function that returns at once: a thread rings, and rings of one queue that come
    within ``PAUSE_SECONDS`` are one. A ring costs as much as half a move, and none is needed while
    the one before has not been answered.

    The thread starts with the first ring, so a process may fork before. Rings that it has not sent
    when the process ends are lost; the sweep finds what they were for.
    """

    def __init__(self, ring: Callable[[str], object]) -> None:
        self._ring = ring
        self._wanted: set[str] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def __call__(self, queue: str) -> None:
        with self._changed:
            self._wanted.add(queue)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="doorbell", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._wanted:
                    self._changed.wait()
                queues, self._wanted = self._wanted, set()
            for queue in sorted(queues):
                self._ring(queue)
            time.sleep(PAUSE_SECONDS)


def bell(settings: Settings) -> Callable[[str], object]:
    """The function with which a Service rings, for the broker of these settings."""
    return Doorbell(settings.broker).ring
