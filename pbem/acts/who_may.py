"""Who may do what to a seat, and when: the role of whoever asks, the remedy, the owner's state.

Each remedy of a seat brings its row (``Row``); ``docs/hosts.md`` shows all of them. The clocks are
no role here: what they do to a seat when its time is up is in ``pbem.acts.absence``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.errors import Sentence
from pbem.clocks.deadlines import UNLIMITED_REMINDERS
from pbem.store.models import Seat, Turn
from pbem.store.names import Actor
from pbem.store.table import Table

#: Status codes that mean "no such address" for any mail: RFC 3463, and RFC 7505 (5.1.10).
NO_SUCH_ADDRESS = re.compile(r"(?<![\d.])5\.(?:1\.(?:1|2|3|6|10)|2\.1)(?![\d.]*\d)")
_STATUS = re.compile(r"(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)")


class Role(StrEnum):
    """Who asks for a remedy of a seat."""

    #: The player of the seat; the host, too, where the seat has the host's address.
    OWNER = "owner"
    #: The host, for anybody else's seat. Every host counts as one who plays: nothing proves that
    #: none of the other seats is theirs, under another address.
    HOST = "host"
    OPERATOR = "operator"


class Owner(StrEnum):
    """How it stands with whoever a seat belongs to. Of several that are true, the first counts."""

    #: A bot has had the seat from the start.
    NOBODY = "nobody"
    #: The host left the seat open, and nobody has taken it.
    OPEN = "open"
    #: They were invited, and do not want to play.
    DECLINED = "declined"
    #: They were invited, and have not joined.
    INVITED = "invited"
    #: They gave the seat up, or it was taken from them for good.
    GAVE_UP = "gave_up"
    #: Mail to them was refused, or came back, because of the address.
    REFUSED = "refused"
    #: They missed so many turns that the clocks seated a bot.
    ABSENT = "absent"
    #: A bot plays for them for another reason.
    STAND_IN = "stand_in"
    #: The clocks have asked the host what to do about their open turn.
    OVERDUE = "overdue"
    #: They want no mail of the match.
    MUTED = "muted"
    #: None of these: they can be asked. The reserve is their own time, too.
    REACHABLE = "reachable"


class May(StrEnum):
    """Whether a remedy may be done."""

    #: At once.
    NOW = "now"
    #: When the owner says yes. Silence is no.
    ASKS = "asks"
    #: The owner is told, and may say no; silence is yes after ``permissions.NOTICE``.
    WARNS = "warns"
    #: Not before the clocks say so, or mail comes back.
    LATER = "later"
    #: There is nothing to be done.
    NEVER = "never"


@dataclass(frozen=True)
class Row:
    """What a role may do by one remedy, for each state of the owner."""

    #: What a host may do. A state that is not named is ``May.NEVER``, for every role.
    host: Mapping[Owner, May]
    #: What the owner may do, where the host may not do it at once.
    owner: May = May.NOW

    def may(self, role: Role, owner: Owner) -> May:
        host = self.host.get(owner, May.NEVER)
        if host in (May.NEVER, May.NOW):
            return host
        if role == Role.OPERATOR:
            return May.NOW
        return self.owner if role == Role.OWNER else host


def states(now: str = "", asks: str = "", warns: str = "", later: str = "") -> Mapping[Owner, May]:
    """The states that are named, each with what a host may do then; for ``Row.host``."""
    given = {May.NOW: now, May.ASKS: asks, May.WARNS: warns, May.LATER: later}
    named = [(Owner(name), may) for may, names in given.items() for name in names.split()]
    found = dict(named)
    if len(found) != len(named):
        raise ValueError("a state is named twice")
    return found


def role_of(table: Table, seat: Seat, actor: Actor) -> Role:
    """The role of whoever acts, towards this seat."""
    if actor == Actor.HOST:
        return Role.OWNER if table.match.is_seat_of_host(seat) else Role.HOST
    return Role.OWNER if actor == Actor.PLAYER else Role.OPERATOR


def owner_of(table: Table, seat: Seat) -> Owner:
    """How it stands with the owner of a seat."""
    if seat.email is None:
        return Owner.OPEN if seat.is_open else Owner.NOBODY
    if seat.joined_at is None:
        return Owner.INVITED if seat.resigned_at is None else Owner.DECLINED
    if seat.resigned_at is not None:
        return Owner.GAVE_UP
    if seat.mail_problem_at is not None and is_of_the_address(seat.mail_problem or ""):
        return Owner.REFUSED
    if seat.bot is not None:
        return Owner.ABSENT if seat.missed >= table.policy.bot_at else Owner.STAND_IN
    turn = table.open_turns.get(seat.number)
    if turn is not None and _host_was_asked(turn):
        return Owner.OVERDUE
    return Owner.REACHABLE if seat.muted_at is None else Owner.MUTED


def is_of_the_address(why: str) -> bool:
    """Whether a mail was refused because there is no such address, by the answer of the relay or of
    the bounce.

    Not if its text was refused, or the mailbox is full: a host could bring that about, with a name
    that filters dislike, or with many mails.
    """
    if _STATUS.search(why):
        return NO_SUCH_ADDRESS.search(why) is not None
    return not why.startswith("DATA")


def _host_was_asked(turn: Turn) -> bool:
    """Whether the clocks have asked the host about a turn: out of time, or of reminders."""
    if turn.held_at is not None:
        return False
    silent = turn.due_at is None and turn.reminders >= len(UNLIMITED_REMINDERS)
    return turn.host_asked_at is not None or silent


#: Why nothing can be done in a state, and what helps.
_NEVER: Mapping[Owner, Sentence] = {
    Owner.NOBODY: Sentence("{name} is a bot and has no address."),
    Owner.OPEN: Sentence("The seat is open: nobody has taken it yet."),
    Owner.DECLINED: Sentence("{name} does not want to play."),
    Owner.INVITED: Sentence("{name} has not joined yet, so {name} has no open turn."),
    Owner.GAVE_UP: Sentence("{name} has resigned already."),
    Owner.REFUSED: Sentence("Mail to {name} does not arrive. Correct the address first."),
    Owner.ABSENT: Sentence("A bot plays for {name}, so {name} has no open turn."),
    Owner.STAND_IN: Sentence("A bot plays for {name}, so {name} has no open turn."),
    Owner.MUTED: Sentence("{name} wants no more mail about this match."),
}
_LATER = Sentence(
    "{name} can be reached and still has time. Remind {name}, or give more time. You can do this "
    "once the clock has asked you what to do, or when mail to {name} comes back."
)


def why_not(may: May, owner: Owner, name: str) -> Sentence:
    """Why a remedy may not be done (``May.LATER`` or ``May.NEVER``), and what helps instead."""
    said = _LATER if may == May.LATER else _NEVER[owner]
    return Sentence(said.text, {"name": name})
