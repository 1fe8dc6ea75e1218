"""Ports for servers that are started a little later."""

from __future__ import annotations

import os
import socket
from itertools import count

#: A process of the tests has this many ports of its own, below those that the system gives out by
#: itself: one of these could be another server's by the time it is used.
EACH = 1000
_FIRST = 20_000 + EACH * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_tried = count()


def free_port(host: str = "127.0.0.1") -> int:
    """A port of this machine that nobody listens at, and that nobody is given meanwhile."""
    while True:
        port = _FIRST + next(_tried) % EACH
        try:
            with socket.create_server((host, port)):
                return port
        except OSError:
            continue
