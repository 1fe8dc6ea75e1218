"""Advances matches: plays what needs no human, then opens turns for those who must decide."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import bindparam, update
from sqlmodel import col

from engine.codec import encode
from engine.dice import SeededDice, fields
from engine.errors import OrderError
from pbem.acts import (
    due_work,
    going_back,
    permissions,
    standing_orders,
    starting,
    turn_clocks,
)
from pbem.acts.plies import NewPly, entries, play
from pbem.acts.writing import Writer, act, read, writing
from pbem.clocks import deadlines
from pbem.clocks.deadlines import Hold
from pbem.journal import Line
from pbem.service import Service
from pbem.store import links, match_log
from pbem.store.models import NEXT_TURN, Match, Seat, StandingOrder, Turn, rows_of
from pbem.store.names import (
    Actor,
    AuditAct,
    MadeBy,
    MailKind,
    MatchStatus,
    Purpose,
    StandingEnded,
)
from pbem.store.table import Table

#: Most plies that one transaction of ``advance`` writes.
BATCH = 40
#: How many matches a worker takes at first, so that other workers can take the rest; twice as many
#: each time as long as they take little time.
FEWEST_TAKEN = 4
#: Seconds after which no further matches are taken: below the time limit of a task.
BATCH_SECONDS = 120


def advance_due(service: Service, most: int = 50) -> int:
    """Advances matches that are due, at most ``most``; returns how many it took.

    It takes a match by moving its due time into the future. If the worker dies, the match is due
    again after ``due_work.LEASE``. If the time is up, it returns ``most``: there may be more.
    """
    until = time.monotonic() + BATCH_SECONDS
    done, some = 0, FEWEST_TAKEN
    while done < most and (taken := _take_due(service, min(some, most - done))):
        begun = time.monotonic()
        asked = going_back.with_proposal(service, taken)
        done += due_work.each(
            service, [(match_id,) for match_id in taken], partial(_advance_taken, asked=asked)
        )
        if time.monotonic() > until:
            return most
        if time.monotonic() - begun < due_work.PATIENCE:
            some *= 2
    return done


def _advance_taken(service: Service, match_id: str, asked: Collection[str]) -> None:
    """Advances a match; ``asked``: those where the table is being asked to go back.

    If there is more to do, the match is still due, and is taken again.
    """
    (advance if match_id in asked else _advance)(service, match_id)


def _take_due(service: Service, most: int) -> list[str]:
    now = service.now()
    with service.database.ask() as session:
        # most of the time nothing is due: read before taking the lock
        if session.execute(_ANY, {"now": now}).first() is None:
            return []
    with service.database.write("advance.take") as session:
        taken: list[str] = list(session.execute(_FIRST, {"now": now, "most": most}).scalars())
        session.connection().execute(_TAKE, {"taken": taken, "until": now + due_work.LEASE})
        return taken


#: Matches to be advanced.
MATCHES_DUE: Any = due_work.matches_due(Match.advance_due_at)
_ANY = MATCHES_DUE.limit(1)
_FIRST = (
    MATCHES_DUE.limit(bindparam("most"))
    # whoever adds a row to a match, as a message, does not keep it from being advanced
    .with_for_update(skip_locked=True, key_share=True)
)
_TAKE = (
    update(rows_of(Match))
    .where(col(Match.id).in_(bindparam("taken", expanding=True)))
    .values(advance_due_at=bindparam("until"))
)


def advance(service: Service, match_id: str) -> bool:
    """Plays what needs no human, then opens the turns of those who must decide.

    Returns whether there is more to do: many moves of bots in a row are written in batches.
    """
    going_back.settle(service, match_id)
    more = _advance(service, match_id)
    if not more:
        # the match may have moved past the ply that the table is being asked about
        going_back.settle(service, match_id)
    return more


def at_once(service: Service, table: Table, asked: Collection[str]) -> None:
    """Advances a match that an act has made due, in the transaction of that act.

    Not where a bot would think for long, or the table is being asked to go back (``asked``): such
    a match stays due.
    """
    if table.match.id not in asked and not any(seat.bot for seat in table.seats):
        _advance_table(service, table, service.now())


@act
def _advance(service: Service, match_id: str) -> bool:
    return _advance_table(service, *read(service, match_id))


def _advance_table(service: Service, table: Table, now: datetime) -> bool:
    begun = time.monotonic()
    if table.match.advance_due_at is None:
        return False
    if not table.running:
        return _advance_lobby(service, table, now)
    plies, state, ended = _carry_on(table)
    outcome = table.game.outcome(state)
    more = len(plies) == BATCH and outcome is None
    log = entries(table, plies, state, now)
    columns = {**log.columns, "advance_due_at": now if more else None}
    if outcome is not None or not _care_may_fail(service, table, now):
        columns["advance_failures"] = 0
    elif not more:
        # the failures may be of care that is still due: advancing alone does not reset their count
        columns["advance_due_at"] = now + due_work.BACKOFF
    if outcome is not None:
        columns |= {
            "status": MatchStatus.FINISHED,
            "ended_at": now,
            "outcome_json": encode(outcome).decode(),
            "paused_until": None,
            "lobby_next_at": None,
        }
    pending = table.game.phase(state).pending if outcome is None else frozenset()
    moved = {made.seat: made.made_by for made in plies}
    with writing(service, table, "advance", Actor.SERVICE, now, **columns) as write:
        log.write(write)
        _tell(write, plies, begun)
        for end in ended:
            standing_orders.end(write, end.how, end.ply, col(StandingOrder.id) == end.order.id)
            if end.how is StandingEnded.NOT_LEGAL:
                write.audit(AuditAct.ORDER_UNFIT, end.order.seat)
        for number, turn in table.open_turns.items():
            if number in moved or number not in pending:
                write.close(turn, moved.get(number, MadeBy.FORCED))
        if outcome is not None:
            owe_ending(write, MailKind.MATCH_OVER)
        elif not more:
            for number in sorted(pending):
                seat = table.seat(number)
                waits = number in table.open_turns and number not in moved
                if seat.bot is None and seat.joined_at is not None and not waits:
                    open_turn(write, seat, _in_secret(table, number, plies))
    return more


def _in_secret(table: Table, seat: int, plies: list[NewPly]) -> Turn | None:
    """The seat's open turn, if its own plies close it and nobody else may learn of them."""
    secret = not any(match_log.told_to_everybody(made.events) for made in plies)
    return table.open_turns.get(seat) if secret else None


