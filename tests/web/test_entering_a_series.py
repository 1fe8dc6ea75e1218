"""Entering a series: by a mailed link or signed in, and the mails that say so."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.people import persons
from pbem.store.models import Person
from tests.parts.cast import address
from tests.web.house import WebHouse
from tests.web.series import PAGE, PROGRAM, made, mailed, rows, signed_in


def test_somebody_enters_by_a_mailed_link(web: WebHouse, client: FlaskClient) -> None:
    _alice, path = made(web)

    asked = client.post(f"{path}/enter", data={"name": "Bob", "email": address("Bob")})
    link = mailed(web, "Bob", r"/series/enter/\S+")
    looked = client.get(link, headers=PAGE)
    before = len(rows(web).players)
    entered = client.post(link)
    said = client.get(entered.location, headers=PAGE).text
    again = client.post(link)
    by_program = client.post(link, headers=PROGRAM)

    assert asked.status_code == 202
    assert "Friday Cup" in looked.text
    assert before == 0
    assert entered.status_code == 303
    assert "You have entered as Bob." in said
    assert (again.status_code, again.location) == (303, entered.location)
    assert by_program.json is not None
    assert [one["name"] for one in by_program.json["players"]] == ["Bob"]
    assert [player.name for player in rows(web).players] == ["Bob"]
    assert "bob@example.org" not in client.get(path, headers=PAGE).text


def test_a_form_with_a_mistake_keeps_what_was_typed(web: WebHouse, client: FlaskClient) -> None:
    _alice, path = made(web)

    wrong = client.post(f"{path}/enter", data={"name": "Bob", "email": "bob at home"})
    asked = client.post(f"{path}/enter", data={"name": "Bob", "email": address("Bob")})

    assert wrong.status_code == 422
    assert 'value="Bob"' in wrong.text
    assert 'value="bob at home"' in wrong.text
    assert f"A link is on its way to {address('Bob')}." in asked.text


@pytest.mark.parametrize(("field", "typed"), [("name", ""), ("email", ""), ("email", "dave")])
def test_what_is_wrong_is_marked_where_somebody_enters(
    web: WebHouse, client: FlaskClient, field: str, typed: str
) -> None:
    _alice, path = made(web)
    form = {"name": "Dave", "email": address("dave"), field: typed}

    page = client.post(f"{path}/enter", data=form)

    (marked,) = re.findall(r'<input[^>]*aria-invalid="true"[^>]*>', page.text)
    assert f'id="{field}"' in marked
    assert f'<a href="#{field}">To the field</a>' in page.text


def test_who_finds_their_name_taken_enters_under_another_by_the_same_link(
    web: WebHouse, client: FlaskClient
) -> None:
    _alice, path = made(web)
    client.post(f"{path}/enter", data={"name": "Max", "email": address("Bob")})
    link = mailed(web, "Bob", r"/series/enter/\S+")
    signed_in(web, "Carol").post(f"{path}/enter", data={"name": "max"})

    refused = client.post(link, data={"name": "Max"})
    told = client.post(link, headers=PROGRAM)
    early = client.post(f"{path}/enter", json={"name": "MAX", "email": address("Dave")})
    entered = client.post(link, data={"name": "Moritz"})

    assert (refused.status_code, told.status_code, early.status_code) == (422, 422, 422)
    assert "Somebody plays here under this name" in refused.text
    assert 'value="Max"' in refused.text
    assert "Somebody plays here under this name" in told.json["error"]["message"]
    assert entered.status_code == 303
    assert [one.name for one in rows(web).players] == ["max", "Moritz"]


def test_every_address_gets_the_same_answer(web: WebHouse, client: FlaskClient) -> None:
    _alice, path = made(web)
    with web.service.database.write("test") as session:
        persons.known(session, address("Bob"), web.clock.now())

    answers = [
        client.post(f"{path}/enter", json={"name": "X", "email": email}, headers=PROGRAM)
        for email in (address("Bob"), address("Erin"))
    ]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].data == answers[1].data


def test_a_refused_entry_takes_none_of_the_mails_of_an_address(
    web: WebHouse, client: FlaskClient
) -> None:
    _alice, path = made(web)
    most = web.service.settings.limits.links_per_address_per_hour

    for _ in range(most + 1):
        assert (
            client.post(f"{path}/enter", json={"name": "", "email": address("Bob")}).status_code
            == 422
        )
    for _ in range(2):
        client.post(f"{path}/enter", json={"name": "Bob", "email": address("Bob")})

    assert len(web.mails("series_enter")) == 2


def test_who_is_signed_in_enters_another_address_by_a_link_that_is_mailed_there(
    web: WebHouse,
) -> None:
    _alice, path = made(web)
    bob = signed_in(web, "Bob")

    asked = bob.post(f"{path}/enter", data={"name": "Carol", "email": address("Carol")})
    before = rows(web).players
    bob.post(mailed(web, "Carol", r"/series/enter/\S+"))
    own = bob.post(f"{path}/enter", json={"name": "Bob", "email": address("Bob").upper()})

    assert (asked.status_code, before) == (202, ())
    assert f"A link is on its way to {address('Carol')}." in asked.text
    assert own.status_code == 200
    with web.service.database.read() as session:
        whose = [session.get_one(Person, one.person_id).address for one in rows(web).players]
    assert whose == [address("Carol"), address("Bob")]


def test_who_enters_gets_a_mail_that_says_so_once(web: WebHouse, client: FlaskClient) -> None:
    _alice, path = made(web)
    bob = signed_in(web, "Bob")
    bob.post(f"{path}/enter", data={"name": "Bobby"})
    bob.post(f"{path}/enter", data={"name": "Bobby"})
    client.post(f"{path}/enter", data={"name": "Carol", "email": address("Carol")})
    link = mailed(web, "Carol", r"/series/enter/\S+")
    client.post(link)
    client.post(link)

    told = [mailed(web, name, r"/series/\w+") for name in ("Bob", "Carol")]

    assert told == [path, path]
    to_bob = mailbox.listed(web.service, address("Bob"))[-1]
    assert to_bob.subject == "You have entered Friday Cup"
    assert "You have entered Friday Cup, as Bobby." in to_bob.text
    assert "The first round is drawn when the host starts the series." in to_bob.text
    assert len(web.mails("series_entered")) == 2


def test_who_left_before_the_mail_went_out_gets_none(web: WebHouse) -> None:
    _alice, path = made(web)
    bob = signed_in(web, "Bob")
    bob.post(f"{path}/enter", data={"name": "Bob"})
    bob.post(f"{path}/withdraw", json={}, headers=PROGRAM)

    while post_due(web.service):
        pass

    assert [mail.status for mail in web.mails("series_entered")] == ["dropped"]


def test_nobody_is_mailed_a_link_that_enters_a_series_that_is_over(
    web: WebHouse, client: FlaskClient
) -> None:
    alice, path = made(web)
    alice.post(f"{path}/call-off", data={"sure": "yes"})
    asked = {"name": "Bob", "email": address("Bob")}

    page = client.post(f"{path}/enter", data=asked)
    told = client.post(f"{path}/enter", json=asked, headers=PROGRAM)

    assert (page.status_code, told.status_code) == (409, 409)
    assert "This series is over." in page.text
    assert web.mails("series_enter") == []


def test_a_link_that_was_not_used_says_that_its_series_is_over(
    web: WebHouse, client: FlaskClient
) -> None:
    alice, path = made(web)
    links = []
    for name in ("Bob", "Carol"):
        client.post(f"{path}/enter", data={"name": name, "email": address(name)})
        links.append(mailed(web, name, r"/series/enter/\S+"))
    client.post(links[1])
    alice.post(f"{path}/call-off", data={"sure": "yes"})

    pages = [
        client.get(links[0], headers=PAGE),
        client.post(links[0], headers=PAGE),
        client.get(links[1], headers=PAGE),
    ]

    assert [page.status_code for page in pages] == [200, 409, 200]
    for page in pages:
        assert "It was called off." in page.text
        assert f'href="{path}"' in page.text
        assert 'name="name"' not in page.text
        assert "open by themselves" not in page.text
    assert "You entered as Carol." in pages[2].text
    assert [one.name for one in rows(web).players] == ["Carol"]
