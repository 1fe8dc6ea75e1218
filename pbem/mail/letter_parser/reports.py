"""What a mail service reports of a mail of ours."""

from __future__ import annotations

import re
from email import message_from_string
from email.message import Message
from typing import Any

from pbem.mail.letter_parser import html
from pbem.mail.letter_parser.header import is_daemon, nature
from pbem.mail.letter_parser.own_lines import MAX_LINE, MAX_LINES
from pbem.mail.letter_parser.parts import (
    ADDRESS,
    MAX_PARTS,
    cleaned,
    decoded,
    field,
    parts_of,
    texts,
)

#: Longest diagnostic of a mail service, and most recipients of a report, that are kept.
MAX_DIAGNOSTIC = 1_000
MAX_OUTCOMES = 20
#: A line that is an address, perhaps with a colon: the reason is below it.
_ADDRESSED = re.compile(r"<?[^\s<>@]{1,64}@[^\s<>@]{1,253}>?:?")
_STATUS = re.compile(r"(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)")
_REPLY_CODE = re.compile(r"(?<![\d.])([45])\d\d(?:[ -]|$)")
#: From such a line on, a bounce without a report is a copy of the mail.
_COPY = re.compile(
    r"(?i)[\s-]*(?:below this line is a copy|(?:this is )?a copy of (?:the|your) |original message"
    r"|(?:unsent|returned|original) (?:message|mail) (?:follows|below|headers?|text)"
    r"|message header)"
)
_AGAIN = re.compile(r"(?<=[^;])\s+[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3}\s)?")
_STILL_TRIED = re.compile(
    r"(?i)not (?:yet )?been delivered|delivery (?:status notification )?\(?delay|delayed \d"
    r"|(?:will|to) (?:be retried|retry|keep trying|continue to try|try again)|still being tried"
    r"|temporary problem|no action is required"
)
_GIVEN_UP = re.compile(
    r"(?i)permanent|could ?n[o']t be (?:delivered|found|reached)|was ?n[o']t (?:delivered|able to)"
    r"|(?:could|can) ?n[o']t deliver|given up|giving up|not going to try|undeliver"
    r"|deliver\w* (?:has )?failed|failed to deliver|fail(?:ure|ed) (?:notice|notification|delivery)"
    r"|returned (?:mail|to sender|message)"
    r"|(?:user|mailbox|address)[\w ]{0,20} (?:unknown|not found)"
    r"|unknown (?:user|address|recipient)|no such (?:user|mailbox|address|recipient)|rejected"
)


def outcomes(message: Message) -> list[dict[str, Any]]:
    """What became of a mail of ours, for each recipient; empty if this is no bounce."""
    if nature(message) != "bounce":
        return []
    statuses = ("message/delivery-status", "message/global-delivery-status")
    reports = [part for part in parts_of(message) if part.get_content_type() in statuses]
    found = [_outcome(group) for part in reports for group in _groups(part)]
    known = [one for one in found if one is not None]
    return known[:MAX_OUTCOMES] if known else _in_words(message)


def _groups(part: Message) -> list[Message]:
    """The groups of fields of a report: the first is about the mail, the others about recipients.

    The library parses the older of the two kinds into groups; the other one into a mail.
    """
    inside = part.get_payload()
    groups = [one for one in inside if isinstance(one, Message)] if isinstance(inside, list) else []
    if part.get_content_type() == "message/global-delivery-status":
        rest = str(groups[0].get_payload()) if groups else str(inside)
        groups += [message_from_string(text) for text in re.split(r"\n\s*\n", rest)[:MAX_PARTS]]
    return groups[:MAX_PARTS]


def _outcome(group: Message) -> dict[str, Any] | None:
    """A recipient's fields (RFC 3464); None for other fields."""
    if "Action" not in group and "Status" not in group:
        return None
    # an SMTP reply of several lines repeats its code on each
    said = _AGAIN.sub(" ", " ".join(field(group, "Diagnostic-Code").split()))
    diagnostic = said.partition(";")
    status = _STATUS.search(field(group, "Status"))
    named = re.match(r"\s*([A-Za-z]+)", field(group, "Action"))
    action = named[1].lower() if named else ""
    if action not in ("failed", "delayed", "delivered", "relayed", "expanded"):
        kinds = {"5": "failed", "4": "delayed", "2": "delivered"}
        action = kinds[status[1][0]] if status else "unclear"
    recipients = [
        found
        for name in ("Original-Recipient", "Final-Recipient")
        for found in ADDRESS.findall(field(group, name))
    ]
    return {
        "action": action,
        "status": status[1] if status else "",
        "recipients": recipients[:4],
        "diagnostic": (diagnostic[2] or diagnostic[0]).strip()[:MAX_DIAGNOSTIC],
    }


def _in_words(message: Message) -> list[dict[str, Any]]:
    """What a bounce without a report says, as qmail, older Exim and others write it."""
    subject = field(message, "Subject")
    failed = ADDRESS.findall(field(message, "X-Failed-Recipients"))
    lines = _said(message)
    text = "\n".join([subject, *lines])
    # the body alone proves little: an auto-reply can say that an address is closed for good
    named = _STILL_TRIED.search(subject) or _GIVEN_UP.search(subject)
    if not (failed or named or is_daemon(message)):
        return []
    status = _STATUS.search(text)
    code = status or _REPLY_CODE.search(text)
    if _STILL_TRIED.search(text) and not failed:
        action = "delayed"
    elif failed or _GIVEN_UP.search(text):
        action = "failed"
    elif code is not None and is_daemon(message):
        action = "failed" if code[1][0] == "5" else "delayed"
    else:
        return []
    return [
        {
            "action": action,
            "status": status[1] if status else "",
            "recipients": failed[:MAX_OUTCOMES],
            "diagnostic": _reason(lines)[:MAX_DIAGNOSTIC],
        }
    ]


def _said(message: Message) -> list[str]:
    """The lines of a bounce above the copy of the mail."""
    parts = texts(message)
    plain = [part for part in parts if part.get_content_subtype() == "plain"]
    lines = decoded(plain[0]).split("\n") if plain else []
    if not plain and parts:
        lines = html.read(decoded(parts[0])).lines
    out: list[str] = []
    for line in lines[: 3 * MAX_LINES]:
        if _COPY.match(line[:200]):
            break
        out.append(cleaned(line)[:MAX_LINE])
    return out


def _reason(lines: list[str]) -> str:
    """The reason, in the mail service's words: the paragraph with a code, or below an address."""
    begins = next(
        (at for at, line in enumerate(lines) if _STATUS.search(line) or _REPLY_CODE.search(line)),
        None,
    )
    if begins is None:
        below = (at + 1 for at, line in enumerate(lines) if _ADDRESSED.fullmatch(line))
        begins = next(below, None)
    if begins is None:
        begins = next((at for at, line in enumerate(lines) if _GIVEN_UP.search(line)), None)
    if begins is None:
        return ""
    out: list[str] = []
    for line in lines[begins : begins + 5]:
        if not line:
            break
        out.append(line)
    return " ".join(out)
