"""An Op-Fire order put together by fields: each weapon is offered with what may follow it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.games.skirmish.state import Arm, State
from pbem.store.models import Match
from tests.browser.conftest import Site
from tests.web.skirmish import activated, put_state, state_of

pytestmark = pytest.mark.browser
#: The boxes that can be seen, by what they add to the order.
OFFERED = """() => [...document.querySelectorAll(".waiting .extra input")]
  .filter((one) => one.checkVisibility()).map((one) => one.name.slice("pick-".length))"""


def with_a_scope(site: Site) -> tuple[Match, int, str]:
    """An activation in which the second man has a rifle with a scope; its team."""
    match, seat, team = activated(site)
    put_state(site, match, armed(state_of(site, match), f"{team}-2"))
    return match, seat, team


def armed(state: State, name: str) -> State:
    models = tuple(
        replace(one, arms=(Arm("sniper", loaded=5, own=True),)) if one.name == name else one
        for one in state.models
    )
    return replace(state, models=models)


def test_what_may_follow_goes_with_the_weapon_that_is_chosen(site: Site, page: Any) -> None:
    """SKR-45, 69, 70."""
    match, seat, team = with_a_scope(site)
    page.goto(site.turn_url(match, seat))
    page.click("details.all > summary")
    page.click("details.waiting > summary")

    before = page.evaluate(OFFERED)
    page.select_option("#wait", label=f"{team}-2: sniper single")
    scoped = page.evaluate(OFFERED)
    page.check('[name="pick-scope"]')
    page.select_option("#wait", label=f"{team}-1: m16a2 single")
    plain = page.evaluate(OFFERED)
    page.check('[name="pick-aimed"]')
    page.wait_for_function("() => document.getElementById('say').innerText.includes('aimed')")
    page.click("#preview")

    assert before == []
    assert scoped[:2] == ["aimed", "scope"]
    assert "scope" not in plain
    assert page.inner_text(".order-shown") == (
        f"{team}-1 opfire with m16a2 single at first chance 10 aimed"
    )
    assert "the m16a2 (single, aimed)" in page.inner_text(".effect")


def test_without_a_script_what_no_weapon_takes_is_refused(site: Site, plain_page: Any) -> None:
    """SKR-45, 70."""
    match, seat, team = with_a_scope(site)
    plain_page.goto(site.turn_url(match, seat))
    plain_page.click("details.waiting > summary")

    plain_page.select_option("#wait", label=f"{team}-1: m16a2 single")
    plain_page.check('[name="pick-scope"]')
    plain_page.click("#preview")
    refusal = plain_page.inner_text("#problem")
    kept = plain_page.is_checked('[name="pick-scope"]')
    plain_page.select_option("#wait", label=f"{team}-2: sniper single")
    plain_page.click("#preview")

    assert "has no scope" in refusal
    assert kept
    assert plain_page.inner_text(".order-shown").startswith(f"{team}-2 opfire with sniper")
    assert " scope" in plain_page.inner_text(".order-shown")
