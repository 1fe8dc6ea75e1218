"""Matches that wait for players: the invited are reminded, a match that does not fill is closed.

A substitute who was invited to a seat of a running match is reminded as well. If they do not join
within a week, a bot plays until they do, because the host who invited them may not notice; so it
does if they have declined.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pbem.acts import advance, due_work, invitees, outbox, seat_holders, starting
from pbem.acts.writing import Writer, act, read, read_by, writing
from pbem.errors import NotPossible
from pbem.journal import Line
from pbem.service import Service
from pbem.store import audit, links
from pbem.store.models import Link, Match, Seat
from pbem.store.names import Actor, AuditAct, MailKind, MatchStatus
from pbem.store.table import Table

#: When those who have not joined are reminded, and when the match is closed, after its opening. The
#: first reminder comes so long after the invitations where the host sends them later.
REMINDERS = (timedelta(days=1), timedelta(days=3), timedelta(days=7))
CLOSED_AFTER = timedelta(days=14)
#: A match is called off whose host has not sent the invitations by then.
PROVED_WITHIN = timedelta(days=3)
#: After how long a bot plays for an invited substitute who has not joined.
BOT_AFTER = timedelta(days=7)


#: Matches with invitations that need care. An act that ends a match clears this time.
LOBBIES_DUE: Any = due_work.matches_due(Match.lobby_next_at)


def care_due(service: Service, most: int = 50) -> int:
    """Gives care to matches with invitations that are due, at most ``most``; returns how many."""
    return due_work.each(service, due_work.find(service, LOBBIES_DUE, most), care)


@act
def care(service: Service, match_id: str) -> None:
    """Reminds in one match those who have not joined, closes it, or lets a bot play."""
    table, now = read(service, match_id)
    match = table.match
    if match.lobby_next_at is None or match.lobby_next_at > now:
        return
    if table.running:
        _care_for_stand_ins(service, table, now)
    elif match.unproved_host or (
        match.status == MatchStatus.LOBBY and now >= match.created_at + CLOSED_AFTER
    ):
        _close(service, table, now)
    elif match.status == MatchStatus.LOBBY:
        _remind(service, table, now)


def _close(service: Service, table: Table, now: datetime) -> None:
    columns = {
        "status": MatchStatus.ABORTED,
        "ended_at": now,
        "lobby_next_at": None,
        "beacon_due_at": None,
    }
    with writing(service, table, "lobby", Actor.SERVICE, now, **columns) as write:
        if not table.match.unproved_host:
            # else nobody was told of the match
            advance.owe_ending(write, MailKind.MATCH_ABORTED)
        write.audit(AuditAct.LOBBY_CLOSED)


def _remind(service: Service, table: Table, now: datetime) -> None:
    match = table.match
    number = _reminders_passed(match.created_at, now)
    following = match.created_at + [*REMINDERS, CLOSED_AFTER][number]
    columns = {"lobby_reminders": number, "lobby_next_at": following}
    with writing(service, table, "lobby", Actor.SERVICE, now, **columns) as write:
        if number != match.lobby_reminders:
            _invite_again(write, [(seat, number) for seat in table.seats if is_asked(seat)])


def _reminders_passed(since: datetime, now: datetime) -> int:
    return sum(1 for span in REMINDERS if since + span <= now)


def is_asked(seat: Seat) -> bool:
    """Whether somebody is to be invited to the seat."""
    return seat.joined_at is None and seat.email is not None and seat.resigned_at is None


def _invite_again(write: Writer, asked: Sequence[tuple[Seat, int]]) -> None:
    """Reminds those who are invited to seats, each with the number of the reminder."""

    def remind(seat: Seat, number: int) -> None:
        write.journal(Line.REMINDED, seat=seat.number, number=number, joined=False)
        write.owe(MailKind.INVITATION, _again(seat, number), seat.number)

    # bots join by themselves
    people = {seat.email: partial(remind, seat, number) for seat, number in asked if seat.email}
    # in one order everywhere, so that two who remind the same people cannot lock each other out
    for email in sorted(people, key=invitees.digest):
        invitees.count_reminder(write, email, people[email])


def _again(seat: Seat, number: int) -> str:
    """The key of a reminder of the invitation to a seat."""
    return f"{seat.match_id}:{seat.number}:{seat.epoch}:again{number}"


def _care_for_stand_ins(service: Service, table: Table, now: datetime) -> None:
    """Reminds invited substitutes; after a week a bot plays until they join, if they do."""
    empty = [seat for seat in table.seats if seat.joined_at is None and seat.email is not None]
    with service.database.read() as session:
        since = {seat.number: audit.invited_at(session, table.match, seat.number) for seat in empty}
        # another's invitation may be why the match is looked at now
        again = [
            (seat, number)
            for seat in filter(is_asked, empty)
            if (number := _reminders_passed(since[seat.number], now))
            and not outbox.is_owed(session, MailKind.INVITATION, _again(seat, number))
        ]
    coming = [
        at + span for at in since.values() for span in (*REMINDERS, BOT_AFTER) if at + span > now
    ]
    late = [seat for seat in empty if seat.bot is None and since[seat.number] + BOT_AFTER <= now]
    columns = {"lobby_next_at": min(coming, default=None)}
    with writing(service, table, "lobby", Actor.SERVICE, now, **columns) as write:
        _invite_again(write, again)
        for seat in late:
            _let_bot_play(write, seat)


def _let_bot_play(write: Writer, seat: Seat) -> None:
    """Puts a bot on the seat. It makes no link of the seat: the substitute gets one on joining."""
    table, now = write.table, write.now
    write.match(advance_due_at=now)
    write.seat(seat, bot=table.game.meta.bots[0], bot_since=now)
    write.audit(AuditAct.BOT_SEATED, seat.number)
    key = f"{table.match.id}:{seat.number}:{table.match.revision}"
    how = "not_joined" if seat.resigned_at is None else "declined"
    write.owe(MailKind.BOT_SEATED, key, links.HOST, absent=seat.number, how=how)


@act
def decline(service: Service, link: Link) -> None:
    """An invited player declines, or leaves before the start; the host is told.

    Idempotent: declining twice changes nothing. The same link still joins afterwards. If the seat
    was left open, it is open again instead, and its links die.
    """
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    if table.match.ended_at is not None:
        raise NotPossible("This match is over.")
    if table.running and seat.joined_at is not None:
        raise NotPossible("This match has begun. You can resign on its page.")
    if seat.resigned_at is not None or seat.is_open:
        return
    starting.refuse_while_beginning(table.match)
    if seat.left_open and not table.running:
        _leave(service, table, seat, now)
        return
    # the dice of a running match are made from the phrase, so it stays
    phrase = {} if table.running else {"phrase": None}
    with writing(service, table, "decline", Actor.PLAYER, now) as write:
        write.seat(seat, resigned_at=now, joined_at=None, **phrase)
        write.audit(AuditAct.DECLINED, seat.number)
        key = f"{link.match_id}:declined:{link.seat}:{table.match.revision}"
        write.owe(MailKind.STALLED, key, links.HOST, reason="declined", absent=link.seat)


def _leave(service: Service, table: Table, seat: Seat, now: datetime) -> None:
    """Opens a seat again that its player does not want. What they have said at the table stays."""
    with writing(service, table, "decline", Actor.PLAYER, now) as write:
        write.seat(seat, **seat_holders.give(write, seat), phrase=None)
        write.audit(AuditAct.LEFT, seat.number)
