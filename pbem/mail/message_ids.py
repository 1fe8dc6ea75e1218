"""Message-IDs of mails and threads.

They are derived from the mail's key, so a second copy has the same id.
"""

from __future__ import annotations

import base64
import hmac

from engine.dice import fields
from pbem.store.keys import Keys

#: Bytes of an id: nobody else can make one, and two are never the same.
_BYTES = 20


def message_id(keys: Keys, domain: str, dedupe: str) -> str:
    """The Message-ID of the mail owed under this key."""
    return _id(keys, domain, "mail", dedupe)


def thread_id(keys: Keys, domain: str, match_id: str, seat: int, address: str) -> str:
    """The id all mails of a match to one reader refer to, so that programs show them together."""
    return _id(keys, domain, "thread", match_id, seat, address.casefold())


def is_ours(keys: Keys, domain: str, text: str) -> bool:
    """Whether a Message-ID has the form of ours; what it names is looked up in the outbox."""
    return text.startswith("<p.") and text.endswith(f"@{domain}>")


def _id(keys: Keys, domain: str, *parts: str | int) -> str:
    # the oldest key that is listed: a new one at the front must not change the id of a second copy
    digest = hmac.digest(keys.of("message-id")[-1], fields(*parts), "sha256")[:_BYTES]
    return f"<p.{base64.b32encode(digest).decode().lower()}@{domain}>"
