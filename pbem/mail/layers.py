"""Splits a drawing into what stands still and what moves.

What moves is a group directly inside the drawing, marked as moving, with its box and place::

    <g class="moving" data-box="-30 -30 60 60" transform="translate(120 80)"> ... </g>

``data-box`` (left, top, width, height) is in the group's own coordinates; its transform, if it has
one, is a ``translate``. Everything else stands still. A drawing without such groups stands still
as a whole. A marked group inside another group is not split off: it is drawn with what surrounds
it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_ROOT = re.compile(r"<svg\b[^>]*>")
_VIEW = re.compile(r'\bviewBox="\s*' + r"[\s,]+".join([_NUMBER] * 4) + r'\s*"')
_SIZE = re.compile(r'\s(?:x|y|width|height|viewBox)="[^"]*"')
_DEFS = re.compile(r"<defs\b[^>]*>.*?</defs>", re.DOTALL)
#: What a picture does not show: tooltips, comments, empty groups that scripts fill; data for
#: scripts. Each begins with letters of its own, which is looked for five times as fast.
_UNSEEN = re.compile(r"<(?:(title|desc)\b[^>]*>.*?</\1>|!--.*?-->|g\b[^>]*>\s*</g>)", re.DOTALL)
_DATA = re.compile(r'data-(?!box)[a-z-]+="[^"]*"')
_GROUP = re.compile(r"<g\b[^>]*?(/?)>|</g>")
_MOVING = re.compile(
    r'<g class="moving" data-box="' + " ".join([_NUMBER] * 4) + r'"'
    rf'(?: transform="translate\({_NUMBER} {_NUMBER}\)")?[^>]*>'
)

#: Left, top, width, height, in the drawing's units.
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Moving:
    """A group that moves, drawn around its own origin, which is at ``at``."""

    at: tuple[float, float]
    box: Box
    content: str


@dataclass(frozen=True)
class Drawing:
    """``parts`` in the order in which they are drawn: a ``str`` stands still."""

    view: Box
    #: The attributes of the drawing that its parts inherit, and its definitions.
    attributes: str
    defs: str
    parts: tuple[str | Moving, ...]

    def svg(self, content: str, view: Box, size: tuple[int, int]) -> str:
        """A complete SVG of this content: the part within ``view``, ``size`` in pixels."""
        shown = " ".join(f"{number:.6f}" for number in view)
        return (
            f'<svg{self.attributes} viewBox="{shown}" width="{size[0]}" height="{size[1]}"'
            f' preserveAspectRatio="none">{self.defs}{content}</svg>'
        )


def read(svg: str) -> Drawing:
    """Splits a drawing; ValueError if it has no ``viewBox``."""
    svg = _DATA.sub("", _UNSEEN.sub("", svg))
    root = _ROOT.search(svg)
    view = _VIEW.search(root[0]) if root else None
    if root is None or view is None:
        raise ValueError("The drawing has no viewBox.")
    inside = svg[root.end() : svg.rindex("</svg>")]
    defs = "".join(found[0] for found in _DEFS.finditer(inside))
    left, top, width, height = map(float, view.groups())
    return Drawing(
        (left, top, width, height),
        _SIZE.sub("", root[0][len("<svg") : -1]),
        defs,
        tuple(_parts(_DEFS.sub("", inside))),
    )


def _parts(inside: str) -> list[str | Moving]:
    """What stands still and what moves, in their order; the first part stands still."""
    found: list[str | Moving] = []
    depth = begun = 0
    moving: re.Match[str] | None = None
    for tag in _GROUP.finditer(inside):
        if tag[0] == "</g>":
            depth -= 1
            if depth == 0 and moving is not None:
                found.append(_moving(moving, inside[moving.end() : tag.start()]))
                begun, moving = tag.end(), None
        elif not tag[1]:
            if depth == 0:
                moving = _MOVING.match(inside, tag.start())
                if moving is not None:
                    found.append(inside[begun : tag.start()])
            depth += 1
    found.append(inside[begun:])
    return found[:1] + [part for part in found[1:] if isinstance(part, Moving) or part.strip()]


def _moving(tag: re.Match[str], content: str) -> Moving:
    left, top, width, height, *at = (float(number or 0) for number in tag.groups())
    return Moving((at[0], at[1]), (left, top, width, height), content.strip())
