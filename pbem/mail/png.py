"""Writes a PNG with a palette in bands, each compressed once as long as it stays the same.

All bands are one stream of zlib (RFC 1950): each ends at a whole byte, and begins with the rows
before it as its dictionary, which a reader of the stream has there anyway. So bands that are kept
are put one behind the other as they are, and only those that changed are compressed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from zlib_ng import zlib_ng

from pbem.mail.palettes import Colour, Numbers

#: Rows of a band, and how many before it are its dictionary.
ROWS, BEFORE = 64, 8

_ADLER = 65521


class Band(NamedTuple):
    """Compressed rows; their bytes and their checksum (Adler-32) before that."""

    content: bytes
    length: int
    checksum: int


def lines(pixels: Numbers) -> Numbers:
    """The rows as a PNG has them: each begins with the number of its filter, 0 for none."""
    return np.pad(pixels, ((0, 0), (1, 0)))


def band(rows: Numbers, before: int, level: int) -> Band:
    """``rows`` as ``lines`` makes them; the first ``before`` of them belong to the band before."""
    known, raw = rows[:before].tobytes(), rows[before:].tobytes()
    made = zlib_ng.compressobj(level, zlib_ng.DEFLATED, -zlib_ng.MAX_WBITS, zdict=known)
    content = made.compress(raw) + made.flush(zlib_ng.Z_SYNC_FLUSH)
    return Band(content, len(raw), zlib_ng.adler32(raw))


def bands(rows: Numbers, level: int) -> Iterator[Band]:
    """All bands of these lines."""
    for number in range(-(-len(rows) // ROWS)):
        top, bottom = reach(number, len(rows))
        yield band(rows[top:bottom], number * ROWS - top, level)


def reach(number: int, height: int) -> tuple[int, int]:
    """The first row that a band depends on, and the one after its last."""
    return max(number * ROWS - BEFORE, 0), min((number + 1) * ROWS, height)


def file(size: tuple[int, int], palette: Sequence[Colour], bands: Iterable[Band]) -> bytes:
    """The bytes of a PNG of these bands, of ``size`` in pixels."""
    head = struct.pack(">IIBBBBB", *size, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", head),
        (b"PLTE", b"".join(map(bytes, palette))),
        (b"IDAT", _stream(bands)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib_ng.crc32(data, zlib_ng.crc32(kind)))
        for kind, data in chunks
    )


def _stream(bands: Iterable[Band]) -> bytes:
    """The stream's head, the bands, an empty last block, the checksum of all."""
    content = [b"\x78\x9c"]
    one, two = 1, 0
    for it in bands:
        content.append(it.content)
        two = (two + it.length * (one - 1) + (it.checksum >> 16)) % _ADLER
        one = (one + (it.checksum & 0xFFFF) - 1) % _ADLER
    return b"".join([*content, b"\x03\x00", struct.pack(">HH", two, one)])
