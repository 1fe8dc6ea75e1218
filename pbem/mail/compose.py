"""From texts to the bytes of a mail, and a check against header injection.

Every text that comes from people is made safe first. Then the finished bytes are parsed again, as a
relay would: the header must have the intended fields, each once, with the intended values, and the
body the intended parts. A mail that fails this check is not sent.

Texts, pictures and attachments are put in after that, encoded: for the library and the check a line
stands for each, which costs a tenth of writing and parsing them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.header import Header, decode_header, make_header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy, default
from email.utils import format_datetime, parseaddr
from typing import Any, cast

from pbem.record.proof import HEADER

#: Longest subject and longest name in a header, in characters.
MAX_SUBJECT = 120
MAX_SHOWN_NAME = 70

#: Headers of bare ids and links: they are sent unfolded. The library turns long ones into encoded
#: words, which no program decodes in these headers.
_PLAIN = frozenset(
    {"message-id", "in-reply-to", "references", "list-id", "list-unsubscribe", "date"}
)
_ADDRESSES = frozenset({"from", "to", "reply-to"})
#: The headers that every mail has besides those of ``_headers``.
_STRUCTURE = ("MIME-Version", "Content-Type")

#: Signs of a stand-in: in base64 a third more, and a line may have 76.
_STAND_IN = 48

#: Unicode categories that are refused in a header: controls, formats, surrogates, private and
#: unassigned characters, line and paragraph separators.
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINER = "\u200d"


class HeaderError(Exception):
    """A mail whose bytes, parsed again, are not what was meant."""


class _Policy(EmailPolicy):
    """SMTP's line ends; ids and links as they are; names and subjects in whole encoded words.

    The library's own folding loses parts of long names that are not ASCII. Headers are stored as
    given: the library would parse each of them again at every access.
    """

    def header_store_parse(self, name: str, value: Any) -> tuple[str, Any]:
        if any(sign in str(value) for sign in "\r\n"):
            raise HeaderError(f"The header {name} has more than one line.")
        return name, value

    def header_fetch_parse(self, name: str, value: Any) -> Any:
        return value

    def fold(self, name: str, value: Any) -> str:
        kind = name.lower()
        if kind in _PLAIN:
            return f"{name}: {value}\r\n"
        if kind in _ADDRESSES:
            return f"{name}: {_mailbox(name, value)}\r\n"
        if kind == "subject":
            return f"{name}: {_encoded(name, str(value))}\r\n"
        return str(super().fold(name, value))

    def fold_binary(self, name: str, value: Any) -> bytes:
        return self.fold(name, value).encode("ascii")


def _mailbox(name: str, address: Address) -> str:
    shown = address.display_name
    if not shown:
        return address.addr_spec
    if shown.isascii():
        quoted = shown.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{quoted}" <{address.addr_spec}>'
    return f"{_encoded(name, shown)}\r\n <{address.addr_spec}>"


def _encoded(name: str, text: str) -> str:
    if text.isascii():
        return text
    return Header(text, "utf-8", maxlinelen=76, header_name=name).encode(linesep="\r\n")


_POLICY = _Policy(
    linesep="\r\n",
    cte_type="7bit",
    refold_source="long",
    max_line_length=SMTP.max_line_length,
)


@dataclass(frozen=True)
class Attachment:
    """A file in JSON that is attached to a mail."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Picture:
    """A picture of the HTML part, which refers to it as ``cid:ID``."""

    id: str
    content: bytes
    #: ``png`` or ``jpeg``.
    subtype: str
    #: How wide the HTML part shows it, in CSS pixels.
    width: int = 0


@dataclass(frozen=True)
class Draft:
    """A mail before it is bytes. It may contain people's texts as they are."""

    sender: str
    sender_name: str
    recipient: str
    recipient_name: str
    subject: str
    text: str
    html: str
    language: str
    date: datetime
    #: With angle brackets, as in the header.
    message_id: str
    #: The id of the thread; "" for a mail outside of any.
    thread: str = ""
    list_id: str = ""
    #: The link that stops these mails with one click; "" if there is none.
    unsubscribe: str = ""
    #: What the mail binds, for programs; "" for a mail of no match.
    proof: str = ""
    reply_to: str = ""
    pictures: Sequence[Picture] = field(default=())
    attachments: Sequence[Attachment] = field(default=())


def safe(text: str, most: int) -> str:
    """The text, safe for a header: one line, printable, no start of an encoded word."""
    kept = "".join(
        " " if unicodedata.category(sign) in _REFUSED and sign != _JOINER else sign for sign in text
    )
    while "=?" in kept:
        kept = kept.replace("=?", "= ?")
    kept = " ".join(kept.split())
    return kept if len(kept) <= most else kept[: most - 1].rstrip() + "…"


def compose(draft: Draft) -> bytes:
    """The bytes of the mail; HeaderError if they are not what was meant."""
    texts = [_quoted(draft.text), _quoted(draft.html)]
    pictures = [_base64(one.content) for one in draft.pictures]
    contents = [*texts, *pictures, *(_base64(one.content) for one in draft.attachments)]
    stands = {_stand_in(draft.message_id, n): content for n, content in enumerate(contents)}
    stand_ins = iter(stands)
    message = EmailMessage(policy=_POLICY)
    message.set_content(next(stand_ins), charset="utf-8", cte="quoted-printable")
    message.add_alternative(
        next(stand_ins), subtype="html", charset="utf-8", cte="quoted-printable"
    )
    _text, html = cast("list[EmailMessage]", message.get_payload())
    for picture in draft.pictures:
        html.add_related(
            next(stand_ins).encode(),
            maintype="image",
            subtype=picture.subtype,
            cid=f"<{picture.id}>",
            disposition="inline",
            filename=f"{picture.id.partition('@')[0]}.{picture.subtype}",
        )
    for attachment in draft.attachments:
        message.add_attachment(
            next(stand_ins).encode(),
            maintype="application",
            subtype="json",
            filename=attachment.name,
        )
    # last: making a multipart moves headers named Content-... into its first part
    headers = _headers(draft)
    for name, value in headers:
        message[name] = value
    _set_boundaries(message, draft.message_id)
    raw = message.as_bytes(policy=_POLICY)
    _check(draft, headers, raw)
    return _filled(raw, stands.items())


