"""What the host of a table that looks for players does and reads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from pbem.acts import invitees, matches, open_seats
from pbem.config.sections import Mail
from pbem.errors import NotPossible
from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.people import persons
from pbem.store.models import StandingMatch, StandingPool, StandingResult
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.parts.cast import address
from tests.web.house import WebHouse
from tests.web.open_tables import HERE, NEW, opened
from tests.web.test_signing_in import signed_in

FORM = {
    "game": "dog",
    "players": "4",
    "host_name": "Alice",
    "host_email": address("alice"),
    "i_play": "yes",
    "pace": "usual",
    "listed": "yes",
    **{f"seat-{number}-kind": "open" for number in (1, 2, 3)},
}


def test_a_table_that_did_not_fill_says_so(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web)

    web.wait(days=14, seconds=1)

    assert "did not fill" in client.get(f"/open/{match.id}").text


def test_the_host_sees_no_address_of_who_took_a_seat(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web, free=2)
    open_seats.take(web.service, match.id, open_seats.Taking("Erin", address("erin")))
    host = web.path(match, Purpose.HOST, -1)

    page = client.get(host)
    told = client.post(f"{host}/preview", data={"remedy": "reissue", "seat": "2"})

    assert "Erin" in page.text
    for text in (page.text, told.text, client.get(f"/api/matches/{match.id}").text):
        assert address("erin") not in text


def test_the_host_lists_a_table_and_takes_it_off_again(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web, listed=False)
    host = web.path(match, Purpose.HOST, -1)
    before = client.get("/open", headers=HERE).json

    client.post(f"{host}/listed", data={"listed": "yes"})
    listed = client.get("/open", headers=HERE).json
    client.post(f"{host}/listed", data={"listed": "no"})

    assert (before, len(listed), client.get("/open", headers=HERE).json) == ([], 1, [])
    assert f"http://localhost/open/{match.id}" in client.get(host).text


def test_only_a_table_with_an_open_seat_can_be_listed(client: FlaskClient) -> None:
    answer = client.post("/api/matches", json={**NEW, "seats": [{"bot": "easy"}] * 4})

    assert answer.status_code == 422


def test_the_form_opens_a_table(web: WebHouse, client: FlaskClient) -> None:
    answer = client.post("/new", data=FORM)

    (entry,) = client.get("/open", headers=HERE).json
    assert answer.status_code == 201
    assert entry["link"] in answer.text


def test_the_link_is_not_shown_before_the_host_is_known(web: WebHouse) -> None:
    web = mailing(web)

    answer = web.app.test_client().post("/new", data=FORM)

    assert answer.status_code == 201
    assert "send the invitations there" in answer.text
    assert "http://localhost/open/" not in answer.text


def mailing(web: WebHouse) -> WebHouse:
    """The service with a relay, so that addresses need proof."""
    mail = Mail(mode="smtp", from_address="pbem@example.org", host="127.0.0.1")
    settings = web.service.settings.model_copy(update={"mail": mail})
    return WebHouse(replace(web.service, settings=settings))


def test_a_host_who_is_signed_in_has_proved_the_address(web: WebHouse) -> None:
    web = mailing(web)
    alice = signed_in(web, "alice")

    alice.post("/api/matches", json=NEW)

    assert len(alice.get("/open", headers=HERE).json) == 1


def test_the_mail_of_a_table_that_did_not_fill_says_so(web: WebHouse) -> None:
    opened(web)

    web.wait(days=14, seconds=1)
    while post_due(web.service):
        pass

    mail = mailbox.listed(web.service, address("bob"))[-1]
    assert mail.subject.startswith("The match was called off · ")
    assert "Not all players joined in time" in mail.text


def test_the_host_of_a_rematch_reads_no_address_of_a_stranger(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web)
    erin = open_seats.take(web.service, match.id, open_seats.Taking("Erin", address("erin")))
    remedies.abort(web.service, match.id, actor="host")
    again = matches.rematch(web.service, match.id, actor=Actor.HOST)
    host = web.path(again, Purpose.HOST, -1)
    page = client.get(host)
    invitees.never(web.service, web.link(again, Purpose.JOIN, erin.number))
    remedies.abort(web.service, again.id, actor="host")

    with pytest.raises(NotPossible) as refused:
        matches.rematch(web.service, again.id, actor=Actor.HOST)

    assert "Erin" in page.text
    assert address("erin") not in page.text
    assert str(refused.value) == "Erin wants no invitations from this service."


def test_the_host_is_mailed_the_link_to_pass_on(web: WebHouse) -> None:
    match = opened(web)
    while post_due(web.service):
        pass

    mail = next(
        mail for mail in mailbox.listed(web.service, address("alice")) if "/h/" in mail.text
    )
    assert f"http://localhost/open/{match.id}" in mail.text


def test_the_link_is_to_be_passed_on_from_when_seats_can_be_taken(
    web: WebHouse, client: FlaskClient
) -> None:
    alice = matches.Person("Alice", address("alice"))
    seats = [matches.NewSeat("Bob", address("bob")), *[matches.NewSeat(open=True)] * 3]
    new = matches.NewMatch(game="dog", host=alice, seats=seats)
    match = matches.create(web.service, new, proved=False)
    host = web.path(match, Purpose.HOST, -1)
    while post_due(web.service):
        pass

    before = client.get(host).text
    mail = mailbox.listed(web.service, address("alice"))[0].text
    after = client.post(f"{host}/invite").text

    link = f"http://localhost/open/{match.id}"
    assert "The open seats can be taken from then on." in before
    assert [link in text for text in (before, mail, after)] == [False, False, True]


def test_the_host_reads_how_reliable_a_stranger_is(web: WebHouse, client: FlaskClient) -> None:
    over, match = web.open(), opened(web, free=2)
    open_seats.take(web.service, match.id, open_seats.Taking("Erin", address("erin")))
    host = web.path(match, Purpose.HOST, -1)
    before = client.get(host).text
    with web.service.database.write("test") as session:
        now = web.clock.now()
        erin = persons.known(session, address("erin"), now)
        session.add(StandingPool(game="dog", seats=4))
        session.add(StandingMatch(match_id=over.id, game="dog", seats=4, ended_at=now))
        session.flush()
        turns = {"in_time": 19, "missed": 1}
        session.add(
            StandingResult(match_id=over.id, seat=0, person_id=erin.id, team=0, rank=1, **turns)
        )

    shown = client.get(host).text

    assert "turns in time" not in before
    assert "19 of 20 turns in time, 1 of 1 matches played to the end." in shown
