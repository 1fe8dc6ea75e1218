"""Ends a pause before its time."""

from __future__ import annotations

from engine.errors import Sentence
from pbem.acts import absence
from pbem.acts.remedy import OfMatch, RemedyRequest
from pbem.service import Service
from pbem.store.names import Actor, StallReason
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return table.running and table.match.paused_until is not None


def _resume(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    absence.resume(service, match_id, actor=actor)


REMEDY = OfMatch(
    name="resume",
    label=Sentence("End the pause"),
    fits=_fits,
    helps={StallReason.PAUSED: 1},
    for_several=True,
    act=_resume,
    sentence=Sentence("All clocks go on now, with what was left on each. The table is told."),
)
