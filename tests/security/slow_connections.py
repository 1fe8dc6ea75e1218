"""How long others wait while hundreds of connections each hold half a request.

    python -m tests.security.slow_connections [--connections 200] [--seconds 60]

starts a web of its own with one process, and asks for a page: alone, then beside connections of
each kind, then alone again. It prints the waits in milliseconds.
"""

from __future__ import annotations

import argparse
import http.client
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pbem.bench._places import place
from pbem.bench._servers import web
from pbem.config.sections import Web

ALONE = "alone"
#: What a connection sends at once and what it then sends byte by byte, one in ten seconds.
KINDS = {
    "nothing": (b"", b""),
    "half a header": (b"GET / HTTP/1.1\r\nHost: pbem\r\nX-", b""),
    "half a body": (
        b"POST /api/matches HTTP/1.1\r\nHost: pbem\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\n\r\n{",
        b"",
    ),
    "a byte in ten seconds": (b"G", b"ET / HTTP/1.1\r\nHost: pbem\r\n"),
    "an answer that is not read": (b"GET / HTTP/1.1\r\nHost: pbem\r\n\r\n" * 2, b""),
}
#: How often what was closed is opened anew.
LOOK_SECONDS = 0.5
BYTE_SECONDS = 10.0
#: People who ask at once, and how long each waits between two pages.
PEOPLE, PAUSE = 4, 0.05


@contextmanager
def held(port: int, kind: str, connections: int) -> Iterator[None]:
    """So many connections of a kind while it lasts; those that the server ends are opened anew."""
    stop = threading.Event()
    opened = threading.Event()

    def keep() -> None:
        found = [_Slow(port, kind) for _ in range(connections) if kind != ALONE]
        opened.set()
        while not stop.wait(LOOK_SECONDS):
            for one in found:
                one.look()
        for one in found:
            one.close()

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    opened.wait(60)
    try:
        yield
    finally:
        stop.set()
        thread.join()


class _Slow:
    """One such connection."""

    def __init__(self, port: int, kind: str) -> None:
        self._port = port
        self._first, self._rest = KINDS[kind]
        self._open()

    def _open(self) -> None:
        self._sent, self._next = 0, time.monotonic() + BYTE_SECONDS
        self._socket = socket.socket()
        # answers that are not read soon fill it
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.settimeout(5)
        with suppress(OSError):
            self._socket.connect(("127.0.0.1", self._port))
            self._socket.sendall(self._first)
        self._socket.settimeout(0)

    def look(self) -> None:
        """Sends a byte when it is time, and begins anew if the server has ended it."""
        try:
            if self._ended():
                raise ConnectionError
            if self._rest and time.monotonic() >= self._next:
                self._socket.send(self._rest[self._sent : self._sent + 1] or b"x")
                self._sent, self._next = self._sent + 1, time.monotonic() + BYTE_SECONDS
        except OSError:
            self.close()
            self._open()

    def _ended(self) -> bool:
        try:
            return self._socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False

    def close(self) -> None:
        self._socket.close()


def waits(port: int, seconds: float, path: str = "/") -> list[float]:
    """Milliseconds that people wait for a page, sorted. Raises OSError if a page does not come."""
    found: list[float] = []
    failed: list[Exception] = []
    until = time.monotonic() + seconds

    def ask() -> None:
        try:
            while time.monotonic() < until:
                found.append(_page(port, path))
                time.sleep(PAUSE)
        except (OSError, http.client.HTTPException) as error:
            failed.append(error)

    people = [threading.Thread(target=ask) for _ in range(PEOPLE)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    if failed:
        raise OSError(f"{len(failed)} of {PEOPLE} got no page: {failed[0]!r}")
    return sorted(found)


def _page(port: int, path: str) -> float:
    begun = time.perf_counter()
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    if answer.status != 200:
        raise OSError(f"status {answer.status}")
    return 1000 * (time.perf_counter() - begun)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, prog="tests.security.slow_connections")
    asked.add_argument("--connections", type=int, default=200)
    asked.add_argument("--seconds", type=float, default=60)
    given = asked.parse_args()
    with (
        tempfile.TemporaryDirectory() as scratch,
        place("sqlite", Path(scratch)) as here,
        here.service() as service,
        web(service.settings.model_copy(update={"web": Web(workers=1)})) as server,
    ):
        waits(server.port, 2)
        for kind in (ALONE, *KINDS, ALONE):
            with held(server.port, kind, given.connections):
                found = waits(server.port, given.seconds)
            p99 = found[int(0.99 * len(found))]
            print(
                f"{kind:28} p50 {statistics.median(found):6.1f} ms   p99 {p99:6.1f} ms"
                f"   longest {found[-1]:6.1f} ms   {len(found)} pages",
                flush=True,
            )


if __name__ == "__main__":
    main()
