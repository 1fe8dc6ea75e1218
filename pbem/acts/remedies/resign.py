"""Takes a seat from a player for good: a bot holds it until somebody replaces them."""

from __future__ import annotations

from engine.errors import Sentence
from pbem.acts import absence
from pbem.acts.remedy import OfSeat, RemedyRequest, player_of
from pbem.acts.who_may import Row, states
from pbem.acts.writing import act, read, writing
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, StallReason
from pbem.store.table import Table


def _fits(table: Table, seat: Seat) -> bool:
    return seat.email is not None and table.running and seat.resigned_at is None


@act
def _resign(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    player = player_of(table, asked.place)
    if not table.running:
        raise NotPossible("This match is not running.")
    if player.resigned_at is not None:
        raise NotPossible("{name} has resigned already.", name=player.name)
    with writing(service, table, "remedy", actor, now) as write:
        absence.seat_bot(write, player, resigns=True)


REMEDY = OfSeat(
    name="resign",
    label=Sentence("Take the seat from the player for good"),
    fits=_fits,
    row=Row(
        states(
            now="invited refused",
            asks="stand_in muted reachable",
            warns="absent overdue",
        )
    ),
    helps={StallReason.OVERDUE: 7, StallReason.SILENT: 6},
    act=_resign,
    question=Sentence(
        "You would lose the seat for good. A bot would hold it until somebody else is invited."
    ),
    sentence=Sentence(
        "{name} loses the seat for good. A bot holds it until somebody else is invited."
    ),
)
