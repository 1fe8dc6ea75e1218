"""Holds all clocks of a match for a span; afterwards the match resumes by itself.

Moves are still accepted: a pause only stops the clocks.
"""

from __future__ import annotations

from datetime import timedelta

from engine.errors import Sentence
from pbem.acts.remedy import OfMatch, Question, RemedyRequest
from pbem.acts.writing import act, read, writing
from pbem.clocks.deadlines import Hold
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store.names import Actor, AuditAct
from pbem.store.table import Table

#: Longest pause.
LONGEST = timedelta(days=60)


def _fits(table: Table) -> bool:
    return table.running and table.match.paused_until is None


@act
def _pause(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    length = asked.span(LONGEST)
    table, now = read(service, match_id)
    if not table.running:
        raise NotPossible("This match is not running.")
    until = now + length
    with writing(service, table, "remedy", actor, now, paused_until=until) as write:
        for turn in table.open_turns.values():
            if turn.held_at is None:
                write.turn(turn, held_at=now, public_held_at=now, held_why=Hold.PAUSE, next_at=None)
        write.audit(AuditAct.PAUSED, until=until.isoformat())


REMEDY = OfMatch(
    name="pause",
    label=Sentence("Pause the match"),
    asks=(Question("by", Sentence("For how long"), suggested="7d"),),
    fits=_fits,
    for_several=True,
    act=_pause,
    sentence=Sentence(
        "All clocks of the match stand until {until}; then it goes on by itself. Moves are still "
        "taken."
    ),
    history={AuditAct.PAUSED: Sentence("{who} paused the match: all clocks stand until {until}.")},
)
