"""Seats that a host leaves open: whoever comes can take one, until the match begins.

Who leaves again before that: ``pbem.acts.lobby.decline``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from sqlmodel import Session, col, func, select

from pbem.acts import matches, seat_names, starting
from pbem.acts.writing import Writer, act, read, writing
from pbem.errors import BadInput, NotPossible, TooMany
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import Match, Seat
from pbem.store.names import Actor, AuditAct, MailKind, MatchStatus, Purpose
from pbem.words import texts


class Taking(msgspec.Struct, frozen=True):
    """Who takes an open seat. It is proved that the address is theirs."""

    name: str
    email: str
    #: None: the first that is open.
    seat: int | None = None
    phrase: str = ""
    zone: str = ""
    language: str = ""


@act
def take(
    service: Service,
    match_id: str,
    taking: Taking,
    also: Callable[[Session], object] = lambda session: None,
) -> Seat:
    """Somebody takes a seat that was left open, and a mail brings them its link.

    ``also`` is called in the transaction. NotPossible if the seat is taken, if their address has a
    seat at this table, or if the match does not wait for players; BadInput if somebody there has
    this name or no seat has this number; TooMany if they have taken as many seats as the service
    allows of tables that have not begun.
    """
    name, email = texts.name(taking.name), texts.address(taking.email)
    said = taking.phrase
    phrase = texts.phrase(said) if said.strip() else texts.drawn_phrase(service.entropy)
    table, now = read(service, match_id)
    if any(seat.has_address(email) for seat in table.seats):
        raise NotPossible("You have a seat at this table already.")
    seat = find(table.match, table.seats, taking.seat)
    seat_names.refuse_taken(table.seats, name)
    columns = {"name": name, "email": email, "joined_at": now, "phrase": phrase}
    columns |= matches.preferences(taking.zone, taking.language)
    due = starting.due_when_full(table, seat.number, now)
    with writing(service, table, "take_seat", Actor.PLAYER, now, **due) as write:
        write.call(lambda session: _refuse_too_many(session, service, email))
        write.call(also)
        taken = write.seat(seat, **columns)
        write.link(Purpose.SEAT, seat)
        write.audit(AuditAct.TOOK_SEAT, seat.number)
        key = f"{match_id}:{seat.number}:{seat.epoch}:taken"
        write.owe(MailKind.SEAT_LINK, key, seat.number, how="taken")
    starting.start_when_full(service, match_id)
    return taken


def free(match: Match, seats: Sequence[Seat]) -> list[Seat]:
    """The seats that can be taken now: none unless the match waits for players."""
    waits = match.status == MatchStatus.LOBBY and not match.unproved_host
    return [seat for seat in seats if seat.is_open] if waits else []


def find(match: Match, seats: Sequence[Seat], number: int | None) -> Seat:
    """The free seat of this number, or the first one; NotPossible if there is none.

    BadInput if no seat has this number.
    """
    if number is not None and number not in range(len(seats)):
        raise BadInput("There is no such seat.", field="seat")
    found = free(match, seats)
    for seat in found:
        if number in (None, seat.number):
            return seat
    taken = [seat.number for seat in seats if seat.left_open and not seat.is_open]
    if found or number in taken:
        raise NotPossible("Somebody else has taken this seat.")
    raise NotPossible("This table is not looking for players.")


def _refuse_too_many(session: Session, service: Service, email: str) -> None:
    most = service.settings.limits.open_seats_per_address
    query = (
        select(func.count())
        .select_from(Seat)
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(
            func.lower(Seat.email) == email.lower(),
            col(Seat.left_open),
            col(Match.status) == MatchStatus.LOBBY,
        )
    )
    statements.alone(session, f"open seats {email.lower()}")
    if session.exec(query).one() >= most:
        raise TooMany(
            "You have taken {most} seats of tables that have not begun, and this service allows no "
            "more.",
            most=most,
        )


def give_to_bot(write: Writer, seat: Seat, bot: str, phrase: str) -> None:
    """A bot takes an open seat, as if it had been opened for one."""
    write.match(**starting.due_when_full(write.table, seat.number, write.now))
    taken = {"joined_at": write.now, "phrase": phrase, "left_open": False}
    name = seat_names.of_bot(seat.number, [other.name for other in write.table.seats])
    write.seat(seat, name=name, bot=bot, bot_since=write.now, **taken)
    write.audit(AuditAct.TOOK_SEAT, seat.number)
