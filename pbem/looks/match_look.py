"""What a seat, an onlooker or a host can see of a match. Only reads.

Doors and mails get these values; ``pbem.present`` turns them into words and local times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from itertools import islice
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from engine.codec import decode
from engine.game import Event, Outcome, Phase, spread
from engine.games.registry import AnyGame
from pbem import journal
from pbem.errors import NotFound, UnreadableMatch
from pbem.lru import LruCache
from pbem.service import Service
from pbem.store import audit, holders, match_log, packed
from pbem.store.models import Audit, Link, Match, Ply, Seat, Turn
from pbem.store.names import AuditAct
from pbem.store.plain import ACT, AnyAct, AnyMatch, AnyPly, PlainAct
from pbem.store.table import Table, load

#: Most orders that are listed. If there are more, the game's own page is the way to choose.
MOST_ORDERS = 15_000
EXAMPLES = 3
#: Above so many characters one example of an order is enough.
LONG_EXAMPLE = 100

_ALL_ACTS: Any = (
    select(*ACT)
    .where(col(Audit.match_id) == bindparam("match_id"), col(Audit.ply) >= bindparam("since"))
    .order_by(col(Audit.number))
)
#: The acts that a reader may read: what is public, what came of their own letters and of orders
#: that they left, and when the match is over, who looked at hands.
_OWN = col(Audit.act).in_(audit.OF_OWN_ORDERS) & (col(Audit.seat) == bindparam("reader"))
_ACTS = _ALL_ACTS.where(col(Audit.public) | _OWN)
_ACTS_WHEN_OVER = _ALL_ACTS.where(col(Audit.public) | _OWN | (col(Audit.act) == AuditAct.LOOKED))


@dataclass(frozen=True)
class Line:
    """One line of a match's history: a ply with the events its reader may know, or an act."""

    at: datetime
    ply: int
    seat: int | None
    #: How it was made, as its reader may know it.
    made_by: str
    events: tuple[Event, ...] = ()
    #: The ply's number as its readers may know it.
    number: int = 0
    #: The row of the audit log, if the line is an act and no ply.
    act: AnyAct | None = None

    @property
    def goes_back(self) -> bool:
        """Whether it took moves back."""
        return self.act is not None and self.act.act in (AuditAct.TOOK_BACK, AuditAct.ROLLED_BACK)


@dataclass(frozen=True)
class TableLook:
    """A match as one seat, or an onlooker, may see it now."""

    match: Match
    seats: tuple[Seat, ...]
    open_turns: dict[int, Turn]
    #: The seat that looks; None for an onlooker.
    seat: int | None
    #: None in the lobby.
    phase: Phase | None
    view: Any
    outcome: Outcome[Any] | None
    lines: tuple[Line, ...]
    #: When it was read.
    at: datetime
    #: Why the installed rules cannot read the match. Then there is no view, and the history has no
    #: plies. Only ``table_or_trouble`` sets it.
    trouble: UnreadableMatch | None = None

    @property
    def ply(self) -> int:
        """The number of plies that this reader knows of: others' secret ones do not count."""
        over = self.match.ended_at is not None
        own = 0 if over or self.seat is None else self.seats[self.seat].hidden_plies
        return self.match.counted + own

    @property
    def game(self) -> AnyGame:
        """The rules; UnreadableMatch if they are not installed."""
        return match_log.installed(self.match)


@dataclass(frozen=True)
class TurnOrders:
    """The orders of a turn."""

    #: Every legal move; None if they cannot be listed.
    moves: tuple[Any, ...] | None
    #: Writes a move as an order.
    written: Callable[[Any], str] = field(repr=False, compare=False)
    examples: tuple[str, ...]
    #: Whether there is only one: it is made without asking.
    forced: bool

    @cached_property
    def orders(self) -> tuple[str, ...] | None:
        """Every legal order, written when they are asked for: most pages choose otherwise."""
        return tuple(map(self.written, self.moves)) if self.moves is not None else None


