"""Golden mails use only what mail programs understand, or what may be lost without harm.

docs/decisions/mails.md says how these lists came about, and what was not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
import tinycss2

from tests.mail import golden, kinds, skirmish_mails

PAGES = sorted([*kinds.GOLDEN.rglob("*.html"), *skirmish_mails.GOLDEN.rglob("*.html")])

ELEMENTS = set(
    (
        "html head meta title style body div table tbody tr td th "
        "p h1 h2 ul ol li a strong span br img"
    ).split()
)
ATTRIBUTES = set(
    (
        "style class lang charset name content role align cellspacing cellpadding scope "
        "href src width alt"
    ).split()
)

#: Understood by Gmail, Outlook and Apple Mail, on these elements; on all where none is named.
UNDERSTOOD: dict[str, set[str]] = {
    "background-color": set(),
    "border": set(),
    "border-collapse": set(),
    "border-top": {"td", "th"},
    "color": set(),
    "font-family": set(),
    "font-size": set(),
    "font-weight": set(),
    "line-height": set(),
    "margin": {"body", "table", "p", "h1", "h2", "ul", "li", "img"},
    "padding": {"td", "th"},
    "padding-left": {"td", "th"},
    "text-align": set(),
    "text-decoration": set(),
    "vertical-align": {"td", "th"},
    "width": {"table"},
    "max-width": {"table"},
    # words of Outlook on Windows alone, for what it lacks
    "mso-hide": set(),
    "mso-padding-alt": {"td"},
}
#: Not understood by one of them, and what its readers see instead.
WITHOUT_HARM = {
    ("border-radius", "table td span img"): "square corners",
    ("color-scheme", "html"): "a light mail, or one that the program turns dark by itself",
    ("display", "a span img"): "a button as wide as its words; a mark as wide as itself",
    ("display", "div"): "the first line, in the paper's colour and a pixel high",
    ("margin", "div"): "less air below a passage",
    ("max-height overflow", "div"): "the same, where it is not hidden otherwise",
    ("height", "img"): "the height that the picture has",
    ("max-width", "img span"): "a picture as wide as its attribute says; a long order on two lines",
    ("padding", "a"): "the padding of the cell around it",
    ("padding", "body span ul"): "less air",
    ("text-wrap", "h1"): "a heading whose second line may be one word",
    ("width", "img"): "a picture as wide as its attribute says",
    ("width", "span"): "words right behind the mark",
    ("word-break", "span td"): "a long fingerprint on one line",
    ("-webkit-text-size-adjust", "body"): "letters as the program sizes them",
}
LOST = {
    (one, element)
    for properties, elements in WITHOUT_HARM
    for one in properties.split()
    for element in elements.split()
}
#: Not read by all: units that depend on something else, functions, less than nothing.
NOT_EVERYWHERE = re.compile(r"\d(?:r?em|v[wh]|pt|ch)\b|\(|(?<!\S)-\d")
#: Where a rule is not understood, what is put on the elements holds.
AT_RULES = {"(max-width: 480px)", "(prefers-color-scheme: dark)"}
#: Bytes of style sheets that Gmail reads, and of a mail that it shows whole.
STYLES, WHOLE = 16_000, 100_000


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text of its style sheets."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.sheets: list[str] = []
        self.size = len(html.encode())
        self._open = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._open = tag

    def handle_data(self, data: str) -> None:
        if self._open == "style" and data.strip():
            self.sheets.append(data)


def styles(text: str) -> Iterator[tuple[str, str]]:
    """Properties and values of the text of a ``style`` attribute or a block."""
    for node in tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True):
        assert node.type == "declaration", text
        yield node.lower_name, tinycss2.serialize(node.value).strip()


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {"/".join(path.parts[-3:]): Page(golden.whole(path)) for path in PAGES}


def test_every_element_attribute_and_property_is_understood_or_lost_without_harm(
    pages: dict[str, Page],
) -> None:
    for name, page in pages.items():
        for tag, attributes in page.elements:
            assert tag in ELEMENTS, name
            assert attributes.keys() <= ATTRIBUTES, (name, tag)
            for one, value in styles(attributes.get("style", "")):
                where = UNDERSTOOD.get(one)
                known = where is not None and (not where or tag in where)
                assert known or (one, tag) in LOST, (name, tag, one)
                assert not NOT_EVERYWHERE.search(value), (name, value)


def test_style_sheets_have_nothing_but_what_narrow_and_dark_programs_need(
    pages: dict[str, Page],
) -> None:
    for name, page in pages.items():
        assert sum(len(sheet.encode()) for sheet in page.sheets) <= STYLES, name
        assert page.size <= WHOLE, name
        rules = [
            rule for sheet in page.sheets for rule in tinycss2.parse_stylesheet(sheet, True, True)
        ]
        assert {tinycss2.serialize(rule.prelude).strip() for rule in rules} == AT_RULES, name
        for rule in rules:
            # Gmail drops a whole sheet for an @ within an @
            assert "@" not in tinycss2.serialize(rule.content), name


def test_pictures_have_a_width_and_buttons_their_padding_in_outlook_too(
    pages: dict[str, Page],
) -> None:
    buttons = 0
    for name, page in pages.items():
        for (_, cell), (tag, one) in zip([("", {}), *page.elements], page.elements, strict=False):
            own, around = dict(styles(one.get("style", ""))), dict(styles(cell.get("style", "")))
            if tag == "img":
                assert one["width"].isdigit(), name
                assert own["max-width"] == f"{one['width']}px", name
            if tag == "a" and "padding" in own:
                assert around["mso-padding-alt"] == own["padding"], name
                buttons += 1

    assert buttons


def test_links_say_where_they_lead_in_words() -> None:
    """An address of forty letters says nothing, and makes a mail scroll sideways on a phone."""
    for path in PAGES:
        words = re.findall(r"<a [^>]*>\s*(https?://\S+?)\s*</a>", golden.whole(path))

        assert words == [], path
