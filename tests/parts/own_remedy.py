"""A remedy of the tests' own, as a file of ``pbem.acts.remedies`` would bring it."""

from __future__ import annotations

from datetime import timedelta

from engine.errors import Sentence
from pbem.acts import turn_clocks
from pbem.acts.remedy import OfMatch, Question, RemedyRequest
from pbem.acts.writing import act, read, writing
from pbem.clocks.durations import parse_span
from pbem.service import Service
from pbem.store.names import Actor, MailKind, StallReason
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return table.running and bool(table.open_turns)


@act
def _breathe(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    """Everybody who is waited for has so much longer."""
    span = timedelta(seconds=parse_span(asked.by, "rest"))
    table, now = read(service, match_id)
    with writing(service, table, "remedy", actor, now) as write:
        for turn in table.open_turns.values():
            write.turn(
                turn, **turn_clocks.move(table, turn, lambda due_at: due_at + span, now, anew=True)
            )
            write.owe(MailKind.REMINDER, f"rest:{turn.id}", turn.seat, turn_id=turn.id, number=0)
        write.audit("rested")


BREATHE = OfMatch(
    name="breathe",
    label=Sentence("Let everybody breathe"),
    asks=(Question("by", Sentence("How long a breath"), suggested="3h"),),
    fits=_fits,
    helps={StallReason.OVERDUE: 0},
    for_several=True,
    act=_breathe,
    sentence=Sentence("Everybody has {until} instead of {before}."),
    history={"rested": Sentence("{who} let everybody breathe.")},
)
