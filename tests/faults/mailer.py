"""A mailer in a process of its own, that a test kills or stops at a place, and faults to give it.

The process is forked from a clean server that has the imports behind it, so a kill costs
milliseconds and is still the death of a real process with real connections.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, select

from pbem import failpoints
from pbem.acts import deliverability, outbox
from pbem.clock import ManualClock
from pbem.mail import mailer, message_ids
from pbem.mail import render as rendering
from pbem.mail.mailer import post_due
from pbem.service import Service
from pbem.store.models import Mail
from pbem.store.names import MailStatus
from tests.faults.forks import PROCESSES
from tests.mail.office import office_service
from tests.parts.relay import Relay


def start(
    home: Path,
    url: str,
    relay: tuple[str, int],
    now: datetime,
    *,
    crash_at: str = "",
    stop_at: str = "",
    mutant: str = "",
) -> Any:
    """A mailer that works until nothing is due: its process, to ``join`` and ask for its end."""
    process = PROCESSES.Process(
        target=_work, args=(home, url, relay, now, crash_at, stop_at, mutant), daemon=True
    )
    process.start()
    return process


def _work(
    home: Path,
    url: str,
    relay: tuple[str, int],
    now: datetime,
    crash_at: str,
    stop_at: str,
    mutant: str,
) -> None:
    os.environ["CRASH_AT"] = crash_at
    if stop_at:
        failpoints.pass_by = _stopping(stop_at)
    if mutant:
        MUTANTS[mutant](_Patches())
    service = office_service(home, url, Relay(*relay))
    assert isinstance(service.clock, ManualClock)
    service.clock.set(now)
    for _ in range(20):
        if not post_due(service):
            break
    # as a process that ends: nothing is flushed or closed that was not before
    os._exit(0)


def _stopping(place: str) -> Callable[[str], None]:
    passed = []

    def stop(passing: str) -> None:
        if passing == place and not passed:
            passed.append(place)
            os.kill(os.getpid(), signal.SIGSTOP)

    return stop


def wait_until_stopped(pid: int) -> None:
    """Returns when the process stands still."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "T":
            return
        assert state != "Z", "the mailer ended and did not pass the place"
        time.sleep(0.01)
    raise AssertionError("the mailer did not stop")


# --- faults that the suite must notice, each the loss of one barrier ---


class _Patches:
    """Puts another function in the place of one; in a process that ends there is no way back."""

    def setattr(self, owner: Any, name: str, value: Any) -> None:
        setattr(owner, name, value)


def _sends_without_the_lease(patches: Any) -> None:
    """The lease is not looked at again before the mail is handed over."""
    patches.setattr(outbox, "enter_doubt", lambda *_: True)


def _forgets_doubts(patches: Any) -> None:
    """A doubt that nobody resolved is not counted."""
    take = outbox._take

    def forgetful(row: Mail, *more: Any) -> None:
        if row.status == MailStatus.IN_DOUBT:
            row.status = MailStatus.PENDING
        take(row, *more)

    patches.setattr(outbox, "_take", forgetful)


def _says_sent_too_early(patches: Any) -> None:
    """The mail counts as sent before the relay has it."""

    def early(service: Service, mail: Mail, *_: str) -> bool:
        outbox.mark_sent(service, mail)
        return True

    patches.setattr(outbox, "enter_doubt", early)


def _leaves_doubts_alone(patches: Any) -> None:
    """What a dead mailer left in doubt is never looked at again."""
    undoubted = text("status in ('pending', 'leased')")
    for name in ("_ANY", "_OLDEST", "_JUST_NOW", "_EARLIER"):
        patches.setattr(outbox, name, getattr(outbox, name).where(undoubted))


def _takes_what_others_hold(patches: Any) -> None:
    """A lease that has not ended keeps nobody away."""
    first = outbox._first

    def greedy(session: Session, now: datetime, *how_many: int) -> list[Mail]:
        return first(session, now + 2 * outbox.LEASE, *how_many)

    patches.setattr(outbox, "_ANY", select(Mail.id).limit(1))
    patches.setattr(outbox, "_first", greedy)


def _has_new_ids_each_time(patches: Any) -> None:
    """A second copy has another Message-ID, so nobody can tell that it is one."""
    made = message_ids.message_id
    patches.setattr(
        rendering.message_ids,
        "message_id",
        lambda keys, domain, dedupe: made(keys, domain, f"{dedupe}{time.time_ns()}"),
    )


def _marks_the_seat_last(patches: Any) -> None:
    """A refused mail is dead before its seat is marked: a crash between forgets the seat."""
    refused = mailer.deliverability.mail_refused
    dead = outbox.mark_dead

    def late(service: Service, mail: Mail, why: str, **more: Any) -> None:
        dead(service, mail, why, **more)
        if mail.match_id is not None and mail.seat is not None:
            refused(service, mail.match_id, mail.seat, "bob@example.org", why)

    patches.setattr(deliverability, "mail_refused", lambda *_, **__: None)
    patches.setattr(outbox, "mark_dead", late)


def _sends_what_nobody_wants(patches: Any) -> None:
    """Nobody asks whether a mail is still wanted."""
    patches.setattr(rendering, "unwanted", lambda _: None)


MUTANTS: dict[str, Callable[[Any], None]] = {
    "sends without the lease": _sends_without_the_lease,
    "forgets doubts": _forgets_doubts,
    "says sent too early": _says_sent_too_early,
    "leaves doubts alone": _leaves_doubts_alone,
    "takes what others hold": _takes_what_others_hold,
    "has new ids each time": _has_new_ids_each_time,
    "marks the seat last": _marks_the_seat_last,
    "sends what nobody wants": _sends_what_nobody_wants,
}
