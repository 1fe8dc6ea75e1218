"""The board as a picture for mails: the drawing of the page, made into PNG with fonts of our own.

Drawing takes some tens of milliseconds and holds the interpreter: it is done in workers.

A drawing has few colours, and the shades between them at edges. Written with a palette of its 256
main ones it has half the bytes or less, and no pixel an eye could tell from the others.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import resvg_py
from PIL import Image

#: Pixels across: twice what a mail shows, for sharp screens.
WIDTH = 1112

_FONTS = Path(__file__).parent / "fonts"
#: Whatever family a drawing asks for: without a font its words would be missing without a sign.
_FAMILY = "DejaVu Sans"


def png(svg: str) -> bytes:
    """The drawing as PNG; ValueError where it is not one."""
    return _with_palette(drawn(svg))


def drawn(svg: str) -> bytes:
    """The drawing as PNG in full colour."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=WIDTH,
            background="#ffffff",
            skip_system_fonts=True,
            font_files=[str(file) for file in sorted(_FONTS.glob("*.ttf"))],
            font_family=_FAMILY,
            serif_family=_FAMILY,
            sans_serif_family=_FAMILY,
            monospace_family=_FAMILY,
        )
    )


def _with_palette(png: bytes) -> bytes:
    with Image.open(BytesIO(png)) as image:
        few = image.convert("RGB").quantize(
            256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
        )
    written = BytesIO()
    few.save(written, "PNG")
    return written.getvalue()
