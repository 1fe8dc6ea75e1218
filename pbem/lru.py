"""A cache that threads share and that forgets what was used longest ago."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class LruCache(Generic[T]):
    """At most ``most`` in weight, which is a count unless ``weight`` says otherwise.

    Its values never change, because threads share them.
    """

    def __init__(self, most: int, weight: Callable[[T], int] = lambda _: 1) -> None:
        self.most, self.weight = most, 0
        self._weigh = weight
        self._lock = threading.Lock()
        self._there: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._there)

    def get(self, key: Hashable) -> T | None:
        """The value under this key; None if it is missing."""
        with self._lock:
            if key not in self._there:
                return None
            self._there.move_to_end(key)
            return self._there[key][0]

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under this key; made if it is missing. Two threads may both make it."""
        with self._lock:
            there = self._there.get(key)
            if there is not None:
                self._there.move_to_end(key)
                return there[0]
        made = make()
        self.put(key, made)
        return made

    def put(self, key: Hashable, value: T) -> None:
        """Keeps a value, unless there is one under this key."""
        with self._lock:
            if key not in self._there:
                weight = self._weigh(value)
                self._there[key] = value, weight
                self.weight += weight
            while self.weight > self.most:
                self.weight -= self._there.popitem(last=False)[1][1]
