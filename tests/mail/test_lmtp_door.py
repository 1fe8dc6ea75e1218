"""The door that a mail server delivers to, knocked at over a real socket."""

from __future__ import annotations

import smtplib
import sqlite3
import threading
import time
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from pbem import logs
from pbem.mail import gateway
from pbem.mail.addresses import may_be_ours
from pbem.mail.doors import intake, lmtp
from pbem.store import db
from pbem.store.models import Match, ReceivedMail
from pbem.store.names import Purpose
from tests.mail.correspondence import asked, newest, of_program, written
from tests.mail.office import Office, office_service
from tests.parts.cast import address
from tests.parts.door import OpenDoor, knocking, open_door, with_doors
from tests.parts.processes import wait_until
from tests.parts.relay import Relay

TOKEN = "1k-" + "abcdefgh" * 4


@pytest.fixture
def door(keeper: Office) -> Iterator[OpenDoor]:
    """Speaks LMTP."""
    with open_door(keeper.service) as opened:
        yield opened


@pytest.fixture
def smtp_door(keeper: Office) -> Iterator[OpenDoor]:
    with open_door(keeper.service, protocol="smtp") as opened:
        yield opened


def brought(port: int, to: str, raw: bytes, sender: str = "bob@example.org") -> None:
    """Delivers a letter as a mail server does; raises what smtplib raises."""
    with smtplib.LMTP("127.0.0.1", port) as client:
        client.sendmail(sender, [to], raw)


def bobs_plies(office: Office, match: Match) -> list[str]:
    return [ply.order_text or "" for ply in office.plies(match) if ply.seat == 1]


def letter_text(order: str, to: str, key: str = "1") -> bytes:
    """A letter of Bob's as it goes over the line."""
    return written(order, to, address("bob"), key) + b".\r\n"


# --- whole ways ---


@pytest.mark.parametrize("protocol", ["lmtp", "smtp"])
def test_a_move_is_made_by_a_letter_that_a_mail_server_brings(
    any_office: Office, protocol: str
) -> None:
    match = any_office.running()
    order = any_office.orders(match, 1)[0]
    to = gateway.reply_address(any_office.service, any_office.link(match, Purpose.REPLY, 1))
    client_of = smtplib.LMTP if protocol == "lmtp" else smtplib.SMTP

    raw = of_program("gmail", order, to, address("bob")).replace(b"\n", b"\r\n")
    with (
        open_door(any_office.service, protocol=protocol) as door,
        client_of("127.0.0.1", door.port) as client,
    ):
        client.sendmail(address("bob"), [to], raw)

    [ply] = [ply for ply in any_office.plies(match) if ply.seat == 1]
    assert (ply.order_text, ply.made_by) == (order, "mail")
    assert len(any_office.mails("reply_answer")) == 1


def test_several_turns_are_played_through_the_door(keeper: Office, door: OpenDoor) -> None:
    match = keeper.running(bots=3)
    for _ in range(3):
        mail = newest(keeper, "alice")
        order = keeper.good_order(match, 0)
        brought(
            door.port, mail.reply_to, written(order, mail.reply_to, address("alice"), f"{mail.id}")
        )
        keeper.work()

    assert [ply.made_by for ply in keeper.plies(match) if ply.seat == 0].count("mail") == 3


