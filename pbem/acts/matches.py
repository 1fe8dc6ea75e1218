"""How a match is opened, joined and opened again, and what players set for themselves."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, Literal

import msgspec
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, func, select

from engine.codec import decode, encode
from engine.dice import SEED_BYTES, commitment
from engine.errors import Sentence, shown
from engine.game import Options
from engine.games.registry import AnyGame, find
from pbem.acts import invitees, lobby, seat_holders, seat_names, starting
from pbem.acts.writing import (
    SomeoneWasFirstError,
    Writer,
    act,
    hold,
    opening,
    read,
    read_by,
    writing,
)
from pbem.clocks.deadlines import ClockPolicy, first_reserve, read_policy
from pbem.errors import BadInput, NotPossible, TooMany
from pbem.journal import Line
from pbem.service import Service
from pbem.store import links, match_log, statements
from pbem.store.models import Audit, Link, Match, Seat
from pbem.store.names import Actor, AuditAct, MailKind, MatchStatus, Purpose
from pbem.store.table import Table
from pbem.words import texts

#: Characters of a match's id: no vowels, so no words, and none that look alike.
_ID_LETTERS = "23456789bcdfghjkmnpqrstvwxz"
_ID_LENGTH = 10


class Person(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person with an e-mail address, as a door passes them on; not checked yet."""

    name: str
    email: str


class NewSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat of a new match: for a person, for a bot, or for whoever takes it."""

    name: str | None = None
    email: str | None = None
    bot: str | None = None
    #: Nobody is invited: whoever comes can take it (``open_seats``).
    open: bool = False
    confirmed: bool | None = None
    #: The player's own, where known; else the match's, until they join.
    zone: str | None = None
    language: str | None = None


class Returning(NewSeat, frozen=True):
    """A seat for somebody who is known: of a rematch, of a series, or of a host who plays too.

    No request of a program makes one.
    """

    #: They said yes by a link of their own, or signed in, so they are not invited.
    agreed: bool = False
    #: They had taken an open seat, or entered a series: the host does not see their address.
    left_open: bool = False


class NewMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match as a host asks for it. Only its types have been checked."""

    game: str
    host: Person
    seats: list[NewSeat]
    options: dict[str, Any] = {}
    clock: dict[str, Any] | None = None
    language: str | None = None
    zone: str | None = None
    #: Skips the invitations, where the service allows it.
    confirmed: bool = False
    #: ``required``: the match does not begin without the public beacon.
    beacon: Literal["usual", "required"] = "usual"
    #: What the host calls the match; "" for no name.
    name: str = ""


