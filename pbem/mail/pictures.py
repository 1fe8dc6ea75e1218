"""The board as a picture for mails: the drawing of the page in pixels.

Drawing a whole board takes a tenth of a second or more. So what stands still in it is drawn once
and kept, and so is each piece that moves (``pbem.mail.layers`` separates them); a picture is the
board with the pieces pasted on it. What was pasted is kept too, and the bands of the file
(``pbem.mail.png``, ``pbem.mail.jpeg``), so a picture costs what no picture before it had. The text
of the drawing is the key of what is kept, so what has changed is drawn anew; a drawing that does
not say what moves is only slower.

A picture of few colours is a PNG with a palette (``pbem.mail.palettes``); one of many (wood, light,
shade) is a JPEG (``docs/decisions/pictures.md``).
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image
from zlib_ng import zlib_ng

from pbem.lru import LruCache
from pbem.mail import jpeg, layers, palettes, png
from pbem.mail.layers import Drawing, Moving
from pbem.mail.palettes import Colour, Numbers
from pbem.mail.raster import raster

#: Pixels across and in all, and how wide a mail shows them at most: twice as many, for sharp
#: screens, but of a tall drawing fewer.
WIDTH, MOST, SHOWN = 1112, 1_640_000, 556
#: One with so many across is shown at half of them: each is a pixel of a sharp screen then.
HALVED = 1045
#: A JPEG, which is soft anyway and would be too heavy, has fewer: across, and in all.
WIDTH_IN_FULL, MOST_IN_FULL = 900, 780_000
#: Half pixels fit a unit of the drawing without a rest, if that takes no more of the width: what is
#: drawn often is then the same each time, and sharp.
NARROWER = 0.09
#: Levels of compression of a PNG: of what stands still, and of what is pasted on it.
LEVEL_STILL, LEVEL = 9, 6
#: Bytes that a process keeps: of boards (1 to 7 million each), of what moves and of pixels of that,
#: of parts of boards with that on them, of checksums of the ground beneath these, and of bands of
#: files.
BOARDS_KEPT, PIECES_KEPT, PIXELS_KEPT = 40_000_000, 12_000_000, 12_000_000
PATCHES_KEPT, GROUNDS_KEPT = 8_000_000, 1_000_000
BANDS_KEPT = 6_000_000
#: Steps within a pixel, across and down, at which a piece that moves can be drawn.
PLACES = 8

#: Left, top, right, bottom, in pixels.
Area = tuple[int, int, int, int]

#: Numbers by which what is kept is named in other keys.
_serial = itertools.count()


class PictureFile(NamedTuple):
    """The bytes of a file; ``subtype`` is ``png`` or ``jpeg``."""

    content: bytes
    subtype: str
    #: How wide it is to be shown: half of its pixels, or a little more of one that has fewer.
    width: int


class _Layer(NamedTuple):
    """One layer of what stands still; ``alpha`` is None for the lowest."""

    pixels: Image.Image
    alpha: Image.Image | None


@dataclass(frozen=True)
class _Board:
    """What stands still: all in one, and as layers if something moves between them."""

    size: tuple[int, int]
    layers: tuple[_Layer, ...]
    #: Its colours, if the picture is to be a PNG; else none.
    palette: tuple[Colour, ...]
    #: The rows of a PNG (``png.lines``), or rows of three channels.
    rows: Numbers
    #: The bands of a PNG, or those of a JPEG.
    bands: tuple[png.Band, ...] = ()
    in_full: tuple[bytes, ...] = ()
    serial: int = field(default_factory=lambda: next(_serial))

    def under(self, area: Area) -> Image.Image:
        """A part of it in full colour."""
        if not self.palette:
            return Image.fromarray(self.rows[area[1] : area[3], area[0] : area[2]])
        return _in_colours(_part(self.rows, area), self.palette).convert("RGB")

    def weight(self) -> int:
        """Bytes; Pillow takes four for a pixel in full colour."""
        images = [image for one in self.layers for image in one if image is not None]
        each = sum(4 if image.mode == "RGB" else 1 for image in images)
        kept = sum(map(len, (*self.in_full, *(band.content for band in self.bands))))
        return each * self.size[0] * self.size[1] + self.rows.nbytes + kept


@dataclass(frozen=True)
class _Piece:
    """Something that moves; its pixels are transparent where nothing is drawn."""

    #: The bytes of its pixels, compressed: a tenth of them or less.
    packed: bytes
    size: tuple[int, int]
    #: Where they begin, from its place.
    begins: tuple[int, int]
    #: The colours it names.
    named: tuple[Colour, ...]
    serial: int = field(default_factory=lambda: next(_serial))

    @classmethod
    def of(cls, drawn: Image.Image, begins: tuple[int, int], named: tuple[Colour, ...]) -> _Piece:
        made = cls(zlib_ng.compress(drawn.tobytes(), 1), drawn.size, begins, named)
        _unpacked.put(made.serial, drawn)
        return made

    def pixels(self) -> Image.Image:
        def unpack() -> Image.Image:
            return Image.frombytes("RGBA", self.size, zlib_ng.decompress(self.packed))

        return _unpacked.get_or_make(self.serial, unpack)

    def weight(self) -> int:
        """Bytes, with those of its text."""
        return len(self.packed) + 3000


class _Laid(NamedTuple):
    """A piece at its place; ``above``: over how many layers of what stands still."""

    piece: _Piece
    area: Area
    above: int


@dataclass(frozen=True)
class _Patch:
    """A part of a picture with the pieces on it, wherever it is pasted on the board."""

    #: The palette's numbers, rows of columns.
    pixels: Numbers
    #: Colours that the board's palette lacks; in ``pixels`` they have the numbers after it.
    missing: tuple[Colour, ...] = ()
    serial: int = field(default_factory=lambda: next(_serial))

    def weight(self) -> int:
        """Bytes, with those of its key."""
        return self.pixels.nbytes + 1000


class _Pasted(NamedTuple):
    """A patch at its place."""

    area: Area
    patch: _Patch


_boards = LruCache[_Board](BOARDS_KEPT, _Board.weight)
_pieces = LruCache[_Piece](PIECES_KEPT, _Piece.weight)
# of a piece, by its serial
_unpacked = LruCache[Image.Image](PIXELS_KEPT, lambda it: 4 * it.width * it.height + 300)
_patches = LruCache[_Patch](PATCHES_KEPT, _Patch.weight)
# a checksum with its key
_grounds = LruCache[bytes](GROUNDS_KEPT, lambda _: 300)
_bands = LruCache[png.Band](BANDS_KEPT, lambda band: len(band.content) + 500)
_in_full = LruCache[bytes](BANDS_KEPT, len)


def draw(svg: str) -> PictureFile:
    """The picture of a drawing; ValueError if it is not one."""
    board, laid = _composed(svg)
    if not board.palette:
        return PictureFile(_jpeg(board, laid), "jpeg", SHOWN)
    across = board.size[0]
    shown = across // 2 if across >= HALVED else SHOWN
    return PictureFile(_png(board, _pasted(board, laid)), "png", shown)


def pixels(svg: str) -> Image.Image:
    """The same, where no file of it is needed; ValueError if it is no drawing."""
    board, laid = _composed(svg)
    whole = 0, 0, *board.size
    if not board.palette:
        return _together(board, laid, whole)
    image = board.under(whole)
    for area, patch in _pasted(board, laid):
        part = _in_colours(patch.pixels, (*board.palette, *patch.missing)).convert("RGB")
        image.paste(part, area[:2])
    return image


def _composed(svg: str) -> tuple[_Board, list[_Laid]]:
    """What stands still in a drawing, and what moves, in the order in which it is drawn."""
    drawing = layers.read(svg)
    still = tuple(part for part in drawing.parts if isinstance(part, str))
    if len(still) == len(drawing.parts):
        # nothing moves, or nothing is marked so: not cached, the next picture has another drawing
        board = _board(drawing, still)
    else:
        key = (drawing.attributes, drawing.defs, drawing.view, still)
        board = _boards.get_or_make(key, lambda: _board(drawing, still))
    return board, _laid(drawing, board)


def card(svg: str) -> bytes:
    """A drawing of 4 by 3 as a JPEG of the size that messengers show."""
    image = raster(svg.replace("<svg ", '<svg width="1000" height="750" ', 1))
    out = BytesIO()
    _on_white(image).save(out, "JPEG", quality=80)
    return out.getvalue()


def size(view: layers.Box, *, in_full: bool = False) -> tuple[int, int]:
    """How many pixels a drawing gets, across and down; ``in_full``: to be a JPEG."""
    _, _, width, height = view
    across, in_all = (WIDTH_IN_FULL, MOST_IN_FULL) if in_full else (WIDTH, MOST)
    most = min(across / width, math.sqrt(in_all / (width * height)))
    if in_full:
        columns = math.floor(width * most)
        return columns, math.ceil(round(columns * height / width, 3))
    halves = math.floor(2 * most) / 2
    scale = halves if halves >= (1 - NARROWER) * most else most
    # what a drawing says has a few decimals
    return math.ceil(round(width * scale, 3)), math.ceil(round(height * scale, 3))


def _on_white(image: Image.Image) -> Image.Image:
    white = Image.new("RGB", image.size, "#ffffff")
    white.paste(image, mask=image)
    return white


# --- what stands still, and what moves ---


def _board(drawing: Drawing, still: Sequence[str]) -> _Board:
    # light and shade are mostly too much for a palette, and take long to draw: try that first
    rich = "Gradient" in drawing.defs
    pixels = size(drawing.view, in_full=rich)
    whole, found = _drawn(drawing, still, pixels)
    palette = palettes.with_mixes(whole, palettes.named(drawing.defs, *still))
    if rich and palette is not None:
        pixels = size(drawing.view)
        whole, found = _drawn(drawing, still, pixels)
        palette = palettes.with_mixes(whole, palettes.named(drawing.defs, *still))
    if palette is None:
        full = np.asarray(whole)
        tops = range(0, len(full), jpeg.ROWS)
        bands = tuple(jpeg.band(full[top : top + jpeg.ROWS]) for top in tops)
        return _Board(pixels, tuple(found), (), full, in_full=bands)
    few = tuple(
        _Layer(_in_colours(palettes.numbers(layer.pixels, palette), palette), layer.alpha)
        for layer in found
    )
    rows = png.lines(palettes.numbers(whole, palette))
    return _Board(pixels, few, palette, rows, tuple(png.bands(rows, LEVEL_STILL)))


def _drawn(
    drawing: Drawing, still: Sequence[str], pixels: tuple[int, int]
) -> tuple[Image.Image, list[_Layer]]:
    """What stands still, all in one, and its layers if there are several."""
    drawn = [raster(drawing.svg(one, drawing.view, pixels)) for one in still]
    whole = _on_white(drawn[0])
    found = [_Layer(whole.copy(), None)]
    for layer in drawn[1:]:
        whole.paste(layer, mask=layer)
        found.append(_Layer(layer.convert("RGB"), layer.getchannel("A")))
    return whole, found if len(found) > 1 else []


def _in_colours(numbers: Numbers, palette: Sequence[Colour]) -> Image.Image:
    """These numbers of a palette as an image with it."""
    image = Image.fromarray(numbers)
    image.putpalette(b"".join(map(bytes, palette)))
    return image


def _laid(drawing: Drawing, board: _Board) -> list[_Laid]:
    """Everything that moves, in the order in which it is drawn."""
    left, top, width, height = drawing.view
    scale = board.size[0] / width, board.size[1] / height

    above, found = 0, []
    for part in drawing.parts:
        if isinstance(part, str):
            above += 1
            continue
        # whole pixels, and the place within one
        at = (part.at[0] - left) * scale[0], (part.at[1] - top) * scale[1]
        (column, right), (row, down) = (divmod(round(one * PLACES), PLACES) for one in at)
        piece = _piece(drawing, part, scale, (right / PLACES, down / PLACES))
        x, y = column + piece.begins[0], row + piece.begins[1]
        area = x, y, x + piece.size[0], y + piece.size[1]
        found.append(_Laid(piece, area, above))
    return found


def _piece(
    drawing: Drawing, part: Moving, scale: tuple[float, float], within: tuple[float, float]
) -> _Piece:
    """Drawn with its place at this one within a pixel, so it is the same in many places."""

    def made() -> _Piece:
        left, top, width, height = part.box
        right, bottom = left + width, top + height
        begins = [math.floor(a * b + c) for a, b, c in zip((left, top), scale, within, strict=True)]
        ends = [
            math.ceil(a * b + c) for a, b, c in zip((right, bottom), scale, within, strict=True)
        ]
        across, down = ends[0] - begins[0], ends[1] - begins[1]
        view = (
            (begins[0] - within[0]) / scale[0],
            (begins[1] - within[1]) / scale[1],
            across / scale[0],
            down / scale[1],
        )
        drawn = raster(drawing.svg(part.content, view, (across, down)))
        box = drawn.getbbox() or (0, 0, 1, 1)
        at = begins[0] + box[0], begins[1] + box[1]
        return _Piece.of(drawn.crop(box), at, palettes.named(part.content))

    key = (drawing.attributes, drawing.defs, scale, within, part.box, part.content)
    return _pieces.get_or_make(key, made)


# --- pasting what moves on what stands still ---


def _pasted(board: _Board, laid: Sequence[_Laid]) -> list[_Pasted]:
    """What is pasted on the board, in areas that do not overlap."""
    found = []
    for area, numbers in _apart([_within(one.area, board.size) for one in laid]):
        inside = tuple(laid[number] for number in sorted(numbers))
        key = (board.serial, _ground(board, area), *(_at(one, area) for one in inside))
        patch = _patches.get_or_make(key, lambda: _patch(board, inside, area))  # noqa: B023
        found.append(_Pasted(area, patch))
    return found


def _at(one: _Laid, area: Area) -> tuple[int, ...]:
    """A piece, and where it lies in an area."""
    return one.piece.serial, one.area[0] - area[0], one.area[1] - area[1], one.above


def _ground(board: _Board, area: Area) -> Hashable:
    """What a patch of this area lies on: the same for all places that look the same.

    So a space of Dogs of War with its captain is put together once for all battles and matches.
    """
    if board.layers:
        return area

    def made() -> bytes:
        part = _part(board.rows, area)
        return hashlib.sha256(repr(part.shape).encode() + part.tobytes()).digest()

    return _grounds.get_or_make((board.serial, area), made)


def _patch(board: _Board, inside: Sequence[_Laid], area: Area) -> _Patch:
    """An area of the picture with these pieces on it, in the board's palette."""
    named = {colour for one in inside for colour in one.piece.named}
    return _Patch(*palettes.pasted(_together(board, inside, area), named, board.palette))


