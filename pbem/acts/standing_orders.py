"""Standing orders: orders that a seat leaves for its next decisions.

An order that is left while a turn of the seat is open is for the turn after that one, whichever
door it comes through: the player decides the open turn themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from sqlmodel import Session, col, func, select

from pbem.acts.turns import check_order
from pbem.acts.writing import Writer, act, read_by, refuse_lost, writing
from pbem.errors import BadInput, NotFound, NotPossible, Resigned
from pbem.service import Service
from pbem.store.models import NEXT_TURN, Link, Seat, StandingOrder, Turn
from pbem.store.names import Actor, StandingEnded
from pbem.store.table import load

#: Standing orders that a seat may have at once, and alternatives in one.
MOST = 10
MOST_ALTERNATIVES = 10


@act
def leave(
    service: Service,
    link: Link,
    orders: Sequence[str],
    along: Callable[[Session, StandingOrder], None] | None = None,
) -> StandingOrder:
    """Leaves alternatives for the seat's next decision: the first that is legal then is played.

    Several standing orders of a seat are used for its next decisions, one for each, in order.
    Whether an order is legal is only known then; what cannot be an order in any game is refused
    now. Idempotent: what waits already, with the same alternatives, is not left once more.
    ``along`` is called with the row in the same transaction.
    """
    cleaned = _cleaned(orders)
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    if table.match.ended_at is not None:
        raise NotPossible("This match is over.")
    if seat.resigned_at is not None:
        raise Resigned()
    left = [order for order in table.standing if order.seat == seat.number]
    same = next((order for order in left if json.loads(order.orders_json) == cleaned), None)
    if len(left) >= MOST and same is None:
        raise NotPossible("A seat has at most {most} standing orders.", most=MOST)
    row = same or StandingOrder(
        match_id=link.match_id,
        seat=seat.number,
        orders_json=json.dumps(cleaned),
        after_turn=turn.id if (turn := table.open_turns.get(seat.number)) else None,
        created_at=now,
    )
    with writing(service, table, "standing", Actor.PLAYER, now) as write:
        if same is None:
            write.add(row)
        if along is not None:
            write.call(lambda session: along(session, row))
    return row


def _cleaned(orders: Sequence[str]) -> list[str]:
    """The alternatives of a standing order, or BadInput."""
    cleaned = [order.strip() for order in orders if order.strip()]
    if not cleaned:
        raise BadInput("Write at least one order to leave.", field="order")
    if len(cleaned) > MOST_ALTERNATIVES:
        raise BadInput(
            "A standing order has at most {most} alternatives.",
            field="order",
            most=MOST_ALTERNATIVES,
        )
    for order in cleaned:
        check_order(order)
    return cleaned


@act
def cancel(service: Service, link: Link, order_id: int) -> None:
    """Cancels a standing order of this seat. Idempotent: one that has ended stays as it is."""
    with service.database.read() as session:
        table, now = load(session, link.match_id), service.now()
        row = session.get(StandingOrder, order_id)
    refuse_lost(table, link)
    if row is None or row.match_id != link.match_id or row.seat != link.seat:
        raise NotFound()
    if row.ended_at is not None:
        return
    with writing(service, table, "standing", Actor.PLAYER, now) as write:
        end(write, StandingEnded.CANCELLED, table.match.ply, col(StandingOrder.id) == order_id)


def end(write: Writer, how: StandingEnded, ply: int, *which: Any) -> None:
    """Ends standing orders at a ply.

    ``which`` are conditions on the rows; those that have ended already stay as they are.
    """
    waits = col(StandingOrder.ended_at).is_(None)
    write.update(StandingOrder, *which, waits, ended_at=write.now, ended=how, ended_ply=ply)


def forget(write: Writer, seat: int) -> None:
    """Cancels all standing orders of a seat, because it gets another player."""
    match = write.table.match
    theirs = (col(StandingOrder.match_id) == match.id, col(StandingOrder.seat) == seat)
    end(write, StandingEnded.CANCELLED, match.ply, *theirs)


def hold_back(write: Writer) -> None:
    """After going back: every standing order waits until its seat has had another turn."""
    write.update(
        StandingOrder,
        col(StandingOrder.match_id) == write.table.match.id,
        col(StandingOrder.ended_at).is_(None),
        after_turn=NEXT_TURN,
    )


def hold_for(write: Writer, seat: Seat, turn: int) -> None:
    """What a seat left and is still there when it is asked waits for the end of this turn."""
    write.update(
        StandingOrder,
        col(StandingOrder.match_id) == seat.match_id,
        col(StandingOrder.seat) == seat.number,
        col(StandingOrder.ended_at).is_(None),
        after_turn=turn,
    )


def waits_for_a_turn(session: Session, row: StandingOrder) -> bool:
    """Whether a standing order waits for the end of a turn of its seat.

    The turn in which it was left may be over by now.
    """
    turn = session.get(Turn, row.after_turn) if row.after_turn is not None else None
    return row.after_turn == NEXT_TURN or (turn is not None and turn.closed_at is None)


def before(session: Session, row: StandingOrder) -> int:
    """How many standing orders of the seat are used before this one, one for each decision."""
    return session.exec(
        select(func.count())
        .select_from(StandingOrder)
        .where(
            StandingOrder.match_id == row.match_id,
            StandingOrder.seat == row.seat,
            col(StandingOrder.ended_at).is_(None),
            col(StandingOrder.id) < row.id,
        )
    ).one()


def of_seat(
    service: Service, match_id: str, seat: int, ended_since: int = 0
) -> list[StandingOrder]:
    """A seat's standing orders: those that wait and those that ended after a ply; oldest first."""
    with service.database.read() as session:
        return list(
            session.exec(
                select(StandingOrder)
                .where(
                    StandingOrder.match_id == match_id,
                    StandingOrder.seat == seat,
                    col(StandingOrder.ended_at).is_(None)
                    | (col(StandingOrder.ended_ply) > ended_since),
                )
                .order_by(col(StandingOrder.id))
            )
        )


def alternatives(row: StandingOrder) -> list[str]:
    """The orders of a row, in the order in which they are tried."""
    found: list[str] = json.loads(row.orders_json)
    return found
