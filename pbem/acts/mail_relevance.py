"""Whether a mail that is owed should still be sent: the match may have moved on since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlmodel import Session

from pbem.acts import outbox
from pbem.errors import NotFound
from pbem.store import links
from pbem.store.models import Link, Mail, Match, Permission, Proposal, Seat, Turn
from pbem.store.names import MailKind, MatchStatus
from pbem.store.table import load

#: Mails about one open turn: dropped when the turn is closed.
OF_A_TURN = frozenset({MailKind.YOUR_TURN, MailKind.REMINDER, MailKind.HOST_ASKED})
#: Mails that still make sense when the match has ended.
AFTER_THE_END = frozenset(
    {
        MailKind.WORDS,
        MailKind.MATCH_OVER,
        MailKind.MATCH_ABORTED,
        MailKind.HOST_LINK,
        MailKind.SEAT_LINK,
        MailKind.REPLY_ANSWER,
        MailKind.REMATCH_ASKED,
        # who had the seat is told, however soon the match was ended after that
        MailKind.SEAT_CHANGED,
    }
)
#: Mails that a player who muted the match still gets: how it ended, what they asked for, and
#: whether somebody else may have their seat.
THOUGH_MUTED = frozenset(
    {
        MailKind.MATCH_OVER,
        MailKind.MATCH_ABORTED,
        MailKind.SEAT_LINK,
        MailKind.REPLY_ANSWER,
        MailKind.MUTED,
        # about the seat itself, not about the game
        MailKind.PERMISSION_ASKED,
    }
)
#: Mails for whoever has the seat when they are sent, whatever the epoch of its links.
FOR_ANY_EPOCH = frozenset({MailKind.MATCH_OVER, MailKind.MATCH_ABORTED, MailKind.MATCH_OPENED})


@dataclass(frozen=True)
class Subject:
    """What a mail is about: the rows, read in one transaction."""

    mail: Mail
    data: Mapping[str, Any]
    match: Match
    seats: tuple[Seat, ...]
    turn: Turn | None
    #: The proposal that a mail asks for consent to.
    proposal: Proposal | None = None
    #: What a mail asks permission for.
    permission: Permission | None = None
    #: Links of the seat that gets the mail, those that were read with it: by purpose, and by the id
    #: of the turn (0: about the seat itself).
    links: Mapping[tuple[str, int], Link] = field(default_factory=dict)

    @property
    def seat(self) -> Seat | None:
        """Whose mail it is; None for the host's."""
        number = self.mail.seat
        return None if number is None or number < 0 else self.seats[number]

    @property
    def absent(self) -> Seat | None:
        """The seat that a mail to the host is about; None if it is about none."""
        number = self.data.get("absent")
        return self.seats[number] if isinstance(number, int) else None

    @property
    def address(self) -> str:
        """Where it goes; "" for a seat without an address."""
        if self.mail.address is not None:
            return self.mail.address
        return self.match.host_email if self.seat is None else self.seat.email or ""


def subject(session: Session, mail: Mail) -> Subject:
    """The rows of a mail that belongs to a match."""
    try:
        table = load(session, str(mail.match_id))
    except NotFound:
        raise LookupError("The match of the mail is gone.") from None
    # an open turn was read with its table
    turn = session.get(Turn, mail.turn_id) if mail.turn_id is not None else None
    data = outbox.data(mail)
    proposal = session.get(Proposal, data["proposal"]) if "proposal" in data else None
    permission = session.get(Permission, data["permission"]) if "permission" in data else None
    return Subject(mail, data, table.match, table.seats, turn, proposal, permission)


def with_links(session: Session, about: Subject) -> Subject:
    """As it is, with the links that a mail to a seat most often brings, as far as there are any."""
    if about.seat is None:
        return about
    found = links.of_seat(session, about.match, about.seat, about.mail.turn_id or 0)
    return replace(about, links={(link.purpose, link.turn_id): link for link in found})


def unwanted(about: Subject) -> str | None:
    """Why the mail should not be sent any more; None if it should."""
    kind, match, seat = about.mail.kind, about.match, about.seat
    if match.ended_at is not None and kind not in AFTER_THE_END:
        return "The match is over."
    if not about.address:
        return "The seat has no address."
    if kind == MailKind.SEAT_CHANGED:
        # it is not for whoever has the seat now
        return None
    epoch = match.host_epoch if seat is None else seat.epoch
    if kind not in FOR_ANY_EPOCH and about.data.get("epoch", epoch) != epoch:
        return "The links it would bring are dead."
    if kind in OF_A_TURN and (about.turn is None or about.turn.closed_at is not None):
        return "The turn is closed."
    if kind == MailKind.HOST_ASKED and about.turn is not None and about.turn.host_asked_at is None:
        return "The turn has more time."
    if kind == MailKind.CONSENT_ASKED and (about.proposal is None or about.proposal.closed_at):
        return "The question is settled."
    if kind == MailKind.PERMISSION_ASKED and (
        about.permission is None or about.permission.closed_at or about.permission.agreed
    ):
        return "The question is settled."
    if seat is not None:
        return _unwanted_by_seat(about, seat)
    return _unwanted_by_host(about)


def _unwanted_by_seat(about: Subject, seat: Seat) -> str | None:
    kind = about.mail.kind
    if seat.mail_problem_at is not None:
        return "Mail to the seat does not arrive."
    if seat.muted_at is not None and kind not in THOUGH_MUTED and not about.data.get("asked"):
        return "The player wants no mail about this match."
    if kind == MailKind.MUTED and seat.muted_at is None:
        return "The player wants mail again."
    if kind == MailKind.INVITATION and seat.joined_at is not None:
        return "The player has joined."
    if kind == MailKind.INVITATION and seat.resigned_at is not None:
        return "The player does not want to play."
    if kind == MailKind.BOT_TOOK_OVER and seat.bot is None:
        return "The seat has its player back."
    if kind == MailKind.YOUR_TURN and about.match.status != MatchStatus.RUNNING:
        return "The match does not run."
    return None


def _unwanted_by_host(about: Subject) -> str | None:
    kind, absent = about.mail.kind, about.absent
    if kind == MailKind.BOT_SEATED and absent is not None and absent.bot is None:
        return "The seat has its player back."
    if kind != MailKind.STALLED:
        return None
    mended = {
        "set_aside": about.match.set_aside_at is None,
        "mail": absent is not None and absent.mail_problem_at is None,
        "declined": absent is not None and absent.resigned_at is None,
        "muted": absent is not None and absent.muted_at is None,
        "beacon": about.match.beacon_due_at is None,
        "silent": about.turn is not None and about.turn.closed_at is not None,
    }
    return "The match goes on again." if mended.get(str(about.data.get("reason"))) else None
