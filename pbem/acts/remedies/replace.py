"""Gives a seat to a substitute, who is invited and sees nothing of it before joining.

All links of the seat die. A bot that holds the seat plays on until the new player has joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.errors import Sentence
from pbem.acts import (
    deliverability,
    going_back,
    invitees,
    lobby,
    matches,
    seat_holders,
    seat_names,
    standing_orders,
    starting,
)
from pbem.acts.remedy import (
    EMAIL,
    NAME,
    OfSeat,
    RehearsedRemedy,
    RemedyRequest,
    not_over,
    refuse_doubled,
)
from pbem.acts.who_may import May, Row, states
from pbem.acts.writing import act, read, writing
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table
from pbem.words import texts


def _fits(table: Table, seat: Seat) -> bool:
    return not starting.is_beginning(table.match)


@act
def _replace(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    name, email = texts.name(asked.name), texts.address(asked.email)
    table, now = read(service, match_id)
    player = table.seat(asked.place)
    not_over(table)
    starting.refuse_while_beginning(table.match)
    refuse_doubled(table, player, email)
    seat_names.refuse_taken(table.seats, name, but=player.number)
    invitees.refuse_unwanted(service, {email: email})
    reminded = {"lobby_next_at": _next_care(table, now)} if table.running else {}
    with writing(service, table, "remedy", actor, now, **reminded) as write:
        going_back.look_again(write)
        deliverability.tell_before(write, player, "replaced")
        standing_orders.forget(write, player.number)
        replaced = write.seat(
            player,
            **seat_holders.give(write, player, name, email),
            forgotten_at=None,
            left_open=False,
            missed=0,
            told_ply=0,
            resigned_at=None,
            **({} if table.running else {"phrase": None, "bot": None, "bot_since": None}),
        )
        if player.number in table.open_turns:
            write.close(table.open_turns[player.number], actor)
        matches.invite(write, replaced)
        said = {"name": name, "before": player.name}
        write.audit(AuditAct.REPLACED, player.number, said)


def _next_care(table: Table, now: datetime) -> datetime:
    """When to remind the substitute, or one who was invited earlier to another seat."""
    first, before = now + lobby.REMINDERS[0], table.match.lobby_next_at
    return first if before is None else min(first, before)


def _sentence(seen: RehearsedRemedy) -> Sequence[Sentence]:
    if seen.table.seats[seen.asked.place].is_open:
        return (Sentence("{new} ({email}) is invited to take the open seat."),)
    return (
        Sentence(
            "{new} ({email}) is invited to take the seat of {name}. All links of {name} for this "
            "seat stop working at once."
        ),
    )


REMEDY = OfSeat(
    name="replace",
    label=Sentence("Give the seat to somebody else"),
    asks=(NAME, EMAIL),
    fits=_fits,
    row=Row(
        states(
            now="nobody open declined invited gave_up refused",
            asks="stand_in muted reachable",
            warns="absent overdue",
        ),
        # a host link that got into wrong hands must not give a seat away
        owner=May.ASKS,
    ),
    helps={
        StallReason.OVERDUE: 5,
        StallReason.SILENT: 4,
        StallReason.MAIL: 4,
        StallReason.LOBBY: 2,
        StallReason.ABSENT: 2,
        StallReason.DECLINED: 1,
        StallReason.MUTED: 4,
    },
    act=_replace,
    question=Sentence(
        "{new} would be invited to take your seat. All your links for it would stop working at "
        "once."
    ),
    sentence=_sentence,
    history={AuditAct.REPLACED: Sentence("{who} gave the seat of {before} to {new}.")},
)
