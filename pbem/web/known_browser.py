"""A browser in which the operator has logged in: it carries a signed cookie that says so.

Login attempts are limited by network, and by account because an attacker may have many networks. A
limit by account alone would let any stranger lock the operator out. So a known browser is counted
by itself (whoever steals its cookie has as few attempts), and attempts of strangers do not count
against it. The cookie opens nothing, and is valid only while the operator's password is the same.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from flask import Response, request
from itsdangerous import BadData, URLSafeTimedSerializer

from pbem.web import cookies
from pbem.web.context import service

COOKIE = "pbem_known"
LIFE = timedelta(days=180)


def name() -> str | None:
    """The name under which this browser's login attempts are counted.

    None for an unknown browser.
    """
    try:
        known, password = _signer().loads(
            request.cookies.get(COOKIE, "")[:500], max_age=int(LIFE.total_seconds())
        )
    except (BadData, TypeError, ValueError):
        return None
    return str(known) if password == _password() else None


def remember(response: Response) -> None:
    """Makes the browser that gets this answer a known one."""
    known = _signer().dumps([name() or secrets.token_hex(16), _password()])
    cookies.put(response, COOKIE, str(known), LIFE, path="/operator", samesite="Strict")


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(cookies.signing_keys("known browser"))


def _password() -> str:
    """Changes with the operator's name and password, and reveals nothing of them."""
    operator = service().settings.operator
    known = f"{operator.name} {operator.password_hash.get_secret_value()}"
    return hashlib.sha256(known.encode()).hexdigest()[:32]