@dataclass(frozen=True)
class TurnLook:
    """What the holder of a turn link sees."""

    table: TableLook
    turn: Turn
    is_open: bool
    #: Lists the orders. A preview shows none, and there may be thousands.
    list_orders: Callable[[], TurnOrders] = field(repr=False, compare=False)
    #: The plies of this turn, by its seat or for it, while the holder may read their orders: as
    #: long as the turn is open, and when the match is over.
    moves: tuple[AnyPly, ...]
    #: Of a closed turn: what everybody may know of its plies, because the link may be forwarded;
    #: and what closed it or took its moves back.
    told: tuple[Line, ...] = ()
    #: The history from the seat's own last ply on, as it was told after that move.
    came_of: tuple[Line, ...] = ()

    @cached_property
    def listed(self) -> TurnOrders:
        """The legal orders, listed when they are asked for; none if the turn is closed."""
        return self.list_orders() if self.is_open else TurnOrders(None, str, (), False)

    @property
    def happened(self) -> tuple[Event, ...]:
        """What has come of the plies of this turn, as far as its holder may know."""
        if not self.is_open:
            return tuple(event for line in self.told for event in line.events)
        match, seat = self.table.match, self.turn.seat
        return tuple(e for ply in self.moves for e in match_log.read_events(match, ply, seat))


def table(
    service: Service, match_id: str, seat: int | None = None, newest: int | None = None
) -> TableLook:
    """The match as a seat sees it, with its history, or that of so many of its newest plies."""
    with service.database.read() as session:
        found = load(session, match_id)
        return look(session, found, seat, service.now(), before_newest(found.match, newest))


def before_newest(match: Match, newest: int | None) -> int:
    """The last ply before so many of the newest; before all for None."""
    return -1 if newest is None else match.ply - newest


@dataclass(frozen=True)
class Terms:
    """By what a match is played: known to everybody before it begins."""

    match: Match
    game: AnyGame
    options: Any
    #: The version of the rules that it is played by.
    rules: str


def terms(service: Service, match_id: str) -> Terms:
    """The game and the options of a match; UnreadableMatch if they are not understood here."""
    match = service.read(match_id).match
    game = match_log.installed(match)
    rules = game.meta.playable_version(match.rules_version)
    return Terms(match, game, match_log.options_of(match), rules)


def rematch_of(service: Service, match_id: str) -> str | None:
    """The match that was opened as the rematch of this one."""
    with service.database.read() as session:
        return session.exec(select(Match.id).where(Match.rematch_of == match_id)).first()


def look(
    session: Session,
    table: Table,
    seat: int | None,
    now: datetime,
    since_ply: int = -1,
    plies: Sequence[AnyPly] | None = None,
) -> TableLook:
    """As ``table``, for a match that is loaded already, maybe with its plies from there on."""
    running = table.state is not None
    return TableLook(
        match=table.match,
        seats=table.seats,
        open_turns=table.open_turns,
        seat=seat,
        phase=table.game.phase(table.state) if running else None,
        view=table.game.view(table.state, seat) if running else None,
        outcome=outcome_of(table.match),
        lines=_lines(session, table.match, seat, since_ply, plies),
        at=now,
    )


def outcome_of(match: AnyMatch) -> Outcome[Any] | None:
    """How the match ended by the rules; None while it goes on, and if it was aborted."""
    return decode(Outcome[Any], match.outcome_json) if match.outcome_json else None


def by_the_log(look: TableLook) -> TableLook:
    """A look for the operator: with the numbers of the log, by which a match is set back."""
    return replace(look, lines=tuple(replace(line, number=line.ply) for line in look.lines))


def table_or_trouble(
    service: Service,
    match_id: str,
    seat: int | None = None,
    since_ply: int = -1,
    newest: int | None = None,
) -> TableLook:
    """As ``table``, but also for a match that the installed rules cannot read, or fail on.

    It is for those who can repair the match, and for mails that must be sent in any case.
    """
    with service.database.read() as session:
        found, now = load(session, match_id), service.now()
        since_ply = max(since_ply, before_newest(found.match, newest))
        try:
            match_log.options_of(found.match)
            return look(session, found, seat, now, since_ply)
        except UnreadableMatch as error:
            trouble = error
        except DBAPIError:
            raise
        except Exception as error:
            journal.write(journal.Line.MATCH_UNREADABLE, match=match_id, exc_info=error)
            trouble = UnreadableMatch(
                "The rules that are installed fail on this match. The operator can set it back to "
                "an earlier move: {why}",
                why=type(error).__name__,
            )
        return TableLook(
            match=found.match,
            seats=found.seats,
            open_turns=found.open_turns,
            seat=seat,
            phase=None,
            view=None,
            outcome=outcome_of(found.match),
            lines=tuple(_acts(session, found.match, seat, since_ply)),
            at=now,
            trouble=trouble,
        )


def turn(service: Service, link: Link) -> TurnLook:
    """What a turn link shows. A closed turn shows the public table: mails get forwarded."""
    with service.database.read() as session:
        return turn_of(session, link, service.now())


