"""Values to JSON and back. One value has one text: keys in the order of the type, sets sorted."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_encoder = msgspec.json.Encoder(order="deterministic")


def encode(value: Any) -> bytes:
    """The value as JSON, the same bytes for the same value."""
    return _encoder.encode(value)


def decode(kind: type[T], data: bytes | str) -> T:
    """The value that ``encode`` wrote; ``msgspec.ValidationError`` where it is not of the kind."""
    return msgspec.json.decode(data, type=kind)


def plain(value: Any) -> Any:
    """The value as plain lists, dicts, texts and numbers, for templates and other programs."""
    return msgspec.json.decode(_encoder.encode(value))
