"""What beat rings, and a scheduler that keeps nothing on disk.

A sweep finds whatever is due. So a missed ring costs only time, and two beats at once do no harm.
"""

from __future__ import annotations

from typing import Any

from celery.beat import Scheduler
from celery.schedules import crontab, schedule

from pbem.config import Settings
from pbem.running.doorbell import task_name
from pbem.running.heartbeats import Heart
from workers.app import refuse_what_does_not_fit, settings


def rings(settings: Settings) -> dict[str, dict[str, Any]]:
    """The entries of the schedule: which task, how often, and into which queue."""
    often, seldom = settings.sweep_seconds, 2 * settings.sweep_seconds
    table: dict[str, tuple[schedule, str]] = {
        "sweep": (schedule(run_every=often), "sweep"),
        # behind all that matches need
        "company": (schedule(run_every=seldom), "housekeeping"),
        # whoever asked for one has rung; this is for a ring that was lost
        "animations": (schedule(run_every=seldom), "housekeeping"),
        "housekeeping": (crontab(hour="3", minute="17"), "housekeeping"),
    }
    if settings.incoming.imap_host:
        # in the queue of mails: a slow mail server delays nothing but mail
        table["letters"] = schedule(run_every=settings.incoming.imap_seconds), "post"
    return {
        name: {"task": task_name(name), "schedule": when, "options": {"queue": queue}}
        for name, (when, queue) in table.items()
    }


class Schedule(Scheduler):  # type: ignore[misc]  # celery has no types
    """Celery's scheduler in memory, with a heartbeat in each round of its loop.

    It rings the first sweep at once, because much may be overdue after a stop.
    """

    def setup_schedule(self) -> None:
        refuse_what_does_not_fit(settings)
        self.heart = Heart(settings, "beat")
        self.update_from_dict(rings(settings))
        self._sweep_was_rung = False

    def tick(self, *arguments: Any, **named: Any) -> float:
        self.heart.beat()
        self._forget_what_is_to_come()
        if not self._sweep_was_rung:
            self._sweep_was_rung = True
            self.apply_entry(self.schedule["sweep"], producer=self.producer)
        return float(super().tick(*arguments, **named))

    def _forget_what_is_to_come(self) -> None:
        """After a clock was set back: Celery would ring nothing until it is as late as before."""
        for entry in self.schedule.values():
            now = entry.default_now()
            if entry.last_run_at > now:
                entry.last_run_at = now
                self._heap = None

    def close(self) -> None:
        self.heart.stop()
        super().close()