def turn_of(session: Session, link: Link, now: datetime) -> TurnLook:
    """As ``turn``, beside what else is read."""
    table = load(session, link.match_id)
    row = table.open_turns.get(link.seat)
    if row is None or row.id != link.turn_id:
        row = session.get(Turn, link.turn_id)
    if row is None or row.match_id != link.match_id or row.seat != link.seat:
        raise NotFound()
    is_open = row.closed_at is None and table.running
    own, begun = table.seat(link.seat), row.opened_ply + 1
    if is_open:
        plies = packed.told(session, table.match, min(own.told_ply, begun))
        moves = [ply for ply in plies if ply.ply >= begun and ply.turn_id == row.id]
        seen = look(session, table, link.seat, now, own.told_ply, plies)
        came_of = _came_of(table, own, plies) if not seen.lines else ()
    else:
        # only since the turn opened: otherwise it reads the whole log
        moves = list(packed.plies(session, table.match, since=begun, turn_id=row.id))
        last = moves[0].ply - 1 if moves else table.match.ply - 1
        seen, came_of = look(session, table, None, now, last), ()
    told = () if is_open else _told(row, moves, seen.lines)
    # an order may be hidden until the match is over: before, only public events of it are told
    readable = is_open or table.match.ended_at is not None
    return TurnLook(
        table=seen,
        turn=row,
        is_open=is_open,
        moves=tuple(moves) if readable else (),
        told=told,
        came_of=came_of,
        list_orders=partial(_orders, table, link.seat),
    )


