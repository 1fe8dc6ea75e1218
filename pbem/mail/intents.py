"""What a line of a letter means if it is no order: people answer a mail as they answer people.

Nothing that cannot be taken back is done for such a line: it is answered with one sentence and the
one link that does it. The whole line must match, in English or Spanish, so that no order is taken
for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal, TypeAlias
from unicodedata import normalize

from pbem.mail.letter_parser.own_lines import SAYS
from pbem.mail.letter_parser.parts import cleaned

Meaning: TypeAlias = Literal["stop", "resign", "undo", "thanks", "question", "closing"]

_I = r"(?:(?:please|sorry|oops|ups|por favor|perd[oó]n|lo siento)[\s,]+)?"
_SAID: dict[Meaning, str] = {
    "stop": r"""
        stop(?:\ (?:it|this|all|the|these|my|sending|mailing|e-?mailing|mails?|e-?mails?|me))*
        | unsubscribe(?:\ me)? | opt\ out | remove\ me(?:\ from.*)? | take\ me\ off.*
        | (?:no|i\ (?:want|wish)\ no|i\ do\ ?n[o']t\ want(?:\ any)?)\ more\ (?:e-?)?mails?
        | (?:darme|dadme|dame)?\ ?de\ baja | baja | cancelar?(?:\ la)?\ suscripci[oó]n
        | no\ (?:quiero\ )?m[aá]s\ (?:correos?|mensajes) | (?:basta|para|parad)(?:\ ya)?
        | (?:deja|dejad|dejen)\ de\ (?:enviar|mandar|escribir).*
    """,
    "resign": r"""
        (?:i\ )?(?:resign|quit|forfeit|concede|give\ up) | i(?:'m|\ am)\ (?:quitting|resigning)
        | (?:i\ (?:want|would\ like|need|have)\ to|i'd\ like\ to|i'll|let\ me)\ (?:resign|quit|leave
        |forfeit|drop\ out|stop\ playing|give\ up).*
        | (?:i\ )?(?:leave|quit)\ the\ (?:match|game)
        | (?:me\ rindo|abandono|renuncio|me\ retiro|lo\ dejo|dejo)
          (?:\ (?:la|el)\ (?:partida|juego))?
        | quiero\ (?:dejar|abandonar|retirar|rendir).*
    """,
    "undo": r"""
        undo(?:\ (?:that|it|this|my|the|last|move|please))* | i\ take\ (?:it|that)\ back
        | (?:can|may|could)\ i\ (?:undo|take)\b.*
        | take\ (?:it|that|my\ (?:last\ )?move)?\ ?back
        | (?:oops|ups|i\ made\ a\ mistake|that\ was\ (?:a\ mistake|wrong)|wrong\ move)
        | desh(?:acer|az|azlo)(?:\ (?:la|mi)\ (?:[uú]ltima\ )?jugada)?
        | me\ (?:he\ )?equivo\w+ | retir(?:ar|o)\ (?:la|mi)\ jugada
        | (?:quiero|puedo)\ (?:deshacer|retirar|volver\ atr[aá]s).*
    """,
    "thanks": r"""
        (?:many\ )?(?:thanks|thank\ you|thx|ty|cheers\ mate)(?:\ .{0,30})? | ok(?:ay)? | got\ it
        | (?:gg | good\ (?:game|luck) | well\ played | nice\ (?:one|move|game) | great
          | buena\ (?:partida|suerte|jugada))
          (?:[\s,.!]+(?:thanks|thank\ you|gracias|(?:a\ )?tod[oa]s
          |(?:to\ )?(?:all|every(?:one|body))))*
        | (?:muchas\ )?gracias(?:\ .{0,30})? | vale | entendido
        | perfecto | de\ acuerdo
    """,
    "question": r"""
        (?:what|how|which|when|who|whose|why|where|is\ it|am\ i|can\ i|may\ i|do\ i|should\ i)\b.*
        | (?:qu[eé]|c[oó]mo|cu[aá]l(?:es)?|cu[aá]ndo|qui[eé]n|por\ qu[eé]|d[oó]nde|puedo)\b.*
        | .*\?+ | (?:i\ do\ ?n[o']t|no\ lo|no)\ (?:understand|entiendo).* | rules | reglas
    """,
    "closing": r"""
        -+ | (?:with\ )?(?:best|kind|warm|many)?\ ?(?:regards|wishes|greetings) | best | cheers
        | bye | yours(?:\ .{0,20})? | sincerely | love | (?:un\ |muchos\ )?
          (?:saludos?|abrazos?|besos?)(?:\ .{0,20})?
        | atentamente | cordialmente | adi[oó]s | hasta\ (?:luego|pronto|ma[nñ]ana)
        | (?:mit\ |viele\ |liebe\ |freundlichen\ )*gr(?:u|ü)(?:ß|ss)e?n? | lg | mfg | vg | tschüss?
        | cordialement | bien\ à\ (?:toi|vous) | à\ bientôt | saluti | abraços | groet(?:jes|en)?
    """,
}
_MEANINGS = {
    meaning: re.compile(
        rf"(?ix){_I.replace(' ', chr(92) + ' ')}(?:{said})(?:[\s,]+(?:please|por\ favor))?[\s.!,…]*"
    )
    for meaning, said in _SAID.items()
}
#: Quotes that programs put in place of the typed ones.
_TYPED = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "„": '"'})
_DASHES = re.compile("[\u2010-\u2015\u2212]")


def meaning(line: str) -> Meaning | None:
    """What a line means that is no order; None if it may be an order."""
    plain = line.translate(_TYPED)
    return next((one for one, said in _MEANINGS.items() if said.fullmatch(plain)), None)


_SAY = re.compile(rf"(?s){SAYS}\s*(.+)")
_TO_ALL = re.compile(
    r"(?is)(?:to|a)\s+(?:all|everybody|everyone|the table|todos|todas|la mesa)\s*[:,]\s*(.+)"
)
_AT = re.compile(r"(?s)@(.+)")
_TO = re.compile(r"(?is)(?:to|a)\s+(.+)")
#: An address of which nobody of that name is there: it must not be said to all.
_TO_SOMEBODY = re.compile(r"(?is)(?:to|a)\s+[^:]{1,60}:.*|@.*")


def said(line: str) -> str | None:
    """What a line of a letter says to others, with whom it is for; None if it says nothing."""
    found = _SAY.fullmatch(line)
    return found[1] if found else None


def addressed(text: str, names: Sequence[str]) -> tuple[int | Literal["table"] | None, str]:
    """Whom a message is for, by the names of the seats, and its text.

    ``to Bob: TEXT``, ``@Bob TEXT`` and ``@2 TEXT`` are for a seat (the first is 1); a text without
    an address, and ``to all: TEXT``, are for the table. None: for somebody who is not there, or
    for one of two whom it can mean, by their names or because one is called like a number or all.
    """
    # as the lines of a letter are read: what joins the parts of an emoji is gone there
    names = [normalize("NFC", cleaned(name)) for name in names]
    text = normalize("NFC", text)
    to_all = _TO_ALL.fullmatch(text)
    for form in (_AT, _TO):
        found = form.fullmatch(text)
        if found is not None and (one := _for_one(found[1], names, numbers=form is _AT)):
            return one if to_all is None else (None, text)
    if to_all is not None:
        return "table", to_all[1]
    return (None, text) if _TO_SOMEBODY.fullmatch(text) else ("table", text)


def _for_one(rest: str, names: Sequence[str], *, numbers: bool) -> tuple[int | None, str] | None:
    """The seat whose name (or number) a text begins with, the longest first, and what follows."""
    known = set(names)
    if numbers:
        known |= {f"{seat + 1}" for seat in range(len(names))}
    for name in sorted(known, key=len, reverse=True):
        found = re.fullmatch(rf"(?is)#?{re.escape(name)}(?:\s*[:,]\s*|\s+)(\S.*)", rest)
        if found is None and re.match(rf"(?i)#?{re.escape(name)}\W", rest):
            # a slip of the mark after the name: nobody else should read it
            return None, rest
        if found is not None:
            seats = {seat for seat, one in enumerate(names) if one.casefold() == name.casefold()}
            if numbers and re.fullmatch("[1-9]", name) and int(name) <= len(names):
                seats.add(int(name) - 1)
            return (seats.pop() if len(seats) == 1 else None), found[1]
    return None


_WEEKDAYS = (
    ("monday", "lunes"),
    ("tuesday", "martes"),
    ("wednesday", "miércoles", "miercoles"),
    ("thursday", "jueves"),
    ("friday", "viernes"),
    ("saturday", "sábado", "sabado"),
    ("sunday", "domingo"),
)
_WEEKDAY_OF = {word: number for number, words in enumerate(_WEEKDAYS) for word in words}
_UNTIL = re.compile(
    r"(?:(?:un)?til|till|through|thru|hasta|al)\s+(?:(?:including|the|next|this|coming|el|la"
    rf"|pr[oó]ximo|que viene)\s+)*({'|'.join(_WEEKDAY_OF)})(?:\s+(?:inclusive|que viene))?[\s.!]*"
)


def until_weekday(days: str, today: date) -> tuple[date, date] | None:
    """Today and the next day that is the weekday named as the last; None if none is named.

    The last day is never today: "until Friday", written on a Friday, means a week.
    """
    # lower case first: a match that ignores case takes the Turkish i for an ASCII one
    found = _UNTIL.fullmatch(normalize("NFC", days).lower())
    if found is None:
        return None
    ahead = (_WEEKDAY_OF[found[1]] - today.weekday() - 1) % 7 + 1
    return today, today + timedelta(days=ahead)


#: What stands before the lines of a list. Programs write a list with ``*`` in plain text.
_LIST_MARK = re.compile(r"^(?:[-*•‣▪·]|\d{1,2}[.)])\s+(?=\S)")
_END_MARKS = re.compile(r"(?<=\S)[.!;,…]+$")


def unmarked(line: str) -> str:
    """A line without the mark of a list before it, and without quotes around it."""
    return _unquoted(_LIST_MARK.sub("", line.strip())) or line


def plain_order(text: str) -> str:
    """An order without quotes around it and marks at its end, and with typed dashes and quotes."""
    plain = _DASHES.sub("-", text.translate(_TYPED)).strip()
    plain = _END_MARKS.sub("", _unquoted(_END_MARKS.sub("", plain)))
    return plain or text


def readings(line: str) -> list[str]:
    """The orders that a line can be: without the mark of a list, and with it if it may be a joker.

    A list of HTML is written with ``*`` in plain text, and so is a joker of Dog.
    """
    texts = [unmarked(line), line] if line.strip().startswith("* ") else [unmarked(line)]
    return [plain_order(text) for text in texts]


def _unquoted(text: str) -> str:
    typed = text.translate(_TYPED)
    if len(text) > 2 and typed[0] == typed[-1] and typed[0] in "\"'`":
        return text[1:-1].strip()
    return text