def _together(board: _Board, inside: Sequence[_Laid], area: Area) -> Image.Image:
    """An area of the picture with these pieces on it, in full colour."""
    # layer by layer only if a piece here has a layer above it
    layered = any(one.above < len(board.layers) for one in inside)
    image = Image.new("RGB", (area[2] - area[0], area[3] - area[1]))
    for number, layer in enumerate(board.layers if layered else (None,), 1):
        if layer is None:
            image.paste(board.under(area))
        else:
            alpha = layer.alpha.crop(area) if layer.alpha else None
            image.paste(layer.pixels.crop(area).convert("RGB"), mask=alpha)
        for one in inside:
            if one.above == number or not layered:
                at = one.area[0] - area[0], one.area[1] - area[1]
                pixels = one.piece.pixels()
                image.paste(pixels, at, pixels)
    return image


def _part(rows: Numbers, area: Area) -> Numbers:
    """An area of the lines of a PNG; what is written there is written into the lines."""
    return rows[area[1] : area[3], area[0] + 1 : area[2] + 1]


def _within(area: Area, size: tuple[int, int]) -> Area:
    """The part of an area that is inside the picture."""
    left, top = (min(max(at, 0), most) for at, most in zip(area[:2], size, strict=True))
    right, bottom = (min(max(at, 0), most) for at, most in zip(area[2:], size, strict=True))
    return left, top, right, bottom


