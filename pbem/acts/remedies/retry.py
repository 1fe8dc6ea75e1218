"""Tries again to advance a match that was set aside."""

from __future__ import annotations

from engine.errors import Sentence
from pbem.acts.remedy import OfMatch, RemedyRequest
from pbem.acts.writing import act, read, writing
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return table.match.set_aside_at is not None


@act
def _retry(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    if table.match.set_aside_at is None:
        raise NotPossible("This match was not set aside.")
    columns = {
        "set_aside_at": None,
        "set_aside_error": None,
        "advance_failures": 0,
        "advance_due_at": now,
    }
    with writing(service, table, "remedy", actor, now, **columns) as write:
        write.audit(AuditAct.RETRIED)


REMEDY = OfMatch(
    name="retry",
    label=Sentence("Try to carry the match on"),
    fits=_fits,
    helps={StallReason.SET_ASIDE: 1},
    for_several=True,
    act=_retry,
    sentence=Sentence(
        "The match is carried on from where it stopped. If that fails again, it is set aside again."
    ),
    history={AuditAct.RETRIED: Sentence("{who} carried the match on again.")},
)
