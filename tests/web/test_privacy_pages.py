"""What is known about people: the page that says it, the file, and the form to be forgotten."""

from __future__ import annotations

import json
from io import BytesIO
from zipfile import ZipFile

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.people import privacy, proofs
from pbem.store.models import AddressLink
from pbem.store.names import MailKind
from tests.parts import remedies
from tests.parts.cast import address
from tests.web.house import WebHouse
from tests.web.test_signing_in import signed_in

BOB = address("bob")


@pytest.fixture
def bob(web: WebHouse, client: FlaskClient) -> FlaskClient:
    """A browser on which Bob is signed in."""
    proofs.owe(web.service, MailKind.SIGN_IN, BOB, "en")
    with web.service.database.read() as session:
        link = session.exec(select(AddressLink)).one()
    client.post(f"/home/{proofs.token(web.service.keys, link)}")
    return client


def test_everybody_can_read_what_is_kept(client: FlaskClient) -> None:
    page = client.get("/privacy")

    assert page.status_code == 200
    assert "365 days after its end" in page.text
    assert '<a href="/privacy">' in client.get("/").text


def test_whoever_is_signed_in_gets_their_data(web: WebHouse, bob: FlaskClient) -> None:
    match = web.running()

    answer = bob.get("/home/data")

    assert "attachment" in answer.headers["Content-Disposition"]
    assert json.loads(answer.data)["matches"][0]["match"] == match.id
    assert web.app.test_client().get("/home/data").status_code == 401


def test_with_the_data_come_the_records_of_matches_that_are_over(
    web: WebHouse, bob: FlaskClient
) -> None:
    going_on, over = web.running(), web.running()
    remedies.abort(web.service, over.id, actor="host")

    answer = bob.get("/home/data.zip")

    with ZipFile(BytesIO(answer.data)) as file:
        data, record = file.namelist()
        assert (data, record) == ("pbem-data.json", f"records/pbem-{over.id}.json")
        known = {one["match"] for one in json.loads(file.read(data))["matches"]}
        assert known == {going_on.id, over.id}
        assert file.read(record) == bob.get(f"/m/{over.id}/record").data
    assert web.app.test_client().get("/home/data.zip").status_code == 401


def test_somebody_is_forgotten_by_a_form_that_must_be_ticked(
    web: WebHouse, bob: FlaskClient
) -> None:
    match = web.running()
    page = bob.get("/home/forget")
    unticked = bob.post("/home/forget", data={})
    before = web.seat(match, 1).name

    done = bob.post("/home/forget", data={"sure": "yes"})
    privacy.forget_due(web.service, 5)

    assert "You are in 1 match." in page.text
    assert "A match that you host" not in page.text
    assert "You are in no match." in signed_in(web, "erin").get("/home/forget").text
    assert (unticked.status_code, before) == (422, "Bob")
    assert done.status_code == 202
    assert web.seat(match, 1).name == "Former player 2"
    assert BOB not in web.dump()
    assert bob.get("/home/data").status_code == 401
    table = web.app.test_client().get(f"/m/{match.id}")
    assert "Former player 2" in table.text
    assert "Bob" not in table.text
