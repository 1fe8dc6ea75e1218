"""Mails a player their open turn once more, or if they have not joined, the invitation."""

from __future__ import annotations

from datetime import timedelta

from engine.errors import Sentence
from pbem.acts import invitees
from pbem.acts.remedy import OfSeat, RemedyRequest, not_over, player_of, waiting_turn
from pbem.acts.who_may import Row, states
from pbem.acts.writing import act, read, writing
from pbem.errors import NotPossible, TooMany
from pbem.service import Service
from pbem.store import audit
from pbem.store.models import Seat
from pbem.store.names import Actor, AuditAct, MailKind, StallReason
from pbem.store.table import Table

#: How often a day a host can remind a player of an open turn.
MOST = 3


def _fits(table: Table, seat: Seat) -> bool:
    waits = seat.number in table.open_turns or seat.joined_at is None
    return seat.email is not None and waits and _why_not_mailed(table, seat) is None


def _why_not_mailed(table: Table, seat: Seat) -> NotPossible | None:
    """Why a mail to the seat would not be sent; None if it would."""
    if table.match.unproved_host:
        return NotPossible("The host has not sent the invitations yet.")
    if seat.mail_problem_at is not None:
        return NotPossible(
            "Mail to {name} does not arrive. Correct the address first.", name=seat.name
        )
    if seat.muted_at is not None:
        return NotPossible("{name} wants no more mail about this match.", name=seat.name)
    if seat.joined_at is None and seat.resigned_at is not None:
        return NotPossible("{name} does not want to play.", name=seat.name)
    return None


@act
def _remind(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    not_over(table)
    player = player_of(table, asked.place)
    if (why_not := _why_not_mailed(table, player)) is not None:
        raise why_not
    turn = None if player.joined_at is None else waiting_turn(table, player.number)
    if turn is not None and actor != Actor.OPERATOR:
        with service.database.read() as session:
            day = now - timedelta(days=1)
            reminded = audit.times(session, match_id, player.number, AuditAct.REMINDED, day)
        if reminded >= MOST:
            raise TooMany("{name} was reminded {most} times today.", name=player.name, most=MOST)
    key = f"{match_id}:{player.number}:{table.match.revision}"
    with writing(service, table, "remedy", actor, now) as write:
        if turn is None:
            assert player.email is not None  # bots join by themselves
            invitees.count(write, player.email, invitees.called(player))
            write.owe(MailKind.INVITATION, f"again:{key}", player.number)
            write.audit(AuditAct.INVITED_AGAIN, player.number)
        else:
            write.owe(MailKind.REMINDER, key, player.number, turn_id=turn.id, number=0)
            write.audit(AuditAct.REMINDED, player.number)


REMEDY = OfSeat(
    name="remind",
    label=Sentence("Remind"),
    fits=_fits,
    row=Row(states(now="invited overdue reachable")),
    helps={
        StallReason.OVERDUE: 1,
        StallReason.SILENT: 1,
        StallReason.LOBBY: 1,
        StallReason.ABSENT: 1,
    },
    for_several=True,
    act=_remind,
    sentence=Sentence("{name} gets a mail about this match now."),
    history={
        AuditAct.REMINDED: Sentence("{who} had {name} reminded."),
        AuditAct.INVITED_AGAIN: Sentence("{who} had {name} invited again."),
    },
)
