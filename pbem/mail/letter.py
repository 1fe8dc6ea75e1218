"""Incoming letters: from bytes that anybody may have written to a few checked values.

A letter is parsed in a process of its own (``pbem.mail.parsing``), with limits on CPU time, memory
and wall-clock time.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from engine.codec import decode
from pbem.errors import BadInput, Busy
from pbem.mail import parsing

#: Seconds of wall-clock time after which parsing is given up: far above the limit of CPU time.
WALL_SECONDS = 20


class UnreadableLetter(BadInput):
    """A letter that could not be parsed within its limits."""

    def __init__(self) -> None:
        super().__init__("This mail cannot be read.", field="mail")


class Outcome(msgspec.Struct, frozen=True):
    """What became of a mail for one recipient, as a mail service reports it."""

    action: Literal["failed", "delayed", "delivered", "relayed", "expanded", "unclear"]
    #: As in RFC 3463, "5.1.1"; "" if none is reported.
    status: str
    #: The recipient's addresses: as we wrote it and as the mail service knows it.
    recipients: tuple[str, ...]
    #: The reason in the words of the mail service.
    diagnostic: str


class Letter(msgspec.Struct, frozen=True):
    """What a letter says. None of it proves who wrote it: headers are easily forged."""

    #: The one address of the From line; "" if there is not exactly one.
    sender: str
    #: Addresses it says it is for.
    to: tuple[str, ...]
    message_id: str
    list_id: str
    #: Bounces and automatic answers are never answered.
    nature: Literal["person", "automatic", "bounce"]
    #: What mail servers say of DMARC, the last one first: the name of each and its result
    #: (RFC 8601). Whoever wrote the letter can have written this, too.
    dmarc: tuple[tuple[str, str], ...]
    #: The Message-IDs of the mails that it answers.
    answers: tuple[str, ...]
    #: What was written, down to the first empty line, quote or signature.
    lines: tuple[str, ...]
    #: What stands between that empty line and the next one: it is not read.
    below: tuple[str, ...] = ()
    #: What a bounce reports.
    outcomes: tuple[Outcome, ...] = ()
    #: Identifies the letter: the same when it is delivered again.
    key: str = ""


def read(raw: bytes, most: int, sender: str | None = None) -> Letter:
    """The letter in these bytes. ``sender`` is the envelope's, "" if empty, None if unknown.

    Raises BadInput if it is unreadable or longer than ``most`` bytes, Busy if parsing is too slow
    or no process can be started for it.
    """
    if len(raw) > most:
        raise BadInput("A mail has at most {most} bytes.", field="mail", most=most)
    try:
        answer = parsing.parse(_return_path(sender) + raw, WALL_SECONDS)
    except OSError:
        # no process is to be had, or it got far more time than its limit allows it to use
        raise Busy(
            "The service is busy for a moment. Nothing was lost; please try again."
        ) from None
    try:
        letter = decode(Letter, answer)
    except msgspec.DecodeError:
        raise UnreadableLetter() from None
    named = letter.message_id.encode("utf-8", "replace") or raw
    key = hashlib.sha256(named).hexdigest()[:32]
    return msgspec.structs.replace(letter, key=key)


def _return_path(sender: str | None) -> bytes:
    """The Return-Path header that the final mail server adds (RFC 5321, 4.4): here, the door.

    An empty return path is often the only mark of an auto-reply.
    """
    return b"" if sender is None else f"Return-Path: <{sender}>\r\n".encode("utf-8", "replace")
