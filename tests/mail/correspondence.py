"""Letters that players write in answer to a turn, and what they get back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from sqlmodel import func, select

from pbem.mail import gateway, mailbox
from pbem.mail.mailbox import MailboxMail
from pbem.store.models import Match, ReceivedMail
from pbem.store.names import Purpose
from tests.mail.office import Office
from tests.parts.cast import NAMES, address

#: As mail programs write them, with words in place of addresses and the order.
LETTERS = Path(__file__).parent / "letters"


def newest(office: Office, name: str) -> MailboxMail:
    """The newest mail to this person."""
    office.post_all()
    last = select(func.max(ReceivedMail.id)).where(ReceivedMail.address == address(name))
    with office.service.database.read() as session:
        number = session.exec(last).one()
    assert number is not None, f"no mail to {name}"
    kept = mailbox.one(office.service, number)
    assert kept is not None
    return msgspec.structs.replace(kept, text=kept.text.replace("\r\n", "\n"))


def written(text: str, to: str, sender: str, key: str = "1", head: str = "") -> bytes:
    return (
        f"From: {sender}\r\nTo: {to}\r\nSubject: Re: your turn\r\n"
        f"Message-ID: <{key}@example.org>\r\n{head}\r\n{text}\r\n"
    ).encode()


def of_program(program: str, order: str, to: str, sender: str) -> bytes:
    text = (LETTERS / f"{program}.eml").read_text()
    for name, value in (("REPLY", to), ("SENDER", sender), ("ORDER", order)):
        text = text.replace(name, value)
    return text.encode()


def asked(office: Office, **how: Any) -> tuple[Match, str]:
    """A running match, and where Bob's turn takes answers."""
    match = office.running(**how)
    return match, newest(office, "bob").reply_to


def bobs(office: Office, text: str, to: str, key: str = "1", head: str = "") -> str:
    return gateway.arrived(office.service, written(text, to, address("bob"), key, head))


def answered(office: Office, match: Match, seat: int, text: str) -> MailboxMail:
    """What comes of a seat's answer by mail, made before the match is carried on."""
    office.post_all()
    name = NAMES[seat].lower()
    to = gateway.reply_address(office.service, office.link(match, Purpose.REPLY, seat))
    gateway.arrived(office.service, written(text, to, address(name)))
    return newest(office, name)
