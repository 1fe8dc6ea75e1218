"""The form that opens a match, without scripts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Site

pytestmark = pytest.mark.browser


def test_the_parts_of_a_clock_are_shown_only_where_they_count(site: Site, plain_page: Any) -> None:
    plain_page.goto(f"{site.address}/new?game=dog")
    days = plain_page.locator("#vacation_days")

    shown = [days.is_visible()]
    for pace in ("own", "lively"):
        plain_page.check(f"[name=pace][value={pace}]")
        shown.append(days.is_visible())

    assert shown == [False, True, False]
