"""JSON encoding and decoding, deterministic: keys in the order of the type, sets sorted.

All decoding happens here. msgspec builds its description of a type on first use. Two threads that
do so at the same time, even for two types that share a third, crash the process, so it happens
under a lock (docs/decisions/threads.md).
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_encoder = msgspec.json.Encoder(order="deterministic")
_lock = threading.Lock()
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def encode(value: Any) -> bytes:
    """The value as JSON, the same bytes for the same value."""
    return _encoder.encode(value)


def decode(kind: type[T], data: bytes | bytearray | memoryview | str) -> T:
    """The value that ``encode`` wrote; ``msgspec.ValidationError`` if it is of another type."""
    value: T = decoder(kind).decode(data)
    return value


def convert(value: Any, kind: type[T], *, strict: bool = True) -> T:
    """Like ``decode``, from plain values; if not ``strict``, numbers may be given as text.

    A union of types is described anew at each call, which takes longer than all else: many values
    of one are better decoded.
    """
    decoder(kind)
    return msgspec.convert(value, kind, strict=strict)


def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """What decodes values of this type; it is made once."""
    found = _decoders.get(kind)
    if found is None:
        with _lock:
            found = _decoders[kind] = msgspec.json.Decoder(kind)
    return found


def plain(value: Any) -> Any:
    """The value as plain lists, dicts, strings and numbers, for templates and other programs."""
    return msgspec.json.decode(_encoder.encode(value))
