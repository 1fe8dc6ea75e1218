"""What somebody sets once for all their matches."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import bindparam
from sqlalchemy import select as columns_of
from sqlmodel import Session, col, delete, func, select, update

from engine.codec import decode
from pbem.acts import invitees, matches, vacations
from pbem.clocks.deadlines import ClockPolicy
from pbem.errors import BadInput, NotPossible, Refused
from pbem.looks import own_matches
from pbem.looks.own_matches import OwnMatch
from pbem.people import persons, standing
from pbem.people.persons import zone_of
from pbem.service import Service
from pbem.store import links, statements
from pbem.store.models import Link, Match, Person, PersonGroup, Seat
from pbem.store.names import Purpose
from pbem.words import texts

MAILS = ("each", "digest", "none")
#: Hours like ``23:00-09:00``.
_NIGHT = re.compile(r"([01]?\d|2[0-3]):([0-5]\d) ?[-–] ?([01]?\d|2[0-3]):([0-5]\d)")
#: The longest night, in minutes.
LONGEST_NIGHT = 16 * 60
#: At most so many groups of a person, and people in one.
MOST_GROUPS, MOST_PEOPLE = 20, 20


class SettingsRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be set; None: as it is."""

    name: str | None = None
    language: str | None = None
    zone: str | None = None
    night: str | None = None
    mails: str | None = None
    digest_hour: int | None = None
    reminders: bool | None = None
    #: Whether they may be invited.
    invitations: bool | None = None


def begin(session: Session, person: Person) -> Person:
    """Somebody who signs in: what they have not set is as at the seat that they took last."""
    if person.zone and person.name:
        return person
    seats = select(Seat).where(
        func.lower(Seat.email) == person.folded, col(Seat.joined_at).is_not(None)
    )
    last = session.exec(seats.order_by(col(Seat.id).desc()).limit(1)).first()
    if last is not None:
        if not person.zone:
            # until now it was that of the page on which they asked for a link
            person.language = last.language
        person.name, person.zone = person.name or last.name, person.zone or last.zone
        session.add(person)
    return person


def save(service: Service, person: Person, wished: SettingsRequest) -> None:
    """Sets what is wished; zone and language hold for the seats they have now, too.

    BadInput if something cannot be set; then nothing was.
    """
    columns, now, address = _columns(wished), service.now(), person.address or ""
    zone = columns.get("zone") or zone_of(service, person)
    mails = columns.get("mails", person.mails)
    if {"mails", "digest_hour", "zone"} & set(columns):
        hour = columns.get("digest_hour", person.digest_hour)
        columns["digest_at"] = _digest_at(person, mails, next_digest(zone, hour, now))
    with service.database.write("settings.save") as session:
        persons.hold(session, person.id)
        if columns:
            session.execute(update(Person).where(col(Person.id) == person.id).values(**columns))
        if wished.invitations is not None:
            invitees.set_wanted(session, address, now, wanted=wished.invitations)
    changed = {name: columns.get(name, "") for name in ("zone", "language")}
    if any(changed.values()):
        for own in _played(service, person):
            # a match that is being changed all the time keeps what it had
            with suppress(Refused):
                matches.set_preferences(service, seat_link(own, now), **changed)


def _digest_at(person: Person, mails: str, following: datetime) -> datetime | None:
    """When the next digest comes if they want these mails now; ``following``: by what they set.

    One that is to come already comes when it was to come: the turns that it was to bring are in no
    mail, and may end before a later one. After it there is none for who wants each turn.
    """
    promised = person.digest_at
    if mails == "digest":
        return min(following, promised) if promised is not None else following
    return promised if mails == "each" else None


def _columns(wished: SettingsRequest) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if wished.name is not None:
        columns["name"] = texts.name(wished.name) if wished.name.strip() else ""
    if wished.language:
        columns["language"] = texts.language(wished.language)
    if wished.zone:
        columns["zone"] = texts.zone(wished.zone)
    if wished.night is not None:
        columns["night"] = night(wished.night)
    if wished.mails is not None:
        if wished.mails not in MAILS:
            raise BadInput("Choose what mail you want: each, digest or none.", field="mails")
        columns["mails"] = wished.mails
    if wished.digest_hour is not None:
        if not 0 <= wished.digest_hour <= 23:
            raise BadInput("The hour of the digest is a number from 0 to 23.", field="digest_hour")
        columns["digest_hour"] = wished.digest_hour
    if wished.reminders is not None:
        columns["reminders"] = wished.reminders
    return columns


