"""Values to JSON and back. One value has one text: keys in the order of the type, sets sorted.

What is read as a type is read here and nowhere else. msgspec works out how a type is read when it
is first asked to. Two threads that ask at once, be it for two types that share a third, kill the
process, so it happens under a lock (docs/decisions/threads.md).
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_encoder = msgspec.json.Encoder(order="deterministic")
_alone = threading.Lock()
_worked_out: set[Any] = set()


def encode(value: Any) -> bytes:
    """The value as JSON, the same bytes for the same value."""
    return _encoder.encode(value)


def decode(kind: type[T], data: bytes | str) -> T:
    """The value that ``encode`` wrote; ``msgspec.ValidationError`` where it is not of the kind."""
    _work_out(kind)
    return msgspec.json.decode(data, type=kind)


def convert(value: Any, kind: type[T], *, strict: bool = True) -> T:
    """The same from plain values; not strict takes numbers that are written as texts."""
    _work_out(kind)
    return msgspec.convert(value, kind, strict=strict)


def _work_out(kind: Any) -> None:
    if kind not in _worked_out:
        with _alone:
            msgspec.json.Decoder(kind)
        _worked_out.add(kind)


def plain(value: Any) -> Any:
    """The value as plain lists, dicts, texts and numbers, for templates and other programs."""
    return msgspec.json.decode(_encoder.encode(value))
