"""The replay of a match: its steps, whose eyes see them, and pictures for messengers."""

from __future__ import annotations

import re
from datetime import timedelta
from io import BytesIO
from itertools import islice

import pytest
from flask.testing import FlaskClient
from PIL import Image

from engine.games.registry import BUILT_IN
from pbem.acts import matches
from pbem.people import privacy, talk
from pbem.store.models import Match
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.parts.cast import address, by, people
from tests.web.house import WebHouse


def ended(web: WebHouse, game: str = "dog", plies: int = 12) -> Match:
    seats = people(2 if game == "skirmish" else 4)
    match = web.play_on(web.running(game=game, seats=seats), plies=plies)
    remedies.abort(web.service, match.id, actor="host")
    return web.match(match.id)


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_step_is_the_part_of_its_page_that_changes(
    web: WebHouse, client: FlaskClient, game: str
) -> None:
    match = ended(web, game)

    page = client.get(f"/m/{match.id}?ply=7")
    step = client.get(f"/m/{match.id}/step?ply=7")

    assert step.status_code == 200
    assert "<html" not in step.text
    assert 'data-ply="7"' in step.text
    assert " ".join(step.text.split()) in " ".join(page.text.split())


def test_the_heading_of_a_step_says_which_it_is_and_not_who_is_to_move_now(
    web: WebHouse, client: FlaskClient
) -> None:
    running, over = web.play_on(web.running(), plies=6), ended(web)
    heading = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)

    now = client.get(f"/m/{running.id}").text
    then = client.get(f"/m/{running.id}?ply=5").text
    afterwards = client.get(f"/m/{over.id}?ply=5").text

    assert "to move" in heading.findall(now)[0]
    assert heading.findall(then) == [f"After move 5 of {web.match(running.id).public_ply}"]
    assert 'class="until"' in now
    assert 'class="until"' not in then
    assert heading.findall(afterwards) == [f"After move 5 of {over.public_ply}"]


def test_no_step_is_found_that_is_not_there(web: WebHouse, client: FlaskClient) -> None:
    running, over = web.play_on(web.running(), plies=6), ended(web)

    wrong = ["", "?ply=", "?ply=x", "?ply=-1", "?ply=31000", "?ply=3&eyes=9", "?ply=3&eyes=x"]

    assert [client.get(f"/m/{over.id}/step{one}").status_code for one in wrong] == [404] * 7
    assert client.get(f"/m/{running.id}/step?ply=3").status_code == 200
    assert client.get(f"/m/{running.id}/step?ply=3&eyes=0").status_code == 404
    assert client.get(f"/m/{running.id}?ply=3&eyes=0").status_code == 404
    assert client.get("/m/nothing/step?ply=0").status_code == 404


def test_a_step_has_what_was_said_to_all_before_the_next_move(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(game="dogs-of-war", seats=people(3)), plies=3)
    said_at = web.match(match.id).counted
    web.clock.move(timedelta(minutes=1))
    talk.say(web.service, by(web.service, match.id, 1), "table", "Well <b>played", "1")
    talk.say(web.service, by(web.service, match.id, 1), 2, "A secret", "2")
    web.clock.move(timedelta(minutes=1))
    web.play_on(match, plies=3)

    while_it_runs = steps(web, client, match)
    remedies.abort(web.service, match.id, actor="host")
    afterwards = steps(web, client, match, "&eyes=2")

    assert [at for at, text in enumerate(while_it_runs) if "Well &lt;b&gt;played" in text] == [
        said_at
    ]
    assert ["Well &lt;b&gt;played" in text for text in afterwards].count(True) == 1
    assert "A secret" not in "".join([*while_it_runs, *afterwards])


def steps(web: WebHouse, client: FlaskClient, match: Match, eyes: str = "") -> list[str]:
    """All steps of a match, from its start on."""
    plies = range(web.match(match.id).counted + 1)
    return [client.get(f"/m/{match.id}/step?ply={ply}{eyes}").text for ply in plies]


def test_through_one_players_eyes_only_their_hand_is_shown(
    web: WebHouse, client: FlaskClient
) -> None:
    match = ended(web)

    everybody = client.get(f"/m/{match.id}?ply=2").text
    one = client.get(f"/m/{match.id}?ply=2&eyes=1").text

    assert everybody.count("<dd>Hand:") == 4
    assert one.count("<dd>Hand:") == 1
    assert "<dt>Bob</dt>" in one
    assert "?ply=3&amp;eyes=1" in one


def test_each_move_of_the_history_leads_to_its_replay_and_the_current_one_is_marked(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=20)

    page = client.get(f"/m/{match.id}?ply=10").text

    assert f'href="/m/{match.id}?ply=9#board"' in page
    current = re.findall(r'data-ply="(\d+)"\s+aria-current="step"', page)
    assert current == ["10"]