def night(text: str) -> str:
    """Hours like ``23:00-09:00``, "" for none; BadInput for anything else."""
    if not text.strip():
        return ""
    found = _NIGHT.fullmatch(text.strip())
    if found is None:
        raise BadInput("Write your night like 23:00-09:00.", field="night")
    begin_hour, begin, end_hour, end = (int(part) for part in found.groups())
    length = (end_hour * 60 + end - begin_hour * 60 - begin) % (24 * 60)
    if not 0 < length <= LONGEST_NIGHT:
        raise BadInput("A night is at most 16 hours long.", field="night")
    return f"{begin_hour:02}:{begin:02}-{end_hour:02}:{end:02}"


def hours(text: str) -> tuple[time, time] | None:
    """The beginning and the end of a night as it is stored; None if there is none."""
    begin, dash, end = text.partition("-")
    return (time.fromisoformat(begin), time.fromisoformat(end)) if dash else None


def next_digest(zone: str, hour: int, now: datetime) -> datetime:
    """The next instant at which it is this hour there."""
    place = ZoneInfo(zone)
    today = now.astimezone(place).date()
    at = (
        datetime.combine(today + timedelta(days=days), time(hour), place).astimezone(now.tzinfo)
        for days in (0, 1)
    )
    return next(instant for instant in at if instant > now)


def seat_link(own: OwnMatch, now: datetime) -> Link:
    """What an act by the seat's own page is given: whoever has the address has that page."""
    return Link(**links.row(Purpose.SEAT, own.match, own.seat, now))


def _played(service: Service, person: Person) -> list[OwnMatch]:
    """The matches that a person plays, or is invited to, now."""
    with service.database.read() as session:
        return own_matches.whole(session, own_matches.played(session, person.address or ""))


T = TypeVar("T", bound=matches.NewMatch)


def with_zones(service: Service, new: T) -> T:
    """A new match whose invited people have the zone and the language that they set."""
    asked = {seat.email.lower() for seat in new.seats if seat.email}
    with service.database.read() as session:
        found = session.exec(select(Person).where(col(Person.folded).in_(asked))).all()
    known = {person.folded: person for person in found}
    return msgspec.structs.replace(
        new,
        seats=[_as_they_like(seat, known.get((seat.email or "").lower())) for seat in new.seats],
    )


def _as_they_like(seat: matches.NewSeat, person: Person | None) -> matches.NewSeat:
    if person is None:
        return seat
    return msgspec.structs.replace(
        seat,
        zone=seat.zone or person.zone or None,
        language=seat.language or person.language or None,
    )


# --- vacation ---


@dataclass(frozen=True)
class AwayResult:
    """What came of announcing days away: where it holds, and where not, with the reason."""

    matches: tuple[OwnMatch, ...]
    refused: tuple[tuple[OwnMatch, Refused], ...]


def away(service: Service, person: Person, first: date, last: date) -> AwayResult:
    """Announces the same days away in each match that they play.

    BadInput if they cannot be a vacation.
    """
    today = service.now().astimezone(ZoneInfo(zone_of(service, person))).date()
    vacations.fits(first, last, today)
    return _everywhere(service, person, lambda link: vacations.announce(service, link, first, last))


@dataclass(frozen=True)
class VacationState:
    """Whether any match that somebody plays gives days of vacation; whether some are announced."""

    has_days: bool
    is_announced: bool


def vacation(session: Session, person: Person, now: datetime) -> VacationState:
    played = own_matches.played(session, person.address or "")
    these, seats = [own.match_id for own in played], [own.seat_id for own in played]
    kept = session.exec(select(Match.clock_json).where(col(Match.id).in_(these)).distinct())
    policies = [decode(ClockPolicy, one) for one in kept]
    gone = select(Seat.id).where(col(Seat.id).in_(seats), col(Seat.away_until) > now)
    return VacationState(
        any(policy.kind != "none" and policy.vacation_days for policy in policies),
        session.exec(gone.limit(1)).first() is not None,
    )


