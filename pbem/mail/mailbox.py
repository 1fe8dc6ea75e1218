"""The embedded mailbox: mails stay on this machine and are shown on a page."""

from __future__ import annotations

import re
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import default
from typing import Any, NamedTuple

import msgspec
from sqlmodel import Session, col, func, select

from pbem.errors import BadInput
from pbem.mail import gateway
from pbem.service import Service
from pbem.store.models import ReceivedMail
from pbem.words import texts

#: At most this many mails in one answer.
MOST = 200
#: Bytes of a mail in which its headers are looked for.
_HEAD = 20_000
_LINK = re.compile(r"https?://[^\s<>\"']+")
#: Without controls: PostgreSQL keeps no text with a NUL.
_ADDRESS = re.compile(r"[^\s\x00-\x1f\x7f<>@,;:\"]{1,64}@[^\s\x00-\x1f\x7f<>@,;:\"]{1,253}")


class MailboxMail(msgspec.Struct, frozen=True):
    """A mail of the mailbox, as its page and ``GET /dev/mail`` show it."""

    id: int
    to: str
    #: ``from`` in JSON.
    sender: str = msgspec.field(name="from")
    #: Where an answer goes; "" if none is read.
    reply_to: str
    subject: str
    headers: dict[str, str]
    text: str
    html: str
    #: The links of the text part, in their order.
    links: list[str]
    received_at: datetime


#: Most of a mail are its pictures: they are not read where only its subject is shown.
_HEADING: Any = [
    ReceivedMail.id,
    ReceivedMail.address,
    ReceivedMail.message_id,
    ReceivedMail.received_at,
    func.substr(ReceivedMail.raw, 1, _HEAD),
]


class Heading(NamedTuple):
    """What the page that lists mails says of one."""

    id: int
    to: str
    subject: str
    received_at: datetime


def deliver(
    session: Session,
    now: datetime,
    *,
    address: str,
    sender: str,
    message_id: str,
    return_path: str,
    raw: bytes,
) -> None:
    """Puts a mail into the mailbox, in the transaction that marks it as sent.

    Like every final mail server, it puts a Return-Path header on top.
    """
    session.add(
        ReceivedMail(
            address=address,
            sender=sender,
            message_id=message_id[:200],
            received_at=now,
            raw=f"Return-Path: <{return_path}>\r\n".encode() + raw,
        )
    )


def listed(service: Service, to: str | None = None, after: int = 0) -> list[MailboxMail]:
    """The mails to an address (or to all) with an id above ``after``, oldest first."""
    query = select(ReceivedMail).where(col(ReceivedMail.id) > after)
    if to is not None:
        query = query.where(ReceivedMail.address == texts.as_stored(to))
    with service.database.read() as session:
        rows = session.exec(query.order_by(col(ReceivedMail.id)).limit(MOST)).all()
    return [read(row) for row in rows]


def newest(service: Service, to: str | None, before: int) -> list[Heading]:
    """The headings of the last mails to an address (or to all) with an id below ``before``."""
    query = select(*_HEADING).where(col(ReceivedMail.id) < before)
    if to is not None:
        query = query.where(ReceivedMail.address == texts.as_stored(to))
    with service.database.read() as session:
        rows = session.exec(query.order_by(col(ReceivedMail.id).desc()).limit(MOST)).all()
    return [
        Heading(number, address, _subject(head, ours=bool(message_id)), at)
        for number, address, message_id, at, head in rows
    ]


def _subject(raw: bytes, *, ours: bool) -> str:
    """The subject of a mail from its beginning. What came from outside is not parsed."""
    if ours:
        return str(BytesHeaderParser(policy=default).parsebytes(raw)["Subject"] or "")
    head = raw.decode("utf-8", "replace").replace("\r\n", "\n").partition("\n\n")[0]
    subject = re.search(r"(?im)^subject:(.*)$", head)
    return subject[1].strip()[:200] if subject else ""


def one(service: Service, number: int) -> MailboxMail | None:
    """The mail of this id."""
    with service.database.read() as session:
        row = session.get(ReceivedMail, number)
    return read(row) if row else None


def receive(service: Service, raw: bytes) -> int:
    """Takes a message as if it had arrived from outside; returns its id in the mailbox.

    Its orders have been carried out when this returns.

    Raises BadInput if it is too long or names no recipient.
    """
    most = service.settings.incoming.max_bytes
    if len(raw) > most:
        raise BadInput("A mail has at most {most} bytes.", field="mail", most=most)
    # only the two headers that are needed are read: the rest can be anything
    head = re.split(rb"\r?\n\r?\n", raw[:_HEAD], maxsplit=1)[0]
    to, sender = _named(head, b"to"), _named(head, b"from")
    if not to:
        raise BadInput("The mail has no line that says who it is for (To:).", field="mail")
    if gateway.is_for_us(raw):
        gateway.arrived(service, raw)
    with service.database.write("mailbox.receive") as session:
        row = ReceivedMail(
            address=texts.as_stored(to),
            sender=sender,
            message_id="",
            received_at=service.now(),
            raw=raw,
        )
        session.add(row)
        session.flush()
        return row.id or 0


def _named(head: bytes, name: bytes) -> str:
    """The last address in the first header of this name; "" if there is none."""
    line = re.search(rb"(?im)^" + name + rb":((?:.*\r?\n?)(?:[ \t].*\r?\n?)*)", head)
    if line is None:
        return ""
    found = _ADDRESS.findall(line[1][:2000].decode("ascii", "replace"))
    return found[-1] if found else ""


def read(row: ReceivedMail) -> MailboxMail:
    """The stored bytes as values."""
    if not row.message_id:
        return _letter(row)
    message = message_from_bytes(row.raw, policy=default)
    headers = {name: str(value) for name, value in message.items()}
    text = _part(message, "plain")
    return MailboxMail(
        id=row.id or 0,
        to=row.address,
        sender=row.sender,
        reply_to=(_ADDRESS.findall(headers.get("Reply-To", "")) or [""])[0],
        subject=headers.get("Subject", ""),
        headers=headers,
        text=text,
        html=_part(message, "html"),
        links=_links(text),
        received_at=row.received_at,
    )


def _letter(row: ReceivedMail) -> MailboxMail:
    """A letter from outside is shown as it came, not parsed: it can be anything, and some letters
    cost the library seconds or all memory."""
    body = row.raw.decode("utf-8", "replace").replace("\r\n", "\n").partition("\n\n")[2]
    return MailboxMail(
        id=row.id or 0,
        to=row.address,
        sender=row.sender,
        reply_to="",
        subject=_subject(row.raw, ours=False),
        headers={},
        text=body,
        html="",
        links=_links(body),
        received_at=row.received_at,
    )


def _links(text: str) -> list[str]:
    return list(dict.fromkeys(link.rstrip(".,;)") for link in _LINK.findall(text)))


def _part(message: EmailMessage, kind: str) -> str:
    body = message.get_body(preferencelist=(kind,))
    content: Any = body.get_content() if body is not None else ""
    return content if isinstance(content, str) else ""
