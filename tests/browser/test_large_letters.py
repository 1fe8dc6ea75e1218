"""Whoever has letters twice as large on a phone reads each page without scrolling sideways."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.registry import games
from pbem.store.names import Purpose
from tests.browser.conftest import Site
from tests.parts import remedies
from tests.web.skirmish import activated

pytestmark = pytest.mark.browser

#: Lines of a bar and of the heads of a turn in which no word has room.
THIN = """() => [...document.querySelectorAll(".bar .say > *, .state p, .last > span")].filter(
  (one) => {
    const { width, height } = one.getBoundingClientRect();
    return height && width < 3 * parseFloat(getComputedStyle(one).fontSize);
  },
).map((one) => one.outerHTML.slice(0, 90))"""


def test_letters_twice_as_large_make_no_page_wider_than_a_phone(site: Site, page: Any) -> None:
    matches = [site.of_game(game, language="es") for game in sorted(games())]
    matches += [activated(site)[0], site.before_a_choice()[0]]
    over = site.running()
    remedies.abort(site.service, over.id, actor="host")
    paths = [site.turn_path(match, site.waiting(match)[0]) for match in matches]
    paths += [f"/m/{match.id}" for match in (*matches, over)]
    paths += [
        site.path(matches[0], purpose, seat)
        for purpose, seat in ((Purpose.SEAT, 0), (Purpose.HOST, -1))
    ]
    paths += ["/", "/new", "/new?game=dog", "/open", "/rules", "/rules/dog", "/home"]
    page.set_viewport_size({"width": 320, "height": 740})
    page.context.new_cdp_session(page).send(
        "Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}}
    )

    wrong = []
    for path in paths:
        page.goto(site.address + path)
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
        wide = page.evaluate("document.documentElement.scrollWidth")
        wrong += [f"{path[:40]}: {wide} pixels"] if wide > 320 else []
        wrong += [f"{path[:40]}: no room in {one}" for one in page.evaluate(THIN)]

    assert wrong == []
