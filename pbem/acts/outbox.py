"""A mail is owed, once. Acts write what is owed in their own transaction; the mailer pays.

A row of the outbox goes through these states::

    pending --lease--> leased --doubt--> in_doubt --sent--> sent
       ^                 |                  |
       +---- later ------+------------------+-----> dead, dropped

- A lease has an id and an end. Whoever finds it ended takes the mail over under another id.
- ``in_doubt`` is committed just before the relay is given the mail, and only under a lease that
  is still ours. From there until the relay's answer is written down nobody knows whether the mail
  went out. A doubt that nobody resolved is counted; after the first one the mail is tried once
  more, after the second it is given up. So there are never more than two copies, and two only
  with a doubt on record.
- ``sent`` is a fact, whoever holds the lease by then.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from pbem import journal
from pbem.journal import Line
from pbem.service import Service
from pbem.store.models import UNPAID_MAILS, Delivery, Mail, MailStatus, Match, Seat
from pbem.store.names import MailKind
from pbem.words import texts

#: How long a mailer may work on a mail before another one takes it over. More than clocks of
#: several machines can be apart, and more than a relay may take for one mail.
LEASE = timedelta(minutes=10)
#: The same where mail stays in the database: there is one machine, no relay, and never a doubt, so
#: a worker that was killed holds nothing up for long.
LEASE_AT_HOME = timedelta(seconds=20)
#: The wait after a first temporary failure; it doubles with each further one, up to the longest.
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)
#: A mail that could not be handed over for so long, in so many tries, is given up.
PATIENCE = timedelta(days=4)
FEWEST_TRIES = 8
#: So many failures of our own (a template, a mailer that died on it) make a mail dead.
MOST_FAILURES = 5
#: So many unresolved doubts make a mail dead: each may have been a copy.
MOST_DOUBTS = 2

_TO_OPERATOR = frozenset({MailKind.OPERATOR_TOLD, MailKind.MATCHES_SET_ASIDE})
#: The operator hears at once of a match that is set aside, and of all that follow within so long in
#: one more mail.
ASIDE_EVERY = timedelta(hours=1)

_HELD = (MailStatus.LEASED, MailStatus.IN_DOUBT)
#: Owed, and neither paid nor given up.
UNPAID = (MailStatus.PENDING, *_HELD)


def owe(
    session: Session,
    kind: MailKind,
    dedupe: str,
    now: datetime,
    *,
    match_id: str | None = None,
    seat: int | None = None,
    turn_id: int | None = None,
    address: str | None = None,
    due_at: datetime | None = None,
    **data: Any,
) -> bool:
    """Writes that a mail is owed. Owing it again under the same ``dedupe`` key changes nothing.

    Returns whether it is owed only now. It is due now where ``due_at`` does not say later.

    ``kind`` is the folder of its templates. ``seat`` is whose mail it is (``links.HOST`` for the
    host). ``data`` is what the mail says beyond the match as it stands when it is sent; the epoch
    of the links it was owed under is added, so it does not go out after they died.
    """
    if match_id is not None and seat is not None:
        data["epoch"] = _epoch(session, match_id, seat)
    values = {
        "dedupe": dedupe,
        "kind": kind,
        "match_id": match_id,
        "seat": seat,
        "turn_id": turn_id,
        "address": address,
        "data_json": json.dumps(data, sort_keys=True),
        "status": MailStatus.PENDING,
        "due_at": due_at or now,
        "attempts": 0,
        "failures": 0,
        "doubts": 0,
        "created_at": now,
    }
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    written = session.execute(
        insert(Mail).values(**values).on_conflict_do_nothing(index_elements=["dedupe"])
    )
    return bool(written.rowcount)  # type: ignore[attr-defined]


def owe_now(service: Service, name: str, kind: MailKind, dedupe: str, **about: Any) -> None:
    """Owes a mail that follows from no act, as ``owe``; ``name`` names the commit."""
    with service.database.write(name) as session:
        owe(session, kind, dedupe, service.now(), **about)
    service.ring("post")


def data(mail: Mail) -> dict[str, Any]:
    """What the mail says beyond the match as it stands."""
    found: dict[str, Any] = json.loads(mail.data_json)
    return found


def _epoch(session: Session, match_id: str, seat: int) -> int | None:
    """The present epoch of a seat's links, or of the host's (any negative number)."""
    if seat < 0:
        return session.exec(select(Match.host_epoch).where(Match.id == match_id)).first()
    return session.exec(
        select(Seat.epoch).where(Seat.match_id == match_id, Seat.number == seat)
    ).first()


# --- for the mailer ---


def lease_due(service: Service, most: int) -> list[Mail]:
    """Takes mails that are due, at most so many, under one new lease.

    Mails whose lease has ended are taken over, and what that means is settled here: a mailer that
    died before it gave a mail to the relay failed; one that died while giving it left a doubt.
    """
    now = service.now()
    with service.database.read() as session:
        # most rings find nothing to do: look before taking the lock
        if session.exec(_due(now, 1)).first() is None:
            return []
    lease = secrets.token_hex(16)
    with service.database.write("post.lease") as session:
        rows = session.exec(_due(now, most).with_for_update(skip_locked=True)).all()
        for row in rows:
            _take(row, lease, now, LEASE_AT_HOME if service.settings.mailbox else LEASE)
            session.add(row)
            if row.status == MailStatus.DEAD:
                _tell(session, Line.MAIL_GIVEN_UP, row, why=row.last_error)
                owe_notice(session, service, row.kind, now)
    return [row for row in rows if row.lease == lease]


def _due(now: datetime, most: int) -> Any:
    return (
        select(Mail)
        .where(text(UNPAID_MAILS), col(Mail.due_at) <= now)
        .order_by(col(Mail.due_at), col(Mail.id))
        .limit(most)
    )


def _take(row: Mail, lease: str, now: datetime, span: timedelta) -> None:
    if row.status == MailStatus.IN_DOUBT:
        row.doubts += 1
        row.last_error = "The mailer stopped while it gave the mail to the relay."
    elif row.status == MailStatus.LEASED:
        row.failures += 1
        row.last_error = "The mailer stopped while it worked on the mail."
    if row.doubts >= MOST_DOUBTS or row.failures >= MOST_FAILURES:
        row.status, row.lease = MailStatus.DEAD, None
        return
    row.status, row.lease, row.due_at = MailStatus.LEASED, lease, now + span
    row.attempts += 1


def enter_doubt(service: Service, mail: Mail, message_id: str, sent_to: str) -> bool:
    """Writes that the mail is about to be given to the relay; False where the lease was lost.

    ``sent_to`` is written before the relay has the mail: it can come back sooner than the answer.

    A mailer that was stopped for long and goes on finds here that its mail is another's.
    """
    now = service.now()
    with service.database.write("post.doubt") as session:
        return _change(
            session,
            mail,
            (MailStatus.LEASED,),
            status=MailStatus.IN_DOUBT,
            due_at=now + LEASE,
            message_id=message_id,
            **_handed_to(sent_to),
        )


def _handed_to(address: str) -> dict[str, Any]:
    """What was heard of an earlier copy does not count for this one."""
    return {"sent_to": address, "delivery": None, "delivery_at": None, "delivery_note": None}


def mark_sent(service: Service, mail: Mail) -> None:
    """Writes that the relay took the mail. True whoever holds the lease now: it saves a copy."""
    with service.database.write("post.sent") as session:
        session.execute(
            update(Mail)
            .where(col(Mail.id) == mail.id)
            .values(status=MailStatus.SENT, sent_at=service.now(), lease=None, last_error=None)
        )
        _tell(session, Line.MAIL_SENT, mail, tries=mail.attempts)


def keep(
    service: Service,
    mail: Mail,
    message_id: str,
    sent_to: str,
    along: Callable[[Session], None],
) -> bool:
    """Writes that the mail was sent, and ``along`` with it what sending it means here.

    For mail that stays in the database: there is no doubt where both are one transaction. False
    where the lease was lost, and then nothing was written.
    """
    with service.database.write("post.sent") as session:
        ours = _change(
            session,
            mail,
            (MailStatus.LEASED,),
            status=MailStatus.SENT,
            sent_at=service.now(),
            lease=None,
            last_error=None,
            message_id=message_id,
            **_handed_to(sent_to),
        )
        if ours:
            along(session)
            _tell(session, Line.MAIL_SENT, mail, tries=mail.attempts)
    return ours


def mark_dropped(service: Service, mail: Mail, why: str) -> None:
    """Writes that the mail is not wanted any more."""
    with service.database.write("post.dropped") as session:
        if _change(session, mail, _HELD, status=MailStatus.DROPPED, lease=None, last_error=why):
            _tell(session, Line.MAIL_DROPPED, mail, why=why)


def mark_dead(service: Service, mail: Mail, why: str, *, notice: bool = True, **more: Any) -> None:
    """Writes that the mail will never be sent, and why; the operator is told unless others are."""
    with service.database.write("post.dead") as session:
        ours = _change(
            session,
            mail,
            _HELD,
            status=MailStatus.DEAD,
            lease=None,
            last_error=why[:1000],
            **more,
        )
        if ours:
            refused = more.get("delivery") == Delivery.FAILED
            line = Line.MAIL_REFUSED if refused else Line.MAIL_GIVEN_UP
            _tell(session, line, mail, tries=mail.attempts, why=why)
        if ours and notice:
            owe_notice(session, service, mail.kind, service.now())


def owe_notice(
    session: Session, service: Service, kind: str, now: datetime, *, not_to: str = ""
) -> None:
    """Owes the operator a note that mails of this kind die: one a day, never about itself.

    ``not_to`` is an address that takes no mail: nothing is owed where it is the operator's.
    """
    address = service.settings.operator.address
    if not address or kind in _TO_OPERATOR or address.casefold() == not_to.casefold():
        return
    notice = MailKind.OPERATOR_TOLD
    owe(session, notice, f"{notice}:{kind}:{now:%Y-%m-%d}", now, address=address, dead=kind)


def owe_aside(session: Session, service: Service, now: datetime) -> None:
    """Owes the operator a note that matches were set aside: at once, and for all that follow
    within the hour one more at its end. However many fail, there are two mails an hour.
    """
    address = service.settings.operator.address
    if not address:
        return
    kind = MailKind.MATCHES_SET_ASIDE
    hour = now.replace(minute=0, second=0, microsecond=0)
    key = f"{kind}:{hour:%Y-%m-%dT%H}"
    if not owe(session, kind, key, now, address=address):
        owe(session, kind, f"{key}:rest", now, address=address, due_at=hour + ASIDE_EVERY)


# --- after it was sent ---


def note_delivery(
    session: Session, mail: Mail, delivery: Delivery, note: str, now: datetime
) -> None:
    """Writes what was heard of a mail, unless something stronger is known, or the same."""
    weaker = list(Delivery)[: list(Delivery).index(delivery)]
    news = session.execute(
        update(Mail)
        .where(
            col(Mail.id) == mail.id,
            col(Mail.delivery).is_(None) | col(Mail.delivery).in_(weaker),
        )
        .values(delivery=delivery, delivery_at=now, delivery_note=note[:500] or None)
        .execution_options(synchronize_session=False)
    )
    if news.rowcount:  # type: ignore[attr-defined]
        _tell(session, Line.MAIL_RETURNED, mail, delivery=str(delivery), why=note or None)


def put_back(service: Service, mail: Mail, wait: timedelta = timedelta()) -> None:
    """Gives back a mail that was leased and not worked on, as if it had not been taken."""
    with service.database.write("post.back") as session:
        _change(
            session,
            mail,
            (MailStatus.LEASED,),
            status=MailStatus.PENDING,
            lease=None,
            due_at=service.now() + wait,
            attempts=max(0, mail.attempts - 1),
        )


def try_later(service: Service, mail: Mail, why: str) -> bool:
    """After a temporary failure of the relay: back to pending, later each time.

    False where patience has run out; the caller then says whom it concerns, and marks it dead.
    """
    now = service.now()
    if mail.attempts >= FEWEST_TRIES and now - mail.created_at > PATIENCE:
        return False
    _put_off(service, mail, now + wait_after(mail.attempts), why, mail.failures, mail.doubts)
    return True


def fail_here(service: Service, mail: Mail, why: str) -> bool:
    """After a failure of our own. False where it was the last one, and the mail is dead."""
    failures = mail.failures + 1
    if failures >= MOST_FAILURES:
        mark_dead(service, mail, why, failures=failures)
        return False
    due_at = service.now() + wait_after(failures)
    _put_off(service, mail, due_at, why, failures, mail.doubts)
    return True


def doubt_again(service: Service, mail: Mail, why: str) -> bool:
    """After the relay's answer was lost. False where it was the last time, and the mail is dead."""
    doubts = mail.doubts + 1
    if doubts >= MOST_DOUBTS:
        mark_dead(service, mail, f"Whether it arrived is not known. {why}", doubts=doubts)
        return False
    _put_off(service, mail, service.now() + wait_after(mail.attempts), why, mail.failures, doubts)
    return True


