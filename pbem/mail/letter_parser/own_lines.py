"""What the sender wrote, without what programs put around it."""

from __future__ import annotations

import re
from email.message import Message
from itertools import pairwise

from pbem.mail.letter_parser import html
from pbem.mail.letter_parser.html import Read
from pbem.mail.letter_parser.parts import cleaned, decoded, texts

#: At most how many lines, and characters in a line, are kept.
MAX_LINES = 40
MAX_LINE = 2_100
#: A line shorter than this was not wrapped by a program.
WRAPPED_FROM = 60
#: What a line begins with that says something to others: it may hold a link, or go on with one.
SAYS = r"(?i:say|di|decir)(?:\s*:|\s)"
_SAYS = re.compile(SAYS)
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


def own_lines(message: Message) -> tuple[list[str], list[str]]:
    """What the sender wrote, without quotes and signatures: the first block, and the one below."""
    parts = texts(message)
    # some programs write HTML beside a text that they leave empty
    written = (part for part in parts if decoded(part).strip())
    plain = next((part for part in written if part.get_content_subtype() == "plain"), None)
    page = next((part for part in parts if part.get_content_subtype() == "html"), None)
    rich = html.read(decoded(page) if page is not None else "")
    if plain is None:
        return _own(rich.lines)
    lines = _unsigned(decoded(plain).split("\n"))
    flowed = str(plain.get_param("format", "")).lower() == "flowed"
    if flowed:
        lines = _unflowed(lines, str(plain.get_param("delsp", "")).lower() == "yes")
    else:
        lines = _unwrapped(lines, rich.lines)
    lines = _closed_up(_visible(lines, rich), rich.lines)
    return _own(lines, marks_are_sure=flowed)


def _visible(lines: list[str], rich: Read) -> list[str]:
    """Without what the HTML part hides or strikes out: programs leave it in the plain part."""
    shown = {cleaned(line) for line in rich.lines}
    out: list[str] = []
    for line in lines:
        text = cleaned(line)
        if text in shown or text not in rich.visible:
            out.append(line)
        elif rich.visible[text]:
            out.append(rich.visible[text])
    return out


def _unsigned(lines: list[str]) -> list[str]:
    """Without the head of a text that PGP signed (RFC 9580, 7); its foot ends what is read."""
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].strip() != "-----BEGIN PGP SIGNED MESSAGE-----":
        return lines
    head = next((number for number in range(first, len(lines)) if not lines[number].strip()), first)
    return lines[head:]


def _unflowed(lines: list[str], spaces_go: bool) -> list[str]:
    """Undoes format=flowed (RFC 3676)."""
    out: list[str] = []
    goes_on = False
    for line in lines:
        line = line.removeprefix(" ")
        if goes_on and not line.startswith(">") and line != "-- ":
            last = out[-1]
            out[-1] = (last[:-1] if spaces_go else last) + line
        else:
            out.append(line)
        goes_on = line.endswith(" ") and line != "-- " and not line.startswith(">")
    return out


def _unwrapped(lines: list[str], rich: list[str]) -> list[str]:
    """Joins lines that a program wrapped without a mark, if the HTML part has them as one."""
    whole = {cleaned(line) for line in rich}
    out: list[str] = []
    unmarked = 0
    for line in lines:
        unmarked += not line.startswith(">")
        if unmarked > 3 * MAX_LINES:
            break
        if out and len(out[-1]) >= WRAPPED_FROM and line.strip() and not line.startswith(">"):
            joined = cleaned(f"{out[-1]} {line}")
            if any(one.startswith(joined) for one in whole):
                out[-1] = joined
                continue
        out.append(line)
    return out


def _closed_up(lines: list[str], rich: list[str]) -> list[str]:
    """Without the empty lines that a program put between the paragraphs of the HTML part."""
    neighbours = set(pairwise(cleaned(line) for line in rich))
    out: list[str] = []
    gap: list[str] = []
    for line in lines:
        text = cleaned(line)
        if not text:
            gap.append(line)
            continue
        if not out or (cleaned(out[-1]), text) not in neighbours:
            out += gap
        gap = []
        out.append(line)
    return out


def _own(lines: list[str], *, marks_are_sure: bool = False) -> tuple[list[str], list[str]]:
    """The first block that the sender wrote, without a greeting, above the quote or below it.

    And the block below that one, in which orders may stand that are not read.

    Below it only if every line of the quote is marked. Unless the marks are sure, an empty line
    must be between: what a program wrapped from a marked line belongs to the quote, too.
    """
    out: list[str] = []
    below: list[str] = []
    block = out
    quoted, number = False, 0
    while number < len(lines) and len(block) < MAX_LINES:
        text = cleaned(lines[number])
        spans = _attribution(text, lines[number + 1 : number + 2])
        if spans or text.startswith(">"):
            if out or (spans and not _is_marked(lines[number + spans :])):
                break
            quoted = not marks_are_sure
            number += spans or 1
            continue
        if _ENDS.match(text[:500]) and not _is_said(text, block):
            break
        if not text:
            if below:
                break
            block = below if out else out
            quoted = False
        elif not quoted and (out or not _GREETING.fullmatch(text[:100])):
            block.append(text[:MAX_LINE])
        number += 1
    return out, below


def _is_said(text: str, above: list[str]) -> bool:
    """Whether a line with a link is a message to others, or may be the end of a long one."""
    message = above[-1] if above and len(above[-1]) >= WRAPPED_FROM else text
    return "://" in text and any(map(_SAYS.match, (text, message)))


def _is_marked(lines: list[str]) -> bool:
    """Whether a quote with marked lines begins here."""
    return next((cleaned(line) for line in lines if line.strip()), "").startswith(">")


def _attribution(text: str, following: list[str]) -> int:
    """How many lines the attribution that begins here takes; 0 if none does."""
    if _ATTRIBUTION.match(text[:200]):
        return 1
    joined = f"{text} {cleaned(following[0])}" if following else ""
    if _BEGINS_ATTRIBUTION.match(text[:200]) and _ATTRIBUTION.match(joined[:300]):
        return 2
    return 0
