"""Fast pseudo-random numbers for simulations and tests: nothing of a match depends on them."""

from __future__ import annotations

import hashlib

_MASK = (1 << 64) - 1


class Chooser:
    """Fast pseudo-random numbers for choosing among moves (splitmix64)."""

    def __init__(self, text: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def below(self, number: int) -> int:
        """A number from 0 to ``number - 1``."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((state ^ (state >> 31)) * number) >> 64