def _apart(areas: Sequence[Area]) -> list[tuple[Area, list[int]]]:
    """Areas that cover these and do not overlap, each with the numbers of those that it covers."""
    found: list[tuple[Area, list[int]]] = []
    for number, area in enumerate(areas):
        if area[0] >= area[2] or area[1] >= area[3]:
            continue
        covered = [number]
        while (near := _overlapping(area, found)) is not None:
            other, numbers = found.pop(near)
            covered += numbers
            area = (
                min(area[0], other[0]),
                min(area[1], other[1]),
                max(area[2], other[2]),
                max(area[3], other[3]),
            )
        found.append((area, covered))
    return found


def _overlapping(area: Area, found: Sequence[tuple[Area, list[int]]]) -> int | None:
    """The first of these that overlaps the area, by its place among them."""
    left, top, right, bottom = area
    for place, (other, _) in enumerate(found):
        if left < other[2] and other[0] < right and top < other[3] and other[1] < bottom:
            return place
    return None


# --- files ---


def _png(board: _Board, pasted: Sequence[_Pasted]) -> bytes:
    missing = {colour for one in pasted for colour in one.patch.missing}
    palette = palettes.with_missing(board.palette, missing)
    places = palettes.places(missing, palette)
    rows, changed = board.rows.copy(), set[int]()
    for area, patch in pasted:
        _part(rows, area)[:] = _numbered(patch, len(board.palette), places)
        # a band is compressed with the rows before it
        last = (area[3] - 1 + png.BEFORE) // png.ROWS
        changed.update(range(area[1] // png.ROWS, last + 1))
    bands = (
        _band(rows, number) if number in changed else still
        for number, still in enumerate(board.bands)
    )
    return png.file(board.size, palette, bands)


def _numbered(patch: _Patch, own: int, places: Mapping[Colour, int]) -> Numbers:
    """Its pixels, with the colours that the board's palette lacks at their places behind it."""
    if not patch.missing:
        return patch.pixels
    table = bytes((*range(own), *(places[colour] for colour in patch.missing))).ljust(256, b"\0")
    # a fifth of the time that numpy takes to look up each number
    numbers = np.frombuffer(patch.pixels.tobytes().translate(table), np.uint8)
    return numbers.reshape(patch.pixels.shape)


def _band(rows: Numbers, number: int) -> png.Band:
    """A band of these lines, found by its bytes: what was pasted may have changed elsewhere."""
    top, bottom = png.reach(number, len(rows))
    lines, before = rows[top:bottom], number * png.ROWS - top
    key = (before, lines.shape, hashlib.sha256(lines.data).digest())
    return _bands.get_or_make(key, lambda: png.band(lines, before, LEVEL))


def _jpeg(board: _Board, laid: Sequence[_Laid]) -> bytes:
    inside: dict[int, list[_Laid]] = {}
    for one in laid:
        _, top, _, bottom = _within(one.area, board.size)
        for number in range(top // jpeg.ROWS, -(-bottom // jpeg.ROWS)):
            inside.setdefault(number, []).append(one)
    bands = (
        _band_in_full_colour(board, number, inside[number]) if number in inside else still
        for number, still in enumerate(board.in_full)
    )
    return jpeg.file(board.size, bands)


def _band_in_full_colour(board: _Board, number: int, inside: Sequence[_Laid]) -> bytes:
    """A band with these pieces on it, found by them: the grain of wood is the same nowhere."""
    width, height = board.size
    top = number * jpeg.ROWS
    area = 0, top, width, min(top + jpeg.ROWS, height)
    key = (board.serial, number, *(_at(one, area) for one in inside))
    return _in_full.get_or_make(key, lambda: jpeg.band(np.asarray(_together(board, inside, area))))
