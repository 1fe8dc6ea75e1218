"""The text of an HTML part."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import NamedTuple

from pbem.mail.letter_parser.parts import cleaned

#: Classes and ids that programs give to a quote that is the rest of the mail.
_UNENDED = r"(?i)gmail_quote|divRplyFwdMsg|appendonsend|yahoo_quoted|protonmail_quote"
_NOT_SHOWN = (
    r"(?i)display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all"
    # struck out is taken back
    r"|text-decoration[a-z-]*\s*:[^;]*line-through"
)
#: Elements without an end.
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})


class Read(NamedTuple):
    """What an HTML part says."""

    #: The lines that a reader of the page sees, without its quotes.
    lines: list[str]
    #: The visible part of each line of which something is hidden or struck out; both are cleaned.
    visible: dict[str, str]


class _Html(HTMLParser):
    """The text of an HTML part, a line for each block, without what is not shown.

    A ``blockquote`` becomes one marked line; from a quote without an end on, nothing is read.
    """

    _BLOCKS = frozenset(
        {"p", "div", "br", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "blockquote", "hr"}
    )
    _HIDDEN = frozenset({"style", "script", "head", "title"})
    _STRUCK = frozenset({"s", "strike", "del"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = [""]
        #: Whether the current line is still empty: a block then need not begin another.
        self._fresh = True
        self._hidden = 0
        #: The tag of the outermost element that a style hides, and how many of it are open in it.
        self._veil, self._veils = "", 0
        self._quotes = 0
        self.over = False
        #: The line of the source, with what is not shown of it and without.
        self._whole = self._seen = ""
        self.visible: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._BLOCKS:
            self.end_line_of_source()
        named = {name: value or "" for name, value in attrs}
        marks = f"{named.get('class', '')} {named.get('id', '')}"
        if re.search(_UNENDED, marks):
            self.over = True
        if not self._veil and tag not in _VOID:
            hidden = "hidden" in named or re.search(_NOT_SHOWN, named.get("style", ""))
            self._veil = tag if hidden or tag in self._STRUCK else ""
        self._veils += tag == self._veil
        if self._veil:
            return
        if tag in self._HIDDEN:
            self._hidden += 1
        if tag == "blockquote":
            self._begin_quote()
        if tag == "br":
            self._end_line(forced=True)
        elif tag in self._BLOCKS:
            self._end_line(forced=False)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._BLOCKS:
            self.end_line_of_source()
        if self._veil:
            self._veils -= tag == self._veil
            self._veil = self._veil if self._veils else ""
            return
        if tag in self._HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in self._BLOCKS and tag != "br":
            self._end_line(forced=False)
        if tag == "blockquote" and self._quotes:
            self._quotes -= 1
            if not self._quotes and not self.over:
                self.lines += ["", ""]

    def _begin_quote(self) -> None:
        self._end_line(forced=False)
        if not self._quotes and not self.over:
            self.lines[-1] = ">"
            self._end_line(forced=True)
        self._quotes += 1

    def handle_data(self, data: str) -> None:
        if self.over or self._hidden or self._quotes or not data:
            return
        self._whole += data
        if self._veil:
            return
        self._seen += data
        shown = re.sub(r"[ \t\n\r\f]+", " ", data)
        if shown.strip(" ") or not self._fresh:
            self.lines[-1] += shown
            self._fresh = False

    def end_line_of_source(self) -> None:
        whole, seen = cleaned(self._whole), cleaned(self._seen)
        if whole != seen:
            self.visible[whole] = seen
        self._whole = self._seen = ""

    def _end_line(self, *, forced: bool) -> None:
        if not self.over and not self._quotes and (forced or not self._fresh):
            self.lines.append("")
            self._fresh = True


def read(html: str) -> Read:
    """What a page says; of a long one the beginning is enough: an answer is above the quote."""
    parser = _Html()
    parser.feed(html)
    parser.end_line_of_source()
    return Read(parser.lines, parser.visible)
