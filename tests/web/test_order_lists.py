"""Several orders of an activation at once: on the page, and as JSON."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.acts.turns import MAX_SUBMISSION
from pbem.looks import match_look
from pbem.record import verify
from pbem.store.canonical import canonical
from pbem.store.models import Match
from tests.parts import remedies
from tests.web.house import WebHouse, found
from tests.web.skirmish import activated, face_to_face, state_of


def previewed(client: FlaskClient, path: str, *orders: str, **more: str) -> TestResponse:
    *queue, last = orders
    data = {"queue": "\n".join(queue), "order": last, **more}
    return client.post(f"{path}/preview", data=data)


def confirmed(client: FlaskClient, path: str, page: TestResponse, **changes: str) -> TestResponse:
    hidden = dict(re.findall(r'name="(order|ply|submission)" value="([^"]*)"', page.text))
    return client.post(f"{path}/confirm", data={**hidden, **changes})


def played(web: WebHouse, match: Match, since: int) -> list[str]:
    return [ply.order_text for ply in web.plies(match)[since:]]


def walk(web: WebHouse, match: Match, name: str, inches: int) -> str:
    """So many inches towards the middle, and no name of a place twice."""
    man = state_of(web, match).model(name)
    assert man is not None
    ahead = 1000 if man.y < 24_000 else -1000
    return f"{name} walk to {man.x / 1000:g},{(man.y + ahead * inches) / 1000:g}"


def test_a_list_is_previewed_together_and_each_of_its_orders_is_a_ply(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    orders = (walk(web, match, f"{team}-1", 3), f"{team}-1 prone", f"{team}-2 face 90")

    page = previewed(client, path, *orders)
    answer = confirmed(client, path, page)
    again = confirmed(client, path, page)
    web.work()

    assert [order in page.text for order in orders] == [True] * 3
    assert f"It takes 3 AP; {team}-1 has 7 left then." in page.text
    assert (answer.status_code, again.status_code) == (200, 200)
    assert played(web, match, before) == list(orders)
    remedies.abort(web.service, match.id, actor="host")
    assert verify.verify(canonical(match_look.record(web.service, match.id))).wrong == ()


def test_after_an_order_of_a_list_the_page_asks_for_the_next_from_where_he_then_is(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    order = walk(web, match, f"{team}-1", 4)

    page = previewed(client, path, order, then="yes")

    assert f'name="queue" value="{order}"' in page.text
    place = order.rpartition(" ")[2]
    assert f'data-name="{team}-1" data-at="{place}"' in re.sub(r"\s+", " ", page.text)
    assert played(web, match, before) == []


def test_a_link_to_another_man_goes_on_with_the_orders_told_so_far(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path, order = web.turn_path(match, seat), f"{team}-1 prone"

    page = previewed(client, path, order, then="yes", about=f"{team}-1")
    link = unescape(found(page, rf'href="([^"]+)" data-choice="{team}-3"'))
    other = client.get(link)

    assert f'name="about" value="{team}-1"' in page.text
    assert f'name="about" value="{team}-3"' in other.text
    assert f'name="queue" value="{order}"' in other.text
    assert f"{team}-3 walk to " in other.text
    assert f"{team}-1 crawl to " not in other.text


def test_a_list_in_an_address_that_cannot_be_told_is_refused_with_its_reason(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)
    queue = {"queue": f"{team}-1 prone\n{walk(web, match, f'{team}-1', 2)}"}

    refused = client.get(path, query_string=queue)
    client.post(path, json={"order": f"{team} end", "submission": "the end"})
    closed = client.get(path, query_string=queue)

    assert refused.status_code == 422
    assert "is prone: he can only crawl" in refused.text
    assert closed.status_code == 200
    assert 'name="queue"' not in closed.text


def test_who_says_something_keeps_the_orders_told_so_far(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    form = {
        "say": "Hold on.",
        "say_key": "k" * 20,
        "queue": f"{team}-1 prone",
        "about": f"{team}-2",
    }

    page = client.post(f"{web.turn_path(match, seat)}/say", data=form)

    assert "Said: Hold on." in page.text
    assert f'name="queue" value="{team}-1 prone"' in page.text
    assert f'name="about" value="{team}-2"' in page.text


def test_a_line_that_is_refused_is_told_with_its_rule_and_the_list_is_kept(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)
    order = f"{team}-1 prone"

    page = previewed(client, path, order, walk(web, match, f"{team}-1", 2))

    assert page.status_code == 422
    assert "is prone: he can only crawl" in page.text
    assert f'name="queue" value="{order}"' in page.text


def test_a_list_stops_where_an_order_is_refused_and_says_what_was_left_out(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    page = previewed(client, path, f"{team}-1 prone", f"{team}-2 prone")
    refused = walk(web, match, f"{team}-1", 2)
    orders = f"{team}-1 prone\n{refused}\n{team}-2 prone"

    answer = confirmed(client, path, page, order=orders)

    assert played(web, match, before) == [f"{team}-1 prone"]
    assert "is prone: he can only crawl" in answer.text
    assert f"Not played, because of what happened: {refused} · {team}-2 prone" in answer.text


def shots(web: WebHouse, match: Match, seat: int) -> list[str]:
    """Every man of the team fires at the one opposite him."""
    own, other = ("alpha", "bravo") if seat == 0 else ("bravo", "alpha")
    return [f"{own}-{number} fire {other}-{number}" for number in (1, 2, 3, 4)]


def test_a_list_stops_at_the_first_shot_that_hits(web: WebHouse, client: FlaskClient) -> None:
    match, seat = face_to_face(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    orders = shots(web, match, seat)

    answer = hand_in(client, path, orders).get_json()

    hits = ["hit" in kinds(one) for one in answer["played"]]
    assert any(hits)
    assert hits == [False] * (len(hits) - 1) + [True]
    assert answer["refused"] is None
    assert answer["left"] == orders[len(hits) :]
    assert len(played(web, match, before)) == len(hits) < len(orders)


def test_a_folded_receipt_shows_the_last_news_and_not_what_left_all_as_it_was(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat = face_to_face(web)
    path, hits = web.turn_path(match, seat), []

    # some hit with a die before the last one
    for shot in shots(web, match, seat):
        asked = {"ply": str(web.match(match.id).ply), "submission": shot}
        page = client.post(f"{path}/confirm", data={"order": f"{shot} burst", **asked})
        if " is hit " in page.text:
            hits.append(found(page, r'(?s)class="notice well receipt".*?<span>(.*?)</span>'))

    assert hits
    assert [said for said in hits if ", to hit:" in said or "without a test" in said] == []


def hand_in(client: FlaskClient, path: str, orders: list[str], **more: Any) -> TestResponse:
    return client.post(path, json={"order": "\n".join(orders), "submission": "a list"} | more)


def kinds(receipt: dict[str, Any]) -> list[str]:
    return [event["kind"] for event in receipt["events"]]


def test_a_program_hands_in_a_list_and_gets_the_same_answer_again(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    orders = [f"{team}-1 prone", f"{team}-1 dance", f"{team}-2 prone"]

    first = hand_in(client, path, orders)
    second = hand_in(client, path, orders)

    assert first.get_json() == second.get_json()
    assert [one["order"] for one in first.get_json()["played"]] == orders[:1]
    assert first.get_json()["refused"]["code"] == "unreadable"
    assert first.get_json()["left"] == orders[2:]
    assert played(web, match, before) == orders[:1]


def test_the_name_of_a_list_may_be_as_long_as_that_of_an_order(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    orders = [f"{team}-1 prone", f"{team}-2 prone"]

    answer = hand_in(client, web.turn_path(match, seat), orders, submission="s" * MAX_SUBMISSION)

    assert [one["order"] for one in answer.get_json()["played"]] == orders


def test_a_list_of_which_nothing_can_be_played_is_answered_as_one_order_is(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)

    answer = hand_in(client, web.turn_path(match, seat), [f"{team}-1 dance", f"{team}-1 prone"])

    assert answer.status_code == 422
    assert answer.get_json()["error"]["code"] == "unreadable"


@pytest.mark.parametrize("first", ["dance", "7 12-15"], ids=["unreadable", "illegal"])
def test_where_no_list_is_taken_a_first_line_that_is_refused_says_why(
    web: WebHouse, client: FlaskClient, first: str
) -> None:
    match = web.running()
    path, json = web.turn_path(match, 0), {"Accept": "application/json"}

    alone = client.post(f"{path}/preview", data={"order": first}, headers=json)
    listed = client.post(f"{path}/preview", data={"order": f"{first}\ngive 3"}, headers=json)

    assert alone.status_code == listed.status_code == 422
    assert listed.get_json() == alone.get_json()


def test_where_no_list_is_taken_several_orders_are_refused_as_such(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    order = web.good_order(match, 0)

    page = previewed(client, web.turn_path(match, 0), order, order)

    assert page.status_code == 422
    assert "One order at a time is taken here. Leave the others out." in page.text


def test_of_two_tabs_only_the_first_plays_its_list(web: WebHouse, client: FlaskClient) -> None:
    match, seat, team = activated(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    one = previewed(client, path, f"{team}-1 prone", f"{team}-2 prone")
    other = previewed(client, path, f"{team}-3 prone", f"{team}-4 prone")

    first = confirmed(client, path, one)
    second = confirmed(client, path, other)

    assert first.status_code == 200
    assert second.status_code == 409
    assert "The table has moved on" in second.text
    assert played(web, match, before) == [f"{team}-1 prone", f"{team}-2 prone"]


def test_the_last_order_of_a_list_may_end_the_activation(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)

    page = previewed(client, path, f"{team}-1 prone", f"{team} end", then="yes")
    beyond = previewed(client, path, f"{team} end", f"{team}-1 prone")

    assert found(page, r'id="(confirm)"')
    assert beyond.status_code == 422
