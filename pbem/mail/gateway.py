"""Who wrote a letter, and for which turn: then its lines are acted on (``pbem.mail.lines``).

Who may act is decided by two things together: the reply address is a capability of one turn, and
the sender's address must be the seat's. A From line by itself proves nothing. If the operator's
mail server says that DMARC failed, the letter plays nothing, and its player reads of it on the page
of the turn: an answer by mail would go to whoever is named in the From line.

A letter that answers a digest of several turns plays nothing, and its writer gets the digest anew
(``pbem.people.digests``).

A letter to a return path is about a mail of ours (``pbem.mail.bounces``) and is never answered;
nor is an automatic answer.

Kill points: those of ``pbem.mail.lines`` and ``pbem.mail.bounces``, and ``digest_again``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from sqlmodel import Session, col, func, select

from pbem import journal, metrics
from pbem.acts import deliverability
from pbem.errors import BadInput, NotFound
from pbem.journal import Line
from pbem.mail import bounces, lines, message_ids, return_path
from pbem.mail.addresses import may_be_ours, token_in
from pbem.mail.letter import Letter, read
from pbem.people import digests
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Mail, Seat
from pbem.store.names import AuditAct, MailKind, Purpose

#: At most this many answers to one turn in a day: it stops an automatic answer that is not marked
#: as one.
MOST_ANSWERS = 40
_FOR_US = re.compile(rf"[rb]\+{links.TOKEN.pattern}@")


def reply_address(service: Service, link: Link) -> str:
    """Where answers to a turn go."""
    return f"r+{links.token(service.keys, link)}@{service.settings.mail.reply_domain}"


def is_for_us(raw: bytes) -> bool:
    """Whether a letter's header may contain a reply address or a return path; cheap."""
    head = raw[:20_000].decode("latin-1").lower()
    return _FOR_US.search(head) is not None


def arrived(
    service: Service, raw: bytes, recipients: Sequence[str] = (), sender: str | None = None
) -> str:
    """Acts on a letter; returns the result in one word, for the log.

    ``recipients`` and ``sender`` are those of the envelope, if the door knows it. Raises Busy (try
    again later), and BadInput if the letter is too long; everything else that can be wrong is
    answered by mail or not at all.
    """
    try:
        letter = read(raw, service.settings.incoming.max_bytes, sender)
    except BadInput as error:
        journal.write(Line.LETTER_NOT_READ, why=str(error))
        if len(raw) > service.settings.incoming.max_bytes:
            raise
        metrics.LETTERS.labels("unreadable").inc()
        return "unreadable"
    result = _sort(service, letter, [*recipients, *letter.to])
    metrics.LETTERS.labels(result).inc()
    journal.write(Line.LETTER_CAME, result=result, lines=len(letter.lines))
    return result


def _sort(service: Service, letter: Letter, recipients: Sequence[str]) -> str:
    back = [one for one in recipients if return_path.is_one(service, one)]
    if back:
        # whoever wrote it: never answered
        return bounces.came_back(service, letter, back)
    forged = _fails_dmarc(service, letter)
    if letter.nature == "automatic" and not forged:
        _note_answered(service, letter, recipients)
    if letter.nature != "person":
        return letter.nature
    if _is_ours(service, letter):
        return "ours"
    with service.database.read() as session:
        link = _link(session, service, recipients)
        if link is not None and not _is_from_its_player(session, link, letter):
            return "wrong_sender"
    if link is None:
        if forged:
            return "unknown"
        return digests.send_again(service, letter.sender, letter.answers, letter.key)
    if forged:
        deliverability.letter_refused(service, link)
        return "dmarc_failed"
    return _act_on_answer(service, link, letter)


def _act_on_answer(service: Service, link: Link, letter: Letter) -> str:
    dedupe = f"reply_answer:{link.turn_id}:{letter.key}"
    with service.database.read() as session:
        again = session.exec(select(Mail.id).where(Mail.dedupe == dedupe)).first() is not None
        answers = _answers_today(session, service, link)
    if not again and answers >= MOST_ANSWERS:
        return "too_many"
    if not again:
        lines.act(service, link, letter, dedupe, last=answers == MOST_ANSWERS - 1)
        service.ring("post")
    # a move has done this already; if a crash leaves it out, the letter is delivered again
    deliverability.shows_to_be_there(service, link, mail_again=False)
    return "again" if again else "answered"


def _is_from_its_player(session: Session, link: Link, letter: Letter) -> bool:
    seat = session.exec(
        select(Seat).where(Seat.match_id == link.match_id, Seat.number == link.seat)
    ).one()
    return seat.has_address(letter.sender)


def _fails_dmarc(service: Service, letter: Letter) -> bool:
    """By the first result of our own mail server: it adds its header above all others, and removes
    those that claim its name (RFC 8601, section 5).
    """
    own = service.settings.incoming.authserv_id.lower()
    results = [result for name, result in letter.dmarc if own and name == own]
    return bool(results) and results[0] == "fail"


def _note_answered(service: Service, letter: Letter, recipients: Sequence[str]) -> None:
    """Marks the mail of a turn as answered by a program: it has arrived.

    If it holds an order, a person wrote it after all: they read that it was not played.
    """
    with service.database.read() as session:
        link = _link(session, service, recipients)
        if link is None or not _is_from_its_player(session, link, letter):
            return
    bounces.note_answered(service, link)
    if lines.orders_in(service, link, letter.lines):
        deliverability.letter_refused(service, link, AuditAct.LETTER_AUTOMATIC)


def _is_ours(service: Service, letter: Letter) -> bool:
    mail = service.settings.mail
    return (
        message_ids.is_ours(mail.domain, letter.message_id)
        or letter.list_id.endswith(f".pbem.{mail.domain}>")
        or letter.sender.lower() == mail.from_address.lower()
        or may_be_ours(mail, letter.sender)
    )


def _link(session: Session, service: Service, recipients: Sequence[str]) -> Link | None:
    """The link of the first reply address among these."""
    for address in recipients:
        token = token_in(address, "r+", service.settings.mail.reply_domain)
        if token is None:
            continue
        try:
            return links.find(session, service.keys, token, Purpose.REPLY, service.now())
        except NotFound:
            continue
    return None


def _answers_today(session: Session, service: Service, link: Link) -> int:
    return session.exec(
        select(func.count())
        .select_from(Mail)
        .where(
            Mail.match_id == link.match_id,
            Mail.seat == link.seat,
            Mail.kind == MailKind.REPLY_ANSWER,
            Mail.turn_id == link.turn_id,
            col(Mail.created_at) > service.now() - timedelta(days=1),
        )
    ).one()
