"""Golden mails: how they come about, how they are shown, how they are written anew."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from sqlmodel import select

from pbem.mail import gateway
from pbem.store import db
from pbem.store.models import Mail, Match, ReceivedMail
from pbem.store.names import Purpose
from tests.mail.office import Office, html_of, office_service, parsed, text_of

LANGUAGES = ("en", "es")

#: The style that all mails have in their HTML. A golden mail links to it instead.
STYLE = Path(__file__).parents[1] / "golden" / "style.css"
_LINK = '<link rel="stylesheet" href="../../style.css">'


def answer(office: Office, match: Match, seat: int, *lines: str, number: int = 1) -> None:
    """The seat's player answers the mail of the turn with these lines, and gets an answer."""
    reply_to = gateway.reply_address(office.service, office.link(match, Purpose.REPLY, seat))
    sender = office.seat(match, seat).email
    head = f"From: {sender}\r\nTo: {reply_to}\r\nMessage-ID: <{number}@example.org>\r\n\r\n"
    gateway.arrived(office.service, (head + "\r\n".join(lines) + "\r\n").encode())
    office.post_all()


def raw_of(office: Office, mail: Mail) -> bytes:
    """The bytes of a mail that was sent, as they lie in the mailbox."""
    query = select(ReceivedMail).where(ReceivedMail.message_id == mail.message_id)
    with office.service.database.read() as session:
        return session.exec(query).one().raw


def shown(raw: bytes) -> tuple[str, str]:
    """A golden mail: the header and the text part; the HTML part, with a link to ``STYLE``."""
    message = parsed(raw)
    # the return path is of the envelope, and the mailbox's own addition
    left_out = ("Content-Type", "Return-Path")
    header = "".join(
        f"{name}: {value}\n" for name, value in message.items() if name not in left_out
    )
    parts = "".join(
        f"[{part.get_content_type()} {part.get_filename() or part['Content-ID']}]\n"
        for part in message.walk()
        if part.get_content_type() not in ("text/plain", "text/html") and not part.is_multipart()
    )
    text = text_of(message).replace("\r\n", "\n")
    html = html_of(message).replace("\r\n", "\n")
    linked = html.replace(_style(), _LINK)
    return masked(f"{header}\n{text}{parts}"), masked(linked)


def _style() -> str:
    return f"<style>{STYLE.read_text()}</style>"


def whole(file: Path) -> str:
    """The HTML of a golden mail as it is sent, with its style."""
    html = file.read_text()
    assert _LINK in html, file
    return html.replace(_LINK, _style())


def masked(text: str) -> str:
    """Without what says nothing to a reader: hashes, and the codes of links and ids."""
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text)
    text = re.sub(r"/([a-z])/[0-9a-z]+-[a-z2-7]{32}", r"/\1/TOKEN", text)
    text = re.sub(r"r\+[0-9a-z]+-[a-z2-7]{32}@", "r+TOKEN@", text)
    return re.sub(r"<p\.[a-z2-7]{32}@", "<p.ID@", text)


def write(folder: Path, told: Callable[[Office, str], dict[str, bytes]]) -> None:
    """Writes what ``told`` tells in each language: ``LANGUAGE/NAME.txt`` and ``.html``."""
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory() as home:
            url = f"sqlite:///{home}/pbem.sqlite3"
            db.upgrade(url)
            office = Office(office_service(Path(home), url))
            (folder / language).mkdir(parents=True, exist_ok=True)
            for name, raw in told(office, language).items():
                style = re.search("<style>(.*?)</style>", html_of(parsed(raw)), re.DOTALL)
                assert style is not None
                STYLE.write_text(style[1].replace("\r\n", "\n"))
                text, html = shown(raw)
                (folder / language / f"{name}.txt").write_text(text)
                (folder / language / f"{name}.html").write_text(html)
            office.service.database.close()
