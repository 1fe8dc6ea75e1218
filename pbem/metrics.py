"""Metrics for Prometheus. Labels are names from the code, never an address or a token.

Several web processes count together if ``PROMETHEUS_MULTIPROC_DIR`` is set, as prometheus-client
wants it; one process needs nothing.
"""

from __future__ import annotations

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector
from sqlmodel import Session

RINGS = Counter("pbem_rings_total", "Rings of the doorbell.", ["queue", "result"])
TASKS = Counter("pbem_tasks_total", "Tasks that workers ended.", ["task", "result"])
TASK_SECONDS = Histogram(
    "pbem_task_seconds",
    "How long tasks took.",
    ["task"],
    buckets=(0.005, 0.02, 0.1, 0.5, 2, 10, 60),
)
PLIES = Counter("pbem_plies_total", "Moves that were recorded.", ["game", "made_by"])
MAILS = Counter("pbem_mails_total", "Mails that were worked on.", ["kind", "result"])
LETTERS = Counter("pbem_letters_total", "Letters that came in.", ["result"])
REQUESTS = Histogram(
    "pbem_request_seconds",
    "How long pages took, by the route's name.",
    ["route", "status"],
    buckets=(0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5),
)
OUTBOX = Gauge("pbem_outbox", "Mails in the outbox.", ["status"], multiprocess_mode="mostrecent")
STALLED = Gauge(
    "pbem_stalled_matches", "Matches that stall.", ["reason"], multiprocess_mode="mostrecent"
)

_KEPT = "counted"


def after(session: Session, counter: Counter) -> None:
    """Counts one as soon as the transaction of this session is committed."""
    session.info.setdefault(_KEPT, []).append(counter)


def committed(session: Session) -> None:
    """Counts what ``after`` kept: its transaction is committed."""
    for counter in session.info.pop(_KEPT, ()):
        counter.inc()


def exposition() -> tuple[bytes, str]:
    """The page that Prometheus reads, and its content type."""
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
    return generate_latest(), CONTENT_TYPE_LATEST
