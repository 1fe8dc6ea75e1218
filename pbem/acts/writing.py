"""What every act is made of: it reads a match, computes what follows, then claims and writes.

Every act has these three steps, in this order:

1. ``read``: the match, its seats and open turns in one transaction, and the present instant;
2. compute everything that follows, without a lock. In the block of ``writing`` the ``Writer`` only
   notes what is to be written;
3. at the end of that block, one short transaction: it claims the revision that was read and writes
   what was noted. After the commit the workers that have something to do are rung.

If somebody else claimed that revision first, nothing is written, and ``act`` runs the function
again.

Acts on several matches can be done in an ``acts.batch.Batch``: what all of them noted is written in
one transaction.
"""

from __future__ import annotations

import random
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, Protocol, TypeVar

from prometheus_client import Counter
from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, SQLModel

from pbem import journal, metrics
from pbem.acts import outbox
from pbem.errors import Busy, NotFound
from pbem.journal import Line
from pbem.service import Service
from pbem.store import audit, db, links, statements
from pbem.store.models import Link, Match, Ply, Seat, Turn, rows_of
from pbem.store.names import Actor, AuditAct, MailKind, Purpose
from pbem.store.rehearsal import OvertakenError, Rehearsal
from pbem.store.table import Changes, Table

P = ParamSpec("P")
T = TypeVar("T")

#: How often ``act`` runs a function whose match others keep claiming.
TRIES = 12


class SomeoneWasFirstError(Exception):
    """The match changed between reading and writing. Read again, decide again."""


def act(function: Callable[P, T]) -> Callable[P, T]:
    """Marks a function as an act: after a lost claim it runs again; Busy after ``TRIES`` runs.

    It also does when PostgreSQL undid it to end a deadlock. So an act writes in one transaction
    only, or calls other acts after its own commit.
    """

    @wraps(function)
    def again(*arguments: P.args, **named: P.kwargs) -> T:
        for attempt in range(TRIES):
            try:
                return function(*arguments, **named)
            except SomeoneWasFirstError:
                pass
            except OperationalError as error:
                if not db.is_conflict(error):
                    raise
            # a random wait: without it those who met here would meet again
            time.sleep(random.uniform(0, 0.01 * (attempt + 1)))  # noqa: S311
        raise Busy("Many people are changing this match at once. Please try again.")

    return again


def read(service: Service, match_id: str) -> tuple[Table, datetime]:
    """The match as it is now, and the instant that the act uses for all it writes."""
    return service.read(match_id), service.now()


def read_by(service: Service, link: Link) -> tuple[Table, datetime]:
    """As ``read``, for an act by a link. NotFound if its seat has other links by now.

    A door finds a link before the act reads, and an act whose match others claimed reads again: the
    seat may be somebody else's since.
    """
    table, now = read(service, link.match_id)
    refuse_lost(table, link)
    return table, now


def refuse_lost(table: Table, link: Link) -> None:
    """Raises NotFound if a link is not of the present epoch of its seat, or of the host."""
    if link.epoch != table.epoch(link.seat):
        raise NotFound()


@contextmanager
def writing(
    service: Service, table: Table, name: str, actor: Actor, now: datetime, **columns: Any
) -> Iterator[Writer]:
    """Notes in the block what an act writes; its end claims the match and writes it.

    ``columns`` of the match are written with its next revision. ``name`` names the commit
    (``Database.write``). Raises SomeoneWasFirstError at the end, if the match cannot be claimed.
    """
    write = Writer(service, table, name, actor, now, columns)
    write.ring_if_due(columns)
    yield write
    service.write(write)


@contextmanager
def opening(
    service: Service, table: Table, name: str, actor: Actor, now: datetime
) -> Iterator[Writer]:
    """As ``writing``, for a new match. It claims nothing: nobody else knows the match."""
    write = Writer(service, table, name, actor, now, None)
    yield write
    service.write(write)


@contextmanager
def rehearsing(
    service: Service, look: Callable[[Session], T]
) -> Iterator[tuple[Service, Rehearsal[T]]]:
    """A service whose acts run on the real rows and are undone at the end of the block.

    ``look``: see ``Rehearsal``. Raises SomeoneWasFirstError if another writer was in the way.
    """
    with closing(Rehearsal(service.database, look)) as tried:
        on_trial = replace(
            service, database=tried, ring=lambda queue: None, entropy=secrets.token_bytes
        )
        try:
            yield on_trial, tried
        except OvertakenError as error:
            raise SomeoneWasFirstError() from error


