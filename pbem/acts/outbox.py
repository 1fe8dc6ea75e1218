"""The transactional outbox. Acts owe mails in their own transaction; the mailer sends them.

A row of the outbox goes through these states::

    pending --lease--> leased --doubt--> in_doubt --sent--> sent
       ^                 |                  |
       +---- later ------+------------------+-----> dead, dropped

- A lease has an id and an end. When it has ended, another mailer may take the mail with a lease of
  its own.
- ``in_doubt`` is committed just before the mail goes to the relay, and only by the holder of the
  lease. From then until the relay's answer is committed nobody knows whether the mail was sent. A
  doubt that was not resolved is counted: after the first the mail is tried once more, after the
  second it is given up. So there are at most two copies, and two only with a doubt on record.
- ``sent`` is written whoever holds the lease by then, because it is a fact.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Update, bindparam, text, update
from sqlmodel import Session, col, select

from pbem import journal
from pbem.journal import Line
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import AWAITED_MAILS, UNPAID_MAILS, Mail, Match, Seat, rows_of
from pbem.store.names import SETTLED, Delivery, MailKind, MailStatus
from pbem.words import texts

#: How long a mailer has for a mail before another one may take it. It is longer than the clocks of
#: several machines can differ, and longer than a relay may take for one mail.
LEASE = timedelta(minutes=10)
#: The same in mailbox mode. There is one machine, no relay and never a doubt, so it can be short.
LEASE_AT_HOME = timedelta(seconds=20)
#: Mails that somebody waits for and that became due within this span go in the order in which they
#: were owed, so that nobody waits much longer than the others. If there are older ones, the relay
#: was away or there is too much to do: of them the newest go first.
FRESH = timedelta(seconds=10)
#: The wait after the first temporary failure; it doubles with each further one, up to the longest.
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)
#: A mail that the relay did not take for this long, in at least ``FEWEST_TRIES``, is given up.
PATIENCE = timedelta(days=4)
FEWEST_TRIES = 8
#: After how many failures of our own (in a template, a mailer that died) a mail is dead.
MOST_FAILURES = 5
#: After how many unresolved doubts a mail is dead: each may have been a copy.
MOST_DOUBTS = 2

_TO_OPERATOR = frozenset({MailKind.OPERATOR_TOLD, MailKind.MATCHES_SET_ASIDE})
#: The operator gets a mail at once when a match is set aside, and one more at the end of this span
#: for all others in it.
ASIDE_EVERY = timedelta(hours=1)

_HELD = (MailStatus.LEASED, MailStatus.IN_DOUBT)
#: The match of a mail that is settled now; none if it is packed. Packing deletes its mails, and one
#: that was owed later goes by its age, as the mails of no match do.
_MATCH_UNPACKED = (
    select(Match.id)
    .where(col(Match.id) == col(Mail.match_id), col(Match.packed_at).is_(None))
    .scalar_subquery()
)
#: The states of a mail that is still to be sent.
UNPAID = (MailStatus.PENDING, *_HELD)


def owe(
    session: Session,
    kind: MailKind,
    dedupe: str,
    now: datetime,
    *,
    match_id: str | None = None,
    seat: int | None = None,
    epoch: int | None = None,
    **about: Any,
) -> bool:
    """Owes a mail. Idempotent: a second mail with the same ``dedupe`` key is not written.

    Returns whether it was written. ``seat`` is the seat that gets it (``links.HOST`` for the host),
    ``about`` as in ``row``. The ``epoch`` of the seat's links is added (None: the present one), so
    that the mail is dropped if those links die.
    """
    if match_id is not None and seat is not None:
        about["epoch"] = _epoch(session, match_id, seat) if epoch is None else epoch
    return put(session, [row(kind, dedupe, now, match_id=match_id, seat=seat, **about)]) > 0


def row(
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
) -> dict[str, Any]:
    """The columns of a mail that is owed. It is due now unless ``due_at`` is later.

    ``kind`` is the folder of its templates. ``data`` is what the mail says besides the match as it
    is when the mail is sent, and the epoch of the links of the seat that gets it.
    """
    return {
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


def put(session: Session, rows: Sequence[dict[str, Any]]) -> int:
    """Writes mails that are owed, except those whose key is there; returns how many."""
    return statements.upsert(session, Mail, rows, unique=("dedupe",))


def owe_now(service: Service, name: str, kind: MailKind, dedupe: str, **about: Any) -> None:
    """As ``owe``, in a transaction of its own; ``name`` names the commit."""
    with service.database.write(name) as session:
        owe(session, kind, dedupe, service.now(), **about)
    service.ring("post")


def is_owed(session: Session, kind: MailKind, key: str) -> bool:
    """Whether a mail of this kind with the key of ``Writer.owe`` was owed, sent or not."""
    return session.exec(select(Mail.id).where(Mail.dedupe == f"{kind}:{key}")).first() is not None


def has_unpaid(session: Session, match_id: str) -> bool:
    """Whether a mail of a match is still to be sent."""
    unpaid = select(Mail.id).where(Mail.match_id == match_id, text(UNPAID_MAILS))
    return session.exec(unpaid.limit(1)).first() is not None


def data(mail: Mail) -> dict[str, Any]:
    """What the mail says besides the match as it is when the mail is sent."""
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


def lease_due(
    service: Service, most: int, *, oldest: int = 0, others: int | None = None
) -> list[Mail]:
    """Takes mails that are due, at most ``most``, under one new lease.

    1. The ``oldest`` that are due, whatever they are.
    2. Those that somebody waits for (``AWAITED_MAILS``) and that are ``FRESH``, the oldest first.
    3. Others that somebody waits for, the newest first: whoever moved last is most likely still
       there.
    4. All that are ``FRESH``, the oldest first.
    5. Only if there are none of these: all others, the oldest first, at most ``others`` if given.

    Those taken together are in the order in which they were owed: therefore older ones that nobody
    waits for are taken alone. Mails whose lease has ended are among all these. If their mailer died
    before it gave the mail to the relay, that counts as a failure; if it died while it did so, as a
    doubt.
    """
    now = service.now()
    with service.database.ask() as session:
        # most of the time nothing is due: read before taking the lock
        if session.execute(_ANY, {"now": now}).first() is None:
            return []
    lease = secrets.token_hex(16)
    with service.database.write("post.lease") as session:
        rows = _first(session, now, most, oldest, most if others is None else others)
        for row in rows:
            _take(row, lease, now, LEASE_AT_HOME if service.settings.mailbox else LEASE)
            session.add(row)
            if row.status == MailStatus.DEAD:
                # the line names the match: it is written before the column becomes a question
                _tell(session, Line.MAIL_GIVEN_UP, row, why=row.last_error)
                row.match_id = _MATCH_UNPACKED  # type: ignore[assignment]
                owe_notice(session, service, row.kind, now)
    return [row for row in rows if row.lease == lease]


def _first(session: Session, now: datetime, most: int, oldest: int, others: int) -> list[Mail]:
    """The mails to send next, in the order in which they were owed; their rows are locked."""
    found: dict[int | None, Mail] = {}
    for question, count in (
        (_OLDEST, oldest),
        (_JUST_NOW, most),
        (_EARLIER, most),
        (_FRESH, most),
    ):
        if len(found) < most and count:
            # a mail may be found twice
            found |= _found(session, now, question, count)
    rows = list((found or _found(session, now, _OLDEST, others)).values())
    # so that two answers to one person come in their order, and a turn after its match's beginning
    return sorted(rows[:most], key=lambda row: (row.due_at, row.id))


def _found(session: Session, now: datetime, question: Any, count: int) -> dict[int | None, Mail]:
    about = {"now": now, "fresh": now - FRESH, "most": count}
    return {row.id: row for row in session.execute(question, about).scalars()}


def _mails(condition: str, when: ColumnElement[bool], *order: Any) -> Any:
    """A query for mails on which these hold, ``most`` of them, to be locked."""
    found = select(Mail).where(text(condition), when).order_by(*order)
    return found.limit(bindparam("most")).with_for_update(skip_locked=True)


_OLD_FIRST = (col(Mail.due_at), col(Mail.id))
_NEW_FIRST = (col(Mail.due_at).desc(), col(Mail.id).desc())
_IS_DUE = col(Mail.due_at) <= bindparam("now")
_IS_FRESH = col(Mail.due_at) > bindparam("fresh")
_ANY = select(Mail.id).where(text(UNPAID_MAILS), _IS_DUE).limit(1)
_OLDEST = _mails(UNPAID_MAILS, _IS_DUE, *_OLD_FIRST)
_FRESH = _mails(UNPAID_MAILS, _IS_DUE & _IS_FRESH, *_OLD_FIRST)
_JUST_NOW = _mails(AWAITED_MAILS, _IS_DUE & _IS_FRESH, *_OLD_FIRST)
_EARLIER = _mails(AWAITED_MAILS, _IS_DUE & ~_IS_FRESH, *_NEW_FIRST)


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
    """Commits that the mail is about to go to the relay. False if the lease was lost.

    A mailer that was stopped for long learns here that another one has its mail. ``sent_to`` is
    written now, because a bounce can come before the relay's answer.
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
    """The columns of a mail that goes out now: what is known of an earlier copy is cleared."""
    return {"sent_to": address, "delivery": None, "delivery_at": None, "delivery_note": None}


