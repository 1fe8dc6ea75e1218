"""Asking for the links of an address."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem.acts import deliverability
from pbem.store.names import Purpose
from tests.web.house import WebHouse


def test_every_address_gets_the_same_answer(web: WebHouse, client: FlaskClient) -> None:
    """Threat 1.3: playing, hosting, muted, absent."""
    match = web.running()
    deliverability.mute(web.service, web.link(match, Purpose.SEAT, 2))
    asked = ["alice@example.org", "carol@example.org", "nobody@example.org"]

    answers = [client.post("/links", data={"email": email}) for email in asked]

    assert len({answer.data for answer in answers}) == 1
    assert [mail.address for mail in web.mails("my_links")] == asked


def test_one_network_asks_for_so_many_links_only(web: WebHouse, client: FlaskClient) -> None:
    far = {"REMOTE_ADDR": "203.0.113.9"}
    most = web.service.settings.limits.links_per_network_per_hour

    statuses = [
        client.post("/links", data={"email": f"p{number}@b.org"}, environ_base=far).status_code
        for number in range(most + 1)
    ]

    assert statuses == [200] * most + [429]


def test_an_address_is_asked_for_a_few_times_only(web: WebHouse, client: FlaskClient) -> None:
    answers = [client.post("/links", data={"email": "bob@example.org"}) for _ in range(12)]

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    most = web.service.settings.limits.links_per_address_per_hour + 1
    assert len(web.mails("my_links")) == most
