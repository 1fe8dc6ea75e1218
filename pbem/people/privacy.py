"""What is known of a person, as a file; and being forgotten, at a person's own wish.

Forgetting goes match by match, each whole or not at all, then over the rows of no match. A row of
``Forgetting`` stands for what is still to be done: whoever dies in between, the next sweep goes on.
Some things have to wait: a match that is just about to begin, a mail that a mailer holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import String, Update, case, cast, literal, union
from sqlmodel import Session, col, delete, func, or_, select, update

from pbem.acts import forgetting, invitees, seat_holders
from pbem.people import persons, proofs, talk
from pbem.people.apart import apart
from pbem.people.series import acts as series
from pbem.service import Service
from pbem.store import audit, statements
from pbem.store.models import (
    AddressLink,
    Device,
    Forgetting,
    Invitee,
    Mail,
    Match,
    Permission,
    Person,
    PersonGroup,
    PublicPlayer,
    ReceivedMail,
    Seat,
    Watch,
)
from pbem.store.names import SETTLED, Actor, AuditAct, MailStatus, PermissionEnded


@dataclass(frozen=True)
class Forgotten:
    """What was done for an address."""

    #: In how many matches it was found.
    matches: int
    #: Whether nothing is left of it. If not, the next sweep goes on.
    done: bool


def ask(service: Service, address: str, actor: Actor) -> None:
    """Notes that an address is to be forgotten; the workers do it. Idempotent."""
    row = {"folded": address.lower(), "asked_at": service.now(), "actor": actor}
    with service.database.write("forget.ask") as session:
        statements.upsert(session, Forgetting, [row], unique=("folded",))


def forget(service: Service, address: str, actor: Actor) -> Forgotten:
    """Forgets an address at once, as far as nothing has to wait."""
    ask(service, address, actor)
    return _go_on(service, address, actor)


def forget_due(service: Service, most: int) -> int:
    """Goes on with those that are to be forgotten; returns how many are done now.

    All are tried until so many are done: who has to wait keeps nobody else waiting.
    """
    done, after = 0, ""
    while done < most and (waiting := _to_forget(service, most, after)):
        for row in waiting:
            with apart("privacy.forget_due"):
                done += _go_on(service, row.folded, Actor(row.actor)).done
        after = waiting[-1].folded
    return done


def _to_forget(service: Service, most: int, after: str) -> Sequence[Forgetting]:
    """Some of those that are to be forgotten, by address, from behind one on."""
    folded = col(Forgetting.folded)
    some = select(Forgetting).where(folded > after).order_by(folded).limit(most)
    with service.database.ask() as session:
        # most of the time there are none
        return session.exec(some).all()


def _go_on(service: Service, address: str, actor: Actor) -> Forgotten:
    with service.database.read() as session:
        found = matches_of(session, address)
    # all are tried, though one has to wait
    free = [_taken_out(service, match_id, address, actor) for match_id in found]
    with service.database.read() as session:
        # looked for without the lock: no index is kept for what is asked so seldom
        mails = _mails_of(session, address)
    with service.database.write("forget.rows") as session:
        _forget_rows(session, address, mails, service.now())
    with service.database.read() as session:
        left = matches_of(session, address) or _mails_of(session, address)
    done = all(free) and not left
    if done:
        _close(service, address, actor)
    return Forgotten(len(found), done)


def _taken_out(service: Service, match_id: str, address: str, actor: Actor) -> bool:
    """Whether nothing of an address is left in a match; if not, the next sweep goes on."""
    done = False
    with apart("privacy.forget_due", match=match_id):
        done = forgetting.forget_in(service, match_id, address, actor, talk.erase)
    return done


def _close(service: Service, address: str, actor: Actor) -> None:
    """Deletes the row of what was to be done; the audit log of the service has that it was."""
    with service.database.write("forget.done") as session:
        gone = delete(Forgetting).where(col(Forgetting.folded) == address.lower())
        if statements.rowcount(session, gone):
            entry = audit.Entry(service.now(), "", actor, AuditAct.FORGOTTEN)
            audit.append(session, [entry])


def hosts(session: Session, address: str) -> bool:
    """Whether an address hosts a match that goes on."""
    theirs = select(Match.id).where(
        func.lower(Match.host_email) == address.lower(), col(Match.ended_at).is_(None)
    )
    return session.exec(theirs.limit(1)).first() is not None


def matches_of(session: Session, address: str) -> Sequence[str]:
    """The ids of all matches in whose rows the address stands, or whoever had it."""
    folded = address.lower()
    before = seat_holders.held_before(address).subquery()
    return session.scalars(
        union(
            select(Match.id).where(func.lower(Match.host_email) == folded),
            select(Seat.match_id).where(func.lower(Seat.email) == folded),
            select(before.c.match_id),
        )
    ).all()


def _forget_rows(session: Session, address: str, mails: Sequence[int], now: datetime) -> None:
    """Takes the address out of these mails, and of the rows that belong to no match."""
    folded = address.lower()
    # two may be in each other's groups
    statements.alone(session, "forgetting")
    # first the links, then the person, then all else: as who signs in or writes for them
    session.execute(delete(AddressLink).where(func.lower(AddressLink.address) == folded))
    if (person := persons.of_address(session, address)) is not None:
        _forget_person(session, person, now)
    whose = invitees.digest(address)
    counted = [invitees.digest(address, kind) for kind in ("reminded", "asked")]
    for statement in (
        delete(ReceivedMail).where(
            or_(
                func.lower(ReceivedMail.address) == folded,
                func.lower(ReceivedMail.sender) == folded,
            )
        ),
        # whoever wants no invitations still wants none
        delete(Invitee).where(col(Invitee.digest) == whose, col(Invitee.never_at).is_(None)),
        delete(Invitee).where(col(Invitee.digest).in_(counted)),
        # somebody wanted to give them a seat
        update(Permission)
        .where(
            col(Permission.closed_at).is_(None),
            func.lower(Permission.asked_json).contains(f'"{folded}"', autoescape=True),
        )
        .values(asked_json="{}", closed=PermissionEnded.WITHDRAWN, closed_at=now),
        *(_blank(address, mails[at : at + 500]) for at in range(0, len(mails), 500)),
    ):
        session.execute(statement.execution_options(synchronize_session=False))
    _leave_groups(session, folded)


def _leave_groups(session: Session, folded: str) -> None:
    """Takes the address out of the groups of others."""
    holding = func.lower(PersonGroup.people_json).contains(f'"{folded}"', autoescape=True)
    held = select(PersonGroup).where(holding).order_by(col(PersonGroup.id)).with_for_update()
    for group in session.exec(held):
        people = [
            one
            for one in json.loads(group.people_json)
            if folded not in map(str.lower, one.values() if isinstance(one, dict) else one)
        ]
        group.people_json = json.dumps(people, ensure_ascii=False)
        session.add(group)


def _mails_of(session: Session, address: str) -> Sequence[int]:
    """The ids of the mails that went to the address, or are owed to it by itself."""
    folded = address.lower()
    theirs = or_(func.lower(Mail.sent_to) == folded, func.lower(Mail.address) == folded)
    return [number or 0 for number in session.exec(select(Mail.id).where(theirs))]


def _blank(address: str, mails: Sequence[int]) -> Update:
    """Takes the address out of its mails, but of those that a mailer holds."""
    pending = col(Mail.status) == MailStatus.PENDING
    told = func.lower(Mail.dedupe).contains(address.lower(), autoescape=True)
    new_key = literal("forgotten:") + cast(Mail.id, String)
    return (
        update(Mail)
        .where(col(Mail.id).in_(mails), pending | col(Mail.status).in_(SETTLED))
        .values(
            status=case((pending, MailStatus.DROPPED), else_=col(Mail.status)),
            # some keys are made of an address, so that nobody is mailed too often
            dedupe=case(
                (told | col(Mail.dedupe).contains(proofs.digest(address)), new_key),
                else_=col(Mail.dedupe),
            ),
            address=None,
            sent_to=None,
            data_json="{}",
            last_error=None,
            delivery_note=None,
        )
    )


def _forget_person(session: Session, person: Person, now: datetime) -> None:
    """Signs them out everywhere. Their row stays without anything of theirs: results name it."""
    person.address = person.folded = None
    person.name = person.language = person.zone = ""
    person.digest_at, person.night = None, ""
    person.forgotten_at = now
    session.add(person)
    # first: who writes for them just now is waited for, and whoever comes later finds nobody
    session.flush()
    of_them = (
        delete(PersonGroup).where(col(PersonGroup.person_id) == person.id),
        delete(Device).where(col(Device.person_id) == person.id),
        delete(Watch).where(col(Watch.person_id) == person.id),
        delete(PublicPlayer).where(col(PublicPlayer.person_id) == person.id),
    )
    for statement in of_them:
        session.execute(statement)
    series.forget(session, person.id or 0)