def create(
    service: Service,
    new: NewMatch,
    *,
    actor: Actor = Actor.HOST,
    rematch_of: str | None = None,
    policy: ClockPolicy | None = None,
    proved: bool = True,
    also: Callable[[Session, Match], object] = lambda session, match: None,
    match_id: str | None = None,
) -> Match:
    """Opens a match: makes its seats and its secret seed, and owes the invitations.

    ``also`` is called in the transaction that writes it.

    If it is not ``proved`` that the host's address is theirs, the invitations wait until the host
    sends them (``send_invitations``), by the link that is mailed to that address.

    ``match_id``: one that ``new_id`` drew before (of a series), or ``id_of_form``.
    ``Actor.SERVICE`` is exempt from the limit of open matches per host.

    If every seat is taken by then, the match starts. Raises BadInput, OptionsError, UnknownGame,
    NotPossible or TooMany; then nothing was written.
    """
    game = find(new.game)
    confirmed = new.confirmed or any(seat.confirmed for seat in new.seats)
    if confirmed and not service.settings.allow_confirmed_seats:
        raise NotPossible("This service sends invitations: seats cannot be confirmed for others.")
    if new.beacon == "required" and not service.settings.uses_beacon:
        raise NotPossible("This service has the public beacon switched off.")
    options = read_options(game, new.options, len(new.seats))
    policy = policy or read_policy(new.clock, default_policy(service))
    match = _match(service, game, new, options, policy, match_id or new_id(service))
    match.rematch_of = rematch_of
    now = match.created_at
    seats = _seats(service, game, new, match, policy)
    asked = {str(seat.email): invitees.called(seat) for seat in seats if lobby.is_asked(seat)}
    invitees.refuse_unwanted(service, asked)
    if (asked or any(seat.is_open for seat in seats)) and not proved:
        match.unproved_host, match.lobby_next_at = True, now + lobby.PROVED_WITHIN
    if all(seat.joined_at is not None for seat in seats):
        match.advance_due_at = now
    with opening(service, Table(match, seats, {}), "create", actor, now) as write:
        if actor != Actor.SERVICE:
            write.call(lambda session: _refuse_too_many(session, service, match.host_email))
        write.add(match)
        write.add(*seats)
        write.call(lambda session: also(session, match))
        write.link(Purpose.HOST, match)
        write.audit(AuditAct.OPENED)
        write.journal(
            Line.MATCH_OPENED,
            game=match.game,
            seats=match.seat_count,
            by=actor,
            rematch_of=rematch_of,
        )
        if not (proved or confirmed):
            # whoever opened it may have named anybody as the host; where seats are confirmed by
            # others, anybody may be mailed anyway
            invitees.count(write, match.host_email)
        write.owe(MailKind.MATCH_OPENED, match.id, links.HOST)
        invite(write, *(seat for seat in seats if lobby.is_asked(seat)))
    starting.start_when_full(service, match.id)
    return read(service, match.id)[0].match


def new_id(service: Service) -> str:
    """An id that no match has yet."""
    return "".join(texts.drawn(_ID_LETTERS, _ID_LENGTH, service.entropy))


def id_of_form(service: Service, sent: str) -> str:
    """The id of the match that a form opens: the same for the same form, and guessed by nobody."""
    key = service.keys.of("form")[0]
    drawn = hashlib.shake_256(hmac.digest(key, sent.encode(), "sha256")).digest(8 * _ID_LENGTH)
    return "".join(texts.drawn(_ID_LETTERS, _ID_LENGTH, BytesIO(drawn).read))


def read_options(game: AnyGame, given: dict[str, Any], seats: int) -> Options:
    """The game's typed options from plain values, checked for this number of seats."""
    options: Options = game.read_options(given)
    game.check_options(seats, options)
    return options


def default_policy(service: Service) -> ClockPolicy:
    clocks = service.settings.clocks
    return ClockPolicy(
        turn=int(clocks.turn.total_seconds()),
        reserve=int(clocks.reserve.total_seconds()),
        grace=int(clocks.grace.total_seconds()),
    )


def _match(
    service: Service,
    game: AnyGame,
    new: NewMatch,
    options: Options,
    policy: ClockPolicy,
    match_id: str,
) -> Match:
    """The row of a new match, with its secret seed."""
    now, seed = service.now(), service.entropy(SEED_BYTES)
    return Match(
        id=match_id,
        game=game.meta.name,
        rules_version=game.meta.rules_version,
        seat_count=len(new.seats),
        options_json=encode(options).decode(),
        title=match_log.title(game.meta.title, game.variants(len(new.seats), options)),
        name=texts.name(new.name, "name of the match") if new.name.strip() else "",
        language=texts.language(new.language or service.settings.language),
        zone=texts.zone(new.zone or service.settings.zone),
        clock_json=encode(policy).decode(),
        host_name=texts.name(new.host.name, "host's name"),
        host_email=texts.address(new.host.email, "host's e-mail address"),
        seed=seed,
        commitment=commitment(match_id, seed),
        created_at=now,
        lobby_next_at=now + lobby.REMINDERS[0],
        beacon_required=new.beacon == "required",
    )


