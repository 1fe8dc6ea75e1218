"""Lengths of time as people write them: ``72h``, ``15m``, ``1d12h``."""

from __future__ import annotations

import re

from pbem.errors import BadInput

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"([0-9]{1,7})([smhd])")


def parse_span(text: str, name: str) -> int:
    """Seconds of a span; BadInput, with the name of the clock's part, where it is none."""
    squeezed = text.strip().lower().replace(" ", "")
    parts = _PART.findall(squeezed)
    if not parts or "".join(number + unit for number, unit in parts) != squeezed:
        raise BadInput(
            "The clock's {name} is not a length of time: write it like 72h, 15m or 1d12h.",
            field="clock",
            name=name,
        )
    return sum(int(number) * _UNITS[unit] for number, unit in parts)


def span_text(seconds: int) -> str:
    """The shortest text that reads back as these seconds: ``3d``, ``1h30m``, ``0s``."""
    out = ""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        out += f"{number}{unit}" if number else ""
    return out or "0s"
