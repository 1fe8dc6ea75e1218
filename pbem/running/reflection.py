"""The service checks itself through its public address, the one in every link it mails.

Whoever asks ``/healthz?ask=WORD`` gets the word back, signed with a key of the service, and how
many proxies said whom they ask for. So ``pbem doctor`` knows whether it reached this very service.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import ssl
import urllib.error
import urllib.request
from email.message import Message

import msgspec

from pbem.store.keys import Keys

PURPOSE = "health"
ANSWER, FORWARDED = "X-Pbem-Answer", "X-Pbem-Forwarded"
#: Signs of a word that is answered, and seconds that an answer may take.
LONGEST = 64
WAIT_SECONDS = 5


class Seen(msgspec.Struct, frozen=True):
    """What came back from an address."""

    #: Whether this very service answered.
    ours: bool = False
    #: How many proxies said whom they ask for.
    proxies: int = 0
    #: Where it was not ours: what happened, and whether nothing answered in time.
    why: str = ""
    late: bool = False


def answer(keys: Keys, word: str) -> str:
    """The proof that we have the keys."""
    return _signed(keys.of(PURPOSE)[0], word)


def proxies_in(headers: list[str]) -> int:
    """How many addresses stand in the X-Forwarded-For headers of a request."""
    return sum(1 for name in ",".join(headers).split(",") if name.strip())


def look(address: str, keys: Keys) -> Seen:
    """Asks the service at this address. Never raises for what may be wrong there."""
    word = secrets.token_hex(16)
    # straight to it: a proxy that leads out of this network is no part of the way in
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/healthz?ask={word}", timeout=WAIT_SECONDS) as response:
            headers: Message = response.headers
    except urllib.error.HTTPError as error:
        return Seen(why=f"something else answers there (status {error.code})")
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        return Seen(why=_why(reason), late=isinstance(reason, TimeoutError))
    given = headers.get(ANSWER, "")
    if not given:
        return Seen(why="something else answers there")
    if not any(hmac.compare_digest(given, _signed(key, word)) for key in keys.of(PURPOSE)):
        return Seen(why="a pbem with other keys answers there")
    proxies = headers.get(FORWARDED, "")
    return Seen(ours=True, proxies=int(proxies) if proxies.isdecimal() else 0)


def _why(reason: object) -> str:
    if isinstance(reason, socket.gaierror):
        return "nobody knows that host"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({reason.verify_message})"
    if isinstance(reason, TimeoutError):
        return f"no answer within {WAIT_SECONDS} seconds"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror.lower()
    return type(reason).__name__


def _signed(key: bytes, word: str) -> str:
    return hmac.digest(key, word.encode(), "sha256").hex()
