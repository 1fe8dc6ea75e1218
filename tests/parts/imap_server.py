"""A small IMAP server (RFC 3501, the part that pbem speaks) over TLS, on the loopback."""

from __future__ import annotations

import base64
import re
import shlex
import socketserver
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from tests.parts.listening import Listener, listening

USER, PASSWORD = "letters", "geheim \u00fcber alles"


@dataclass
class Kept:
    """A letter in the mailbox."""

    raw: bytes
    flags: set[str] = field(default_factory=set)
    came: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass
class ImapServer:
    """What is in its one folder, and how it behaves from now on."""

    letters: dict[int, Kept] = field(default_factory=dict)
    folder: str = "INBOX"
    plain: bool = True
    uidplus: bool = True
    #: So many STORE commands are answered; then it hangs up before the next.
    stores: int = 1_000_000
    #: Letters whose text it does not give out, and what it answers in its place.
    withheld: dict[int, str] = field(default_factory=dict)
    #: Letters at which it breaks off: it hangs up, or says nothing any more.
    broken: dict[int, Literal["hangs up", "says nothing"]] = field(default_factory=dict)
    #: How it answers STORE, if it marks no letters.
    unmarked: str = ""
    #: A command in whose place it says again and again that it is still there.
    endless: str = ""
    #: Seconds before each answer.
    slow: float = 0
    #: How many bytes more than there are it says that a text has.
    longer: int = 0
    #: Says nothing when it is greeted.
    silent: bool = False
    port: int = 0
    fetched: list[int] = field(default_factory=list)

    def add(self, raw: bytes) -> int:
        number = max(self.letters, default=0) + 1
        self.letters[number] = Kept(raw)
        return number

    def flags(self) -> dict[int, set[str]]:
        return {number: kept.flags for number, kept in self.letters.items()}


class _Talk(socketserver.StreamRequestHandler):
    server: _Listener

    def handle(self) -> None:
        try:
            self.connection = self.server.context.wrap_socket(self.request, server_side=True)
        except OSError:
            return
        with self.connection, self.connection.makefile("rwb") as self.file:
            if self.server.box.silent:
                self.file.read(1)
                return
            self._write("* OK ready")
            while line := self.file.readline():
                tag, _, rest = line.decode().rstrip("\r\n").partition(" ")
                if not self._obey(tag, rest):
                    return

    def _write(self, line: str | bytes) -> None:
        self.file.write((line.encode() if isinstance(line, str) else line) + b"\r\n")
        self.file.flush()

    def _obey(self, tag: str, rest: str) -> bool:
        words = rest.split(" ", 1)
        verb, argument = words[0].upper(), words[1] if len(words) > 1 else ""
        if verb == "UID":
            verb, _, argument = argument.partition(" ")
            verb = f"UID_{verb.upper()}"
        time.sleep(self.server.box.slow)
        while verb == self.server.box.endless:
            self._write("* OK Still here")
            time.sleep(0.05)
        act = getattr(self, f"do_{verb}", None)
        answer = act(argument) if act else "BAD unknown"
        if answer is None:
            return False
        self._write(f"{tag} {answer}")
        return verb != "LOGOUT"

    def do_CAPABILITY(self, _: str) -> str:
        box = self.server.box
        more = (" AUTH=PLAIN" if box.plain else "") + (" UIDPLUS" if box.uidplus else "")
        self._write(f"* CAPABILITY IMAP4rev1{more}")
        return "OK done"

    def do_LOGIN(self, argument: str) -> str:
        return "OK in" if shlex.split(argument) == [USER, PASSWORD] else "NO wrong"

    def do_AUTHENTICATE(self, _: str) -> str:
        self._write("+ ")
        given = base64.b64decode(self.file.readline()).decode()
        return "OK in" if given == f"\0{USER}\0{PASSWORD}" else "NO [AUTHENTICATIONFAILED] wrong"

    def do_SELECT(self, argument: str) -> str:
        box = self.server.box
        self._write(f"* {len(box.letters)} EXISTS")
        return "OK [READ-WRITE] open" if argument.strip('"') == box.folder else "NO no such folder"

    def do_EXAMINE(self, argument: str) -> str:
        return self.do_SELECT(argument).replace("WRITE", "ONLY")

    def do_UID_SEARCH(self, argument: str) -> str:
        words = argument.split()
        flagged = "UNFLAGGED" not in words
        before = datetime.max.replace(tzinfo=UTC)
        if "BEFORE" in words:
            before = datetime.strptime(words[-1], "%d-%b-%Y").replace(tzinfo=UTC)
        found = [
            str(number)
            for number, kept in self.server.box.letters.items()
            if "\\Seen" not in kept.flags
            and ("\\Flagged" in kept.flags) == flagged
            and kept.came < before
        ]
        self._write(f"* SEARCH {' '.join(found)}".rstrip())
        return "OK done"

    def do_UID_FETCH(self, argument: str) -> str | None:
        asked = re.fullmatch(r"(\d+) \(BODY\.PEEK\[\]<0\.(\d+)>\)", argument)
        if asked is None:
            return "BAD what"
        box = self.server.box
        number, most = int(asked[1]), int(asked[2])
        box.fetched.append(number)
        if how := box.broken.get(number):
            if how == "says nothing":
                self.file.read(1)
            return None
        if (said := box.withheld.get(number)) is not None:
            if said.startswith("OK"):
                self._write(f"* 1 FETCH (UID {number} BODY[]<0> NIL)")
            return said
        raw = box.letters[number].raw[:most]
        self._write(f"* 1 FETCH (UID {number} BODY[]<0> {{{len(raw) + box.longer}}}".encode())
        self.file.write(raw)
        self._write(")")
        return "OK done"

    def do_UID_STORE(self, argument: str) -> str | None:
        box = self.server.box
        if box.stores <= 0:
            return None
        box.stores -= 1
        if box.unmarked:
            return box.unmarked
        number, _, flags = argument.partition(" +FLAGS ")
        box.letters[int(number)].flags.update(flags.strip("()").split())
        return "OK done"

    def do_UID_EXPUNGE(self, argument: str) -> str:
        del self.server.box.letters[int(argument)]
        return "OK done"

    def do_EXPUNGE(self, _: str) -> str:
        box = self.server.box
        for number in [one for one, kept in box.letters.items() if "\\Deleted" in kept.flags]:
            del box.letters[number]
        return "OK done"

    def do_LOGOUT(self, _: str) -> str:
        self._write("* BYE")
        return "OK bye"


class _Listener(Listener):
    def __init__(self, box: ImapServer, context: ssl.SSLContext) -> None:
        self.box, self.context = box, context
        super().__init__(_Talk)


@contextmanager
def imap_server(context: ssl.SSLContext) -> Iterator[ImapServer]:
    box = ImapServer()
    listener = _Listener(box, context)
    box.port = listener.port
    with listening(listener):
        yield box
