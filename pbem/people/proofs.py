"""Links by mail that prove an address: whoever opens one gets mail there.

A link does one thing, once: it signs a device in, or takes a seat. Its page shows what; a POST does
it, because mail scanners open every link. Anybody can ask for a link for any address and gets the
same answer; the link goes to that address alone, a few a day where nobody has proved it yet.

    <row>-<code>

``row`` is the number of an AddressLink in base 36, ``code`` as in ``pbem.store.links``, made with
the key of the link's kind.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, delete, select, update

from pbem.acts import invitees, outbox
from pbem.errors import NotFound, NotPossible
from pbem.looks import own_matches
from pbem.people import persons
from pbem.service import Service
from pbem.store import links, statements
from pbem.store.keys import Keys
from pbem.store.models import AddressLink, Person
from pbem.store.names import MailKind

#: For how long a link works, and for how long its row is kept after that.
LIFE, KEPT = timedelta(hours=24), timedelta(days=30)


def owe(
    service: Service,
    kind: MailKind,
    address: str,
    language: str,
    about: Mapping[str, str | int] | None = None,
    *,
    allowed: bool = True,
) -> None:
    """Owes the mail of this kind with a new link to the address, which is checked already.

    The same is written for every address, so that no clock tells whose it is: whether the mail goes
    out, the worker decides (``may_mail``). If it was asked for too often (``allowed`` is false), it
    is owed under one key for all such requests: one mail more is sent, while its row is kept.
    """
    now = service.now()
    with service.database.write("proof") as session:
        link = AddressLink(
            kind=kind,
            address=address,
            language=language,
            about_json=json.dumps(dict(about or {}), sort_keys=True),
            created_at=now,
            expires_at=now + LIFE,
        )
        session.add(link)
        session.flush()
        # with the time: SQLite gives the number of a row that was deleted to another
        fresh = f"{kind}:{link.id}:{now.timestamp():.6f}"
        key = fresh if allowed else f"{kind}:{digest(address)}:again"
        outbox.owe(session, kind, key, now, address=address, link=link.id)
    service.ring("post")


def digest(address: str) -> str:
    """What stands for an address in the key of its mails; privacy takes it out of them."""
    return hashlib.sha256(address.lower().encode()).hexdigest()[:32]


def may_mail(service: Service, link: AddressLink) -> bool:
    """Whether the mail with this link goes out. Of an address that nobody knows, it is counted.

    False if that has had as many mails today as it gets invitations a day, or wants none.
    """
    with service.database.read() as session:
        known = persons.of_address(session, link.address) is not None
        if known or own_matches.plays_here(session, link.address):
            return True
    with service.database.write("proof.count") as session:
        return invitees.may_be_asked(session, service, link.address)


def token(keys: Keys, link: AddressLink) -> str:
    """The token of a link, signed with the newest key of its kind."""
    return links.signed(keys.of(link.kind), link.id or 0, *_signed(link))


def find(session: Session, keys: Keys, text: str, kind: MailKind, now: datetime) -> AddressLink:
    """The link that a token of this kind names, used or not; for everything else NotFound."""
    row = links.row_of(text)
    link = session.get(AddressLink, row) if row is not None else None
    # without a row the same work is done on nobody's, so the answer takes as long
    signs = _signed(link) if link is not None else (kind, 0, "", "", 0)
    fits = links.is_signed(keys.of(kind), text, *signs)
    if link is None or not fits or link.kind != kind or link.expires_at <= now:
        raise NotFound()
    return link


def use(session: Session, link: AddressLink, now: datetime) -> Person:
    """Uses a link in this transaction: its address is proved. NotPossible if it was used before."""
    first = (
        update(AddressLink)
        .where(col(AddressLink.id) == link.id, col(AddressLink.used_at).is_(None))
        .values(used_at=now)
    )
    if not statements.rowcount(session, first):
        raise NotPossible("This link has been used already. Ask for a new one.")
    return persons.known(session, link.address, now, language=link.language)


def about(link: AddressLink) -> dict[str, Any]:
    """What was asked for besides."""
    found: dict[str, Any] = json.loads(link.about_json)
    return found


def forget(service: Service, most: int) -> int:
    """Deletes old links, at most ``most``; returns how many."""
    before = service.now() - KEPT
    old = select(AddressLink.id).where(col(AddressLink.expires_at) <= before).limit(most)
    with service.database.ask() as session:
        # most of the time there are none: look before taking the lock
        found = session.exec(old).all()
    if found:
        with service.database.write("proof.forget") as session:
            session.execute(delete(AddressLink).where(col(AddressLink.id).in_(found)))
    return len(found)


def _signed(link: AddressLink) -> tuple[str | int, ...]:
    """What the code of a link is made of."""
    made = int(link.created_at.timestamp())
    return link.kind, link.id or 0, link.address, link.about_json, made
