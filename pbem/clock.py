"""What time it is. Acts ask the service's clock, so that tests and benches can set it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


def iso(at: datetime | None) -> str | None:
    """An instant as all answers in JSON have it, and records; None if there is none."""
    return at.isoformat() if at is not None else None


class Clock(Protocol):
    def now(self) -> datetime:
        """The present instant, aware, in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is moved: for tests and simulated time."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("an instant needs its zone")
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def move(self, by: timedelta) -> None:
        self._now += by

    def set(self, to: datetime) -> None:
        self._now = to.astimezone(UTC)