def _seats(
    service: Service, game: AnyGame, new: NewMatch, match: Match, policy: ClockPolicy
) -> tuple[Seat, ...]:
    """The seats of a new match; who need not be invited has sat down."""
    seats = []
    for number, asked in enumerate(new.seats):
        seat = Seat(
            match_id=match.id,
            number=number,
            name="",
            zone=texts.zone(asked.zone) if asked.zone else match.zone,
            language=texts.language(asked.language) if asked.language else match.language,
            reserve=first_reserve(policy),
            vacation_days=policy.vacation_days,
        )
        phrase = texts.drawn_phrase(service.entropy)
        _give(game, seat, asked)
        agreed = isinstance(asked, Returning) and asked.agreed
        if seat.bot is not None:
            seat.bot_since = match.created_at
        if seat.bot is not None or (
            not asked.open and (new.confirmed or asked.confirmed or agreed)
        ):
            seat.joined_at, seat.phrase = match.created_at, phrase
        seats.append(seat)
    _name_bots(seats)
    _refuse_doubles(seats)
    seat_names.refuse_equal(seats)
    return tuple(seats)


def _give(game: AnyGame, seat: Seat, asked: NewSeat) -> None:
    """Gives a seat to a bot, to a person, or to whoever takes it."""
    number = seat.number + 1
    if asked.open:
        if asked.bot is not None or asked.email is not None or asked.name is not None:
            raise BadInput(
                "Seat {seat} is open: it has no name, no address and no bot yet.",
                field="seats",
                seat=number,
            )
        seat.left_open = True
    elif asked.bot is not None:
        if asked.email is not None:
            raise BadInput(
                "Seat {seat} is for a person or for a bot, not for both.",
                field="seats",
                seat=number,
            )
        if asked.bot not in game.meta.bots:
            raise BadInput(
                "{game} has no bot called {bot}. It has: {bots}.",
                field="seats",
                game=game.meta.title,
                bot=shown(asked.bot),
                bots=", ".join(game.meta.bots),
            )
        seat.bot = asked.bot
        seat.name = _name(number, asked.name) if asked.name else ""
    elif asked.email:
        seat.email = texts.address(asked.email)
        if not asked.name:
            raise BadInput("Seat {seat} needs a name.", field="name", seat=number)
        seat.name = _name(number, asked.name)
        seat.left_open = isinstance(asked, Returning) and asked.left_open
    else:
        raise BadInput(
            "Seat {seat} needs an e-mail address or a bot, or is open.",
            field="email",
            seat=number,
        )


def _name(number: int, text: str) -> str:
    """The name of a seat, with its number, as people count; BadInput says whose cannot be used."""
    try:
        return texts.name(text)
    except BadInput as error:
        told = dict(error.sentence.parameters)
        told |= {"name": Sentence("name of seat {seat}", {"seat": number}), "seat": number}
        raise BadInput(error.sentence.text, field="name", **told) from None


def _name_bots(seats: Sequence[Seat]) -> None:
    """Bots for whom no name was given get one that nobody else at the table has."""
    for seat in seats:
        if seat.bot is not None and not seat.name:
            seat.name = seat_names.of_bot(seat.number, [other.name for other in seats])


def _refuse_doubles(seats: Sequence[Seat]) -> None:
    """One address plays one seat: nobody should see two hands."""
    seen: set[str] = set()
    for seat in seats:
        if seat.email is None:
            continue
        if seat.email.lower() in seen:
            raise BadInput("Two seats have the same e-mail address.", field="seats")
        seen.add(seat.email.lower())


def _refuse_too_many(session: Session, service: Service, email: str) -> None:
    """TooMany if a host has as many open matches as they may.

    Those that the service opens by itself, of a series, do not count.
    """
    most = service.settings.limits.open_matches_per_host
    by_itself = select(Audit.id).where(
        Audit.match_id == Match.id, Audit.act == AuditAct.OPENED, Audit.actor == Actor.SERVICE
    )
    query = select(func.count()).where(
        func.lower(Match.host_email) == email.lower(),
        col(Match.status).in_((MatchStatus.LOBBY, MatchStatus.RUNNING)),
        ~by_itself.exists(),
    )
    statements.alone(session, f"host {email.lower()}")
    if session.exec(query).one() >= most:
        raise TooMany("You have {most} open matches, and this service allows no more.", most=most)


