"""A drawing in pixels, with fonts of our own: what a machine has installed makes no difference."""

from __future__ import annotations

import re
import threading
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

_FONTS = sorted((Path(__file__).parent / "fonts").glob("*.ttf"))
#: Used where a drawing names no font of ours, and for letters that the others lack: else text would
#: be missing silently.
_FAMILY = "DejaVu Sans"
#: Where a drawing names fonts: in an attribute or in a style.
_NAMED = re.compile(r'font-family(?:="|:)[^";]*')
#: An affine transformation, row by row: one unit is one pixel.
_AS_IT_IS = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


_of_thread = threading.local()


def _options() -> Any:
    """Our fonts, read once a thread: the library lets no other thread use what one has read."""
    if not hasattr(_of_thread, "options"):
        from resvg import usvg

        read = usvg.Options.default()
        read.font_family = _FAMILY
        for file in _FONTS:
            read.load_font_file(str(file))
        _of_thread.options = read
    return _of_thread.options


def raster(svg: str) -> Image.Image:
    """A drawing in pixels, transparent where nothing is drawn; ValueError if it is no drawing."""
    # 7 MB that a process needs only once it draws
    import resvg

    svg = _NAMED.sub(rf"\g<0>, {_FAMILY}", svg)
    try:
        tree = resvg.usvg.Tree.from_str(svg, _options())
        drawn = resvg.render(tree, _AS_IT_IS)
    except BaseException as error:
        # what is no SVG makes the library panic, and its panic is no Exception
        if isinstance(error, RuntimeError) or type(error).__name__ == "PanicException":
            raise ValueError(f"The drawing cannot be drawn: {error}") from error
        raise
    with Image.open(BytesIO(drawn)) as image:
        return image.convert("RGBA")
