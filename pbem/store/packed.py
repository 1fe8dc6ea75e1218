"""The log of a match that has been over for a long time, compressed in one row.

``acts.packing`` packs a match. All that reads the log of a match that may be over asks here, and
gets the same rows whether it is packed or not.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import bindparam, delete, update
from sqlmodel import Session, col, func, select

from engine.codec import encode
from pbem.store.match_log import NO_HASH
from pbem.store.models import Mail, Match, PackedLog, Ply, Submission, Turn
from pbem.store.names import SETTLED
from pbem.store.plain import PLY, AnyPly, PlainPly

#: The version of the format, the first value in each packed log.
FORMAT = 1


class _Line(msgspec.Struct, frozen=True, array_like=True):
    """A ply without the previous hash, which is the hash of the line before."""

    ply: int
    seat: int | None
    player: str | None
    turn_id: int | None
    made_by: str
    made_at: datetime
    rules_version: str
    phase: str
    order_text: str
    move_json: str
    events_json: str
    draws_json: str
    reveals: bool
    hash: bytes
    public_ply: int | None
    # those packed before there were such columns end above
    holder: str | None = None
    redacted: bool = False


class _Received(msgspec.Struct, frozen=True, array_like=True):
    """A submission without its id, to which nothing refers."""

    turn_id: int
    key: str
    ply: int
    receipt_json: str
    received_at: datetime


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    format: int
    lines: list[_Line]
    received: list[_Received]


#: Higher than the number of any ply.
_LAST = 2**31 - 1
#: Statements that run often are built once.
_THESE = (
    col(Ply.match_id) == bindparam("match_id"),
    col(Ply.ply).between(bindparam("since"), bindparam("upto")),
)
_PLIES = select(Ply).where(*_THESE).order_by(col(Ply.ply))
_TOLD: Any = select(*PLY).where(*_THESE).order_by(col(Ply.ply))
_MOVES = _PLIES.where(col(Ply.turn_id) == bindparam("turn_id"))
_DATA = select(PackedLog.data)
_decoder = msgspec.msgpack.Decoder(_Packed)


@dataclass(frozen=True)
class Loose:
    """The rows of a match that can be packed: plies in their order, submissions in theirs."""

    plies: Sequence[Ply]
    submissions: Sequence[Submission]


def loose(session: Session, match_id: str) -> Loose:
    """The rows of a match that are not packed yet."""
    plies = session.exec(select(Ply).where(Ply.match_id == match_id).order_by(col(Ply.ply))).all()
    submissions = session.exec(
        select(Submission)
        .where(col(Submission.turn_id).in_(_turns_of(match_id)))
        .order_by(col(Submission.id))
    ).all()
    return Loose(plies, submissions)


def pack(rows: Loose) -> bytes | None:
    """The rows as bytes, from which they can be restored; None if the chain of hashes is broken.

    A log with a broken chain was changed by hand. It is not packed.
    """
    previous = NO_HASH
    for row in rows.plies:
        if row.previous_hash != previous:
            return None
        previous = row.hash
    lines = [
        _Line(
            row.ply,
            row.seat,
            row.player,
            row.turn_id,
            str(row.made_by),
            row.made_at,
            row.rules_version,
            row.phase,
            row.order_text,
            row.move_json,
            row.events_json,
            row.draws_json,
            row.reveals,
            bytes.fromhex(row.hash),
            row.public_ply,
            row.holder,
            row.redacted,
        )
        for row in rows.plies
    ]
    received = [
        _Received(row.turn_id, row.key, row.ply, row.receipt_json, row.received_at)
        for row in rows.submissions
    ]
    return _compressed(_Packed(FORMAT, lines, received))


def put(session: Session, match_id: str, data: bytes) -> None:
    """Replaces the rows by the packed log, and deletes the match's settled mails.

    The newest mail of the whole outbox stays, because SQLite would give its id to the next one; it
    belongs to no match from now on. Turns keep what a link to them shows.
    """
    session.add(PackedLog(match_id=match_id, data=data))
    session.flush()
    newest = select(func.max(Mail.id)).scalar_subquery()
    for statement in (
        delete(Ply).where(col(Ply.match_id) == match_id),
        delete(Submission).where(col(Submission.turn_id).in_(_turns_of(match_id))),
        delete(Mail).where(
            col(Mail.match_id) == match_id, col(Mail.status).in_(SETTLED), col(Mail.id) < newest
        ),
        update(Mail)
        .where(col(Mail.match_id) == match_id, col(Mail.status).in_(SETTLED))
        .values(match_id=None),
        update(Turn)
        .where(col(Turn.match_id) == match_id, col(Turn.closed_at).is_not(None))
        .values(
            clock_json="{}",
            credited_until=None,
            final_at=None,
            host_asked_at=None,
            public_opened_at=None,
            public_due_at=None,
            public_held_at=None,
        ),
    ):
        session.execute(statement.execution_options(synchronize_session=False))


def plies(
    session: Session,
    match: Match,
    *,
    since: int = 0,
    upto: int = _LAST,
    turn_id: int | None = None,
) -> Sequence[Ply]:
    """The plies of a match from one to another, and of one turn if it is given."""
    if match.packed_at is not None:
        return _unpacked(
            session,
            match.id,
            lambda line: since <= line.ply <= upto and turn_id in (None, line.turn_id),
        )
    which = {"match_id": match.id, "since": since, "upto": upto}
    if turn_id is None:
        return session.exec(_PLIES, params=which).all()
    return session.exec(_MOVES, params={**which, "turn_id": turn_id}).all()


def told(session: Session, match: Match, since: int) -> Sequence[AnyPly]:
    """As ``plies``, from one on: so much of each as a history tells."""
    if match.packed_at is not None:
        return plies(session, match, since=since)
    which = {"match_id": match.id, "since": since, "upto": _LAST}
    return [PlainPly._make(row) for row in session.connection().execute(_TOLD, which)]


def take_out(session: Session, match: Match, seat: int, name: str) -> None:
    """Takes a name out of a log that holds names itself. The hashes stay as they were."""
    if match.packed_at is None:
        for ply in session.exec(
            select(Ply).where(Ply.match_id == match.id, Ply.seat == seat, Ply.player == name)
        ):
            ply.player, ply.redacted = None, True
        first = session.get_one(Ply, (match.id, 0))
        founding = _without(first.move_json, seat, name)
        if founding is not None:
            first.move_json, first.redacted = founding, True
        return
    row = session.get_one(PackedLog, match.id)
    known = _read(row.data)
    lines = [_line_without(line, seat, name) for line in known.lines]
    if lines != known.lines:
        row.data = _compressed(_Packed(FORMAT, lines, known.received))


def _line_without(line: _Line, seat: int, name: str) -> _Line:
    replace = msgspec.structs.replace
    if line.ply == 0:
        founding = _without(line.move_json, seat, name)
        return line if founding is None else replace(line, move_json=founding, redacted=True)
    theirs = line.seat == seat and line.player == name
    return replace(line, player=None, redacted=True) if theirs else line


def _without(founding: str, seat: int, name: str) -> str | None:
    """What entry 0 holds, without the name; None if it does not hold it."""
    said = json.loads(founding)
    if said.get("players", ())[seat : seat + 1] != [name]:
        return None
    said["players"][seat] = None
    return encode(said).decode()


def receipt(session: Session, match_id: str, turn_id: int, key: str) -> str | None:
    """The receipt of a submission of this key to a turn, as JSON, if the match is packed."""
    data = session.exec(_DATA.where(PackedLog.match_id == match_id)).first()
    if data is None:
        return None
    received = _read(data).received
    return next(
        (row.receipt_json for row in received if row.turn_id == turn_id and row.key == key), None
    )


def _turns_of(match_id: str) -> Any:
    return select(Turn.id).where(Turn.match_id == match_id)


def _compressed(log: _Packed) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(log), 9)


def _read(data: bytes) -> _Packed:
    return _decoder.decode(zlib.decompress(data))


def _unpacked(session: Session, match_id: str, wanted: Callable[[_Line], bool]) -> list[Ply]:
    rows: list[Ply] = []
    previous = NO_HASH
    data = session.exec(_DATA.where(PackedLog.match_id == match_id)).one()
    for line in _read(data).lines:
        own = line.hash.hex()
        if wanted(line):
            values = msgspec.structs.asdict(line) | {"hash": own}
            rows.append(Ply(match_id=match_id, previous_hash=previous, **values))
        previous = own
    return rows