def here_again(service: Service, person: Person) -> AwayResult:
    """Takes announced days back in each match."""
    return _everywhere(service, person, lambda link: vacations.take_back(service, link))


def _everywhere(service: Service, person: Person, act: Any) -> AwayResult:
    done, refused, now = [], [], service.now()
    for own in _played(service, person):
        if own.seat is None or own.seat.joined_at is None:
            continue
        try:
            act(seat_link(own, now))
        except Refused as error:
            refused.append((own, error))
        else:
            done.append(own)
    return AwayResult(tuple(done), tuple(refused))


# --- groups ---


class Friend(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody of a group."""

    name: str
    email: str


@dataclass(frozen=True)
class Group:
    """People whom somebody often plays with."""

    name: str
    people: tuple[Friend, ...]

    @property
    def text(self) -> str:
        """As it is typed: a line for each, the name and the address."""
        return "\n".join(f"{friend.name} {friend.email}" for friend in self.people)


@dataclass(frozen=True)
class OtherSettings:
    """What somebody has set that is not in their row."""

    groups: Sequence[Group]
    wants_invitations: bool
    #: The name of their page among the standings.
    public_name: str | None


#: A row for each group; one without a group if there is none.
_OTHERS: Any = (
    columns_of(
        *(~invitees.NEVER.exists(), standing.PUBLIC_NAME.scalar_subquery()),
        *(col(PersonGroup.name), col(PersonGroup.people_json)),
    )
    .select_from(Person)
    .outerjoin(PersonGroup, col(PersonGroup.person_id) == col(Person.id))
    .where(col(Person.id) == bindparam("person"))
    .order_by(col(PersonGroup.name))
)


def others(session: Session, person: Person) -> OtherSettings:
    """A person's groups, by name, and what else is not in their row. One query."""
    which = {"person": person.id, "digest": invitees.digest(person.address or "")}
    # for plain columns a connection is the shorter way
    rows = session.connection().execute(_OTHERS, which).all()
    groups = [
        Group(name, tuple(decode(list[Friend], people)))
        for *_, name, people in rows
        if name is not None
    ]
    return OtherSettings(groups, *rows[0][:2])


def groups(session: Session, person: Person) -> Sequence[Group]:
    """A person's groups, by name."""
    return others(session, person).groups


def set_group(service: Service, person: Person, name: str, people: str) -> None:
    """Keeps a group, or forgets it if it has no people. ``people``: a line for each.

    BadInput if a line is not a name and an address, or a new group has none.
    """
    named, friends = texts.name(name, "name of the group"), _friends(people)
    with service.database.write("settings.group") as session:
        persons.hold(session, person.id)
        if not friends:
            group = (col(PersonGroup.person_id) == person.id, col(PersonGroup.name) == named)
            if not statements.rowcount(session, delete(PersonGroup).where(*group)):
                raise BadInput(
                    "Nobody is in this group yet. Write a line for each: Ben ben@example.org.",
                    field="people",
                )
            return
        statements.alone(session, f"groups {person.id}")
        kept = [one for one in groups(session, person) if one.name != named]
        if len(kept) >= MOST_GROUPS:
            raise NotPossible("You have {most} groups, and there can be no more.", most=MOST_GROUPS)
        row = {
            "person_id": person.id,
            "name": named,
            "people_json": json.dumps([msgspec.to_builtins(friend) for friend in friends]),
        }
        statements.upsert(
            session,
            PersonGroup,
            [row],
            unique=("person_id", "name"),
            updated=("people_json",),
        )


def _friends(people: str) -> list[Friend]:
    lines = [line.strip() for line in people[:20_000].splitlines() if line.strip()]
    if len(lines) > MOST_PEOPLE:
        raise BadInput("A group has at most {most} people.", field="people", most=MOST_PEOPLE)
    return [_friend(line) for line in lines]


def _friend(line: str) -> Friend:
    name, _, email = line.rpartition(" ")
    address = texts.address(email.strip("<>(),;"))
    return Friend(texts.name(name.strip(" ,;") or address.partition("@")[0]), address)
