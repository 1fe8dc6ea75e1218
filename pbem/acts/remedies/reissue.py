"""Kills every link of a seat and mails new ones.

If mail to the seat was refused, this tries again: the mailbox may have been full.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import Sentence
from pbem.acts import deliverability
from pbem.acts.remedy import OfSeat, RehearsedRemedy, RemedyRequest, player_of
from pbem.acts.who_may import Row, states
from pbem.acts.writing import act, read, writing
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table


def _fits(table: Table, seat: Seat) -> bool:
    return seat.email is not None


@act
def _reissue(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    player = player_of(table, asked.place)
    with writing(service, table, "remedy", actor, now) as write:
        deliverability.try_mail_anew(write, player)
        deliverability.new_links(write, player)
        write.audit(AuditAct.REISSUED, player.number)


def _sentence(seen: RehearsedRemedy) -> Sequence[Sentence]:
    if seen.table.match.ended_at is not None:
        return (
            Sentence(
                "All links {name} ever got for this match stop working. The match is over, so no "
                "new ones are mailed."
            ),
        )
    return (
        Sentence("All links {name} ever got for this match stop working; new ones are mailed."),
    )


REMEDY = OfSeat(
    name="reissue",
    label=Sentence("Make new links"),
    fits=_fits,
    row=Row(
        states(
            now="declined invited refused",
            asks="gave_up absent stand_in overdue muted reachable",
        )
    ),
    helps={StallReason.OVERDUE: 6, StallReason.SILENT: 5, StallReason.MAIL: 2},
    for_several=True,
    act=_reissue,
    question=Sentence(
        "All links you ever got for this match would stop working; new ones would be mailed to you."
    ),
    sentence=_sentence,
    history={AuditAct.REISSUED: Sentence("{who} had new links made.")},
)
