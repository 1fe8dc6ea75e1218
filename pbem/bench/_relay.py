"""A relay that takes every mail, in a process of its own, and tells what links are in it."""

from __future__ import annotations

import email.policy
import multiprocessing
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from multiprocessing.connection import Connection
from typing import Any

from pbem.bench._places import free_port

_TURN = re.compile(r"/t/[\w-]+")


class Relay:
    """``port`` is where it listens; ``hear`` is called with each mail's address and turn link."""

    def __init__(self, port: int, process: int) -> None:
        self.port, self.process = port, process
        self.hear: Callable[[str, str], object] = lambda address, link: None
        self.taken = 0

    def listen(self, told: Connection) -> None:
        """Until the relay is stopped."""
        while True:
            try:
                address, link = told.recv()
            except (EOFError, OSError):
                return
            self.taken += 1
            if link:
                self.hear(address, link)


@contextmanager
def running() -> Iterator[Relay]:
    """The relay, while the block runs."""
    told, tells = multiprocessing.Pipe(duplex=False)
    port = free_port()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(tells, port), daemon=True
    )
    process.start()
    tells.close()
    told.recv()
    relay = Relay(port, process.pid or 0)
    listener = threading.Thread(target=relay.listen, args=(told,), daemon=True)
    listener.start()
    try:
        yield relay
    finally:
        process.terminate()
        process.join()
        listener.join()
        told.close()


def _serve(tells: Connection, port: int) -> None:
    from aiosmtpd.controller import Controller

    controller = Controller(_Handler(tells), hostname="127.0.0.1", port=port)
    controller.start()
    tells.send("ready")
    threading.Event().wait()


class _Handler:
    def __init__(self, tells: Connection) -> None:
        self._tells = tells

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        message = message_from_bytes(envelope.content, policy=email.policy.default)
        text = message.get_body(("plain",))
        found = _TURN.search(text.get_content()) if text else None
        self._tells.send((envelope.rcpt_tos[0], found[0] if found else ""))
        return "250 OK"