def _write(session: Session, writers: Sequence[Writer]) -> None:
    """Claims the matches, then writes what their writers noted.

    Each writer's steps run in their order. Steps of one form that come first in several writers run
    as one statement.
    """
    claims = [(write.table.match, write.columns) for write in writers if write.columns is not None]
    claim(session, claims)
    _in_order(session, [write.steps for write in writers])
    audit.append(session, [entry for write in writers for entry in write.audits])
    links.put(session, [row for write in writers for row in write.links])
    outbox.put(session, [row for write in writers for row in write.mails])
    for write in writers:
        for line, about in write.lines:
            journal.after(session, line, match=write.table.match.id, **about)
        for counter in write.counters:
            metrics.after(session, counter)


def _in_order(session: Session, waiting: Sequence[deque[Step]]) -> None:
    """Does all steps, each queue in its order; those of one form that come next are done together.

    A step may add to its queue.
    """
    while any(waiting):
        form = max(waiting, key=len)[0].form
        same: list[Step] = []
        for queue in waiting:
            while queue and queue[0].form == form:
                same.append(queue.popleft())
        same[0].run(session, same)


_matches = rows_of(Match)
_REVISIONS = (
    select(_matches.c.id, _matches.c.revision)
    .where(_matches.c.id.in_(bindparam("matches", expanding=True)))
    # in one order everywhere, so that two such transactions cannot lock each other out
    .order_by(_matches.c.id)
    .with_for_update(key_share=True)
)


def hold(session: Session, match_ids: Iterable[str]) -> dict[str, int]:
    """Keeps others from changing these matches until the transaction ends; their revisions."""
    found = session.connection().execute(_REVISIONS, {"matches": sorted(match_ids)})
    return {row.id: row.revision for row in found}


def _lost(session: Session, writers: Sequence[Writer]) -> set[str]:
    """The matches that are not as they were read. The others cannot be claimed by anybody else."""
    as_read = {
        write.match_id: write.table.match.revision for write in writers if write.columns is not None
    }
    now = hold(session, as_read)
    return {match_id for match_id, revision in as_read.items() if now.get(match_id) != revision}


# what nearly every act writes. A state has up to tens of thousands of signs
_CLAIM = update(_matches).where(
    _matches.c.id == bindparam("of_id"), _matches.c.revision == bindparam("of_revision")
)
_MATCH, _SEAT = statements.updating(Match, large=True), statements.updating(Seat)
_OPEN_TURN = statements.updating(Turn, rows_of(Turn).c.closed_at.is_(None))
_PLY = statements.inserting(Ply)


def claim(session: Session, claims: Sequence[tuple[Match, dict[str, Any]]]) -> None:
    """Claims each match for this transaction by its revision, or raises SomeoneWasFirstError.

    The columns are written with the next revision.
    """
    # of one form, as nearly always: then each match is written once
    at_once = len({frozenset(columns) for _match, columns in claims}) <= 1
    revisions: list[dict[str, Any]] = [
        {
            **(columns if at_once else {}),
            "of_id": match.id,
            "of_revision": match.revision,
            "revision": match.revision + 1,
        }
        for match, columns in claims
    ]
    if revisions:
        # in one order everywhere, so that two such transactions cannot lock each other out
        revisions.sort(key=lambda values: str(values["of_id"]))
        # a list of one would go a slower way through the driver
        given = revisions if len(revisions) > 1 else revisions[0]
        if session.connection().execute(_CLAIM, given).rowcount != len(revisions):
            raise SomeoneWasFirstError()
    if not at_once:
        with_columns = [
            Row(_MATCH, {**columns, "of_id": match.id}) for match, columns in claims if columns
        ]
        _in_order(session, [deque([step]) for step in with_columns])


class Step(Protocol):
    """What is to be done in the transaction. Steps of one form are done together."""

    @property
    def form(self) -> Any: ...

    def run(self, session: Session, same: Sequence[Any]) -> None:
        """Does all of ``same``, which begins with this one."""


@dataclass(frozen=True)
class Row:
    """A row that is inserted or updated."""

    write: statements.Write
    columns: dict[str, Any]
    #: Whether it must be there: else somebody was first.
    must: bool = False

    @property
    def form(self) -> Any:
        return id(self.write), frozenset(self.columns)

    def run(self, session: Session, same: Sequence[Row]) -> None:
        rows = [step.columns for step in same]
        found = statements.run(session, self.write, rows)
        if self.must and found < len({row["of_id"] for row in rows}):
            raise SomeoneWasFirstError()


