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
_prepared: set[Any] = set()


def encode(value: Any) -> bytes:
    """The value as JSON, the same bytes for the same value."""
    return _encoder.encode(value)


def decode(kind: type[T], data: bytes | str) -> T:
    """The value that ``encode`` wrote; ``msgspec.ValidationError`` if it is of another type."""
    _prepare(kind)
    return msgspec.json.decode(data, type=kind)


def convert(value: Any, kind: type[T], *, strict: bool = True) -> T:
    """Like ``decode``, from plain values; if not ``strict``, numbers may be given as text."""
    _prepare(kind)
    return msgspec.convert(value, kind, strict=strict)


def _prepare(kind: Any) -> None:
    if kind not in _prepared:
        with _lock:
            msgspec.json.Decoder(kind)
        _prepared.add(kind)


def plain(value: Any) -> Any:
    """The value as plain lists, dicts, strings and numbers, for templates and other programs."""
    return msgspec.json.decode(_encoder.encode(value))
