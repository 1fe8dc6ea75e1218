"""A match goes back to an earlier ply: by its mover, with everybody's consent, or by the operator.

Nothing is deleted from the log: going back is an entry of its own that names a ply, and the match
goes on from the state after that ply. Dice are drawn by their place in the game, so the same dice
come again: nobody gets new draws by taking back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from pbem.acts import standing_orders
from pbem.acts.plies import columns_after
from pbem.acts.writing import Writer, act, read, refuse_lost, writing
from pbem.errors import NotFound, NotPossible, Resigned, Stale
from pbem.service import Service
from pbem.store import audit, match_log
from pbem.store.models import Consent, Link, Match, Ply, Proposal, Seat
from pbem.store.names import Actor, AuditAct, MadeBy, MailKind, MatchStatus, ProposalEnded, Purpose
from pbem.store.table import Table, load

#: How a ply was made that counts as its player's own.
_OWN = (MadeBy.LINK, MadeBy.MAIL, MadeBy.STANDING)
#: How often a day a seat can take a move back, and ask the others: each time they get a mail.
MOST_TAKEN_BACK = 10
MOST_ASKED = 3


@act
def take_back(service: Service, link: Link) -> int:
    """The mover takes their last move back. Returns the ply that the match is back at.

    Allowed until anybody else has acted (bots and forced moves count), and only if the move
    revealed nothing: no die, no card, nobody's hidden choice.
    """
    with service.database.read() as session:
        table, rows = load(session, link.match_id), _effective(session, link.match_id)
        refuse_lost(table, link)
        back_to = _before_own_last_move(session, table, link.seat, service.now())
    go_back(service, table, rows, back_to, Actor.PLAYER, AuditAct.TOOK_BACK, seat=link.seat)
    return back_to


def can_take_back(session: Session, table: Table, seat: int, now: datetime) -> bool:
    """Whether this seat may take its last move back by itself."""
    try:
        _before_own_last_move(session, table, seat, now)
    except NotPossible:
        return False
    return True


def _before_own_last_move(session: Session, table: Table, seat: int, now: datetime) -> int:
    """The ply before this seat's last move. NotPossible if it may not take that back by itself."""
    if not table.running:
        raise NotPossible("This match is not running.")
    newest_first = _newest_first(session, table.match)
    last = next(newest_first)
    if last.ply == 0 or last.seat != seat or last.made_by not in _OWN:
        raise NotPossible("Somebody else has acted since your last move. Ask the others instead.")
    if last.reveals:
        raise NotPossible("Your move revealed something that cannot be unlearned.")
    if _times_today(session, table, seat, AuditAct.TOOK_BACK, now) >= MOST_TAKEN_BACK:
        raise NotPossible("You took moves back too often today. Try again tomorrow.")
    return next(newest_first).ply


@act
def propose(service: Service, link: Link) -> Proposal:
    """Asks every other seat whether this one may take its last move back; each gets a link.

    If anything was revealed since that move, only the operator can go back.
    """
    with service.database.read() as session:
        table, now = load(session, link.match_id), service.now()
        refuse_lost(table, link)
        if open_proposal(session, table) is not None:
            raise NotPossible("The table is being asked already.")
        back_to = _before_a_move_to_ask_for(session, table, link.seat, now)
    row = Proposal(
        match_id=link.match_id,
        seat=link.seat,
        back_to=back_to,
        ply=table.match.ply,
        created_at=now,
    )
    with writing(service, table, "propose", Actor.PLAYER, now, advance_due_at=now) as write:
        write.add(row)
        write.call(lambda _session: _ask_all(write, row))
        write.audit(AuditAct.ASKED_TO_TAKE_BACK, link.seat)
    settle(service, link.match_id)
    return row


def why_not_ask(session: Session, table: Table, seat: int, now: datetime) -> NotPossible | None:
    """Why a seat cannot ask the others to take its last move back; None if it can."""
    try:
        _before_a_move_to_ask_for(session, table, seat, now)
    except NotPossible as error:
        return error
    return None


