"""What pages are for who cannot see them: what is said of a drawing, and where headings lead."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.games.registry import games
from tests.browser.conftest import Site
from tests.browser.hearing import heard, listen
from tests.browser.test_captains import acting
from tests.web.skirmish import activated, played_to, put_state, running, state_of

pytestmark = pytest.mark.browser


def said_of(page: Any, what: str) -> list[str]:
    """What is said of the first such part of a page, line by line."""
    told: str = page.locator(what).first.aria_snapshot()
    return [line.strip().removeprefix("- ").strip("':") for line in told.splitlines()]


def test_the_board_of_dog_is_said_once(site: Site, page: Any) -> None:
    page.goto(site.turn_url(site.running(), 0))

    _, heading, link, _, board, *others = said_of(page, "figure.boardbox")

    assert heading.startswith('heading "The table"')
    assert link.startswith('link "The table in words"')
    assert board.startswith('img "The board Alice: Home, ')
    assert others == [], "no card of the pile, no name, no number on it"


def test_a_battle_has_a_heading_and_nothing_of_its_picture_but_the_spaces(
    site: Site, page: Any
) -> None:
    page.goto(site.turn_url(*acting(site)))

    heading, board, *spaces = said_of(page, ".war .field")

    assert heading.startswith('heading "Battle 1: ')
    assert board.startswith('group "The tracker stands ')
    assert spaces
    assert [one for one in spaces if not one.startswith("button ")] == []
    [houses] = said_of(page, ".house-track")
    assert "Influence tokens in the supply: " in houses


def test_the_map_of_a_skirmish_is_told_in_words(site: Site, page: Any) -> None:
    match, seat, _ = activated(site)
    page.goto(site.turn_url(match, seat))
    page.locator(".map-ground > summary").press("Enter")

    ground = page.locator(".map-ground li").all_inner_texts()

    assert said_of(page, ".map-window") == ['region "The map"']
    assert ground[0] == "mill: stone, 1 level; 8 to 14 east, 10 to 15 north"
    assert "oak; 20,30" in ground


@pytest.mark.parametrize("game", sorted(games()))
def test_board_and_choices_are_a_heading_away_and_the_words_a_link(
    game: str, site: Site, plain_page: Any
) -> None:
    """Without a script: the browser itself opens what a link leads into."""
    match = site.of_game(game)
    plain_page.goto(site.turn_url(match, site.waiting(match)[0]))

    heard = plain_page.locator("h1, h2").all_text_contents()
    link = plain_page.get_by_role("link", name="The table in words")
    link.focus()
    link.press("Enter")

    assert heard == ["Your move", "The table", "Your choice", "Since your last turn", "Players"]
    plain_page.locator("#in-words").wait_for(state="visible")


def test_keys_go_on_with_the_first_man_who_can_act_once_his_team_is_activated(
    site: Site, page: Any
) -> None:
    match = running(site)
    seat = played_to(site, match, "activation")
    state = state_of(site, match)
    first = next(number for number, one in enumerate(state.models) if one.seat == seat)
    models = list(state.models)
    models[first] = replace(models[first], condition="unconscious", prone=True, ap=0)
    put_state(site, match, replace(state, models=tuple(models)))
    page.goto(site.turn_url(match, seat))

    page.locator("#skirmish .teams input").first.press("Space")
    page.wait_for_selector("#skirmish .told > li")

    focused = page.evaluate("document.activeElement.dataset.man")
    assert focused == models[first + 1].name
    assert page.get_attribute("#skirmish details.man[open]", "data-name") == focused


def test_a_ready_made_force_or_deployment_is_heard_when_it_is_chosen(site: Site, page: Any) -> None:
    match = running(site)
    heard_of = []
    for stage in ("building", "deployment"):
        seat = played_to(site, match, stage)
        page.goto(site.turn_url(match, seat))
        listen(page)
        choice = page.locator("#skirmish ul.orders label").first
        choice.locator("input").press("Space")
        [said] = heard(page)
        heard_of.append(said.startswith(choice.locator("span").inner_text()))

    assert heard_of == [True, True]
