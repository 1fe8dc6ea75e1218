"""Sets a running match back to any move; the log says so, and players get a mail."""

from __future__ import annotations

from engine.errors import Sentence
from engine.games.registry import games
from pbem.acts import going_back
from pbem.acts.remedy import OfMatch, Question, RemedyRequest
from pbem.service import Service
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return table.running and table.match.ply > 0 and table.match.game in games()


def _roll_back(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    going_back.roll_back(service, match_id, asked.ply, actor=actor)


REMEDY = OfMatch(
    name="roll-back",
    label=Sentence("Set the match back"),
    asks=(Question("ply", Sentence("To the table after move")),),
    # the table may only agree to go back as long as nothing was revealed
    who=frozenset({Actor.OPERATOR}),
    fits=_fits,
    helps={StallReason.SET_ASIDE: 2},
    act=_roll_back,
    sentence=Sentence(
        "The match goes back to how it stood after move {ply}. Everybody is told by mail."
    ),
    history={AuditAct.ROLLED_BACK: Sentence("{who} set the match back to move {back_to}.")},
)
