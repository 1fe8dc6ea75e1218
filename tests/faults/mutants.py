"""Faults that the suite must notice: each is the loss of one barrier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import update
from sqlmodel import Session, col

from pbem.acts import due_work, outbox, turns, writing
from pbem.store.models import Match, Turn


def _claims_without_a_look(patches: Any) -> None:
    """Whoever comes writes, whatever revision was read."""

    def claim(session: Session, claims: Sequence[tuple[Match, dict[str, Any]]]) -> None:
        for match, columns in claims:
            session.execute(
                update(Match)
                .where(col(Match.id) == match.id)
                .values(revision=Match.revision + 1, **columns)
                .execution_options(synchronize_session=False)
            )

    patches.setattr(writing, "claim", claim)


def _closes_turns_again(patches: Any) -> None:
    """A turn that was closed is closed and changed once more."""

    def turn(write: writing.Writer, turn: Turn, **columns: Any) -> None:
        write.update(Turn, col(Turn.id) == turn.id, **columns)

    patches.setattr(writing.Writer, "turn", turn)


def _forgets_submissions(patches: Any) -> None:
    """Nobody asks whether a submission was taken before."""
    patches.setattr(turns, "_receipt", lambda *_: None)


def _owes_without_a_key(patches: Any) -> None:
    """What is owed is owed again each time."""
    row = outbox.row
    count = iter(range(10**9))

    def again(kind: str, dedupe: str, *more: Any, **data: Any) -> dict[str, Any]:
        return row(kind, f"{dedupe}:{next(count)}:{id(data)}", *more, **data)

    patches.setattr(outbox, "row", again)


def _writes_in_two_transactions(patches: Any) -> None:
    """The match is claimed in one transaction, and what follows is written in the next."""
    claim = writing.claim

    def claim_alone(session: Session, claims: Sequence[tuple[Match, dict[str, Any]]]) -> None:
        claim(session, claims)
        session.connection().exec_driver_sql("COMMIT")
        session.connection().exec_driver_sql("BEGIN IMMEDIATE")

    patches.setattr(writing, "claim", claim_alone)


def _takes_matches_for_ever(patches: Any) -> None:
    """A worker that dies on a match leaves it taken."""
    patches.setattr(due_work, "LEASE", timedelta(days=36500))


MUTANTS: dict[str, Callable[[Any], None]] = {
    "claims without a look": _claims_without_a_look,
    "closes turns again": _closes_turns_again,
    "forgets submissions": _forgets_submissions,
    "owes without a key": _owes_without_a_key,
    "writes in two transactions": _writes_in_two_transactions,
    "takes matches for ever": _takes_matches_for_ever,
}
