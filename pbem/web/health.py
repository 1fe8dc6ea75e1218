"""Health checks and metrics: is the web alive, are all parts up, and the counters."""

from __future__ import annotations

from collections import Counter

from flask import Blueprint, Response, request

from pbem import metrics
from pbem.acts import outbox
from pbem.errors import NotFound
from pbem.looks import oversight, stalled
from pbem.running import heartbeats, reflection
from pbem.store.names import StallReason
from pbem.web import guards, sessions
from pbem.web.context import json_answer, service

door = Blueprint("health", __name__)


@door.get("/healthz")
def healthz() -> Response:
    """Says that the web is alive.

    If asked to, it also proves that it is this service (``running.reflection``).
    """
    response = Response("ok\n", mimetype="text/plain")
    if word := request.args.get("ask", "")[: reflection.LONGEST]:
        forwarded = request.headers.getlist("X-Forwarded-For")
        response.headers[reflection.ANSWER] = reflection.answer(service().keys, word)
        response.headers[reflection.FORWARDED] = str(reflection.proxies_in(forwarded))
    return response


@door.get("/readyz")
def readyz() -> Response:
    found = heartbeats.readiness(service().settings)
    return json_answer(found, 200 if found["ready"] else 503)


@door.get("/metrics")
def numbers() -> Response:
    """For Prometheus on this machine, and for the operator."""
    if not guards.is_local() and sessions.present() is None:
        raise NotFound()
    _look_at_what_waits()
    body, kind = metrics.exposition()
    return Response(body, content_type=kind)


def _look_at_what_waits() -> None:
    """Sets the gauges from the database."""
    here = service()
    with here.database.read() as session:
        owed = oversight.owed_mails(session)
    for status in outbox.UNPAID:
        metrics.OUTBOX.labels(status.value).set(owed.get(status.value, 0))
    reasons = Counter(stall.reason for stall in stalled.find(here))
    for reason in StallReason:
        metrics.STALLED.labels(reason).set(reasons[reason])