def _before_a_move_to_ask_for(session: Session, table: Table, seat: int, now: datetime) -> int:
    """The ply before this seat's last move. NotPossible if the others cannot be asked."""
    if not table.running:
        raise NotPossible("This match is not running.")
    if not has_moved(session, table, seat):
        raise NotPossible("You have not moved yet.")
    newest_first = _newest_first(session, table.match)
    for row in newest_first:
        if row.reveals:
            raise NotPossible(
                "Something has been revealed since your move: it cannot be taken back."
            )
        if row.seat == seat and row.made_by in _OWN:
            break
    else:
        # all that this seat did was undone
        raise NotPossible("You have not moved yet.")
    if _times_today(session, table, seat, AuditAct.ASKED_TO_TAKE_BACK, now) >= MOST_ASKED:
        raise NotPossible("You asked the others too often today. Try again tomorrow.")
    return next(newest_first).ply


def _times_today(session: Session, table: Table, seat: int, act: AuditAct, now: datetime) -> int:
    """How often a seat has done this within a day."""
    return audit.times(session, table.match.id, seat, act, now - timedelta(days=1))


def _ask_all(write: Writer, row: Proposal) -> None:
    for seat in write.table.seats:
        if seat.number != row.seat and _can_answer(seat):
            _ask(write, row, seat)


def _ask(write: Writer, row: Proposal, seat: Seat) -> None:
    write.link(Purpose.CONSENT, seat, row.id or 0)
    key = f"{row.id}:{seat.number}:{seat.epoch}"
    write.owe(MailKind.CONSENT_ASKED, key, seat.number, proposal=row.id)


def ask_again(write: Writer, seat: Seat) -> None:
    """Asks a seat with new links the open question again: its old link to answer is dead.

    ``seat`` has the new epoch. A seat that was not asked, or has answered, is not asked again.
    """
    write.call(lambda session: _ask_again(session, write, seat))


def _ask_again(session: Session, write: Writer, seat: Seat) -> None:
    row = open_proposal(session, write.table)
    if row is None or not _can_answer(seat):
        return
    given = select(Consent).where(Consent.proposal_id == row.id, Consent.seat == seat.number)
    if session.exec(given).first() is None and seat.number in _epochs_asked(session, row):
        _ask(write, row, seat)


def proposal_and_answer(
    session: Session, number: int, seat: int
) -> tuple[Proposal | None, Consent | None]:
    """The proposal with this number, and what a seat has answered to it."""
    given = select(Consent).where(Consent.proposal_id == number, Consent.seat == seat)
    return session.get(Proposal, number), session.exec(given).first()


def is_open(row: Proposal, match: Match) -> bool:
    """Whether a proposal can be answered: it was not closed, and nobody has moved since."""
    running = match.status == MatchStatus.RUNNING
    return row.closed_at is None and row.ply == match.ply and running


def answer(service: Service, link: Link, agreed: bool) -> None:
    """One seat's answer to a proposal. The first answer stands; a refusal ends the proposal."""
    _answer(service, link, agreed)
    settle(service, link.match_id)


@act
def _answer(service: Service, link: Link, agreed: bool) -> None:
    with service.database.read() as session:
        table, now = load(session, link.match_id), service.now()
        row, given = proposal_and_answer(session, link.turn_id, link.seat)
    refuse_lost(table, link)
    if row is None or row.match_id != link.match_id:
        raise NotFound()
    if given is not None:
        return
    if not is_open(row, table.match):
        raise Stale("The table has moved on: there is nothing to agree to any more.")
    if table.seat(link.seat).resigned_at is not None:
        raise Resigned()
    if table.seat(link.seat).bot is not None:
        raise NotPossible("A bot plays for you. Take your seat back, then answer.")
    with writing(service, table, "answer", Actor.PLAYER, now, advance_due_at=now) as write:
        write.add(Consent(proposal_id=row.id or 0, seat=link.seat, agreed=agreed, at=now))
        if not agreed:
            _close(write, row, ProposalEnded.REFUSED)
        write.audit(AuditAct.AGREED if agreed else AuditAct.DISAGREED, link.seat)


