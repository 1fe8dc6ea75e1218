"""The threads that answer requests: few, and one more for each that takes long.

The threads of a process share one processor. Many at once make each answer later and none earlier,
and keep the workers from theirs (docs/decisions/web.md). But a request that waits, for a database
that is away or a disk that is full, must not hold up the others.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from waitress.task import ThreadedTaskDispatcher

#: A request that takes longer has a thread of its own.
LONG_SECONDS = 0.5
#: How many have one, at most.
MOST_LONG = 14
#: While any request is answered, the seconds between two looks at how long they take.
LOOK_SECONDS = 0.25


class RequestThreads(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """Answers so many requests at once, first come, first served, besides those that take long.

    ``look`` must be called every ``LOOK_SECONDS`` while ``is_at_work``.
    """

    def __init__(self, at_once: int) -> None:
        super().__init__()
        self._at_once = at_once
        #: When those that are being answered were begun, by the monotonic clock.
        self._begun: dict[_Request, float] = {}
        self.set_thread_count(at_once)

    def add_task(self, task: Any) -> None:
        super().add_task(_Request(task, self))

    def begin(self, request: _Request) -> None:
        with self.lock:
            self._begun[request] = time.monotonic()

    def end(self, request: _Request) -> None:
        with self.lock:
            del self._begun[request]

    @property
    def is_at_work(self) -> bool:
        """Whether any request is being answered, or waits for it."""
        return bool(self._begun or self.queue)

    def look(self) -> None:
        """Starts a thread for each request that takes long, and stops it after that."""
        with self.lock:
            limit = time.monotonic() - LONG_SECONDS
            long = sum(begun < limit for begun in self._begun.values())
        self.set_thread_count(self._at_once + min(long, MOST_LONG))


@dataclass(frozen=True, eq=False)
class _Request:
    """What waitress hands over, a connection with a request, and who answers it."""

    connection: Any
    threads: RequestThreads

    def service(self) -> None:
        self.threads.begin(self)
        try:
            self.connection.service()
        finally:
            self.threads.end(self)

    def cancel(self) -> None:
        self.connection.cancel()
