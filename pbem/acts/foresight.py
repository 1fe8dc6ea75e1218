"""What a remedy would do, worked out without doing it: ``foresee`` is a pure function.

It says only what everybody may know. Which move silence means can follow from a hand, so a
foresight never holds an order; and what comes after the remedy (forced moves, bots, whose turn
opens next) can follow from hands, too, so it ends with "the match is carried on".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlmodel import Session, col, select

from pbem.acts import going_back, mail_relevance, remedies, turn_clocks
from pbem.acts.remedy_requests import Asked
from pbem.errors import NotPossible
from pbem.store import links, match_log
from pbem.store.models import Link, Match, MatchStatus, Ply, Purpose, Seat, Turn
from pbem.store.table import Table, load
from pbem.words import texts


@dataclass(frozen=True)
class Known:
    """All that a foresight follows from."""

    table: Table
    #: The entries of the log that are in force.
    rows: tuple[Ply, ...]
    #: The links that work now.
    alive: tuple[Link, ...]
    #: The rematch there is already.
    rematch: str | None


class Mailed(msgspec.Struct, frozen=True):
    """A mail that would be owed. ``seat`` is ``links.HOST`` for the host."""

    kind: str
    seat: int
    #: Whose it is, by name: the new player's where a seat changes hands.
    name: str
    #: Why it would not go out all the same; "" where it would.
    held_back: str = ""


class Clock(msgspec.Struct, frozen=True):
    """The deadline that a seat's open turn would get; None where there is no limit."""

    seat: int
    before: datetime | None
    due_at: datetime | None
    #: Whether it only holds if nothing comes between: the end of a pause.
    then: bool = False


class DeadLink(msgspec.Struct, frozen=True):
    """A link that would work no longer."""

    purpose: str
    seat: int