@act
def settle(service: Service, match_id: str) -> None:
    """Goes back once everybody who was asked and can still answer has agreed.

    It is called right after each answer, and by workers: the process that took the last answer may
    have died, or a seat that has not answered may no longer be able to. It ends a proposal if the
    match has moved on or the seat that asked does not play any more.
    """
    if not with_proposal(service, [match_id]):
        return
    table, _now = read(service, match_id)
    # of the same moment or later: if anything was written since, the claim is lost
    with service.database.read() as session:
        row = _open_proposal(session, match_id)
        if row is None:
            return
        rows = _effective(session, match_id)
        agreed = set(
            session.exec(
                select(Consent.seat).where(Consent.proposal_id == row.id, col(Consent.agreed))
            )
        )
        counted = who_counts(session, table, row)
    if not is_open(row, table.match):
        _end(service, table, row, ProposalEnded.MOVED_ON)
    elif not _plays(table.seat(row.seat)):
        _end(service, table, row, ProposalEnded.WITHDRAWN)
    elif counted <= agreed:
        go_back(
            service,
            table,
            rows,
            row.back_to,
            Actor.PLAYER,
            AuditAct.TOOK_BACK,
            seat=row.seat,
            proposal=row,
        )


def who_counts(session: Session, table: Table, row: Proposal) -> set[int]:
    """The seats whose consent a proposal needs: those that were asked and can still answer.

    A seat that was asked by a link of an earlier epoch does not count: that link is dead.
    """
    asked = _epochs_asked(session, row)
    return {
        seat.number
        for seat in table.seats
        if _can_answer(seat) and seat.epoch in asked.get(seat.number, ())
    }


def _epochs_asked(session: Session, row: Proposal) -> dict[int, set[int]]:
    """The seats that were asked, each with the epochs of the links it got."""
    asked: dict[int, set[int]] = {}
    for link in session.exec(
        select(Link).where(
            Link.match_id == row.match_id,
            Link.purpose == Purpose.CONSENT,
            Link.turn_id == row.id,
        )
    ):
        asked.setdefault(link.seat, set()).add(link.epoch)
    return asked


def _plays(seat: Seat) -> bool:
    """Whether a person holds the seat: no bot, and nobody who has yet to join."""
    return (
        seat.email is not None
        and seat.bot is None
        and seat.joined_at is not None
        and seat.resigned_at is None
    )


def _can_answer(seat: Seat) -> bool:
    """Whether the seat can be asked. A player who wants no mail has chosen not to be asked.

    A player whose mail is refused still counts: they are asked again with their new links.
    """
    return _plays(seat) and seat.muted_at is None


@act
def roll_back(service: Service, match_id: str, ply: int, *, actor: Actor) -> None:
    """The operator sets a running match back to any ply; the log says so, players get a mail."""
    # first the table: what is written claims it as it was before its entries were read
    table = service.read(match_id)
    with service.database.read() as session:
        rows = _effective(session, match_id)
    may_roll_back(table, rows, ply)
    go_back(service, table, rows, ply, actor, AuditAct.ROLLED_BACK, tell=True)


def may_roll_back(table: Table, rows: Sequence[Ply], ply: int) -> None:
    """NotPossible if the match cannot be set back to this ply; ``rows`` are those in force."""
    if not table.running:
        raise NotPossible("This match is not running.")
    if ply not in [row.ply for row in rows[:-1]]:
        raise NotPossible("The match cannot go back to move {ply}.", ply=ply)


def go_back(
    service: Service,
    table: Table,
    rows: Sequence[Ply],
    back_to: int,
    actor: Actor,
    act: AuditAct,
    *,
    seat: int | None = None,
    tell: bool = False,
    proposal: Proposal | None = None,
) -> None:
    """Writes the entry that goes back and the state after ``back_to``, and closes open turns.

    ``rows`` are the entries that are in force now. ``advance`` then opens the turns anew.
    """
    kept = [row for row in rows if row.ply <= back_to]
    state = match_log.replay(table.match, table.seats, kept)
    now, match = service.now(), table.match
    number = match_log.shown_number(match, kept[-1])
    entry = match_log.write_ply(
        match,
        ply=match.ply + 1,
        seat=seat,
        made_by=MadeBy.BACK,
        made_at=now,
        phase=table.game.phase(state).name,
        order=f"back to {back_to}",
        move={"back_to": back_to},
        events=(),
        draws=(),
        reveals=False,
        previous=match.chain_head,
        rules=table.game.rules_of(state),
        public_ply=match.counted + 1,
    )
    columns = {
        **columns_after(table, state, entry),
        "advance_due_at": now,
        "set_aside_at": None,
        "set_aside_error": None,
        "advance_failures": 0,
    }
    with writing(service, table, "go_back", actor, now, **columns) as write:
        write.log(entry)
        for turn in table.open_turns.values():
            write.close(turn, MadeBy.BACK)
        standing_orders.hold_back(write)
        if proposal is not None:
            _close(write, proposal, ProposalEnded.AGREED)
        write.audit(act, seat, back_to=number)
        for player in table.seats if tell else ():
            if player.email is not None:
                key = f"{match.id}:{write.ply}:{player.number}"
                write.owe(MailKind.ROLLED_BACK, key, player.number, back_to=number)