def _tell(write: Writer, plies: list[NewPly], begun: float) -> None:
    """Writes to the journal how many plies were played, by whom, and how long it took."""
    if plies:
        write.journal(
            Line.ADVANCED,
            ply=write.ply,
            plies=len(plies),
            by=",".join(sorted({str(made.made_by) for made in plies})),
            ms=round((time.monotonic() - begun) * 1000),
        )


def _care_may_fail(service: Service, table: Table, now: datetime) -> bool:
    """Whether something failed in this match, and may have been other work that is still due."""
    match = table.match
    if not match.advance_failures:
        return False
    moments = [match.paused_until, match.lobby_next_at, match.beacon_due_at]
    # a turn whose care failed is due again when the lease of the worker who took it is over
    due = [turn.next_at - due_work.LEASE for turn in table.open_turns.values() if turn.next_at]
    due += [moment for moment in moments if moment is not None]
    return any(moment <= now for moment in due) or permissions.are_due(service, match.id)


def _advance_lobby(service: Service, table: Table, now: datetime) -> bool:
    """Starts a match whose seats are all taken; clears the due time of any other."""
    if starting.start_when_full(service, table.match.id):
        return True
    columns: dict[str, Any] = {"advance_due_at": None, "advance_failures": 0}
    if _care_may_fail(service, table, now):
        columns = {"advance_due_at": now + due_work.BACKOFF}
    with writing(service, table, "advance", Actor.SERVICE, now, **columns):
        return False


def _carry_on(table: Table) -> tuple[list[NewPly], Any, list[_End]]:
    """The plies that need no human, from the present state on, at most ``BATCH``.

    Returns them with the state after them and the standing orders that ended.
    """
    plies: list[NewPly] = []
    ended: list[_End] = []
    state = table.state
    while len(plies) < BATCH and table.game.outcome(state) is None:
        used = {end.order.id for end in ended}
        moved = {made.seat for made in plies}
        asked = _are_asked(table, plies, ended)
        left = [
            order
            for order in table.standing
            if order.id not in used
            and order.seat not in asked
            and not _is_too_soon(table, order, moved)
        ]
        found = _without_human(table, state) or _standing(table, state, left, len(plies), ended)
        if found is None:
            break
        seat, move, made_by = found
        made, state = play(table, state, seat, move, made_by)
        plies.append(made)
    return plies, state, ended


def _without_human(table: Table, state: Any) -> tuple[int, Any, MadeBy] | None:
    """A move that can be made now without asking anybody: a bot's, or the only legal one."""
    game = table.game
    for number in sorted(game.phase(state).pending):
        bot = table.seat(number).bot
        only = game.only_move(state, number)
        if only is not None:
            return number, only, MadeBy.BOT if bot else MadeBy.FORCED
        if bot is not None:
            legal = tuple(game.legal_moves(state, number))
            view = game.view(state, number)
            return number, game.choose(view, legal, _bot_dice(table, state), bot), MadeBy.BOT
    return None