@pytest.mark.parametrize(
    ("game", "headings"), [("dog", ["Deal 2", "Deal 1"]), ("dogs-of-war", ["Year 1"])]
)
def test_a_history_has_headings_and_each_day_once(
    web: WebHouse, client: FlaskClient, game: str, headings: list[str]
) -> None:
    match = web.play_on(web.running(game=game), plies=30 if game == "dog" else 20)

    page = client.get(f"/m/{match.id}?log=all").text

    found = re.findall(r'<li class="heading"><h3>(.*?)</h3>', page)
    assert found == headings
    assert page.count('<li class="day">') == 1


def replaced(web: WebHouse) -> Match:
    """A match in which Bob played, and Frank goes on."""
    match = web.play_on(web.running(), plies=12)
    web.clock.move(timedelta(minutes=1))
    remedies.replace(web.service, match.id, 1, "Frank", address("frank"), actor="operator")
    matches.join(web.service, web.link(match, Purpose.JOIN, 1), matches.Joining())
    web.wait(minutes=1)
    return web.play_on(match, plies=24)


def test_moves_are_told_under_the_name_of_who_made_them(web: WebHouse, client: FlaskClient) -> None:
    match = replaced(web)

    page = client.get(f"/m/{match.id}?log=all").text.split('class="history"')[1]
    steps = [client.get(f"/m/{match.id}/step?ply={ply}").text for ply in (12, 24)]

    after, before = page.split("gave the seat of Bob to Frank")
    assert ("Bob" in after, "Frank plays" in after) == (False, True)
    assert ("Bob plays" in before, "Frank" in before) == (True, False)
    assert [("Bob" in step, "Frank" in step) for step in steps] == [(True, False), (False, True)]


def test_a_closed_turn_names_who_was_at_the_table_then(web: WebHouse, client: FlaskClient) -> None:
    """A move tells of others, too: of whom it swapped with, or sent home."""
    match = web.running()
    decisions = islice(web.decisions(match), 60)
    paths = [web.turn_path(match, seat) for seat, _, _ in decisions if seat == 0]

    def told() -> list[str]:
        pages = [client.get(path).text.split("What happened in this turn") for path in paths]
        return [page[1].split("Players")[0] for page in pages if page[1:]]

    before = told()
    web.clock.move(timedelta(minutes=1))
    remedies.replace(web.service, match.id, 1, "Frank", address("frank"), actor="operator")
    web.wait(minutes=1)
    after = told()

    assert any("Bob" in one for one in before)
    assert after == before


def test_moves_of_who_was_forgotten_name_nobody_who_played_later(
    web: WebHouse, client: FlaskClient
) -> None:
    match = replaced(web)

    privacy.forget(web.service, address("bob"), Actor.OPERATOR)
    page = client.get(f"/m/{match.id}?log=all").text.split('class="history"')[1]

    _, before = page.split("gave the seat of somebody who was forgotten to Frank")
    assert "somebody who was forgotten plays" in before
    assert not any(name in before for name in ("Bob", "Frank"))


# --- pictures ---


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_messenger_gets_a_picture_of_the_moment(
    web: WebHouse, client: FlaskClient, game: str
) -> None:
    match = ended(web, game)

    page = client.get(f"/m/{match.id}?ply=7").text
    picture = client.get(f"/m/{match.id}/picture?ply=7")

    address = re.search(r'property="og:image" content="(.*?)"', page)
    assert address is not None
    assert address[1].endswith(f"/m/{match.id}/picture?ply=7")
    assert "after move 7 of" in page.split('property="og:title"')[1].split(">")[0]
    assert picture.mimetype in ("image/png", "image/jpeg")
    with Image.open(BytesIO(picture.data)) as image:
        assert image.width > 500
    assert len(picture.data) < 400_000


def test_a_picture_that_is_there_already_is_not_sent_again(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=6)
    first = client.get(f"/m/{match.id}/picture?ply=5")
    tag = {"If-None-Match": first.headers["ETag"]}

    again = client.get(f"/m/{match.id}/picture?ply=5", headers=tag)
    other = client.get(f"/m/{match.id}/picture?ply=6", headers=tag)

    assert (again.status_code, again.data) == (304, b"")
    assert other.status_code == 200
    assert "no-store" not in first.headers["Cache-Control"]


def test_a_match_that_has_not_begun_has_no_picture(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)

    assert client.get(f"/m/{match.id}/picture").status_code == 404
    assert "og:image" not in client.get(f"/m/{match.id}").text
