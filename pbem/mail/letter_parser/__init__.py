"""Parses a letter: its bytes on standard input, the result as JSON on standard output.

It is run in a process of its own, which may crash: letters come from anybody, and some cost the
library seconds, all memory or the stack. ``pbem.mail.letter`` starts it with limits and validates
its output. It needs the standard library only.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from email import message_from_bytes
from typing import Any

from pbem.mail.letter_parser.header import answered, dmarc, nature, recipients, sender
from pbem.mail.letter_parser.own_lines import own_lines
from pbem.mail.letter_parser.parts import OutOfBoundsError, field
from pbem.mail.letter_parser.reports import outcomes

#: Seconds of CPU time and bytes of memory that one letter may cost.
CPU_SECONDS = 1
MEMORY_BYTES = 512 * 1024 * 1024
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
    message = message_from_bytes(raw)
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
    limit()
    json.dump(read(sys.stdin.buffer.read()), sys.stdout)
