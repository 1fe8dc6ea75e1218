"""Whether pages are well formed, and the words on them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

#: Elements that have no end.
VOID = {"meta", "link", "input", "br", "img"}


class Balanced(HTMLParser):
    """Whether every element that begins ends, in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> ends nothing"
        assert self.open.pop() == tag, f"</{tag}> ends another element"


def well_formed(html: str) -> str:
    parser = Balanced()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    assert not re.search(r"Sentence\(|&lt;(House|Soldier|RewardKind)|\bNone\b|\{\w+\}", bare(html))
    return html


def bare(html: str) -> str:
    """The words of a page, without what scripts fill in."""
    return re.sub(r"<script\b.*?</script>|<[^>]*>", " ", html, flags=re.S)
