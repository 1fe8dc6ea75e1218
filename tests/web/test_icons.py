"""Icons of pages are one family, in one file."""

from __future__ import annotations

import re
from pathlib import Path

from pbem.words import templating

TEMPLATES = templating.location()
STATIC = Path(__file__).parents[2] / "pbem/web/static"
#: Signs that look different in the fonts of each device. An arrow between two places is a word.
SIGNS = re.compile(r"[▸▾▶◀❚⏸✕✖✓✔⤢‹›«»←]")


def sources() -> dict[str, str]:
    files = [*STATIC.glob("*.*s"), *(TEMPLATES / "web").glob("*.html")]
    files += [
        path for end in ("html", "css", "js") for path in (TEMPLATES / "games").glob(f"*/*.{end}")
    ]
    return {"/".join(path.parts[-2:]): path.read_text() for path in files}


def test_every_icon_that_is_shown_is_drawn_and_every_one_that_is_drawn_is_shown() -> None:
    drawn = set(re.findall(r'^    "(\w+)": "', (TEMPLATES / "web/icons.html").read_text(), re.M))
    texts = "".join(text for name, text in sources().items() if name != "web/icons.html")
    named = set(re.findall(r'icon\("(\w+)"\)|#icon-(\w+)', texts))
    of_the_map = set(re.findall(r'^\s+\["(\w+)", "\w+", \(\) =>', texts, re.M))

    assert {one or other for one, other in named} | of_the_map == drawn


def test_no_sign_of_a_font_stands_for_an_icon() -> None:
    assert {name for name, text in sources().items() if SIGNS.search(text)} == set()
