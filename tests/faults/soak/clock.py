"""Time that runs faster than the machine's, for a service whose leases take minutes to end."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

#: Seconds of the service in one second of the machine: a lease of ten minutes ends in ten seconds.
TIMES = 60
#: The variable that says when the faster time began, in seconds since 1970.
SINCE = "SOAK_SINCE"


class FastClock:
    """A clock of the service; all that were made with the same beginning agree."""

    def __init__(self, since: float | None = None) -> None:
        self._since = float(os.environ[SINCE]) if since is None else since

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._since + TIMES * (time.time() - self._since), UTC)
