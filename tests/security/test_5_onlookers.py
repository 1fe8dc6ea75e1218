"""Threats 5.1 to 5.3: what everybody may look at, without a link."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.mail import pictures
from pbem.mail.mailer import post_due
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.web.house import WebHouse

PLIES = 24


@pytest.mark.slow
def test_no_page_of_any_ply_shows_a_hand_before_the_match_is_over(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 5.1: each ply of the replay, the whole history, the record, as page and as JSON."""
    match = web.play_on(web.running(), plies=PLIES)
    paths = [f"/m/{match.id}?ply={ply}{log}" for ply in range(PLIES) for log in ("", "&log=all")]
    paths += [f"/m/{match.id}/record", f"/api/matches/{match.id}"]
    kinds = ("text/html", "application/json")

    def hands() -> set[str]:
        asked = [(path, {"Accept": kind}) for path in paths for kind in kinds]
        return {
            path
            for path, headers in asked
            if re.search(r"[Hh]and: |\"hand\"|\"hands\"", client.get(path, headers=headers).text)
        }

    running = hands()
    remedies.abort(web.service, match.id, actor="host")
    over = hands()

    assert running == set()
    # what is looked for is what stands there afterwards
    assert len(over) > PLIES


def test_an_onlooker_has_nothing_to_press(web: WebHouse, client: FlaskClient) -> None:
    """Threat 5.2: the table's address changes nothing and leads to no link."""
    match = web.running()
    before = web.dump()

    page = client.get(f"/m/{match.id}").text
    answers = [
        client.open(path, method=method, data={"order": "pass", "sure": "yes", "remedy": "abort"})
        for path in (f"/m/{match.id}", f"/m/{match.id}/record", f"/api/matches/{match.id}")
        for method in ("POST", "PUT", "PATCH", "DELETE")
    ]

    assert not re.search(r"/[a-z]/[0-9a-z]+-[a-z2-7]{32}", page)
    assert "@" not in re.sub(r"@(media|import)", "", page)
    assert {answer.status_code for answer in answers} <= {404, 405}
    assert web.dump() == before


def test_what_is_counted_names_nobody(web: WebHouse, client: FlaskClient) -> None:
    """Threat 5.3: labels of the numbers are names from the code."""
    match = web.play_on(web.running(), plies=6)
    while post_due(web.service):
        pass
    for path in (web.path(match, Purpose.SEAT, 0), "/t/nonsense", "/m/nothing", "/<script>"):
        client.get(path)

    numbers = client.get("/metrics").text

    assert "pbem_mails_total" in numbers
    assert "@" not in numbers
    assert match.id not in numbers
    assert "<script" not in numbers
    assert not re.search(r"[1-9a-z][0-9a-z]*-[a-z2-7]{32}", numbers)


def test_a_picture_shows_what_everybody_may_see(web: WebHouse, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Threat 5.1: of a running match it is drawn from the view of nobody's seat."""
    drawn: list[str] = []
    real = pictures.draw
    monkeypatch.setattr(pictures, "draw", lambda svg: drawn.append(svg) or real(svg))
    match = web.play_on(web.running(), plies=6)

    web.app.test_client().get(f"/m/{match.id}/picture?ply=5")

    other = web.table(match)
    assert drawn
    assert other.game.view(other.state, None).hand is None
    assert "Hand" not in drawn[0]
