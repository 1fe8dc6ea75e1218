"""Several orders at once: what they would do, and playing them one after the other.

Each order is a ply of its own, handed in as if it had come alone. A list stops at the first order
that is refused or whose question has changed, and after one that brought news (``Receipt.news``):
what stands below it was thought up before. Letters keep to the same (``pbem.mail.gateway``).

Kill points: those of ``turns.submit``, after each order. The same list sent again gets the same
receipts and goes on where it ended.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.errors import OrderError, Sentence
from engine.game import MAX_ORDER, Event
from pbem.acts import turns
from pbem.acts.turns import Receipt
from pbem.errors import BadInput, Busy, NotFound, Refused
from pbem.service import Service
from pbem.store.models import Link
from pbem.store.table import Table


@dataclass(frozen=True)
class PlannedOrder:
    """One order of a list, as far as its seat can know what it would do."""

    order: str
    move: Any
    #: The seat's view before it.
    before: Any
    events: tuple[Event, ...]
    #: What is assumed where a die would decide.
    assumed: Sentence | None


@dataclass(frozen=True)
class Plan:
    """A list of orders, and what its seat would see after it."""

    table: Table
    orders: tuple[PlannedOrder, ...]
    view: Any
    #: The unit whose choices after it are asked for (``Game.choices_about``).
    about: str

    @cached_property
    def choices(self) -> Any:
        """What can be chosen after it; None if nothing can."""
        return self.table.game.choices_about(self.view, self.about)


@dataclass(frozen=True)
class PlayedList:
    """What came of a list: its orders up to one that stopped it, and those that were left out."""

    receipts: tuple[Receipt, ...]
    #: The order that was refused, and why.
    refused: tuple[str, Refused | OrderError] | None
    left: tuple[str, ...]


def lines(text: str) -> tuple[str, ...]:
    """The orders of a text, a line each; BadInput if it is too long for a list."""
    if len(text) > MAX_ORDER:
        raise BadInput("An order has at most {most} characters.", field="order", most=MAX_ORDER)
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def look_ahead(service: Service, link: Link, orders: tuple[str, ...], about: str) -> Plan:
    """What orders would do one after the other, made from what the seat knows alone.

    Raises what ``turns.submit`` raises; of the first order that the rules refuse, its error.
    """
    with service.database.ask() as session:
        table, _turn = turns.open_turn_of(session, link)
    view = table.game.view(table.state, link.seat)
    planned: list[PlannedOrder] = []
    for order in orders:
        turns.check_order(order)
        supposed = table.game.suppose(view, order)
        if supposed is None and not planned:
            table.game.parse(table.state, link.seat, order)  # its own refusal says more
            raise BadInput(
                "One order at a time is taken here. Leave the others out.", field="order"
            )
        if supposed is None:
            raise BadInput("After these orders another one cannot be given yet.", field="order")
        planned.append(
            PlannedOrder(supposed.order, supposed.move, view, supposed.events, supposed.assumed)
        )
        view = supposed.view
    return Plan(table, tuple(planned), view, about)


def submit(
    service: Service, link: Link | str, orders: tuple[str, ...], submission: str, ply: int | None
) -> PlayedList:
    """Makes the moves of a list, each once, until one stops it.

    ``submission`` names the list; ``ply`` is what its player has seen (``turns.submit``). Raises
    Busy, and NotFound if the link names nothing.
    """
    receipts: list[Receipt] = []
    for number, order in enumerate(orders):
        try:
            receipt = turns.submit(service, link, order, _key(submission, number), ply)
        except (Busy, NotFound):
            raise
        except (OrderError, Refused) as error:
            return PlayedList(tuple(receipts), (order, error), orders[number + 1 :])
        receipts.append(receipt)
        if receipt.news:
            return PlayedList(tuple(receipts), None, orders[number + 1 :])
        ply = receipt.shown_ply
    return PlayedList(tuple(receipts), None, ())


def _key(submission: str, number: int) -> str:
    """The submission of one order of a list: as short as any, and none that its player may name."""
    if not number:
        return submission
    return hashlib.sha256(f"{submission}\n{number}".encode()).hexdigest()
