"""People who are invited: how often a day, and whether they ever want to be.

Nobody asked them before the first mail, so a service that mails the world invites an address a few
times a day only, whoever asks and however the address is written; and each invitation has a link by
which its reader is never invited again, in any match.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, delete, select, update

from pbem.acts.writing import Writer, act, read_by, writing
from pbem.errors import NotPossible, TooMany
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import Invitee, Link, Seat
from pbem.store.names import Actor

#: A row is kept for so long after the last invitation, unless its person wants none.
KEPT = timedelta(days=2)
#: Services that deliver to the same mailbox with and without dots, and under both names.
_WITHOUT_DOTS = {"gmail.com": "gmail.com", "googlemail.com": "gmail.com"}


def digest(email: str, counted: str = "invitee") -> str:
    """A digest of whose address this is: the same for all ways to write it, as far as is known.

    Case, what follows a ``+``, and at Gmail dots make no difference. The address is not kept. Of
    what is ``counted`` besides invitations there is a row of its own.
    """
    local, _, domain = email.lower().rpartition("@")
    local = local.partition("+")[0] or local
    if domain in _WITHOUT_DOTS:
        local, domain = local.replace(".", ""), _WITHOUT_DOTS[domain]
    return hashlib.sha256(f"{counted} {local}@{domain}".encode()).hexdigest()


def called(seat: Seat) -> str:
    """What a host reads of whoever has a seat: their address, if the host gave it."""
    return seat.name if seat.left_open else seat.email or ""


def refuse_unwanted(service: Service, people: Mapping[str, str]) -> None:
    """Raises NotPossible if one of these people wants no invitations.

    ``people``: by their addresses, what they are called then.
    """
    known = {digest(email): name for email, name in people.items()}
    with service.database.read() as session:
        found = session.exec(
            select(Invitee.digest).where(
                col(Invitee.digest).in_(known), col(Invitee.never_at).is_not(None)
            )
        ).first()
    if found is not None:
        raise _wants_none(known[found])


def _wants_none(name: str) -> NotPossible:
    return NotPossible("{address} wants no invitations from this service.", address=name)


def count(write: Writer, email: str, name: str = "") -> None:
    """Counts an invitation, once the act is written. TooMany or NotPossible undoes the act.

    ``name``: what they are called then, if not by their address.
    Where mails stay on this machine, and for the operator, there is no limit.
    """
    service = write.service
    if service.settings.mailbox or write.actor == Actor.OPERATOR:
        return

    def counted(session: Session) -> None:
        if wants_none(session, email):
            raise _wants_none(name or email)
        if not _count_one(session, service, digest(email)):
            raise TooMany(
                "{address} has been invited {most} times today. This service sends no more before "
                "tomorrow.",
                address=name or email,
                most=service.settings.limits.invitations_per_address_per_day,
            )

    write.call(counted)


def count_reminder(write: Writer, email: str, then: Callable[[], None]) -> None:
    """Calls ``then``, which owes a reminder of an invitation, and counts it.

    Not if the address has had as many reminders today as it gets invitations a day, or its person
    wants none.
    """
    service = write.service

    def counted(session: Session) -> None:
        if _may_be_mailed(session, service, email, "reminded"):
            then()

    write.call(counted)


def give_back(write: Writer, email: str) -> None:
    """Counts one less: a host whose address is proved had asked for that mail."""
    today = write.service.now().date()
    write.update(
        Invitee,
        col(Invitee.digest) == digest(email),
        col(Invitee.day) == today,
        col(Invitee.invitations) > 0,
        invitations=col(Invitee.invitations) - 1,
    )


def _count_one(session: Session, service: Service, whose: str) -> bool:
    """Counts one; False if the address has had today's."""
    today, most = service.now().date(), service.settings.limits.invitations_per_address_per_day
    new = {"digest": whose, "day": today, "invitations": 0, "never_at": None}
    statements.upsert(session, Invitee, [new], unique=("digest",))
    yesterday = (
        update(Invitee)
        .where(col(Invitee.digest) == whose, col(Invitee.day) < today)
        .values(day=today, invitations=0)
    )
    session.execute(yesterday)
    one_more = (
        update(Invitee)
        .where(col(Invitee.digest) == whose, col(Invitee.invitations) < most)
        .values(invitations=Invitee.invitations + 1)
    )
    return statements.rowcount(session, one_more) > 0


@act
def never(service: Service, link: Link, *, allow: bool = False) -> None:
    """Whoever was invited by this link is never invited again, in any match. Idempotent.

    ``allow``: they can be invited again.
    """
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    if seat.email is None:
        return
    email = seat.email
    with writing(service, table, "invitees", Actor.PLAYER, now) as write:
        write.call(lambda session: set_wanted(session, email, now, wanted=allow))


def set_wanted(session: Session, email: str, now: datetime, *, wanted: bool) -> None:
    """Whether the person of an address, who says so, wants invitations."""
    row = {
        "digest": digest(email),
        "day": now.date(),
        "invitations": 0,
        "never_at": None if wanted else now,
    }
    statements.upsert(session, Invitee, [row], unique=("digest",), updated=("never_at",))


def may_be_asked(session: Session, service: Service, email: str) -> bool:
    """Counts a mail to an address that nobody has proved yet.

    False if it has had as many today as it gets invitations a day, or its person wants none.
    """
    return _may_be_mailed(session, service, email, "asked")


def _may_be_mailed(session: Session, service: Service, email: str, counted: str) -> bool:
    """Counts a mail that is no invitation among today's of its kind; whether it may go out."""
    return not wants_none(session, email) and (
        service.settings.mailbox or _count_one(session, service, digest(email, counted))
    )


#: A row if the person of an address, given by its ``digest``, is never to be invited.
NEVER: Any = select(Invitee.digest).where(
    col(Invitee.digest) == bindparam("digest"), col(Invitee.never_at).is_not(None)
)


def wants_none(session: Session, email: str) -> bool:
    """Whether somebody is never to be invited."""
    return session.execute(NEVER, {"digest": digest(email)}).first() is not None


def forget(session: Session, service: Service, most: int) -> int:
    """Deletes old rows of people who can be invited, at most ``most``; returns how many."""
    old = (
        select(Invitee.digest)
        .where(col(Invitee.never_at).is_(None), Invitee.day < (service.now() - KEPT).date())
        .order_by(col(Invitee.day))
        .limit(most)
    )
    return statements.rowcount(session, delete(Invitee).where(col(Invitee.digest).in_(old)))