def mark_sent(service: Service, mail: Mail) -> None:
    """Writes that the relay took the mail, whoever holds the lease now: it prevents a copy."""
    with service.database.write("post.sent") as session:
        sent = {"status": MailStatus.SENT, "sent_at": service.now(), "lease": None}
        _write(session, _MAIL, sent | {"last_error": None, "of_id": mail.id})
        _tell(session, Line.MAIL_SENT, mail, tries=mail.attempts)


def keep(
    service: Service,
    mail: Mail,
    message_id: str,
    sent_to: str,
    along: Callable[[Session], None],
) -> bool:
    """Writes that the mail was sent, and calls ``along`` in the same transaction.

    For mailbox mode, where ``along`` stores the mail: both are one transaction, so there is no
    doubt. False if the lease was lost; then nothing was written.
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
    """Writes that the mail will never be sent, and why.

    ``notice``: whether the operator is told. ``more`` are further columns of the mail.
    """
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
    """Owes the operator a mail that mails of this kind are dead: one a day for each kind.

    Mails to the operator are never reported. ``not_to`` is an address that takes no mail: if it is
    the operator's own, nothing is owed.
    """
    address = service.settings.operator.address
    if not address or kind in _TO_OPERATOR or address.lower() == not_to.lower():
        return
    notice = MailKind.OPERATOR_TOLD
    owe(session, notice, f"{notice}:{kind}:{now:%Y-%m-%d}", now, address=address, dead=kind)


def owe_aside(session: Session, service: Service, now: datetime) -> None:
    """Owes the operator a mail that matches were set aside: at most two an hour.

    The first match of an hour is reported at once, all others of that hour at its end.
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
    """Writes what became of a mail after it was sent, unless as much or more is known already.

    ``Delivery`` lists the outcomes from the weakest to the strongest.
    """
    weaker = list(Delivery)[: list(Delivery).index(delivery)]
    news = (
        update(Mail)
        .where(
            col(Mail.id) == mail.id,
            col(Mail.delivery).is_(None) | col(Mail.delivery).in_(weaker),
        )
        .values(delivery=delivery, delivery_at=now, delivery_note=note[:500] or None)
        .execution_options(synchronize_session=False)
    )
    if statements.rowcount(session, news):
        _tell(session, Line.MAIL_RETURNED, mail, delivery=str(delivery), why=note or None)


