"""A seat gets another player, or its player another name.

Who held it before is kept in a row beside the log: the record needs what the log binds, and they
may want to be forgotten. What they kept to themselves at the seat goes with them.
"""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, delete, select, update

from pbem.acts import invitees, permissions
from pbem.acts.writing import Writer
from pbem.store import holders
from pbem.store.models import FormerHolder, Match, Message, Seat, TalkDue, TalkMute, TalkNote


def give(write: Writer, seat: Seat, name: str = "", email: str | None = None) -> dict[str, Any]:
    """Gives a seat to somebody, who has not joined yet, or to nobody; returns its columns."""
    permissions.look_again(write, seat.number)
    write.call(lambda session: forget_own(session, seat.match_id, seat.number))
    return {
        **unknown(write.table.match),
        **rename(write, seat, name),
        "email": email,
        "joined_at": None,
        "epoch": seat.epoch + 1,
    }


def unknown(match: Match) -> dict[str, Any]:
    """The columns of a seat of whose player neither address nor wishes are known."""
    return {
        "email": None,
        "zone": match.zone,
        "language": match.language,
        "reminders": True,
        "muted_at": None,
        "mail_problem": None,
        "mail_problem_at": None,
        "mail_returned_at": None,
    }


def rename(write: Writer, seat: Seat, name: str) -> dict[str, Any]:
    """Names a seat anew, and keeps under which name it was held before; returns its columns."""
    if seat.email is not None or seat.name_salt is not None:
        before = FormerHolder(
            match_id=seat.match_id,
            seat=seat.number,
            holder=seat.holder or "",
            name=seat.name,
            name_salt=seat.name_salt or "",
            owner=_owner(seat.email or ""),
        )
        write.add(before)
        write.call(lambda session: _leave_words(session, before))
    sealed = holders.sealed(seat.match_id, name) if seat.holder is not None else {}
    return {"name": name, **sealed}


def _leave_words(session: Session, before: FormerHolder) -> None:
    """What was said at the seat until now is of who held it until now."""
    said = update(Message).filter_by(match_id=before.match_id, seat=before.seat, former=None)
    session.execute(said.values(former=before.id))


def forget_own(session: Session, match_id: str, seat: int) -> None:
    """Deletes the note of a seat's player, who mutes whom, and that a mail should tell them."""
    for table in (TalkNote, TalkMute, TalkDue):
        session.execute(delete(table).filter_by(match_id=match_id, seat=seat))
    # whoever comes next was muted by nobody
    session.execute(delete(TalkMute).filter_by(match_id=match_id, muted=seat))


def held_before(address: str) -> Any:
    """The query for seats that somebody held before, or under another name."""
    return select(FormerHolder).where(col(FormerHolder.owner) == _owner(address))


def forget_held_before(session: Session, match_id: str, address: str) -> None:
    """Deletes the rows of a match that say so."""
    owned = delete(FormerHolder).where(col(FormerHolder.owner) == _owner(address))
    session.execute(owned.filter_by(match_id=match_id))


def _owner(address: str) -> str:
    return invitees.digest(address, "former holder")