@dataclass(frozen=True)
class _End:
    """A standing order that ended: it was played, or none of its orders was legal."""

    order: StandingOrder
    how: StandingEnded
    ply: int


def _is_too_soon(table: Table, order: StandingOrder, moved: set[int]) -> bool:
    """Whether a standing order still waits for the end of its seat's turn, or for one to open.

    ``moved``: the seats that have moved since this advance began.
    """
    turn = table.open_turns.get(order.seat)
    still_open = turn is not None and order.after_turn == turn.id and order.seat not in moved
    return still_open or order.after_turn == NEXT_TURN


def _are_asked(table: Table, plies: list[NewPly], ended: list[_End]) -> set[int]:
    """The seats whose standing order did not fit their present decision.

    What else they left is for later ones.
    """
    return {
        end.order.seat
        for end in ended
        if end.how is StandingEnded.NOT_LEGAL
        and all(made.seat != end.order.seat for made in plies[end.ply - table.match.ply :])
    }


def _standing(
    table: Table, state: Any, left: list[StandingOrder], made: int, ended: list[_End]
) -> tuple[int, Any, MadeBy] | None:
    """The first legal order among the standing orders of the pending seats, one of each.

    A standing order that was tried has ended, whether it was legal or not: it goes to ``ended``.
    """
    pending = set(table.game.phase(state).pending)
    for order in left:
        if order.seat not in pending:
            continue
        for text in json.loads(order.orders_json):
            try:
                move = table.game.parse(state, order.seat, text)
            except OrderError:
                continue
            ended.append(_End(order, StandingEnded.PLAYED, table.match.ply + made + 1))
            return order.seat, move, MadeBy.STANDING
        # none of its orders is legal now: the player is asked
        ended.append(_End(order, StandingEnded.NOT_LEGAL, table.match.ply + made))
        pending.remove(order.seat)
    return None


def _bot_dice(table: Table, state: Any) -> SeededDice:
    """A bot's own dice, apart from the match's: what it tries out never changes the draws."""
    key = match_log.dice_key(table.match, table.seats)
    return SeededDice(fields("bot", key, encode(state)))


def open_turn(write: Writer, seat: Seat, before: Turn | None = None) -> None:
    """Opens a seat's turn with its link, and owes the mail that says so.

    ``before``: the turn that a secret move just closed; to others the new one is still that turn.
    """
    table, now, ply = write.table, write.now, write.ply
    columns: dict[str, Any] = {
        "match_id": table.match.id,
        "seat": seat.number,
        "opened_ply": ply,
        "asked_ply": ply,
        "opened_at": now,
        "public_opened_at": now,
        "clock_json": table.match.clock_json,
        **turn_clocks.begin(table, seat, now, seat.reserve),
    }
    if seat.mail_problem_at is not None:
        # a player is not charged for time in which their mail does not arrive
        columns |= _held(Hold.MAIL, now, deadlines.held_care(Hold.MAIL, now))
    elif table.match.paused_until is not None:
        columns |= _held(Hold.PAUSE, now, None)
    if before is not None:
        columns["public_opened_at"] = before.public_opened_at
        columns["public_due_at"] = before.public_due_at
        if "held_at" in columns:
            columns["public_held_at"] = before.public_held_at
    write.new(Turn, partial(_ask, write, seat, columns), **columns)


def _held(why: Hold, now: datetime, next_at: datetime | None) -> dict[str, Any]:
    """The columns of a turn whose clock is held from the beginning."""
    return {"held_at": now, "public_held_at": now, "held_why": why, "next_at": next_at}


def _ask(write: Writer, seat: Seat, turn: Mapping[str, Any], number: int) -> None:
    """What follows from a turn with these columns, just opened with this id: links and a mail."""
    write.journal(
        Line.TURN_OPENED,
        seat=seat.number,
        turn=number,
        ply=turn["opened_ply"],
        due_at=turn["due_at"],
        held=turn.get("held_why"),
    )
    if any(order.seat == seat.number for order in write.table.standing):
        standing_orders.hold_for(write, seat, number)
    for purpose in (Purpose.TURN, Purpose.REPLY):
        write.link(purpose, seat, number)
    write.owe(MailKind.YOUR_TURN, f"{number}", seat.number, turn_id=number)


def owe_ending(write: Writer, kind: MailKind) -> None:
    """Owes every player and the host the mail that the match is over."""
    write.journal(Line.MATCH_OVER, how=kind)
    match, addresses = write.table.match, set()
    for seat in write.table.seats:
        if seat.email is not None:
            addresses.add(seat.email.lower())
            write.owe(kind, f"{match.id}:{seat.number}", seat.number)
    if match.host_email.lower() not in addresses:
        write.owe(kind, f"{match.id}:host", links.HOST)
