"""The board as a picture for mails: the drawing of the page in pixels, with fonts of our own.

Drawing a whole board takes a tenth of a second or more. So what stands still in it is drawn once
and cached, and so is each piece that moves (``pbem.mail.layers`` separates them); a picture is the
board with the pieces pasted on it. The text of the drawing is the cache's key, so what has changed
is drawn anew; a drawing that does not say what moves is only slower.

A picture of few colours is a PNG with a palette; one of many (wood, light, shade) is a JPEG:
whichever is smaller for what stands still (``docs/decisions/pictures.md``).
"""

from __future__ import annotations

import math
import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import resvg_py
from PIL import Image
from zlib_ng import zlib_ng

from pbem.mail import layers
from pbem.mail.layers import Drawing, Moving

T = TypeVar("T")

#: Pixels across: twice what a mail shows, for sharp screens.
WIDTH = 1112
#: Colours of a palette: all, those of what stands still, those of what is pasted on it.
ALL, STILL, LAID = 256, 160, 96
#: JPEG quality, of 100. Pictures are shown at half their size, where the loss is not seen.
QUALITY = 60
#: Level of compression of PNG: the next one takes 1.5 times as long and saves 3 %.
LEVEL = 5
#: Bytes of pixels that a process caches: of boards (1 to 5 million each), and of what moves.
BOARDS_KEPT, PIECES_KEPT = 60_000_000, 20_000_000
#: Steps within a pixel, across and down, at which a piece that moves can be drawn.
PLACES = 8

_FONTS = [str(file) for file in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]
#: Used for every family a drawing asks for: without a font, text would be missing silently.
_FAMILY = "DejaVu Sans"

#: Left, top, right, bottom, in pixels.
Area = tuple[int, int, int, int]


class Drawn(NamedTuple):
    """The bytes of a file; ``subtype`` is ``png`` or ``jpeg``."""

    content: bytes
    subtype: str


