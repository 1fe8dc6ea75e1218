"""Parses a letter: its bytes on standard input, the result as JSON on standard output.

It is run as a script, in a process that may crash: letters come from anybody, and some cost the
library seconds, all memory or the stack. ``pbem.mail.letter`` starts it with limits and validates
its output. It needs the standard library only.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import unicodedata
from collections.abc import Iterator
from email import message_from_bytes, message_from_string
from email.message import Message
from html.parser import HTMLParser
from typing import Any

#: Seconds of CPU time and bytes of memory that one letter may cost.
CPU_SECONDS = 1
MEMORY_BYTES = 512 * 1024 * 1024
#: Limits on a letter's structure.
MAX_HEADERS = 300
MAX_HEADER_BYTES = 100_000
MAX_BOUNDARY_LINES = 2_000
MAX_PARTS = 100
MAX_DEPTH = 20
#: Bytes of a letter that are parsed, after base64 lines beyond ``MAX_BASE64_LINES`` in a row are
#: left out: an answer may contain the picture of the mail it quotes, and the end of a text of that
#: length is not needed.
READ_BYTES = 262_144
MAX_BASE64_LINES = 1_000
#: Longest text that is read, in characters; at most how many lines, and characters in a line, are
#: kept.
MAX_TEXT = 50_000
MAX_LINES = 40
MAX_LINE = 2_100
#: Longest value of a header that is read.
MAX_VALUE = 4_000
#: A line shorter than this was not wrapped by a program.
WRAPPED_FROM = 60

_BASE64 = re.compile(rb"[A-Za-z0-9+/]{60,}={0,2}")
#: The recipient in a Received header.
_FOR = re.compile(r"\sfor\s+<([^\s<>@,;:\"()]{1,64}@[^\s<>@,;:\"()]{1,253})>")
_ADDRESS = re.compile(r"[^\s<>@,;:\"()]{1,64}@[^\s<>@,;:\"()]{1,253}")
#: A line that is an address, perhaps with a colon: the reason is below it.
_ADDRESSED = re.compile(r"<?[^\s<>@]{1,64}@[^\s<>@]{1,253}>?:?")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT = re.compile(r"\([^()]*\)")

#: From such a line on nothing is the sender's text: signatures, quotes without marks.
_ENDS = re.compile(
    r"""(?ix)
    --\s*$ | —\s*$ | _{5,}\s*$ | -{3,}.*-{3,}\s*$         # a signature, a rule
    | (?:from|de|von|da|van|od|från|fra|от|差出人|发件人
      |sent|enviado|gesendet|envoyé|inviato|verzonden|wysłano|skickat|отправлено
      |送信日時
      |subject|asunto|betreff|objet|oggetto|assunto|onderwerp|temat|ämne|тема|件名)
      \s*[:：]\s                                           # the header of a quoted mail
    | (?:sent|get|enviado|obtener|obt[eé]n|gesendet|envoyé|télécharger|inviato|scarica|verzonden
      |verstuurd|wysłan[oe]|skickat|sendt|отправлено|holen\ sie\ sich|diese\ nachricht)
      \ (?:from|with|via|outlook|desde|con|do|de|von|mit|wurde|depuis|da|met|vanaf|z|från|fra
        |с|из)\b
    | von\ meinem\ .*\ gesendet | .*から送信 | 从我的.*发送
    | \[cid: | .*://                                      # pictures and links: no order has any
    """
)
#: Who wrote the quote below, and when: by the words of several languages; in any other, by an
#: address, or a date and an hour, before the colon at the end.
_ATTRIBUTION = re.compile(
    r"""(?ix)
    (?:on|el|am|le|il|op|em)\b
      .*(?:wrote|escribi[oó]|schrieb|crit|scritto|schreef|escreveu).*[:：]\s*$
    | .*<[^<>\s]+@[^<>\s]+>.*[:：]\s*$
    | .*\d{4}.*\d{1,2}[:.h]\d{2}.*[:：]\s*$
    """
)
#: The beginning of an attribution whose end was wrapped onto the next line.
_BEGINS_ATTRIBUTION = re.compile(
    r"(?i)(?:on|el|am|le|il|op|em)\b.*(?:\d{4}|<[^>]*@)|.*\d{4}.*\d{1,2}[:.h]\d{2}"
)
#: A line that is only a greeting.
_GREETING = re.compile(
    r"""(?ix)
    (?:hi|hello|hey|dear|good\ (?:morning|afternoon|evening|day)|greetings
      |hola|buenas|buenos\ d[ií]as
      |estimad[oa]s?|querid[oa]s?|hallo|guten\ (?:tag|morgen|abend)|liebe[rs]?|moin|servus
      |bonjour|bonsoir|salut|ciao|buongiorno|olá|oi|hej|cześć|dzień\ dobry|привет|здравствуйте)
    (?:\s[^\d:?]{0,40})?[\s,.!:;\u2010-\u2015-]*
    """
)
#: Longest diagnostic of a mail service, and most recipients of a report, that are kept.
MAX_DIAGNOSTIC = 1_000
MAX_OUTCOMES = 20

#: Reports that are not about delivery: read receipts, complaints.
_OTHER_REPORTS = ("disposition-notification", "feedback-report")
#: Most Authentication-Results that are read.
MAX_RESULTS = 20
_DMARC = re.compile(r"(?i)\s*dmarc\s*=\s*([a-z]{1,20})\b")
#: Who writes when a mail comes back.
_DAEMONS = ("mailer-daemon", "mailerdaemon", "postmaster", "mail-daemon", "mdaemon")
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
_AUTOMATIC_SUBJECT = re.compile(
    r"(?i)\s*(?:automatic reply|auto(?:matic)?[ -]?(?:reply|response)|out of (?:the )?office"
    r"|respuesta autom|fuera de la oficina|abwesen|automatische antwort)"
)


class OutOfBoundsError(Exception):
    """The letter is too deep or too large to be parsed."""


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
    return {
        "sender": _sender(message),
        "to": _recipients(message),
        "message_id": _value(message, "Message-ID").strip(),
        "list_id": _value(message, "List-Id").strip(),
        "nature": _nature(message),
        "dmarc": _dmarc(message),
        "lines": _lines(message),
        "outcomes": _outcomes(message),
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


# --- the header ---


def _value(message: Message, name: str) -> str:
    return str(message.get(name, ""))[:MAX_VALUE]


def _sender(message: Message) -> str:
    """The one address of the From line; "" if it does not name exactly one."""
    values = message.get_all("From", [])
    if len(values) != 1:
        return ""
    bare = _COMMENT.sub(" ", _QUOTED.sub(" ", str(values[0])[:MAX_VALUE]))
    bracketed = re.findall(r"<([^<>]*)>", bare)
    if len(bracketed) > 1 or "," in bare:
        return ""
    found = (bracketed[0] if bracketed else bare).strip()
    return found if _ADDRESS.fullmatch(found) else ""


def _dmarc(message: Message) -> list[list[str]]:
    """The results for DMARC of the first headers that have one, each with who found it."""
    found = []
    for value in message.get_all("Authentication-Results", [])[:MAX_RESULTS]:
        who, *results = _COMMENT.sub(" ", _QUOTED.sub(" ", str(value)[:MAX_VALUE])).split(";")
        # a version may follow the name
        name = (who.split() or [""])[0].lower()
        for one in filter(None, map(_DMARC.match, results)):
            found.append([name, one[1].lower()])
    return found


def _recipients(message: Message) -> list[str]:
    """The recipients that the header names, the first fifty.

    In a catch-all mailbox, the address may be in the Received headers only.
    """
    found: list[str] = []
    for name in ("Delivered-To", "X-Original-To", "To", "Cc"):
        for value in message.get_all(name, [])[:5]:
            found += _ADDRESS.findall(str(value)[:MAX_VALUE])
    for value in message.get_all("Received", [])[:5]:
        found += _FOR.findall(str(value)[:MAX_VALUE])
    return list(dict.fromkeys(found))[:50]


def _nature(message: Message) -> str:
    """``bounce``, ``automatic`` or ``person``."""
    if message.get_content_type() in ("multipart/report", "message/delivery-status"):
        return "automatic" if _report_type(message) in _OTHER_REPORTS else "bounce"
    if "X-Failed-Recipients" in message or _is_daemon(message):
        return "bounce"
    automatic = (
        _value(message, "Auto-Submitted").strip().lower() not in ("", "no")
        or _value(message, "Precedence").strip().lower()
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
        or _AUTOMATIC_SUBJECT.match(_value(message, "Subject")) is not None
    )
    if automatic:
        return "automatic"
    # many auto-replies have an empty return path, too
    returned = message.get("Return-Path")
    return "bounce" if returned is not None and str(returned).strip() in ("<>", "") else "person"


def _is_daemon(message: Message) -> bool:
    return _sender(message).partition("@")[0].lower() in _DAEMONS


def _report_type(message: Message) -> str:
    return str(message.get_param("report-type", "")).lower()


# --- the text ---


def _lines(message: Message) -> list[str]:
    """What the sender wrote: the first block of lines, without quotes and signatures."""
    parts = _texts(message)
    plain = next((part for part in parts if part.get_content_subtype() == "plain"), None)
    html = next((part for part in parts if part.get_content_subtype() == "html"), None)
    rich = _of_html(_decoded(html)) if html is not None else []
    if plain is None:
        return _own(rich)
    lines = _decoded(plain).split("\n")
    if str(plain.get_param("format", "")).lower() == "flowed":
        return _own(_unflowed(lines, str(plain.get_param("delsp", "")).lower() == "yes"))
    return _own(_unwrapped(lines, rich))


def _parts(message: Message, depth: int = 0, counted: list[int] | None = None) -> Iterator[Message]:
    """The parts of the letter, in their order. An attached mail is not opened."""
    counted = [0] if counted is None else counted
    counted[0] += 1
    if counted[0] > MAX_PARTS or depth > MAX_DEPTH:
        raise OutOfBoundsError("parts")
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for part in message.get_payload():
            if isinstance(part, Message):
                yield from _parts(part, depth + 1, counted)
    else:
        yield message


def _texts(message: Message) -> list[Message]:
    """The text parts that are not attachments."""
    return [
        part
        for part in _parts(message)
        if part.get_content_type() in ("text/plain", "text/html")
        and part.get_content_disposition() != "attachment"
        and part.get_filename() is None
    ]


def _decoded(part: Message) -> str:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    content = content[: 4 * MAX_TEXT]
    for charset in (str(part.get_content_charset() or "utf-8"), "utf-8"):
        try:
            text = content.decode(charset)
        except (LookupError, UnicodeError, ValueError):
            continue
        break
    else:
        text = content.decode("latin-1")
    return text[:MAX_TEXT].replace("\r\n", "\n")


def _unflowed(lines: list[str], spaces_go: bool) -> list[str]:
    """Undoes format=flowed (RFC 3676)."""
    out: list[str] = []
    goes_on = False
    for line in lines:
        line = line[1:] if line.startswith(" ") else line
        if goes_on and not line.startswith(">") and line != "-- ":
            last = out[-1]
            out[-1] = (last[:-1] if spaces_go else last) + line
        else:
            out.append(line)
        goes_on = line.endswith(" ") and line != "-- " and not line.startswith(">")
    return out


def _unwrapped(lines: list[str], rich: list[str]) -> list[str]:
    """Joins lines that a program wrapped without a mark, if the HTML part has them as one."""
    whole = {_plain(line) for line in rich}
    out: list[str] = []
    for line in lines:
        if out and len(out[-1]) >= WRAPPED_FROM and line.strip():
            joined = _plain(f"{out[-1]} {line}")
            if any(one.startswith(joined) for one in whole):
                out[-1] = joined
                continue
        out.append(line)
        if len(out) > 3 * MAX_LINES:
            break
    return out


def _own(lines: list[str]) -> list[str]:
    """The first block that the sender wrote, without a greeting, above the quote or below it.

    Below it only if every line of the quote is marked and an empty line is between: what a program
    wrapped from a marked line belongs to the quote, too.
    """
    out: list[str] = []
    quoted, number = False, 0
    while number < len(lines) and len(out) < MAX_LINES:
        text = _plain(lines[number])
        spans = _attribution(text, lines[number + 1 : number + 2])
        if spans or text.startswith(">"):
            if out or (spans and not _is_marked(lines[number + spans :])):
                break
            quoted = True
            number += spans or 1
            continue
        if text and _ENDS.match(text[:500]):
            break
        if not text:
            if out:
                break
            quoted = False
        elif not quoted and (out or not _GREETING.fullmatch(text[:100])):
            out.append(text[:MAX_LINE])
        number += 1
    return out


def _is_marked(lines: list[str]) -> bool:
    """Whether a quote with marked lines begins here."""
    return next((_plain(line) for line in lines if line.strip()), "").startswith(">")


def _attribution(text: str, following: list[str]) -> int:
    """How many lines the attribution that begins here takes; 0 if none does."""
    if _ATTRIBUTION.match(text[:200]):
        return 1
    joined = f"{text} {_plain(following[0])}" if following else ""
    if _BEGINS_ATTRIBUTION.match(text[:200]) and _ATTRIBUTION.match(joined[:300]):
        return 2
    return 0


def _plain(line: str) -> str:
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


#: Classes and ids that programs give to a quote that is the rest of the mail.
_UNENDED = r"(?i)gmail_quote|divRplyFwdMsg|appendonsend|yahoo_quoted|protonmail_quote"


class _Html(HTMLParser):
    """The text of an HTML part, a line for each block, without what is not shown.

    A ``blockquote`` becomes one marked line; from a quote without an end on, nothing is read.
    """

    _BLOCKS = frozenset(
        {"p", "div", "br", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "blockquote", "hr"}
    )
    _HIDDEN = frozenset({"style", "script", "head", "title"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = [""]
        #: Whether the current line is still empty: a block then need not begin another.
        self._fresh = True
        self._hidden = 0
        self._quotes = 0
        self.over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._HIDDEN:
            self._hidden += 1
        named = {name: value or "" for name, value in attrs}
        marks = f"{named.get('class', '')} {named.get('id', '')}"
        if re.search(_UNENDED, marks):
            self.over = True
        if tag == "blockquote":
            self._begin_quote()
        if tag == "br":
            self._end_line(forced=True)
        elif tag in self._BLOCKS:
            self._end_line(forced=False)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in self._BLOCKS and tag != "br":
            self._end_line(forced=False)
        if tag == "blockquote" and self._quotes:
            self._quotes -= 1
            if not self._quotes and not self.over:
                self.lines += ["", ""]

    def _begin_quote(self) -> None:
        self._end_line(forced=False)
        if not self._quotes and not self.over:
            self.lines[-1] = ">"
            self._end_line(forced=True)
        self._quotes += 1

    def handle_data(self, data: str) -> None:
        if self.over or self._hidden or self._quotes or not data:
            return
        shown = re.sub(r"[ \t\n\r\f]+", " ", data)
        if shown.strip(" ") or not self._fresh:
            self.lines[-1] += shown
            self._fresh = False

    def _end_line(self, *, forced: bool) -> None:
        if not self.over and not self._quotes and (forced or not self._fresh):
            self.lines.append("")
            self._fresh = True


def _of_html(html: str) -> list[str]:
    parser = _Html()
    # the beginning of a very long page is enough: the answer is above the quote
    parser.feed(html)
    return parser.lines


# --- what a mail service reports ---


def _outcomes(message: Message) -> list[dict[str, Any]]:
    """What became of a mail of ours, for each recipient; empty if this is no bounce."""
    if _nature(message) != "bounce":
        return []
    statuses = ("message/delivery-status", "message/global-delivery-status")
    reports = [part for part in _parts(message) if part.get_content_type() in statuses]
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
    said = _AGAIN.sub(" ", " ".join(_value(group, "Diagnostic-Code").split()))
    diagnostic = said.partition(";")
    status = _STATUS.search(_value(group, "Status"))
    named = re.match(r"\s*([A-Za-z]+)", _value(group, "Action"))
    action = named[1].lower() if named else ""
    if action not in ("failed", "delayed", "delivered", "relayed", "expanded"):
        kinds = {"5": "failed", "4": "delayed", "2": "delivered"}
        action = kinds[status[1][0]] if status else "unclear"
    recipients = [
        found
        for name in ("Original-Recipient", "Final-Recipient")
        for found in _ADDRESS.findall(_value(group, name))
    ]
    return {
        "action": action,
        "status": status[1] if status else "",
        "recipients": recipients[:4],
        "diagnostic": (diagnostic[2] or diagnostic[0]).strip()[:MAX_DIAGNOSTIC],
    }


def _in_words(message: Message) -> list[dict[str, Any]]:
    """What a bounce without a report says, as qmail, older Exim and others write it."""
    subject = _value(message, "Subject")
    failed = _ADDRESS.findall(_value(message, "X-Failed-Recipients"))
    lines = _said(message)
    text = "\n".join([subject, *lines])
    # the body alone proves little: an auto-reply can say that an address is closed for good
    named = _STILL_TRIED.search(subject) or _GIVEN_UP.search(subject)
    if not (failed or named or _is_daemon(message)):
        return []
    status = _STATUS.search(text)
    code = status or _REPLY_CODE.search(text)
    if _STILL_TRIED.search(text) and not failed:
        action = "delayed"
    elif failed or _GIVEN_UP.search(text):
        action = "failed"
    elif code is not None and _is_daemon(message):
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
    parts = _texts(message)
    plain = [part for part in parts if part.get_content_subtype() == "plain"]
    lines = _decoded(plain[0]).split("\n") if plain else []
    if not plain and parts:
        lines = _of_html(_decoded(parts[0]))
    out: list[str] = []
    for line in lines[: 3 * MAX_LINES]:
        if _COPY.match(line[:200]):
            break
        out.append(_plain(line)[:MAX_LINE])
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


def main() -> None:
    limit()
    json.dump(read(sys.stdin.buffer.read()), sys.stdout)


if __name__ == "__main__":
    main()
