"""A match and a reader's own seat for templates, in place of their rows; what is offered when."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pbem.store.models import Match, Seat
from pbem.store.names import MatchStatus


class Stage(StrEnum):
    """How far a match is: what its pages say and offer depends on it."""

    #: Its host has not sent the invitations yet.
    UNSENT = "unsent"
    LOBBY = "lobby"
    #: All have joined, and it waits for its round of the beacon.
    BEGINNING = "beginning"
    RUNNING = "running"
    OVER = "over"
    #: It ended before it began.
    CALLED_OFF = "called off"

    @property
    def in_lobby(self) -> bool:
        """Whether it is yet to begin."""
        return self in (Stage.UNSENT, Stage.LOBBY, Stage.BEGINNING)

    @property
    def is_over(self) -> bool:
        return self in (Stage.OVER, Stage.CALLED_OFF)


@dataclass(frozen=True)
class MatchShown:
    """What everybody may know of a match. Templates get it in place of the row."""

    id: str
    game: str
    #: What its host calls it; "" if it has no name.
    name: str
    #: The name of its host.
    host: str
    stage: Stage
    commitment: str
    #: The hash of the last ply that everybody may know of.
    head: str


@dataclass(frozen=True)
class OwnSeat:
    """A seat as its own player sees it."""

    number: int
    name: str
    zone: str
    language: str
    #: Whether they want to be reminded of a turn that stays open.
    reminders: bool
    vacation_days: int
    muted: bool
    #: Whether mail to them does not arrive.
    unreached: bool
    #: Whether they gave it up, or declined.
    resigned: bool
    #: Whether it was open, so that they can leave it to others again.
    left_open: bool
    #: Their words for the dice; None before they joined.
    phrase: str | None


@dataclass(frozen=True)
class Offers:
    """What the page of a seat offers its player, as the match and the seat stand."""

    #: Vacation, orders for later, taking a move back.
    plays: bool
    #: Taking the seat back from the bot that plays for them.
    come_back: bool
    #: Mail with the link of their turn: they have turns, or will have.
    turn_link: bool
    #: Another address for their mail.
    new_address: bool
    #: Leaving the seat to somebody else, before the match begins.
    leave_table: bool
    resign: bool


def match(row: Match) -> MatchShown:
    return MatchShown(
        id=row.id,
        game=row.game,
        name=row.name,
        host=row.host_name,
        stage=stage(row),
        commitment=row.commitment,
        head=row.shown_head,
    )


def stage(row: Match) -> Stage:
    """How far a match is."""
    if row.ended_at is not None:
        return Stage.OVER if row.started_at is not None else Stage.CALLED_OFF
    if row.status == MatchStatus.RUNNING:
        return Stage.RUNNING
    if row.beacon_due_at is not None:
        return Stage.BEGINNING
    return Stage.UNSENT if row.unproved_host else Stage.LOBBY


def own_seat(row: Seat) -> OwnSeat:
    return OwnSeat(
        number=row.number,
        name=row.name,
        zone=row.zone,
        language=row.language,
        reminders=row.reminders,
        vacation_days=row.vacation_days,
        muted=row.muted_at is not None,
        unreached=row.mail_problem_at is not None,
        resigned=row.resigned_at is not None,
        left_open=row.left_open,
        phrase=row.phrase,
    )


def offers(row: Match, seat: Seat) -> Offers:
    """What the player of this seat can do now on its page."""
    now, has_address = stage(row), bool(seat.email)
    plays = now == Stage.RUNNING and seat.resigned_at is None
    return Offers(
        plays=plays,
        come_back=plays and has_address and seat.bot is not None,
        turn_link=plays or now.in_lobby,
        new_address=has_address and not now.is_over,
        leave_table=now in (Stage.UNSENT, Stage.LOBBY) and seat.joined_at is not None,
        resign=plays and has_address,
    )