class Kept(Generic[T]):
    """An LRU cache of at most ``most`` bytes. Threads share its values, which never change."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.bytes = 0
        self._lock = threading.Lock()
        self._there: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T], weight: Callable[[T], int]) -> T:
        """The value under this key; made if it is missing. Two threads may both make it."""
        with self._lock:
            there = self._there.get(key)
            if there is not None:
                self._there.move_to_end(key)
                return there[0]
        made = make()
        with self._lock:
            if key not in self._there:
                self._there[key] = made, weight(made)
                self.bytes += weight(made)
            while self.bytes > self.most:
                self.bytes -= self._there.popitem(last=False)[1][1]
        return made


@dataclass(frozen=True)
class _Layer:
    """One layer of what stands still; ``alpha`` is None for the lowest."""

    pixels: Image.Image
    alpha: Image.Image | None


@dataclass(frozen=True)
class _Board:
    """What stands still: all in one image, and as layers if something moves between them."""

    #: With a palette; in full colour if the picture is to be a JPEG.
    whole: Image.Image
    layers: tuple[_Layer, ...]

    def weight(self) -> int:
        """Bytes; Pillow takes four for a pixel in full colour."""
        width, height = self.whole.size
        each = (1 if self.whole.mode == "P" else 4) + sum(
            1 + bool(one.alpha) for one in self.layers
        )
        return each * width * height


@dataclass(frozen=True)
class _Piece:
    """Something that moves: its pixels, which of them are drawn, where in its box they begin."""

    pixels: Image.Image
    there: Image.Image
    begins: tuple[int, int]

    def weight(self) -> int:
        """Bytes, with those of its text."""
        return 5 * self.pixels.width * self.pixels.height + 3000


@dataclass(frozen=True)
class _Laid:
    """A piece at its place; ``above``: over how many layers of what stands still."""

    piece: _Piece
    area: Area
    above: int


_boards: Kept[_Board] = Kept(BOARDS_KEPT)
_pieces: Kept[_Piece] = Kept(PIECES_KEPT)


def draw(svg: str) -> Drawn:
    """The picture of a drawing; ValueError if it is not one."""
    drawing = layers.read(svg)
    still = tuple(part for part in drawing.parts if isinstance(part, str))
    if len(still) == len(drawing.parts):
        # nothing moves, or nothing is marked so: not cached, the next picture has another drawing
        return _smaller(full(drawing, still), ALL)[1]
    key = (drawing.attributes, drawing.defs, drawing.view, still)
    board = _boards.get(key, lambda: _board(drawing, still), _Board.weight)
    return _file(_together(board, _laid(drawing, board.whole.size)))


def full(drawing: Drawing, contents: Sequence[str]) -> Image.Image:
    """These contents of a drawing on white, in full colour."""
    return _on_white(_raster(drawing.svg("".join(contents), drawing.view, _size(drawing))))


def _size(drawing: Drawing) -> tuple[int, int]:
    """In pixels."""
    _, _, width, height = drawing.view
    return WIDTH, math.ceil(height * WIDTH / width)


def _raster(svg: str) -> Image.Image:
    """A drawing in pixels, transparent where nothing is drawn."""
    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        skip_system_fonts=True,
        # reading the fonts takes as long as drawing something small
        font_files=_FONTS if "<text" in svg else [],
        font_family=_FAMILY,
        serif_family=_FAMILY,
        sans_serif_family=_FAMILY,
        monospace_family=_FAMILY,
    )
    with Image.open(BytesIO(png)) as image:
        return image.convert("RGBA")


def _on_white(image: Image.Image) -> Image.Image:
    white = Image.new("RGB", image.size, "#ffffff")
    white.paste(image, mask=image)
    return white


def _few(image: Image.Image, colours: int) -> Image.Image:
    return image.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _smaller(image: Image.Image, colours: int) -> tuple[Image.Image, Drawn]:
    """The image, reduced to these many colours if that makes the smaller file; and the file."""
    few = _few(image, colours)
    png, jpeg = _file(few), _file(image)
    return (few, png) if len(png.content) <= len(jpeg.content) else (image, jpeg)


# --- what stands still, and what moves ---


def _board(drawing: Drawing, still: Sequence[str]) -> _Board:
    drawn = [_raster(drawing.svg(one, drawing.view, _size(drawing))) for one in still]
    whole = _on_white(drawn[0])
    found = [_Layer(_few(whole, ALL), None)]
    for layer in drawn[1:]:
        whole.paste(layer, mask=layer)
        found.append(_Layer(_few(layer.convert("RGB"), ALL), layer.getchannel("A")))
    return _Board(_smaller(whole, STILL)[0], tuple(found) if len(found) > 1 else ())


def _laid(drawing: Drawing, size: tuple[int, int]) -> list[_Laid]:
    """Everything that moves, in the order in which it is drawn."""
    left, top, width, height = drawing.view
    scale = size[0] / width, size[1] / height
    above, found = 0, []
    for part in drawing.parts:
        if isinstance(part, str):
            above += 1
            continue
        x = (part.at[0] + part.box[0] - left) * scale[0]
        y = (part.at[1] + part.box[1] - top) * scale[1]
        # whole pixels, and the place within one
        (column, right), (row, down) = (divmod(round(at * PLACES), PLACES) for at in (x, y))
        piece = _piece(drawing, part, scale, (right / PLACES, down / PLACES))
        column, row = column + piece.begins[0], row + piece.begins[1]
        area = column, row, column + piece.pixels.width, row + piece.pixels.height
        found.append(_Laid(piece, area, above))
    return found


def _piece(
    drawing: Drawing, part: Moving, scale: tuple[float, float], within: tuple[float, float]
) -> _Piece:
    """Drawn so that its box begins at this place within the first pixel."""
    left, top, width, height = part.box
    size = math.ceil(width * scale[0] + within[0]), math.ceil(height * scale[1] + within[1])
    view = (
        left - within[0] / scale[0],
        top - within[1] / scale[1],
        size[0] / scale[0],
        size[1] / scale[1],
    )
    svg = drawing.svg(part.content, view, size)

    def made() -> _Piece:
        drawn = _raster(svg)
        box = drawn.getbbox() or (0, 0, 1, 1)
        pixels = drawn.crop(box)
        there = pixels.getchannel("A").point([0] + [255] * 255)
        return _Piece(pixels, there, (box[0], box[1]))

    return _pieces.get(svg, made, _Piece.weight)


# --- pasting what moves on what stands still ---


def _together(board: _Board, laid: Sequence[_Laid]) -> Image.Image:
    """The picture: what moves is pasted in areas that do not overlap."""
    out = board.whole.copy()
    areas = _apart([_within(one.area, out.size) for one in laid])
    patches = [_patch(board, laid, area) for area in areas]
    if out.mode == "RGB":
        for area, (pixels, _) in zip(areas, patches, strict=True):
            out.paste(pixels, area)
        return out
    # all patches on one sheet, which gets the rest of the palette's colours
    places, room = _packed([pixels.size for pixels, _ in patches])
    sheet = Image.new("RGB", room)
    for (pixels, covered), place in zip(patches, places, strict=True):
        sheet.paste(pixels, place, covered)
    few = sheet.quantize(LAID, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    own = few.point([min(index + STILL, ALL - 1) for index in range(256)])
    for area, (pixels, covered), (x, y) in zip(areas, patches, places, strict=True):
        out.paste(own.crop((x, y, x + pixels.width, y + pixels.height)), area, covered)
    out.putpalette(_palette(board.whole, STILL) + _palette(few, LAID))
    return out


def _packed(sizes: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Places for rectangles on a sheet as wide as the picture, in rows; the sheet's size."""
    places = [(0, 0)] * len(sizes)
    x = y = below = 0
    for number in sorted(range(len(sizes)), key=lambda number: sizes[number][1]):
        width, height = sizes[number]
        if x + width > WIDTH:
            x, y = 0, below
        places[number] = x, y
        x, below = x + width, max(below, y + height)
    return places, (WIDTH, below or 1)


