"""Message-IDs of mails and threads.

They are derived from the mail's key, so a second copy has the same id.
"""

from __future__ import annotations

import base64
import hmac

from engine.dice import fields
from pbem.store.keys import Keys

#: Bytes of an id: enough that nobody can guess one and no two are the same.
_BYTES = 20


def message_id(keys: Keys, domain: str, dedupe: str) -> str:
    """The Message-ID of the mail owed under this key."""
    return _id(keys, domain, "mail", dedupe)


def thread_id(keys: Keys, domain: str, match_id: str, seat: int, address: str) -> str:
    """The id that all mails of a match to one reader refer to: programs show them together."""
    return _id(keys, domain, "thread", match_id, seat, address.lower())


def is_ours(domain: str, text: str) -> bool:
    """Whether a Message-ID has the form of ours; whether there is such a mail is not checked."""
    return text.startswith("<p.") and text.endswith(f"@{domain}>")


def _id(keys: Keys, domain: str, *parts: str | int) -> str:
    # the oldest key: a new key, added at the front, must not change the id of a second copy
    digest = hmac.digest(keys.of("message-id")[-1], fields(*parts), "sha256")[:_BYTES]
    return f"<p.{base64.b32encode(digest).decode().lower()}@{domain}>"