def _stand_in(message_id: str, number: int) -> str:
    """A line that nobody can write into a mail, because nobody knows its id."""
    return hashlib.sha256(f"{message_id} {number}".encode()).hexdigest()[:_STAND_IN]


def _filled(raw: bytes, contents: Iterable[tuple[str, bytes]]) -> bytes:
    """The mail with each content in place of its stand-in, as it is or in base64."""
    pieces = []
    for stand_in, content in contents:
        lines = stand_in.encode(), base64.b64encode(stand_in.encode())
        line = next((line for line in lines if b"\r\n" + line + b"\r\n" in raw), b"")
        if not line:
            raise HeaderError("The mail does not hold what was meant.")
        before, _, raw = raw.partition(b"\r\n" + line + b"\r\n")
        pieces += [before, b"\r\n", content]
    return b"".join([*pieces, raw])


def _quoted(text: str) -> bytes:
    """In quoted-printable (RFC 2045, 6.7), with an end of line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n") + "\n"
    return binascii.b2a_qp(lines.replace("\n", "\r\n").encode(), istext=True)


def _base64(content: bytes) -> bytes:
    """In lines of 76 signs (RFC 2045, 6.8)."""
    return base64.encodebytes(content).replace(b"\n", b"\r\n")


def _headers(draft: Draft) -> list[tuple[str, Any]]:
    """The headers of the mail, in their order."""
    from_name = safe(draft.sender_name, MAX_SHOWN_NAME)
    to_name = safe(draft.recipient_name, MAX_SHOWN_NAME)
    found: list[tuple[str, Any]] = [
        ("From", Address(from_name, addr_spec=draft.sender)),
        ("To", Address(to_name, addr_spec=draft.recipient)),
        ("Subject", safe(draft.subject, MAX_SUBJECT)),
        ("Date", format_datetime(draft.date)),
        ("Message-ID", draft.message_id),
    ]
    if draft.thread:
        found += [("In-Reply-To", draft.thread), ("References", draft.thread)]
    if draft.reply_to:
        found.append(("Reply-To", Address("", addr_spec=draft.reply_to)))
    found += [("Auto-Submitted", "auto-generated"), ("Content-Language", draft.language)]
    if draft.list_id:
        found.append(("List-Id", draft.list_id))
    if draft.unsubscribe:
        found += [
            ("List-Unsubscribe", f"<{draft.unsubscribe}>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ]
    if draft.proof:
        found.append((HEADER, draft.proof))
    return found


def _set_boundaries(message: EmailMessage, message_id: str) -> None:
    """Boundaries that are derived from the message's id, so the same mail has the same bytes.

    ``=_`` never occurs in quoted-printable or base64 text, so no part can contain a boundary.
    """
    seed = hashlib.sha256(message_id.encode()).hexdigest()[:24]
    multiparts = [part for part in message.walk() if part.is_multipart()]
    for number, part in enumerate(multiparts):
        part.set_boundary(f"=_{seed}_{number}")


def _check(draft: Draft, headers: Sequence[tuple[str, Any]], raw: bytes) -> None:
    """Parses the bytes again and compares them with what was meant."""
    head, _, _body = raw.partition(b"\r\n\r\n")
    if any(line and not 32 <= sign < 127 for line in head.split(b"\r\n") for sign in line):
        raise HeaderError("The header holds signs that are not printable ASCII.")
    names = [
        line.partition(b":")[0].decode()
        for line in head.split(b"\r\n")
        if not line.startswith((b" ", b"\t"))
    ]
    meant = [name for name, _value in headers]
    if sorted(names) != sorted([*meant, *_STRUCTURE]):
        raise HeaderError("The header does not hold the names that were meant.")
    read = message_from_bytes(raw)
    if read.defects:
        raise HeaderError("The mail cannot be read without defects.")
    for name, value in headers:
        header = default.header_fetch_parse(name, read[name])
        if header.defects:
            raise HeaderError(f"The header {name} cannot be read without defects.")
        if _read(read[name], isinstance(value, Address)) != str(value):
            raise HeaderError(f"The header {name} does not say what was meant.")
        if name in ("From", "To") and [it.addr_spec for it in header.addresses] != [
            value.addr_spec
        ]:
            raise HeaderError(f"The header {name} does not name the address that was meant.")
    kinds = [part.get_content_type() for part in read.walk() if not part.is_multipart()]
    wanted = ["text/plain", "text/html", *[f"image/{one.subtype}" for one in draft.pictures]]
    wanted += ["application/json"] * len(draft.attachments)
    if kinds != wanted:
        raise HeaderError("The mail does not hold the parts that were meant.")


def _read(raw: str, is_address: bool) -> str:
    """A header's value, decoded as other programs do it.

    The library itself puts spaces between the encoded words of a long name.
    """
    text = raw.replace("\r\n", "").replace("\n", "")
    if not is_address:
        return str(make_header(decode_header(text)))
    name, address = parseaddr(text)
    return str(Address(str(make_header(decode_header(name))), addr_spec=address))
