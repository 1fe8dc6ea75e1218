"""What is on a page can be seen: clear of what is beside it, within the window, in all colours."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Site
from tests.parts.chromium import still
from tests.web.skirmish import played_to, running

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}


def test_all_fields_of_a_place_are_in_sight_on_a_phone(site: Site, page: Any) -> None:
    match = running(site)
    seat = played_to(site, match, "deployment")
    page.set_viewport_size(PHONE)
    page.goto(site.turn_url(match, seat))

    fields = page.locator(".deployer .how:not([hidden]) input").all()

    assert len(fields) == 4
    for box in map(still, fields):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
