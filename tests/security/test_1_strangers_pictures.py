"""Threat 1.12: pictures of boards, which cost processor time."""

from __future__ import annotations

from pbem.web import match as doors
from tests.parts import remedies
from tests.web.house import WebHouse

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


def test_a_network_gets_a_few_animated_pictures_an_hour(web: WebHouse) -> None:
    """Threat 1.12: each is a whole match, drawn frame by frame."""
    match = web.running()
    remedies.abort(web.service, match.id, actor="host")
    most = web.service.settings.limits.animations_per_hour
    client = web.app.test_client()

    asked = [
        client.get(f"/m/{match.id}/animation.gif", **FROM).status_code for _ in range(most + 1)
    ]

    assert asked == [200] * most + [429]
