"""What must hold of every match whenever all is settled, whatever was killed on the way.

- plies follow each other without a gap, and the fold of the log is the state;
- every turn that was closed by a move has that move in the log, and every move of a person has
  its turn;
- every acknowledged submission stands in the log once;
- who must decide has one open turn, its link and its mail row, and nobody else has;
- nothing is overdue, due to be carried on, or waiting for a start that nobody makes;
- the chains of log and audit are whole;
- every table of a round has its one match, with its players, as soon as it is told to be open;
- of a mail there are at most two copies, and two only with a doubt on record.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, select

from engine.codec import encode
from pbem.acts import going_back, outbox
from pbem.mail import message_ids
from pbem.service import Service
from pbem.store import audit, match_log, packed
from pbem.store.models import (
    Consent,
    Link,
    Mail,
    Match,
    Ply,
    Series,
    SeriesMatch,
    SeriesPlayer,
    SeriesSeat,
    Submission,
    Turn,
)
from pbem.store.names import MailStatus, MatchStatus, Purpose
from pbem.store.table import Table, load

#: A sweep comes at least this often; so late may a deadline be kept.
LAG = timedelta(minutes=1)
#: How a turn is closed by a move of its seat.
BY_A_MOVE = {"link", "mail", "standing", "deadline", "forced"}
#: Plies that somebody made for an open turn.
OF_A_TURN = {"link", "mail", "deadline"}


@dataclass(frozen=True)
class Acknowledged:
    """A submission that got its receipt."""

    submission: str
    ply: int
    order: str


def check(
    service: Service,
    acknowledged: Iterable[Acknowledged] = (),
    *,
    lag: timedelta = LAG,
    but: Collection[str] = (),
) -> None:
    """Raises AssertionError with a sentence where anything does not hold.

    ``lag``: how late a deadline may be kept. ``but``: matches that need not be looked at again.
    """
    with service.database.read() as session:
        for match in session.exec(select(Match)).all():
            if match.set_aside_at is None and match.id not in but:
                _check_match(session, load(session, match.id), service.now() - lag)
        _check_submissions(session, acknowledged)
        _check_series(session)
        assert audit.verify(session) == []


def _check_match(session: Session, table: Table, kept: datetime) -> None:
    """``kept``: the instant up to which every deadline must have been kept."""
    match = table.match
    plies = packed.plies(session, match)
    turns = session.exec(select(Turn).where(Turn.match_id == match.id)).all()
    if match.status == MatchStatus.LOBBY:
        joined = [seat.joined_at is not None for seat in table.seats]
        waits = match.beacon_due_at is not None and match.beacon_json is not None
        assert waits == all(joined), f"{match.id} is full, and neither runs nor waits for a round"
        assert not plies
        return
    if table.state is None:
        assert match.status == MatchStatus.ABORTED
        return
    _check_log(table, plies)
    _check_closed_turns(plies, turns)
    _check_who_must_decide(session, table, kept)
    if table.running:
        _check_proposals(session, table)


def _check_series(session: Session) -> None:
    for series in session.exec(select(Series)).all():
        whose = SeriesMatch.series_id == series.id
        tables = {row.match_id: row for row in session.exec(select(SeriesMatch).where(whose))}
        drawn = {row.round for row in tables.values()}
        assert series.called_off or drawn == set(range(1, series.round + 1))
        named = select(Match.id).where(col(Match.name).startswith(f"{series.name}, "))
        opened = {match_id for match_id, row in tables.items() if row.opened_at is not None}
        assert set(session.exec(named)) <= opened, f"{series.id} has a match of no table"
        for match_id, row in tables.items():
            if row.opened_at is not None:
                names = {seat.name for seat in load(session, match_id).seats}
                at = (SeriesSeat.series_id == series.id, SeriesSeat.round == row.round)
                drawn = session.exec(
                    select(SeriesPlayer.name)
                    .join(SeriesSeat, col(SeriesSeat.player) == col(SeriesPlayer.number))
                    .where(SeriesPlayer.series_id == series.id, *at)
                    .where(SeriesSeat.number == row.number)
                )
                assert names == set(drawn), f"others sit at {match_id} than were drawn"


def _check_log(table: Table, plies: Any) -> None:
    match = table.match
    assert [ply.ply for ply in plies] == list(range(match.ply + 1)), "a ply is twice or missing"
    head = match_log.NO_HASH
    for ply in plies:
        assert ply.previous_hash == head, f"ply {ply.ply} does not continue the one before"
        assert match_log.is_as_hashed(match, ply), f"ply {ply.ply} was changed"
        head = ply.hash
    assert match.chain_head == head
    folded = match_log.replay(match, table.seats, plies)
    assert encode(folded) == encode(table.state), "the fold of the log is not the state"


def _check_closed_turns(plies: Any, turns: Any) -> None:
    moved = {ply.turn_id for ply in plies if ply.turn_id is not None}
    for turn in turns:
        if turn.closed_by in BY_A_MOVE:
            assert turn.id in moved, f"turn {turn.id} was closed without a move"
    by_id = {turn.id: turn for turn in turns}
    for ply in plies:
        if ply.made_by in OF_A_TURN:
            assert ply.turn_id in by_id, f"ply {ply.ply} was made in no turn"
            assert by_id[ply.turn_id].seat == ply.seat
    last = Counter(ply.turn_id for ply in plies if ply.made_by == "deadline")
    assert not last or max(last.values()) == 1, "a turn was timed out twice"


def _check_who_must_decide(session: Session, table: Table, kept: datetime) -> None:
    match = table.match
    if not table.running:
        assert not table.open_turns, "a match that is over waits for somebody"
        return
    assert match.advance_due_at is None, f"nobody carried match {match.id} on after ply {match.ply}"
    pending = {
        number
        for number in table.game.phase(table.state).pending
        if table.seats[number].bot is None and table.seats[number].joined_at is not None
    }
    assert set(table.open_turns) == pending, "open turns are not those who must decide"
    for number, turn in table.open_turns.items():
        mails = session.exec(
            select(Mail).where(Mail.kind == "your_turn", Mail.turn_id == turn.id)
        ).all()
        first = [mail for mail in mails if mail.dedupe == f"your_turn:{turn.id}"]
        assert len(first) == 1, f"{len(first)} mails are owed for the opening of turn {turn.id}"
        links = session.exec(
            select(Link).where(
                Link.purpose == Purpose.TURN,
                Link.turn_id == turn.id,
                Link.epoch == table.seats[number].epoch,
            )
        ).all()
        assert len(links) == 1, f"turn {turn.id} has {len(links)} links"
        if turn.next_at is not None and match.paused_until is None:
            assert turn.next_at > kept, f"turn {turn.id} is overdue and nobody cares"
        if turn.due_at is not None and turn.held_at is None:
            assert turn.next_at is not None, f"turn {turn.id} has a deadline that nobody keeps"


def _check_proposals(session: Session, table: Table) -> None:
    proposal = going_back.open_proposal(session, table)
    if proposal is None:
        return
    answers = session.exec(select(Consent).where(Consent.proposal_id == proposal.id)).all()
    asked = going_back.who_counts(session, table, proposal)
    agreed = {answer.seat for answer in answers if answer.agreed}
    assert not asked <= agreed, "all agreed, and the match did not go back"


def _check_submissions(session: Session, acknowledged: Iterable[Acknowledged]) -> None:
    lost, doubled = lost_and_doubled(session, acknowledged)
    assert not lost, f"not in the log as they were told: {lost}"
    assert not doubled, f"in the log more than once: {doubled}"
    # a submission is in the log, once, and every move by a link or by mail was submitted
    submitted = Counter(session.exec(select(col(Submission.turn_id), col(Submission.ply))).all())
    handed_in = select(col(Ply.turn_id), col(Ply.ply)).where(col(Ply.made_by).in_(["link", "mail"]))
    made = Counter(session.exec(handed_in).all())
    assert submitted == made, "submissions and moves that were handed in are not the same"


def lost_and_doubled(
    session: Session, acknowledged: Iterable[Acknowledged]
) -> tuple[list[str], list[str]]:
    """The submissions that were acknowledged and are not in the log, or are there twice."""
    rows: dict[str, list[Submission]] = defaultdict(list)
    for row in session.exec(select(Submission)).all():
        rows[row.key].append(row)
    orders: dict[tuple[int | None, int], list[str]] = defaultdict(list)
    for turn, ply, order in session.exec(select(Ply.turn_id, Ply.ply, Ply.order_text)).all():
        orders[turn, ply].append(order)
    lost, doubled = [], []
    for known in acknowledged:
        found = rows[known.submission]
        told = [json.loads(row.receipt_json) for row in found]
        as_told = [(one["shown_ply"] or one["ply"], one["order"]) for one in told]
        made = [order for row in found for order in orders[row.turn_id, row.ply]]
        if (known.ply, known.order) not in as_told or known.order not in made:
            lost.append(known.submission)
        elif len(found) > 1 or len(made) > 1:
            doubled.append(known.submission)
    return lost, doubled


def check_mails(service: Service, copies: Counter[str]) -> None:
    """``copies``: how many of each Message-ID the relay took.

    A mail that was given up has on record why: its doubts, or the mailers that died with it.
    """
    domain = service.settings.mail.domain
    known: dict[str, Mail] = {}
    with service.database.read() as session:
        rows = session.exec(select(Mail)).all()
        waiting = set(session.exec(select(Turn.id).where(col(Turn.closed_at).is_(None))).all())
    for row in rows:
        message_id = message_ids.message_id(service.keys, domain, row.dedupe)
        known[message_id] = row
        what = f"mail {row.id} ({row.dedupe}, {row.status})"
        assert copies[message_id] <= 1 + (row.doubts > 0), f"{copies[message_id]} copies of {what}"
        assert row.status != MailStatus.SENT or copies[message_id] >= 1, f"{what} did not come"
        assert row.status != MailStatus.DEAD or is_on_record(row), f"nobody knows why of {what}"
        if row.turn_id in waiting and row.dedupe == f"your_turn:{row.turn_id}":
            assert row.status != MailStatus.DROPPED, f"nobody is told of turn {row.turn_id}"
    strange = set(copies) - set(known)
    assert not strange, f"mails that nobody owed: {strange}"


def is_on_record(row: Mail) -> bool:
    """Whether a mail that was given up had as many doubts or failures as that takes."""
    return row.doubts == outbox.MOST_DOUBTS or row.failures == outbox.MOST_FAILURES
