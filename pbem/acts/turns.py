"""A move is handed in. Link, mail and API all call ``submit``; the doors only translate."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from engine.codec import decode, encode
from engine.dice import ChanceNeededError, NoDice
from engine.game import MAX_ORDER, Event
from pbem.acts import turn_clocks
from pbem.acts.plies import NewPly, entries, play
from pbem.acts.writing import SomeoneWasFirstError, Writer, act, refuse_lost, writing
from pbem.clocks import deadlines
from pbem.clocks.deadlines import Hold
from pbem.errors import BadInput, NotFound, Stale, TurnClosed, Unconfirmed
from pbem.service import Service
from pbem.store import links, match_log, packed, statements
from pbem.store.match_log import said
from pbem.store.models import Link, Match, Ply, Seat, Submission, Turn
from pbem.store.names import Actor, MadeBy, Purpose
from pbem.store.table import TABLES, Table, load, of_rows

_SUBMISSION = statements.inserting(Submission)
#: All that a move asks of the database, at one moment: the table of a link, the link, the receipt
#: if this submission was taken before, and the ply at which the link's open turn asked.
_ASKED = (
    TABLES.add_columns(Link, col(Submission.receipt_json), Ply)
    .join(Link, col(Link.match_id) == col(Match.id))
    .outerjoin(
        Submission,
        and_(
            col(Submission.turn_id) == col(Link.turn_id),
            col(Submission.key) == bindparam("key"),
        ),
    )
    .outerjoin(
        Ply,
        and_(
            col(Turn.id) == col(Link.turn_id),
            col(Ply.match_id) == col(Turn.match_id),
            col(Ply.ply) == col(Turn.asked_ply),
        ),
    )
    .where(col(Link.id) == bindparam("row"))
)

#: Most characters of a submission's key.
MAX_SUBMISSION = 80


class Receipt(msgspec.Struct, frozen=True):
    """What the mover is told: the same for the same submission, however often it is sent."""

    #: Its number in the log.
    ply: int
    order: str
    #: What happened, as far as the mover may know it, in plain values.
    events: list[dict[str, Any]]
    accepted: bool = True
    #: The ply's number as the mover may know it: without what others did in secret.
    shown_ply: int | None = None
    #: Whether something happened after which the rest of a list of orders is not played.
    news: bool = False


class Preview(msgspec.Struct, frozen=True):
    """What a move would do, as far as it is certain without chance and others' hidden choices."""

    order: str
    #: The move, as the game parses the order.
    move: Any
    #: What the mover may know of what happens.
    events: tuple[Event, ...]
    #: The mover's view after what is certain of the move; None if that is nothing to be seen.
    view: Any


# --- a move is handed in ---


@act
def submit(
    service: Service,
    link: Link | str,
    order: str,
    submission: str,
    ply: int | None = None,
    made_by: MadeBy = MadeBy.LINK,
    unseen: bool = False,
) -> Receipt:
    """Makes the move of an order, once.

    1. If the same submission to the same turn was taken before, return its receipt.
    2. Check that the turn is open, and that it asks for the same decision as at ``ply``, the ply
       that the mover has seen; None: not checked.
    3. The engine parses the order and applies the move.
    4. In one transaction: claim the match; write log, state, submission, turn, "advance due".

    ``link``: the row, or the token that names it. ``unseen``: the door showed no preview, so a move
    that the game wants confirmed needs the order in its confirming form (``Game.confirmed_by``).

    Raises NotFound, TurnClosed, Stale, Unconfirmed, Busy, BadInput, or the engine's OrderError.
    """
    check_order(order)
    if not 1 <= len(submission) <= MAX_SUBMISSION or not submission.isprintable():
        raise BadInput(
            "A submission needs a name of 1 to {most} printable characters.",
            field="submission",
            most=MAX_SUBMISSION,
        )
    now = service.now()
    with service.database.ask() as session:
        link, table, receipt_json, asked = _asked(service, session, link, submission, now)
        taken = _receipt(session, table.match, link, submission, receipt_json)
        if taken is not None:
            return taken
        turn = _open_turn(session, table, link)
    # the plies that the mover knows of: the public ones, and their own secret ones
    hidden = table.seat(link.seat).hidden_plies
    known = table.match.counted + hidden
    since = match_log.shown_number(table.match, asked) + hidden if asked is not None else 0
    if ply is not None and not since <= ply <= known:
        raise Stale("The table has moved on since you looked. Look again, then choose.")
    move = table.game.parse(table.state, link.seat, order)
    if unseen:
        _refuse_unconfirmed(table, link.seat, move, order)
    made, state = play(table, table.state, link.seat, move, made_by)
    told = [event for event in made.events if event.readable_by(link.seat)]
    receipt = Receipt(
        table.match.ply + 1,
        made.order,
        said(told),
        # a public ply and a secret one of the mover's own both count one
        shown_ply=known + 1,
        news=any(table.game.is_news(event, link.seat) for event in told),
    )
    log = entries(table, [made], state, now)
    columns = {**log.columns, "advance_due_at": now}
    try:
        with writing(service, table, "submit", Actor.PLAYER, now, **columns) as write:
            log.write(write)
            write.put(
                _SUBMISSION,
                turn_id=turn.id,
                key=submission,
                ply=receipt.ply,
                receipt_json=encode(receipt).decode(),
                received_at=now,
            )
            _after_own_move(write, turn, state, made)
    except IntegrityError:
        # the same submission came twice at once, and the other one was written
        raise SomeoneWasFirstError(table.match.id) from None
    return receipt


