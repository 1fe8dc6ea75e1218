"""The colours of a picture with a palette: those its drawing names, and mixes for the edges.

What is drawn flat has the colour that the drawing names, so it keeps it exactly. Between two such
colours there are edges of a pixel or two; a few mixes serve all of them, because nobody sees more
of them in a picture that is shown at half its size.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from PIL import Image

#: Red, green, blue, each of 255.
Colour: TypeAlias = tuple[int, int, int]
#: A palette's number for each pixel: rows of columns.
Numbers: TypeAlias = NDArray[np.uint8]
#: Colours as one number each: red, and 256 and 65,536 times green and blue.
Codes: TypeAlias = NDArray[np.uint32]

#: Most colours of a palette, and most of them that may be named ones.
MOST, MOST_NAMED = 256, 128
#: How many mixes a palette has, at first and if those do not serve, and how often they are moved to
#: where they serve best.
FEW_MIXES, MIXES, ROUNDS = 10, 64, 3
#: So far may a channel be from the palette's before the eye sees another colour.
NEAR = 4
#: A colour that covers so many pixels of what was pasted is no edge.
FLAT = 120
#: Few mixes serve if they leave no more than this share of the pixels with another colour.
FEW_SERVE = 0.01
#: A drawing has too many colours for a palette if there are more than this, or if more than this
#: share of the pixels is so far from the palette: light would have bands.
MOST_DIFFERENT, MANY, BANDS = 20_000, 0.15, 2

_NAMED = re.compile(r"#([0-9a-fA-F]{6})\b")
#: Rows of a strip.
_ROWS = 64


def named(*texts: str) -> tuple[Colour, ...]:
    """The colours that parts of a drawing name, black and white with them."""
    codes = {code.lower() for text in texts for code in _NAMED.findall(text)}
    return tuple((*bytes.fromhex(code),) for code in sorted(codes | {"000000", "ffffff"}))


def with_mixes(image: Image.Image, flat: Sequence[Colour]) -> tuple[Colour, ...] | None:
    """A palette for what stands still; None if it has too many colours for one."""
    values, lengths = zip(*(_runs(strip) for strip in _strips(image)), strict=True)
    codes, there = np.unique(np.concatenate(values), return_inverse=True)
    counts = np.bincount(there, weights=np.concatenate(lengths))
    if len(codes) > MOST_DIFFERENT:
        return None
    palette, colours = list(flat[:MOST_NAMED]), _channels(codes)
    named = len(palette)
    # few mixes tell whether a palette will do, and are enough where next to all is drawn flat:
    # edges of fewer colours weigh less, and look the same
    for mixes in (FEW_MIXES, MIXES):
        # each in turn what is farthest off, much seen or little; then the means of what they serve
        _, least = _nearest(colours, palette)
        while len(palette) < named + mixes:
            worst = int((least * np.sqrt(counts)).argmax())
            palette.append(_colour(int(codes[worst])))
            least = np.minimum(least, np.square(colours - colours[worst]).sum(axis=1))
        for _ in range(ROUNDS):
            near, _ = _nearest(colours, palette)
            for number in range(named, len(palette)):
                here = near == number
                if here.any():
                    mean = np.average(colours[here], axis=0, weights=counts[here]).round()
                    palette[number] = int(mean[0]), int(mean[1]), int(mean[2])
        near, _ = _nearest(colours, palette)
        off = np.abs(colours - np.array(palette, np.float32)[near]).max(axis=1)
        if counts[off > BANDS].sum() > MANY * counts.sum():
            return None
        if counts[off > NEAR].sum() <= FEW_SERVE * counts.sum():
            break
    return tuple(palette)


def numbers(image: Image.Image, palette: Sequence[Colour]) -> Numbers:
    """The nearest of the palette for each pixel of an image in full colour."""
    strips = []
    for strip in _strips(image):
        values, lengths = _runs(strip)
        codes, there = np.unique(values, return_inverse=True)
        near = _nearest(_channels(codes), palette)[0][there]
        strips.append(np.repeat(near, lengths).reshape(strip.height, strip.width))
    return np.concatenate(strips)


def pasted(
    image: Image.Image, named: Iterable[Colour], palette: Sequence[Colour]
) -> tuple[Numbers, tuple[Colour, ...]]:
    """The nearest of the palette for each pixel, and what the palette lacks.

    It lacks colours that are named, and others that cover something and are not like any it has.
    Their numbers follow on its own.
    """
    values, lengths = _runs(image)
    codes, there = np.unique(values, return_inverse=True)
    counts = np.bincount(there, weights=lengths)
    flat = tuple(codes[counts >= FLAT].tolist())
    missing = _lacks(tuple(sorted(named)), flat, tuple(palette))
    near = _nearest(_channels(codes), [*palette, *missing])[0][there]
    return np.repeat(near, lengths).reshape(image.height, image.width), missing


def with_missing(palette: Sequence[Colour], missing: Iterable[Colour]) -> tuple[Colour, ...]:
    """The palette with these colours behind its own, as many as there is room for.

    Each has a place of its own there, or the next one that is free. So a colour has the same
    number in most pictures, whatever others they have, and what shows it has the same bytes.
    """
    room = MOST - len(palette)
    behind: list[Colour | None] = [None] * room
    for colour in sorted(missing)[:room]:
        place = crc32(bytes(colour)) % room
        while behind[place] is not None:
            place = (place + 1) % room
        behind[place] = colour
    return (*palette, *(colour or (0, 0, 0) for colour in behind))


def places(colours: Collection[Colour], palette: Sequence[Colour]) -> dict[Colour, int]:
    """The number in the palette for each of these colours: its own, or the nearest."""
    own = {colour: number for number, colour in enumerate(palette)}
    found = {colour: own[colour] for colour in colours if colour in own}
    others = [colour for colour in colours if colour not in own]
    if others:
        near = _nearest(np.array(others, np.float32), palette)[0].tolist()
        found.update(zip(others, near, strict=True))
    return found


@lru_cache(maxsize=4096)
def _lacks(
    named: tuple[Colour, ...], flat: tuple[int, ...], palette: tuple[Colour, ...]
) -> tuple[Colour, ...]:
    missing = [colour for colour in named if colour not in palette]
    has = np.array([*palette, *missing], np.float32)
    far = np.abs(_channels(np.array(flat, np.uint32))[:, None] - has).max(axis=2).min(axis=1)
    missing += [_colour(code) for code, off in zip(flat, far, strict=True) if off > NEAR]
    return tuple(missing[: MOST - len(palette)])


def _strips(image: Image.Image) -> Iterator[Image.Image]:
    """The image in strips: all at once would take ten times its memory."""
    for top in range(0, image.height, _ROWS):
        yield image.crop((0, top, image.width, min(top + _ROWS, image.height)))


def _runs(image: Image.Image) -> tuple[Codes, NDArray[np.int64]]:
    """The image row by row, as runs of one colour: their colours and lengths."""
    codes = np.frombuffer(image.tobytes("raw", "RGBX"), "<u4") & 0xFFFFFF
    begins = np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1])
    return codes[begins], np.diff(begins, append=len(codes))


def _nearest(
    colours: NDArray[np.float32], palette: Sequence[Colour]
) -> tuple[Numbers, NDArray[np.float32]]:
    """For each colour the number of the nearest in the palette, and the square of its distance."""
    others = np.array(palette, np.float32)
    # (a - b)² = a² - 2ab + b²: whole numbers below 2²⁴, so they are exact. A product of matrices
    # by @ would leave the threads of OpenBLAS spinning for longer than a whole picture takes
    far = np.square(others).sum(axis=1) - 2 * np.einsum("ac,bc->ab", colours, others)
    near = far.argmin(axis=1)
    least = np.take_along_axis(far, near[:, None], axis=1)[:, 0] + np.square(colours).sum(axis=1)
    return near.astype(np.uint8), least


def _channels(codes: Codes) -> NDArray[np.float32]:
    return np.stack([codes & 255, codes >> 8 & 255, codes >> 16], axis=-1).astype(np.float32)


def _colour(code: int) -> Colour:
    return code & 255, code >> 8 & 255, code >> 16
