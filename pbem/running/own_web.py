"""Asks our own web over HTTP, for ``pbem doctor`` alone.

An import contract and a security test check who uses it and where it sends requests.
"""

from __future__ import annotations

import secrets
import socket
import ssl
import urllib.error
import urllib.request
from email.message import Message
from http.client import HTTPMessage
from typing import IO
from urllib.parse import urlsplit

import msgspec

from pbem.running import reflection
from pbem.store.keys import Keys

#: Timeout of the request, in seconds.
WAIT_SECONDS = 5


class WebAnswer(msgspec.Struct, frozen=True):
    """The answer from an address."""

    #: Whether this very service answered.
    ours: bool = False
    #: How many proxies wrote an X-Forwarded-For address.
    proxies: int = 0
    #: If it was not ours: what happened, and whether it was a timeout.
    why: str = ""
    late: bool = False


class _NowhereElse(urllib.request.HTTPRedirectHandler):
    """Follows redirects to HTTPS or to another path; never to another host."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if urlsplit(newurl).hostname != urlsplit(req.full_url).hostname:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def look(address: str, keys: Keys) -> WebAnswer:
    """Sends a request to the service at this address. Errors are returned, never raised."""
    word = secrets.token_hex(16)
    # without a proxy: one for outgoing requests is not on players' way in
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NowhereElse())
    try:
        with opener.open(f"{address}/healthz?ask={word}", timeout=WAIT_SECONDS) as response:
            headers: Message = response.headers
    except urllib.error.HTTPError as error:
        return WebAnswer(why=f"something else answers there (status {error.code})")
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        return WebAnswer(why=_why(reason), late=isinstance(reason, TimeoutError))
    given = headers.get(reflection.ANSWER, "")
    if not given:
        return WebAnswer(why="something else answers there")
    if not reflection.is_ours(keys, word, given):
        return WebAnswer(why="a pbem with other keys answers there")
    proxies = headers.get(reflection.FORWARDED, "")
    return WebAnswer(ours=True, proxies=int(proxies) if proxies.isdecimal() else 0)


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
