"""Python imports this first where its folder is in PYTHONPATH: the service gets the faster clock.

So the soak starts the very commands that an operator starts. The supervisor does not wait before
it starts again what was killed: its waits would be most of the soak.
"""

import sys

import pbem.clock
from pbem.running import supervisor
from tests.faults.soak.clock import FastClock

pbem.clock.SystemClock.now = FastClock().now  # type: ignore[method-assign]
if sys.orig_argv[-1] == "up":
    supervisor.LONGEST_PAUSE = 0.0
