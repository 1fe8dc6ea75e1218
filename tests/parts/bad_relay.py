"""A mail relay on the loopback whose words a test writes to the byte."""

from __future__ import annotations

import socketserver
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.parts.listening import Listener, listening

#: What it says to a command: an answer (or HANG_UP), pieces with pauses between them, or None for
#: what a good relay says.
Says = str | list[str] | None


@dataclass
class BadRelay:
    """Whom it took mails for, and what else it heard."""

    host: str
    port: int = 0
    taken: list[str] = field(default_factory=list)
    connections: int = 0


class _Talk(socketserver.StreamRequestHandler):
    server: _Listener

    def handle(self) -> None:
        relay = self.server.relay
        relay.connections += 1
        self.mails, recipient = 0, ""
        verb = "CONNECT"
        while self._say(answer := self.server.says(verb, relay, self.mails) or _polite(verb)):
            if verb == "DATA" and "".join(answer).startswith("354"):
                # the text to its end, which is not there where the client went away
                if b".\r\n" not in iter(self.rfile.readline, b""):
                    return
                relay.taken.append(recipient)
                verb = "TEXT"
                continue
            line = self.rfile.readline().decode()
            if not line:
                return
            verb = line[:4].strip().upper()
            self.mails += verb == "MAIL"
            if verb == "RCPT":
                recipient = line.partition("<")[2].partition(">")[0]

    def _say(self, what: str | list[str]) -> bool:
        if what is HANG_UP:
            return False
        pieces = [what + "\r\n"] if isinstance(what, str) else what
        for number, piece in enumerate(pieces):
            if number:
                time.sleep(0.1)
            self.wfile.write(piece.encode())
        return True


#: In place of an answer: it ends the connection.
HANG_UP = "hangs up"


def _polite(verb: str) -> str:
    return {"CONNECT": "220 ready", "DATA": "354 go on"}.get(verb, "250 OK")


class _Listener(Listener):
    def __init__(self, relay: BadRelay, says: Callable[[str, BadRelay, int], Says]) -> None:
        self.relay, self.says = relay, says
        super().__init__(_Talk)


@contextmanager
def bad_relay(says: Callable[[str, BadRelay, int], Says]) -> Iterator[BadRelay]:
    """``says`` is asked at each command (CONNECT, EHLO, ..., TEXT), with the number of MAIL so far
    in its connection."""
    relay = BadRelay("127.0.0.1")
    listener = _Listener(relay, says)
    relay.port = listener.port
    with listening(listener):
        yield relay
