"""What everybody can see of a match."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem import history, looks, remedies
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


def test_all_hands_are_shown_once_the_match_is_over(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=10)
    remedies.abort(web.service, match.id, actor="host")

    page = client.get(f"/m/{match.id}?ply=2")

    assert "All hands" in page.text
    assert page.text.count("<dd>Your hand:") == 4
    assert "The match was ended early. Nobody won." in page.text


def test_the_record_has_the_same_bytes_by_page_and_by_program(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=12)

    page, api = client.get(f"/m/{match.id}/record"), client.get(f"/api/matches/{match.id}/record")

    assert page.data == api.data == history.canonical(looks.record(web.service, match.id))
    assert "seed" not in api.get_json()