def _refuse_unconfirmed(table: Table, seat: int, move: Any, order: str) -> None:
    line = table.game.confirmed_by(table.state, seat, move)
    if line is not None and _bare(order) != _bare(line):
        events, _view = _foresee(table, seat, move)
        raise Unconfirmed(line, said(events))


def _bare(order: str) -> str:
    """An order without differences of case, spaces and a final full stop."""
    return " ".join(order.casefold().split()).rstrip(" .")


def check_order(order: str) -> None:
    """BadInput if a text cannot be an order in any game."""
    if not order.strip():
        raise BadInput("No order was given. Write one, or choose one on the page.", field="order")
    if len(order) > MAX_ORDER:
        raise BadInput("An order has at most {most} characters.", field="order", most=MAX_ORDER)
    if not all(sign.isprintable() or sign in "\n\t" for sign in order):
        raise BadInput("The order contains characters that cannot be read.", field="order")


def preview(service: Service, link: Link, order: str) -> Preview:
    """What an order would do, without doing it.

    Of a move that reveals something it shows only what is certain beforehand: what somebody has
    seen they cannot unlearn.

    Raises NotFound, TurnClosed, BadInput, or the engine's OrderError.
    """
    check_order(order)
    with service.database.ask() as session:
        table, _turn = open_turn_of(session, link)
    move = table.game.parse(table.state, link.seat, order)
    text = table.game.format(move)
    return Preview(text, move, *_foresee(table, link.seat, move))


def _foresee(table: Table, seat: int, move: Any) -> tuple[tuple[Event, ...], Any]:
    """The events of a move that the mover may know beforehand; their view after it, or None."""
    try:
        step = table.game.apply(table.state, seat, move, NoDice())
    except ChanceNeededError:
        step = None
    if step is None or step.reveals:
        happens = table.game.certain(table.state, seat, move)
        view = table.game.certain_view(table.game.view(table.state, seat), move)
    else:
        happens, view = step.events, table.game.view(step.state, seat)
    return tuple(event for event in happens if event.readable_by(seat)), view


def open_turn_of(session: Session, link: Link) -> tuple[Table, Turn]:
    """The table and the open turn of a turn link; TurnClosed if the turn is closed."""
    table = load(session, link.match_id)
    return table, _open_turn(session, table, link)


def _open_turn(session: Session, table: Table, link: Link) -> Turn:
    turn = table.open_turns.get(link.seat)
    if turn is not None and turn.id == link.turn_id and table.running:
        return turn
    there = session.get(Turn, link.turn_id)
    if there is None or there.match_id != link.match_id or there.seat != link.seat:
        raise NotFound()
    raise TurnClosed("This turn is closed.")


