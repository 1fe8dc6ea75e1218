"""A drawing in pixels, with fonts of our own: what a machine has installed makes no difference."""

from __future__ import annotations

import re
import threading
from io import BytesIO
from pathlib import Path

import resvg
from PIL import Image

_FONTS = sorted((Path(__file__).parent / "fonts").glob("*.ttf"))
#: Used where a drawing names no font of ours, and for letters that the others lack: else text would
#: be missing silently.
_FAMILY = "DejaVu Sans"
#: Where a drawing names fonts: in an attribute or in a style.
_NAMED = re.compile(r'font-family(?:="|:)[^";]*')
#: An affine transformation, row by row: one unit is one pixel.
_AS_IT_IS = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


class _Options(threading.local):
    """Our fonts, read once a thread: the library lets no other thread use what one has read."""

    def __init__(self) -> None:
        self.read = resvg.usvg.Options.default()
        self.read.font_family = _FAMILY
        for file in _FONTS:
            self.read.load_font_file(str(file))


_options = _Options()


def raster(svg: str) -> Image.Image:
    """A drawing in pixels, transparent where nothing is drawn; ValueError if it is no drawing."""
    svg = _NAMED.sub(rf"\g<0>, {_FAMILY}", svg)
    try:
        tree = resvg.usvg.Tree.from_str(svg, _options.read)
        drawn = resvg.render(tree, _AS_IT_IS)
    except BaseException as error:
        # what is no SVG makes the library panic, and its panic is no Exception
        if isinstance(error, RuntimeError) or type(error).__name__ == "PanicException":
            raise ValueError(f"The drawing cannot be drawn: {error}") from error
        raise
    with Image.open(BytesIO(drawn)) as image:
        return image.convert("RGBA")
