"""Going on without waiting for the mail: a cookie remembers by which links this device has moved.

Who is signed in goes on to all their turns (``pbem.web.devices``). For others:

It holds turn links by which a move was confirmed here, for hours. A page that knows one of them may
lead to the next turn of its seat. The cookie is worth no more than those links: it is asked about
each seat by the link itself, so it ends where the link ends (new links for the seat, another player
in it), and nothing is kept about it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flask import Response, request
from itsdangerous import BadData, URLSafeSerializer
from sqlmodel import Session

from pbem.errors import NotFound
from pbem.looks import own_matches
from pbem.looks.match_look import TableLook
from pbem.store import links
from pbem.store.models import Match, Seat
from pbem.store.names import Purpose
from pbem.store.table import load
from pbem.web import cookies, devices
from pbem.web.context import service

COOKIE = "pbem_played"
#: How long a move is remembered, and by how many links.
LIFE, MOST = timedelta(hours=6), 6


@dataclass(frozen=True)
class Next:
    """An open turn of somebody who has moved on this device."""

    token: str
    match_id: str
    due_at: datetime | None


def played() -> tuple[str, ...]:
    """The turn links by which a move was confirmed on this device, the newest first."""
    try:
        kept = _signer().loads(request.cookies.get(COOKIE, "")[:2000])
        since = (service().now() - LIFE).timestamp()
        return tuple(str(token) for token, at in kept if float(at) >= since)[:MOST]
    except (BadData, TypeError, ValueError):
        return ()


def remember(response: Response, token: str) -> None:
    """Keeps that a move was confirmed by this link, on the device that gets this answer."""
    now = service().now().timestamp()
    others = [one for one in played() if one != token][: MOST - 1]
    # each as new as the last move: who plays on is there
    kept = _signer().dumps([[one, int(now)] for one in (token, *others)])
    cookies.put(response, COOKIE, str(kept), LIFE, path="/t/")


def forget(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/t/")


def may(token: str, email: str | None) -> bool:
    """Whether this device goes on from a turn: who has moved by its link here, or is signed in.

    ``email`` is the address of the turn's seat. In mailbox mode from everywhere: there mails are
    public.
    """
    return service().settings.mailbox or token in played() or is_here(email)


def is_here(email: str | None) -> bool:
    """Whether somebody with this address is signed in on this device."""
    person = devices.person() if email else None
    return person is not None and email is not None and email.lower() == person.folded


def is_mailed(seat: Seat) -> bool:
    """Whether a mail tells its player of a turn, as far as it is known on this device."""
    return seat.muted_at is None and wants_mail(seat.email)


def wants_mail(email: str | None) -> bool:
    """Whether somebody with this address wants mail of turns, as far as it is known here."""
    person = devices.person() if is_here(email) else None
    return person is None or person.mails != "none"


def place(email: str | None, turn_id: int | None) -> tuple[int, int] | None:
    """Which of their open turns this is, by the time at which they end, and how many there are.

    None if whoever has this address is not signed in here, or has no other.
    """
    if email is None or not is_here(email):
        return None
    with service().database.read() as session:
        found = [one.turn_id for one in own_matches.turns(own_matches.played(session, email))]
    if len(found) < 2 or turn_id not in found:
        return None
    return found.index(turn_id) + 1, len(found)


def own_way(look: TableLook, seat: Seat, *, proved: bool) -> dict[str, Any]:
    """How a page that tells of a seat leads its owner on, as values of the template.

    ``here``: they are signed in, so a button leads to their turn or seat. ``to_seat``: the path of
    their seat, if this request has just used up what was mailed to them (``proved``). Anybody else
    may have come by a link that was passed on, and is told that the owner's mail has the link.
    """
    here = is_here(seat.email)
    path = to_seat(look.match, seat) if proved and not here else ""
    return {
        "here": here,
        "to_seat": path,
        "has_turn": seat.number in look.open_turns,
        "is_mailed": is_mailed(seat),
    }


def to_seat(match: Match, seat: Seat) -> str:
    """The path of a seat's own page, for nobody but its owner; "" if its link was never made."""
    with service().database.read() as session:
        link = links.there(session, Purpose.SEAT, match, seat)
    return f"/s/{links.token(service().keys, link)}" if link is not None else ""


def next_turn(token: str) -> Next | None:
    """The next open turn of who played by this link: at its table, or else where time ends first.

    NotFound if this device does not go on from that turn; None if there is no open turn now.
    """
    with service().database.read() as session:
        link = links.find(session, service().keys, token, Purpose.TURN, service().now())
        email = load(session, link.match_id).seat(link.seat).email
        if not may(token, email):
            raise NotFound()
        own = _open_turn(session, token)
        if own is not None:
            return own
        found = [_open_turn(session, other) for other in played() if other != token]
        if is_here(email) and email is not None:
            found.append(_signed_in_turn(session, email))
    there = [one for one in found if one is not None]
    return min(there, key=lambda one: (one.due_at is None, one.due_at), default=None)


def _open_turn(session: Session, token: str) -> Next | None:
    """The open turn of the seat that a turn link is of; None if there is none or the link ended."""
    keys = service().keys
    try:
        link = links.find(session, keys, token, Purpose.TURN, service().now())
    except NotFound:
        return None
    table = load(session, link.match_id)
    turn, seat = table.open_turns.get(link.seat), table.seat(link.seat)
    if turn is None or seat.bot:
        return None
    found = links.there(session, Purpose.TURN, table.match, seat, turn.id or 0)
    if found is None:
        return None
    return Next(links.token(keys, found), link.match_id, turn.due_at)


def _signed_in_turn(session: Session, email: str) -> Next | None:
    own = own_matches.next_turn(session, email)
    if own is None or own.turn is None or own.link_id is None:
        return None
    token = own.url(service().keys, "").rpartition("/")[2]
    return Next(token, own.match.id, own.turn.due_at)


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(cookies.signing_keys("played"))
