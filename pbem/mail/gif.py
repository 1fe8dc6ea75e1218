"""Drawings one after the other as an animated GIF, made frame by frame.

All frames share the colours of a few of them. A frame holds only the part that differs from the
one before it, so most are small.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from PIL import GifImagePlugin, Image, ImageChops

from pbem.mail import pictures

#: Pixels across and at most down; milliseconds for which a frame and the last one are shown.
WIDTH, TALLEST = 480, 640
SHOWN, SHOWN_LAST = 600, 4000
#: Around a drawing of another shape.
PAPER = "#fbf8f1"
#: Bytes after which only the last frame is added.
MOST_BYTES = 6_000_000
#: The number of the transparent colour, and the difference of colours, of 255, that is not seen.
CLEAR, LITTLE = 255, 7
#: Plays for ever.
_LOOP = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_END = b";"


def animated(drawings: Iterable[str], samples: Sequence[str]) -> Iterator[bytes]:
    """The bytes of the file, a frame each.

    ``samples``: a few of the drawings. All frames have their colours, and room for the tallest.
    """
    seen = [pictures.pixels(svg) for svg in samples]
    height = min(TALLEST, max(round(one.height * WIDTH / one.width) for one in seen))
    palette = _palette([_fitted(one, height) for one in seen])
    shown: Image.Image | None = None
    sent = 0
    waiting: Image.Image | None = None
    for svg in drawings:
        if waiting is not None and sent < MOST_BYTES:
            chunk, shown = _part(waiting, shown, palette, SHOWN)
            sent += len(chunk)
            yield chunk
        first, waiting = waiting is None, _fitted(pictures.pixels(svg), height)
        if first:
            yield _header(waiting.size, palette)
    if waiting is not None:
        yield _part(waiting, shown, palette, SHOWN_LAST)[0]
    yield _END


def _fitted(drawn: Image.Image, height: int) -> Image.Image:
    """The whole drawing within a frame: a game may draw its stages in other shapes."""
    scale = min(WIDTH / drawn.width, height / drawn.height)
    size = round(drawn.width * scale), round(drawn.height * scale)
    frame = Image.new("RGB", (WIDTH, height), PAPER)
    at = (WIDTH - size[0]) // 2, (height - size[1]) // 2
    frame.paste(drawn.resize(size, Image.Resampling.BOX, reducing_gap=1.0), at)
    return frame


def _palette(samples: Sequence[Image.Image]) -> Image.Image:
    """An image with the colours of these."""
    whole = Image.new("RGB", (WIDTH, sum(one.height for one in samples)))
    top = 0
    for one in samples:
        whole.paste(one, (0, top))
        top += one.height
    return whole.quantize(CLEAR, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _header(size: tuple[int, int], palette: Image.Image) -> bytes:
    colours = bytes(palette.getpalette() or ()).ljust(768, b"\0")[:768]
    # a table of 256 colours for all frames
    return b"GIF89a" + struct.pack("<HHBBB", *size, 0xF7, 0, 0) + colours + _LOOP


def _part(
    frame: Image.Image, shown: Image.Image | None, palette: Image.Image, time: int
) -> tuple[bytes, Image.Image]:
    """A frame as blocks of the file, and what is shown after it.

    What differs little from what is shown already stays, and is transparent in the frame.
    """
    box = (0, 0, *frame.size) if shown is None else _changed(frame, shown)
    part = frame.crop(box)
    numbers = np.array(part.quantize(palette=palette, dither=Image.Dither.NONE))
    if shown is None:
        shown = frame.copy()
    else:
        before = shown.crop(box)
        apart = np.asarray(part).astype(np.int16) - np.asarray(before)
        same = np.abs(apart).max(axis=2) < LITTLE
        numbers[same] = CLEAR
        shown.paste(part, box[:2], Image.fromarray(~same))
    indexed = Image.fromarray(numbers)
    indexed.putpalette(palette.getpalette() or [])
    blocks = GifImagePlugin.getdata(indexed, box[:2], duration=time, disposal=1, transparency=CLEAR)
    return b"".join(blocks), shown


def _changed(frame: Image.Image, shown: Image.Image) -> tuple[int, int, int, int]:
    """The part of a frame that differs from what is shown; a pixel of it where nothing does."""
    seen = ImageChops.difference(frame, shown).point(lambda value: 255 * (value >= LITTLE))
    return seen.getbbox() or (0, 0, 1, 1)
