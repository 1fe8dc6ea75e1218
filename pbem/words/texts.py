"""Text from people: what is accepted, and what is refused with a sentence.

What is accepted here is safe in a header, a page and a log line. It is still escaped when it is
shown; this only refuses what no name or note needs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from zoneinfo import available_timezones

from engine.errors import shown
from pbem.errors import BadInput

MAX_NAME = 60
#: A name as it is compared may be longer than it is: in tables it has so much room.
MOST_FOLDED = 120
MAX_PHRASE = 200
MAX_ADDRESS = 254
#: The languages of the service, each by its own name.
LANGUAGES: Mapping[str, str] = {"en": "English", "es": "Español"}

#: Unicode categories with no place in a name: controls, formats (zero width, direction marks),
#: surrogates, private and unassigned signs, line and paragraph separators.
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: The zero-width joiner: joins letters in some scripts and parts of an emoji; harmless between two
#: other characters.
_JOINER = "\u200d"
#: Letters and symbols by their category, but invisible.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
#: At most this many combining marks on one letter: more than any living script needs.
MOST_MARKS = 4
_TOO_MANY_MARKS = re.compile(rf"M{{{MOST_MARKS + 1}}}")
#: What a name may hold and nobody sees: it makes no other name.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u200d\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)

_ATOM = r"[A-Za-z0-9!#$%&'*+/=^_`{|}~-]+"
_ADDRESS = re.compile(
    rf"{_ATOM}(?:\.{_ATOM})*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*"
    r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
)

#: What looks like an address, perhaps in angle brackets; a link; a token.
_ANY_ADDRESS = re.compile(r"<?[^\s<>@:;,()\"]{1,64}@[^\s<>@:;,()\"']{1,253}>?")
_ANY_LINK = re.compile(r"(?i)(?:\b[a-z][a-z0-9+.-]{0,20}://|\bwww\.)\S*")
_ANY_TOKEN = re.compile(r"(?i)\b[1-9a-z][0-9a-z]{0,11}-[a-z2-7]{32}\b")

#: What mail programs make a link of; a title before a name ("St.John") is none.
_WEB_ADDRESS = re.compile(
    r"(?i:://|\bwww\.|\bhttps?:|@)"
    r"|\w\.(?:[a-z]{2,24}|[A-Z]{2,24}|xn--[a-z0-9-]+)(?!\w)"
    r"|\d+\.\d+\.\d+\.\d+"
)
#: Other dots that programs read as the dot of a domain.
_DOTS = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": "."})

_WORDS = tuple(
    """
    amber anchor apple arrow autumn badger basil beacon birch bridge bronze candle canyon cedar
    cello cherry clover cobalt comet coral cotton crane crystal daisy dolphin dragon ember falcon
    feather fennel forest fox garden ginger glacier granite harbor hazel heron honey indigo iris
    island ivory jasmine juniper kestrel lantern lemon lilac linen lotus lynx maple marble meadow
    melon mint mirror monsoon moss nectar nutmeg oak ocean olive onyx opal orchid otter paper
    pebble pepper pine plum poppy quartz quill rain raven reef river robin saffron sage salmon
    shadow silver sparrow spruce stone summer swan thistle thunder tiger topaz tulip valley velvet
    violet walnut willow winter wren yarrow zephyr
    """.split()
)


def clean(text: str, field: str, most: int) -> str:
    """The text, stripped and normalized (NFC); BadInput if it contains what is not accepted."""
    if not isinstance(text, str):
        raise BadInput("The {name} must be text.", field=field, name=field)
    if len(text) > most * 4:
        raise BadInput(
            "The {name} has at most {most} characters.", field=field, name=field, most=most
        )
    text = unicodedata.normalize("NFC", text.strip())
    if not text:
        raise BadInput("The {name} is missing.", field=field, name=field)
    if len(text) > most:
        raise BadInput(
            "The {name} has at most {most} characters.", field=field, name=field, most=most
        )
    refused = _unfit(text, field)
    if refused is not None:
        raise refused
    return text


def _unfit(text: str, field: str) -> BadInput | None:
    """What is wrong with the characters of a text that is not empty."""
    inner = text.replace(_JOINER, "")
    kinds = [unicodedata.category(sign) for sign in inner]
    harmful = BadInput(
        "The {name} contains characters that cannot be used in it.", field=field, name=field
    )
    if _REFUSED.intersection(kinds) or "=?" in text:
        return harmful
    if all(
        kind[0] not in "LNPS" or sign in _BLANK for sign, kind in zip(inner, kinds, strict=True)
    ):
        return BadInput("The {name} needs at least one visible character.", field=field, name=field)
    if _JOINER in (text[0], text[-1]) or kinds[0].startswith("M"):
        return harmful
    if _TOO_MANY_MARKS.search("".join(kind[0] for kind in kinds)):
        return BadInput("The {name} has too many marks on one letter.", field=field, name=field)
    return None


def name(text: str, field: str = "name") -> str:
    """A name. It stands in subjects and in mails to people who never agreed, so no web address."""
    found = clean(text, field, MAX_NAME)
    if _WEB_ADDRESS.search(unicodedata.normalize("NFKC", found).translate(_DOTS)):
        raise BadInput("The {name} cannot be a web address.", field=field, name=field)
    return found


def folded(name: str) -> str:
    """A name as it is compared: without case, kinds and numbers of spaces, and what is not seen.

    At most ``MOST_FOLDED`` characters.
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", _UNSEEN.sub("", text)).split())[:MOST_FOLDED]


