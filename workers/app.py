"""The Celery application. ``celery -A workers.app worker`` and ``celery -A workers.app beat``.

Celery is a doorbell: what is due is in the database, every task is idempotent, and the next sweep
does the work of a task that was lost. Each setting here was chosen for that:

- a task is acknowledged when it ends. It is not delivered again if it killed its process, because
  it would kill the next one too (``reject_on_worker_lost``);
- nothing is fetched ahead (``prefetch`` 1), so a busy worker holds no rings back, and a free one
  always looks into the queues in the same order (``queue_order_strategy``): moves first;
- the hard time limit is below the visibility timeout, so no task is delivered again while it runs;
- batches end by themselves long before the soft limit, so what that interrupts is one match or one
  mail that takes minutes: it counts as a failure of that one, which is set aside in the end;
- the tasks of a dead worker come back within seconds (``unacked_restore_interval``), and a worker
  whose broker went away lets go of its tasks (``redelivery``);
- a connection that carries nothing any more is noticed (``socket_timeout``,
  ``health_check_interval``): its worker would wait for ever for an answer;
- no task has an ETA: past the visibility timeout such a task would run again and again.
"""

from __future__ import annotations

from celery import Celery
from kombu.entity import Queue

from pbem.config import Settings, load_settings
from pbem.errors import NotInOrder
from pbem.running import forked
from pbem.running.doorbell import QUEUES
from pbem.service import open_service
from workers import redelivery

#: Seconds after which what a task is at is interrupted, and after which its process is killed.
SOFT_LIMIT = 240
HARD_LIMIT = 300
VISIBILITY_TIMEOUT = 600


def make_app(settings: Settings) -> Celery:
    """The application for these settings."""
    redelivery.install()
    app = Celery("pbem", broker=settings.broker, include=["workers.tasks"])
    app.conf.update(
        task_queues=[Queue(name) for name in QUEUES],  # type: ignore[no-untyped-call]
        task_default_queue="sweep",
        task_create_missing_queues=False,
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=False,
        task_soft_time_limit=SOFT_LIMIT,
        task_time_limit=HARD_LIMIT,
        task_publish_retry=False,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_concurrency=settings.work.processes,
        worker_soft_shutdown_timeout=10.0,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_max_tasks_per_child=5000,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "queue_order_strategy": "priority",
            "visibility_timeout": VISIBILITY_TIMEOUT,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            "socket_keepalive": True,
            "socket_connect_timeout": 5,
            "socket_timeout": 3,
            "health_check_interval": 3,
        },
        beat_scheduler="workers.schedule:Schedule",
        beat_max_loop_interval=3,
        timezone="UTC",
        enable_utc=True,
    )
    return app


def refuse_what_does_not_fit(settings: Settings) -> None:
    """Ends the process with a sentence if database, tables or keys do not fit.

    Another process looks, and takes with it the memory that this needs: the one that waits does
    not use the database itself.
    """

    def look() -> None:
        try:
            open_service(settings, waits=True).database.close()
        except NotInOrder as error:
            raise SystemExit(str(error)) from None

    status = forked.fork(look).wait()
    if status:
        raise SystemExit(status)


settings = load_settings()
app = make_app(settings)
