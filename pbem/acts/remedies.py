"""What a host or the operator can do for a match. Every function is an act.

All remedies are alike: they claim the match, write the change, an audit row that the table sees,
and the mails that are owed. ``actor`` is "host" or "operator"; who may act was settled at the door.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pbem.acts import (
    absence,
    advance,
    going_back,
    lobby,
    matches,
    standing_orders,
    starting,
    turn_clocks,
)
from pbem.acts.writing import act, read, writing
from pbem.clocks.deadlines import Hold
from pbem.clocks.durations import parse_span, span_text
from pbem.errors import BadInput, NotPossible, UnreadableMatch
from pbem.service import Service
from pbem.store.models import Actor, MadeBy, MatchStatus, Seat, Turn
from pbem.store.names import AuditAct, MailKind
from pbem.store.table import Table
from pbem.words import texts

#: Longest single extension.
LONGEST_EXTENSION = timedelta(days=30)
LONGEST_PAUSE = timedelta(days=60)


def waiting_turn(table: Table, seat: int) -> Turn:
    table.seat(seat)
    turn = table.open_turns.get(seat)
    if turn is None or not table.running:
        raise NotPossible("{name} has no open turn.", name=table.seats[seat].name)
    return turn


def not_over(table: Table) -> None:
    if table.match.ended_at is not None:
        raise NotPossible("This match is over.")


# --- what each remedy needs; ``pbem.acts.foresight`` asks the same ---


def extension_of(text: str) -> timedelta:
    """The length of an extension, or BadInput."""
    seconds = parse_span(text, "extension")
    if not 1 <= seconds <= LONGEST_EXTENSION.total_seconds():
        raise BadInput(
            "An extension is between 1s and {most}.",
            field="extension",
            most=span_text(int(LONGEST_EXTENSION.total_seconds())),
        )
    return timedelta(seconds=seconds)


def pause_of(text: str) -> timedelta:
    """The length of a pause, or BadInput."""
    seconds = parse_span(text, "pause")
    if not 1 <= seconds <= LONGEST_PAUSE.total_seconds():
        raise BadInput(
            "A pause is between 1s and {most}.",
            field="pause",
            most=span_text(int(LONGEST_PAUSE.total_seconds())),
        )
    return timedelta(seconds=seconds)


def extended_clock(table: Table, turn: Turn, span: timedelta, now: datetime) -> dict[str, Any]:
    """The clock of a turn that gets so much more time: from its deadline, or from now."""
    if turn.due_at is None:
        raise NotPossible("This match has no deadlines.")
    return turn_clocks.move(table, turn, max(turn.due_at, now) + span, now, anew=True)


def may_hold(table: Table, seat: Seat, bot: str | None) -> None:
    """Raises where no bot, or not this one, can be put on the seat."""
    not_over(table)
    if seat.bot is not None:
        raise NotPossible("A bot holds this seat already.")
    if bot is not None and bot not in table.game.meta.bots:
        raise BadInput(
            "{game} has no bot called {bot}. It has: {bots}.",
            field="bot",
            game=table.game.meta.title,
            bot=bot[:40],
            bots=", ".join(table.game.meta.bots),
        )


def may_resign(table: Table, seat: int) -> Seat:
    """The seat that can be taken from its player."""
    player = player_of(table, seat)
    if not table.running:
        raise NotPossible("This match is not running.")
    if player.resigned_at is not None:
        raise NotPossible("{name} has given the seat up already.", name=player.name)
    return player


def may_be_mailed(seat: Seat) -> None:
    """Raises where a mail to the seat would not be sent."""
    if seat.mail_problem_at is not None:
        raise NotPossible(
            "Mail to {name} does not arrive. Correct the address first.", name=seat.name
        )
    if seat.muted_at is not None:
        raise NotPossible("{name} wants no more mail of this match.", name=seat.name)
    if seat.joined_at is None and seat.resigned_at is not None:
        raise NotPossible("{name} does not want to play.", name=seat.name)


def player_of(table: Table, number: int) -> Seat:
    seat = table.seat(number)
    if seat.email is None:
        raise NotPossible("{name} is a bot and has no address.", name=seat.name)
    return seat


@act
def extend(service: Service, match_id: str, seat: int, by: str, *, actor: Actor) -> None:
    """Moves the deadline of a seat's open turn by a span like ``24h``; reminders begin anew."""
    span = extension_of(by)
    table, now = read(service, match_id)
    turn = waiting_turn(table, seat)
    clock = extended_clock(table, turn, span, now)
    with writing(service, table, "remedy", actor, now) as write:
        write.turn(turn, **clock)
        write.audit(AuditAct.EXTENDED, seat, until=clock["due_at"].isoformat())


@act
def remind(service: Service, match_id: str, seat: int, *, actor: Actor) -> None:
    """Mails the seat's open turn (or, in the lobby, its invitation) once more."""
    table, now = read(service, match_id)
    not_over(table)
    player = player_of(table, seat)
    may_be_mailed(player)
    turn = None if player.joined_at is None else waiting_turn(table, seat)
    key = f"{match_id}:{seat}:{table.match.revision}"
    with writing(service, table, "remedy", actor, now) as write:
        if turn is None:
            write.owe(MailKind.INVITATION, f"again:{key}", seat)
            write.audit(AuditAct.INVITED_AGAIN, seat)
        else:
            write.owe(MailKind.REMINDER, key, seat, turn_id=turn.id, number=0)
            write.audit(AuditAct.REMINDED, seat)


