"""Lengths of time as people write them: ``72h``, ``15m``, ``1d12h``, ``2w``, ``0``."""

from __future__ import annotations

import re

from pbem.errors import BadInput

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SPAN = re.compile(r"(?:[0-9]{1,7}[smhdw])+")
_PART = re.compile(r"([0-9]+)([smhdw])")


def seconds_of(text: str) -> int:
    """Seconds of a span; ValueError where the text is none."""
    squeezed = text.strip().lower().replace(" ", "")
    if squeezed == "0":
        return 0
    if not _SPAN.fullmatch(squeezed):
        raise ValueError("not a length of time")
    return sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(squeezed))


def parse_span(text: str, name: str) -> int:
    """Seconds of a span; BadInput, with the name of the clock's part, where it is none."""
    try:
        return seconds_of(text)
    except ValueError:
        raise BadInput(
            "The clock's {name} is not a length of time: write it like 72h, 15m or 1d12h.",
            field="clock",
            name=name,
        ) from None


def span_text(seconds: int) -> str:
    """The shortest text that reads back as these seconds: ``3d``, ``1h30m``, ``0s``."""
    out = ""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        out += f"{number}{unit}" if number else ""
    return out or "0s"
