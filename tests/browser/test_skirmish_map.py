"""The skirmish's map in its window: what is in sight of it when a page opens."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.browser.conftest import Site
from tests.web.skirmish import (
    activated,
    played_to,
    put_state,
    running,
    stand_face_to_face,
    state_of,
)

pytestmark = pytest.mark.browser

#: The men of a team whose middle cannot be touched: a button lies on it, or it is out of sight.
COVERED = """team => [...document.querySelectorAll(`svg .model[data-place^="${team}"]`)].filter(
  (model) => {
    const { x, y, width, height } = model.getBoundingClientRect();
    const met = document.elementFromPoint(x + width / 2, y + height / 2);
    return met?.closest(".model")?.dataset.place.startsWith(team) !== true;
  }).map((model) => model.dataset.place)"""
#: The chances that are not whole on the map, or lie on another one.
HIDDEN = """() => {
  const frame = document.querySelector(".map-window").getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".skirmish-map .odds")].map(
    (one) => one.getBoundingClientRect());
  const beyond = boxes.filter((one) => one.top < frame.top || one.bottom > frame.bottom);
  const covered = boxes.filter((one, at) => boxes.slice(at + 1).some((other) =>
    one.left < other.right - 4 && other.left < one.right - 4
    && one.top < other.bottom - 4 && other.top < one.bottom - 4));
  return [boxes.length, beyond.length, covered.length];
}"""


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_no_man_of_the_turn_lies_under_a_button_at_the_edge_of_the_table(
    site: Site, page: Any, width: int
) -> None:
    match, seat, team = activated(site)
    state = state_of(site, match)
    own = [model for model in state.models if model.name.startswith(team)]
    page.set_viewport_size({"width": width, "height": 740})
    for north in (47_000, 1_000):
        for east in (19_000, 42_000):
            moved = {
                model.name: replace(model, x=east + 1_500 * number, y=north)
                for number, model in enumerate(own)
            }
            models = tuple(moved.get(model.name, model) for model in state.models)
            put_state(site, match, replace(state, models=models))
            page.goto(site.turn_url(match, seat))
            page.wait_for_selector(".framed-map.live")

            assert page.evaluate(COVERED, team) == [], (east, north)


def test_the_chance_to_hit_is_shown_whole_at_the_edge_of_the_table(site: Site, page: Any) -> None:
    match = running(site, table="bridge")
    seat = played_to(site, match, "activation")
    stand_face_to_face(site, match, (36_000, 47_000) if seat == 0 else (47_000, 36_000))
    site.play(match, seat, "activate alpha" if seat == 0 else "activate bravo")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(site.turn_url(match, seat))
    page.wait_for_selector(".skirmish-map .odds")

    shown, beyond, covered = page.evaluate(HIDDEN)

    assert shown > 2
    assert (beyond, covered) == (0, 0)
