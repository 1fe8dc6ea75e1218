"""HTTP clients of the servers that a bench started: on this machine, and nowhere else."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

#: A connection that was idle for longer is opened anew, before the web closes it.
IDLE_SECONDS = 10.0


class Late(OSError):
    """The turn was closed between the look at it and the move."""


class Client:
    """One connection to a server, kept open while it is used. It keeps one cookie."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._used = time.monotonic()
        self._cookie = ""

    def get(self, path: str, accept: str = "application/json") -> bytes:
        return self._ask("GET", path, None, {"Accept": accept})

    def post(self, path: str, value: Any) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return self._ask("POST", path, json.dumps(value).encode(), headers)

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        if time.monotonic() > self._used + IDLE_SECONDS:
            self._connection.close()
        if self._cookie:
            headers["Cookie"] = self._cookie
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        self._used = time.monotonic()
        self._cookie = (answer.getheader("Set-Cookie") or self._cookie).partition(";")[0]
        if answer.status not in (200, 201):
            error = Late if answer.status == 409 else OSError
            raise error(f"{method} was answered with {answer.status}: {content[:300]!r}")
        return content

    def close(self) -> None:
        self._connection.close()


@contextmanager
def connected(port: int) -> Iterator[Client]:
    client = Client(port)
    try:
        yield client
    finally:
        client.close()
