"""Who may do what: a token in a link names one row, and its code proves that we wrote it.

    /t/<row>-<code>

``row`` is the number of a Link row in base 36. ``code`` is the first 20 bytes of
``HMAC-SHA256(key of the purpose, fields(purpose, row, match, seat, turn, epoch))`` in base 32, so:

- the same row always has the same token, and a mail that is sent again carries the same link;
- the database holds no token, and cannot make one without the keys;
- a token for one purpose is no token for another, each has its own key;
- raising a seat's epoch kills every link it ever had.

A token holds no name, address or match id. Bad, unknown and revoked ones get the same answer.
"""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, case
from sqlmodel import Session, col, select

from engine.dice import fields
from pbem.errors import NotFound
from pbem.store import statements
from pbem.store.keys import Keys
from pbem.store.models import Link, Match, Seat
from pbem.store.names import DOORS, Purpose
from pbem.store.plain import AnyMatch, AnySeat

#: The host's place in ``Link.seat``.
HOST = -1

#: The highest number that a row can have: on PostgreSQL these columns have 32 bits, signed.
LAST_ROW = (1 << 31) - 1

CODE_BYTES = 20
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
TOKEN = re.compile(r"([1-9a-z][0-9a-z]{0,11})-([a-z2-7]{32})")


#: A link with the present epoch of its seat (the host's), at most one row.
FOUND = (
    select(Link, case((col(Link.seat) == HOST, col(Match.host_epoch)), else_=col(Seat.epoch)))
    .outerjoin(Match, col(Match.id) == col(Link.match_id))
    .outerjoin(
        Seat, (col(Seat.match_id) == col(Link.match_id)) & (col(Seat.number) == col(Link.seat))
    )
    .where(col(Link.id) == bindparam("row"))
)
_THERE = select(Link).where(
    col(Link.purpose) == bindparam("purpose"),
    col(Link.match_id) == bindparam("match_id"),
    col(Link.seat) == bindparam("seat"),
    col(Link.turn_id) == bindparam("turn_id"),
    col(Link.epoch) == bindparam("epoch"),
)
#: What a mail to a seat brings most often.
_MAILED = (Purpose.TURN, Purpose.REPLY, Purpose.SEAT, Purpose.MUTE)
_OF_SEAT = select(Link).where(
    col(Link.purpose).in_(_MAILED),
    col(Link.match_id) == bindparam("match_id"),
    col(Link.seat) == bindparam("seat"),
    col(Link.turn_id).in_((0, bindparam("turn_id"))),
    col(Link.epoch) == bindparam("epoch"),
)


def make(
    session: Session,
    purpose: Purpose,
    match: AnyMatch,
    seat: AnySeat | None,
    now: datetime,
    turn_id: int = 0,
) -> Link:
    """The row of this link: the one there is, or a new one in this transaction.

    ``seat`` None is the host. Idempotent: asking twice gives the same row.
    """
    put(session, [row(purpose, match, seat, now, turn_id)])
    link = there(session, purpose, match, seat, turn_id)
    assert link is not None  # it was written, or it was there
    return link


_ONCE = ("purpose", "match_id", "seat", "turn_id", "epoch")


def row(
    purpose: Purpose, match: AnyMatch, seat: AnySeat | None, now: datetime, turn_id: int = 0
) -> dict[str, Any]:
    """The columns of a link in the present epoch of its seat, or of the host."""
    return {
        "purpose": purpose,
        "match_id": match.id,
        "seat": HOST if seat is None else seat.number,
        "turn_id": turn_id,
        "epoch": match.host_epoch if seat is None else seat.epoch,
        "created_at": now,
    }


