"""What people say at a table: messages to all or to one seat, and who may read them.

Each act here is a short transaction of its own. It claims no match, no act of a match learns of it,
and nothing of it is in the log or the record. Saying is idempotent by a key of its seat.

Who reads a message:

- to the table: all seats, whoever hosts, the operator, and onlookers when the match allows it;
- to one seat: that seat and the one that wrote it, nobody else, ever;
- a hidden one: nobody;
- one of a seat that the reader has muted: not this reader.

Whoever took a seat over reads nothing that was said to its player before alone, and no note of
theirs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from sqlalchemy import and_, bindparam, delete, or_, update
from sqlmodel import Session, col, func, select

from engine.dice import fields
from engine.game import Ruling
from pbem.acts import seat_holders
from pbem.acts.forgetting import Was
from pbem.acts.writing import refuse_lost
from pbem.errors import BadInput, NotFound, NotPossible, TooMany, UnreadableMatch
from pbem.service import Service
from pbem.store import audit, links, match_log, statements
from pbem.store.models import (
    Audit,
    Link,
    Mail,
    Match,
    Message,
    Seat,
    TalkDue,
    TalkMute,
    TalkNote,
    TalkRule,
)
from pbem.store.names import Actor, AuditAct, MailKind, MailStatus, Onlookers
from pbem.store.table import Table, load
from pbem.words import texts

#: What a form or a letter has between words; other controls are refused.
_SPACE = re.compile(r"[ \t\r\n]+")
#: Characters of a message, of a private note, and of why something was hidden or forbidden.
MOST_TEXT, MOST_NOTE, MOST_REASON = 1_000, 2_000, 200
#: How long after its end a match can be talked about.
AFTER_THE_END = timedelta(days=30)
#: At most this many messages are read at once, the newest.
MOST_READ = 500
#: A mail of messages alone goes out when nothing else has brought them for this long.
PATIENCE = timedelta(days=1)
#: The mails that show what was said.
TELLING = frozenset(
    {
        *(MailKind.YOUR_TURN, MailKind.REMINDER, MailKind.WORDS),
        *(MailKind.MATCH_OVER, MailKind.MATCH_ABORTED),
    }
)


#: Acts whose rows have words that a host or an operator typed.
_WITH_REASONS = col(Audit.act).in_((AuditAct.MESSAGE_HIDDEN, AuditAct.TALK_FORBIDDEN))

# every page of a match asks these: made once, because making one costs more than running it
_MATCH: Any = bindparam("match_id")
_READER: Any = bindparam("reader")
_RULE: Any = select(TalkRule.allowed, TalkRule.reason, TalkRule.onlookers).where(
    TalkRule.match_id == _MATCH
)
_JOINED = (
    select(Seat.joined_at).where(Seat.match_id == _MATCH, Seat.number == _READER).scalar_subquery()
)
_MUTED = select(TalkMute.muted).where(
    TalkMute.match_id == _MATCH, TalkMute.seat == _READER, col(TalkMute.at) >= _JOINED
)
#: A note of the seat's present player.
OWN_NOTE = and_(
    col(TalkNote.match_id) == col(Seat.match_id),
    col(TalkNote.seat) == col(Seat.number),
    col(TalkNote.at) >= col(Seat.joined_at),
)
_NOTE = (
    select(TalkNote.text)
    .join(Seat, OWN_NOTE)
    .where(Seat.match_id == _MATCH, Seat.number == _READER)
)
_ALL = (
    select(Message)
    .where(Message.match_id == _MATCH, col(Message.hidden_at).is_(None))
    .order_by(col(Message.id).desc())
    .limit(MOST_READ)
)
_TO_ALL = _ALL.where(col(Message.to_seat).is_(None))
_AT_SEAT = _ALL.where(
    or_(
        col(Message.to_seat).is_(None),
        and_(
            or_(col(Message.seat) == _READER, col(Message.to_seat) == _READER),
            col(Message.at) >= _JOINED,
        ),
    ),
    col(Message.seat).not_in(_MUTED),
)
_MAILED_UNTIL = select(func.max(Mail.created_at)).where(
    Mail.match_id == _MATCH,
    Mail.seat == _READER,
    col(Mail.kind).in_(TELLING),
    Mail.status == MailStatus.SENT,
    col(Mail.created_at) < bindparam("before"),
)

#: What a host has set: whether it is talked, why not, and when onlookers read it.
Rule: TypeAlias = tuple[bool, str, str]


@dataclass(frozen=True)
class TalkRules:
    """Whether players may talk in a match, and who reads it besides them."""

    allowed: bool
    #: Why not, in the host's words.
    reason: str
    onlookers: Onlookers
    #: The game's own rule against it; None if it has none.
    by_the_game: Ruling | None


# --- what a match allows ---


def rules(session: Session, match: Match) -> TalkRules:
    """What holds in a match: what its host has set, else what its game has by default.

    A rematch has what was set in the match it is a rematch of.
    """
    return rules_by(session, match, _rule(session, match.id))


def rules_by(session: Session, match: Match, row: Rule | None) -> TalkRules:
    """As ``rules``, where it is known what the host has set."""
    by_the_game = _ruling(match)
    before: Match | None = match
    while row is None and before is not None and before.rematch_of is not None:
        before = session.get(Match, before.rematch_of)
        if before is None or before.game != match.game:
            break
        row = _rule(session, before.id)
    if row is None:
        return TalkRules(by_the_game is None, "", Onlookers.NOW, by_the_game)
    allows, reason, onlookers = row
    return TalkRules(allows, reason, Onlookers(onlookers), by_the_game)


def _rule(session: Session, match_id: str) -> Rule | None:
    # for plain columns a connection is the shorter way
    row = session.connection().execute(_RULE, {"match_id": match_id}).first()
    return None if row is None else tuple(row)


def _ruling(match: Match) -> Ruling | None:
    try:
        return match_log.installed(match).meta.no_talk
    except UnreadableMatch:
        return None


def allow(
    service: Service,
    match_id: str,
    talk: bool,
    *,
    actor: Actor,
    onlookers: Onlookers | None = None,
    reason: str = "",
) -> None:
    """Sets whether a match is talked in, and when onlookers read it (None: as it is). Idempotent.

    A change is on record.
    """
    reason = texts.clean(reason, "reason", MOST_REASON) if reason.strip() and not talk else ""
    now = service.now()
    with service.database.write("talk.order") as session:
        match = _lock(session, match_id)
        was = rules(session, match)
        _set(session, match_id, talk, reason, onlookers or was.onlookers)
        if was.allowed != talk:
            act = AuditAct.TALK_ALLOWED if talk else AuditAct.TALK_FORBIDDEN
            said = {"reason": reason} if reason else {}
            entry = audit.Entry(now, match_id, actor, act, ply=match.ply, said=said)
            audit.append(session, [entry])


def open_with(session: Session, match: Match, *, allowed: bool) -> None:
    """Sets whether a match is talked in, in the transaction that opens it."""
    _set(session, match.id, allowed, "", Onlookers.NOW)


def _set(session: Session, match_id: str, allowed: bool, reason: str, onlookers: Onlookers) -> None:
    values = {"allowed": allowed, "reason": reason, "onlookers": onlookers}
    row = {"match_id": match_id, **values}
    statements.upsert(session, TalkRule, [row], unique=("match_id",), updated=tuple(values))


def _lock(session: Session, match_id: str) -> Match:
    """The match, held against its acts until this transaction ends: they share its audit log."""
    # its id stays: rows that name it are written meanwhile
    which = select(Match).where(Match.id == match_id).with_for_update(key_share=True)
    match = session.exec(which).first()
    if match is None:
        raise NotFound()
    return match


def _hold(session: Session, link: Link) -> Table:
    """The table, held as by ``_lock``: nobody gets a seat, leaves one or is forgotten meanwhile.

    NotFound if the seat of the link has other links by now: whoever writes has it no more, and what
    they wrote would be found with whoever has it, or with nobody.
    """
    _lock(session, link.match_id)
    table = load(session, link.match_id)
    refuse_lost(table, link)
    return table


# --- saying ---


def check_text(text: str) -> str:
    """A message as it is kept: one line of plain text. BadInput if it is too long or unfit."""
    return texts.clean(_SPACE.sub(" ", text), "message", MOST_TEXT)


def why_not(
    rule: TalkRules, match: Match, seats: Sequence[Seat], seat: int, now: datetime
) -> NotPossible | None:
    """Why a seat (``links.HOST``: the host) may not say anything now; None if it may.

    ``rule`` is what ``rules`` says of the match.
    """
    if match.ended_at is not None and now > match.ended_at + AFTER_THE_END:
        return NotPossible("This match ended long ago: nothing more can be said here.")
    if seat != links.HOST and seats[seat].joined_at is None:
        return NotPossible("Only players who have joined can say something here.")
    if seat == links.HOST and playing_host(match, seats) is not None:
        return NotPossible("You play in this match: say it from your seat.")
    if not rule.allowed:
        return NotPossible("There is no talk in this match.")
    return None


def playing_host(match: Match, seats: Sequence[Seat]) -> int | None:
    """The seat of a host who plays; None for one who does not."""
    return next((seat.number for seat in seats if match.is_seat_of_host(seat)), None)


def say(
    service: Service,
    link: Link,
    to: int | Literal["table"],
    text: str,
    key: str,
    *,
    to_epoch: int | None = None,
) -> Message:
    """Says something to the table or to one seat, once for each ``key`` of the seat.

    ``link`` is of the seat that speaks, or of a host who does not play. ``to_epoch``: that of the
    seat it is for, as whoever speaks saw it. Raises BadInput, NotPossible (also if that seat was
    given to somebody else since), TooMany if the seat has said as much as it may in a day, or
    NotFound (``_hold``).
    """
    text, now = check_text(text), service.now()
    match_id, seat = link.match_id, link.seat
    with service.database.write("talk.say") as session:
        table = _hold(session, link)
        said = _of_key(session, match_id, seat, key)
        if said is not None:
            return said
        rule = rules(session, table.match)
        if (refused := why_not(rule, table.match, table.seats, seat, now)) is not None:
            raise refused
        if to != "table" and (to == seat or to not in readers(table.seats)):
            raise BadInput("There is nobody at this seat to read a message.", field="to")
        if to != "table" and to_epoch not in (None, table.seat(to).epoch):
            raise NotPossible("The table has moved on since you looked. Look again, then choose.")
        _refuse_too_many(session, service, match_id, seat, now)
        row = {
            "match_id": match_id,
            "seat": seat,
            "to_seat": None if to == "table" else to,
            "name": table.match.host_name if seat == links.HOST else table.seat(seat).name,
            "ply": table.match.counted,
            "text": text,
            "at": now,
            "key": key,
        }
        statements.upsert(session, Message, [row], unique=("match_id", "seat", "key"))
        told = [one for one in readers(table.seats) if one != seat and to in ("table", one)]
        _due(session, match_id, told, now)
        said = _of_key(session, match_id, seat, key)
    assert said is not None  # it was written, or it was there
    return said


def readers(seats: Sequence[Seat]) -> tuple[int, ...]:
    """The seats of people who have joined, even if a bot stands in for them."""
    return tuple(seat.number for seat in seats if seat.email and seat.joined_at is not None)


def _of_key(session: Session, match_id: str, seat: int, key: str) -> Message | None:
    which = (Message.match_id == match_id, Message.seat == seat, Message.key == key)
    return session.exec(select(Message).where(*which)).first()


def _refuse_too_many(
    session: Session, service: Service, match_id: str, seat: int, now: datetime
) -> None:
    most = service.settings.limits.messages_per_seat_per_day
    lately = select(func.count()).where(
        Message.match_id == match_id,
        Message.seat == seat,
        col(Message.at) > now - timedelta(days=1),
    )
    if session.exec(lately).one() >= most:
        raise TooMany(
            "You have sent {most} messages here today, and no more are allowed.", most=most
        )


def _due(session: Session, match_id: str, seats: Sequence[int], now: datetime) -> None:
    """Notes that a mail should bring this, if nothing else does in time."""
    rows = [{"match_id": match_id, "seat": seat, "next_at": now + PATIENCE} for seat in seats]
    # a row that is there is written, too: so whoever looks after it now waits for this message
    statements.upsert(session, TalkDue, rows, unique=("match_id", "seat"), updated=("seat",))


# --- reading ---


def messages_for(
    session: Session, match: Match, reader: int | None, since: datetime | None = None
) -> tuple[Message, ...]:
    """What a reader may read, the oldest first: a seat, ``links.HOST``, or None for an onlooker."""
    if reader is None and not _open_to_onlookers(session, match):
        return ()
    query = _TO_ALL if reader is None or reader < 0 else _AT_SEAT
    newest = session.exec(query, params={"match_id": match.id, "reader": reader}).all()
    return tuple(one for one in reversed(newest) if since is None or one.at >= since)


def _open_to_onlookers(session: Session, match: Match) -> bool:
    onlookers = rules(session, match).onlookers
    return onlookers == Onlookers.NOW or (onlookers == Onlookers.END and match.ended_at is not None)


def mailed_until(session: Session, match_id: str, seat: int, before: datetime) -> datetime | None:
    """Up to when mails to a seat (``links.HOST``: the host) have brought what was said.

    Of the mails owed before an instant. None: nothing was mailed yet.
    """
    which = {"match_id": match_id, "reader": seat, "before": before}
    return session.exec(_MAILED_UNTIL, params=which).one()


def untold(session: Session, match: Match, reader: int, before: datetime) -> tuple[Message, ...]:
    """Messages of others that no mail to this seat owed before ``before`` has brought."""
    since = mailed_until(session, match.id, reader, before)
    return tuple(one for one in messages_for(session, match, reader, since) if one.seat != reader)


# --- muting, hiding, notes ---


def mute(service: Service, link: Link, other: int, *, on: bool) -> None:
    """The player of a seat reads no more messages of another (or does again). Idempotent.

    ``other`` is ``links.HOST`` for a host who does not play. Nobody else is told. NotFound: see
    ``_hold``.
    """
    match_id, seat = link.match_id, link.seat
    with service.database.write("talk.own") as session:
        table = _hold(session, link)
        if other == seat or (other != links.HOST and not 0 <= other < len(table.seats)):
            raise BadInput("There is no such seat.", field="seat")
        row = {"match_id": match_id, "seat": seat, "muted": other}
        if on:
            values = {**row, "at": service.now()}
            unique = ("match_id", "seat", "muted")
            statements.upsert(session, TalkMute, [values], unique=unique, updated=("at",))
        else:
            session.execute(delete(TalkMute).filter_by(**row))


def muted_by(session: Session, match_id: str, seat: int) -> tuple[int, ...]:
    """The seats that the player of this one has muted."""
    return tuple(session.exec(_MUTED, params={"match_id": match_id, "reader": seat}).all())


def hide(service: Service, match_id: str, which: str, why: str, *, actor: Actor) -> None:
    """The host or the operator hides a message to the table. On record, with why. Idempotent.

    ``which``: its ``sign``.
    """
    why, now = texts.clean(why, "reason", MOST_REASON), service.now()
    with service.database.write("talk.order") as session:
        match = _lock(session, match_id)
        said = session.exec(select(Message).filter_by(match_id=match_id, to_seat=None))
        message = next((one for one in said if sign(one) == which), None)
        if message is None:
            raise NotFound()
        if message.hidden_at is not None:
            return
        this = col(Message.id) == message.id
        session.execute(update(Message).where(this).values(hidden_at=now, hidden_by=actor))
        seat = message.seat if message.seat >= 0 else None
        detail, typed = {"message": which}, {"reason": why}
        act = AuditAct.MESSAGE_HIDDEN
        entry = audit.Entry(now, match_id, actor, act, seat, match.ply, detail, typed)
        audit.append(session, [entry])


def sign(message: Message) -> str:
    """What names a message to whoever may hide it, whatever is said or erased meanwhile.

    Its id would tell how much was said to one seat alone.
    """
    key = fields("message", message.match_id, message.seat, message.key)
    return hashlib.sha256(key).hexdigest()[:16]


def write_note(service: Service, link: Link, text: str) -> None:
    """Keeps a private note of a seat's player, in place of the one before; "" for none.

    NotFound: see ``_hold``.
    """
    too_long = BadInput(
        "The {name} has at most {most} characters.", field="note", name="note", most=MOST_NOTE
    )
    # before its lines are looked at: there may be very many
    if len(text) > 2 * MOST_NOTE:
        raise too_long
    lines = [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    kept = "\n".join(texts.clean(line, "note", MOST_NOTE) if line else "" for line in lines).strip()
    if len(kept) > MOST_NOTE:
        raise too_long
    row = {"match_id": link.match_id, "seat": link.seat, "text": kept, "at": service.now()}
    with service.database.write("talk.own") as session:
        _hold(session, link)
        unique = ("match_id", "seat")
        statements.upsert(session, TalkNote, [row], unique=unique, updated=("text", "at"))


def note_of(session: Session, match_id: str, seat: int) -> str:
    """The note of the seat's present player; "" for none."""
    return session.exec(_NOTE, params={"match_id": match_id, "reader": seat}).first() or ""


def said_by(was: Was) -> Any:
    """The query for all messages of somebody at a seat."""
    theirs = {"match_id": was.match_id, "seat": was.seat, "former": was.former}
    return select(Message).filter_by(**theirs).order_by(col(Message.id))


def erase(session: Session, was: Was) -> None:
    """Deletes all that somebody has said, muted and noted down at a seat; not what others have.

    Of a host also the reasons they gave, and of everybody why their messages were hidden.
    """
    gone = set()
    for message in session.exec(said_by(was)):
        gone.add(sign(message))
        session.delete(message)
    hosted = was.seat == links.HOST
    if hosted:
        session.execute(update(TalkRule).filter_by(match_id=was.match_id).values(reason=""))
    for row in session.exec(select(Audit).filter_by(match_id=was.match_id).where(_WITH_REASONS)):
        if (hosted and row.actor == Actor.HOST) or audit.detail(row).get("message") in gone:
            row.said_json = None
    if was.former is None:
        # of who had the seat before, these went when it was given to somebody else
        seat_holders.forget_own(session, was.match_id, was.seat)
