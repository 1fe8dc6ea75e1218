"""JSON with exactly one text for each value: hashes cover it, and files of records are written so.

It is what Python's own ``json`` writes with keys sorted, no spaces, and signs beyond ASCII as they
are; ``pbem.record.verify_dice`` writes it so. msgspec writes the same bytes in a tenth of the time,
unless a number has an exponent.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from engine.codec import plain

_fast = msgspec.json.Encoder(order="sorted").encode


class _ExponentError(Exception):
    """A number has an exponent, which ``_fast`` writes differently."""


def _number(text: str) -> float:
    if "e" in text.lower():
        raise _ExponentError
    return float(text)


_reader = msgspec.json.Decoder(float_hook=_number)


def canonical(value: Any) -> bytes:
    """The text of a value that JSON can hold, of structs too."""
    data = _fast(value)
    try:
        _reader.decode(data)
    except _ExponentError:
        return _slow(value)
    return data


def read(data: bytes) -> tuple[Any, Callable[[Any], bytes]]:
    """The value of a text, and what writes it and all its parts as ``canonical`` does.

    Raises ValueError or RecursionError if it is not JSON.
    """
    try:
        return _reader.decode(data), _fast
    except _ExponentError:
        return json.loads(data), _slow


def _slow(value: Any) -> bytes:
    text = json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()
