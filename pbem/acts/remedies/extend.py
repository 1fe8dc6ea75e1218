"""Gives a seat's open turn more time, from its deadline or from now; reminders begin anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from engine.errors import Sentence
from pbem.acts import turn_clocks
from pbem.acts.remedy import OfSeat, Question, RehearsedRemedy, RemedyRequest, waiting_turn
from pbem.acts.who_may import Row, states
from pbem.acts.writing import act, read, writing
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table

#: Longest single extension.
LONGEST = timedelta(days=30)


def _fits(table: Table, seat: Seat) -> bool:
    turn = table.open_turns.get(seat.number)
    return turn is not None and turn.due_at is not None


@act
def _extend(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    span = asked.span(LONGEST)
    table, now = read(service, match_id)
    turn = waiting_turn(table, asked.place)
    if turn.due_at is None:
        raise NotPossible("This match has no deadlines.")
    # a clock that stands still gets back all the time from when it stopped
    since = turn.held_at or now
    clock = turn_clocks.move(table, turn, lambda due_at: max(due_at, since) + span, now, anew=True)
    # nobody knows yet when the turn of a clock that stands still ends
    until = {} if turn.held_at else {"until": clock["public_due_at"].isoformat()}
    with writing(service, table, "remedy", actor, now) as write:
        write.turn(turn, **clock)
        write.audit(AuditAct.EXTENDED, turn.seat, **until)


def _sentence(seen: RehearsedRemedy) -> Sequence[Sentence]:
    if seen.effect.clocks:
        return (Sentence("{name} has until {until} instead of {before}. The table is told."),)
    return (
        Sentence(
            "{name} has {more} more. The clock stands still now, so the deadline is not known yet. "
            "The table is told.",
            {"more": seen.asked.by},
        ),
    )


REMEDY = OfSeat(
    name="extend",
    label=Sentence("Give more time"),
    asks=(Question("by", Sentence("How much longer"), suggested="24h"),),
    fits=_fits,
    row=Row(states(now="refused overdue muted reachable")),
    helps={StallReason.OVERDUE: 2, StallReason.MUTED: 2},
    for_several=True,
    act=_extend,
    sentence=_sentence,
    history={AuditAct.EXTENDED: Sentence("{who} gave {name} until {until}.")},
)
