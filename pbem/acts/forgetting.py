"""Takes a person out of a match: their address and their name, whether it is over or goes on.

Others read "Former player 2" from then on. A seat of a running match is given up, so a bot holds it
until the host finds somebody; one of a table that waits is open again. The part of a host is held
by nobody: the match goes on by its clocks, and the operator can give it to somebody.

Which matches there are for an address, and what else is known of it: ``pbem.people.privacy``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, delete, text
from sqlmodel import Session, col, select

from pbem.acts import (
    absence,
    going_back,
    outbox,
    permissions,
    seat_holders,
    seat_names,
    standing_orders,
    starting,
)
from pbem.acts.writing import Writer, act, read, writing
from pbem.errors import UnreadableMatch
from pbem.service import Service
from pbem.store import audit, holders, links, match_log, packed
from pbem.store.models import WITH_ADDRESSES, Animation, FormerHolder, Mail, Match, Seat
from pbem.store.names import SETTLED, Actor, AuditAct, MailStatus, MatchStatus
from pbem.store.table import Table
from pbem.words.i18n import translator

Also = Callable[[Session, "Was"], None]


@dataclass(frozen=True)
class Was:
    """What somebody who is forgotten was in a match."""

    match_id: str
    #: ``links.HOST`` for its host.
    seat: int
    #: Of who had the seat before, or under another name, their row; None for who has it.
    former: int | None = None


def _with(also: Also, was: Was) -> Callable[[Session], None]:
    return lambda session: also(session, was)


@act
def forget_in(service: Service, match_id: str, address: str, actor: Actor, also: Also) -> bool:
    """Takes whoever has this address out of a match. Idempotent.

    ``also`` is called in the transaction for everything that they were in the match.

    False if that has to wait, because the match is about to begin: who could leave then could
    choose the dice.
    """
    table, now = read(service, match_id)
    match = table.match
    if starting.is_beginning(match):
        return False
    seats = [seat for seat in table.seats if seat.has_address(address)]
    hosts = match.host_email.lower() == address.lower()
    with service.database.read() as session:
        before = session.exec(seat_holders.held_before(address).filter_by(match_id=match_id)).all()
        columns = _digest_before(session, table) if seats or before else {}
    if not (seats or hosts or before):
        return True
    with writing(service, table, "forget", actor, now, **columns) as write:
        for seat in seats:
            _leave(write, seat)
            write.call(_with(also, Was(match_id, seat.number)))
        for row in before:
            _take_out(write, table.seat(row.seat), row.name)
            write.call(_with(also, Was(match_id, row.seat, row.id)))
        write.call(lambda session: seat_holders.forget_held_before(session, match_id, address))
        # its frames show names
        frames = delete(Animation).where(col(Animation.match_id) == match_id)
        write.call(lambda session: session.execute(frames))
        if hosts:
            words = translator(match.language)
            write.call(_with(also, Was(match_id, links.HOST)))
            write.match(
                host_name=words.text("Former host"),
                host_email="",
                host_epoch=match.host_epoch + 1,
                name="",
            )
            write.audit(AuditAct.FORGOTTEN)
    return True


def _digest_before(session: Session, table: Table) -> dict[str, Any]:
    """The columns of a match that is over and whose digest changes when a name is taken out."""
    match = table.match
    if match.ended_at is None or match.digest_before is not None:
        return {}
    rows = packed.plies(session, match)
    record = match_log.record(match, table.seats, rows, holders.former(session, match))
    return {"digest_before": record["digest"]} if record["format"] == 1 else {}


def _leave(write: Writer, seat: Seat) -> None:
    """Takes the player of a seat out, and gives the seat up where the match is not over."""
    table, now = write.table, write.now
    match, number = table.match, seat.number
    _take_out(write, seat, seat.name)
    _drop_mails(write, number)
    standing_orders.forget(write, number)
    permissions.look_again(write, number)
    going_back.look_again(write)
    nobody = translator(match.language).text("Former player {number}", number=number + 1)
    others = [other.name for other in table.seats if other.number != number]
    columns: dict[str, Any] = {
        "name": seat_names.free(nobody, others),
        "name_salt": None,
        "forgotten_at": now,
        "left_open": False,
    }
    if table.running:
        columns["resigned_at"] = seat.resigned_at or now
        if seat.bot is None:
            _seat_bot(write, seat)
    if match.status == MatchStatus.LOBBY:
        # nothing of them is bound yet: not even the phrase stays
        columns = {"name": "", "left_open": True, "bot": None, "bot_since": None}
        columns |= {"joined_at": None, "phrase": None, "resigned_at": None}
        write.audit(AuditAct.LEFT, number)
    else:
        write.audit(AuditAct.FORGOTTEN, number)
    write.seat(
        seat,
        **columns,
        **seat_holders.unknown(match),
        epoch=seat.epoch + 1,
        away_from=None,
        away_until=None,
    )


def addresses_due(service: Service, most: int) -> int:
    """Deletes the addresses of matches that have been over for ``keep.addresses``, at most ``most``
    matches; returns of how many.

    A match of which a mail is owed is passed by.
    """
    span = service.settings.keep.addresses
    if not span:
        return 0
    before = service.now() - span
    # the condition stands here word for word as it stands in the index
    over = select(Match.id).where(text(WITH_ADDRESSES), col(Match.ended_at) <= before)
    with service.database.ask() as session:
        found = session.exec(over.order_by(col(Match.ended_at)).limit(most)).all()
    return sum(_delete_addresses(service, match_id) for match_id in found)


@act
def _delete_addresses(service: Service, match_id: str) -> bool:
    table, now = read(service, match_id)
    with service.database.read() as session:
        if outbox.has_unpaid(session, match_id):
            return False
    gone = {"host_email": "", "addresses_gone_at": now}
    with writing(service, table, "addresses", Actor.SERVICE, now, **gone) as write:
        for seat in table.seats:
            write.seat(seat, **seat_holders.unknown(table.match), left_open=False)
        write.update(FormerHolder, col(FormerHolder.match_id) == match_id, owner="")
        of_match = col(Mail.match_id) == match_id
        write.update(Mail, of_match, address=None, sent_to=None, last_error=None, data_json="{}")
    return True


def _seat_bot(write: Writer, seat: Seat) -> None:
    try:
        absence.seat_bot(write, seat, resigns=True)
    except UnreadableMatch:
        # it stands still, and nobody plays the seat
        write.audit(AuditAct.RESIGNED, seat.number)


def _take_out(write: Writer, seat: Seat, name: str) -> None:
    """Takes a name out of the audit log, and out of the match's log if that holds names itself."""
    match = write.table.match
    write.call(lambda session: audit.take_out(session, match.id, seat.number, name))
    if seat.holder is None and match.state_json is not None:
        write.call(lambda session: packed.take_out(session, match, seat.number, name))


def _drop_mails(write: Writer, seat: int) -> None:
    """Drops what is owed to a seat. What a mailer holds is dropped by itself, or was sent."""
    pending = col(Mail.status) == MailStatus.PENDING
    write.update(
        Mail,
        col(Mail.match_id) == write.match_id,
        col(Mail.seat) == seat,
        col(Mail.sent_to).is_(None),
        pending | col(Mail.status).in_(SETTLED),
        status=case((pending, MailStatus.DROPPED), else_=col(Mail.status)),
        address=None,
        data_json="{}",
        last_error=None,
    )
