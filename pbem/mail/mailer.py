"""The mailer: makes the mails that are due and hands them to the relay, a batch a connection.

There are kill points around every commit (``post.lease``, ``post.link``, ``post.doubt``,
``post.sent``, ``post.later``, ``post.back``, ``post.dropped``, ``post.dead``, ``mail_refused``,
each with ``.before_commit`` and ``.after_commit``) and around every SMTP verb (``pbem.mail.smtp``).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlmodel import Session

from pbem import journal, metrics
from pbem.acts import deliverability, outbox
from pbem.errors import UnreadableMatch
from pbem.journal import Line
from pbem.mail import mailbox
from pbem.mail.render import Rendered, TooEarly, Unwanted, render
from pbem.mail.smtp import Rejected, Relay, Trouble, Unanswered
from pbem.people import watches
from pbem.service import Service
from pbem.store import db
from pbem.store.models import Mail
from pbem.store.names import Delivery
from pbem.words import texts

#: Seconds after which a batch ends, even if mails are left: below the time limit of a task.
BATCH_SECONDS = 120
#: Seconds after that in which the relay must have answered everything: the last mail, too, must be
#: over before a task is interrupted.
ANSWER_SECONDS = 90
#: Seconds for which what became of a mail is written again while the database is away.
SURELY_SECONDS = 60
#: A mail of a match that cannot be read is looked at again after this time, until that is mended or
#: nobody needs it any more.
UNREADABLE_WAIT = timedelta(minutes=30)
#: How many mails are leased at once: a mail that becomes due waits for no more than these. Of older
#: ones that nobody waits for it is one.
LEASED = 3
#: Of so many leases one begins with the oldest mail of all, so that none waits for ever.
OLDEST_EVERY = 4


class _RelayDown(Exception):
    """The relay cannot be used now; the rest of the batch is put back."""


def post_due(
    service: Service, most: int = 50, *, before_each: Callable[[], object] = lambda: None
) -> int:
    """Sends mails that are due, at most ``most``; returns how many it took.

    1. Lease a few, in one short transaction.
    2. For each: call ``before_each``, check whether the mail is still wanted, make it, hand it over
       and write the result.
    3. Lease the next few.

    If the time is up, the mails that are left are put back, and it returns ``most``: there are
    more. If the relay is down, all ``most`` mails are put off, and it returns 0: the caller need
    not call again.
    """
    until = time.monotonic() + BATCH_SECONDS
    settings = service.settings
    relay = None if settings.mailbox else Relay(settings.mail, until + ANSWER_SECONDS)
    left: list[Mail] = []
    taken = leases = 0
    rest = timedelta()
    try:
        while (left or taken < most) and time.monotonic() < until:
            if not left:
                oldest = int(leases % OLDEST_EVERY == 0)
                some = min(LEASED, most - taken)
                left = outbox.lease_due(service, some, oldest=oldest, others=1)
                leases += 1
                taken += len(left)
                if not left:
                    return taken
            before_each()
            mail = left.pop(0)
            try:
                _post(service, relay, mail)
            except SQLAlchemyError as error:
                if db.is_silent(error):
                    left.append(mail)
                raise
    except _RelayDown:
        rest = outbox.FIRST_WAIT
        left += outbox.lease_due(service, most - taken) if taken < most else []
    finally:
        for mail in left:
            _surely(partial(outbox.put_back, service, mail, rest))
        if relay is not None:
            relay.close()
    return 0 if rest else most


def _post(service: Service, relay: Relay | None, mail: Mail) -> None:
    """Sends one mail and records the result.

    Raises _RelayDown, and SQLAlchemyError if the database fails: if that is the mail's fault, its
    lease expires and counts as a failure.
    """
    try:
        made = render(service, mail)
    except Unwanted as reason:
        outbox.mark_dropped(service, mail, str(reason))
        _count(mail, "dropped")
    except TooEarly as early:
        outbox.put_back(service, mail, early.until - service.now())
        _count(mail, "put_off")
    except UnreadableMatch as error:
        _failed(mail, error)
        outbox.put_back(service, mail, UNREADABLE_WAIT)
        _count(mail, "put_off")
    except DBAPIError:
        raise
    except Exception as error:
        # one mail that cannot be made must not stop the others
        _failed(mail, error)
        outbox.fail_here(service, mail, f"{type(error).__name__}: {error}")
        _count(mail, "failed")
    else:
        if relay is None:
            _keep(service, mail, made)
        else:
            _hand_over(service, relay, mail, made)


def _failed(mail: Mail, error: Exception) -> None:
    journal.write(
        Line.MAIL_FAILED, mail=mail.id, kind=mail.kind, match=mail.match_id, exc_info=error
    )


def _keep(service: Service, mail: Mail, made: Rendered) -> None:
    """Puts a mail into the embedded mailbox, in one transaction with its result."""

    def into_mailbox(session: Session) -> None:
        mailbox.deliver(
            session,
            service.now(),
            address=made.recipient,
            sender=service.settings.mail.from_address,
            message_id=made.message_id,
            return_path=made.sender,
            raw=made.content,
        )

    if outbox.keep(service, mail, made.message_id, made.recipient, into_mailbox):
        _count(mail, "sent")


def _hand_over(service: Service, relay: Relay, mail: Mail, made: Rendered) -> None:
    try:
        relay.offer(made.sender, made.recipient)
        if not outbox.enter_doubt(service, mail, made.message_id, made.recipient):
            # the lease expired while we were stopped: another mailer has the mail now
            relay.withdraw()
            return
        relay.give(made.content)
    except Rejected as error:
        _refused(service, mail, made, str(error))
    except Unanswered as error:
        outbox.doubt_again(service, mail, str(error))
        _count(mail, "doubted")
        raise _RelayDown() from None
    except Trouble as error:
        _count(mail, "put_off")
        if not outbox.try_later(service, mail, str(error)):
            if error.recipient:
                _refused(service, mail, made, str(error))
            else:
                outbox.mark_dead(service, mail, str(error))
        if error.connection:
            journal.write(Line.RELAY_UNUSABLE, why=str(error))
            raise _RelayDown() from None
    else:
        _surely(partial(outbox.mark_sent, service, mail))
        _count(mail, "sent")


def _surely(write: Callable[[], None]) -> None:
    """Writes, and once it failed writes again while the database is away, for ``SURELY_SECONDS``.

    Otherwise a restart of its server would have a mail that was sent go out again, and others wait
    for the end of their lease.
    """
    until = math.inf
    while True:
        try:
            write()
            return
        except SQLAlchemyError as error:
            if not db.is_silent(error) or time.monotonic() > until:
                raise
        until = min(until, time.monotonic() + SURELY_SECONDS)
        time.sleep(1)


def _refused(service: Service, mail: Mail, made: Rendered, why: str) -> None:
    """The relay rejected the mail. The seat is marked first: a crash in between loses nothing."""
    of_a_seat = mail.match_id is not None and mail.seat is not None and mail.seat >= 0
    deliverability.not_delivered(service, mail, made.recipient, why)
    watches.not_delivered(service, mail)
    outbox.mark_dead(
        service,
        mail,
        why,
        notice=not of_a_seat,
        sent_to=made.recipient,
        delivery=Delivery.FAILED,
        delivery_at=service.now(),
        delivery_note=texts.without_addresses(why, made.recipient)[:500],
    )
    _count(mail, "refused")


def _count(mail: Mail, result: str) -> None:
    metrics.MAILS.labels(mail.kind, result).inc()
