"""Where processes that tests kill come from: one clean server with all imports behind it.

A fork of it costs milliseconds, and its kill is still the death of a real process with real
connections.
"""

from __future__ import annotations

import multiprocessing

from pbem.commands.up import SHARED

PROCESSES = multiprocessing.get_context("forkserver")
# there is one such server, and what was asked for last is what it has
PROCESSES.set_forkserver_preload(
    [
        # those of the workers read the settings when they are imported
        *(name for name in SHARED if not name.startswith("workers.")),
        "tests.faults.programs",
        "tests.faults.mailer",
        # the last: after it, all that is there is kept for the forks
        "tests.faults.rehearsal",
    ]
)
