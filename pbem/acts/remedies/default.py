"""Plays the default move for the seat of an open turn."""

from __future__ import annotations

from engine.errors import Sentence
from pbem.acts import absence, turn_clocks
from pbem.acts.remedy import OfSeat, RemedyRequest, waiting_turn
from pbem.acts.who_may import Row, states
from pbem.acts.writing import act, read
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, MadeBy, StallReason
from pbem.store.table import Table


def _fits(table: Table, seat: Seat) -> bool:
    return seat.number in table.open_turns


@act
def _play_default(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    turn = waiting_turn(table, asked.place)
    made_by = MadeBy.OPERATOR if actor == Actor.OPERATOR else MadeBy.HOST
    missed = table.seat(turn.seat).missed
    down = turn_clocks.not_credited(service, table, turn, now)
    absence.play_default(service, table, turn, now, made_by, actor, missed=missed, down=down)


REMEDY = OfSeat(
    name="default",
    label=Sentence("Play the default move"),
    fits=_fits,
    row=Row(states(now="refused overdue", later="muted reachable")),
    helps={StallReason.OVERDUE: 3, StallReason.SILENT: 2, StallReason.MUTED: 1},
    for_several=True,
    act=_play_default,
    sentence=Sentence(
        "The safest legal move is played for {name} at once. The turn is closed and {name} is told."
    ),
)
