"""The animated picture of a match: asked for on its page, made by a worker, and kept."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient
from PIL import Image
from sqlmodel import select

from engine.games.registry import BUILT_IN
from pbem.mail import animations
from pbem.people import privacy
from pbem.store.models import Animation, Match
from pbem.store.names import Actor
from tests.web.house import WebHouse
from tests.web.test_replay import ended


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few frames show the same as many."""
    monkeypatch.setattr(animations, "FRAMES", 5)


def link(client: FlaskClient, match: Match) -> Any:
    """Where a program that waits for the picture is told to look; None while it is made."""
    answer = client.get(f"/m/{match.id}/animation", headers={"Accept": "application/json"})
    return answer.get_json()["link"]


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_match_that_is_over_is_kept_as_an_animated_picture(
    web: WebHouse, client: FlaskClient, game: str
) -> None:
    match = ended(web, game)
    path = f"/m/{match.id}/animation"

    offered = client.get(f"/m/{match.id}").text
    asked = client.post(path)
    waiting, early, unlinked = client.get(path).text, client.get(f"{path}.gif"), link(client, match)
    made = animations.make_due(web.service)
    ready, kept = client.get(path).text, client.get(f"{path}.gif")
    afterwards = client.get(f"/m/{match.id}").text

    assert f'action="{path}"' in offered
    assert f"{path}.gif" not in offered + waiting
    assert (asked.status_code, asked.headers["Location"]) == (303, path)
    assert "It is being made." in waiting
    assert f'href="{path}"' in waiting
    assert (early.status_code, unlinked) == (404, None)
    assert made
    assert f'href="{path}.gif"' in ready
    assert f'href="{path}.gif"' in afterwards
    assert link(client, match) == path
    assert kept.mimetype == "image/gif"
    with Image.open(BytesIO(kept.data)) as picture:
        assert picture.format == "GIF"
        assert picture.n_frames == 5  # type: ignore[attr-defined]
        first = picture.convert("RGB").tobytes()
        picture.seek(4)
        assert picture.convert("RGB").tobytes() != first


def test_it_is_made_once(web: WebHouse, client: FlaskClient) -> None:
    match = ended(web)
    path = f"/m/{match.id}/animation"
    between: list[int] = []

    for _ in range(3):
        client.post(path)
    first = animations.make_due(web.service, lambda: between.append(1))
    client.post(path)
    again = animations.make_due(web.service)

    assert (first, again) == (True, False)
    assert len(between) >= 5


def test_nobody_has_one_made_of_a_match_that_goes_on(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=6)
    path = f"/m/{match.id}/animation"

    answers = [client.post(path), client.get(path), client.get(f"{path}.gif")]

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert "animation" not in client.get(f"/m/{match.id}").text
    assert not animations.make_due(web.service)


def test_one_is_made_at_a_time_and_again_where_its_worker_died(
    any_web: WebHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = any_web
    first, second = ended(web), ended(web)
    for match in (first, second):
        animations.ask(web.service, match.id)

    begun = animations._begin(web.service)
    beside = animations.make_due(web.service)
    web.clock.move(animations.LEASE)
    later = [animations.make_due(web.service) for _ in range(3)]
    animations._end(web.service, begun, due_at=None, made_at=web.clock.now(), content=b"late")

    assert not beside
    assert later == [True, True, False]
    assert [animations.state(web.service, one.id) for one in (first, second)] == ["there", "there"]
    assert animations.content(web.service, first.id).startswith(b"GIF")


def test_one_that_cannot_be_made_is_given_up_until_somebody_asks_again(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = ended(web)
    path = f"/m/{match.id}/animation"
    client.post(path)
    with monkeypatch.context() as broken:
        broken.setattr(animations.gif, "animated", lambda *_: 1 / 0)
        tried = [animations.make_due(web.service) for _ in range(animations.TRIES + 1)]

    failed, told = client.get(path).text, link(client, match)
    client.post(path)
    animations.make_due(web.service)

    assert tried == [True] * animations.TRIES + [False]
    assert "It could not be made." in failed
    assert told == path
    assert client.get(f"{path}.gif").status_code == 200


def test_one_that_kills_its_worker_each_time_is_given_up(web: WebHouse) -> None:
    match = ended(web)
    animations.ask(web.service, match.id)

    for _ in range(animations.TRIES):
        animations._begin(web.service)
        web.clock.move(animations.LEASE)
    later = [animations.make_due(web.service) for _ in range(2)]

    assert later == [True, False]
    assert animations.state(web.service, match.id) == "failed"


def test_so_many_are_kept_and_the_oldest_go(
    any_web: WebHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = any_web
    monkeypatch.setattr(animations, "MOST_KEPT", 2)
    matches = [ended(web) for _ in range(3)]

    for match in matches:
        animations.ask(web.service, match.id)
        animations.make_due(web.service)
        web.clock.move(animations.LEASE)

    states = [animations.state(web.service, match.id) for match in matches]
    assert states == ["none", "there", "there"]


def test_who_is_forgotten_is_in_no_picture(web: WebHouse) -> None:
    match, other = ended(web), ended(web)
    animations.ask(web.service, match.id)
    animations.make_due(web.service)
    animations.ask(web.service, other.id)
    begun = animations._begin(web.service)

    privacy.forget(web.service, "bob@example.org", Actor.PLAYER)
    animations._end(web.service, begun, due_at=None, made_at=web.clock.now(), content=b"Bob")

    with web.service.database.read() as session:
        assert session.exec(select(Animation)).all() == []
