"""What is known of whoever has an address, as plain values: for a file.

It has no address of anybody else, and nothing of a match that its seat may not see.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import RawIOBase
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sqlmodel import Session, col, func, or_, select

from engine.codec import encode
from pbem.acts import invitees, seat_holders
from pbem.acts.forgetting import Was
from pbem.clock import iso
from pbem.looks import match_look
from pbem.people import persons, privacy, talk
from pbem.service import Service
from pbem.store import links, packed
from pbem.store.canonical import canonical
from pbem.store.models import (
    AddressLink,
    Device,
    FormerHolder,
    Invitee,
    Mail,
    Match,
    Message,
    Person,
    PersonGroup,
    Ply,
    PublicPlayer,
    Seat,
    Series,
    SeriesPlayer,
    Standing,
    StandingOrder,
    StandingResult,
    Watch,
)
from pbem.store.table import load


def known_of(service: Service, address: str) -> dict[str, Any] | None:
    """All that is kept about an address, in JSON's values; None if nothing is."""
    with service.database.read() as session:
        found = privacy.matches_of(session, address)
        whose = persons.of_address(session, address)
        said = {
            "matches": [_match(session, match_id, address) for match_id in found],
            "mails": _mails(session, address),
            "links_asked_for": _asked(session, address),
            "person": _person(session, whose) if whose is not None else None,
            "no_invitations_since": _never(session, address),
        }
    if not any(said.values()):
        return None
    return {"address": address, "at": iso(service.now()), **said}


