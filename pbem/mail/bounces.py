"""Bounces (DSN, RFC 3464): a mail could not be delivered, is delayed, or has arrived.

A return path is a secret between us, the mail services on the way and the recipient. So what
arrives there is believed about that mail and its address, and about nothing else:

============  ====================================================================================
failed        the seat is marked (``acts.deliverability``), and the mail, with the reason; if it
              told of an open table, no more do (``people.watches``)
delayed       the mail is marked: it is still tried. Also if a mailbox is full for now (4.2.2)
delivered     the mail is marked
automatic     an auto-reply: the mail is marked, it has arrived
all else      nothing is done
============  ====================================================================================

A mail service that has given up says ``failed``, whatever the status: 5.2.2 and an expired 4.4.7
stop a mail just as 5.1.1 does. No bounce is answered, and no mail about a bounce goes to the
address that takes no mail.

Kill points: ``mail_refused`` for each seat that is marked, or ``watch.end``; then ``came_back``.
Idempotent: a letter that is delivered again finds seat and mail marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from pbem import journal, metrics
from pbem.acts import deliverability, outbox, permissions
from pbem.journal import Line
from pbem.mail import return_path
from pbem.mail.letter import Letter, Outcome
from pbem.people import watches
from pbem.service import Service
from pbem.store.models import Link, Mail
from pbem.store.names import Delivery, MailStatus
from pbem.words import texts

#: Actions, the best first: if several recipients stand for one address, the best one counts.
_GENTLE = ("delivered", "relayed", "expanded", "delayed", "unclear", "failed")


def came_back(service: Service, letter: Letter, addresses: Sequence[str]) -> str:
    """Acts on a letter to one of these return paths; returns the result in one word."""
    with service.database.read() as session:
        mail = return_path.find(session, service, addresses)
    if mail is None:
        return "unknown"
    if letter.nature == "automatic":
        _note(service, mail, Delivery.ANSWERED, "")
        return "automatic"
    told = outcome(letter.outcomes, mail.sent_to or "")
    if told is None or told.action == "unclear":
        journal.write(Line.RETURN_SAYS_NOTHING, mail=mail.id, nature=letter.nature)
        return "unclear"
    note = texts.without_addresses(words(told), mail.sent_to or "")
    if told.action == "failed":
        _mark_failed(service, mail, note)
        return "failed"
    if told.action == "delayed":
        _note(service, mail, Delivery.DELAYED, note)
        return "delayed"
    _note(service, mail, Delivery.DELIVERED, "")
    return "delivered"


def outcome(told: Sequence[Outcome], address: str) -> Outcome | None:
    """What a report says of an address; if it does not name it, of all recipients it names.

    The report on a forwarded mail names the address that it was forwarded to.
    """
    folded = address.lower()
    of_it = [one for one in told if folded in (found.lower() for found in one.recipients)]
    return min(of_it or told, key=lambda one: _GENTLE.index(one.action), default=None)


def words(told: Outcome) -> str:
    """The reason, with the status in front if the mail service's words do not contain it."""
    if told.status and told.status not in told.diagnostic:
        return f"{told.status} {told.diagnostic}".strip()
    return told.diagnostic


def note_answered(service: Service, link: Link) -> None:
    """A program answered the mail of a turn to its reply address."""
    with service.database.read() as session:
        mail = session.exec(
            select(Mail)
            .where(
                Mail.match_id == link.match_id,
                Mail.seat == link.seat,
                Mail.turn_id == link.turn_id,
                Mail.status == MailStatus.SENT,
            )
            .order_by(col(Mail.id).desc())
            .limit(1)
        ).first()
    if mail is not None:
        _note(service, mail, Delivery.ANSWERED, "")


def _mark_failed(service: Service, mail: Mail, note: str) -> None:
    """The seat is marked first, so a crash in between loses nothing."""
    of_a_seat = mail.seat is not None and mail.seat >= 0
    with service.database.read() as session:
        outdated = of_a_seat and _has_been_reached_since(session, mail)
    if not outdated:
        deliverability.not_delivered(service, mail, mail.sent_to or "", note, came_back=True)
    watches.not_delivered(service, mail)
    _note(service, mail, Delivery.FAILED, note, notice=not of_a_seat)


def _has_been_reached_since(session: Session, mail: Mail) -> bool:
    """Whether the player has moved after the mail was sent."""
    if mail.sent_at is None:
        return False
    moved = permissions.moved_since(mail.match_id or "", mail.seat or 0, mail.sent_at)
    return session.exec(moved.limit(1)).first() is not None


def _note(
    service: Service,
    mail: Mail,
    delivery: Delivery,
    note: str,
    *,
    notice: bool = False,
) -> None:
    now = service.now()
    with service.database.write("came_back") as session:
        outbox.note_delivery(session, mail, delivery, note, now)
        if notice:
            outbox.owe_notice(session, service, mail.kind, now, not_to=mail.sent_to or "")
    if notice:
        service.ring("post")
    metrics.MAILS.labels(mail.kind, str(delivery)).inc()
