"""Lengths of time as people write them: ``72h``, ``1d12h``, ``3 days``, ``2 días y 12 horas``."""

from __future__ import annotations

import re
import unicodedata

from pbem.errors import BadInput

_SIZES = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
#: The words for each unit, in English and in Spanish, without accents.
_WORDS = {
    "s": "s sec secs second seconds seg segs segundo segundos",
    "m": "m min mins minute minutes minuto minutos",
    "h": "h hr hrs hour hours hora horas",
    "d": "d day days dia dias",
    "w": "w wk wks week weeks sem semana semanas",
}
_UNITS = {word: _SIZES[unit] for unit, words in _WORDS.items() for word in words.split()}
_PART = r"([0-9]{1,7}) *([a-z]+)\.?"
_SPAN = re.compile(rf"{_PART}(?: *(?:,|and |y |, *and |, *y )? *{_PART})*")
#: Longest text that is parsed, in characters.
_MOST = 80


def seconds_of(text: str) -> int:
    """Seconds of a span; ValueError if the text is none."""
    if len(text) > _MOST:
        raise ValueError("not a length of time")
    letters = unicodedata.normalize("NFKD", text.strip().casefold())
    plain = " ".join("".join(sign for sign in letters if not unicodedata.combining(sign)).split())
    if plain == "0":
        return 0
    found = re.findall(_PART, plain) if _SPAN.fullmatch(plain) else []
    if not found or not all(unit in _UNITS for _number, unit in found):
        raise ValueError("not a length of time")
    return sum(int(number) * _UNITS[unit] for number, unit in found)


def parse_span(text: str, name: str) -> int:
    """Seconds of a span; BadInput, with the name of the clock's part, if it is none."""
    try:
        return seconds_of(text)
    except ValueError:
        raise BadInput(
            "The clock's {name} is not a length of time: write it like 72h, 15m or 1d12h.",
            field="clock",
            name=name,
        ) from None


def span_text(seconds: int) -> str:
    """The shortest text that parses to these seconds: ``3d``, ``1h30m``, ``0s``."""
    out = ""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        out += f"{number}{unit}" if number else ""
    return out or "0s"
