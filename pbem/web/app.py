"""Builds the web application: settings, blueprints, and what all responses have in common."""

from __future__ import annotations

import time
from pathlib import Path

from flask import Flask, Response, g, request
from werkzeug.middleware.proxy_fix import ProxyFix

from pbem import logs, metrics
from pbem.config import load_settings
from pbem.running.doorbell import BackgroundRing, bell
from pbem.service import Service, open_service
from pbem.web import (
    animation,
    api,
    art,
    consent,
    context,
    dev,
    errors,
    first_page,
    game_files,
    guards,
    health,
    home,
    home_settings,
    hooks,
    host,
    join,
    match,
    mute,
    new_match,
    open_tables,
    operator,
    permit,
    privacy,
    rematch,
    rules,
    seat,
    series,
    signing_in,
    standings,
    turn,
)
from pbem.web.policies import POLICY

DOORS = (
    *(first_page.door, signing_in.door, home.door, home_settings.door, privacy.door),
    *(rules.door, new_match.door, match.door, join.door, turn.door, seat.door, host.door),
    *(
        mute.door,
        consent.door,
        permit.door,
        rematch.door,
        standings.door,
        open_tables.door,
        series.door,
        operator.door,
        api.door,
        dev.door,
        hooks.door,
    ),
    *(health.door, game_files.door, art.door, animation.door),
)


def create(service: Service | None = None) -> Flask:
    """The application around a service (see ``pbem.create_app``)."""
    if service is None:
        settings = load_settings()
        logs.set_up(settings)
        service = open_service(settings, BackgroundRing(bell(settings)), waits=True)
    settings, limits = service.settings, service.settings.limits
    app = Flask("pbem.web", static_folder=str(Path(__file__).parent / "static"))
    # "/s//x" is not there: it is not led on, with whatever its query holds
    app.url_map.merge_slashes = False
    app.config.update(
        MAX_CONTENT_LENGTH=limits.body_bytes,
        MAX_FORM_MEMORY_SIZE=limits.form_memory_bytes,
        MAX_FORM_PARTS=limits.form_parts,
        SECRET_KEY=service.keys.of("session")[0],
        SECRET_KEY_FALLBACKS=list(service.keys.of("session")[1:]),
        SESSION_COOKIE_NAME="pbem_form",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_SECURE=settings.is_https,
        SEND_FILE_MAX_AGE_DEFAULT=31_536_000,
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_TIME_LIMIT=None,
        # behind the operator's pages the Referer is never sent
        WTF_CSRF_SSL_STRICT=False,
    )
    app.extensions["pbem"] = service
    if settings.web.trusted_proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=settings.web.trusted_proxies, x_proto=0, x_host=0
        )
    app.before_request(_begin)
    guards.set_up(app)
    errors.set_up(app)
    for door in DOORS:
        if door is dev.door and not settings.mailbox:
            continue
        if door is hooks.door and not settings.incoming.webhook_key.get_secret_value():
            continue
        app.register_blueprint(door)
    app.after_request(_finish)
    return app


def _begin() -> None:
    g.began = time.perf_counter()


def _finish(response: Response) -> Response:
    """Adds the headers of every response, and measures how long it took."""
    headers = response.headers
    headers.setdefault("Content-Security-Policy", POLICY)
    headers["Referrer-Policy"] = "no-referrer"
    headers["X-Content-Type-Options"] = "nosniff"
    headers.setdefault("X-Frame-Options", "DENY")
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
    if request.endpoint not in context.FILES:
        headers.setdefault("Cache-Control", "no-store")
        headers["X-Robots-Tag"] = "noindex, nofollow"
        headers["Vary"] = "Accept, Accept-Language, Cookie"
    if context.service().settings.is_https:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    began = g.get("began")
    if began is not None:
        route = request.url_rule.endpoint if request.url_rule else "none"
        metrics.REQUESTS.labels(route, str(response.status_code)).observe(
            time.perf_counter() - began
        )
    return response
