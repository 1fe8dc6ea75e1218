"""Who held a seat, as the log binds it: by digests, so that a name can be taken out later.

A digest is ``SHA256(fields("name", match, salt, name))``. Entry 0 and every ply hold the digest of
the seat's holder. The name and its salt stand in rows: in the seat's own for who holds it now, in
``FormerHolder`` for those before. Without the salt a digest says nothing, not even to whoever tries
all names there are.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence

from sqlmodel import Session, col, select

from engine.dice import fields
from pbem.store.models import FormerHolder, Match, Seat

_SALT_BYTES = 16
#: By digest: the salt and the name that it was made of.
Names = dict[str, tuple[str, str]]


def digest(match_id: str, salt: str, name: str) -> str:
    return hashlib.sha256(fields("name", match_id, salt, name)).hexdigest()


def sealed(match_id: str, name: str) -> dict[str, str]:
    """The columns of a seat whose holder has this name, with a new salt."""
    # not from the entropy of the match: what is drawn there can be known when the match is over
    salt = secrets.token_hex(_SALT_BYTES)
    return {"name_salt": salt, "holder": digest(match_id, salt, name)}


def held_by(seat: Seat) -> dict[str, str | None]:
    """What a ply says of the seat's holder.

    That is the digest; in a match that began before there were any it is the name, or nothing once
    its player was forgotten.
    """
    if seat.holder is not None:
        return {"holder": seat.holder, "player": None}
    return {"holder": None, "player": None if seat.forgotten_at else seat.name}


def names(seats: Sequence[Seat], former: Sequence[FormerHolder]) -> Names:
    """The names behind the digests of a match, but of people who were forgotten."""
    now = ((seat.holder, seat.name_salt, seat.name) for seat in seats)
    before = ((row.holder, row.name_salt, row.name) for row in former)
    return {holder: (salt, name) for holder, salt, name in (*before, *now) if holder and salt}


def former(session: Session, match: Match) -> Sequence[FormerHolder]:
    """Those who held a seat of a match before, the earliest first."""
    of_match = select(FormerHolder).where(FormerHolder.match_id == match.id)
    return session.exec(of_match.order_by(col(FormerHolder.id))).all()
