"""A door for letters that runs beside the test, and whoever knocks there."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pbem.config.sections import Incoming
from pbem.mail.doors.lmtp import Door
from pbem.service import Service


def with_doors(service: Service, **incoming: Any) -> Service:
    """The same service, with these settings of its doors."""
    section = Incoming(**{**service.settings.incoming.model_dump(), **incoming})
    return replace(service, settings=service.settings.model_copy(update={"incoming": section}))


class OpenDoor:
    """A door in a thread of its own, on a port that was free."""

    def __init__(self, service: Service) -> None:
        self.door: Door
        self.port = 0
        self._service = service
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self.door = Door(self._service)
        self.port = await self.door.open()
        self._ready.set()
        await self._stop.wait()
        await self.door.close()

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(10), "the door does not open"

    def begin_to_close(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)

    def close(self) -> None:
        self.begin_to_close()
        self._thread.join(40)
        assert not self._thread.is_alive(), "the door does not close"


@contextmanager
def open_door(service: Service, **incoming: Any) -> Iterator[OpenDoor]:
    door = OpenDoor(with_doors(service, **incoming))
    door.start()
    try:
        yield door
    finally:
        door.close()


class Knock:
    """A connection that says what the test says, to the byte."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._file = self._socket.makefile("rb")

    def read(self) -> str:
        """The next answer, its last line; "" where the connection has ended."""
        while True:
            try:
                line = self._file.readline().decode()
            except ConnectionResetError:
                return ""
            if line[3:4] != "-":
                return line.rstrip("\r\n")

    def write(self, data: bytes | str) -> None:
        self._socket.sendall(data.encode() if isinstance(data, str) else data)

    def say(self, line: str) -> str:
        self.write(f"{line}\r\n")
        return self.read()

    def begin(self, *recipients: str, hello: str = "LHLO", sender: str = "bob@example.org") -> None:
        """Everything up to the text."""
        assert self.read()[:3] == "220"
        assert self.say(f"{hello} mail.example.org")[:3] == "250"
        assert self.say(f"MAIL FROM:<{sender}>")[:3] == "250"
        for recipient in recipients:
            assert self.say(f"RCPT TO:<{recipient}>")[:3] == "250"
        assert self.say("DATA")[:3] == "354"

    def close(self) -> None:
        self._file.close()
        self._socket.close()


@contextmanager
def knocking(port: int) -> Iterator[Knock]:
    knock = Knock(port)
    try:
        yield knock
    finally:
        knock.close()
