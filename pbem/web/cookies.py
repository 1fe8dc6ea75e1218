"""Cookies as all doors set them, and the keys that sign what stands in them."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Literal

from flask import Response

from pbem.web.context import service


def put(
    response: Response,
    name: str,
    text: str,
    life: timedelta,
    *,
    path: str = "/",
    samesite: Literal["Lax", "Strict"] = "Lax",
) -> None:
    """Sets a cookie that no script reads, and that goes over HTTPS alone where we have it."""
    response.set_cookie(
        name,
        text,
        max_age=life,
        path=path,
        httponly=True,
        samesite=samesite,
        secure=service().settings.is_https,
    )


def hashed(secret: str) -> str:
    """What the database keeps of the secret in a cookie."""
    return hashlib.sha256(secret.encode()).hexdigest()


def signing_keys(purpose: str) -> list[bytes]:
    """The keys of a purpose as itsdangerous takes them: the last one signs, all verify."""
    return list(reversed(service().keys.of(purpose)))
