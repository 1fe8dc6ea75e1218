"""Parses letters: their bytes come from a socket, and what they say goes back as JSON.

Each is parsed in a process of its own, which may crash: letters come from anybody, and some cost
the library seconds, all memory or the stack. ``pbem.mail.parsing`` starts the process that forks
them, ``pbem.mail.letter`` validates what they say. It needs the standard library only.
"""

from __future__ import annotations

import json
import os
import re
import resource
import socket
import sys
from email.parser import BytesParser
from typing import Any

from pbem.mail.letter_parser import frames
from pbem.mail.letter_parser.header import answered, dmarc, nature, recipients, sender
from pbem.mail.letter_parser.own_lines import own_lines
from pbem.mail.letter_parser.parts import OutOfBoundsError, field
from pbem.mail.letter_parser.reports import outcomes

#: Seconds of CPU time and bytes of memory that one letter may cost.
CPU_SECONDS = 1
MEMORY_BYTES = 512 * 1024 * 1024
#: Seconds without a letter after which the process ends.
IDLE_SECONDS = 60
#: Limits on a letter's structure.
MAX_HEADERS = 300
MAX_HEADER_BYTES = 100_000
MAX_BOUNDARY_LINES = 2_000
#: Bytes of a letter that are parsed, after base64 lines beyond ``MAX_BASE64_LINES`` in a row are
#: left out: an answer may contain the picture of the mail it quotes, and the end of a text of that
#: length is not needed.
READ_BYTES = 262_144
MAX_BASE64_LINES = 1_000
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{60,}={0,2}")


def limit() -> None:
    """Sets the resource limits of this process; the kernel enforces them."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def read(raw: bytes) -> dict[str, Any]:
    """The parsed letter. Raises OutOfBoundsError, or whatever the library raises."""
    raw = _without_bulk(raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    head = raw.partition(b"\n\n")[0]
    if len(head) > MAX_HEADER_BYTES or head.count(b"\n") > 4 * MAX_HEADERS:
        raise OutOfBoundsError("header")
    if raw.count(b"\n--") > MAX_BOUNDARY_LINES:
        raise OutOfBoundsError("parts")
    message = BytesParser().parsebytes(raw)
    if len(message.keys()) > MAX_HEADERS:
        raise OutOfBoundsError("header")
    lines, below = own_lines(message)
    return {
        "sender": sender(message),
        "to": recipients(message),
        "message_id": field(message, "Message-ID").strip(),
        "list_id": field(message, "List-Id").strip(),
        "answers": answered(message),
        "nature": nature(message),
        "dmarc": dmarc(message),
        "lines": lines,
        "below": below,
        "outcomes": outcomes(message),
    }


def _without_bulk(raw: bytes) -> bytes:
    """The letter without most of the bytes of its pictures, cut to ``READ_BYTES``.

    Pictures are never read, so a cut one does no harm; a letter that is all text is cut far below
    the sender's own lines.
    """
    kept: list[bytes] = []
    run = 0
    for line in raw.split(b"\n"):
        run = run + 1 if len(line) >= 60 and _BASE64.fullmatch(line) else 0
        if run <= MAX_BASE64_LINES:
            kept.append(line)
    return b"\n".join(kept)[:READ_BYTES]


def main() -> None:
    """Answers each letter from the socket on standard input, until it is closed or quiet."""
    with socket.socket(fileno=0) as door:
        door.settimeout(IDLE_SECONDS)
        try:
            while True:
                frames.send(door, _in_a_child(frames.receive(door)))
        except (EOFError, OSError):
            # nobody asks any more
            return


def _in_a_child(raw: bytes) -> bytes:
    """What a child with limits reads in a letter; empty if it died of it or could not read it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            limit()
            with open(writing, "w", encoding="utf-8") as answer:
                json.dump(read(raw), answer)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading, "rb") as answer:
        found = answer.read()
    _, status = os.waitpid(child, 0)
    return found if status == 0 else b""
