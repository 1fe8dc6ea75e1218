"""Threat 1.12: pictures of boards, which cost processor time."""

from __future__ import annotations

from pbem.mail import animations
from pbem.web import match as doors
from tests.web.house import WebHouse
from tests.web.test_replay import ended

FROM = {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}}


def test_a_network_gets_so_many_pictures_a_minute(web: WebHouse) -> None:
    """Threat 1.12: whatever is asked for counts, also what is there already."""
    match = web.running()
    most = web.service.settings.limits.pictures_per_minute
    client = web.app.test_client()

    tag = client.get(f"/m/{match.id}/picture", **FROM).headers["ETag"]
    asked = [
        client.get(f"/m/{match.id}/picture", headers={"If-None-Match": tag}, **FROM).status_code
        for _ in range(most)
    ]

    assert asked == [304] * (most - 1) + [429]
    assert client.get(f"/m/{match.id}", **FROM).status_code == 200


def test_one_picture_at_a_time_is_drawn(web: WebHouse, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Threat 1.12: whoever comes while others wait is asked to come later."""
    monkeypatch.setattr(doors, "DRAWING_SECONDS", 0.01)
    match = web.running()
    client = web.app.test_client()

    with doors._drawing:
        beside = client.get(f"/m/{match.id}/picture")
    after = client.get(f"/m/{match.id}/picture")

    assert beside.status_code == 429
    assert after.status_code == 200


def test_a_network_has_a_few_animated_pictures_made_an_hour(web: WebHouse) -> None:
    """Threat 1.12: each is a whole match, drawn frame by frame; what is there may be fetched."""
    most = web.service.settings.limits.animations_per_hour
    paths = [f"/m/{ended(web, plies=3).id}/animation" for _ in range(most + 1)]
    client = web.app.test_client()

    asked = [client.post(path, **FROM).status_code for path in paths]
    again = client.post(paths[0], **FROM).status_code

    assert asked == [303] * most + [429]
    assert again == 303


def test_so_many_animated_pictures_wait_to_be_made(web: WebHouse, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Threat 1.12: whoever asks while so many wait is asked to come later."""
    monkeypatch.setattr(animations, "MOST_WAITING", 2)
    paths = [f"/m/{ended(web, plies=3).id}/animation" for _ in range(3)]
    client = web.app.test_client()

    asked = [client.post(path) for path in paths]

    assert [answer.status_code for answer in asked] == [303, 303, 429]
    assert "Too many pictures are being drawn." in asked[-1].text