def put(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Writes links, those that are not there yet."""
    statements.upsert(session, Link, rows, unique=_ONCE)


def there(
    session: Session, purpose: Purpose, match: AnyMatch, seat: AnySeat | None, turn_id: int = 0
) -> Link | None:
    """The row of this link in the seat's (the host's) present epoch; None if there is none."""
    wanted = row(purpose, match, seat, match.created_at, turn_id)
    which = {column: wanted[column] for column in _ONCE}
    return session.exec(_THERE, params=which).first()


def of_seat(session: Session, match: Match, seat: Seat, turn_id: int) -> Sequence[Link]:
    """The links of a seat in its present epoch that a mail brings most often.

    They are about the seat itself, or about this turn.
    """
    which = {"match_id": match.id, "seat": seat.number, "turn_id": turn_id, "epoch": seat.epoch}
    return session.exec(_OF_SEAT, params=which).all()


def token(keys: Keys, link: Link) -> str:
    """The token of a row, signed with the newest key of its purpose."""
    return signed(keys.of(link.purpose), _number(link), *_about(link))


def url(keys: Keys, base_url: str, link: Link) -> str:
    """The whole link, from the configured address and never from a request's."""
    return f"{base_url}/{DOORS[Purpose(link.purpose)]}/{token(keys, link)}"


def url_of_row(keys: Keys, base_url: str, number: int, about: Mapping[str, Any]) -> str:
    """As ``url``, for a row that was not read: its number, and its columns as ``row`` has them."""
    purpose = Purpose(about["purpose"])
    known = (about[column] for column in ("match_id", "seat", "turn_id", "epoch"))
    made = signed(keys.of(purpose), number, str(purpose), number, *known)
    return f"{base_url}/{DOORS[purpose]}/{made}"


def find(session: Session, keys: Keys, text: str, purpose: Purpose, now: datetime) -> Link:
    """The valid row that a token of this purpose names; for everything else the same NotFound.

    1. the text must have a token's form and name a row;
    2. one of the purpose's keys must have made the code over this row;
    3. the row must be neither revoked nor expired, and of the seat's (the host's) present epoch.
    """
    row = row_of(text)
    found = session.exec(FOUND, params={"row": row}).first() if row is not None else None
    return checked(keys, text, purpose, now, *(found or (None, None)))


def row_of(text: str) -> int | None:
    """The number of the row that a token names; None if no token looks like that."""
    parts = TOKEN.fullmatch(text)
    row = int(parts[1], 36) if parts else None
    # a database refuses to be asked for a higher one
    return row if row is not None and row <= LAST_ROW else None


def checked(
    keys: Keys, text: str, purpose: Purpose, now: datetime, link: Link | None, epoch: int | None
) -> Link:
    """The row that a token names, if the token is valid: steps 2 and 3 of ``find``.

    ``link`` is None if there is no such row; ``epoch`` is the present one of its seat (the host's).
    """
    # without a row a code is made all the same, so the answer takes as long
    about = _about(link) if link else (str(purpose), 0, "", 0, 0, 0)
    fits = is_signed(keys.of(purpose.value), text, *about)
    if link is None or not fits or link.purpose != purpose or link.revoked_at is not None:
        raise NotFound()
    if link.expires_at is not None and link.expires_at <= now:
        raise NotFound()
    if link.epoch != epoch:
        raise NotFound()
    return link


def _about(link: Link) -> tuple[str | int, ...]:
    """What the code of a link is made of."""
    purpose, number = str(link.purpose), _number(link)
    return purpose, number, link.match_id, link.seat, link.turn_id, link.epoch


def signed(keys: Sequence[bytes], number: int, *about: str | int) -> str:
    """A token: the number of its row, and what the newest of the keys makes of these values."""
    return f"{base36(number)}-{_code(keys[0], *about)}"


def is_signed(keys: Sequence[bytes], text: str, *about: str | int) -> bool:
    """Whether one of the keys made a token of these values."""
    parts = TOKEN.fullmatch(text)
    given = parts[2] if parts else "a" * 32
    # every key is tried, so the time does not tell which one it was
    return bool([key for key in keys if hmac.compare_digest(_code(key, *about), given)])


def _code(key: bytes, *about: str | int) -> str:
    digest = hmac.digest(key, fields(*about), "sha256")[:CODE_BYTES]
    return base64.b32encode(digest).decode().lower()


def _number(link: Link) -> int:
    if link.id is None:
        raise ValueError("a link has no token before it has a row")
    return link.id


def base36(number: int) -> str:
    """A number as it stands in a token, from 1 upwards."""
    out = ""
    while number:
        number, digit = divmod(number, 36)
        out = _DIGITS[digit] + out
    return out
