"""Where the limits of one process are counted, by a clock that nobody sets.

The library's own storage in memory starts a thread for nearly every hit to forget what has expired,
which cost a move a tenth of its time. Here a hit forgets it, once in a while.
"""

from __future__ import annotations

import threading
import time

from limits.storage import Storage

#: Seconds between two looks for counts that have expired.
FORGET_SECONDS = 30.0


class Counts(Storage):
    """Counts of fixed windows, by key, each with the time at which it expires."""

    STORAGE_SCHEME = ["pbem"]  # noqa: RUF012 - the library has it so

    def __init__(
        self,
        uri: str | None = None,
        wrap_exceptions: bool = False,
        **options: float | str | bool,
    ) -> None:
        super().__init__(uri, wrap_exceptions, **options)
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, float]] = {}
        self._forget_at = 0.0

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        now = time.monotonic()
        with self._lock:
            if now >= self._forget_at:
                self._counts = {one: it for one, it in self._counts.items() if it[1] > now}
                self._forget_at = now + FORGET_SECONDS
            count, until = self._counts.get(key, (0, 0.0))
            if until <= now:
                count, until = 0, now + expiry
            self._counts[key] = (count + amount, until)
            return count + amount

    def get(self, key: str) -> int:
        count, until = self._counts.get(key, (0, 0.0))
        return count if until > time.monotonic() else 0

    def get_expiry(self, key: str) -> float:
        """In seconds since 1970."""
        now = time.monotonic()
        until = self._counts.get(key, (0, now))[1]
        return time.time() + max(until - now, 0.0)

    def check(self) -> bool:
        return True

    def reset(self) -> int:
        with self._lock:
            count = len(self._counts)
            self._counts = {}
            return count

    def clear(self, key: str) -> None:
        with self._lock:
            self._counts.pop(key, None)
