"""A worker that hears no ring any more ends, so that whoever runs it starts it again.

Celery reconnects by itself when its broker was away. A worker that for any reason does not come
back to its queues would stand for ever, with a heartbeat, while matches and mails wait.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import redis
from celery.worker import state

from pbem import journal
from pbem.journal import Line
from pbem.running import broker
from workers.app import HARD_LIMIT

#: Seconds between two looks.
LOOK_SECONDS = 3.0
#: Seconds for which a worker with a process to spare may begin no task while a ring waits. Celery
#: waits up to half of them before it tries again to reach a broker that was away.
PATIENCE_SECONDS = 60.0
#: Seconds in which a deaf worker may end its tasks; then the process ends at once.
ENDING_SECONDS = 30.0


class Hearing:
    """Whether a worker hears the rings in its queues.

    A thread looks, because it may be the worker's event loop that stands still. ``consumer``: what
    ``worker_ready`` is sent with.
    """

    def __init__(self, broker_url: str, consumer: Any) -> None:
        self._client = broker.client(broker_url)
        self._queues = sorted(consumer.app.amqp.queues.consume_from)
        self._processes = int(consumer.pool.num_processes)
        self._begun = 0
        self._begun_at = time.monotonic()
        #: Looks without a break that found it deaf. Time would also count while all stood still.
        self._looks = 0
        self._stopped = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="hearing", daemon=True).start()

    def stop(self) -> None:
        """The worker was told to end: it takes nothing any more."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            if self._is_deaf():
                self._end()

    def _is_deaf(self) -> bool:
        now, begun = time.monotonic(), state.all_total_count[0]
        if begun != self._begun:
            self._begun, self._begun_at = begun, now
            self._looks = 0
        # no task runs for longer than its limit: then a process is free for the next ring
        busy = len(state.active_requests) >= self._processes
        if (busy and now - self._begun_at <= HARD_LIMIT) or not self._something_waits():
            self._looks = 0
        else:
            self._looks += 1
        return self._looks * LOOK_SECONDS > PATIENCE_SECONDS

    def _something_waits(self) -> bool:
        """Whether there is a ring in a queue; False also while the broker is away."""
        try:
            return any(self._client.llen(queue) for queue in self._queues)
        except (redis.RedisError, OSError):
            return False

    def _end(self) -> None:
        """In order if the event loop still runs, which reads this; otherwise all the same."""
        journal.write(Line.WORKER_DEAF, seconds=round(self._looks * LOOK_SECONDS))
        state.should_stop = os.EX_SOFTWARE
        self._stopped.wait(ENDING_SECONDS)
        os._exit(os.EX_SOFTWARE)