def wait_after(tries: int) -> timedelta:
    """How long to wait after so many tries (1 or more)."""
    doubled: int = 2 ** min(tries - 1, 20)
    return min(FIRST_WAIT * doubled, LONGEST_WAIT)


def _put_off(
    service: Service, mail: Mail, due_at: datetime, why: str, failures: int, doubts: int
) -> None:
    with service.database.write("post.later") as session:
        ours = _change(
            session,
            mail,
            _HELD,
            status=MailStatus.PENDING,
            lease=None,
            due_at=due_at,
            failures=failures,
            doubts=doubts,
            last_error=why[:1000],
        )
        if ours:
            _tell(session, Line.MAIL_PUT_OFF, mail, tries=mail.attempts, until=due_at, why=why)


def _change(session: Session, mail: Mail, held: tuple[MailStatus, ...], **changes: Any) -> bool:
    """Writes columns of a mail that is still ours; returns whether it was."""
    result = session.execute(
        update(Mail)
        .where(col(Mail.id) == mail.id, col(Mail.lease) == mail.lease, col(Mail.status).in_(held))
        .values(**changes)
        .execution_options(synchronize_session=False)
    )
    return bool(result.rowcount)  # type: ignore[attr-defined]


def _tell(session: Session, line: Line, mail: Mail, **more: Any) -> None:
    """Says in the journal what came of a mail. A relay's words may hold the address they are of."""
    if more.get("why"):
        more["why"] = texts.without_addresses(more["why"], mail.sent_to or mail.address or "")
    journal.after(
        session,
        line,
        mail=mail.id,
        kind=mail.kind,
        match=mail.match_id,
        seat=mail.seat,
        turn=mail.turn_id,
        **more,
    )
