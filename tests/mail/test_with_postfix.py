"""A match through a real Postfix: it sends for the service, takes letters, and writes bounces.

Its lines of ``main.cf`` are those of ``docs/operators.md``.
"""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.config.sections import Incoming
from pbem.config.sections import Mail as MailSettings
from pbem.mail import return_path
from pbem.mail.addresses import made_up
from pbem.mail.render import render
from pbem.running.doctor_mail import check_doors, refusal
from pbem.store.models import Mail, Match
from pbem.store.names import Delivery
from tests.mail.correspondence import written
from tests.mail.office import Office, office_service, text_of
from tests.parts import remedies
from tests.parts.cast import address
from tests.parts.chance import draws
from tests.parts.door import OpenDoor
from tests.parts.ports import free_port
from tests.parts.postfix_server import Postfix, why_not
from tests.parts.processes import wait_until
from tests.parts.relay import Relay

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

MAIN_CF = """
relay_domains = play.example.org
relay_recipient_maps = regexp:{folder}/pbem_recipients
transport_maps = inline:{{ play.example.org=lmtp:inet:127.0.0.1:{door}, {others} }}
"""
RECIPIENTS = r"/^[rb]\+[0-9a-z]+-[a-z2-7]+@play\.example\.org$/  ok"


@dataclass
class Post(Office):
    """An office, the Postfix it sends by, and its door for what Postfix brings."""

    postfix: Postfix
    door: OpenDoor

    def bring(self, to: str, text: str, key: str, sender: str = "") -> None:
        """Bob hands a letter to his mail server."""
        with smtplib.SMTP("127.0.0.1", self.postfix.port) as client:
            client.sendmail(sender or address("bob"), [to], written(text, to, address("bob"), key))

    def delivered(self, name: str, number: int = 1) -> EmailMessage:
        """The newest mail in somebody's mailbox, once so many are there."""
        wait_until(lambda: len(self.postfix.box(name)) >= number, self.postfix.told(), 30)
        return self.postfix.box(name)[-1]

    def settled(self) -> None:
        """Once nothing waits at Postfix.

        A mail that one of its processes still holds it puts off for a minute, whatever its
        settings; so it is told to try again what waits for long.
        """
        for _ in range(6):
            with suppress(AssertionError):
                return wait_until(lambda: self.postfix.waiting() == 0, "the queue is full", 10)
            self.postfix.again()
        raise AssertionError(self.postfix.told())


@pytest.fixture
def post(tmp_path: Path, sqlite_url: str, smtp_server: Relay) -> Iterator[Post]:
    """Bob's mail goes on to ``smtp_server``; everybody else has a mailbox at Postfix."""
    if why := why_not():
        pytest.skip(why)
    port = free_port()
    # Postfix reads it as a user of its own, who may not enter the folder of the test
    postfix = Postfix(
        ("alice", "bob", "carol", "dave"),
        MAIN_CF.format(
            folder="{folder}",
            door=port,
            others=f"bob@example.org=smtp:[127.0.0.1]:{smtp_server.port}",
        ),
        pbem_recipients=RECIPIENTS,
    )
    service = office_service(tmp_path, sqlite_url, incoming=Incoming(lmtp_port=port))
    mail = MailSettings(
        mode="smtp",
        host="127.0.0.1",
        port=postfix.port,
        from_address="games@example.org",
        reply_domain="play.example.org",
        return_path_domain="play.example.org",
    )
    service = replace(
        service,
        settings=service.settings.model_copy(update={"mail": mail}),
        entropy=draws("a house with Postfix"),
    )
    door = OpenDoor(service)
    door.start()
    yield Post(service, postfix, door)
    door.close()
    postfix.remove()
    service.database.close()


def asked(post: Post) -> tuple[Match, Mail]:
    match = post.running()
    post.post_all()
    return match, post.owed("your_turn", 1)


def test_a_turn_is_mailed_answered_and_told_by_way_of_postfix(
    post: Post, smtp_server: Relay
) -> None:
    match, mail = asked(post)
    wait_until(lambda: bool(smtp_server.taken), "Postfix passes nothing on", 30)
    taken = smtp_server.taken[0]
    order = post.orders(match, 1)[0]

    # not a byte of it is another: a signature made before Postfix would hold
    assert taken.content.endswith(render(post.service, post.row(mail)).content)
    assert taken.sender == return_path.address(post.service, mail, address("bob"))
    to = next(line for line in taken.content.decode().splitlines() if line.startswith("Reply-To:"))
    to = to.partition(": ")[2]
    post.bring(to, order, "1")
    post.settled()
    post.bring(to, order, "1")
    post.settled()
    post.post_all()

    assert [ply.order_text for ply in post.plies(match) if ply.seat == 1] == [order]
    wait_until(lambda: len(smtp_server.taken) == 2, "Bob gets no answer", 30)
    assert b"- Played." in smtp_server.taken[1].content


def test_a_mail_that_postfix_cannot_pass_on_holds_the_clock_until_the_address_is_corrected(
    post: Post, smtp_server: Relay
) -> None:
    smtp_server.behaviour = "rcpt_550"
    match, mail = asked(post)

    # a bounce marks the mail last
    wait_until(lambda: post.row(mail).delivery == Delivery.FAILED, post.postfix.told(), 30)
    assert post.turn(match, 1).held_why == "mail"
    assert post.seat(match, 1).mail_problem == "550 5.1.1 No such mailbox"
    post.post_all()
    assert "No such mailbox" in text_of(post.delivered("alice", 3))
    # Postfix knows nobody of this name, and says so before it takes the mail
    remedies.correct_address(post.service, match.id, 1, address("nobody"), actor="operator")
    post.post_all()
    assert "User unknown" in (post.seat(match, 1).mail_problem or "")
    smtp_server.behaviour = "accept"
    remedies.correct_address(post.service, match.id, 1, address("bob"), actor="operator")
    post.post_all()

    wait_until(lambda: len(smtp_server.taken) == 1, "the turn does not reach Bob", 30)
    assert post.seat(match, 1).mail_problem is None
    assert post.turn(match, 1).held_at is None


def test_letters_wait_at_postfix_while_the_door_is_shut_and_are_then_taken_once(
    post: Post, smtp_server: Relay
) -> None:
    match, _ = asked(post)
    to = str(post.delivered("carol")["Reply-To"])
    order = post.orders(match, 2)[0]
    post.door.close()
    with smtplib.SMTP("127.0.0.1", post.postfix.port) as client:
        client.sendmail(address("carol"), [to], written(order, to, address("carol")))
    wait_until(lambda: "Connection refused" in post.postfix.told(), "Postfix does not try", 30)
    assert post.plies(match)[-1].seat != 2

    post.door = OpenDoor(post.service)
    post.door.start()
    post.settled()

    assert [ply.order_text for ply in post.plies(match) if ply.seat == 2] == [order]
    assert len(post.mails("reply_answer")) == 1


def test_what_is_not_for_us_is_refused_by_postfix_and_the_doctor_finds_all_well(
    post: Post,
) -> None:
    with smtplib.SMTP("127.0.0.1", post.postfix.port) as client:
        client.ehlo()
        reply, back = made_up(post.service.settings.mail)

        assert refusal(client, back, address("bob"), reply, back) == ""
        assert "User unknown" in refusal(client, "", f"someone@{reply.partition('@')[2]}")
    assert [seen.state for seen in check_doors(post.service.settings)] == ["well"]
