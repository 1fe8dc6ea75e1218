"""Return paths: an address for each mail, signed, so that nobody else can make one.

    b+<mail>-<code>@<mail.return_path_domain>

``mail`` is the number of the mail in base 36. ``code`` is the first 20 bytes of
``HMAC-SHA256(key of the return path, fields(mail, address it goes to))`` in base 32, so:

- what arrives there is about this one mail, sent to this one address;
- the same mail to another address has another return path, and neither is a token for anything
  else;
- it contains no name, address or match, and the database alone is not enough to make one;
- upper and lower case are the same: mail services change them.

It is valid for ``DAYS`` days: mail services give up after a week at most.
"""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Sequence
from datetime import timedelta

from sqlmodel import Session

from engine.dice import fields
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Mail

#: The purpose of the key that signs: see ``pbem.store.keys``.
PURPOSE = "return-path"
CODE_BYTES = 20
DAYS = 30

_FORM = re.compile(r"b\+([1-9a-z][0-9a-z]{0,11})-([a-z2-7]{32})", re.ASCII)


def address(service: Service, mail: Mail, recipient: str) -> str:
    """The return path of a mail to this address; our own address if no letter can come in."""
    settings = service.settings
    if not settings.takes_letters:
        return settings.mail.from_address
    number = mail.id or 0
    code = _code(service.keys.of(PURPOSE)[0], number, recipient)
    return f"b+{links.base36(number)}-{code}@{settings.mail.return_path_domain}"


def is_one(service: Service, text: str) -> bool:
    """Whether an address has the form of a return path of ours; its code may be anything."""
    return _parts(service, text) is not None


def find(session: Session, service: Service, addresses: Sequence[str]) -> Mail | None:
    """The mail that one of these return paths belongs to; None if all are made up or too old."""
    for text in addresses:
        parts = _parts(service, text)
        if parts is None:
            continue
        number, code = int(parts[1], 36), parts[2]
        mail = session.get(Mail, number)
        # if there is no such mail the code is computed all the same: the answer takes the same time
        sent_to = (mail.sent_to if mail else None) or ""
        fitting = [
            key
            for key in service.keys.of(PURPOSE)
            if hmac.compare_digest(_code(key, number, sent_to), code)
        ]
        if mail is None or not sent_to or not fitting:
            continue
        if service.now() - (mail.sent_at or mail.created_at) > timedelta(days=DAYS):
            continue
        return mail
    return None


def _parts(service: Service, text: str) -> re.Match[str] | None:
    local, _, domain = text.strip().lower().rpartition("@")
    if domain != service.settings.mail.return_path_domain.lower():
        return None
    return _FORM.fullmatch(local)


def _code(key: bytes, number: int, recipient: str) -> str:
    digest = hmac.digest(key, fields(PURPOSE, number, recipient.casefold()), "sha256")
    return base64.b32encode(digest[:CODE_BYTES]).decode().lower()
