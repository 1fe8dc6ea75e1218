"""Matches that wait for their players: who was invited is reminded; what never fills is closed.

Who was invited to take over a seat of a running match is reminded as well; if they do not come, a
bot plays until they do: the host who invited them may be gone.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem import journal
from pbem.acts import advance, outbox
from pbem.acts.claims import change_seat, claim, retrying
from pbem.errors import NotPossible
from pbem.journal import Line
from pbem.service import Service
from pbem.store import audit, links
from pbem.store.models import Link, Match, MatchStatus, Seat
from pbem.store.table import Table, load

#: When those who have not joined are reminded, counted from the opening, and when it is closed.
REMINDERS = (timedelta(days=1), timedelta(days=3), timedelta(days=7))
CLOSED_AFTER = timedelta(days=14)
#: When a bot plays for who was invited to take over a seat of a running match and has not joined.
BOT_AFTER = timedelta(days=7)


def care_due(service: Service, most: int = 50) -> int:
    """Reminds in lobbies that are due, or closes them; returns how many there were."""
    now = service.now()
    with service.database.read() as session:
        found = session.exec(
            select(Match.id)
            # whatever ends a match takes the time away
            .where(col(Match.lobby_next_at) <= now, col(Match.set_aside_at).is_(None))
            .limit(most)
        ).all()
    for match_id in found:
        with advance.guarded(service, match_id):
            retrying(lambda match_id=match_id: _care(service, match_id))  # type: ignore[misc]
    if found:
        service.ring("post")
    return len(found)


def _care(service: Service, match_id: str) -> None:
    with service.database.read() as session:
        table = load(session, match_id)
    match, now = table.match, service.now()
    due = match.lobby_next_at is not None and match.lobby_next_at <= now
    if not due:
        return
    if table.running:
        _care_for_stand_ins(service, table, now)
        return
    if match.status != MatchStatus.LOBBY:
        return
    if now >= match.created_at + CLOSED_AFTER:
        with service.database.write("lobby") as session:
            claim(session, table, status=MatchStatus.ABORTED, ended_at=now, lobby_next_at=None)
            advance.owe_ending(session, table, "match_aborted", now)
            audit.append(session, now=now, match_id=match_id, actor="service", act="lobby_closed")
        return
    passed = sum(1 for span in REMINDERS if match.created_at + span <= now)
    following = [*REMINDERS, CLOSED_AFTER][passed]
    with service.database.write("lobby") as session:
        claim(
            session,
            table,
            lobby_reminders=passed,
            lobby_next_at=match.created_at + following,
        )
        if passed == match.lobby_reminders:
            return
        for seat in table.seats:
            if _is_asked(seat):
                _invite_again(session, table, seat, passed, now)


def _is_asked(seat: Seat) -> bool:
    return seat.joined_at is None and seat.email is not None and seat.resigned_at is None


def _invite_again(session: Session, table: Table, seat: Seat, number: int, now: datetime) -> None:
    journal.after(
        session, Line.REMINDED, match=table.match.id, seat=seat.number, number=number, joined=False
    )
    outbox.owe(
        session,
        "invitation",
        f"invitation:{table.match.id}:{seat.number}:{seat.epoch}:again{number}",
        now,
        match_id=table.match.id,
        seat=seat.number,
    )


def _care_for_stand_ins(service: Service, table: Table, now: datetime) -> None:
    """Reminds who was invited to take over a seat; after a week a bot plays until they join."""
    asked = [seat for seat in table.seats if _is_asked(seat)]
    with service.database.read() as session:
        since = {seat.number: audit.invited_at(session, table.match, seat.number) for seat in asked}
    coming = [
        at + span for at in since.values() for span in (*REMINDERS, BOT_AFTER) if at + span > now
    ]
    late = [seat for seat in asked if seat.bot is None and since[seat.number] + BOT_AFTER <= now]
    with service.database.write("lobby") as session:
        claim(
            session,
            table,
            lobby_next_at=min(coming, default=None),
            **({"advance_due_at": now} if late else {}),
        )
        for seat in asked:
            passed = sum(1 for span in REMINDERS if since[seat.number] + span <= now)
            if passed:
                _invite_again(session, table, seat, passed, now)
        for seat in late:
            _let_bot_play(session, table, seat, now)


def _let_bot_play(session: Session, table: Table, seat: Seat, now: datetime) -> None:
    """Without a link of the seat for whoever was invited: it is theirs when they have joined."""
    change_seat(session, seat, bot=table.game.meta.bots[0], bot_since=now)
    audit.append(
        session,
        now=now,
        match_id=table.match.id,
        actor="service",
        act="bot_seated",
        seat=seat.number,
        ply=table.match.ply,
    )
    outbox.owe(
        session,
        "bot_seated",
        f"bot_seated:{table.match.id}:{seat.number}:{table.match.revision}",
        now,
        match_id=table.match.id,
        seat=links.HOST,
        absent=seat.number,
        how="not_joined",
    )


def decline(service: Service, link: Link) -> None:
    """Somebody who was invited does not want to play, or leaves before the start; the host is told.

    Declining twice is well; joining after all, by the same link, too.
    """

    def act() -> None:
        with service.database.read() as session:
            table = load(session, link.match_id)
        seat = table.seat(link.seat)
        if table.match.ended_at is not None:
            raise NotPossible("This match is over.")
        if table.running and seat.joined_at is not None:
            raise NotPossible("This match has begun. You can give the seat up on its page.")
        if seat.resigned_at is not None:
            return
        now = service.now()
        with service.database.write("decline") as session:
            claim(session, table)
            change_seat(session, seat, resigned_at=now, joined_at=None)
            if not table.running:  # the dice of a running match hang on the phrase
                change_seat(session, seat, phrase=None)
            audit.append(
                session,
                now=now,
                match_id=link.match_id,
                actor="player",
                act="declined",
                seat=seat.number,
                ply=table.match.ply,
            )
            outbox.owe(
                session,
                "stalled",
                f"stalled:{link.match_id}:declined:{link.seat}:{table.match.revision}",
                now,
                match_id=link.match_id,
                seat=links.HOST,
                reason="declined",
                absent=link.seat,
            )

    retrying(act)
    service.ring("post")
