"""Lets a bot hold a seat until its owner comes back or is replaced."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import Sentence, shown
from pbem.acts import absence, open_seats, starting
from pbem.acts.remedy import OfSeat, Question, RehearsedRemedy, RemedyRequest, not_over
from pbem.acts.who_may import Row, states
from pbem.acts.writing import act, read, writing
from pbem.errors import BadInput, NotPossible
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, StallReason
from pbem.store.table import Table
from pbem.words import texts


def _fits(table: Table, seat: Seat) -> bool:
    return seat.bot is None


def _may_hold(table: Table, seat: Seat, bot: str) -> None:
    """Raises if no bot, or not this one, can be put on the seat."""
    not_over(table)
    if seat.bot is not None:
        raise NotPossible("A bot holds this seat already.")
    if bot and bot not in table.game.meta.bots:
        raise BadInput(
            "{game} has no bot called {bot}. It has: {bots}.",
            field="bot",
            game=table.game.meta.title,
            bot=shown(bot),
            bots=", ".join(table.game.meta.bots),
        )


def _put_bot(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    _seat_bot(service, match_id, asked, actor)
    starting.start_when_full(service, match_id)


@act
def _seat_bot(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    seat = table.seat(asked.place)
    _may_hold(table, seat, asked.bot)
    phrase = texts.drawn_phrase(service.entropy)
    with writing(service, table, "remedy", actor, now) as write:
        if seat.is_open:
            open_seats.give_to_bot(write, seat, asked.bot or table.game.meta.bots[0], phrase)
            return
        absence.seat_bot(write, seat, bot=asked.bot or None)
        if seat.joined_at is None:
            # it sits there in place of whoever was invited
            write.seat(seat, joined_at=now, phrase=seat.phrase or phrase)


def _sentence(seen: RehearsedRemedy) -> Sequence[Sentence]:
    if seen.table.seats[seen.asked.place].is_open:
        return (Sentence("A bot takes the open seat."),)
    return (
        Sentence(
            "A bot plays for {name} until {name} takes the seat back. {name} and the table are "
            "told."
        ),
    )


REMEDY = OfSeat(
    name="bot",
    label=Sentence("Let a bot play"),
    asks=(Question("bot", Sentence("Which bot"), needed=False),),
    fits=_fits,
    row=Row(states(now="open declined invited refused overdue", asks="muted reachable")),
    helps={
        StallReason.OVERDUE: 4,
        StallReason.SILENT: 3,
        StallReason.MAIL: 3,
        StallReason.LOBBY: 3,
        StallReason.ABSENT: 4,
        StallReason.DECLINED: 2,
        StallReason.MUTED: 3,
    },
    for_several=True,
    act=_put_bot,
    question=Sentence("A bot would play for you until you take the seat back."),
    sentence=_sentence,
)