@act
def play_default(service: Service, match_id: str, seat: int, *, actor: Actor) -> None:
    """Plays the default move for the seat of an open turn."""
    table, now = read(service, match_id)
    turn = waiting_turn(table, seat)
    made_by = MadeBy.OPERATOR if actor == Actor.OPERATOR else MadeBy.HOST
    missed = table.seat(seat).missed
    absence.play_default(service, table, turn, now, made_by, actor, missed=missed)


def put_bot(
    service: Service, match_id: str, seat: int, *, actor: Actor, bot: str | None = None
) -> None:
    """Lets a bot hold the seat until its owner comes back or is replaced."""
    _put_bot(service, match_id, seat, bot, actor)
    starting.start_when_full(service, match_id)


@act
def _put_bot(service: Service, match_id: str, seat: int, bot: str | None, actor: Actor) -> None:
    table, now = read(service, match_id)
    not_over(table)
    held = table.seat(seat)
    may_hold(table, held, bot)
    phrase = texts.drawn_phrase(service.entropy)
    with writing(service, table, "remedy", actor, now) as write:
        absence.seat_bot(write, held, bot=bot)
        if held.joined_at is None:
            matches.sit_down_bot(write, held, phrase)


@act
def replace(
    service: Service, match_id: str, seat: int, name: str, email: str, *, actor: Actor
) -> None:
    """Gives the seat to somebody else, who is invited and sees nothing of it before joining.

    All links of the seat die. A bot that holds the seat plays on until the new player has joined.
    """
    name, email = texts.name(name), texts.address(email)
    table, now = read(service, match_id)
    not_over(table)
    player = table.seat(seat)
    refuse_doubled(table, player, email)
    reminded = {"lobby_next_at": now + lobby.REMINDERS[0]} if table.running else {}
    with writing(service, table, "remedy", actor, now, **reminded) as write:
        going_back.look_again(write)
        standing_orders.forget(write, seat)
        replaced = write.seat(
            player,
            name=name,
            email=email,
            # the ones of whoever had the seat before are not theirs
            zone=table.match.zone,
            language=table.match.language,
            epoch=player.epoch + 1,
            joined_at=None,
            missed=0,
            muted_at=None,
            mail_problem=None,
            mail_problem_at=None,
            told_ply=0,
            resigned_at=None,
            **({} if table.running else {"phrase": None, "bot": None, "bot_since": None}),
        )
        if seat in table.open_turns:
            write.close(table.open_turns[seat], actor)
        matches.invite(write, replaced)
        write.audit(AuditAct.REPLACED, seat, name=name, before=player.name)


@act
def abort(service: Service, match_id: str, *, actor: Actor) -> None:
    """Ends a match without a winner. Its log is shown whole, as for every match that is over."""
    table, now = read(service, match_id)
    not_over(table)
    _not_played_out(table)
    columns = {
        "status": MatchStatus.ABORTED,
        "ended_at": now,
        "advance_due_at": None,
        "set_aside_at": None,
        "lobby_next_at": None,
        "paused_until": None,
    }
    with writing(service, table, "remedy", actor, now, **columns) as write:
        for turn in table.open_turns.values():
            write.close(turn, actor)
        advance.owe_ending(write, MailKind.MATCH_ABORTED)
        write.audit(AuditAct.ABORTED)


def _not_played_out(table: Table) -> None:
    """By the rules a match ends with its last move, also before it was carried on to its end."""
    if table.match.set_aside_at is not None:
        return
    try:
        over = table.state is not None and table.game.outcome(table.state) is not None
    except UnreadableMatch:
        return
    if over:
        raise NotPossible("This match is over.")


@act
def retry(service: Service, match_id: str, *, actor: Actor) -> None:
    """Tries again to carry on a match that was set aside."""
    table, now = read(service, match_id)
    if table.match.set_aside_at is None:
        raise NotPossible("This match was not set aside.")
    columns = {
        "set_aside_at": None,
        "set_aside_error": None,
        "advance_failures": 0,
        "advance_due_at": now,
    }
    with writing(service, table, "remedy", actor, now, **columns) as write:
        write.audit(AuditAct.RETRIED)


@act
def pause(service: Service, match_id: str, span: str, *, actor: Actor) -> None:
    """Lets all clocks of a match stand for a span like ``7d``. It goes on by itself.

    Moves are still taken: a pause only takes the pressure away.
    """
    length = pause_of(span)
    table, now = read(service, match_id)
    if not table.running:
        raise NotPossible("This match is not running.")
    until = now + length
    with writing(service, table, "remedy", actor, now, paused_until=until) as write:
        for turn in table.open_turns.values():
            if turn.held_at is None:
                write.turn(turn, held_at=now, held_why=Hold.PAUSE, next_at=None)
        write.audit(AuditAct.PAUSED, until=until.isoformat())


@act
def resign(service: Service, match_id: str, seat: int, *, actor: Actor) -> None:
    """Takes a seat from a player for good: a bot holds it until somebody replaces them."""
    table, now = read(service, match_id)
    player = may_resign(table, seat)
    with writing(service, table, "remedy", actor, now) as write:
        absence.seat_bot(write, player, act=AuditAct.RESIGNED)
        write.seat(player, resigned_at=now)


def refuse_doubled(table: Table, player: Seat, email: str) -> None:
    for other in table.seats:
        if other.number != player.number and (other.email or "").casefold() == email.casefold():
            raise BadInput("Two seats have the same e-mail address.", field="e-mail address")
