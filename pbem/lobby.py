"""Matches that wait for their players: who was invited is reminded; what never fills is closed."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import col, select

from pbem import advance, audit, links, outbox
from pbem.errors import NotPossible
from pbem.models import Link, Match, MatchStatus
from pbem.service import Service
from pbem.table import change_seat, claim, load, retrying

#: When those who have not joined are reminded, counted from the opening, and when it is closed.
REMINDERS = (timedelta(days=1), timedelta(days=3), timedelta(days=7))
CLOSED_AFTER = timedelta(days=14)


def care_due(service: Service, most: int = 50) -> int:
    """Reminds in lobbies that are due, or closes them; returns how many there were."""
    now = service.now()
    with service.database.read() as session:
        found = session.exec(
            select(Match.id)
            .where(
                col(Match.lobby_next_at) <= now,
                # in the lobby, said so that no database is led to the index of statuses: it would
                # look at every lobby there is
                col(Match.started_at).is_(None),
                col(Match.ended_at).is_(None),
                col(Match.set_aside_at).is_(None),
            )
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
    if match.status != MatchStatus.LOBBY or not due:
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
            if seat.joined_at is None and seat.email is not None and seat.resigned_at is None:
                outbox.owe(
                    session,
                    "invitation",
                    f"invitation:{match_id}:{seat.number}:{seat.epoch}:again{passed}",
                    now,
                    match_id=match_id,
                    seat=seat.number,
                )


def decline(service: Service, link: Link) -> None:
    """Somebody who was invited does not want to play, or leaves before the start; the host is told.

    Declining twice is well; joining after all, by the same link, too.
    """

    def act() -> None:
        with service.database.read() as session:
            table = load(session, link.match_id)
        seat = table.seat(link.seat)
        if table.match.status != MatchStatus.LOBBY:
            raise NotPossible("This match has begun. You can give the seat up on its page.")
        if seat.resigned_at is not None:
            return
        now = service.now()
        with service.database.write("decline") as session:
            claim(session, table)
            change_seat(session, seat, resigned_at=now, joined_at=None, phrase=None)
            audit.append(
                session,
                now=now,
                match_id=link.match_id,
                actor="player",
                act="declined",
                seat=seat.number,
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
