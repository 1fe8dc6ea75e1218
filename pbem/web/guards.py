"""Checks before every door: rate limits by network address, and the origin of a POST (CSRF)."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from flask import Flask, current_app, request
from flask_limiter import Limiter
from flask_wtf.csrf import CSRFProtect
from limits import parse
from limits.strategies import FixedWindowRateLimiter

from pbem import journal
from pbem.config import Settings
from pbem.errors import Refused, TooMany
from pbem.journal import Line
from pbem.web.context import FILES, service
from pbem.web.counts import Counts

csrf = CSRFProtect()

#: Methods that change nothing, anywhere.
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class ForeignOrigin(Refused):
    """A form posted from another site's page."""

    code = "foreign_origin"
    status = 403


def set_up(app: Flask) -> None:
    settings: Settings = app.extensions["pbem"].settings
    limiter = Limiter(
        _network,
        app=app,
        application_limits=[f"{settings.limits.requests_per_minute}/minute"],
        storage_uri=_storage(settings),
        # without its broker the service still answers, and counts in memory
        in_memory_fallback_enabled=True,
        swallow_errors=True,
        headers_enabled=False,
    )
    limiter.request_filter(_is_uncounted)
    limiter.request_filter(is_own_machine)
    app.extensions["pbem_limiter"] = limiter
    # in memory: without its broker the service still refuses, and does not fail
    app.extensions["pbem_told"] = FixedWindowRateLimiter(Counts())
    csrf.init_app(app)
    app.before_request(refuse_foreign_posts)


def _storage(settings: Settings) -> str:
    """Where hits are counted.

    In the broker, for all web processes together, if one is configured.
    """
    if settings.broker_url.startswith("redis+socket://"):
        return "redis+unix://" + settings.broker_url.partition("://")[2]
    return settings.broker_url or f"{Counts.STORAGE_SCHEME[0]}://"


def _network() -> str:
    """Whom limits count: an address, or the /64 that it is of.

    Whoever has an address of IPv6 has 2^64 of them (RFC 6177).
    """
    try:
        address = ipaddress.ip_address(request.remote_addr or "127.0.0.1")
    except ValueError:
        return request.remote_addr or ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


def _is_uncounted() -> bool:
    """Health checks, and files that are the same for everybody: no limit counts them."""
    return request.endpoint in {"health.healthz", "health.readyz", *FILES}


def is_own_machine() -> bool:
    """Whether this machine itself asks a service whose mail never leaves it.

    Somebody trying the service out, or a program that tests it: no limit by network protects
    anybody from them.
    """
    return service().settings.mailbox and is_local()


def is_local() -> bool:
    """Whether the request comes from this machine.

    Behind a proxy every request looks like that, so one that a proxy forwarded does not count.
    """
    if request.headers.get("X-Forwarded-For") or request.headers.get("Forwarded"):
        return False
    try:
        return ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False


def hit(what: str, limit: str, key: str = "") -> bool:
    """Counts one more; False if that is more than the limit (like ``4/hour``).

    Hits are counted by ``key``, or by network address without one.
    """
    limiter: Limiter = current_app.extensions["pbem_limiter"]
    return bool(limiter.limiter.hit(parse(limit), what, key or _network()))


def allow(what: str, limit: str) -> None:
    """Counts one more of this network address; TooMany beyond the limit.

    Logins are counted wherever they come from.
    """
    if what != "logins" and is_own_machine():
        return
    if not hit(what, limit):
        tell_of_limit(what)
        raise TooMany("There were too many requests from your network. Please try again later.")


def allow_opening() -> None:
    """Counts one more match or series that this network opens; TooMany beyond the limit."""
    allow("matches", f"{service().settings.limits.matches_per_hour}/hour")


def allow_foretold() -> None:
    """Counts one more look at the mails of a match before it is opened; TooMany beyond the limit.

    There are as many as matches, and counted by themselves.
    """
    allow("foretold", f"{service().settings.limits.matches_per_hour}/hour")


def allow_picture() -> None:
    """Counts one more picture that this network gets; TooMany beyond the limit."""
    allow("pictures", f"{service().settings.limits.pictures_per_minute}/minute")


def tell_of_limit(what: str) -> None:
    """Writes a journal line when a limit is hit.

    At most once a minute, so that a flood does not fill the disk.
    """
    told: FixedWindowRateLimiter = current_app.extensions["pbem_told"]
    if told.hit(parse("1/minute"), what, _network()):
        # one address, which fail2ban can read
        journal.write(Line.LIMIT_HIT, network=request.remote_addr, limit=what)


def refuse_foreign_posts() -> None:
    """Forms on other sites' pages cannot post here.

    A browser says where a form stands: by Sec-Fetch-Site, and by Origin. The latter is ``null`` on
    pages that send no referrer, as ours do, so ``null`` alone says nothing; and programs send
    neither. Without a link's token, or the operator's session, there is nothing to gain by it.
    """
    if request.method in SAFE:
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site in ("cross-site", "same-site"):
        raise ForeignOrigin("This form was sent from another site, so nothing was done.")
    origin = request.headers.get("Origin", "null")
    if origin == "null":
        return
    ours = {urlsplit(service().settings.base_url).netloc, request.host}
    if _host_of(origin) not in ours:
        raise ForeignOrigin("This form was sent from another site, so nothing was done.")


def _host_of(origin: str) -> str | None:
    """Host and port of an origin; None if it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
