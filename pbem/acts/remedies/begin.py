"""Begins a match without the round of the beacon that it waits for. The record says so."""

from __future__ import annotations

from engine.errors import Sentence
from pbem import beacon
from pbem.acts import starting
from pbem.acts.remedy import OfMatch, RemedyRequest
from pbem.acts.writing import act, read, writing
from pbem.beacon import Missing
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return starting.is_beginning(table.match)


def _begin(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    _waive(service, match_id, actor)
    starting.start_when_full(service, match_id)


@act
def _waive(service: Service, match_id: str, actor: Actor) -> None:
    table, now = read(service, match_id)
    waits = beacon.read(table.match.beacon_json)
    if waits is None or not _fits(table):
        raise NotPossible("This match does not wait for the public beacon.")
    columns = {
        "beacon_json": beacon.written(waits.without(Missing.WAIVED)),
        "beacon_due_at": None,
        "advance_due_at": now,
    }
    with writing(service, table, "remedy", actor, now, **columns) as write:
        write.audit(AuditAct.BEACON_WAIVED)


REMEDY = OfMatch(
    name="begin",
    label=Sentence("Begin without the public beacon"),
    fits=_fits,
    helps={StallReason.BEACON: 1},
    for_several=True,
    act=_begin,
    sentence=Sentence(
        "The match begins now, without the public beacon. Its page and its record say so, and that "
        "whoever runs this service and sits at the table could have chosen the dice."
    ),
    history={AuditAct.BEACON_WAIVED: Sentence("{who} began the match without the public beacon.")},
)
