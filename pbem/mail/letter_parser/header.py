"""What the header says: who wrote it, to whom, and whether a person did."""

from __future__ import annotations

import re
from email.message import Message

from pbem.mail.letter_parser.parts import ADDRESS, MAX_VALUE, field

#: The recipient in a Received header.
_FOR = re.compile(rf"\sfor\s+<({ADDRESS.pattern})>")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT = re.compile(r"\([^()]*\)")
#: Reports that are not about delivery: read receipts, complaints.
_OTHER_REPORTS = ("disposition-notification", "feedback-report")
#: Most Authentication-Results that are read.
MAX_RESULTS = 20
_DMARC = re.compile(r"(?i)\s*dmarc\s*=\s*([a-z]{1,20})\b")
#: Who writes when a mail comes back.
_DAEMONS = ("mailer-daemon", "mailerdaemon", "postmaster", "mail-daemon", "mdaemon")
#: Most mails that a letter can name as those it answers.
MAX_ANSWERED = 20
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,198}>")
_AUTOMATIC_SUBJECT = re.compile(
    r"(?i)\s*(?:automatic reply|auto(?:matic)?[ -]?(?:reply|response)|out of (?:the )?office"
    r"|respuesta autom|fuera de la oficina|abwesen|automatische antwort)"
)


def sender(message: Message) -> str:
    """The one address of the From line; "" if it does not name exactly one."""
    values = message.get_all("From", [])
    if len(values) != 1:
        return ""
    bare = _bare(str(values[0]))
    bracketed = re.findall(r"<([^<>]*)>", bare)
    if len(bracketed) > 1 or "," in bare:
        return ""
    found = (bracketed[0] if bracketed else bare).strip()
    return found if ADDRESS.fullmatch(found) else ""


def _bare(value: str) -> str:
    """The value without quoted strings, and without comments, which may hold others."""
    text = _QUOTED.sub(" ", value[:MAX_VALUE])
    while (outer := _COMMENT.sub(" ", text)) != text:
        text = outer
    return text


def dmarc(message: Message) -> list[list[str]]:
    """The results for DMARC of the first headers that have one, each with who found it."""
    found = []
    for value in message.get_all("Authentication-Results", [])[:MAX_RESULTS]:
        who, *results = _bare(str(value)).split(";")
        # a version may follow the name
        name = (who.split() or [""])[0].lower()
        for one in filter(None, map(_DMARC.match, results)):
            found.append([name, one[1].lower()])
        if len(str(value)) > MAX_VALUE:
            # signatures of the sender's making can have pushed the result out of what is read
            found.append([name, "fail"])
    return found


def answered(message: Message) -> list[str]:
    """The Message-IDs of the mails that the letter answers, the first twenty."""
    named = " ".join(field(message, name) for name in ("In-Reply-To", "References"))
    return _MESSAGE_ID.findall(named)[:MAX_ANSWERED]


def recipients(message: Message) -> list[str]:
    """The recipients that the header names, the first fifty.

    In a catch-all mailbox, the address may be in the Received headers only.
    """
    found: list[str] = []
    for name in ("Delivered-To", "X-Original-To", "To", "Cc"):
        for value in message.get_all(name, [])[:5]:
            found += ADDRESS.findall(str(value)[:MAX_VALUE])
    for value in message.get_all("Received", [])[:5]:
        found += _FOR.findall(str(value)[:MAX_VALUE])
    return list(dict.fromkeys(found))[:50]


def nature(message: Message) -> str:
    """``bounce``, ``automatic`` or ``person``."""
    if message.get_content_type() in ("multipart/report", "message/delivery-status"):
        return "automatic" if _report_type(message) in _OTHER_REPORTS else "bounce"
    if "X-Failed-Recipients" in message or is_daemon(message):
        return "bounce"
    automatic = (
        _keyword(field(message, "Auto-Submitted")) not in ("", "no")
        or field(message, "Precedence").strip().lower()
        in ("bulk", "junk", "list", "auto_reply", "auto-reply")
        or any(
            name in message
            for name in (
                "X-Auto-Response-Suppress",
                "X-Autoreply",
                "X-Autorespond",
                "X-Autoresponder",
                "X-Vacation",
                "List-Id",
            )
        )
        or _AUTOMATIC_SUBJECT.match(field(message, "Subject")) is not None
    )
    if automatic:
        return "automatic"
    # many auto-replies have an empty return path, too
    returned = message.get("Return-Path")
    return "bounce" if returned is not None and str(returned).strip() in ("<>", "") else "person"


def _keyword(value: str) -> str:
    """The value in lower case, without parameters and comments (RFC 3834)."""
    return _bare(value).partition(";")[0].strip().lower()


def is_daemon(message: Message) -> bool:
    return sender(message).partition("@")[0].lower() in _DAEMONS


def _report_type(message: Message) -> str:
    return str(message.get_param("report-type", "")).lower()