def _asked(
    service: Service, session: Session, link: Link | str, key: str, now: datetime
) -> tuple[Link, Table, str | None, Ply | None]:
    """What ``_ASKED`` asks for a link, or for the token of one; NotFound if it is not valid now."""
    number = links.row_of(link) if isinstance(link, str) else link.id
    rows = session.execute(_ASKED, {"row": number, "key": key}).all() if number is not None else []
    found: Link | None = rows[0].Link if rows else None
    if isinstance(link, str):
        epoch = next((row.Seat.epoch for row in rows if row.Seat.number == row.Link.seat), None)
        found = links.checked(service.keys, link, Purpose.TURN, now, found, epoch)
    if found is None:
        raise NotFound()
    table = of_rows(rows)
    # a row was found some time ago: its seat may be somebody else's by now
    refuse_lost(table, found)
    asked = next((row.Ply for row in rows if row.Ply is not None), None)
    return found, table, rows[0].receipt_json, asked


def _receipt(
    session: Session, match: Match, link: Link, key: str, found: str | None
) -> Receipt | None:
    """The receipt of a submission: the one that was found, or that in the packed log."""
    if found is None and match.ended_at is not None:
        found = packed.receipt(session, match.id, link.turn_id, key)
    return decode(Receipt, found) if found else None


def _after_own_move(write: Writer, turn: Turn, state: Any, made: NewPly) -> None:
    """After a player's own move: resets missed turns; closes the turn, or moves its clock on."""
    table, now, ply = write.table, write.now, write.ply
    seat, down = table.seat(turn.seat), turn_clocks.not_credited(write.service, table, turn, now)
    reserve = turn_clocks.reserve_left(table, turn, now, down, moved=True)
    closes = turn.seat not in table.game.phase(state).pending
    tells = match_log.told_to_everybody(made.events)
    if table.policy.kind == "bank" and not (tells or closes):
        # the next deadline shows what a bank holds, so a secret move adds nothing to it
        reserve = seat.reserve
    write.seat(seat, missed=0, reserve=reserve, told_ply=ply, **_mail_arrives(seat))
    if closes:
        write.close(turn, made.made_by)
    elif tells:
        told = turn_clocks.as_told(table, turn)
        known = _next_clock(table, told, reserve, now)
        clock = _next_clock(table, turn, reserve, now) | {
            "public_due_at": known.get("due_at", told.due_at),
            "public_held_at": known.get("held_at", told.held_at),
        }
        write.turn(turn, asked_ply=ply, **clock)
    else:
        write.turn(turn, asked_ply=ply, **_secret_clock(write, turn, reserve))


def _next_clock(table: Table, turn: Turn, reserve: int, now: datetime) -> dict[str, Any]:
    """The columns of the clock of a turn that stays open for its seat's next decision.

    The decision has its full time, and an announced deadline never gets shorter.
    """
    seat = table.seat(turn.seat)
    clock = turn_clocks.begin(table, seat, now, reserve)
    if turn.due_at is not None and turn.due_at > clock["due_at"]:
        # the time up to now is charged already
        clock = turn_clocks.not_charged(turn, [(turn.charged_from, now)])
    if turn.held_at is not None:
        paused = table.match.paused_until is not None
        care_at = deadlines.next_at(
            turn.clock_from, turn.due_at, turn.final_at, turn.reminders, seat.zone
        )
        clock |= {
            "held_at": now if paused else None,
            "held_why": Hold.PAUSE if paused else None,
            "next_at": None if paused else clock.get("next_at", care_at),
            "host_asked_at": None,
        }
    return clock


def _secret_clock(write: Writer, turn: Turn, reserve: int) -> dict[str, Any]:
    """As ``_next_clock``, after a secret move: the clock as others know it does not change.

    A clock that was held for mail runs again, as after anything else the player does.
    """
    table, now = write.table, write.now
    goes_on: dict[str, Any] = {}
    if turn.held_at is not None and table.match.paused_until is None:
        if turn_clocks.mail_came_back(table.seat(turn.seat)):
            goes_on = turn_clocks.that_ran(table, turn, now)
        else:
            goes_on = turn_clocks.release(write, turn)
    if table.policy.kind == "bank":
        return goes_on
    known = {name: goes_on.get(name, getattr(turn, name)) for name in turn_clocks.PUBLIC}
    # others are told of outages from before this move, too
    credited = goes_on.get("credited_until", turn.credited_until or turn.clock_from)
    return _next_clock(table, turn, reserve, now) | known | {"credited_until": credited}


def _mail_arrives(seat: Seat) -> dict[str, Any]:
    """The columns of a seat that has moved: they clear the mark that mail to it is refused."""
    return {} if seat.mail_problem_at is None else {"mail_problem": None, "mail_problem_at": None}
