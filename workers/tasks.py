"""The tasks. Each names an act and calls it; none takes an argument, so none can leak one.

A task works one bounded batch. Where the batch was full there may be more, and it rings for itself
again: so others get their turn in between, and no task runs long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

from celery import signals

from pbem import journal, logs, metrics
from pbem.acts import absence, housekeeping
from pbem.acts import advance as carrying
from pbem.acts import sweep as due
from pbem.journal import Line
from pbem.mail.doors import imap
from pbem.mail.mailer import post_due
from pbem.running.doorbell import bell, task_name
from pbem.running.heartbeats import Heart
from pbem.service import Service, open_service
from workers.app import app, refuse_what_does_not_fit, settings


@cache
def service() -> Service:
    """The service of this process; made after the fork, for connections are not shared."""
    return open_service(settings, bell(settings))


def task(name: str, queue: str | None = None) -> Callable[[Callable[[], int]], Any]:
    """A task: an act that returns how much it did. It counts, times, and rings again if full."""

    def register(act: Callable[[], int]) -> Any:
        def run() -> None:
            begun = time.monotonic()
            try:
                done = act()
            except Exception as error:
                # the rows it left are due again: the next sweep takes them on
                metrics.TASKS.labels(name, "failed").inc()
                journal.write(Line.TASK_FAILED, task=name, exc_info=error)
                return
            metrics.TASKS.labels(name, "done").inc()
            metrics.TASK_SECONDS.labels(name).observe(time.monotonic() - begun)
            if done >= settings.work.batch:
                service().ring(queue or name)

        return app.task(run, name=task_name(name), queue=queue or name, ignore_result=True)

    return register


@task("sweep")
def sweep() -> int:
    """Whatever is due: reminders, deadlines, matches to carry on; then the mails they owe."""
    service().ring("post")
    absence.notice_outage(service())
    return due.sweep(service(), settings.work.batch)


@task("advance")
def advance() -> int:
    """Matches that somebody just acted in."""
    return carrying.advance_due(service(), settings.work.batch)


@task("post")
def post() -> int:
    """Mails that are due."""
    return post_due(service(), settings.work.batch)


@task("letters", queue="post")
def take_letters() -> int:
    """Letters that wait in a mailbox elsewhere."""
    return imap.poll(service(), settings.work.batch)


@task("housekeeping", queue="sweep")
def keep_house() -> int:
    """Rows that nobody needs any more."""
    return housekeeping.sweep(service(), settings.work.batch)


# --- the life of a worker ---

_hearts: list[Heart] = []


def _set_up_logs(**_: Any) -> None:
    logs.set_up(settings)


def _look_before_the_start(**_: Any) -> None:
    refuse_what_does_not_fit(settings)


def _worker_is_ready(**_: Any) -> None:
    _hearts.append(Heart(settings, "worker"))
    _hearts[-1].start()


def _worker_stops(**_: Any) -> None:
    for heart in _hearts:
        heart.stop()


signals.setup_logging.connect(_set_up_logs)
signals.celeryd_init.connect(_look_before_the_start)
signals.worker_ready.connect(_worker_is_ready)
signals.worker_shutting_down.connect(_worker_stops)
