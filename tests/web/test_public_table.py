"""What everybody can see of a match."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlmodel import col
from werkzeug.test import TestResponse

from pbem import present
from pbem.looks import match_look
from pbem.store.canonical import canonical
from pbem.store.models import Match
from pbem.store.names import Purpose
from pbem.web import match as match_pages
from pbem.web import remedy_forms
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.parts.cast import SHORT, people
from tests.web.house import WebHouse


def test_the_table_tells_what_happened_and_replays_it(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=30)

    page = client.get(f"/m/{match.id}")
    steps = [client.get(f"/m/{match.id}?ply={ply}") for ply in (0, 5, match.ply)]
    beyond = [client.get(f"/m/{match.id}?ply={ply}").status_code for ply in (31_000, "x", "-1")]

    assert "All seats are taken: the match began." in client.get(f"/m/{match.id}?log=all").text
    assert "plays" in page.text
    assert [step.status_code for step in steps] == [200] * 3
    assert "after move 5 of" in steps[1].text
    assert "All hands" not in "".join(step.text for step in steps)
    assert beyond == [404] * 3


def test_of_a_deadline_that_has_passed_it_is_said_that_it_was(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock={"turn": "1d", "reserve": "2d"})
    before = client.get(f"/m/{match.id}").text
    web.wait(days=1)

    after = client.get(f"/m/{match.id}").text

    assert "to move, by <time" in before
    assert 'class="until">until <time' in before
    assert "to move; the deadline was <time" in after
    assert 'class="until"' not in after


def test_acts_at_the_same_move_stand_in_the_order_in_which_they_were_done(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    for do in ("mute", "unmute"):
        for seat in (2, 1):
            client.post(web.path(match, Purpose.SEAT, seat), data={"do": do})

    story = client.get(f"/m/{match.id}").text.partition("What happened")[2]

    told = [
        *("Bob wants mail", "Carol wants mail", "Bob wants no more", "Carol wants no more"),
        *("the match began", "match was opened"),
    ]
    places = [story.index(one) for one in told]
    assert places == sorted(places)


def test_all_hands_are_shown_once_the_match_is_over(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=10)
    remedies.abort(web.service, match.id, actor="host")

    page = client.get(f"/m/{match.id}?ply=2")

    assert "All hands" in page.text
    assert page.text.count("<dd>Hand:") == 4
    assert "Your" not in page.text.split("All hands")[1].split("</dl>")[0]
    assert "The match was ended early. Nobody won." in page.text


@pytest.mark.parametrize("game", ["dog", "dogs-of-war", "skirmish"])
def test_the_whole_table_after_the_match_is_told_to_nobody_in_particular(
    web: WebHouse, client: FlaskClient, game: str
) -> None:
    seats = people(2 if game == "skirmish" else 4)
    match = web.play_on(web.running(game=game, seats=seats), plies=6)
    remedies.abort(web.service, match.id, actor="host")

    replayed = client.get(f"/m/{match.id}?ply=4").text.split('class="replay"')[1]

    assert not re.findall(r"\b[Yy]ours?\b", replayed.split("<h2>Players")[0])


def test_the_history_of_a_replay_ends_with_the_ply_that_is_shown(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=90)

    page = client.get(f"/m/{match.id}?ply=20")
    whole = client.get(f"/m/{match.id}?ply=85&log=all")
    now = client.get(f"/m/{match.id}")

    assert plies(page)[0] == 20
    assert plies(whole) == list(range(85, -1, -1))
    assert "?ply=85&amp;log=all" in client.get(f"/m/{match.id}?ply=85").text
    assert plies(now)[0] == match.ply


def test_of_a_long_match_the_newest_plies_are_read_and_the_others_on_asking(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = web.play_on(web.running(), plies=30)
    last = match.ply
    monkeypatch.setattr(match_pages, "PLIES", 10)
    monkeypatch.setattr(remedy_forms, "HISTORY", 10)

    page = client.get(f"/m/{match.id}")
    whole = client.get(f"/m/{match.id}?log=all")
    hosts = client.get(web.path(match, Purpose.HOST, -1))

    assert plies(page) == list(range(last, last - 10, -1))
    assert "log=all" in page.text
    assert "log=all" not in whole.text
    assert plies(whole) == list(range(last, -1, -1))
    assert hosts.text.count('class="move"') == 10


def test_that_a_bot_plays_is_said_at_the_first_move_of_its_seat(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(bots=2), plies=60)

    page = client.get(f"/m/{match.id}?ply=60&log=all").text
    told = match_look.table(web.service, match.id)

    by_bots = [line.seat for line in told.lines if line.made_by == "bot"]
    assert len(by_bots) > 10
    assert page.count("(by a bot)") == len(set(by_bots)) == 2


def plies(page: TestResponse) -> list[int]:
    """The numbers in a history, from its top."""
    return [int(number) for number in re.findall(r'<span class="ply">(\d+)<', page.text)]


def test_the_record_has_the_same_bytes_by_page_and_by_program(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=12)

    page, api = client.get(f"/m/{match.id}/record"), client.get(f"/api/matches/{match.id}/record")

    assert page.data == api.data == canonical(match_look.record(web.service, match.id))
    assert "seed" not in api.get_json()


def test_a_table_that_waits_says_so_with_a_picture_of_its_game_and_one_that_is_over_when(
    web: WebHouse, client: FlaskClient
) -> None:
    lobby, over = web.open(confirmed=False), web.play_on(web.running(options=SHORT))

    waits, ended = client.get(f"/m/{lobby.id}").text, client.get(f"/m/{over.id}").text

    assert "<h1>waiting for players</h1>" in waits
    assert "/cover/" in waits
    assert "/cover/" not in ended
    day = present.Moment(over.ended_at, over.zone, translator("en")).day
    assert f'<p class="lead">{day}, after {over.ply} moves.</p>' in ended


def test_a_table_that_stands_still_says_so_beside_its_title(
    web: WebHouse, client: FlaskClient
) -> None:
    paused, failed = web.running(), web.running()
    remedies.pause(web.service, paused.id, "7d", actor="host")
    with web.service.database.write("test") as session:
        session.execute(
            update(Match).where(col(Match.id) == failed.id).values(set_aside_at=web.clock.now())
        )

    heads = [
        client.get(f"/m/{match.id}").text.partition('<div class="state">')[2].partition("replay")[0]
        for match in (paused, failed)
    ]
    seat = client.get(web.path(paused, Purpose.SEAT, 0)).text

    assert "The match is paused: all clocks are stopped. It goes on by itself: Tue" in heads[0]
    assert "The match could not be carried on. This is a fault of the service." in heads[1]
    assert "until Fri" not in heads[1]
    assert "The match is paused: all clocks are stopped. It goes on by itself: Tue" in seat
