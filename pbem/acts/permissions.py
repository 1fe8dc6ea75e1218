"""What waits for the yes of a seat's owner: asked, answered, and ended.

The owner is asked by mail, with a link. A no ends it. A yes, or (``silence``) the end of its time,
has it done by ``pbem.acts.remedies.settle``; so does a change of the owner's state by which it
needs no yes any more.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.acts import due_work
from pbem.acts.remedy import RemedyRequest
from pbem.acts.who_may import May
from pbem.acts.writing import Writer, act, read, read_by, writing
from pbem.errors import NotFound, NotPossible, Stale
from pbem.service import Access, Service, Work
from pbem.store import links, statements
from pbem.store.models import Audit, Link, Match, Permission, Ply, Seat
from pbem.store.names import Actor, AuditAct, MadeBy, MailKind, PermissionEnded, Purpose

#: How long the owner has to say no where silence is a yes, and how long to say yes elsewhere.
NOTICE = timedelta(days=2)
PATIENCE = timedelta(days=7)
#: After how long it is tried again where a limit of the service does not allow it now.
PUT_OFF = timedelta(hours=1)
#: How often a day the owner of a seat can be asked: each time they get a mail.
MOST = 3

#: How a ply was made that shows its player to be there.
_OWN = (MadeBy.LINK, MadeBy.MAIL)
_OPEN = col(Permission.closed_at).is_(None)


@act
def ask(service: Service, match_id: str, asked: RemedyRequest, actor: Actor, may: May) -> None:
    """Asks the owner of a seat; the table is told. What was asked before is withdrawn."""
    table, now = read(service, match_id)
    seat = table.seat(asked.place)
    refuse_too_often(service, seat)
    silence = may == May.WARNS
    ends_at = now + (NOTICE if silence else PATIENCE)
    columns = {
        "match_id": match_id,
        "seat": seat.number,
        "epoch": seat.epoch,
        "actor": actor,
        "remedy": asked.remedy,
        "asked_json": json.dumps(asdict(asked), sort_keys=True),
        "silence": silence,
        "created_at": now,
        "ends_at": ends_at,
        "next_at": ends_at,
        "agreed": False,
    }
    with writing(service, table, "permission", actor, now) as write:
        before = (Permission.match_id == match_id, Permission.seat == seat.number, _OPEN)
        write.update(Permission, *before, **_closed(now, PermissionEnded.WITHDRAWN))

        def then(number: int) -> None:
            write.link(Purpose.PERMIT, seat, number)
            write.owe(MailKind.PERMISSION_ASKED, f"{number}", seat.number, permission=number)

        write.new(Permission, then, **columns)
        told = AuditAct.GAVE_NOTICE if silence else AuditAct.ASKED_PERMISSION
        write.audit(told, seat.number, remedy=asked.remedy, until=ends_at.isoformat())


def refuse_too_often(service: Service, seat: Seat) -> None:
    """NotPossible if the owner of this seat was asked as often in a day as they may be."""
    since = service.now() - timedelta(days=1)
    which = (Permission.match_id == seat.match_id, Permission.seat == seat.number)
    asked = select(func.count()).select_from(Permission).where(*which)
    with service.database.read() as session:
        times = session.exec(asked.where(col(Permission.created_at) > since)).one()
    if times >= MOST:
        raise NotPossible("{name} was asked too often today. Try again tomorrow.", name=seat.name)


def is_open(row: Permission, match: Match) -> bool:
    """Whether the owner of the seat can answer: they have not, and nothing else has ended it."""
    return row.closed_at is None and not row.agreed and match.ended_at is None


@act
def answer(service: Service, link: Link, agreed: bool) -> None:
    """The owner's answer, by the link in the mail. The first one stands.

    After a yes, ``remedies.settle`` does it.
    """
    table, now = read_by(service, link)
    with service.database.read() as session:
        row = session.get(Permission, link.turn_id)
    if row is None or row.match_id != link.match_id or row.seat != link.seat:
        raise NotFound()
    if row.agreed or row.closed == PermissionEnded.REFUSED:
        return
    if not is_open(row, table.match):
        raise _settled()
    with writing(service, table, "permission", Actor.PLAYER, now) as write:
        if agreed:
            write.update(Permission, col(Permission.id) == row.id, agreed=True, next_at=now)
        else:
            end(write, row, PermissionEnded.REFUSED)
        write.audit(AuditAct.PERMITTED if agreed else AuditAct.FORBADE, link.seat)


def _settled() -> Stale:
    return Stale("This has been settled: there is nothing to answer any more.")


def end(write: Writer, row: Permission, how: PermissionEnded) -> None:
    """Closes a permission and tells the host, if it was the host who asked.

    At the end of the act, Stale if somebody else has closed it.
    """

    def close(session: Session) -> None:
        ours = (
            update(Permission)
            .where(col(Permission.id) == row.id, _OPEN)
            .values(**_closed(write.now, how))
            .execution_options(synchronize_session=False)
        )
        if not statements.rowcount(session, ours):
            raise _settled()

    write.call(close)
    if row.actor == Actor.HOST:
        kind, key = MailKind.PERMISSION_ENDED, f"{row.id}"
        write.owe(kind, key, links.HOST, remedy=row.remedy, how=how, absent=row.seat)


def _closed(now: datetime, how: PermissionEnded) -> dict[str, Any]:
    return {"closed_at": now, "closed": how, "asked_json": "{}"}


def look_again(write: Writer, seat: int) -> None:
    """Makes the open permission of a seat due: its owner, or their state or links, change now."""
    which = (Permission.match_id == write.match_id, Permission.seat == seat, _OPEN)
    write.update(Permission, *which, next_at=write.now)


def wait(write: Writer, row: Permission, until: datetime) -> None:
    """Lets an open permission wait until it is looked at again."""
    write.update(Permission, col(Permission.id) == row.id, _OPEN, next_at=until)


def open_of(session: Session, match_id: str) -> list[Permission]:
    """The open permissions of a match."""
    which = select(Permission).where(Permission.match_id == match_id, _OPEN)
    return list(session.exec(which.order_by(col(Permission.id))))


#: Permissions that need care: their matches and ids.
DUE: Any = (
    select(Permission.match_id, Permission.id)
    # outer: SQLite would begin with all matches where it has counted no permissions yet
    .outerjoin(Match, col(Match.id) == col(Permission.match_id))
    .where(_OPEN, col(Permission.next_at) <= due_work.NOW, col(Match.set_aside_at).is_(None))
    .order_by(col(Permission.next_at))
)


def are_due(service: Service, match_id: str) -> bool:
    """Whether a permission of this match needs care now."""
    which = DUE.where(Permission.match_id == match_id).limit(1)
    with service.database.ask() as session:
        return session.execute(which, {"now": service.now()}).first() is not None


def asked_of(row: Permission) -> RemedyRequest:
    """What an open permission is for."""
    told = json.loads(row.asked_json)
    # one that waited while the service was updated has no field that is new
    known = [part.name for part in fields(RemedyRequest) if part.name in told]
    return RemedyRequest(**{name: told[name] for name in known})


def moved_since(
    match_id: str | Mapped[str], seat: int | Mapped[int], since: datetime
) -> SelectOfScalar[int]:
    """A player's own moves after an instant: they were reached since then."""
    return select(Ply.ply).where(
        Ply.match_id == match_id,
        Ply.seat == seat,
        col(Ply.made_by).in_(_OWN),
        col(Ply.made_at) > since,
    )


def was_there(session: Session, row: Permission) -> bool:
    """Whether the owner did anything in the match since they were asked."""
    moved = moved_since(row.match_id, row.seat, row.created_at)
    acted = select(Audit.id).where(
        Audit.match_id == row.match_id,
        Audit.seat == row.seat,
        Audit.actor == Actor.PLAYER,
        col(Audit.at) > row.created_at,
    )
    return any(session.exec(query.limit(1)).first() is not None for query in (moved, acted))


def _must_be_silent(session: Session, row: Permission) -> None:
    """Stale if the owner did something at the last moment."""
    if was_there(session, row):
        raise _settled()


class Closing(Access):
    """A remedy closes its permission in the transaction that does it."""

    def __init__(self, row: Permission) -> None:
        #: What is to be closed; None once that is written: an act may write more than once.
        self.row: Permission | None = row

    def write(self, service: Service, work: Work) -> None:
        row = self.row
        if row is not None and isinstance(work, Writer):
            if row.silence and not row.agreed:
                work.call(partial(_must_be_silent, row=row))
            end(work, row, PermissionEnded.DONE)
        super().write(service, work)
        self.row = None
