"""Old mails as files: what they say of a match, and when they arrived.

Only headers are read: no part of a mail is decoded.
"""

from __future__ import annotations

import mailbox
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from pathlib import Path

import msgspec

from pbem.record import proof
from pbem.record.proof import Proof
from pbem.words import texts

#: Longest header of a mail that is read, and the most mails, in bytes and in number.
MAX_HEADER = 200_000
MOST = 100_000


class OldMail(msgspec.Struct, frozen=True):
    """A mail of some match of pbem."""

    file: str
    subject: str
    #: When it was received, by the mail server that received it last; None if it does not say.
    arrived: datetime | None
    proof: Proof

    def __str__(self) -> str:
        when = f" of {self.arrived:%Y-%m-%d %H:%M:%S} UTC" if self.arrived else ""
        return f"The mail “{self.subject}”{when}"


def read(paths: Iterable[Path]) -> list[OldMail]:
    """The mails of pbem in these files and folders: mails, mailboxes (mbox), folders of them.

    Other mails, and what is no mail, are passed by. Raises OSError if a file cannot be read.
    """
    found: list[OldMail] = []
    for path in paths:
        for name, head in _heads(path):
            if len(found) < MOST and (old := _mail(name, head)) is not None:
                found.append(old)
    return found


def _heads(path: Path) -> Iterator[tuple[str, bytes]]:
    """The beginning of each mail in a file, or in all files of a folder and of folders in it."""
    if path.is_dir():
        for inside in sorted(path.rglob("*")):
            if inside.is_file():
                yield from _heads(inside)
        return
    with path.open("rb") as file:
        start = file.read(MAX_HEADER)
    if not start.startswith(b"From "):
        yield path.name, start
        return
    box = mailbox.mbox(path, create=False)
    try:
        for key in box.iterkeys():
            with box.get_file(key) as one:
                yield path.name, one.read(MAX_HEADER)
    finally:
        box.close()


def _mail(name: str, start: bytes) -> OldMail | None:
    try:
        message = BytesHeaderParser().parsebytes(start)
        bound = proof.read(str(message.get(proof.HEADER, "")))
        if bound is None:
            return None
        return OldMail(name, _subject(message), _arrived(message), bound)
    except (ValueError, LookupError, TypeError, AttributeError, IndexError):
        # no mail, or one whose header no program can read
        return None


def _subject(message: Message) -> str:
    said = str(make_header(decode_header(str(message.get("Subject", "")))))
    return texts.printable(" ".join(said.split()))[:120]


def _arrived(message: Message) -> datetime | None:
    """What the topmost Received line says: the player's own mail server wrote it."""
    received = str((message.get_all("Received") or [""])[0])
    try:
        when = parsedate_to_datetime(received.rpartition(";")[2].strip())
        # "-0000", as some servers write, is UTC without a place (RFC 5322), and has no zone here
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None