def invite(write: Writer, *seats: Seat) -> None:
    """Makes the links to join seats, in their present epochs, and owes the invitations.

    Nothing is done while the host has yet to send the invitations (``Writer.invites``).

    TooMany undoes the act: an address has had its invitations for today.
    """
    if not write.invites:
        return
    # bots join by themselves
    asked = {seat.email: invitees.called(seat) for seat in seats if seat.email is not None}
    # in one order everywhere, so that two who invite the same people cannot lock each other out
    for email in sorted(asked, key=invitees.digest):
        invitees.count(write, email, asked[email])
    for seat in seats:
        write.link(Purpose.JOIN, seat)
        key = f"{write.table.match.id}:{seat.number}:{seat.epoch}"
        write.owe(MailKind.INVITATION, key, seat.number)


@act
def send_invitations(service: Service, match_id: str) -> None:
    """The host, who has the link that was mailed to them, invites the players. Idempotent."""
    table, now = read(service, match_id)
    if table.match.ended_at is not None:
        raise NotPossible("This match is over.")
    if not table.match.unproved_host:
        return
    asked = [seat for seat in table.seats if lobby.is_asked(seat)]
    invitees.refuse_unwanted(service, {str(seat.email): invitees.called(seat) for seat in asked})
    with writing(service, table, "invite", Actor.HOST, now) as write:
        write.match(unproved_host=False, lobby_next_at=now + lobby.REMINDERS[0])
        write.invites = True
        invitees.give_back(write, table.match.host_email)
        invite(write, *asked)


# --- joining ---


class Joining(msgspec.Struct, frozen=True):
    """What a player enters on joining. An empty phrase means: draw one for me."""

    phrase: str = ""
    name: str = ""
    zone: str = ""
    language: str = ""
    reminders: bool = True


@act
def join(service: Service, link: Link, joining: Joining) -> Seat:
    """A player takes their seat. Idempotent: joining again returns the seat with its first phrase.

    A substitute who joins a running match adds no phrase: the dice were fixed at the start.
    BadInput if something cannot be set, or a seat has this name; NotPossible if the match is over.
    """
    said = joining.phrase
    phrase = texts.phrase(said) if said.strip() else texts.drawn_phrase(service.entropy)
    table, now = read_by(service, link)
    seat = table.seat(link.seat)
    if seat.joined_at is not None:
        return seat
    if table.match.ended_at is not None:
        raise NotPossible("This match is over.")
    columns: dict[str, Any] = {"joined_at": now, "resigned_at": None}
    # a vacation was that of the player who had the seat before
    columns |= {"away_from": None, "away_until": None}
    columns |= {"bot": None, "bot_since": None} if table.running else {"phrase": phrase}
    columns |= preferences(joining.zone, joining.language, joining.reminders)
    name = texts.name(joining.name) if joining.name.strip() else seat.name
    due = starting.due_when_full(table, seat.number, now)
    if name != seat.name:
        seat_names.refuse_taken(table.seats, name, but=seat.number)
    with writing(service, table, "join", Actor.PLAYER, now, **due) as write:
        if name != seat.name:
            columns |= seat_holders.rename(write, seat, name)
        joined = write.seat(seat, **columns)
        write.link(Purpose.SEAT, seat)
        write.audit(AuditAct.JOINED, seat.number)
    starting.start_when_full(service, link.match_id)
    return joined


