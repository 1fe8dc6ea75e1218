"""Links that are mailed once more, only ever to the address that they belong to."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import union
from sqlmodel import Session, col, func, select

from pbem.acts import outbox
from pbem.service import Service
from pbem.store.models import Link, Match, Seat, Turn
from pbem.store.names import MailKind
from pbem.store.table import load
from pbem.words import texts

#: A seat's link is mailed at most once in so many seconds, however often somebody asks.
RESEND_SECONDS = 600


def current_link(service: Service, link: Link, *, own_page: bool = False) -> None:
    """Mails the seat of this link its open turn, or if it has none, the link to its own page.

    ``own_page``: always the link to its own page. The mail goes to the address on file, so whoever
    holds an old link learns nothing.
    """
    now = service.now()
    with service.database.read() as session:
        table = load(session, link.match_id)
    seat = table.seat(link.seat)
    if seat.email is None:
        return
    turn = None if own_page else table.open_turns.get(link.seat)
    slot = int(now.timestamp()) // RESEND_SECONDS
    kind = MailKind.YOUR_TURN if turn is not None else MailKind.SEAT_LINK
    turn_id = turn.id if turn is not None else None
    outbox.owe_now(
        service,
        "resend",
        kind,
        f"resend:{link.match_id}:{seat.number}:{seat.epoch}:{turn_id or 0}:{slot}",
        match_id=link.match_id,
        seat=seat.number,
        turn_id=turn_id,
        asked=True,
    )


def my_links(service: Service, address: str, language: str, *, allowed: bool = True) -> None:
    """Owes a mail with all links of an address to that address.

    The worker looks up whether there are any, so that the answer here takes the same time for every
    address. ``allowed`` is false if the address was asked for too often: then the same work is
    done, but under a key that was used before, so that no mail is owed.
    """
    address = texts.address(address)
    folded = hashlib.sha256(address.casefold().encode()).hexdigest()[:32]
    name = secrets.token_hex(8) if allowed else "again"
    key = f"my_links:{folded}:{name}"
    outbox.owe_now(service, "my_links", MailKind.MY_LINKS, key, address=address, language=language)


@dataclass(frozen=True)
class Own:
    """A match of an address: as a player, with the open turn, or as its host, without a seat."""

    match: Match
    seats: tuple[Seat, ...]
    seat: Seat | None = None
    turn: Turn | None = None


def running_of(session: Session, address: str) -> list[Own]:
    """The matches of an address that are not over: first those it plays, then those it hosts.

    Each part begins with the oldest.
    """
    played = session.exec(
        select(Match, Seat, Turn)
        .join(Seat, col(Seat.match_id) == col(Match.id))
        .outerjoin(
            Turn,
            (col(Turn.match_id) == col(Match.id))
            & (col(Turn.seat) == col(Seat.number))
            & col(Turn.closed_at).is_(None),
        )
        .where(func.lower(Seat.email) == address.lower(), col(Match.ended_at).is_(None))
        .order_by(col(Match.created_at))
    ).all()
    hosted = session.exec(
        select(Match)
        .where(func.lower(Match.host_email) == address.lower(), col(Match.ended_at).is_(None))
        .order_by(col(Match.created_at))
    ).all()
    seats = _seats(session, [*(match for match, _, _ in played), *hosted])
    return [Own(match, seats[match.id], seat, turn) for match, seat, turn in played] + [
        Own(match, seats[match.id]) for match in hosted
    ]


def finished_of(session: Session, address: str, most: int) -> tuple[list[Own], int]:
    """The matches of an address that are over, newest first, at most ``most``; and how many in all.

    A match that it both played and hosted counts once.
    """
    # a union of two queries: with OR between them PostgreSQL reads all matches
    hosted = select(Match.id).where(func.lower(Match.host_email) == address.lower())
    played = select(Seat.match_id).where(func.lower(Seat.email) == address.lower())
    theirs = col(Match.ended_at).is_not(None) & col(Match.id).in_(union(hosted, played))
    number = session.exec(select(func.count()).select_from(Match).where(theirs)).one()
    found = session.exec(
        select(Match).where(theirs).order_by(col(Match.ended_at).desc(), col(Match.id)).limit(most)
    ).all()
    seats = _seats(session, found)
    own = [
        Own(
            match,
            seats[match.id],
            next(
                (
                    seat
                    for seat in seats[match.id]
                    if seat.email and seat.email.lower() == address.lower()
                ),
                None,
            ),
        )
        for match in found
    ]
    return own, number


def _seats(session: Session, matches: Iterable[Match]) -> dict[str, tuple[Seat, ...]]:
    """The seats of each of these matches, by number."""
    found: dict[str, list[Seat]] = {match.id: [] for match in matches}
    for seat in session.exec(
        select(Seat).where(col(Seat.match_id).in_(found)).order_by(col(Seat.number))
    ):
        found[seat.match_id].append(seat)
    return {match: tuple(seats) for match, seats in found.items()}
