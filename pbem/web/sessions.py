"""The operator's login: a row for each session, so that logging out ends it on the server.

The cookie holds a random secret, the database only its hash.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from flask import Response, request
from sqlalchemy import delete
from sqlmodel import Session, col

from pbem.store import audit
from pbem.store.models import OperatorSession
from pbem.store.names import Actor, AuditAct
from pbem.web import cookies
from pbem.web.context import service

COOKIE = "pbem_operator"
LIFE = timedelta(hours=12)

_HASHER = PasswordHasher()


def exists() -> bool:
    """Whether this service has an operator who may log in."""
    return bool(service().settings.operator.password_hash.get_secret_value())


def present() -> OperatorSession | None:
    """The session of whoever asks, if it is valid. Reads only."""
    secret = request.cookies.get(COOKIE, "")
    if not exists() or not 20 <= len(secret) <= 100:
        return None
    here = service()
    with here.database.read() as session:
        row = session.get(OperatorSession, cookies.hashed(secret))
    if row is None or row.expires_at <= here.now() or row.name != here.settings.operator.name:
        return None
    return row


def is_right(name: str, password: str) -> bool:
    """Whether this is the operator's name and password; there must be an operator.

    The password is verified whatever the name is, so that the answer takes as long.
    """
    operator = service().settings.operator
    try:
        _HASHER.verify(operator.password_hash.get_secret_value(), password[:1000])
    except (VerificationError, InvalidHashError):
        return False
    return name == operator.name


def begin(response: Response) -> None:
    """A new session with a new secret; the one that was there ends."""
    here = service()
    now, secret = here.now(), secrets.token_urlsafe(32)
    old = request.cookies.get(COOKIE, "")

    def write(session: Session) -> None:
        session.execute(
            delete(OperatorSession).where(
                (col(OperatorSession.id) == cookies.hashed(old))
                | (col(OperatorSession.expires_at) <= now)
            )
        )
        session.add(
            OperatorSession(
                id=cookies.hashed(secret),
                name=here.settings.operator.name,
                created_at=now,
                seen_at=now,
                expires_at=now + LIFE,
            )
        )

    _on_record(AuditAct.LOGIN, write)
    cookies.put(response, COOKIE, secret, LIFE, samesite="Strict")


def end(response: Response) -> None:
    row = present()
    if row is not None:
        gone = row.id
        _on_record(
            AuditAct.LOGOUT,
            lambda session: session.execute(
                delete(OperatorSession).where(col(OperatorSession.id) == gone)
            ),
        )
    response.delete_cookie(COOKIE)


def _on_record(act: AuditAct, write: Callable[[Session], object]) -> None:
    """Writes with a row of the service's audit log."""
    here = service()
    with here.database.write(act) as session:
        write(session)
        audit.append(session, [audit.Entry(here.now(), "", Actor.OPERATOR, act)])
