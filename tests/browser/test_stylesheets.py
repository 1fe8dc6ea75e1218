"""What a stylesheet says, a browser understands: no property or value is written wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tinycss2

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
SHEETS = sorted(
    [*(ROOT / "pbem/web/static").glob("*.css"), *ROOT.glob("templates/games/*/look.css")]
)
#: What stands in these are descriptors, of which a browser does not say whether it knows them.
DESCRIBE = ("font-face", "view-transition")


def declarations(nodes: list[Any]) -> list[tuple[str, str]]:
    """The properties and values of all rules, those inside of media queries, too."""
    found = []
    for node in nodes:
        assert node.type != "error", node.message
        if node.type == "at-rule" and node.at_keyword in DESCRIBE:
            continue
        if node.type == "declaration":
            found.append((node.name, tinycss2.serialize(node.value).strip()))
        elif getattr(node, "content", None) is not None:
            found += declarations(
                tinycss2.parse_blocks_contents(
                    node.content, skip_comments=True, skip_whitespace=True
                )
            )
    return found


def refused(browser: Any, css: str) -> list[tuple[str, str]]:
    """What Chromium would leave out of a stylesheet."""
    page = browser.new_page()
    said = declarations(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True))
    known = page.evaluate("said => said.map(([name, value]) => CSS.supports(name, value))", said)
    page.close()
    return [one for one, is_known in zip(said, known, strict=True) if not is_known]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.relative_to(ROOT).as_posix())
def test_a_browser_understands_every_declaration(browser: Any, sheet: Path) -> None:
    assert refused(browser, sheet.read_text()) == []


def test_what_is_written_wrong_is_noticed(browser: Any) -> None:
    css = "p { colour: red } @media print { a { margin: 3 px; color: var(--text); --own: x } }"

    assert refused(browser, css) == [("colour", "red"), ("margin", "3 px")]
