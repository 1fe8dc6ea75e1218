"""A mail office to test with: a service whose mail goes to a relay, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlmodel import select

from pbem.acts import outbox
from pbem.clock import ManualClock
from pbem.config import Settings
from pbem.config.sections import Incoming, Operator
from pbem.config.sections import Mail as MailSettings
from pbem.mail.mailer import post_due
from pbem.service import Service
from pbem.store.db import Database
from pbem.store.models import Mail, Match
from tests.parts.cast import KEYS, NO_BEACON, START, House
from tests.parts.relay import Relay


def office_service(
    home: Path, url: str, relay: Relay | None = None, incoming: Incoming | None = None
) -> Service:
    """A service on this database. Without a relay it keeps its mail in the embedded mailbox."""
    mail = MailSettings(mode="smtp", host=relay.host, port=relay.port) if relay else MailSettings()
    settings = Settings(
        home=home,
        database_url=url,
        base_url="https://games.example.org",
        mail=mail,
        beacon=NO_BEACON,
        incoming=incoming or Incoming(),
        allow_confirmed_seats=True,
        operator=Operator(address="operator@example.org"),
    )
    return Service(settings, Database(url), KEYS, ManualClock(START))


@dataclass
class Office(House):
    """A house with a mailer."""

    def post(self, most: int = 50) -> int:
        return post_due(self.service, most)

    def post_all(self) -> None:
        """Posts until nothing is due any more."""
        for _ in range(200):
            if not post_due(self.service):
                return
        raise AssertionError("the mailer finds no end")

    def owed(self, kind: str, seat: int | None = None) -> Mail:
        """The newest mail of this kind, for this seat."""
        found = [mail for mail in self.mails(kind) if seat is None or mail.seat == seat]
        return max(found, key=lambda mail: mail.id or 0)

    def owe_again(self, match_id: str, seat: int, kind: str = "invitation", key: str = "") -> None:
        with self.service.database.write("test") as session:
            outbox.owe(
                session,
                kind,
                f"{kind}:{match_id}:{seat}:{key}",
                self.service.now(),
                match_id=match_id,
                seat=seat,
            )

    def row(self, mail: Mail) -> Mail:
        """The row as it is now."""
        with self.service.database.read() as session:
            return session.exec(select(Mail).where(Mail.id == mail.id)).one()


def parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=default)


def text_of(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def html_of(message: EmailMessage) -> str:
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())


class CaptainsOffice(Office):
    """An office whose matches are of this game, with the dogs of war dealt by lot."""

    options: Mapping[str, Any] = MappingProxyType({"sudden_death": True, "dogs_by": "lot"})

    def open(self, **asked: Any) -> Match:
        return super().open(**{**asked, "game": "dogs-of-war", "options": dict(self.options)})