@dataclass(frozen=True)
class NewRow:
    """A row that gets its id; then ``then`` notes what follows from it."""

    model: type[SQLModel]
    columns: dict[str, Any]
    then: Callable[[int], None]

    @property
    def form(self) -> Any:
        return self.model, frozenset(self.columns)

    def run(self, session: Session, same: Sequence[NewRow]) -> None:
        ids = statements.add(session, self.model, [step.columns for step in same])
        for step, number in zip(same, ids, strict=True):
            step.then(number)


@dataclass(frozen=True)
class Call:
    """Anything else, done by itself."""

    do: Callable[[Session], object]

    @property
    def form(self) -> Any:
        return id(self)

    def run(self, session: Session, same: Sequence[Call]) -> None:
        self.do(session)


class Writer:
    """Notes what follows from an act: rows, links, audit, mails owed, lines of the journal.

    Nothing is written before the block of ``writing`` ends. What is noted is done in the order in
    which it was noted; then come audit, links and mails.
    """

    def __init__(
        self,
        service: Service,
        table: Table,
        name: str,
        actor: Actor,
        now: datetime,
        columns: dict[str, Any] | None,
    ) -> None:
        self.service = service
        #: The match as it was read.
        self.table = table
        #: The name of the commit.
        self.name = name
        #: Who acts.
        self.actor = actor
        self.now = now
        #: Columns of the match that are written with its claim; None: the match is new.
        self.columns = columns
        #: The number of the match's last ply, with those that this act adds.
        self.ply = table.match.ply
        #: The state after the plies that this act adds; None if it adds none.
        self.state: Any = None
        #: The queues of the workers that have something to do after the commit.
        self.rings: set[str] = set()
        self.steps: deque[Step] = deque()
        self.audits: list[audit.Entry] = []
        self.links: list[dict[str, Any]] = []
        self.mails: list[dict[str, Any]] = []
        self.lines: list[tuple[Line, dict[str, Any]]] = []
        self.counters: list[Counter] = []
        #: Whether this act sends the invitations: until then, only the host is mailed.
        self.invites = not table.match.unproved_host
        self._epochs = {seat.number: seat.epoch for seat in table.seats}
        self._epochs[links.HOST] = table.match.host_epoch

    @property
    def match_id(self) -> str:
        return self.table.match.id

    def commit(self, others: Sequence[Writer] = ()) -> set[str]:
        """Claims and writes, with others in one transaction; then rings the workers.

        Returns those of several matches that somebody else has claimed: they are left out. Raises
        SomeoneWasFirstError if the only match cannot be claimed; then nothing is written.
        """
        writers = [self, *others]
        names = sorted({write.name for write in writers})
        with self.service.database.write(*names) as session:
            lost = _lost(session, writers) if others else set()
            writers = [write for write in writers if write.match_id not in lost]
            _write(session, writers)
        for queue in sorted({queue for write in writers for queue in write.rings}):
            self.service.ring(queue)
        return lost

    def after(self) -> Table | None:
        """The match as it will be after this act, which has made it due.

        None if it has not, or if that is known only once it is written.
        """
        if "advance" not in self.rings:
            return None
        changes: dict[int, Changes] = {id(_SEAT): {}, id(_OPEN_TURN): {}, id(_PLY): {}}
        for step in self.steps:
            if not isinstance(step, Row) or id(step.write) not in changes:
                return None
            columns = dict(step.columns)
            changes[id(step.write)].setdefault(columns.pop("of_id", None), {}).update(columns)
        match, seats, turns = self.columns or {}, changes[id(_SEAT)], changes[id(_OPEN_TURN)]
        return self.table.changed(match, seats, turns, self.state)

    def follow(self, earlier: Writer) -> None:
        """Takes over the steps and columns of an earlier act on this match: both are one commit."""
        self.steps.extendleft(reversed(earlier.steps))
        earlier.steps.clear()
        # one claim for both; whether the match is still due is known to this act
        self.columns = {**(earlier.columns or {}), **(self.columns or {})}
        earlier.columns = None
        earlier.rings.discard("advance")

    def add(self, *rows: SQLModel) -> None:
        """Adds rows; they have their ids from then on."""

        def add(session: Session) -> None:
            session.add_all(rows)
            session.flush()

        self.call(add)

    def new(self, model: type[SQLModel], then: Callable[[int], None], **columns: Any) -> None:
        """Adds a row. As soon as it has its id, ``then`` is called with it, which may note more."""
        self.steps.append(NewRow(model, columns, then))

    def put(self, inserting: statements.Write, **columns: Any) -> None:
        """Inserts a row, by an insert that was made once."""
        self.steps.append(Row(inserting, columns))

    def call(self, do: Callable[[Session], object]) -> None:
        """Calls ``do`` in the transaction. It may note more."""
        self.steps.append(Call(do))

    def log(self, *plies: dict[str, Any]) -> None:
        """Adds lines to the match's log: the columns of each ``Ply``."""
        for ply in plies:
            self.put(_PLY, **ply)
            self.ply = ply["ply"]

    def update(self, model: type[SQLModel], *which: Any, **columns: Any) -> None:
        """Writes columns of the rows that match ``which``."""
        statement = update(model).where(*which).values(**columns)
        options = {"synchronize_session": False}
        self.call(lambda session: session.execute(statement, execution_options=options))

    def match(self, **columns: Any) -> Match:
        """Writes further columns of the match; returns a copy with them."""
        match = self.table.match
        if columns:
            self._set(_MATCH, match.id, columns)
            self.ring_if_due(columns)
        self._epochs[links.HOST] = columns.get("host_epoch", self._epochs[links.HOST])
        return match.model_copy(update=columns)

    def seat(self, seat: Seat, **columns: Any) -> Seat:
        """Writes columns of a seat; returns a copy with them."""
        self._set(_SEAT, seat.id, columns)
        self._epochs[seat.number] = columns.get("epoch", self._epochs[seat.number])
        return seat.model_copy(update=columns)

    def turn(self, turn: Turn, **columns: Any) -> None:
        """Writes columns of an open turn. If it has been closed, the act loses its claim."""
        self._set(_OPEN_TURN, turn.id, columns, must=True)

    def _set(
        self,
        write: statements.Write,
        number: int | str | None,
        columns: dict[str, Any],
        must: bool = False,
    ) -> None:
        self.steps.append(Row(write, {**columns, "of_id": number}, must))

    def close(self, turn: Turn, by: str) -> None:
        """Closes a turn, once. What it did not charge is settled; when somebody was away goes."""
        self.turn(turn, closed_at=self.now, closed_by=by, next_at=None, not_charged_json=None)

    def link(self, purpose: Purpose, whose: Seat | Match, number: int = 0) -> None:
        """Makes a link of a seat, or of the match's host, if there is none for its epoch yet.

        ``number`` is the id of what the link is about: a turn or a proposal; 0: nothing else.
        """
        match = whose if isinstance(whose, Match) else self.table.match
        seat = whose if isinstance(whose, Seat) else None
        self.links.append(links.row(purpose, match, seat, self.now, number))

    def audit(
        self,
        act: AuditAct,
        seat: int | None = None,
        said: Mapping[str, str] = MappingProxyType({}),
        /,
        **detail: str | int,
    ) -> None:
        """Adds a row to the audit log; the table's history and the next mails tell it.

        ``said`` are names, and words that somebody typed: these can be taken out again.
        """
        match_id = self.table.match.id
        self.audits.append(
            audit.Entry(self.now, match_id, self.actor, act, seat, self.ply, detail, said)
        )

    def owe(
        self,
        kind: MailKind,
        key: str,
        seat: int,
        *,
        turn_id: int | None = None,
        address: str | None = None,
        **data: Any,
    ) -> None:
        """Owes a seat (``links.HOST``: the host) a mail, once for each key of its kind.

        It goes to ``address``, or if that is None, to the address that the seat has when it is
        sent. ``data`` is what it says besides the match as it is when the mail is sent.

        Until the host has sent the invitations, nobody else is mailed.
        """
        if seat != links.HOST and not self.invites:
            return
        self.mails.append(
            outbox.row(
                kind,
                f"{kind}:{key}",
                self.now,
                match_id=self.table.match.id,
                seat=seat,
                turn_id=turn_id,
                address=address,
                epoch=self._epochs[seat],
                **data,
            )
        )
        self.rings.add("post")

    def journal(self, line: Line, **about: Any) -> None:
        """Writes a line of the journal once the commit is done."""
        self.lines.append((line, about))

    def count(self, counter: Counter) -> None:
        """Counts one once the commit is done."""
        self.counters.append(counter)

    def ring_if_due(self, columns: dict[str, Any]) -> None:
        """Rings ``advance`` after the commit if these columns make the match due now."""
        due = columns.get("advance_due_at")
        if due is not None and due <= self.now:
            self.rings.add("advance")