def _patch(board: _Board, laid: Sequence[_Laid], area: Area) -> tuple[Image.Image, Image.Image]:
    """An area of the picture, and a mask of where something that moves was pasted."""
    inside = [one for one in laid if _overlap(one.area, area)]
    # layer by layer only if a piece here has a layer above it
    layered = any(one.above < len(board.layers) for one in inside)
    shown = board.layers if layered else (_Layer(board.whole, None),)
    patch = Image.new("RGB", (area[2] - area[0], area[3] - area[1]))
    covered = Image.new("L", patch.size)
    for number, layer in enumerate(shown, 1):
        alpha = layer.alpha.crop(area) if layer.alpha else None
        patch.paste(layer.pixels.crop(area).convert("RGB"), mask=alpha)
        for one in inside:
            if one.above == number or not layered:
                at = one.area[0] - area[0], one.area[1] - area[1]
                patch.paste(one.piece.pixels, at, one.piece.pixels)
                covered.paste(one.piece.there, at, one.piece.there)
    return patch, covered


def _within(area: Area, size: tuple[int, int]) -> Area:
    """The part of an area that is inside the picture."""
    left, top = (min(max(at, 0), most) for at, most in zip(area[:2], size, strict=True))
    right, bottom = (min(max(at, 0), most) for at, most in zip(area[2:], size, strict=True))
    return left, top, right, bottom


def _apart(areas: Iterable[Area]) -> list[Area]:
    """Areas that cover these and do not overlap."""
    found: list[Area] = []
    for area in areas:
        if area[0] >= area[2] or area[1] >= area[3]:
            continue
        while near := next((other for other in found if _overlap(area, other)), None):
            found.remove(near)
            area = (
                min(area[0], near[0]),
                min(area[1], near[1]),
                max(area[2], near[2]),
                max(area[3], near[3]),
            )
        found.append(area)
    return found


def _overlap(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


# --- files ---


def _file(image: Image.Image) -> Drawn:
    return Drawn(_png(image), "png") if image.mode == "P" else Drawn(_jpeg(image), "jpeg")


def _palette(image: Image.Image, colours: int) -> bytes:
    """The first ``colours`` colours: red, green and blue of each."""
    assert image.palette is not None  # images of few colours have one
    return bytes(image.palette.palette[: 3 * colours]).ljust(3 * colours, b"\0")


def _png(image: Image.Image) -> bytes:
    """The file, written here: Pillow's own compression takes two to three times as long."""
    width, height = image.size
    # each line begins with the number of its filter: 0, none
    lines = Image.new("P", (width + 1, height))
    lines.paste(image, (1, 0))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", _palette(image, ALL)),
        (b"IDAT", zlib_ng.compress(lines.tobytes(), LEVEL)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _jpeg(image: Image.Image) -> bytes:
    written = BytesIO()
    image.save(written, "JPEG", quality=QUALITY, optimize=True)
    return written.getvalue()
