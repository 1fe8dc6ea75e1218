"""Who wants a mail when a table like this is listed: one mail a table at most, a few a day.

An address is proved before its first mail. Each mail has a link that ends it, and so does one that
is not delivered: nobody else could end it then.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime

from sqlmodel import Session, col, delete, func, select

from pbem.acts import outbox
from pbem.errors import NotFound, TooMany
from pbem.people import persons
from pbem.people.open_tables import TableFilter
from pbem.service import Service
from pbem.store import links, statements
from pbem.store.keys import Keys
from pbem.store.models import Mail, Match, OpenTable, Person, Seat, Watch
from pbem.store.names import MailKind, MatchStatus

#: What one person can wait for, and mails about one of them in a day (UTC).
MOST, MOST_A_DAY = 5, 3
#: Signs the links that end it.
KEY = "watch"


def add(session: Session, person: Person, wanted: TableFilter, now: datetime) -> None:
    """From now on the person hears of tables like these. Idempotent. TooMany beyond ``MOST``."""
    persons.hold(session, person.id)
    statements.alone(session, f"watches {person.id}")
    mine = select(func.count()).where(Watch.person_id == person.id)
    new = {
        "person_id": person.id,
        "game": wanted.game,
        "seats": wanted.seats,
        "language": wanted.language,
        "created_at": now,
        "day": now.date(),
        "mails": 0,
    }
    statements.upsert(session, Watch, [new], unique=("person_id", "game", "seats", "language"))
    if session.exec(mine).one() > MOST:
        raise TooMany(
            "You already get mails about {most} kinds of tables, and no more are allowed.",
            most=MOST,
        )


def is_wanted(session: Session, address: str, wanted: TableFilter) -> bool:
    """Whether the person of an address hears of tables like these."""
    person = persons.of_address(session, address)
    what = {"game": wanted.game, "seats": wanted.seats, "language": wanted.language}
    query = select(Watch).filter_by(person_id=person.id if person else None, **what)
    return session.exec(query).first() is not None


def token(keys: Keys, watch: Watch) -> str:
    """The token of the link that ends it, signed with the newest key."""
    return links.signed(keys.of(KEY), watch.id or 0, *_signed(watch))


def find(session: Session, keys: Keys, text: str) -> Watch:
    """What a token names; NotFound for everything else, and when it was ended."""
    row = links.row_of(text)
    watch = session.get(Watch, row) if row is not None else None
    # without a row the same work is done on nobody's, so the answer takes as long
    signs = _signed(watch) if watch is not None else (KEY, 0, 0, "")
    fits = links.is_signed(keys.of(KEY), text, *signs)
    if watch is None or not fits:
        raise NotFound()
    return watch


def _signed(watch: Watch) -> tuple[str | int, ...]:
    # a number can be given once more after its row was deleted; the time cannot
    return KEY, watch.id or 0, watch.person_id, watch.created_at.isoformat()


def end(service: Service, text: str) -> None:
    """No more mails of what a token names, if it names anything. Idempotent."""
    with service.database.write("watch.end") as session, suppress(NotFound):
        watch = find(session, service.keys, text)
        session.execute(delete(Watch).where(col(Watch.id) == watch.id))


def not_delivered(service: Service, mail: Mail) -> None:
    """A mail was refused, or came back. If it told of a table, no more are sent of such tables.

    Idempotent.
    """
    if mail.kind != MailKind.TABLE_OPEN:
        return
    whose = select(Person.id).where(Person.address == mail.address)
    told = delete(Watch).where(
        col(Watch.id) == outbox.data(mail)["watch"],
        # a number can be given once more after its row was deleted
        col(Watch.person_id).in_(whose),
        col(Watch.created_at) <= mail.created_at,
    )
    with service.database.write("watch.end") as session:
        session.execute(told)


def tell_due(service: Service, most: int) -> int:
    """Owes mails about one listed table, to at most ``most`` people; returns how many it looked at.

    The table remembers who was looked at last, and the next pass goes on from there.
    """
    waiting = (
        select(OpenTable, Match)
        .join(Match, col(Match.id) == col(OpenTable.match_id))
        .where(
            col(OpenTable.told).is_not(None),
            col(Match.status) == MatchStatus.LOBBY,
            col(Match.unproved_host).is_(False),
        )
        .order_by(col(OpenTable.created_at))
        .limit(1)
    )
    with service.database.ask() as session:
        if session.exec(waiting).first() is None:
            return 0
    with service.database.write("watch.tell") as session:
        row = session.exec(waiting.with_for_update(skip_locked=True)).first()
        if row is None:
            return 0
        table, match = row
        found = session.exec(
            select(Watch, Person)
            .join(Person, col(Person.id) == col(Watch.person_id))
            .where(
                col(Watch.game) == table.game,
                col(Watch.id) > (table.told or 0),
                col(Watch.seats).in_((0, table.seats)),
                col(Watch.language).in_(("", table.language)),
                col(Person.address).is_not(None),
            )
            .order_by(col(Watch.id))
            .limit(most)
            # others may be counting the mails of the same day, about other tables
            .with_for_update(of=Watch)
        ).all()
        here = _sitting(session, match)
        for watch, person in found:
            if person.folded not in here:
                _tell(session, service, watch, person, match)
        table.told = found[-1][0].id if len(found) == most else None
        session.add(table)
    service.ring("post")
    return len(found)


def _sitting(session: Session, match: Match) -> set[str]:
    """The addresses of a table, in lower case: they know of it."""
    emails = session.exec(select(Seat.email).where(Seat.match_id == match.id)).all()
    return {match.host_email.lower(), *(email.lower() for email in emails if email)}


def _tell(session: Session, service: Service, watch: Watch, person: Person, match: Match) -> None:
    """Owes the mail and counts it. Of a table that is listed once more they have been told."""
    if not _may_have_one(watch, service.now().date()):
        return
    kind = MailKind.TABLE_OPEN
    key = f"{kind}:{match.id}:{person.id}"
    to, now = person.address, service.now()
    if outbox.owe(session, kind, key, now, address=to, watch=watch.id, table=match.id):
        watch.mails += 1
        session.add(watch)


def _may_have_one(watch: Watch, today: date) -> bool:
    """Whether there were fewer mails today than there may be; a new day begins with none."""
    if watch.day != today:
        watch.day, watch.mails = today, 0
    return watch.mails < MOST_A_DAY
