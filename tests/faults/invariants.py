"""What must hold of every match whenever all is settled, whatever was killed on the way.

- plies follow each other without a gap, and the fold of the log is the state;
- every turn that was closed by a move has that move in the log, and every move of a person has
  its turn;
- every acknowledged submission stands in the log once;
- who must decide has one open turn, its link and its mail row, and nobody else has;
- nothing is overdue, due to be carried on, or waiting for a start that nobody makes;
- the chains of log and audit are whole.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, select

from engine.codec import encode
from pbem.acts import going_back
from pbem.service import Service
from pbem.store import audit, match_log, packed
from pbem.store.models import Consent, Link, Mail, Match, MatchStatus, Ply, Submission, Turn
from pbem.store.names import Purpose
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


def check(service: Service, acknowledged: Iterable[Acknowledged] = ()) -> None:
    """Raises AssertionError with a sentence where anything does not hold."""
    with service.database.read() as session:
        for match in session.exec(select(Match)).all():
            if match.set_aside_at is None:
                _check_match(session, load(session, match.id), service.now())
        _check_submissions(session, acknowledged)
        assert audit.verify(session) == []


def _check_match(session: Session, table: Table, now: datetime) -> None:
    match = table.match
    plies = packed.plies(session, match)
    turns = session.exec(select(Turn).where(Turn.match_id == match.id)).all()
    if match.status == MatchStatus.LOBBY:
        joined = [seat.joined_at is not None for seat in table.seats]
        assert not all(joined), f"{match.id} is full and was not started"
        assert not plies
        return
    if table.state is None:
        assert match.status == MatchStatus.ABORTED
        return
    _check_log(table, plies)
    _check_closed_turns(plies, turns)
    _check_who_must_decide(session, table, now)
    if table.running:
        _check_proposals(session, table)


def _check_log(table: Table, plies: Any) -> None:
    match = table.match
    assert [ply.ply for ply in plies] == list(range(match.ply + 1)), "a ply is twice or missing"
    head = match_log.NO_HASH
    for ply in plies:
        assert ply.previous_hash == head, f"ply {ply.ply} does not continue the one before"
        assert ply.hash == match_log.entry_hash(match, ply), f"ply {ply.ply} was changed"
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


def _check_who_must_decide(session: Session, table: Table, now: datetime) -> None:
    match = table.match
    if not table.running:
        assert not table.open_turns, "a match that is over waits for somebody"
        return
    assert match.advance_due_at is None, "nobody carried the match on"
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
            assert turn.next_at > now - LAG, f"turn {turn.id} is overdue and nobody cares"
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
    for known in acknowledged:
        rows = session.exec(select(Submission).where(Submission.key == known.submission)).all()
        assert len(rows) == 1, f"{known.submission} stands in the log {len(rows)} times"
        assert rows[0].ply == known.ply
        receipt = json.loads(rows[0].receipt_json)
        assert (receipt["ply"], receipt["order"]) == (known.ply, known.order)
        made = session.exec(
            select(Ply).where(Ply.turn_id == rows[0].turn_id, Ply.ply == known.ply)
        ).all()
        assert [ply.order_text for ply in made] == [known.order]
    # a submission is in the log, once, and every move by a link or by mail was submitted
    submitted = Counter(
        session.exec(
            select(Submission.turn_id, Submission.ply)  # type: ignore[call-overload]
        ).all()
    )
    handed_in = select(Ply.turn_id, Ply.ply).where(  # type: ignore[call-overload]
        col(Ply.made_by).in_(["link", "mail"])
    )
    made = Counter(session.exec(handed_in).all())
    assert submitted == made, "submissions and moves that were handed in are not the same"
