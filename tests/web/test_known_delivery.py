"""A mail comes back, tried as a newcomer would: all by the mailbox and the pages."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem.mail.mailer import post_due
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts.cast import address
from tests.web.house import WebHouse


def posted(web: WebHouse) -> None:
    while post_due(web.service):
        pass


def bounce(web: WebHouse, client: FlaskClient, name: str, *, late: bool = False) -> None:
    """The newest mail to this person comes back."""
    [*_, kept] = client.get(f"/dev/mail?to={address(name)}", headers=JSON).get_json()
    action, status = ("delayed", "4.2.2") if late else ("failed", "5.1.1")
    letter = (
        f"To: {kept['headers']['Return-Path']}\r\nFrom: MAILER-DAEMON@mx.example\r\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=x\r\n\r\n"
        "--x\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n"
        f"Final-Recipient: rfc822; {address(name)}\r\nAction: {action}\r\nStatus: {status}\r\n"
        f"Diagnostic-Code: smtp; 550 {status} <{address(name)}> says the far end\r\n\r\n--x--\r\n"
    )
    assert client.post("/dev/mail", data=letter.encode()).status_code == 202
    posted(web)


JSON = {"Accept": "application/json"}


def waiting(web: WebHouse) -> Match:
    """All have moved but Bob."""
    match = web.running()
    for seat in (0, 2, 3):
        web.play(match, seat)
    posted(web)
    return match


def test_a_bounce_shows_at_the_table_without_the_address(
    web: WebHouse, client: FlaskClient
) -> None:
    match = waiting(web)

    bounce(web, client, "bob")

    for path in (f"/m/{match.id}", web.path(match, Purpose.SEAT, 2)):
        page = client.get(path).text
        assert "mail does not arrive, so the clock is stopped" in page
        assert "bob@" not in page
        assert "5.1.1" not in page


def test_the_host_sees_why_and_what_was_sent_and_is_mailed_the_same(
    web: WebHouse, client: FlaskClient
) -> None:
    match = waiting(web)

    bounce(web, client, "bob")

    page = client.get(web.path(match, Purpose.HOST, -1)).text
    [*_, told] = client.get(f"/dev/mail?to={address('alice')}", headers=JSON).get_json()
    for text in (page, " ".join(told["text"].split())):
        # the host knows the address; a reason that is passed on must not hold it
        assert "no such mailbox. The mail service said: 550 5.1.1 … says the far end" in text
    assert "came back: it could not be delivered" in page


def test_a_mail_that_is_late_stands_beside_what_was_sent(
    web: WebHouse, client: FlaskClient
) -> None:
    match = waiting(web)
    bounce(web, client, "bob", late=True)
    web.wait(hours=80)

    page = client.get(web.path(match, Purpose.HOST, -1)).text

    assert "Bob has not moved in time." in page
    assert "is late: the mail service still tries to deliver it" in page
    assert "The mailbox is full." in page


def test_the_operator_sees_mails_that_came_back(web: WebHouse, client: FlaskClient) -> None:
    waiting(web)
    bounce(web, client, "bob")
    web.log_in(client)

    page = client.get("/operator").text

    assert "<td>came back: it could not be delivered</td>" in page
    assert "says the far end" in page
    assert "bob@" not in page
