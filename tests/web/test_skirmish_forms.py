"""What is chosen on the pages of the skirmish, and what a preview says of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from engine.games.skirmish import GAME
from tests.engine.games.skirmish.world import change, looked
from tests.web.house import WebHouse, found
from tests.web.skirmish import (
    activated,
    arc_ahead,
    face_to_face,
    played_to,
    put_state,
    running,
    state_of,
)


def test_every_map_can_be_made_larger_and_has_a_key_and_a_force_sheet(
    web: WebHouse, client: FlaskClient
) -> None:
    match = running(web, points=250)
    seat = played_to(web, match, "activation")

    page = client.get(web.turn_path(match, seat)).text
    replayed = client.get(f"/m/{match.id}?ply={web.match(match.id).ply}").text

    for text in (page, replayed):
        assert text.count('name="map-size"') == 3
        assert "What the signs mean" in text
    own = {model.name for model in state_of(web, match).models if model.seat == seat}
    rows = set(re.findall(r'<th scope="row">([a-z]+-\d)<span', page))
    assert rows == own


def test_every_ready_made_force_says_its_order(web: WebHouse, client: FlaskClient) -> None:
    page = client.get(web.turn_path(running(web), 0)).text

    orders = re.findall(r'name="order" value="(build [^"]+)"', page)

    assert "build " + " + ".join(["civilians"] * 10) in orders
    assert [order for order in orders if f"<code>{order}</code>" not in page] == []


def test_a_preview_says_what_an_order_takes_and_what_its_chance_is_made_of(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)
    state = state_of(web, match)
    model = next(model for model in state.models if model.name == f"{team}-1")
    ahead = model.y + (8_000 if model.y < 24_000 else -8_000)

    def preview(order: str) -> str:
        return client.post(f"{path}/preview", data={"order": order}).text

    thrown = preview(f"{team}-1 throw m67 at {model.x / 1000:g},{ahead / 1000:g}")
    low, high = arc_ahead(state, f"{team}-1")
    waits = preview(f"{team}-1 opfire arc {low}-{high} range 24 at first single chance 40")
    too_far = client.post(
        f"{path}/preview", data={"order": f"{team}-2 run to 1,1", "pick-chance": "30"}
    )

    assert f"It takes 3 AP; {team}-1 has 7 left then." in thrown
    assert "6 or less hits: 60 %" in thrown
    assert "WP 6" in thrown
    assert "It takes in 3 inches around" in thrown
    assert "a miss comes down up to 3 inches from there" in thrown
    assert f"He watches from {low}° to {high}°" in waits
    assert "40 % or more" in waits
    assert too_far.status_code == 422


def test_a_preview_of_a_demand_says_who_surrenders_and_that_no_die_is_thrown(
    web: WebHouse, client: FlaskClient
) -> None:
    """SKR-148: the rules know all that follows."""
    match, seat = face_to_face(web)
    state = state_of(web, match)
    mine = next(one for one in state.models if one.seat == seat and one.team in ("alpha", "bravo"))
    foe = next(one for one in state.models if one.seat != seat)
    put_state(web, match, looked(change(state, foe.name, x=mine.x, broken="broken")))
    order = f"{mine.name} demand {foe.name}"

    page = client.post(f"{web.turn_path(match, seat)}/preview", data={"order": order}).text

    assert f"It takes 0 AP; {mine.name} has 10 left then." in page
    assert (
        f"{foe.name} surrenders to {mine.name} if he is broken; if he only ducks he does not. "
        "No die is thrown."
    ) in page
    assert "nobody knows yet" not in page


def test_a_preview_of_a_small_act_says_what_it_takes(web: WebHouse, client: FlaskClient) -> None:
    """SKR-7, 46: it hangs on nothing but an enemy who may be waiting to fire."""
    match, seat, team = activated(web)
    path = f"{web.turn_path(match, seat)}/preview"

    page = client.post(path, data={"order": f"{team}-1 drop 1 m67"}).text

    assert f"It takes 0 AP; {team}-1 has 10 left then." in page
    assert "He does it, if nothing stops him." in page
    assert "nobody knows yet" not in page


def test_who_has_spent_all_action_points_is_told_to_end_the_activation(
    web: WebHouse, client: FlaskClient
) -> None:
    """SKR-29: it goes on for what costs none, and nobody can go anywhere."""
    match, seat, _ = activated(web)
    path = web.turn_path(match, seat)
    state = state_of(web, match)

    before = client.get(path).text
    put_state(web, match, replace(state, models=tuple(replace(m, ap=0) for m in state.models)))
    spent = client.get(path).text

    hint = "No AP are left: end the activation, or choose what costs none."
    assert (hint in before, "Tap a man, then where he goes" in before) == (False, True)
    assert (hint in spent, "Tap a man, then where he goes" in spent) == (True, False)


def test_turning_throwing_and_waiting_are_chosen_without_a_script(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)
    page = client.get(path).text
    listed = re.findall(r'<option value="([^"]+)"', page)

    turn = next(order for order in listed if order == f"{team}-1 face 90")
    mark = next(order for order in listed if order.startswith(f"{team}-1 fire building "))
    begun = next(order for order in listed if order.startswith(f"{team}-1 opfire with "))
    low, high = arc_ahead(state_of(web, match), f"{team}-1")
    waits = {"wait": begun, "from": f"{low}", "to": f"{high}", "at": "first", "chance": "40"}

    assert shown(client, path, order=[turn, "", ""]) == turn
    assert shown(client, path, order=["", mark]) == mark
    assert shown(client, path, **fields(waits)).endswith(f"arc {low}-{high} at first chance 40")
    assert shown(client, path, **fields({"wait": f"{team}-1 opfire"})).endswith("chance 10")
    assert '<option value="10" selected>' in page


def shown(client: FlaskClient, path: str, **data: Any) -> str:
    """The order of a preview."""
    answer = client.post(f"{path}/preview", data=data)
    assert answer.status_code == 200, answer.text
    return found(answer, r'order-shown"><code>(.*?)</code>')


def fields(picked: dict[str, str]) -> dict[str, str]:
    return {f"pick-{name}": value for name, value in picked.items()}


def test_models_are_placed_by_numbers_without_a_script_and_what_was_typed_is_kept(
    web: WebHouse, client: FlaskClient
) -> None:
    match = running(web)
    seat = played_to(web, match, "deployment")
    path = web.turn_path(match, seat)
    first, second = (m.name for m in state_of(web, match).models[seat * 4 : seat * 4 + 2])
    default = GAME.format(GAME.default_move(state_of(web, match), seat))
    spot = default.split(" ")[2]

    moved = fields({f"lying-{second}": "yes"})
    outside = fields({f"east-{first}": "24", f"north-{first}": "24"})
    refused_ = client.post(f"{path}/preview", data=outside)

    order = shown(client, path, **moved)
    assert order.startswith(f"deploy {first} {spot}")
    assert order.count("prone") == 1
    assert refused_.status_code == 422
    assert "must stand within" in refused_.text
    field = re.search(rf'name="pick-north-{first}"[^>]*value="([^"]*)"', refused_.text)
    assert field[1] == "24"


@pytest.mark.parametrize("before", [0, 1])
def test_the_preview_of_a_deployment_shows_where_each_looks(
    web: WebHouse, client: FlaskClient, before: int
) -> None:
    """Also that of the last one, with which the turn begins by a throw of dice."""
    match = running(web)
    played_to(web, match, "deployment")
    seat = played_to(web, match, "deployment", web.match(match.id).ply + before)
    places = GAME.default_move(state_of(web, match), seat).places
    order = "deploy " + "; ".join(
        f"{place.model} {place.x / 1000},{place.y / 1000} facing 75" for place in places
    )

    preview = client.post(f"{web.turn_path(match, seat)}/preview", data={"order": order}).text

    assert preview.count("rotate(75)") == len(places)
    assert "has placed the force." in preview
    assert "The table before this move" not in preview


def test_a_refused_order_is_still_in_its_field_though_others_were_left_as_they_were(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    left = fields({"from": "330", "to": "30", "at": "first", "chance": "10"})

    answer = client.post(
        f"{web.turn_path(match, seat)}/preview", data={"order": f"{team}-1 walk to 2,2", **left}
    )

    assert answer.status_code == 422
    assert f'value="{team}-1 walk to 2,2"' in answer.text


@pytest.mark.parametrize(
    ("picked", "problem"),
    [
        ({"tool": "dance", "man": "x"}, "I cannot read “dance”"),
        ({"card": "3"}, "There is no field called card here."),
        ({"wait": "<b>"}, "I cannot read “&lt;b&gt;”"),
    ],
)
def test_fields_that_say_no_order_are_refused_on_the_page(
    web: WebHouse, client: FlaskClient, picked: dict[str, str], problem: str
) -> None:
    match, seat, _ = activated(web)

    answer = client.post(f"{web.turn_path(match, seat)}/preview", data=fields(picked))

    assert answer.status_code == 422
    assert problem in answer.text


def test_the_dice_that_fell_at_ones_own_hand_in_are_told_when_one_comes_back(
    web: WebHouse, client: FlaskClient
) -> None:
    """SKR-17: whoever builds last is told the dice for the side, when the page is opened again."""
    match = running(web)
    for seat in (0, 1):
        web.play(match, seat, "build rangers", f"build {seat}")
    web.work()
    [chooser] = web.waiting(match)
    pages = {}
    for seat in (0, 1):
        if seat == chooser:
            pages[seat] = client.get(web.turn_path(match, seat)).text

    assert "Table side, Alice" in pages[chooser]
    assert "Table side, Bob" in pages[chooser]


def test_buildings_have_their_names_in_the_readers_language_and_in_that_of_orders(
    web: WebHouse, client: FlaskClient
) -> None:
    match = running(web, "es")

    page = client.get(web.turn_path(match, 0)).text

    assert "chapel<tspan" in page
    assert ">capilla<" in page
