"""Whether the service lives, whether its parts are up, and what it counts."""

from __future__ import annotations

import ipaddress

from flask import Blueprint, Response, request

from pbem import metrics, watch
from pbem.errors import NotFound
from pbem.web import sessions
from pbem.web.context import json_answer, service

door = Blueprint("health", __name__)


@door.get("/healthz")
def healthz() -> Response:
    return Response("ok\n", mimetype="text/plain")


@door.get("/readyz")
def readyz() -> Response:
    here = service()
    found = watch.readiness(here.settings, here.database)
    return json_answer(found, 200 if found["ready"] else 503)


@door.get("/metrics")
def numbers() -> Response:
    """For Prometheus on this machine, and for the operator."""
    if not _is_local() and sessions.present() is None:
        raise NotFound()
    body, kind = metrics.exposition()
    return Response(body, content_type=kind)


def _is_local() -> bool:
    """Whether this machine itself asks, and no proxy for somebody else."""
    if request.headers.get("X-Forwarded-For") or request.headers.get("Forwarded"):
        return False
    try:
        return ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
