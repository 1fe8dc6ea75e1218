"""Corrects the address of a seat. A clock held for mail runs again and gets that time back.

Old links die, because mail to the wrong address may have reached somebody.
"""

from __future__ import annotations

from engine.errors import Sentence
from pbem.acts import deliverability, invitees
from pbem.acts.remedy import EMAIL, OfSeat, RemedyRequest, not_over, player_of, refuse_doubled
from pbem.acts.who_may import May, Row, states
from pbem.acts.writing import act, read, writing
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, AuditAct, StallReason
from pbem.store.table import Table
from pbem.words import texts


def _fits(table: Table, seat: Seat) -> bool:
    return seat.email is not None


@act
def _correct(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    email = texts.address(asked.email)
    table, now = read(service, match_id)
    not_over(table)
    player = player_of(table, asked.place)
    refuse_doubled(table, player, email)
    with writing(service, table, "remedy", actor, now) as write:
        if not player.has_address(email):
            deliverability.tell_before(write, player, "address")
            if player.joined_at is not None:
                # whoever has this address has agreed to nothing yet
                invitees.count(write, email)
        corrected = write.seat(player, email=email)
        deliverability.try_mail_anew(write, corrected)
        deliverability.new_links(write, corrected)
        write.audit(AuditAct.ADDRESS_CORRECTED, player.number)


REMEDY = OfSeat(
    name="correct-address",
    label=Sentence("Correct the address"),
    asks=(EMAIL,),
    # a player's page has it too
    who=frozenset({Actor.PLAYER, Actor.HOST, Actor.OPERATOR}),
    fits=_fits,
    row=Row(
        states(
            now="declined invited refused",
            asks="gave_up absent stand_in overdue muted reachable",
        ),
        # whoever got hold of a link must not be able to take the seat over
        owner=May.ASKS,
    ),
    helps={StallReason.MAIL: 1, StallReason.ABSENT: 3},
    act=_correct,
    question=Sentence(
        "Your mail about this match would go to {email}, with new links. The links in older mails "
        "would stop working."
    ),
    sentence=Sentence(
        "Mail for {name} goes to {email} from now on. The old links stop working, new ones are "
        "mailed there, and time lost with the wrong address is given back."
    ),
    history={AuditAct.ADDRESS_CORRECTED: Sentence("{who} corrected the address of {name}.")},
)
