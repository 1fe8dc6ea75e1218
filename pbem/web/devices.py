"""Who is signed in on this device: a row for each, so that signing out ends it on the server.

The cookie holds a random secret, the database only its hash. It opens the pages of its person's own
matches and settings, as the links in their mails do, and nothing else.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Any, cast

from flask import Response, g, request
from sqlalchemy import bindparam
from sqlmodel import Session, col, delete, select

from pbem.errors import Refused
from pbem.store.models import Device, Person
from pbem.web import cookies
from pbem.web.context import service

COOKIE = "pbem_home"
LIFE = timedelta(days=30)
#: At most so many devices a person: signing in on one more ends the oldest.
MOST = 20

#: What a browser says it is, in the order in which it must be asked.
_BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrom": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
_HERE = (
    select(Device.id, Person)
    .join(Person, col(Person.id) == col(Device.person_id))
    .where(
        col(Device.secret_hash) == bindparam("secret"),
        col(Device.expires_at) > bindparam("now"),
        col(Person.address).is_not(None),
    )
)


class NotSignedIn(Refused):
    """This is for somebody who is signed in on this device."""

    code = "not_signed_in"
    status = 401

    def __init__(self) -> None:
        super().__init__("Sign in first: ask for a link by mail at /home.")


def person(session: Session | None = None) -> Person | None:
    """Who is signed in on this device; None if nobody is. One query a request. Reads only.

    ``session``: in which to ask, where more is read in it.
    """
    found = _here(session)
    return found[1] if found is not None else None


def signed_in() -> Person:
    """As ``person``; NotSignedIn if nobody is."""
    found = person()
    if found is None:
        raise NotSignedIn()
    return found


def signed_in_as(email: str) -> Person | None:
    """Who is signed in, if this is their address, or none was typed (""); else None."""
    found = person()
    return found if found is not None and email.strip().lower() in ("", found.folded) else None


def proves(email: str) -> bool:
    """Whether an address needs no proof: it is that of who is signed in, or no mail goes out."""
    found = person()
    is_theirs = found is not None and found.folded == email.strip().lower()
    return is_theirs or service().settings.mailbox


def this_one() -> int | None:
    """The number of this device, if somebody is signed in on it."""
    found = _here()
    return found[0] if found is not None else None


def _here(session: Session | None = None) -> tuple[int, Person] | None:
    if "device" not in g:
        g.device = _read(session)
    return cast("tuple[int, Person] | None", g.device)


def _read(session: Session | None) -> tuple[int, Person] | None:
    secret = request.cookies.get(COOKIE, "")
    if not 20 <= len(secret) <= 100:
        return None
    here = service()
    asked: dict[str, Any] = {"secret": cookies.hashed(secret), "now": here.now()}
    with here.database.ask() if session is None else nullcontext(session) as asking:
        row = asking.execute(_HERE, asked).first()
    return None if row is None else (row[0], row[1])


def of(session: Session, whose: Person, now: datetime) -> Sequence[Device]:
    """The devices on which somebody is signed in, the newest first."""
    return session.exec(
        select(Device)
        .where(col(Device.person_id) == whose.id, col(Device.expires_at) > now)
        .order_by(col(Device.id).desc())
    ).all()


def add(session: Session, whose: Person, now: datetime) -> str:
    """Signs this device in, in this transaction; what was signed in on it is not any more.

    Returns the new secret, for ``keep``.
    """
    secret, old = secrets.token_urlsafe(32), request.cookies.get(COOKIE, "")
    oldest = (
        select(Device.id)
        .where(col(Device.person_id) == whose.id)
        .order_by(col(Device.id).desc())
        .offset(MOST - 1)
        .limit(MOST)
    )
    kept = session.exec(oldest).all()
    session.execute(
        delete(Device).where(
            (col(Device.secret_hash) == cookies.hashed(old)) | col(Device.id).in_(kept)
        )
    )
    session.add(
        Device(
            person_id=whose.id or 0,
            secret_hash=cookies.hashed(secret),
            label=label(request.headers.get("User-Agent", "")),
            created_at=now,
            expires_at=now + LIFE,
        )
    )
    return secret


def keep(response: Response, secret: str) -> None:
    """Puts the secret of a device that was signed in into its cookie."""
    cookies.put(response, COOKIE, secret, LIFE)


def sign_out(whose: Person, device: int | None = None) -> bool:
    """Signs out one of a person's devices, or all of them. Whether it was this one, too."""
    which = [col(Device.person_id) == whose.id]
    if device is not None:
        which.append(col(Device.id) == device)
    own = this_one()
    with service().database.write("sign_out") as session:
        session.execute(delete(Device).where(*which))
    return own is not None and device in (None, own)


def forget(response: Response) -> None:
    """Takes the cookie from a device that was signed out."""
    response.delete_cookie(COOKIE)


def label(browser: str) -> str:
    """What a browser says it is, in a few words: ``Firefox, Android``; "" if that is not known."""
    known = (
        next((name for sign, name in names.items() if sign in browser), "")
        for names in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(filter(None, known))