def numbered(name: str) -> Iterator[str]:
    """This name with each number from 2 on: "Ben 2", "Ben 3". No two are compared as equal."""
    for number in count(2):
        end = f" {number}"
        base = name[: MAX_NAME - len(end)]
        while len(folded(base)) > MOST_FOLDED - len(end):
            # otherwise what is compared would be cut before the number
            base = base[:-1]
        yield base.rstrip() + end


def phrase(text: str) -> str:
    return clean(text, "seed phrase", MAX_PHRASE)


def address(text: str, field: str = "e-mail address") -> str:
    """An e-mail address as it is stored: as typed, the domain in lower case."""
    if not isinstance(text, str) or len(text) > MAX_ADDRESS * 4:
        raise BadInput("The {name} cannot be used.", field=field, name=field)
    text = text.strip()
    if not text:
        raise BadInput("The {name} is missing.", field=field, name=field)
    local = text.rpartition("@")[0]
    if len(text) > MAX_ADDRESS or len(local) > 64 or not _ADDRESS.fullmatch(text):
        raise BadInput(
            "“{address}” is not an e-mail address that mail can be sent to. Write it like "
            "ben@example.org.",
            field=field,
            address=shown(text),
        )
    return as_stored(text)


def as_stored(address: str) -> str:
    """An address as ``address`` stores it, whatever it is."""
    local, at, domain = address.rpartition("@")
    return f"{local}{at}{domain.lower()}"


def is_doubtful(email: str) -> bool:
    """Whether an address looks mistyped: the host is asked about it; it is never refused."""
    domain = email.rpartition("@")[2].lower()
    return "." not in domain or domain in _SLIPS or domain.endswith(_WRONG_ENDS)


#: Common misspellings of large mail services' domains, and ends that no domain has.
_SLIPS = frozenset(
    "gmial.com gmai.com gmil.com gamil.com gmal.com gnail.com gmaill.com gmail.co gmail.cm "
    "hotmial.com hotmal.com hotmai.com hotmil.com hotnail.com hotmail.co "
    "yaho.com yahooo.com yhaoo.com yahoo.co outlok.com outloo.com outlook.co "
    "iclod.com icoud.com iclould.com icloud.co".split()
)
_WRONG_ENDS = (".con", ".cmo", ".vom", ".xom", ".comm", ".ogr", ".ner")


@cache
def zones() -> frozenset[str]:
    """All names of the IANA list. Cached: reading the files takes ten milliseconds."""
    # which zone these are is up to the machine
    return frozenset(available_timezones() - {"localtime", "Factory", "posixrules"})


@cache
def places() -> tuple[str, ...]:
    """The time zones to choose from: places, old names too, because browsers give them."""
    return "UTC", *sorted(zone for zone in zones() if zone.startswith(_REGIONS))


_REGIONS = (
    *("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/"),
    *("Australia/", "Europe/", "Indian/", "Pacific/"),
)


def zone(text: str) -> str:
    """A time zone of the IANA list."""
    if text not in zones():
        raise BadInput(
            "{zone} is not a time zone. Write it like Europe/Madrid or UTC.",
            field="zone",
            zone=shown(text),
        )
    return text


def language(text: str) -> str:
    if text not in LANGUAGES:
        raise BadInput(
            "{language} is not a language of this service. There are: {languages}.",
            field="language",
            language=shown(text),
            languages=", ".join(LANGUAGES),
        )
    return text


def drawn_phrase(entropy: Callable[[int], bytes]) -> str:
    """A seed phrase for a player who does not choose one: five words, about 33 bits."""
    return " ".join(drawn(_WORDS, 5, entropy))


def drawn(things: Sequence[str], count: int, entropy: Callable[[int], bytes]) -> list[str]:
    """That many of the things, drawn uniformly (to within one part in 2**48)."""
    return [things[int.from_bytes(entropy(8), "big") % len(things)] for _ in range(count)]


def printable(text: str) -> str:
    """The text on one line: a space for each sign that no terminal prints as it is."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def without_addresses(text: str, email: str) -> str:
    """What a mail service said, on one line, without addresses, links and tokens.

    ``email`` is the address it is about: its local part alone is left out as well.
    """
    text = printable(text[:4000])
    for form in (_ANY_LINK, _ANY_ADDRESS, _ANY_TOKEN):
        text = form.sub("…", text)
    local = email.rpartition("@")[0]
    if len(local) > 2:
        text = re.sub(rf"(?i)(?<![\w.]){re.escape(local)}(?![\w])", "…", text)
    return " ".join(text.split())