def test_where_a_door_is_open_the_mails_say_how_to_answer(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    service = with_doors(office_service(tmp_path, sqlite_url, smtp_server), lmtp_port=2003)
    office = Office(service)
    match = office.running()

    office.post_all()

    told = {
        mail.recipients[0]: message
        for mail in smtp_server.taken
        if (message := message_from_bytes(mail.content))["Reply-To"]
    }
    assert set(told) == {address(name) for name in ("alice", "bob", "carol", "dave")}
    for seat, name in enumerate(("alice", "bob", "carol", "dave")):
        token = office.token(office.link(match, Purpose.REPLY, seat))
        assert told[address(name)]["Reply-To"] == f"r+{token}@localhost"
        assert may_be_ours(service.settings.mail, told[address(name)]["Reply-To"])
    service.database.close()


def test_an_answer_that_carries_our_whole_mail_with_its_picture_is_taken(
    keeper: Office, door: OpenDoor
) -> None:
    """A mail program that quotes the picture, and adds one of its own before the text."""
    match, to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    with keeper.service.database.read() as session:
        ours = session.get(ReceivedMail, newest(keeper, "bob").id)
        assert ours is not None
    answer = EmailMessage(policy=SMTP_POLICY)
    answer["From"], answer["To"], answer["Message-ID"] = address("bob"), to, "<p@example.org>"
    answer.make_mixed()
    picture = EmailMessage(policy=SMTP_POLICY)
    picture.set_content(bytes(range(256)) * 2300, "image", "png", cte="base64")
    words = EmailMessage(policy=SMTP_POLICY)
    words.set_content(f"{order}\n\n> {'quoted ' * 9}\n")
    quoted = EmailMessage(policy=SMTP_POLICY)
    quoted.set_content(message_from_bytes(ours.raw, policy=SMTP_POLICY))
    for part in (picture, words, quoted):
        answer.attach(part)
    raw = answer.as_bytes()
    assert 800_000 < len(raw) < keeper.service.settings.incoming.max_bytes

    brought(door.port, to, raw)

    assert bobs_plies(keeper, match) == [order]


# --- who and what is not taken ---


@pytest.mark.parametrize(
    "recipient",
    [
        "somebody@elsewhere.org",
        "alice@localhost",
        "postmaster@localhost",
        f"r+{TOKEN}@elsewhere.org",
        f"r+{TOKEN}@localhost.elsewhere.org",
        f"r+{TOKEN}%elsewhere.org@localhost",
        f"x+{TOKEN}@localhost",
        f"r-{TOKEN}@localhost",
        "r+@localhost",
        "r+short@localhost",
        f"@localhost:r+{TOKEN}@elsewhere.org",
        f'"r+{TOKEN}@elsewhere.org"@localhost',
        f"r+{TOKEN}é@localhost",
    ],
)
@pytest.mark.parametrize("kind", ["door", "smtp_door"])
def test_what_cannot_be_ours_is_refused_before_its_text(
    kind: str, recipient: str, request: pytest.FixtureRequest
) -> None:
    opened: OpenDoor = request.getfixturevalue(kind)
    with knocking(opened.port) as knock:
        knock.read()
        knock.say("LHLO a" if kind == "door" else "EHLO a")
        knock.say("MAIL FROM:<bob@example.org>")

        assert knock.say(f"RCPT TO:<{recipient}>")[:3] in ("550", "553")
        assert knock.say("DATA")[:3] == "503"


@pytest.mark.parametrize("sender", ["", "bob@example.org", "müller@example.org"])
def test_replies_and_returned_mails_are_let_in_whoever_sends_them(
    door: OpenDoor, sender: str
) -> None:
    """Bounces have the empty sender."""
    with knocking(door.port) as knock:
        knock.read()
        knock.say("LHLO a")
        options = " SMTPUTF8" if not sender.isascii() else ""

        assert knock.say(f"MAIL FROM:<{sender}>{options}")[:3] == "250"
        assert knock.say(f"RCPT TO:<r+{TOKEN}@localhost>")[:3] == "250"
        assert knock.say(f"RCPT TO:<b+{TOKEN}@LOCALHOST>")[:3] == "250"


@pytest.mark.parametrize("sender", ["carol@example.org", "erin@example.org"])
def test_a_letter_of_somebody_else_moves_nothing(
    keeper: Office, door: OpenDoor, sender: str
) -> None:
    match, to = asked(keeper)

    brought(door.port, to, written(keeper.orders(match, 1)[0], to, sender))

    assert bobs_plies(keeper, match) == []
    assert keeper.mails("reply_answer") == []


def test_a_letter_without_a_sender_in_its_envelope_is_of_a_program_and_is_not_answered(
    keeper: Office, door: OpenDoor
) -> None:
    """Postfix writes no Return-Path into what it hands over by LMTP."""
    match, to = asked(keeper)
    own_words = written("I am away until Monday", to, address("bob"))

    brought(door.port, to, own_words, sender="")
    brought(door.port, to, b"Return-Path: <bob@example.org>\r\n" + own_words, sender="")

    assert keeper.mails("reply_answer") == []
    order = keeper.orders(match, 1)[0]
    brought(door.port, to, b"Return-Path: <>\r\n" + written(order, to, address("bob"), "2"))
    assert bobs_plies(keeper, match) == [order]


def test_a_token_that_was_made_up_moves_nothing(keeper: Office, door: OpenDoor) -> None:
    """Threat 1.1."""
    match, to = asked(keeper)
    local, _, domain = to.partition("@")
    forged = f"{local[:-1]}{'a' if local[-1] != 'a' else 'b'}@{domain}"

    brought(door.port, forged, written(keeper.orders(match, 1)[0], forged, address("bob")))

    assert bobs_plies(keeper, match) == []
    assert keeper.mails("reply_answer") == []


def test_the_greatest_length_is_announced_and_held(keeper: Office) -> None:
    _, to = asked(keeper)
    with open_door(keeper.service, max_bytes=20_000) as door:
        with smtplib.LMTP("127.0.0.1", door.port) as client:
            client.ehlo_or_helo_if_needed()
            assert client.esmtp_features["size"] == "20000"
            assert client.docmd("MAIL", "FROM:<a@example.org> SIZE=20001")[0] == 552
            assert client.docmd("MAIL", "FROM:<a@example.org> SIZE=20000")[0] == 250
            client.rset()
        long = written("x\r\n" * 7000, to, address("bob"))
        with pytest.raises(smtplib.SMTPSenderRefused) as refused:
            brought(door.port, to, long)
        assert refused.value.smtp_code == 552
        with knocking(door.port) as knock:
            # in one line, and with an answer for each recipient; the connection goes on
            knock.begin(to, to)
            knock.write(b"x" * 70_000 + b"\r\n.\r\n")
            assert [knock.read()[:3] for _ in range(2)] == ["552", "552"]
            assert knock.say("NOOP")[:3] == "250"


def test_whoever_sends_without_end_is_cut_off(keeper: Office) -> None:
    _, to = asked(keeper)
    with open_door(keeper.service, max_bytes=20_000) as door, knocking(door.port) as knock:
        knock.begin(to)
        with pytest.raises(OSError):
            knock.write((b"x" * 998 + b"\r\n") * 10_000)
        wait_until(lambda: not door.door.talks, "the connection lives on")


@pytest.mark.parametrize(
    "end", [b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\n.\r", b"\r\n.\r\r\n"]
)
@pytest.mark.parametrize("kind", ["door", "smtp_door"])
def test_no_letter_hides_another_behind_a_false_end(
    keeper: Office, kind: str, end: bytes, request: pytest.FixtureRequest
) -> None:
    """Threat 1.7: of two servers that see different ends, one takes the rest for a letter."""
    match, to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    opened: OpenDoor = request.getfixturevalue(kind)
    hidden = (
        f"MAIL FROM:<bob@example.org>\r\nRCPT TO:<{to}>\r\nDATA\r\n"
        f"From: bob@example.org\r\nMessage-ID: <2@example.org>\r\n\r\n{order}\r\n.\r\n"
    ).encode()
    outer = b"From: erin@example.org\r\n\r\nhello"
    with knocking(opened.port) as knock:
        knock.begin(to, hello="LHLO" if kind == "door" else "EHLO")

        knock.write(outer + end + hidden)

        answer = knock.read()
        assert answer[:3] == ("550" if b"\n" in end.replace(b"\r\n", b"") else "250")
        assert knock.say("NOOP") == "250 OK"
    assert bobs_plies(keeper, match) == []


def test_a_command_that_ends_with_a_bare_line_feed_is_none(door: OpenDoor) -> None:
    with knocking(door.port) as knock:
        knock.read()
        knock.say("LHLO a")

        assert knock.say("MAIL FROM:<a@example.org>\nRCPT TO:<b@example.org>")[:3] == "500"
        assert knock.say(f"RCPT TO:<r+{TOKEN}@localhost>")[:3] == "503"


def test_dots_at_the_beginning_of_lines_arrive_as_they_were_written(
    keeper: Office, door: OpenDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []
    monkeypatch.setattr(
        intake.gateway, "arrived", lambda _service, raw, *_: seen.append(raw) or "person"
    )
    raw = b"Subject: dots\r\n\r\n.\r\n..\r\n.x\r\n" + b"y" * 40_000 + b"\r\n.z\r\n"

    brought(door.port, f"r+{TOKEN}@localhost", raw)

    assert seen == [raw]


def test_a_letter_that_cannot_be_read_is_refused_and_read_once(
    keeper: Office, door: OpenDoor
) -> None:
    _, to = asked(keeper)
    before = counted("unreadable")
    with knocking(door.port) as knock:
        knock.begin(to, to, to)
        knock.write(b"X-A: b\r\n" * 5000 + b"\r\ngive A\r\n.\r\n")

        assert [knock.read()[:3] for _ in range(3)] == ["554"] * 3
    assert counted("unreadable") == before + 1


def counted(result: str) -> float:
    return REGISTRY.get_sample_value("pbem_letters_total", {"result": result}) or 0.0


def test_letters_are_counted_by_what_became_of_them(keeper: Office, door: OpenDoor) -> None:
    match, to = asked(keeper)
    before = {result: counted(result) for result in ("answered", "again", "wrong_sender")}
    raw = written(keeper.orders(match, 1)[0], to, address("bob"))

    for letter in (raw, raw, written("help", to, address("erin"), "2")):
        brought(door.port, to, letter)

    assert {result: counted(result) - before[result] for result in before} == {
        "answered": 1,
        "again": 1,
        "wrong_sender": 1,
    }


# --- each recipient by itself ---


def test_lmtp_answers_for_each_recipient_and_acts_for_each(keeper: Office, door: OpenDoor) -> None:
    """One letter that answers two mails, of two matches."""
    matches = [keeper.running(), keeper.running()]
    tos = [
        gateway.reply_address(keeper.service, keeper.link(match, Purpose.REPLY, 1))
        for match in matches
    ]
    with knocking(door.port) as knock:
        knock.begin(*tos)
        knock.write(letter_text("help", ", ".join(tos)))

        assert [knock.read() for _ in tos] == ["250 2.0.0 Taken"] * 2
        assert knock.say("NOOP") == "250 OK"
    assert sorted(mail.match_id or "" for mail in keeper.mails("reply_answer")) == sorted(
        match.id for match in matches
    )


def test_smtp_answers_once_for_all(keeper: Office, smtp_door: OpenDoor) -> None:
    _, to = asked(keeper)
    with knocking(smtp_door.port) as knock:
        knock.begin(to, to, hello="EHLO")
        knock.write(letter_text("help", to))

        assert knock.read() == "250 2.0.0 Taken"
        assert knock.say("NOOP") == "250 OK"


def test_more_recipients_than_go_with_one_letter_are_put_off(door: OpenDoor) -> None:
    with knocking(door.port) as knock:
        knock.read()
        knock.say("LHLO a")
        knock.say("MAIL FROM:<>")

        answers = [
            knock.say(f"RCPT TO:<r+{TOKEN}@localhost>")[:3] for _ in range(lmtp.MOST_RECIPIENTS + 1)
        ]

    assert answers == ["250"] * lmtp.MOST_RECIPIENTS + ["452"]


# --- not now ---


def test_while_the_database_is_busy_the_letter_is_to_come_again_and_is_then_taken_once(
    tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_SECONDS", 0)
    office = Office(office_service(tmp_path, sqlite_url))
    match, to = asked(office)
    order = office.orders(match, 1)[0]
    raw = written(order, to, address("bob"))
    busy = counted("busy")
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    with open_door(office.service) as door:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(smtplib.SMTPDataError) as put_off:
            brought(door.port, to, raw)
        other.execute("ROLLBACK")
        assert bobs_plies(office, match) == []

        brought(door.port, to, raw)
        brought(door.port, to, raw)

    assert put_off.value.smtp_code == 451
    assert counted("busy") == busy + 1
    assert bobs_plies(office, match) == [order]
    assert len(office.mails("reply_answer")) == 1
    other.close()
    office.service.database.close()


def test_a_letter_on_which_this_program_fails_is_to_come_again(
    keeper: Office, door: OpenDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    raw = written(order, to, address("bob"))

    def broken(*_: object) -> str:
        raise RuntimeError("a bug")

    with monkeypatch.context() as patched:
        patched.setattr(intake.gateway, "arrived", broken)
        with pytest.raises(smtplib.SMTPDataError) as put_off:
            brought(door.port, to, raw)
    brought(door.port, to, raw)

    assert put_off.value.smtp_code == 451
    assert bobs_plies(keeper, match) == [order]


def test_smtp_puts_a_letter_off_if_any_of_its_recipients_must_wait() -> None:
    assert lmtp._one(["250 a", "451 b", "554 c"]) == "451 b"
    assert lmtp._one(["554 c", "250 a"]) == "250 a"
    assert lmtp._one(["554 c"]) == "554 c"


# --- several at once, and in the logs ---


def test_a_door_that_is_shut_answers_for_the_letter_under_way_first(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    begun, go_on = threading.Event(), threading.Event()
    arrived = gateway.arrived

    def slow(*arguments: object) -> str:
        begun.set()
        assert go_on.wait(20)
        return arrived(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(intake.gateway, "arrived", slow)
    with open_door(keeper.service) as door, knocking(door.port) as idle:
        idle.read()
        with knocking(door.port) as knock:
            knock.begin(to)
            knock.write(letter_text(order, to))
            assert begun.wait(20)
            door.begin_to_close()
            assert idle.read()[:3] == "421"
            with pytest.raises(OSError):
                knocking(door.port).__enter__()
            go_on.set()

            assert knock.read() == "250 2.0.0 Taken"
            assert knock.read()[:3] == "421"
    assert bobs_plies(keeper, match) == [order]


def test_many_letters_at_once_are_each_taken_once(keeper: Office, door: OpenDoor) -> None:
    match = keeper.running()
    tos = {
        seat: gateway.reply_address(keeper.service, keeper.link(match, Purpose.REPLY, seat))
        for seat in range(4)
    }
    names = ("alice", "bob", "carol", "dave")
    raws = {
        seat: written(keeper.orders(match, seat)[0], tos[seat], address(names[seat]), f"{seat}")
        for seat in range(4)
    }
    threads = [
        threading.Thread(target=brought, args=(door.port, tos[seat], raws[seat]))
        for seat in range(4)
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(ply.seat for ply in keeper.plies(match) if ply.seat is not None) == [0, 1, 2, 3]
    assert len(keeper.mails("reply_answer")) == 4


def test_no_log_line_of_the_door_names_anybody(
    keeper: Office, door: OpenDoor, caplog: pytest.LogCaptureFixture
) -> None:
    """aiosmtpd writes addresses at the level info; the service's logs leave those out."""
    assert "mail.log" in logs.LOUD
    caplog.set_level("WARNING", "mail.log")
    _, to = asked(keeper)

    brought(door.port, to, written("help", to, address("bob")))
    with knocking(door.port) as knock:
        knock.read()
        knock.say("LHLO a")
        knock.say("MAIL FROM:<bob@example.org>")
        knock.say("RCPT TO:<erin@example.org>")
    time.sleep(0.1)

    assert "example.org" not in caplog.text
    assert to.partition("@")[0] not in caplog.text
