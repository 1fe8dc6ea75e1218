"""Python reads this first wherever its folder is on PYTHONPATH: the clock is AHEAD seconds ahead.

It is what the service asks (``pbem.clock``), and what Celery and the others ask (``time.time``).
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

from pbem.clock import SystemClock

_ahead = timedelta(seconds=float(os.environ["AHEAD"]))
_time = time.time


def _now(_: SystemClock) -> datetime:
    return datetime.now(UTC) + _ahead


SystemClock.now = _now  # type: ignore[method-assign]
time.time = lambda: _time() + _ahead.total_seconds()
