"""People who make series and enter them, for the tests of their pages."""

from __future__ import annotations

import re

from flask.testing import FlaskClient
from sqlmodel import select

from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.people.series.rows import Rows, read
from pbem.store.models import Series
from tests.parts.cast import address
from tests.web.house import WebHouse

PAGE = {"Accept": "text/html"}
PROGRAM = {"Accept": "application/json"}
FORM = {
    "game": "dog",
    "name": "Friday Cup",
    "seats": "4",
    "rounds": "2",
    "kind": "swiss",
    "pace": "lively",
    "most": "",
    "enter_days": "",
    "round_days": "14",
    "language": "en",
    "zone": "UTC",
    "option-discard": "one",
}


def signed_in(web: WebHouse, name: str) -> FlaskClient:
    """A browser on which this person is signed in, by the link that was mailed to them."""
    client = web.app.test_client()
    client.post("/home", data={"email": address(name)})
    path = mailed(web, name, r"/home/\S+")
    assert client.post(path).status_code == 303
    return client


def mailed(web: WebHouse, name: str, link: str) -> str:
    """The path of a link in the newest mail to somebody."""
    while post_due(web.service):
        pass
    text = mailbox.listed(web.service, address(name))[-1].text
    found = re.findall(rf"http://localhost({link})", text)
    assert found, text
    return str(found[0])


def rows(web: WebHouse) -> Rows:
    with web.service.database.read() as session:
        (series,) = session.exec(select(Series))
        return read(session, series.id)


def made(web: WebHouse, **asked: str) -> tuple[FlaskClient, str]:
    """Alice, who hosts, and the path of her series."""
    alice = signed_in(web, "Alice")
    answer = alice.post("/series/new", data={**FORM, **asked})
    assert answer.status_code == 303, answer.text
    return alice, answer.location
