"""Tables that look for players, for tests of their pages."""

from __future__ import annotations

import re
from typing import Any

from flask.testing import FlaskClient

from pbem.acts.matches import NewSeat, Person
from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.people import open_tables
from pbem.store.models import Match
from tests.parts.cast import address, people
from tests.web.house import WebHouse

NEW = {
    "game": "dog",
    "host": {"name": "Alice", "email": "alice@example.org"},
    "seats": [{"name": "Alice", "email": "alice@example.org"}, *[{"open": True}] * 3],
    "listed": True,
}
HERE = {"Accept": "application/json"}


def opened(web: WebHouse, free: int = 1, **asked: Any) -> Match:
    """A listed table at which so many seats are open."""
    new = open_tables.NewTable(
        **{
            "game": "dog",
            "host": Person("Alice", address("alice")),
            "seats": [*people(4 - free), *[NewSeat(open=True)] * free],
            "confirmed": True,
            "listed": True,
            **asked,
        }
    )
    return open_tables.create(web.service, new, proved=True)


def mailed(web: WebHouse, to: str) -> str:
    """The path of the newest link that was mailed to this address."""
    while post_due(web.service):
        pass
    texts = [mail.text for mail in mailbox.listed(web.service, address(to))]
    paths = [found for text in texts for found in re.findall(r"/open/\w+/[\w-]+", text)]
    return str(paths[-1])


def asked_for(web: WebHouse, client: FlaskClient, match: Match, name: str, **more: str) -> str:
    form = {"name": name, "email": address(name), **more}
    assert client.post(f"/open/{match.id}", data=form).status_code == 202
    return mailed(web, name)
