"""A relay that takes every mail, in a process of its own, and tells what links are in it."""

from __future__ import annotations

import multiprocessing
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from socketserver import StreamRequestHandler, ThreadingTCPServer

_TURN = re.compile(r"/t/[\w-]+")
#: Within so many bytes is the text of a mail, before its pictures.
_TEXT = 8_192


class Relay:
    """``port`` is where it listens; ``hear`` is called with each mail's address and its turn link,
    "" if it has none.
    """

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
            self.hear(address, link)


@contextmanager
def running() -> Iterator[Relay]:
    """The relay, while the block runs."""
    told, tells = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(tells,), daemon=True
    )
    process.start()
    tells.close()
    relay = Relay(told.recv(), process.pid or 0)
    listener = threading.Thread(target=relay.listen, args=(told,), daemon=True)
    listener.start()
    try:
        yield relay
    finally:
        process.terminate()
        process.join()
        listener.join()
        told.close()


def _serve(tells: Connection) -> None:
    _Server(tells).serve_forever()


class _Server(ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True
    #: As many connections may wait to be taken; one too many would wait for ever for a greeting.
    request_queue_size = 256

    def __init__(self, tells: Connection) -> None:
        self._tells, self._one_tells = tells, threading.Lock()
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.tell(self.server_address[1])

    def tell(self, what: object) -> None:
        with self._one_tells:
            self._tells.send(what)


class _Conversation(StreamRequestHandler):
    """As much SMTP as a mailer needs whose mails are taken, and no more: what the relay uses of the
    processor the service that is measured has not.
    """

    server: _Server

    def handle(self) -> None:
        self._say(b"220 Hello")
        address = ""
        for line in self.rfile:
            verb = line[:4].upper()
            if verb == b"RCPT":
                address = line.decode().partition("<")[2].partition(">")[0]
            elif verb == b"DATA":
                self._say(b"354 Go on")
                self.server.tell((address, _link(b"".join(iter(self.rfile.readline, b".\r\n")))))
            self._say(b"221 Bye" if verb == b"QUIT" else b"250 OK")
            if verb == b"QUIT":
                return

    def _say(self, answer: bytes) -> None:
        self.wfile.write(answer + b"\r\n")


def _link(mail: bytes) -> str:
    """The turn link in the text of a mail, which is quoted-printable; "" if there is none."""
    found = _TURN.search(mail[:_TEXT].replace(b"=\r\n", b"").decode(errors="replace"))
    return found[0] if found else ""
