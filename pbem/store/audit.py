"""The audit log: what was done to a match other than by moves. Append only, chained by hash.

Every match has its own chain (and the service one, under the empty id), so writers of different
matches never wait for each other; within a match the claim on its revision keeps order. The head of
each chain is kept in a row of its own, which only goes forward: so rows that are deleted at the end
of a chain are noticed.

What is said of people, and words that somebody typed, stand beside the chain, which has salted
digests of them: they can be taken out and not be changed. Rows from before that have them in the
chain itself. Of these, all of the detail is taken out, and the hash is taken as it is stated.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, select

from engine.codec import encode
from engine.dice import fields
from pbem import journal
from pbem.journal import Line
from pbem.store import statements
from pbem.store.canonical import canonical
from pbem.store.match_log import NO_HASH
from pbem.store.models import Audit, AuditHead, Match
from pbem.store.names import Actor, AuditAct
from pbem.store.plain import AnyAct

#: The number and hash before the first row of a chain.
NO_ROW = (0, NO_HASH)
#: Rows of the log that are read at a time.
_AT_ONCE = 1000
#: The detail of an old row whose texts were taken out, and the acts whose rows have texts.
REDACTED = '{"redacted": true}'
_WITH_TEXTS = frozenset({AuditAct.REPLACED, AuditAct.LOOKED})
#: What came of a player's letters and of orders that they left: they alone read it.
OF_OWN_ORDERS = (AuditAct.LETTER_REFUSED, AuditAct.LETTER_AUTOMATIC, AuditAct.ORDER_UNFIT)
#: Acts that no table's history shows by itself. While a match runs, a row that says the operator
#: looked at the whole table would tell players that something about it is in question.
_NOT_PUBLIC = frozenset(
    {
        *(AuditAct.LOOKED, AuditAct.LOGIN, AuditAct.LOGOUT),
        *OF_OWN_ORDERS,
    }
)


@dataclass(frozen=True)
class Entry:
    """What a row tells, before it has its place in a chain.

    ``detail`` is for people who may see the match's management; it never holds a token, an address
    or a name. ``said`` are names, and words that somebody typed.
    """

    at: datetime
    match_id: str
    actor: Actor
    act: AuditAct
    seat: int | None = None
    ply: int = 0
    detail: Mapping[str, str | int] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)


_HEADS_OF = select(AuditHead.match_id, AuditHead.number, AuditHead.hash).where(
    col(AuditHead.match_id).in_(bindparam("match_ids", expanding=True))
)
_ROW = statements.inserting(Audit)


def append(session: Session, entries: Sequence[Entry]) -> None:
    """Adds rows to the chains of their matches, in the transaction of the acts they tell of."""
    if not entries:
        return
    matches = {"match_ids": list({entry.match_id for entry in entries})}
    if not all(matches["match_ids"]):
        # no claim of a match keeps writers of the service's own chain apart
        statements.alone(session, "audit")
    connection = session.connection()
    heads = {
        match_id: (number, head)
        for match_id, number, head in connection.execute(_HEADS_OF, matches)
    }
    rows = []
    for entry in entries:
        number, head = heads.get(entry.match_id, NO_ROW)
        said = {name: (secrets.token_hex(16), text) for name, text in entry.said.items()}
        bound = {"said": _digests(entry.match_id, said)} if said else {}
        row: dict[str, Any] = {
            "match_id": entry.match_id,
            "number": number + 1,
            "at": entry.at,
            "actor": entry.actor,
            "act": entry.act,
            "seat": entry.seat,
            "ply": entry.ply,
            "public": entry.act not in _NOT_PUBLIC,
            "detail_json": encode({**entry.detail, **bound}).decode(),
            "said_json": encode(said).decode() if said else None,
            "previous_hash": head,
        }
        row["hash"] = _hash(row)
        heads[entry.match_id] = (number + 1, row["hash"])
        rows.append(row)
    # before the heads are written: if two writers continue the same row, one is refused here
    statements.run(session, _ROW, rows)
    newest = [
        {"match_id": match_id, "number": number, "hash": head}
        for match_id, (number, head) in heads.items()
    ]
    statements.upsert(session, AuditHead, newest, unique=("match_id",), updated=("number", "hash"))
    for entry in entries:
        _tell(session, entry)


#: Acts with a line of their own; None if the act itself tells more than its row does.
_LINES: Mapping[str, Line | None] = {
    AuditAct.OPENED: None,
    AuditAct.SET_ASIDE: None,
    AuditAct.JOINED: Line.JOINED,
    AuditAct.TOOK_SEAT: Line.JOINED,
    AuditAct.STARTED: Line.STARTED,
    AuditAct.LOGIN: Line.LOGGED_IN,
    AuditAct.LOGOUT: Line.LOGGED_OUT,
}
#: What the service does because somebody's time is up.
_TIME_IS_UP = frozenset(
    {
        AuditAct.PLAYED_DEFAULT,
        AuditAct.HOST_ASKED,
        AuditAct.BOT_SEATED,
        AuditAct.VACATION_DAY,
        AuditAct.LOBBY_CLOSED,
    }
)


def _tell(session: Session, row: Entry) -> None:
    """Writes the journal line of an audit row, without the row's details."""
    if row.act in _LINES:
        line = _LINES[row.act]
        if line is not None:
            journal.after(session, line, match=row.match_id or None, seat=row.seat)
        return
    line = Line.REMEDY if row.actor in (Actor.HOST, Actor.OPERATOR) else Line.ACT
    if row.actor == Actor.SERVICE and row.act in _TIME_IS_UP:
        line = Line.TIMED_OUT
    journal.after(
        session,
        line,
        act=row.act,
        by=row.actor,
        match=row.match_id or None,
        seat=row.seat,
        ply=row.ply,
    )


