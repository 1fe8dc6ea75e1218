"""The parts of a letter, within bounds, and their text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from email.message import Message

#: Most parts that are read, and how deep one may lie in others.
MAX_PARTS = 100
MAX_DEPTH = 20
#: Longest text that is read, in characters.
MAX_TEXT = 50_000
#: Longest value of a header that is read.
MAX_VALUE = 4_000
#: An address in a header. Without controls: PostgreSQL cannot be asked for a text with a NUL.
ADDRESS = re.compile(r"[^\s\x00-\x1f\x7f<>@,;:\"()]{1,64}@[^\s\x00-\x1f\x7f<>@,;:\"()]{1,253}")


class OutOfBoundsError(Exception):
    """The letter is too deep or too large to be parsed."""


def field(message: Message, name: str) -> str:
    """The value of a field of the header, cut to ``MAX_VALUE`` characters; "" without one."""
    return str(message.get(name, ""))[:MAX_VALUE]


def parts_of(
    message: Message, depth: int = 0, counted: list[int] | None = None
) -> Iterator[Message]:
    """The parts of the letter, in their order. An attached mail is not opened."""
    counted = [0] if counted is None else counted
    counted[0] += 1
    if counted[0] > MAX_PARTS or depth > MAX_DEPTH:
        raise OutOfBoundsError("parts")
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for part in message.get_payload():
            if isinstance(part, Message):
                yield from parts_of(part, depth + 1, counted)
    else:
        yield message


def texts(message: Message) -> list[Message]:
    """The text parts that are not attachments."""
    return [
        part
        for part in parts_of(message)
        if part.get_content_type() in ("text/plain", "text/html")
        and part.get_content_disposition() != "attachment"
        and part.get_filename() is None
    ]


def decoded(part: Message) -> str:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    content = content[: 4 * MAX_TEXT]
    for charset in (str(part.get_content_charset() or "utf-8"), "utf-8"):
        try:
            text = _whole_signs(content, charset)
        except (LookupError, UnicodeError, ValueError):
            continue
        break
    else:
        text = content.decode("latin-1")
    return text[:MAX_TEXT].replace("\r\n", "\n")


def _whole_signs(content: bytes, charset: str) -> str:
    """The text of these bytes, without a sign of which only the beginning is there.

    Of a long letter the beginning is read, so a sign of several bytes may be cut.
    """
    try:
        return content.decode(charset)
    except UnicodeDecodeError as error:
        if error.end < len(content):
            raise
        return content[: error.start].decode(charset)


def cleaned(line: str) -> str:
    """The line without what programs put into it: hard spaces, direction marks, controls."""
    kept = "".join(
        " "
        if sign.isspace()
        else ""
        if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn")
        else sign
        for sign in line
    )
    return " ".join(kept.split())
