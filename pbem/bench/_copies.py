"""Any number of matches that wait for the same move, and databases filled as by years of play.

One match of Dog is played for a while. The others are copies of its rows, written by the database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Integer,
    String,
    cast,
    func,
    insert,
    literal,
    literal_column,
    null,
    select,
    text,
    true,
)
from sqlalchemy.orm import Session
from sqlmodel import SQLModel, col

from pbem.acts import advance, matches, turns
from pbem.clocks.deadlines import ClockPolicy
from pbem.looks import match_look
from pbem.people import open_tables
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Mail, Match, OpenTable, Ply, Seat, Turn, rows_of
from pbem.store.names import Actor, MailKind, MailStatus, MatchStatus, Purpose

#: Each game with its usual number of players.
GAMES = {"dog": 4, "dogs-of-war": 4, "skirmish": 2}
#: Entries in the log of the match that is copied.
PLAYED = 10
#: Ids of copied turns and links begin here.
FIRST = 1_000_000
#: A finished match of a filled database: entries in its log, and mails that were sent for it.
ENTRIES, MAILS = 300, 300
#: How many matches owed mails are about.
ABOUT = 50
#: The number of a copy, and the name that goes with it.
NUMBER: Any = literal_column("n.i", Integer)
COPY = literal("copy").concat(cast(NUMBER, String))
PEOPLE = ("Alice", "Bob", "Carol", "Dave")


def open_match(
    service: Service, game: str = "dog", table: str = "", policy: ClockPolicy | None = None
) -> str:
    """A match at its first question; returns its id. Each ``table`` has people of its own."""
    people = [
        matches.Person(name=name, email=f"{name.lower()}{table}@example.org")
        for name in PEOPLE[: GAMES[game]]
    ]
    seats = [matches.NewSeat(name=one.name, email=one.email, confirmed=True) for one in people]
    new = matches.NewMatch(game=game, host=people[0], seats=seats)
    found = matches.create(service, new, actor=Actor.SERVICE, policy=policy)
    carry_on(service, found.id)
    return found.id


def carry_on(service: Service, match_id: str) -> None:
    """Advances a match until it waits for somebody."""
    while advance.advance(service, match_id):
        pass


def open_link(service: Service, match_id: str) -> Link | None:
    """The link of an open turn of a match; None if it waits for nobody."""
    with service.database.read() as session:
        return session.scalars(
            select(Link)
            .join(Turn, col(Turn.id) == col(Link.turn_id))
            .where(
                col(Link.purpose) == Purpose.TURN,
                col(Link.match_id) == match_id,
                col(Turn.closed_at).is_(None),
            )
            .limit(1)
        ).first()


@dataclass(frozen=True)
class Waiting:
    """A copy that waits for a move."""

    number: int
    link: Link
    token: str
    #: The move as a program hands it in.
    move: dict[str, Any]


class Copies:
    """Copies of one match, in the database of a service. ``longest``: the longest log of any."""

    def __init__(self, service: Service, longest: int = PLAYED) -> None:
        self._service = service
        self._link, self._order = play(service)
        self._match_id = self._link.match_id
        self._next = FIRST
        with service.database.write("bench") as session:
            self._match = session.get_one(Match, self._match_id)
            self._played = self._match.ply
            self._lengthen(session, longest)

    def waiting(self, count: int, log: int = 0) -> list[Waiting]:
        """New matches, each with one open turn; ``log``: so many entries in each log, or more."""
        log = max(log, self._played)
        first = self._next
        self._copy(count, log)
        found = []
        for number in range(first, first + count):
            new = {"id": number, "turn_id": number, "match_id": f"copy{number}"}
            link = self._link.model_copy(update=new)
            move = {"order": self._order, "submission": f"s{number}", "ply": log}
            found.append(Waiting(number, link, links.token(self._service.keys, link), move))
        return found

    def match(self, copy: Waiting) -> Match:
        """The match of a copy, after its move."""
        new = {"id": copy.link.match_id, "ply": copy.move["ply"] + 1}
        return self._match.model_copy(update=new)

    def fill(self, finished: int) -> None:
        """Finished matches, with their logs and sent mails."""
        if finished:
            self._copy(finished, ENTRIES, over=True)
            self.mails(finished * MAILS)

    def bare_turns(self, count: int) -> None:
        """Open turns that nobody plays: each with its match, seats and link, without a log.

        Without seats PostgreSQL counts many matches with next to none, and joins them by plans
        that are wrong wherever people play.
        """
        self._copy(count, 0)
        self._settle()

    def mails(self, count: int) -> None:
        """Mails that were sent."""
        sent = literal(str(MailStatus.SENT))
        self._mails(count, {"id": None, "dedupe": COPY, "status": sent})

    def at_home(self, count: int) -> Mapping[str, str]:
        """New matches with all that a home shows; who finds them there, by the list they fill."""
        first = self._next
        self.waiting(count)
        with self._service.database.write("bench") as session:
            match = session.get_one(Match, self._match_id)
            seats = session.scalars(select(Seat).where(col(Seat.match_id) == match.id)).all()
            for seat in (None, *seats):
                purpose = Purpose.HOST if seat is None else Purpose.SEAT
                links.make(session, purpose, match, seat, self._service.now())
            own = (col(Link.match_id) == match.id) & (col(Link.purpose) != Purpose.TURN)
            _copy(session, Link, own, first, count, {"id": None, "match_id": COPY})
        self._settle()
        players = {seat.number: seat.email or "" for seat in seats}
        mine = players.pop(self._link.seat)
        theirs = next(email for email in players.values() if email != match.host_email)
        return {"turns": mine, "waiting": theirs, "hosting": match.host_email}

    def tables(self, count: int) -> None:
        """Listed tables that wait for players, each of another host."""
        alice = matches.Person(name="Alice", email="alice@example.org")
        seats = [matches.NewSeat(name=alice.name, email=alice.email, confirmed=True)]
        seats += [matches.NewSeat(open=True) for _ in PEOPLE[1:]]
        new = open_tables.NewTable(game="dog", host=alice, seats=seats, listed=True)
        one = open_tables.create(self._service, new, proved=True).id
        first, self._next = self._next, self._next + count
        host = literal("host").concat(cast(NUMBER, String)).concat("@example.org")
        with self._service.database.write("bench") as session:
            over = {"id": COPY, "host_email": host}
            _copy(session, Match, col(Match.id) == one, first, count, over)
            here, taken = col(Seat.match_id) == one, col(Seat.email).is_not(None)
            seat = {"id": None, "match_id": COPY}
            _copy(session, Seat, here & ~taken, first, count, seat)
            _copy(session, Seat, here & taken, first, count, seat | {"email": host})
            table = {"match_id": COPY}
            _copy(session, OpenTable, col(OpenTable.match_id) == one, first, count, table)
        self._settle()

    def _mails(self, count: int, over: dict[str, Any]) -> None:
        with self._service.database.write("bench") as session:
            one = select(func.min(col(Mail.id))).scalar_subquery()
            _copy(session, Mail, col(Mail.id) == one, self._next, count, over)
            self._next += count
        self._settle()

    def owe(self, count: int) -> None:
        """Reminders that are due, about some new matches, ``ABOUT`` at most."""
        if not count:
            return
        about = [one.number for one in self.waiting(min(count, ABOUT))]
        turn = literal(about[0]) + NUMBER % len(about)
        here = {
            "id": None,
            "dedupe": COPY,
            "kind": literal(str(MailKind.REMINDER)),
            "data_json": literal('{"number": 1}'),
            "match_id": literal("copy").concat(cast(turn, String)),
            "turn_id": turn,
            "seat": literal(self._link.seat),
            "status": literal(str(MailStatus.PENDING)),
        }
        self._mails(count, here)

    def _copy(self, count: int, log: int, *, over: bool = False) -> None:
        first = self._next
        self._next += count
        now = literal(self._service.now())
        at: dict[str, Any] = {"ply": literal(log), "public_ply": literal(log)}
        match: dict[str, Any] = {"id": COPY, **at}
        turn: dict[str, Any] = {"id": NUMBER, "match_id": COPY}
        turn |= {"asked_ply": literal(log), "opened_ply": literal(log)}
        if over:
            match |= {"status": literal(str(MatchStatus.FINISHED)), "ended_at": now}
            turn |= {"closed_at": now, "next_at": null()}
        if not log:
            match["state_json"] = null()
        with self._service.database.write("bench") as session:
            _copy(session, Match, col(Match.id) == self._match_id, first, count, match)
            own = col(Turn.id) == self._link.turn_id
            _copy(session, Turn, own, first, count, turn)
            link = {"id": NUMBER, "match_id": COPY, "turn_id": NUMBER}
            _copy(session, Link, col(Link.id) == self._link.id, first, count, link)
            # each has been told of as much of the log as in the match that was played
            told = col(Seat.told_ply) + (log - self._played) if log else literal(0)
            seat = {"id": None, "match_id": COPY, "told_ply": told}
            _copy(session, Seat, col(Seat.match_id) == self._match_id, first, count, seat)
            if log:
                ply = {"match_id": COPY, "turn_id": null()}
                lines = (col(Ply.match_id) == self._match_id) & (col(Ply.ply) <= log)
                _copy(session, Ply, lines, first, count, ply)

    def _lengthen(self, session: Session, longest: int) -> None:
        """Repeats the last line of the log, so that a copy can have a log as long as that."""
        last = (col(Ply.match_id) == self._match_id) & (col(Ply.ply) == self._played)
        more = max(longest, ENTRIES) - self._played
        numbered = {"ply": NUMBER, "public_ply": NUMBER}
        _copy(session, Ply, last, self._played + 1, more, numbered)

    def _settle(self) -> None:
        """The database counts its rows, as it does by itself after a while."""
        with self._service.database.write("bench") as session:
            session.execute(text("ANALYZE"))


def _numbers(first: int, count: int) -> Any:
    """The numbers from ``first`` on, as a table ``n`` with the column ``i``."""
    begin = select(literal(first).label("i")).cte("n", recursive=True)
    return begin.union_all(select(begin.c.i + 1).where(begin.c.i < first + count - 1))


def _copy(
    session: Session,
    model: type[SQLModel],
    which: Any,
    first: int,
    count: int,
    over: dict[str, Any],
) -> None:
    """Inserts each of these rows so many times, with other values in some columns.

    A value may use the number of the copy; a column whose value is None is left to the database.
    """
    table = rows_of(model)
    columns = [column for column in table.columns if over.get(column.name, column) is not None]
    values = [over.get(column.name, column).label(column.name) for column in columns]
    rows = select(*values).select_from(table.join(_numbers(first, count), true())).where(which)
    session.execute(insert(table).from_select([column.name for column in columns], rows))


def play(service: Service, game: str = "dog", plies: int = PLAYED) -> tuple[Link, str]:
    """The link of the only open turn of a match after so many plies or more, and a move of it."""
    match_id = open_match(service, game)
    while True:
        link = open_link(service, match_id)
        assert link is not None
        look = match_look.turn(service, link)
        if look.table.match.ply >= plies and len(look.table.open_turns) == 1:
            return link, _example(look)
        play_example(service, link)


def play_example(service: Service, link: Link) -> None:
    """Makes one of the moves that the page of a turn gives as examples, each in its turn."""
    look = match_look.turn(service, link)
    turns.submit(service, link, _example(look), f"{link.match_id} {look.table.match.ply}")
    carry_on(service, link.match_id)


def _example(look: match_look.TurnLook) -> str:
    return look.listed.examples[look.table.match.ply % len(look.listed.examples)]
