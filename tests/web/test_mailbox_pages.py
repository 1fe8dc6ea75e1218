"""The mailbox that shows every mail."""

from __future__ import annotations

import html
import re

import pytest
from flask.testing import FlaskClient

from pbem import create_app
from pbem.config.sections import Limits, Mail
from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from tests.parts.cast import address
from tests.web.conftest import web_service
from tests.web.house import WebHouse


def test_the_mailbox_takes_and_shows_mail(web: WebHouse, client: FlaskClient) -> None:
    raw = b"From: bob@example.org\r\nTo: a@example.org\r\nSubject: Hello\r\n\r\nHow are you?\r\n"

    taken = client.post("/dev/mail", data=raw, content_type="message/rfc822")
    number = taken.get_json()["id"]
    listed = client.get("/dev/mail?to=a@example.org").get_json()
    later = client.get(f"/dev/mail?after={number}").get_json()
    page = client.get("/dev/mail", headers={"Accept": "text/html"})
    one = client.get(f"/dev/mail/{number}", headers={"Accept": "text/html"})

    assert taken.status_code == 202
    assert [(mail["to"], mail["from"], mail["subject"]) for mail in listed] == [
        ("a@example.org", "bob@example.org", "Hello")
    ]
    assert later == []
    assert "Hello" in page.text
    assert "frame-src 'self'" in one.headers["Content-Security-Policy"]


@pytest.mark.parametrize("written", ["Carol@Example.ORG", "Carol@example.org"])
def test_mails_are_found_by_an_address_as_it_was_typed(
    written: str, web: WebHouse, client: FlaskClient
) -> None:
    """A domain is stored in lower case, of a player as of a letter."""
    host = {"name": "Alice", "email": "alice@example.org"}
    seats = [{"name": "Carol", "email": written}, *[{"bot": "easy"}] * 3]
    client.post("/api/matches", json={"game": "dog", "host": host, "seats": seats})
    post_due(web.service)
    client.post("/dev/mail", data=f"From: bob@b.example\r\nTo: {written}\r\n\r\nHi\r\n".encode())

    listed = client.get("/dev/mail", query_string={"to": written}).get_json()
    page = client.get("/dev/mail", query_string={"to": written}, headers={"Accept": "text/html"})

    assert [mail["from"] for mail in listed][1:] == ["bob@b.example"]
    assert listed[0]["subject"] in html.unescape(page.text)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ({}, "application/json"),
        ({"Accept": "*/*"}, "application/json"),
        ({"Accept": "application/json"}, "application/json"),
        ({"Accept": "text/html,*/*;q=0.8"}, "text/html"),
    ],
)
def test_one_mail_is_shown_as_the_list_of_them_is(
    accept: dict[str, str], kind: str, web: WebHouse, client: FlaskClient
) -> None:
    raw = b"From: a@b.example\r\nTo: c@d.example\r\nSubject: Hello\r\n\r\nRead me.\r\n"
    number = client.post("/dev/mail", data=raw).get_json()["id"]

    shown = [client.get(path, headers=accept) for path in ("/dev/mail", f"/dev/mail/{number}")]

    assert [answer.mimetype for answer in shown] == [kind, kind]


def test_the_mailbox_shows_the_newest_mails_and_leads_to_older_ones(
    web: WebHouse, client: FlaskClient
) -> None:
    for number in range(1, mailbox.MOST + 3):
        mailbox.receive(web.service, f"To: a@example.org\r\nSubject: No. {number}.\r\n".encode())
    ask = {"headers": {"Accept": "text/html"}}

    first = client.get("/dev/mail?to=a@example.org", **ask).text
    older = re.search(r'href="([^"]*before=[^"]*)"', first)
    assert older is not None
    second = client.get(html.unescape(older[1]), **ask).text

    assert _numbers(first) == list(range(mailbox.MOST + 2, 2, -1))
    assert _numbers(second) == [2, 1]
    assert "before=" not in second
    assert "Only mail to a@example.org." in second


def _numbers(page: str) -> list[int]:
    return [int(number) for number in re.findall(r"No\. (\d+)\.", page)]


def test_an_answer_has_the_subject_of_its_mail_as_people_read_it(
    web: WebHouse, client: FlaskClient
) -> None:
    web.running()
    while post_due(web.service):
        pass
    mail = next(one for one in mailbox.listed(web.service, address("alice")) if one.reply_to)

    sent = client.post(
        f"/dev/mail/{mail.id}/answer",
        data={"text": "give A"},
        headers={"Accept": "text/html"},
        follow_redirects=True,
    )

    told = [
        one["subject"] for one in client.get("/dev/mail", query_string={"to": mail.reply_to}).json
    ]
    assert "·" in mail.subject
    assert told == [f"Re: {mail.subject}"]
    assert "Your answer has arrived." in sent.text


def test_a_mail_is_shown_in_a_frame_that_runs_nothing(web: WebHouse, client: FlaskClient) -> None:
    raw = b"To: a@example.org\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>"
    number = mailbox.receive(web.service, raw)

    answer = client.get(f"/dev/mail/{number}/html")

    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert "allow-scripts" not in policy


def test_there_is_no_mailbox_where_mail_is_really_sent(tmp_path, sqlite_url) -> None:
    service = web_service(tmp_path, sqlite_url, mail=Mail(mode="smtp"), limits=Limits())
    client = create_app(service).test_client()

    assert [client.get("/dev/mail").status_code, client.post("/dev/mail").status_code] == [404, 404]
    assert client.post("/demo").status_code == 404
    service.database.close()
