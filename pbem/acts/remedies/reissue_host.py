"""Kills the host's link and mails a new one."""

from __future__ import annotations

from engine.errors import Sentence
from pbem.acts import deliverability
from pbem.acts.remedy import OfMatch, RemedyRequest
from pbem.acts.writing import act, read, writing
from pbem.service import Service
from pbem.store.names import Actor, AuditAct
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return True


@act
def _reissue(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    with writing(service, table, "remedy", actor, now) as write:
        deliverability.new_host_link(write)
        write.audit(AuditAct.REISSUED)


REMEDY = OfMatch(
    name="reissue-host",
    label=Sentence("Make a new host link"),
    of_host="reissue",
    fits=_fits,
    act=_reissue,
    sentence=Sentence("The present host link stops working; a new one is mailed to the host."),
)
