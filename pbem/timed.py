"""What another server says, read until a given moment.

The timeout of a socket begins anew with each piece that comes: a server that says a little again
and again would hold a worker for ever.
"""

from __future__ import annotations

import io
import socket
import time
from typing import Any


class Timed(io.RawIOBase):
    """The bytes that come in by a socket until ``ends`` (monotonic); then TimeoutError."""

    def __init__(self, connection: socket.socket, ends: float) -> None:
        super().__init__()
        self.ends = ends
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        left = self.ends - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        patience = self._connection.gettimeout()
        self._connection.settimeout(left if patience is None else min(left, patience))
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(patience)
