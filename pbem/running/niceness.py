"""How much a process lets others go first."""

from __future__ import annotations

import os
import time
from pathlib import Path

#: Linux shares processors out between sessions first, if this file is there. Niceness counts only
#: within a session then, and each session has a niceness of its own (sched(7), autogroup).
_AUTOGROUP = Path("/proc/self/autogroup")
#: Linux takes one change of it in a tenth of a second, from whomever it comes.
_TRIES, _PAUSE_SECONDS = 20, 0.1


def be_nice(by: int) -> None:
    """Makes this process nicer by so much; also its session, if the session is its own."""
    os.nice(by)
    if not by or not _AUTOGROUP.exists() or os.getsid(0) != os.getpid():
        return
    for _ in range(_TRIES):
        try:
            _AUTOGROUP.write_text(str(by))
        except BlockingIOError:
            time.sleep(_PAUSE_SECONDS)
        except OSError:
            return  # a container may keep it from being written: the process itself is nicer
        else:
            return