@act
def rematch(
    service: Service,
    match_id: str,
    *,
    actor: Actor,
    agreed: str = "",
    also: Callable[[Session], object] = lambda session: None,
) -> Match:
    """Opens the same match once more and invites the same people.

    ``agreed``: all who played to the end have agreed, each by a link of their own, on this game.
    Then nobody is invited, and everybody moves on by one seat. Another game than the one that was
    played has its usual options.

    ``also`` is called in the transaction that writes it, and may refuse.

    Idempotent: if there is a rematch already, it is returned.
    """
    table = service.read(match_id)
    if (there := _rematch_of(service, match_id)) is not None:
        return there
    old = table.match
    if old.ended_at is None:
        raise NotPossible("This match is not over yet.")
    if old.addresses_gone_at is not None or not old.host_email:
        raise NotPossible("The addresses of this match were deleted. Open a new one.")
    game = agreed or old.game
    seats = [_again(seat, find(game).meta.bots, agreed=bool(agreed)) for seat in table.seats]
    new = NewMatch(
        game=game,
        host=Person(name=old.host_name, email=old.host_email),
        seats=named_apart([*seats[1:], seats[0]] if agreed else seats),
        options=msgspec.json.decode(old.options_json) if game == old.game else {},
        language=old.language,
        zone=old.zone,
        beacon="required" if old.beacon_required and service.settings.uses_beacon else "usual",
        name=old.name,
    )
    policy = decode(ClockPolicy, old.clock_json)

    def check(session: Session, _match: Match) -> None:
        _must_be_as_read(session, old)
        also(session)

    try:
        return create(service, new, actor=actor, rematch_of=match_id, policy=policy, also=check)
    except IntegrityError:
        # somebody opened it at the same moment
        if (there := _rematch_of(service, match_id)) is None:
            raise
        return there


def _must_be_as_read(session: Session, match: Match) -> None:
    """SomeoneWasFirstError if a match has changed: somebody may have been forgotten in it.

    Until the end of the transaction nobody else changes it.
    """
    if hold(session, [match.id]) != {match.id: match.revision}:
        raise SomeoneWasFirstError()


def _rematch_of(service: Service, match_id: str) -> Match | None:
    with service.database.read() as session:
        return session.exec(select(Match).where(Match.rematch_of == match_id)).first()


def _again(seat: Seat, bots: Sequence[str], *, agreed: bool) -> NewSeat:
    """A seat of a rematch: for its player, else for a bot."""
    if seat.email is not None and (played_on(seat) or not agreed):
        return Returning(
            name=seat.name,
            email=seat.email,
            zone=seat.zone,
            language=seat.language,
            agreed=agreed,
            left_open=seat.left_open,
        )
    is_bots = seat.email is None and seat.bot is not None and seat.forgotten_at is None
    bot = seat.bot if seat.bot in bots else bots[0]
    return NewSeat(name=seat.name if is_bots else None, bot=bot)


def played_on(seat: Seat) -> bool:
    """Whether a person had the seat to the end: they can agree on a rematch."""
    return seat.email is not None and seat.joined_at is not None and seat.resigned_at is None


def named_apart(seats: Sequence[NewSeat]) -> list[NewSeat]:
    """Seats of people who are not asked for a name: of two equal ones the second gets a number."""
    names = seat_names.distinct([seat.name or "" for seat in seats])
    return [
        msgspec.structs.replace(seat, name=name or None)
        for seat, name in zip(seats, names, strict=True)
    ]


@act
def set_preferences(
    service: Service, link: Link, zone: str, language: str, reminders: bool | None = None
) -> None:
    """Sets a player's own time zone, language, and whether to remind them. Empty: unchanged."""
    columns = preferences(zone, language, reminders)
    if not columns:
        return
    table, now = read_by(service, link)
    with writing(service, table, "preferences", Actor.PLAYER, now) as write:
        write.seat(table.seat(link.seat), **columns)


def preferences(zone: str, language: str, reminders: bool | None = None) -> dict[str, Any]:
    """The columns of a seat for these; BadInput if there is no such time zone or language."""
    columns: dict[str, Any] = {} if reminders is None else {"reminders": reminders}
    if zone:
        columns["zone"] = texts.zone(zone)
    if language:
        columns["language"] = texts.language(language)
    return columns
