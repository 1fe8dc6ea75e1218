"""Letters that a mail service posts to ``/hooks/mail``: raw, and signed with a shared key.

The body is the raw letter (RFC 5322). Two headers go with it:

``X-Pbem-Timestamp``   seconds since 1970, as digits; at most five minutes from our clock
``X-Pbem-Signature``   ``sha256=`` and the hexadecimal HMAC-SHA256 of the timestamp, a dot and the
                       body, with ``incoming.webhook_key`` as the key

Idempotent: a letter that is posted again within these five minutes changes nothing.
"""

from __future__ import annotations

import hmac
import re
from datetime import UTC, datetime, timedelta

from pbem.errors import Refused
from pbem.service import Service

TIMESTAMP, SIGNATURE = "X-Pbem-Timestamp", "X-Pbem-Signature"
WINDOW = timedelta(minutes=5)
_SECONDS = re.compile(r"[0-9]{1,11}", re.A)


class BadSignature(Refused):
    """A letter that was not signed with the key, or was signed too long ago."""

    code = "signature"
    status = 401


def signature(key: str, timestamp: str, body: bytes) -> str:
    """The value that the signature's header must have."""
    signed = timestamp.encode("latin-1", "replace") + b"." + body
    return "sha256=" + hmac.new(key.encode(), signed, "sha256").hexdigest()


def check(service: Service, timestamp: str, given: str, body: bytes) -> None:
    """Raises BadSignature unless the letter was signed with the key, and just now."""
    key = service.settings.incoming.webhook_key.get_secret_value()
    wanted = signature(key, timestamp, body).encode()
    if not hmac.compare_digest(wanted, given.encode("utf-8", "replace")):
        raise BadSignature("The signature is missing or wrong.")
    # only a sender who has the key is told about clocks
    if not _SECONDS.fullmatch(timestamp) or abs(_instant(timestamp) - service.now()) > WINDOW:
        raise BadSignature("The timestamp is more than five minutes from this service's clock.")


def _instant(timestamp: str) -> datetime:
    return datetime.fromtimestamp(int(timestamp), UTC)
