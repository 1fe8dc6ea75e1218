"""Corrects the address of a match's host; the old host link dies, a new one is mailed.

Whoever has the address before is told there.

A seat that the host plays keeps its own address: the two may differ on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import Sentence
from pbem.acts import deliverability
from pbem.acts.remedy import EMAIL, OfMatch, RehearsedRemedy, RemedyRequest, not_over
from pbem.acts.writing import act, read, writing
from pbem.service import Service
from pbem.store.names import Actor, AuditAct
from pbem.store.table import Table
from pbem.words import texts


def _fits(table: Table) -> bool:
    return table.match.ended_at is None


@act
def _correct(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    email = texts.address(asked.email)
    table, now = read(service, match_id)
    not_over(table)
    before = table.match
    with writing(service, table, "remedy", actor, now, host_email=email) as write:
        if email.lower() != before.host_email.lower():
            deliverability.tell_host_before(write, before)
        deliverability.new_host_link(write)
        write.audit(AuditAct.HOST_ADDRESS_CORRECTED)


def _sentence(seen: RehearsedRemedy) -> Sequence[Sentence]:
    return (
        Sentence(
            "Mail for the host goes to {email} from now on. The old host link stops working, and a "
            "new one is mailed there."
        ),
        *(
            Sentence(
                "The seat of {name} has the old address and keeps it: correct it there as well.",
                {"name": seat.name},
            )
            for seat in seen.table.seats
            if seen.table.match.is_seat_of_host(seat)
        ),
    )


REMEDY = OfMatch(
    name="correct-host-address",
    label=Sentence("Correct the host's address"),
    asks=(EMAIL,),
    of_host="correct-address",
    # whoever got hold of a host link must not be able to take the match over
    who=frozenset({Actor.OPERATOR}),
    fits=_fits,
    act=_correct,
    sentence=_sentence,
    history={AuditAct.HOST_ADDRESS_CORRECTED: Sentence("{who} corrected the host's address.")},
)