def _told(turn: Turn, moves: Sequence[AnyPly], lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines of a closed turn: its plies, and where the match went back behind them."""
    made = {ply.ply for ply in moves}
    plies = [line for line in lines if line.act is None and line.ply in made]
    last = max((line.number for line in plies), default=0)
    undone = [
        line
        for line in lines
        if line.act is not None
        and line.goes_back
        and (line.at == turn.closed_at or audit.detail(line.act)["back_to"] < last)
    ]
    return (*plies, *undone[:1])


def _came_of(table: Table, seat: Seat, plies: Sequence[AnyPly]) -> tuple[Line, ...]:
    """The lines of the seat's last move, such as rolled dice: the page that showed them is gone."""
    last = (ply for ply in plies if seat.told_ply and ply.ply >= seat.told_ply)
    return tuple(_line(table.match, ply, seat.number) for ply in last)


def _orders(table: Table, seat: int) -> TurnOrders:
    game, state = table.game, table.state
    if not game.meta.exhaustive:
        shown = [game.format(move) for move in game.examples(state, seat, EXAMPLES)]
        forced = game.only_move(state, seat) is not None
        return TurnOrders(None, game.format, _short(shown), forced)
    moves = tuple(islice(game.legal_moves(state, seat), MOST_ORDERS + 1))
    forced = len(moves) == 1 and game.only_move(state, seat) is not None
    examples = _short([game.format(move) for move in spread(moves, EXAMPLES)])
    listed = moves if len(moves) <= MOST_ORDERS else None
    return TurnOrders(listed, game.format, examples, forced)


def _short(examples: Sequence[str]) -> tuple[str, ...]:
    """The first, and others that are short: a second very long one would add little to it."""
    return (*examples[:1], *(text for text in examples[1:] if len(text) <= LONG_EXAMPLE))


def _lines(
    session: Session,
    match: Match,
    seat: int | None,
    since: int,
    known: Sequence[AnyPly] | None,
) -> tuple[Line, ...]:
    plies = packed.told(session, match, since) if known is None else known
    # acts at the ply ``since`` itself are new if they were done after that ply was made
    told_at = next((ply.made_at for ply in plies if ply.ply == since), None)
    acts = [
        line
        for line in _acts(session, match, seat, since)
        if told_at is None or line.ply > since or line.at > told_at
    ]
    lines = [_line(match, row, seat) for row in plies if row.ply > since]
    return tuple(sorted(lines + acts, key=lambda line: (line.ply, line.at)))


def _line(match: Match, row: AnyPly, reader: int | None) -> Line:
    return Line(
        row.made_at,
        row.ply,
        row.seat,
        match_log.shown_made_by(match, row, reader),
        tuple(match_log.read_events(match, row, reader)),
        match_log.shown_number(match, row),
    )


def _acts(session: Session, match: Match, reader: int | None, since: int) -> list[Line]:
    acts = _ACTS if match.ended_at is None else _ACTS_WHEN_OVER
    which = {"match_id": match.id, "since": since, "reader": reader}
    rows = map(PlainAct._make, session.connection().execute(acts, which))
    return [Line(row.at, row.ply, row.seat, row.actor, act=row) for row in rows]


@dataclass(frozen=True)
class Past:
    """A match as it stood after a ply."""

    game: AnyGame
    state: Any
    over: bool
    match: Match
    seats: tuple[Seat, ...]
    #: The ply's number, and that of the last one, as everybody may know them.
    number: int
    last: int
    #: What everybody may read of the ply.
    events: tuple[Event, ...]
    #: When the ply was made, and the next one that everybody knows of; None if there is none.
    made_at: datetime
    next_at: datetime | None = None
    #: How seats were given to somebody else since the ply, the earliest first.
    replaced: tuple[AnyAct, ...] = ()

    def stood(self, at: datetime) -> bool:
        """Whether the match stood so at an instant; all before its start counts as the start."""
        after = self.number == 0 or at >= self.made_at
        return after and (self.next_at is None or at < self.next_at)

    def view(self, seat: int | None) -> Any:
        """What this seat (None: an onlooker) saw then."""
        return self.game.view(self.state, seat)

    def revealed(self) -> Any:
        """What the game reveals of the state; None if nothing. NotFound while the match runs."""
        if not self.over:
            raise NotFound()
        return self.game.revealed(self.state)


#: Who steps through a match asks for ply after ply: states on the way make each step short.
_CHECKPOINTS = LruCache[Any](200)


def past(service: Service, match_id: str, number: int) -> Past:
    """The match after the ply with this public number; NotFound if there is none.

    The log is replayed from the last state in ``_CHECKPOINTS``.
    """
    with service.database.read() as session:
        table = load(session, match_id)
        over = table.match.ended_at is not None
        last = number if over else _shown_as(session, match_id, number)
        if last is None or not 0 <= last <= table.match.ply or table.state is None:
            raise NotFound()
        rows = list(packed.plies(session, table.match, upto=last + 1 if over else last))
        if over:
            next_at = rows.pop().made_at if rows[-1].ply > last else None
        else:
            following = select(func.min(Ply.made_at)).where(*_shown(match_id, number + 1))
            next_at = session.exec(following).first()
        replaced = _replaced(session, rows[-1])
    state = match_log.replay(table.match, table.seats, rows, _CHECKPOINTS)
    return Past(
        table.game,
        state,
        over,
        table.match,
        table.seats,
        number,
        table.match.counted,
        tuple(match_log.read_events(table.match, rows[-1], None)),
        rows[-1].made_at,
        next_at,
        replaced,
    )


def walk(service: Service, match_id: str, most: int) -> tuple[Past, ...]:
    """A match that is over from its beginning to its end, at ``most`` plies evenly apart.

    NotFound while it runs. Plies that were undone by going back are left out.
    """
    with service.database.read() as session:
        table = load(session, match_id)
        if table.match.ended_at is None or table.state is None:
            raise NotFound()
        rows = match_log.in_force(packed.plies(session, table.match))
    match, seats, last = table.match, table.seats, len(rows) - 1
    wanted = {round(one * last / max(1, most - 1)) for one in range(most)}
    steps = enumerate(match_log.states(match, seats, rows))
    return tuple(
        Past(
            table.game,
            state,
            True,
            match,
            seats,
            row.ply,
            match.counted,
            tuple(match_log.read_events(match, row, None)),
            row.made_at,
        )
        for place, (row, state) in steps
        if place in wanted
    )


def _replaced(session: Session, ply: Ply) -> tuple[Audit, ...]:
    """How seats were given to somebody else after a ply, the earliest first."""
    acts = select(Audit).where(Audit.match_id == ply.match_id, Audit.act == AuditAct.REPLACED)
    return tuple(session.exec(acts.where(col(Audit.ply) >= ply.ply).order_by(col(Audit.number))))


def _shown_as(session: Session, match_id: str, number: int) -> int | None:
    """The first ply of a running match with this public number."""
    return session.exec(select(func.min(Ply.ply)).where(*_shown(match_id, number))).one()


def _shown(match_id: str, number: int) -> tuple[Any, Any]:
    """Which plies of a running match have this public number."""
    return Ply.match_id == match_id, func.coalesce(Ply.public_ply, Ply.ply) == number


def record_name(match_id: str) -> str:
    """What the file of a record is called, wherever it is given."""
    return f"pbem-{match_id}.json"


def record(service: Service, match_id: str) -> dict[str, Any]:
    """The record of a match (see ``match_log.record``)."""
    with service.database.read() as session:
        table = load(session, match_id)
        rows = packed.plies(session, table.match)
        former = holders.former(session, table.match)
    return match_log.record(table.match, table.seats, rows, former)
