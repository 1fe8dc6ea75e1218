"""What a kind of mail gives its templates, and the pieces that several kinds have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import IntegrityError

from pbem.mail.compose import Attachment, Picture
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.store.plain import AnyMatch, AnySeat


@dataclass(frozen=True)
class Reader:
    """Whom a mail is for."""

    name: str
    address: str
    language: str
    zone: str
    #: The seat whose view they get; None for a host, and if there is no match.
    seat: int | None = None


@dataclass(frozen=True)
class MailValues:
    """What a mail says."""

    values: Mapping[str, Any]
    reply_to: str = ""
    pictures: Sequence[Picture] = field(default=())
    attachments: Sequence[Attachment] = field(default=())
    #: Whose move or word it brings: "Ben, by pbem" stands in From; "" for the service alone.
    sender: str = ""


def link_of(
    service: Service, purpose: Purpose, match: AnyMatch, seat: AnySeat | None, turn_id: int = 0
) -> Link:
    """The row of a link; written if there is none yet."""
    with service.database.read() as session:
        found = links.there(session, purpose, match, seat, turn_id)
    if found is not None:
        return found
    try:
        with service.database.write("post.link") as session:
            return links.make(session, purpose, match, seat, service.now(), turn_id)
    except IntegrityError:
        # another mailer wrote it at the same moment
        with service.database.read() as session:
            found = links.there(session, purpose, match, seat, turn_id)
        assert found is not None  # the row that violated the constraint
        return found


def url_of(
    service: Service, purpose: Purpose, match: AnyMatch, seat: AnySeat | None, turn_id: int = 0
) -> str:
    link = link_of(service, purpose, match, seat, turn_id)
    return links.url(service.keys, service.settings.base_url, link)
