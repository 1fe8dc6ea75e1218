"""What goes into a header comes out of it, and nothing else does, whatever names people have."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header, make_header

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail import compose
from pbem.mail.compose import Attachment, Draft, HeaderError, Picture, safe
from tests.mail.office import html_of, parsed, text_of

HOSTILE = (
    "Ann\r\nBcc: eve@example.org",
    "Ann\nBcc: eve@example.org",
    "Ann\r\n\r\n<html>",
    "=?UTF-8?Q?=0A?=Bcc: eve@example.org",
    "=?utf-8?b?DQpCY2M6IGV2ZUBleGFtcGxlLm9yZw==?=",
    "==??UTF-8?Q?=0D=0ABcc:_eve?=",
    "=\u200b?UTF-8?Q?=0A?=",
    "\u202egro.elpmaxe@eve\u202c",
    "Ann\x00\x08\x1b[2J",
    "Ann\u2028Bcc: eve@example.org\u2029",
    "Ann\x85Bcc: eve@example.org",
    'Ann" <eve@example.org>, "',
    "Ann <eve@example.org>",
    "eve@example.org, Ann",
    "Ann (comment) \\",
    "((((((((",
    "undisclosed-recipients:;",
    "<script>alert(1)</script>{{7*7}}",
    "x" * 2000,
    "日本語の長い名前" * 40,
    "é=?" * 50,
    "👨\u200d👩\u200d👧 Ñandú",
    " ",
    "",
    ".",
)

DRAFT = Draft(
    sender="pbem@games.example.org",
    sender_name="pbem",
    recipient="ann@example.org",
    recipient_name="Ann",
    subject="Dog with Bob: your turn",
    text="Hello.\n.\n..\nFrom here\nñ\n",
    html="<p>Hello. ñ</p>",
    language="en",
    date=datetime(2026, 6, 2, 12, tzinfo=UTC),
    message_id="<p.abc@games.example.org>",
    thread="<p.def@games.example.org>",
    list_id="<k3f9.pbem.games.example.org>",
    unsubscribe="https://games.example.org/" + "a" * 100 + "/u/1-abc",
    proof=f"match=k3f9bcdfgh commitment={'ab' * 32} head={'cd' * 32} digest={'ef' * 32}",
    reply_to="r+" + "a" * 50 + "@games.example.org",
)
NAMES = [
    "Auto-Submitted",
    "Content-Language",
    "Content-Type",
    "Date",
    "From",
    "In-Reply-To",
    "List-Id",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Message-ID",
    "Pbem-Proof",
    "References",
    "Reply-To",
    "Subject",
    "To",
]


def header_names(raw: bytes) -> list[str]:
    """The names of the header's lines, read without any library."""
    head = raw.split(b"\r\n\r\n")[0]
    return sorted(
        line.split(b":")[0].decode() for line in head.split(b"\r\n") if not line.startswith(b" ")
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_adds_no_header_and_no_recipient(text: str) -> None:
    draft = dataclasses.replace(
        DRAFT, sender_name=text, recipient_name=text, subject=f"Dog with {text}: your turn"
    )

    raw = compose.compose(draft)

    assert header_names(raw) == NAMES
    read = parsed(raw)
    assert [one.addr_spec for one in read["To"].addresses] == ["ann@example.org"]
    assert [one.addr_spec for one in read["From"].addresses] == ["pbem@games.example.org"]


@given(st.text(max_size=100))
def test_no_text_whatever_gets_through_as_anything_but_text(text: str) -> None:
    draft = dataclasses.replace(DRAFT, sender_name=text, recipient_name=text, subject=text)

    assert header_names(compose.compose(draft)) == NAMES


@pytest.mark.parametrize(
    "name", ["José Ñandú", "日本語の名前" * 9, "Ann O'Neil, Jr.", 'Ann "A" B', "👨\u200d👩\u200d👧"]
)
def test_an_honest_name_arrives_as_it_is(name: str) -> None:
    raw = compose.compose(dataclasses.replace(DRAFT, recipient_name=name, subject=name))

    plainly = message_from_bytes(raw)
    subject = "".join(plainly["Subject"].split("\r\n"))
    assert str(make_header(decode_header(subject))) == name
    to = str(make_header(decode_header("".join(plainly["To"].split("\r\n")))))
    assert to.replace("\\", "") == (
        f'"{name}" <ann@example.org>' if name.isascii() else f"{name} <ann@example.org>"
    )


def test_lines_of_the_header_are_short_but_for_ids_and_links() -> None:
    raw = compose.compose(dataclasses.replace(DRAFT, recipient_name="日本語の名前" * 10))

    head = raw.split(b"\r\n\r\n")[0].split(b"\r\n")
    assert [
        line for line in head if len(line) > 78 and b"://" not in line and b"@" not in line
    ] == []


def test_both_parts_arrive_whole_and_are_ascii_on_the_line() -> None:
    raw = compose.compose(DRAFT)

    assert raw.isascii()
    assert all(len(line) <= 200 for line in raw.split(b"\r\n"))
    assert text_of(parsed(raw)).replace("\r\n", "\n") == DRAFT.text
    assert html_of(parsed(raw)).strip() == DRAFT.html


def test_the_same_draft_has_the_same_bytes() -> None:
    assert compose.compose(DRAFT) == compose.compose(DRAFT)


def test_pictures_and_files_go_along() -> None:
    draft = dataclasses.replace(
        DRAFT,
        pictures=(
            Picture("board@pbem", b"\x89PNG" * 100, "png"),
            Picture("none@pbem", b"", "png"),
        ),
        attachments=(Attachment("dog-x.json", b"{}"),),
    )

    read = parsed(compose.compose(draft))

    parts = [part for part in read.walk() if not part.is_multipart()]
    kinds = [part.get_content_type() for part in parts]
    assert kinds == ["text/plain", "text/html", "image/png", "image/png", "application/json"]
    contents = [part.get_payload(decode=True) for part in parts[2:]]
    assert contents == [b"\x89PNG" * 100, b"", b"{}"]
    assert [part.get_filename() for part in read.iter_attachments()] == ["dog-x.json"]


def test_a_mail_whose_header_is_not_what_was_meant_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compose, "_encoded", lambda _name, text: f"{text}\r\nBcc: eve@example.org")

    with pytest.raises(HeaderError, match="names that were meant"):
        compose.compose(DRAFT)


def test_a_mail_whose_subject_says_something_else_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compose, "_encoded", lambda _name, text: "Something else")

    with pytest.raises(HeaderError, match="Subject"):
        compose.compose(DRAFT)


def test_safe_text_is_one_short_printable_line() -> None:
    assert safe("a\r\nb\x00c\u202e  d", 70) == "a b c d"
    assert safe("x" * 100, 10) == "x" * 9 + "…"
    assert "=?" not in safe("==??", 70)
