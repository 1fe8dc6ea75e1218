"""The tasks. Each calls one act or another function of pbem; none takes an argument to leak.

A task does one bounded batch. If the batch was full, there may be more, and it rings its own queue
again; for turns that are due also before it works on its own, so that all workers are at them. So
other tasks run in between, and none runs long. Moves do not even wait for the end of a batch of
mails: before each mail the worker advances the matches that are due.
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
from pbem.mail.animations import make_due
from pbem.mail.doors import imap
from pbem.mail.doors.imap import MailboxError
from pbem.mail.mailer import post_due
from pbem.people import sweep as company
from pbem.running import forked
from pbem.running.doorbell import QUEUES, bell, task_name
from pbem.running.heartbeats import Heart
from pbem.running.niceness import be_nice
from pbem.service import Service, open_service
from pbem.store import db
from workers.app import app, refuse_what_does_not_fit, settings
from workers.hearing import Hearing

#: Seconds after which no further match is advanced before a mail.
MOVES_SECONDS = 5


@cache
def service() -> Service:
    """The service of this process, made after the fork: connections must not be shared."""
    return open_service(settings, bell(settings))


def task(name: str, queue: str | None = None) -> Callable[[Callable[[], int]], Any]:
    """Makes a task of a function that returns how much it did.

    The task counts and times its runs, and rings its queue again if the batch was full.
    """

    def register(act: Callable[[], int]) -> Any:
        def run() -> None:
            begun = time.monotonic()
            try:
                done = act()
            except Exception as error:
                # the rows it left are still due: the next sweep takes them
                metrics.TASKS.labels(name, "failed").inc()
                _tell(name, error)
                return
            metrics.TASKS.labels(name, "done").inc()
            metrics.TASK_SECONDS.labels(name).observe(time.monotonic() - begun)
            if done >= settings.work.batch:
                service().ring(queue or name)

        return app.task(run, name=task_name(name), queue=queue or name, ignore_result=True)

    return register


def _tell(name: str, error: Exception) -> None:
    """In the log: in a sentence what is away, with its traceback what is a fault of ours."""
    if db.is_silent(error):
        journal.write(Line.DATABASE_SILENT, task=name, error=db.reason(error))
    elif isinstance(error, MailboxError):
        journal.write(Line.MAILBOX_UNUSABLE, why=str(error))
    else:
        journal.write(Line.TASK_FAILED, task=name, exc_info=error)


@task("sweep")
def sweep() -> int:
    """Does what is due: reminders, deadlines, matches to be advanced; rings for owed mails."""
    service().ring("post")
    absence.notice_outage(service())
    return due.sweep(service(), settings.work.batch)


@task("advance")
def advance() -> int:
    """Advances matches in which somebody just acted."""
    return carrying.advance_due(service(), settings.work.batch)


@task("post")
def post() -> int:
    """Sends mails that are due."""
    return post_due(service(), settings.work.batch, before_each=_moves_first)


def _moves_first() -> None:
    """Advances matches that are due, one at a time: another worker may take the others.

    Not for longer than ``MOVES_SECONDS``: then it is a mail's turn, whose lease runs on.
    """
    until = time.monotonic() + MOVES_SECONDS
    while carrying.advance_due(service(), 1) and time.monotonic() < until:
        pass


@task("letters", queue="post")
def take_letters() -> int:
    """Takes letters that wait in an IMAP mailbox."""
    return imap.poll(service(), settings.work.batch)


@task("housekeeping")
def keep_house() -> int:
    """Deletes rows that nobody needs any more."""
    return housekeeping.sweep(service(), settings.work.batch)


@task("company", queue="housekeeping")
def keep_company() -> int:
    """Does what is due for people beside their matches; what is left waits for the next ring."""
    company.sweep(service(), settings.work.batch)
    return 0


@task("animations", queue="housekeeping")
def animate() -> int:
    """Makes one animated picture of a match that is over; moves go on between its frames."""
    if make_due(service(), _moves_first):
        service().ring("animations")
    return 0


# --- the life of a worker ---

#: What runs beside the event loop until the worker stops.
_beside: list[Heart | Hearing] = []


def _set_up_logs(**_: Any) -> None:
    logs.set_up(settings)


def _look_before_the_start(**_: Any) -> None:
    refuse_what_does_not_fit(settings)


def _share_with_children(**_: Any) -> None:
    """Before each process of the pool is forked."""
    forked.keep_shared()


def _set_niceness(**_: Any) -> None:
    be_nice(min(QUEUES[queue] for queue in _queues()))


def _worker_is_ready(sender: Any, **_: Any) -> None:
    part = "moves" if _queues() == {"advance"} else "worker"
    _beside.extend([Heart(settings, part), Hearing(settings.broker, sender)])
    for one in _beside:
        one.start()


def _queues() -> set[str]:
    """The queues that this worker takes tasks from."""
    return set(app.amqp.queues.consume_from)


def _worker_stops(**_: Any) -> None:
    for one in _beside:
        one.stop()


signals.setup_logging.connect(_set_up_logs)
signals.celeryd_init.connect(_look_before_the_start)
signals.worker_init.connect(_set_niceness)
signals.worker_before_create_process.connect(_share_with_children)
signals.worker_ready.connect(_worker_is_ready)
signals.worker_shutting_down.connect(_worker_stops)