class Foresight(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a remedy."""

    remedy: str
    seat: int | None
    #: The seat for which a move would be made at once, and by whom: "default" or "bot".
    moves: int | None = None
    moved_by: str = ""
    #: Whether several seats decide at once now, so that the move stays hidden until all have.
    hidden: bool = False
    clocks: tuple[Clock, ...] = ()
    mails: tuple[Mailed, ...] = ()
    dead: tuple[DeadLink, ...] = ()
    #: Seats whose open turn would be closed.
    closes: tuple[int, ...] = ()
    #: Seats that would have an open turn right after, before the match is carried on.
    waits: tuple[int, ...] = ()
    #: Seats whose decision it would be after going back.
    decide: tuple[int, ...] = ()
    #: Whether the service would carry the match on at once.
    goes_on: bool = False
    paused_until: datetime | None = None
    back_to: int | None = None
    ends: bool = False


def gather(session: Session, match_id: str, now: datetime) -> Known:
    """Reads what ``foresee`` needs; NotFound where there is no such match."""
    table = load(session, match_id)
    rows = session.exec(select(Ply).where(Ply.match_id == match_id).order_by(col(Ply.ply))).all()
    found = session.exec(
        select(Link)
        # the index of links begins with what they are for
        .where(col(Link.purpose).in_(list(Purpose)), Link.match_id == match_id)
        .order_by(col(Link.id))
    )
    epochs = {seat.number: seat.epoch for seat in table.seats} | {
        links.HOST: table.match.host_epoch
    }
    alive = [
        link
        for link in found
        if link.revoked_at is None
        and (link.expires_at is None or link.expires_at > now)
        and link.epoch == epochs.get(link.seat)
    ]
    rematch = session.exec(select(Match.id).where(Match.rematch_of == match_id)).first()
    return Known(table, tuple(match_log.in_force(rows)), tuple(alive), rematch)


def foresee(known: Known, asked: Asked, now: datetime) -> Foresight:
    """The effect of a remedy. Raises what the act itself would raise."""
    return _FORESEEN[asked.remedy](known, asked, now)


# --- of a seat ---


def _remind(known: Known, asked: Asked, now: datetime) -> Foresight:
    table, seat = known.table, _seat(known, asked)
    remedies.not_over(table)
    remedies.player_of(table, seat.number)
    remedies.may_be_mailed(seat)
    if seat.joined_at is None:
        return _plain(known, asked, mails=(_mail(table, "invitation", seat),))
    remedies.waiting_turn(table, seat.number)
    return _plain(known, asked, mails=(_mail(table, "reminder", seat),))


def _extend(known: Known, asked: Asked, now: datetime) -> Foresight:
    table, seat = known.table, _seat(known, asked)
    span = remedies.extension_of(asked.by)
    turn = remedies.waiting_turn(table, seat.number)
    due_at = remedies.extended_clock(table, turn, span, now)["due_at"]
    return _plain(known, asked, clocks=(Clock(seat.number, turn.due_at, due_at),))


def _default(known: Known, asked: Asked, now: datetime) -> Foresight:
    table, seat = known.table, _seat(known, asked)
    remedies.waiting_turn(table, seat.number)
    return _plain(
        known,
        asked,
        moves=seat.number,
        moved_by="default",
        hidden=len(table.game.phase(table.state).pending) > 1,
        mails=(_mail(table, "played_for_you", seat),),
        closes=(seat.number,),
        goes_on=True,
    )


def _bot(known: Known, asked: Asked, now: datetime) -> Foresight:
    seat = _seat(known, asked)
    remedies.may_hold(known.table, seat, asked.bot or None)
    return _held_by_bot(known, asked, seat)


def _resign(known: Known, asked: Asked, now: datetime) -> Foresight:
    return _held_by_bot(known, asked, remedies.may_resign(known.table, asked.seat or 0))


def _held_by_bot(known: Known, asked: Asked, seat: Seat) -> Foresight:
    table = known.table
    held = seat.model_copy(update={"bot": asked.bot or table.game.meta.bots[0]})
    pending = table.game.phase(table.state).pending if table.running else frozenset()
    others = all(one.joined_at is not None for one in table.seats if one.number != seat.number)
    moves = seat.number in pending
    return _plain(
        known,
        asked,
        moves=seat.number if moves else None,
        moved_by="bot" if moves else "",
        hidden=moves and len(pending) > 1,
        mails=(_mail(table, "bot_took_over", held), _to_host(table, "bot_seated")),
        closes=_open(table, seat.number),
        # in the lobby, the last seat that is taken starts the match
        goes_on=table.running or others,
    )


def _replace(known: Known, asked: Asked, now: datetime) -> Foresight:
    name, email = texts.name(asked.name), texts.address(asked.email)
    table, seat = known.table, _seat(known, asked)
    remedies.not_over(table)
    remedies.refuse_doubled(table, seat, email)
    return _plain(
        known,
        asked,
        mails=(Mailed("invitation", seat.number, name),),
        dead=_dead(known, seat.number),
        closes=_open(table, seat.number),
    )


def _correct_address(known: Known, asked: Asked, now: datetime) -> Foresight:
    email = texts.address(asked.email)
    table = known.table
    remedies.not_over(table)
    seat = remedies.player_of(table, asked.seat or 0)
    remedies.refuse_doubled(table, seat, email)
    return _new_links(known, asked, seat, now)


def _reissue(known: Known, asked: Asked, now: datetime) -> Foresight:
    return _new_links(known, asked, remedies.player_of(known.table, asked.seat or 0), now)


def _new_links(known: Known, asked: Asked, seat: Seat, now: datetime) -> Foresight:
    """Old links die, new ones are mailed, and a clock that was held for mail goes on."""
    table = known.table
    turn = table.open_turns.get(seat.number)
    tried = seat.model_copy(update={"mail_problem_at": None})
    asked_for = "seat_link" if turn is None else "your_turn"
    kind = "invitation" if seat.joined_at is None else asked_for
    mails = (_mail(table, kind, tried),) if table.match.ended_at is None else ()
    clocks: tuple[Clock, ...] = ()
    if turn is not None and turn.held_why == "mail" and table.match.paused_until is None:
        clocks = (_released(table, turn, turn.held_at or now, now),)
    return _plain(known, asked, mails=mails, dead=_dead(known, seat.number), clocks=clocks)


# --- of the whole match ---


def _reissue_host(known: Known, asked: Asked, now: datetime) -> Foresight:
    mails = (_to_host(known.table, "host_link"),)
    return _plain(known, asked, mails=mails, dead=_dead(known, links.HOST))


def _correct_host_address(known: Known, asked: Asked, now: datetime) -> Foresight:
    texts.address(asked.email)
    remedies.not_over(known.table)
    return _reissue_host(known, asked, now)


def _pause(known: Known, asked: Asked, now: datetime) -> Foresight:
    table = known.table
    length = remedies.pause_of(asked.by)
    if not table.running:
        raise NotPossible("This match is not running.")
    until = now + length
    clocks = tuple(
        _released(table, turn, turn.held_at or now, until, then=True)
        for turn in _turns(table)
        if turn.held_why != "mail"
    )
    return _plain(known, asked, clocks=clocks, paused_until=until)


def _resume(known: Known, asked: Asked, now: datetime) -> Foresight:
    table = known.table
    if table.match.paused_until is None:
        raise NotPossible("This match is not paused.")
    clocks = tuple(
        _released(table, turn, turn.held_at or now, now)
        for turn in _turns(table)
        if turn.held_why == "pause" and table.seat(turn.seat).mail_problem_at is None
    )
    return _plain(known, asked, clocks=clocks)


def _rematch(known: Known, asked: Asked, now: datetime) -> Foresight:
    table = known.table
    if known.rematch is not None:
        return _plain(known, asked)
    if table.match.ended_at is None:
        raise NotPossible("This match is not over yet.")
    invited = (seat for seat in table.seats if seat.email is not None)
    # in the new match nobody has muted anything, and no mail was refused
    mails = (
        _to_host(table, "match_opened"),
        *(Mailed("invitation", seat.number, seat.name) for seat in invited),
    )
    return _plain(known, asked, mails=mails)


def _roll_back(known: Known, asked: Asked, now: datetime) -> Foresight:
    table, rows = known.table, known.rows
    going_back.may_roll_back(table, rows, asked.ply)
    kept = [row for row in rows if row.ply <= asked.ply]
    state = match_log.replay(table.match, table.seats, kept)
    told = (seat for seat in table.seats if seat.email is not None)
    return _plain(
        known,
        asked,
        mails=tuple(_mail(table, "rolled_back", seat) for seat in told),
        closes=tuple(sorted(table.open_turns)),
        decide=tuple(sorted(table.game.phase(state).pending)),
        back_to=asked.ply,
        goes_on=True,
    )


def _retry(known: Known, asked: Asked, now: datetime) -> Foresight:
    if known.table.match.set_aside_at is None:
        raise NotPossible("This match was not set aside.")
    return _plain(known, asked, goes_on=True)


def _abort(known: Known, asked: Asked, now: datetime) -> Foresight:
    table = known.table
    remedies.not_over(table)
    ended = table.match.model_copy(update={"status": MatchStatus.ABORTED, "ended_at": now})
    told = [seat for seat in table.seats if seat.email is not None]
    mails = [_mail(table, "match_aborted", seat, ended) for seat in told]
    if table.match.host_email.casefold() not in [(seat.email or "").casefold() for seat in told]:
        mails.append(_to_host(table, "match_aborted"))
    return _plain(
        known, asked, mails=tuple(mails), closes=tuple(sorted(table.open_turns)), ends=True
    )


_FORESEEN: dict[str, Callable[[Known, Asked, datetime], Foresight]] = {
    "remind": _remind,
    "extend": _extend,
    "default": _default,
    "bot": _bot,
    "replace": _replace,
    "correct-address": _correct_address,
    "reissue": _reissue,
    "resign": _resign,
    "reissue-host": _reissue_host,
    "correct-host-address": _correct_host_address,
    "pause": _pause,
    "resume": _resume,
    "rematch": _rematch,
    "roll-back": _roll_back,
    "retry": _retry,
    "abort": _abort,
}


# --- pieces ---


def _plain(
    known: Known,
    asked: Asked,
    *,
    clocks: tuple[Clock, ...] = (),
    mails: tuple[Mailed, ...] = (),
    dead: tuple[DeadLink, ...] = (),
    closes: tuple[int, ...] = (),
    goes_on: bool = False,
    **rest: object,
) -> Foresight:
    """A foresight with who is waited for afterwards worked out."""
    open_turns = known.table.open_turns
    return msgspec.structs.replace(
        Foresight(
            remedy=asked.remedy,
            seat=asked.seat,
            clocks=clocks,
            mails=mails,
            dead=dead,
            closes=closes,
            goes_on=goes_on,
            waits=tuple(number for number in sorted(open_turns) if number not in closes),
        ),
        **rest,
    )


def _seat(known: Known, asked: Asked) -> Seat:
    return known.table.seat(links.HOST if asked.seat is None else asked.seat)


def _turns(table: Table) -> Iterable[Turn]:
    return (table.open_turns[number] for number in sorted(table.open_turns))


def _open(table: Table, seat: int) -> tuple[int, ...]:
    return (seat,) if seat in table.open_turns else ()


def _released(
    table: Table, turn: Turn, held_at: datetime, until: datetime, *, then: bool = False
) -> Clock:
    due_at = turn_clocks.release(table, turn, held_at, until)["due_at"]
    return Clock(turn.seat, turn.due_at, due_at, then)


def _mail(table: Table, kind: str, seat: Seat, match: Match | None = None) -> Mailed:
    """A mail to a seat; ``seat`` and ``match`` as they would be then."""
    held_back = mail_relevance.unwanted_by_seat(kind, match or table.match, seat) or ""
    return Mailed(kind, seat.number, seat.name, held_back)


def _to_host(table: Table, kind: str) -> Mailed:
    return Mailed(kind, links.HOST, table.match.host_name)


def _dead(known: Known, seat: int) -> tuple[DeadLink, ...]:
    """The links of a seat that still lead somewhere: those of closed turns only say so."""
    turn = known.table.open_turns.get(seat)
    of_turns = (Purpose.TURN, Purpose.REPLY)
    purposes = {
        link.purpose
        for link in known.alive
        if link.seat == seat
        and (link.purpose not in of_turns or (turn is not None and link.turn_id == turn.id))
    }
    return tuple(DeadLink(str(purpose), seat) for purpose in sorted(purposes))
