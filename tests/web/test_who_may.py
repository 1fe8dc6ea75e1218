"""Who may do what to a seat, and when: every cell of the matrix, tried at the door of its role."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlmodel import select
from werkzeug.test import TestResponse

from pbem.acts import matches
from pbem.acts.remedies import REMEDIES
from pbem.acts.remedy import OfSeat
from pbem.acts.who_may import May, Owner, Role
from pbem.store.models import Match, Permission
from pbem.store.names import Purpose
from tests.acts.owners import match_where
from tests.conftest import sqlite_copy
from tests.parts.cast import address
from tests.web.conftest import web_service
from tests.web.house import WebHouse, secret

OF_SEAT = [one for one in REMEDIES.values() if isinstance(one, OfSeat)]
#: Who acts: a role, and the address of the match's host. An invited substitute is Frank.
ACTORS = {
    "the host, who plays": (Role.HOST, "alice"),
    "the host, who does not play": (Role.HOST, "erin"),
    "the owner, who hosts": (Role.OWNER, ""),
    "the operator": (Role.OPERATOR, "alice"),
}
TOLD = {"by": "24h", "name": "Erin", "email": "someone.else@example.net", "bot": ""}


@dataclass
class Case:
    """A house with a match in which the owner of a seat is in some state, as it was then.

    ``page`` is what was answered then to who acts, at ``path``. ``then`` is the database as it was,
    ``before`` the same as text.
    """

    web: WebHouse
    match: Match
    seat: int
    client: FlaskClient
    path: str
    page: TestResponse
    then: Path
    before: str

    def put_back(self) -> None:
        # most of what is tried is refused
        if self.web.dump() != self.before:
            _copied(self.then, self.web.file)


def _copied(one: Path, other: Path) -> None:
    """The rows of a database, into another that is open."""
    with closing(sqlite3.connect(one)) as here, closing(sqlite3.connect(other)) as there:
        here.backup(there)


@pytest.fixture(scope="module", params=Owner)
def owner(request: pytest.FixtureRequest) -> Owner:
    found: Owner = request.param
    return found


@pytest.fixture(scope="module", params=ACTORS)
def actor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def case(owner: Owner, actor: str, _sqlite_template: Path) -> Iterator[Case]:
    with sqlite_copy(_sqlite_template) as file:
        web = WebHouse(web_service(file.parent, f"sqlite:///{file}"))
        yield _case(web, owner, actor)
        web.service.database.close()


def _case(web: WebHouse, owner: Owner, actor: str) -> Case:
    invited = owner in (Owner.INVITED, Owner.DECLINED)
    name = ACTORS[actor][1] or ("frank" if invited else "bob")
    host = matches.Person(name=name.title(), email=address(name))
    match, seat = match_where(web, owner, host=host)
    client = web.app.test_client()
    path = door(web, match, ACTORS[actor][0], client)
    page = client.get(path)
    then = web.file.with_name("then.sqlite3")
    _copied(web.file, then)
    return Case(web, match, seat, client, path, page, then, web.dump())


def door(web: WebHouse, match: Match, role: Role, client: FlaskClient) -> str:
    """The page of this role."""
    if role == Role.OPERATOR:
        web.log_in(client)
        return f"/operator/match/{match.id}"
    return web.path(match, Purpose.HOST, -1)


def ask(case: Case, remedy: OfSeat) -> TestResponse:
    told = {question.field: TOLD[question.field] for question in remedy.asks}
    form = {"remedy": remedy.name, "seat": str(case.seat), **told, "sure": "yes"}
    if case.path.startswith("/operator"):
        form["csrf_token"] = secret(case.page)
    return case.client.post(f"{case.path}/apply", data=form)


def offered(page: TestResponse, remedy: OfSeat, seat: int) -> bool:
    """Whether the page has a form for this remedy and seat."""
    forms = re.findall(r'(?s)<form class="remedy".*?</form>', page.text)
    wanted = (f'name="remedy" value="{remedy.name}"', f'name="seat" value="{seat}"')
    return any(all(part in form for part in wanted) for form in forms)


@pytest.mark.parametrize("remedy", OF_SEAT, ids=lambda one: one.name)
def test_a_remedy_is_done_asked_for_or_refused_as_the_matrix_says(
    case: Case, owner: Owner, actor: str, remedy: OfSeat
) -> None:
    web, role = case.web, ACTORS[actor][0]
    if role == Role.OWNER and owner == Owner.NOBODY:
        role = Role.HOST
    case.put_back()
    seat = web.seat(case.match, case.seat)

    answer = ask(case, remedy)

    may = remedy.row.may(role, owner)
    with web.service.database.read() as session:
        rows = session.exec(select(Permission)).all()
    asked = [(row.remedy, row.seat, row.silence) for row in rows]
    assert offered(case.page, remedy, case.seat) == (may in (May.NOW, May.ASKS, May.WARNS))
    if may in (May.LATER, May.NEVER):
        assert answer.status_code == 409, answer.text
        assert web.dump() == case.before
    elif may == May.NOW:
        assert answer.status_code == 200, answer.text
        assert asked == []
        assert web.dump() != case.before
    else:
        assert answer.status_code == 200, answer.text
        assert asked == [(remedy.name, case.seat, may == May.WARNS)]
        assert web.seat(case.match, case.seat) == seat
        assert [mail.seat for mail in web.mails("permission_asked")] == [case.seat]