class _Pieces(RawIOBase):
    """A file that is only written; what was written is taken away."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        written, self._written = self._written, []
        return b"".join(written)


def as_zip(service: Service, known: Mapping[str, Any]) -> Iterator[bytes]:
    """What is known and the records of all its matches that are over, in pieces of a ZIP file.

    One record at a time is in memory. Each is as everybody gets it who has the match's address.
    """
    out, now = _Pieces(), service.now().timetuple()[:6]
    with ZipFile(out, "w") as file:

        def add(name: str, content: bytes) -> bytes:
            file.writestr(ZipInfo(name, now), content, ZIP_DEFLATED)
            return out.taken()

        yield add("pbem-data.json", encode(known))
        for one in known["matches"]:
            if one["ended_at"] is not None:
                record = match_look.record(service, one["match"])
                yield add(f"records/pbem-{one['match']}.json", canonical(record))
    yield out.taken()


def _match(session: Session, match_id: str, address: str) -> dict[str, Any]:
    table = load(session, match_id)
    match = table.match
    own = [seat for seat in table.seats if seat.has_address(address)]
    before = session.exec(seat_holders.held_before(address).filter_by(match_id=match_id)).all()
    hosts = match.host_email.lower() == address.lower()
    host = Was(match.id, links.HOST)
    return {
        "match": match.id,
        "game": match.game,
        "title": match.title,
        "name": match.name,
        "status": str(match.status),
        "opened_at": iso(match.created_at),
        "began_at": iso(match.started_at),
        "ended_at": iso(match.ended_at),
        "hosted_as": match.host_name if hosts else None,
        "said_as_host": _messages(session.exec(talk.said_by(host))) if hosts else [],
        "seats": [_seat(session, match, seat) for seat in own],
        "seats_before": [_seat_before(session, match, table.seat(row.seat), row) for row in before],
    }


def _seat(session: Session, match: Match, seat: Seat) -> dict[str, Any]:
    orders = session.exec(select(StandingOrder).filter_by(match_id=match.id, seat=seat.number))
    said = talk.said_by(Was(match.id, seat.number))
    begun = match.started_at
    return {
        "seat": seat.number,
        "name": seat.name,
        "joined_at": iso(seat.joined_at),
        "gave_up_at": iso(seat.resigned_at),
        # it stays in the dice, whoever gets the seat later
        "phrase": seat.phrase if begun is None or _has_the_seat(seat, begun) else None,
        "language": seat.language,
        "zone": seat.zone,
        "reminders": seat.reminders,
        "reserve_seconds": seat.reserve,
        "vacation_days": seat.vacation_days,
        "away": [iso(seat.away_from), iso(seat.away_until)] if seat.away_from else None,
        "no_mail_since": iso(seat.muted_at),
        "mail_problem": seat.mail_problem,
        "bot": seat.bot,
        "moves": _moves(
            ply
            for ply in packed.plies(session, match)
            if ply.seat == seat.number and _has_the_seat(seat, ply.made_at)
        ),
        "standing_orders": [
            {"left_at": iso(row.created_at), "orders": json.loads(row.orders_json)}
            for row in orders
            if _has_the_seat(seat, row.created_at)
        ],
        "messages": _messages(session.exec(said)),
        "note": talk.note_of(session, match.id, seat.number) or None,
    }


def _has_the_seat(seat: Seat, at: datetime) -> bool:
    """Whether the present player had the seat then: what another left there is not theirs."""
    return seat.joined_at is not None and at >= seat.joined_at


def _seat_before(session: Session, match: Match, seat: Seat, row: FormerHolder) -> dict[str, Any]:
    """What is kept of somebody from the time when they had a seat, or another name there."""
    said = talk.said_by(Was(match.id, row.seat, row.id))
    # older logs hold the names themselves
    held = row.holder or row.name
    plies = [ply for ply in packed.plies(session, match) if ply.seat == row.seat]
    theirs = (ply for ply in plies if (ply.holder or ply.player) == held)
    return {
        "seat": row.seat,
        "name": row.name,
        "moves": _moves(ply for ply in theirs if not _has_the_seat(seat, ply.made_at)),
        "messages": _messages(session.exec(said)),
    }


def _moves(plies: Iterable[Ply]) -> list[dict[str, Any]]:
    return [
        {"ply": ply.ply, "at": iso(ply.made_at), "order": ply.order_text, "made_by": ply.made_by}
        for ply in plies
    ]


def _messages(said: Iterable[Message]) -> list[dict[str, Any]]:
    return [
        {
            "at": iso(row.at),
            "to": "table" if row.to_seat is None else row.to_seat,
            "text": row.text,
        }
        for row in said
    ]


def _mails(session: Session, address: str) -> list[dict[str, Any]]:
    folded = address.lower()
    theirs = or_(func.lower(Mail.sent_to) == folded, func.lower(Mail.address) == folded)
    return [
        {
            "kind": row.kind,
            "match": row.match_id,
            "owed_at": iso(row.created_at),
            "sent_at": iso(row.sent_at),
            "status": str(row.status),
            "delivery": row.delivery,
        }
        for row in session.exec(select(Mail).where(theirs).order_by(col(Mail.id)))
    ]


def _asked(session: Session, address: str) -> list[dict[str, Any]]:
    asked = select(AddressLink).where(func.lower(AddressLink.address) == address.lower())
    return [
        {
            "kind": row.kind,
            "asked_at": iso(row.created_at),
            "used_at": iso(row.used_at),
            "about": json.loads(row.about_json),
        }
        for row in session.exec(asked.order_by(col(AddressLink.id)))
    ]


def _person(session: Session, person: Person) -> dict[str, Any]:
    def theirs(table: Any) -> Sequence[Any]:
        return session.exec(select(table).where(table.person_id == person.id)).all()

    return {
        "name": person.name,
        "language": person.language,
        "zone": person.zone,
        "mails": person.mails,
        "digest_hour": person.digest_hour,
        "reminders": person.reminders,
        "night": person.night,
        "since": iso(person.created_at),
        "devices": [
            {"label": row.label, "since": iso(row.created_at), "until": iso(row.expires_at)}
            for row in theirs(Device)
        ],
        # who is in them is theirs to tell: their addresses are not in this file
        "groups": [
            {"name": row.name, "people": len(json.loads(row.people_json))}
            for row in theirs(PersonGroup)
        ],
        "wants_to_hear_of": [
            {"game": row.game, "seats": row.seats, "language": row.language}
            for row in theirs(Watch)
        ],
        "own_page": next((row.name for row in theirs(PublicPlayer)), None),
        "ratings": [
            {
                "game": row.game,
                "seats": row.seats,
                "matches": row.matches,
                "mu": row.mu,
                "sigma": row.sigma,
            }
            for row in theirs(Standing)
        ],
        "series": [
            {
                "series": row.series_id,
                "name": row.name,
                "place": row.place,
                "entered_at": iso(row.entered_at),
            }
            for row in theirs(SeriesPlayer)
        ],
        "hosted_series": list(
            session.exec(select(Series.id).where(Series.host_id == person.id)).all()
        ),
        "results": [
            {
                "match": row.match_id,
                "seat": row.seat,
                "rank": row.rank,
                "in_time": row.in_time,
                "missed": row.missed,
            }
            for row in theirs(StandingResult)
        ],
    }


def _never(session: Session, address: str) -> str | None:
    row = session.get(Invitee, invitees.digest(address))
    return iso(row.never_at) if row is not None else None
