"""Somebody tries the service out against bots, where no mail leaves the machine."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from engine.games.registry import games
from pbem import create_app
from pbem.config.sections import Mail
from pbem.store.names import Purpose
from tests.parts.cast import people
from tests.web.house import WebHouse, hidden, matches_of


def play_one(web: WebHouse, client: FlaskClient, path: str) -> str:
    """Plays the default move of the turn, and the text of its receipt."""
    match = matches_of(web)[0]
    seat = web.waiting(match)[0]
    order = web.good_order(match, seat)
    form = hidden(client.post(f"{path}/preview", data={"order": order}))
    return client.post(f"{path}/confirm", data=form).text


def test_a_newcomer_goes_from_the_first_page_to_the_third_turn_by_what_the_pages_show(
    web: WebHouse, client: FlaskClient
) -> None:
    path = client.post("/demo", data={"game": "dog"}).headers["Location"]
    seen = [path]
    while len(seen) < 3:
        receipt = play_one(web, client, path)
        web.work()
        assert 'href="/dev/mail"' in receipt
        following = re.search(r'href="(/t/[^"]+/next)"', receipt)
        if following is None:
            # the turn goes on: cards were given, and now one is played
            assert "It is still your turn" in receipt
            continue
        path = client.get(following[1]).headers["Location"]
        seen.append(path)

    assert len(set(seen)) == 3
    assert "<title>Your move" in client.get(path).text


def test_while_the_others_play_the_way_on_leads_to_the_closed_turn(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)
    web.play(match, 0)

    answer = client.get(f"{path}/next")

    assert answer.headers["Location"] == f"{path}?asked=next"


def test_every_page_of_a_turn_links_the_mailbox(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]

    pages = [client.get(path), client.post(f"{path}/preview", data={"order": order})]

    assert all('href="/dev/mail"' in page.text for page in pages)


def test_where_mail_leaves_the_house_no_page_leads_from_one_turn_to_the_next(
    web: WebHouse,
) -> None:
    """A closed link may be in other hands: the next one goes by mail only."""
    match = web.running()
    settings = web.service.settings.model_copy(update={"mail": Mail(mode="smtp")})
    client = create_app(replace(web.service, settings=settings)).test_client()
    path = web.path(match, Purpose.TURN, 0)
    web.play(match, 0)

    assert "/dev/mail" not in client.get(path).text
    assert "/next" not in client.get(path).text
    assert client.get(f"{path}/next").status_code == 404


def test_the_matches_of_the_first_page_teach_and_others_do_not(
    web: WebHouse, client: FlaskClient
) -> None:
    taught = client.post("/demo", data={"game": "dog"}, follow_redirects=True)
    match = web.running()
    other = client.get(web.turn_path(match, 0))

    assert "brings a pawn out" in taught.text
    assert '<details class="hints"' in taught.text
    assert '<details class="hints"' not in other.text


@pytest.mark.parametrize("game", sorted(games()))
def test_bots_play_the_rest_of_a_first_match_and_its_end_leads_on(
    web: WebHouse, client: FlaskClient, game: str
) -> None:
    turn = client.post("/demo", data={"game": game}).headers["Location"]
    (match,) = matches_of(web)

    table = client.post(f"{turn}/bots").headers["Location"]
    web.work()

    assert web.match(match.id).status == "finished"
    assert "That was a whole match." in client.get(table).text
    assert "That was a whole match." in client.get(turn).text


def test_the_receipt_of_the_last_move_leads_to_the_end_and_to_no_next_turn(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(seats=people(3), options={"pawns_in": 3, "pawn_out": True})
    receipts = []
    while web.match(match.id).status == "running":
        receipts.append(play_one(web, client, web.turn_path(match, web.waiting(match)[0])))
        web.work()

    *earlier, last = receipts
    assert "See how it ended" in last
    assert "your turn again" not in last
    assert not any("See how it ended" in receipt for receipt in earlier)


def test_bots_play_the_rest_of_no_other_match(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()

    answer = client.post(f"{web.turn_path(match, 0)}/bots")

    assert answer.status_code == 404
    assert web.seat(match, 0).bot is None
