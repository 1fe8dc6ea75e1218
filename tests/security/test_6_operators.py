"""Threat 6.4: the operator looks at hands."""

from __future__ import annotations

from flask.testing import FlaskClient
from sqlmodel import select

from pbem.store.models import Audit, Match
from pbem.store.names import AuditAct
from tests.parts import remedies
from tests.web.house import WebHouse, secret

WHY = "Bob says that his cards are wrong"


def looks_on_record(web: WebHouse, match: Match) -> int:
    with web.service.database.read() as session:
        of_match = select(Audit).where(Audit.match_id == match.id, Audit.act == AuditAct.LOOKED)
        return len(session.exec(of_match).all())


def test_an_operator_who_looks_at_hands_on_the_pages_is_on_record_with_a_reason(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    web.log_in(client)
    path = f"/operator/match/{match.id}/whole"
    page = client.get(path)
    form = {"csrf_token": secret(page), "reason": WHY, "sure": "yes"}

    without = [client.post(path, data={**form, name: ""}) for name in ("reason", "sure")]
    unseen = looks_on_record(web, match)
    seen = client.post(path, data=form)
    running = client.get(f"/m/{match.id}?log=all").text
    remedies.abort(web.service, match.id, actor="host")
    over = client.get(f"/m/{match.id}?log=all").text

    for answer in (page, *without):
        assert "Your hand" not in answer.text
    assert unseen == 0
    assert seen.text.count("Your hand") == 4
    assert looks_on_record(web, match) == 1
    assert (WHY in running, WHY in over) == (False, True)


def test_an_operator_who_reads_the_database_is_on_no_record(web: WebHouse) -> None:
    """Nothing prevents or shows it: the pages that speak of trust must not say otherwise."""
    match = web.running()

    hands = web.table(match).state.hands

    assert len(hands) == 4
    assert looks_on_record(web, match) == 0