def put_back(service: Service, mail: Mail, wait: timedelta = timedelta()) -> None:
    """Puts a mail back that was leased and not tried; the try is not counted."""
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
    """After a temporary failure of the relay: puts the mail off, longer each time.

    False if it was tried for ``PATIENCE``: then nothing is written, and the caller marks it dead.
    """
    now = service.now()
    if mail.attempts >= FEWEST_TRIES and now - mail.created_at > PATIENCE:
        return False
    _put_off(service, mail, now + wait_after(mail.attempts), why, mail.failures, mail.doubts)
    return True


def fail_here(service: Service, mail: Mail, why: str) -> None:
    """After a failure of our own: puts the mail off; after the last one it is dead."""
    failures = mail.failures + 1
    if failures >= MOST_FAILURES:
        mark_dead(service, mail, why, failures=failures)
    else:
        due_at = service.now() + wait_after(failures)
        _put_off(service, mail, due_at, why, failures, mail.doubts)


def doubt_again(service: Service, mail: Mail, why: str) -> None:
    """After the relay's answer was lost: puts the mail off; after the last doubt it is dead."""
    doubts = mail.doubts + 1
    if doubts >= MOST_DOUBTS:
        mark_dead(service, mail, f"Whether it arrived is not known. {why}", doubts=doubts)
    else:
        due_at = service.now() + wait_after(mail.attempts)
        _put_off(service, mail, due_at, why, mail.failures, doubts)


def wait_after(tries: int) -> timedelta:
    """How long to wait after this many tries (1 or more)."""
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
    """Writes columns of a mail whose lease we still hold; returns whether we did."""
    given = changes | {"of_id": mail.id, "of_lease": mail.lease, "held": held}
    return _write(session, _OURS, given) > 0


def _write(session: Session, statement: Update, given: dict[str, Any]) -> int:
    """Writes the columns that are given, one of them ``status``; returns how many mails it was."""
    settled = given["status"] in SETTLED
    changed = session.connection().execute(_settling(statement) if settled else statement, given)
    return changed.rowcount


# made once: each mail is written three times
_MAIL = update(rows_of(Mail)).where(col(Mail.id) == bindparam("of_id"))
_OURS = _MAIL.where(
    col(Mail.lease) == bindparam("of_lease"),
    col(Mail.status).in_(bindparam("held", expanding=True)),
)


@cache
def _settling(statement: Update) -> Update:
    """For a mail that is settled now: what was packed keeps no mails (``_MATCH_UNPACKED``)."""
    return statement.values(match_id=_MATCH_UNPACKED)


def _tell(session: Session, line: Line, mail: Mail, **more: Any) -> None:
    """Writes to the journal what became of a mail, without the address in a relay's answer."""
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
