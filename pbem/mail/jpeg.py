"""Writes a JPEG in bands, each compressed once as long as it stays the same.

A JPEG may have restart markers (ITU-T T.81, B.2.1): what follows one is read without what was
before it. So each band is compressed by itself, and the file is all bands with a marker between
two. They have the same tables: those of the standard, by ``QUALITY``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image

from pbem.mail.palettes import Numbers

#: Rows of a band. With colours at half the size, a JPEG is made of squares of ``SQUARE`` pixels.
ROWS, SQUARE = 64, 16
#: Of 100. Pictures are shown at half their size or a little more, where the loss is not seen.
QUALITY = 37

_FRAME, _SCAN, _RESTARTS = 0xC0, 0xDA, 0xDD


class _Parts(NamedTuple):
    """A file taken apart: its segments before the scan, the scan's own, what is compressed."""

    segments: tuple[tuple[int, bytes], ...]
    scan: bytes
    content: bytes


def band(pixels: Numbers) -> bytes:
    """Compressed rows, as ``pixels`` has them: three channels of each."""
    return _parts(pixels).content


def file(size: tuple[int, int], bands: Iterable[bytes]) -> bytes:
    """The bytes of a JPEG of these bands, of ``size`` in pixels."""
    width, height = size
    parts = _parts(np.zeros((SQUARE, SQUARE, 3), np.uint8))
    content = [b"\xff\xd8"]
    for kind, data in parts.segments:
        if kind == _FRAME:
            # after the precision of its samples
            data = data[:1] + struct.pack(">HH", height, width) + data[5:]
        content.append(_segment(kind, data))
    between = -(-width // SQUARE) * (ROWS // SQUARE)
    content += [_segment(_RESTARTS, struct.pack(">H", between)), _segment(_SCAN, parts.scan)]
    for number, compressed in enumerate(bands):
        if number:
            content.append(bytes((0xFF, 0xD0 + (number - 1) % 8)))
        content.append(compressed)
    return b"".join([*content, b"\xff\xd9"])


def _segment(kind: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, kind, len(data) + 2) + data


def _parts(pixels: Numbers) -> _Parts:
    written = BytesIO()
    Image.fromarray(pixels).save(written, "JPEG", quality=QUALITY, subsampling="4:2:0")
    data, at = written.getvalue(), 2
    segments: list[tuple[int, bytes]] = []
    while True:
        _, kind, length = struct.unpack_from(">BBH", data, at)
        inside = data[at + 4 : at + 2 + length]
        at += 2 + length
        if kind == _SCAN:
            return _Parts(tuple(segments), inside, data[at:-2])
        segments.append((kind, inside))