def open_proposal(session: Session, table: Table) -> Proposal | None:
    """The proposal that the table can answer now; None if there is none."""
    row = _open_proposal(session, table.match.id)
    return row if row is not None and is_open(row, table.match) else None


def look_again(write: Writer) -> None:
    """Makes the match due if a proposal is open, because a seat may no longer be able to answer."""

    def look(session: Session) -> None:
        if open_proposal(session, write.table) is not None:
            write.match(advance_due_at=write.now)

    write.call(look)


def _open_proposal(session: Session, match_id: str) -> Proposal | None:
    """The newest proposal that was not closed; the match may have moved on since."""
    return session.exec(
        select(Proposal)
        .where(Proposal.match_id == match_id, col(Proposal.closed_at).is_(None))
        .order_by(col(Proposal.id).desc())
        .limit(1)
    ).first()


_ASKED = select(Proposal.match_id).where(
    col(Proposal.match_id).in_(bindparam("match_ids", expanding=True)),
    col(Proposal.closed_at).is_(None),
)


def with_proposal(service: Service, match_ids: Collection[str]) -> set[str]:
    """Those of the matches that have a proposal which was not closed."""
    with service.database.ask() as session:
        return set(session.execute(_ASKED, {"match_ids": list(match_ids)}).scalars())


def _effective(session: Session, match_id: str) -> list[Ply]:
    """The entries of the log that are in force: without those that going back undid."""
    rows = session.exec(select(Ply).where(Ply.match_id == match_id).order_by(col(Ply.ply))).all()
    return match_log.in_force(rows)


def has_moved(session: Session, table: Table, seat: int) -> bool:
    """Whether this seat has made a move of its own in a match that goes on."""
    which = (Ply.match_id == table.match.id, Ply.seat == seat, col(Ply.made_by).in_(_OWN))
    return session.exec(select(Ply.ply).where(*which).limit(1)).first() is not None


def _newest_first(session: Session, match: Match) -> Iterator[Ply]:
    """As ``_effective``, from the newest on. What nobody looks at is not read."""
    return match_log.in_force_newest_first(_all_newest_first(session, match))


def _all_newest_first(session: Session, match: Match) -> Iterator[Ply]:
    rows: Sequence[Ply]
    below, some = match.ply + 1, 20
    while rows := session.exec(
        select(Ply)
        .where(Ply.match_id == match.id, col(Ply.ply) < below)
        .order_by(col(Ply.ply).desc())
        .limit(some)
    ).all():
        yield from rows
        # of a seat that never moved all are looked at, but not by a hundred queries
        below, some = rows[-1].ply, 4 * some


def _end(service: Service, table: Table, row: Proposal, how: ProposalEnded) -> None:
    with writing(service, table, "end_proposal", Actor.SERVICE, service.now()) as write:
        _close(write, row, how)


def _close(write: Writer, row: Proposal, how: ProposalEnded) -> None:
    """Closes a proposal; tells who asked."""
    write.update(Proposal, col(Proposal.id) == row.id, closed_at=write.now, closed=how)
    # a new player who was invited to the seat and has not joined asked nothing
    if write.table.seat(row.seat).joined_at is not None:
        write.owe(MailKind.TAKE_BACK_ENDED, f"{row.id}", row.seat, how=how)