def detail(row: AnyAct) -> Mapping[str, Any]:
    """What a row tells besides its act, with the texts that were not taken out."""
    found: dict[str, Any] = json.loads(row.detail_json)
    found.pop("said", None)
    return found | {name: text for name, (_salt, text) in _said(row.said_json).items()}


def take_out(session: Session, match_id: str, seat: int, name: str) -> None:
    """Takes a name out of all rows about a seat."""
    which = (Audit.match_id == match_id, Audit.seat == seat, col(Audit.act).in_(_WITH_TEXTS))
    for row in session.exec(select(Audit).where(*which)):
        said = _said(row.said_json)
        kept = {key: part for key, part in said.items() if part[1] != name}
        if kept != said:
            row.said_json = encode(kept).decode() if kept else None
        elif name in json.loads(row.detail_json).values():
            row.detail_json = REDACTED
        session.add(row)


def _said(said_json: str | None) -> dict[str, tuple[str, str]]:
    """The texts beside a row, each after its salt."""
    return {name: (salt, text) for name, (salt, text) in json.loads(said_json or "{}").items()}


def _digests(match_id: str, said: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    return {
        name: hashlib.sha256(fields("said", match_id, salt, text)).hexdigest()
        for name, (salt, text) in said.items()
    }


def times(session: Session, match_id: str, seat: int, act: AuditAct, since: datetime) -> int:
    """How often an act was done to a seat after this instant."""
    which = (Audit.match_id == match_id, Audit.seat == seat, Audit.act == act)
    done = select(func.count()).select_from(Audit).where(*which, col(Audit.at) > since)
    return session.exec(done).one()


def invited_at(session: Session, match: Match, seat: int) -> datetime:
    """When somebody was last invited to take over a seat of a running match."""
    replaced = session.exec(
        select(func.max(Audit.at)).where(
            Audit.match_id == match.id, Audit.act == AuditAct.REPLACED, Audit.seat == seat
        )
    ).one()
    return replaced or match.started_at or match.created_at


def verify(session: Session) -> list[str]:
    """What is wrong with the chains, a sentence each; empty when all is well."""
    wrong: list[str] = []
    previous: dict[str, tuple[int, str]] = {}
    rows = select(Audit).order_by(Audit.match_id, col(Audit.number))
    # a few at a time: all of them may not fit into memory
    for row in session.exec(rows.execution_options(yield_per=_AT_ONCE)):
        number, head = previous.get(row.match_id, NO_ROW)
        place = f"Entry {row.number} of the audit log of {row.match_id or 'the service'}"
        if row.number != number + 1:
            wrong.append(f"{place} follows entry {number}: entries are missing.")
        elif row.previous_hash != head:
            wrong.append(f"{place} does not continue the entry before it.")
        old = row.detail_json == REDACTED and row.act in _WITH_TEXTS
        if not (old or row.hash == _hash(row.model_dump())) or not _says_what_it_said(row):
            wrong.append(f"{place} was changed after it was written.")
        previous[row.match_id] = (row.number, row.hash)
    return wrong + _ends(session, previous)


def _says_what_it_said(row: Audit) -> bool:
    """Whether the texts beside a row are those that the chain binds, as far as there are any."""
    bound: dict[str, str] = json.loads(row.detail_json).get("said", {})
    return _digests(row.match_id, _said(row.said_json)).items() <= bound.items()


def _ends(session: Session, last: Mapping[str, tuple[int, str]]) -> list[str]:
    """Compares the last row of each chain with its head, to find rows deleted at the end."""
    heads = {head.match_id: (head.number, head.hash) for head in session.exec(select(AuditHead))}
    # every match has a row, of its opening
    chains = {*last, *heads, *session.exec(select(Match.id))}
    return [
        f"The audit log of {match_id or 'the service'} does not end where it ended: it has "
        f"{last.get(match_id, NO_ROW)[0]} entries, and its head is at "
        f"{heads.get(match_id, NO_ROW)[0]}."
        for match_id in sorted(chains)
        if match_id not in last or heads.get(match_id) != last[match_id]
    ]


def _hash(row: Mapping[str, Any]) -> str:
    """The hash of a row with these columns."""
    content = {
        "match": row["match_id"],
        "number": row["number"],
        "at": row["at"].isoformat(),
        "actor": row["actor"],
        "act": row["act"],
        "seat": row["seat"],
        "ply": row["ply"],
        "public": row["public"],
        "detail": json.loads(row["detail_json"]),
        "previous": row["previous_hash"],
    }
    return hashlib.sha256(canonical(content)).hexdigest()
