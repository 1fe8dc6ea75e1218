"""Letters made to do harm, or larger than a letter is: each costs no more than its second."""

from __future__ import annotations

import base64

import pytest

from pbem.mail import gateway, letter
from tests.mail.correspondence import asked, written
from tests.mail.office import Office

MOST = 262_144


def _nested(times: int) -> bytes:
    return b"".join(
        b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (number, number)
        for number in range(times)
    )


HOSTILE = {
    "nested": b"Subject: x\r\n" + _nested(1000) + b"\r\ngive A\r\n",
    "comments": b"From: " + b"(" * 100_000 + b"\r\n\r\ngive A\r\n",
    "brackets": b"From: " + b"((((" * 1000 + b"\r\n\r\ngive A\r\n",
    "quotes": b"From: " + b'"\\' * 40_000 + b"\r\n\r\ngive A\r\n",
    "commas": b"To: a@b" + b"," * 32_000 + b"\r\n\r\ngive A\r\n",
    "parts": b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\n" * 37_000,
    "headers": b"X-A: b\r\n" * 30_000 + b"\r\ngive A\r\n",
    "charset": b"Content-Type: text/plain; charset=rot13\r\n\r\ngive A\r\n",
    "words": b"Subject: " + b"=?utf-8?q?=41?= " * 15_000 + b"\r\n\r\ngive A\r\n",
    "attribution": b"\r\n" + b"on wrote " * 28_000,
    "html": b"Content-Type: text/html\r\n\r\n" + b"<div" * 60_000,
    "open": b"Content-Type: text/html\r\n\r\n" + b"<!--" * 60_000 + b"<![",
    "zero": b"\x00" * 200_000,
    "nothing": b"",
    # as long as a letter may be
    "many parts": b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\n" * 290_000,
    "empty lines": b"\r\n" * 1_000_000,
    "short lines": b"\r\n" + b"x\n" * 1_000_000,
    "base64": b"Content-Transfer-Encoding: base64\r\n\r\n" + (b"QUFB" * 19 + b"\r\n") * 26_000,
    "one line": b"\r\n" + b"A" * 2_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_letter_costs_no_more_than_its_second(keeper: Office, name: str) -> None:
    _, reply_to = asked(keeper)
    raw = f"Delivered-To: {reply_to}\r\n".encode() + HOSTILE[name]

    result = gateway.arrived(keeper.service, raw)

    assert result in ("unreadable", "wrong_sender", "unknown", "bounce", "automatic")
    assert keeper.mails("reply_answer") == []


def test_a_picture_before_the_text_is_passed_over() -> None:
    """An answer that quotes a mail carries its picture, and some programs put it first."""
    lines = "\r\n".join(["iVBORw0K" * 9] * 20_000)
    body = (
        "--x\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        f"{lines}\r\n--x\r\nContent-Type: text/plain\r\n\r\ngive A\r\n\r\nBye\r\n--x--"
    )
    raw = written(body, "a@b", "c@d", head="Content-Type: multipart/mixed; boundary=x\r\n")

    assert len(raw) > 1_400_000
    assert letter.read(raw, 2_000_000).lines == ("give A",)


def test_of_a_long_text_the_beginning_is_read() -> None:
    text = "give A\r\n\r\n" + "All the same words again.\r\n" * 60_000
    coded = base64.encodebytes(text.encode()).decode()
    head = "Content-Transfer-Encoding: base64\r\n"

    assert letter.read(written(text, "a@b", "c@d"), 2_000_000).lines == ("give A",)
    assert letter.read(written(coded, "a@b", "c@d", head=head), 2_500_000).lines == ("give A",)


@pytest.mark.parametrize("before", ["", "!"])
@pytest.mark.parametrize("encoding", ["8bit", "base64"])
def test_a_long_text_that_ends_within_a_letter_keeps_its_signs(encoding: str, before: str) -> None:
    """It is cut at a byte, and one letter may be two: of two texts one is cut there."""
    text = f"di ¡Mañana sigo!{before}\r\n\r\n" + "ñ" * 200_000
    head = f"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}\r\n"
    body = text if encoding == "8bit" else base64.encodebytes(text.encode()).decode()

    read = letter.read(written(body, "a@b", "c@d", head=head), 2_500_000)

    assert read.lines == (f"di ¡Mañana sigo!{before}",)


def test_what_is_attached_or_inside_another_mail_is_not_read() -> None:
    body = (
        "--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\ngive A\r\n"
        "--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: in\r\n\r\ngive 2\r\n"
        '--x\r\nContent-Type: application/zip; name="a.zip"\r\n\r\ngive K\r\n--x--'
    )
    raw = written(body, "a@b", "c@d", head="Content-Type: multipart/mixed; boundary=x\r\n")

    assert letter.read(raw, MOST).lines == ()
