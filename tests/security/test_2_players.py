"""Threats 2.3 and 2.5: a player who tries numbers, links and fields that are not theirs."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem.acts import going_back, standing_orders
from pbem.store import links
from pbem.store.models import Link, Match
from pbem.store.names import Purpose
from tests.security.test_1_strangers_requests import asked_for
from tests.web.house import WebHouse


def test_numbers_of_another_match_in_forms_change_nothing(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 2.3: seats, plies, orders and proposals of another match."""
    mine, other = web.running(), web.running()
    theirs = standing_orders.leave(web.service, web.link(other, Purpose.SEAT, 1), ["give 2"])
    seat = web.path(mine, Purpose.SEAT, 1)
    host = web.path(mine, Purpose.HOST, -1)
    before = web.dump()
    tried = [
        (seat, {"do": "cancel", "standing": str(theirs.id)}),
        (f"{host}/apply", {"remedy": "bot", "seat": "4", "sure": "yes"}),
        (f"{host}/apply", {"remedy": "abort", "match": other.id, "sure": "yes"}),
        (f"{host}/apply", {"remedy": "abort", "match_id": other.id, "sure": "yes"}),
        (f"{host}/apply", {"remedy": "extend", "seat": "-1", "by": "24h", "sure": "yes"}),
    ]

    answers = [client.post(path, data=form).status_code for path, form in tried]

    assert [status for status in answers if status not in (404, 409, 422)] == []
    assert web.dump() == before


def test_a_program_gives_itself_nothing_by_fields_that_are_not_its(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 2.5: a host's, a seat's, a deadline's fields in what a player or a host sends."""
    match = web.running()
    order = web.orders(match, 0)[0]
    before = web.dump()
    extra = {"seat": 2, "is_host": True, "deadline_at": "2030-01-01", "made_by": "operator"}

    for name, value in extra.items():
        turn = client.post(
            web.turn_path(match, 0), json={"order": order, "submission": "one", name: value}
        )
        opening = client.post("/api/matches", json={**asked_for("Ann"), name: value})
        seats = asked_for("Ann")
        seats["seats"][0][name] = value
        seated = client.post("/api/matches", json=seats)
        assert (turn.status_code, opening.status_code, seated.status_code) == (422, 422, 422)

    assert web.dump() == before


def test_a_consent_link_of_another_table_answers_nothing(web: WebHouse) -> None:
    """Threat 2.3: a link that was made over another row has another code."""
    match, seat, following = web.before_a_choice()
    web.play(match, seat, web.good_order(match, seat))
    web.work()
    web.play(match, following, web.good_order(match, following))
    web.work()
    going_back.propose(web.service, web.link(match, Purpose.SEAT, seat))
    asked = next(one for one in range(4) if one != seat)
    good = web.token(web.link(match, Purpose.CONSENT, asked))
    mute = links.token(web.service.keys, mute_link(web, match, asked))
    before = web.dump()
    client = web.app.test_client()

    for path in (
        f"/c/{mute}",
        f"/u/{good}",
        f"/c/{forged(good)}",
        f"/u/{forged(mute)}",
        f"/s/{forged(good)}",
    ):
        assert client.get(path).status_code == 404
        assert client.post(path, data={"answer": "yes"}).status_code == 404

    assert web.dump() == before


def mute_link(web: WebHouse, match: Match, seat: int) -> Link:
    with web.service.database.write("test") as session:
        return links.make(
            session, Purpose.MUTE, match, web.table(match).seats[seat], web.clock.now()
        )


def forged(token: str) -> str:
    row, _, code = token.partition("-")
    return f"{row}-{code[::-1]}"
