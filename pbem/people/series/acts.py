"""What hosts and players do in a series: make one, enter, withdraw."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

import msgspec
import sqlalchemy
from sqlalchemy import String, literal, union, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, func, select

from engine.codec import encode
from engine.errors import OptionsError
from engine.games.registry import AnyGame, find, games
from pbem.acts import matches, outbox
from pbem.clocks.deadlines import read_policy
from pbem.errors import BadInput, NotFound, NotPossible
from pbem.people import persons, proofs
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import AddressLink, Person, Series, SeriesPlayer
from pbem.store.names import MailKind
from pbem.words import texts

#: Bounds of a series.
LONGEST_NAME, MOST_PLAYERS, MOST_ROUNDS, MOST_DAYS = 36, 512, 30, 365
SEATS = range(2, 7)
#: What errors call it.
_NAME = "name of the series"
#: How many series somebody may host that are not over.
MOST_HOSTED = 10


class SeriesKind(StrEnum):
    #: Everybody meets everybody as evenly as can be.
    GROUPS = "groups"
    #: Equals meet equals, and nobody twice while that can be helped.
    SWISS = "swiss"


class SeriesStatus(StrEnum):
    #: One can enter.
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"


class SeriesPlace(StrEnum):
    """How a player stands to a series."""

    IN = "in"
    #: They came when all places were taken, and get the first that is free.
    WAITING = "waiting"
    #: They withdrew, or went in too many matches.
    OUT = "out"


class NewSeries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A series as a host asks for it. Only its types have been checked."""

    name: str
    game: str
    seats: int
    rounds: int
    kind: Literal["groups", "swiss"] = "groups"
    options: dict[str, Any] = {}
    clock: dict[str, Any] | None = None
    language: str | None = None
    zone: str | None = None
    #: Most players; who enters later waits for a place.
    most: int = MOST_PLAYERS
    #: For so many days one can enter; None: until the host starts it.
    enter_days: int | None = None
    #: After so many days the next round is drawn, whoever still plays; None: when all are over.
    round_days: int | None = None


def create(service: Service, new: NewSeries, host: Person, series_id: str | None = None) -> Series:
    """Makes a series. BadInput, OptionsError or UnknownGame if it cannot be played.

    Idempotent with a ``series_id``, one of a form: that series, if it is made already.
    """
    game = find(new.game)
    options = matches.read_options(game, new.options, new.seats)
    _within("seats", new.seats, SEATS[0], SEATS[-1])
    _within("rounds", new.rounds, 1, MOST_ROUNDS)
    _within("most", new.most, new.seats, MOST_PLAYERS)
    for name, days in (("enter_days", new.enter_days), ("round_days", new.round_days)):
        if days is not None:
            _within(name, days, 1, MOST_DAYS)
    policy = read_policy(new.clock, matches.default_policy(service))
    now = service.now()
    until = now + timedelta(days=new.enter_days) if new.enter_days else None
    settings = service.settings
    series = Series(
        id=series_id or matches.new_id(service),
        name=texts.clean(texts.name(new.name, _NAME), _NAME, LONGEST_NAME),
        game=game.meta.name,
        options_json=encode(options).decode(),
        clock_json=encode(policy).decode(),
        language=texts.language(new.language or host.language or settings.language),
        zone=texts.zone(new.zone or host.zone or settings.zone),
        kind=new.kind,
        seats=new.seats,
        rounds=new.rounds,
        most=new.most,
        host_id=host.id or 0,
        seed=service.entropy(16).hex(),
        status=SeriesStatus.OPEN,
        created_at=now,
        enter_until=until,
        round_days=new.round_days,
        next_at=until,
    )
    try:
        with service.database.write("series.create") as session:
            made = session.get(Series, series.id)
            if made is not None:
                return made
            persons.hold(session, series.host_id)
            statements.alone(session, f"series {series.host_id}")
            open_ones = select(func.count()).where(
                Series.host_id == series.host_id, Series.status != SeriesStatus.OVER
            )
            if session.exec(open_ones).one() >= MOST_HOSTED:
                raise NotPossible(
                    "You host {most} series, and no more are allowed.", most=MOST_HOSTED
                )
            session.add(series)
    except IntegrityError:
        # the form was sent twice at the same moment
        with service.database.read() as session:
            return session.get_one(Series, series.id)
    return series


def host(service: Service, name: str, address: str) -> Person:
    """The person of an address for which the operator vouches. BadInput if it is none."""
    called, known = texts.name(name), texts.address(address, "host's e-mail address")
    with service.database.write("series.host") as session:
        person = persons.known(session, known, service.now())
        person.name = person.name or called
        session.add(person)
    return person


def _within(name: str, number: int, low: int, high: int) -> None:
    if not low <= number <= high:
        raise BadInput(
            "{name} must be between {low} and {high}.", field=name, name=name, low=low, high=high
        )


def allowed_sizes(game: AnyGame, options: Mapping[str, Any], seats: int) -> tuple[int, ...]:
    """How many may sit at a table of a series for so many: as the game is played in the same way.

    That is: with these options, and with partners or without them as with ``seats``.
    """
    found = []
    for size in {*range(3, 7), seats} & {*game.meta.seats}:
        try:
            asked = matches.read_options(game, dict(options), size)
        except OptionsError:
            continue
        if _has_partners(game, asked, size) == _has_partners(game, asked, seats):
            found.append(size)
    return tuple(sorted(found))


def fewest(series: Series) -> int | None:
    """How many players a round needs at least.

    None if no table can be played: its game is not installed, or takes its options no more.
    """
    if series.game not in games():
        return None
    options = msgspec.json.decode(series.options_json)
    return min(allowed_sizes(find(series.game), options, series.seats), default=None)


def _has_partners(game: AnyGame, options: Any, seats: int) -> bool:
    return len(game.teams(seats, options)) < seats


def get(session: Session, series_id: str, *, hold: bool = False) -> Series:
    """The series of this id, as it is now, or NotFound.

    With ``hold`` nobody else writes it until the transaction ends.
    """
    found = session.get(Series, series_id, populate_existing=True, with_for_update=hold)
    if found is None:
        raise NotFound()
    return found


def enter(
    session: Session, series_id: str, person: Person, name: str, now: datetime
) -> SeriesPlayer:
    """Somebody who proved their address enters in this transaction; a mail tells them. Idempotent.

    While the series runs, or if all places are taken, they wait for a place. Who has one is in the
    next round that is drawn, also if it is just being drawn. NotFound if there is no such series;
    NotPossible when it is over or they are out of it; BadInput if the name cannot be used, or
    somebody else plays under it.
    """
    persons.hold(session, person.id)
    # one after the other: else two would get one number
    series = get(session, series_id, hold=True)
    there = _player(session, series_id, person.id or 0)
    if there is not None:
        if there.place == SeriesPlace.OUT:
            raise NotPossible("You left this series.")
        return there
    if series.status == SeriesStatus.OVER:
        raise _is_over()
    wanted = texts.name(name)
    number, taken = _counts(session, series_id)
    is_in = series.status == SeriesStatus.OPEN and taken < series.most
    row = SeriesPlayer(
        series_id=series_id,
        number=number + 1,
        person_id=person.id or 0,
        name=wanted,
        folded=texts.folded(wanted),
        entered_at=now,
        place=SeriesPlace.IN if is_in else SeriesPlace.WAITING,
    )
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
    except IntegrityError:
        raise _name_taken() from None
    if person.address is not None:
        key = f"series_entered:{series_id}:{row.number}"
        outbox.owe(
            session,
            MailKind.SERIES_ENTERED,
            key,
            now,
            address=person.address,
            person=person.id,
            series=series_id,
        )
    if is_in:
        # a round that was drawn from what was read before this is drawn anew
        series.revision += 1
        session.add(series)
    return row


def _is_over() -> NotPossible:
    return NotPossible("This series is over.")


def _name_taken() -> BadInput:
    return BadInput("Somebody plays here under this name. Choose another.", field="name")


def _counts(session: Session, series_id: str) -> tuple[int, int]:
    """The highest number of a player, and how many have a place or wait for one."""
    stays = col(SeriesPlayer.place) != SeriesPlace.OUT
    query = select(
        func.coalesce(func.max(SeriesPlayer.number), 0), func.count().filter(stays)
    ).where(SeriesPlayer.series_id == series_id)
    highest, taken = session.exec(query).one()
    return highest, taken


def _player(session: Session, series_id: str, person_id: int) -> SeriesPlayer | None:
    return session.exec(
        select(SeriesPlayer).where(
            SeriesPlayer.series_id == series_id, SeriesPlayer.person_id == person_id
        )
    ).first()


def called(session: Session, series_id: str, name: str) -> SeriesPlayer | None:
    """The player of a series who has this name, or one that is compared as equal."""
    which = (SeriesPlayer.series_id == series_id, SeriesPlayer.folded == texts.folded(name))
    return session.exec(select(SeriesPlayer).where(*which)).first()


def withdraw(service: Service, series_id: str, person_id: int) -> None:
    """A player leaves: they play their match on, and are not paired again. Idempotent.

    NotFound if they never entered; NotPossible if the series is over.
    """
    with service.database.write("series.withdraw") as session:
        series = get(session, series_id, hold=True)
        player = _player(session, series.id, person_id)
        if player is None:
            raise NotFound()
        if player.place == SeriesPlace.OUT:
            return
        if series.status == SeriesStatus.OVER:
            raise _is_over()
        player.place = SeriesPlace.OUT
        # a round that was drawn from what was read before this is not written
        series.revision += 1
        session.add_all((player, series))


def forget(session: Session, person_id: int) -> None:
    """Takes the names of a person out of all series, and them out of what is still to be drawn.

    A name of a player begins with no space, so nobody has what stands for theirs. What a host
    called their series goes, too. What is just being drawn or opened with them is done anew.
    """
    playing = select(SeriesPlayer.series_id).where(SeriesPlayer.person_id == person_id)
    theirs = union(select(Series.id).where(Series.host_id == person_id), playing)
    # in an order, so that nobody waits for somebody who waits for them
    held = select(Series).where(col(Series.id).in_(theirs), Series.status != SeriesStatus.OVER)
    held = held.order_by(col(Series.id)).with_for_update()
    for series in session.exec(held.execution_options(populate_existing=True)):
        series.revision += 1
        session.add(series)
    session.flush()
    hosted = update(Series).where(col(Series.host_id) == person_id).values(name="–")
    session.execute(hosted.execution_options(synchronize_session=False))
    number = sqlalchemy.cast(col(SeriesPlayer.number), String)
    session.execute(
        update(SeriesPlayer)
        .where(col(SeriesPlayer.person_id) == person_id)
        .values(name="–", folded=literal(" ") + number, place=SeriesPlace.OUT)
        .execution_options(synchronize_session=False)
    )


def wish_to_enter(service: Service, series_id: str, name: str) -> dict[str, str]:
    """What a mailed link that enters a series is about: the series, and the name as it is written.

    BadInput for a name that cannot be used, or is taken; NotFound if there is no such series,
    NotPossible if it is over.
    """
    wanted = texts.name(name)
    with service.database.read() as session:
        series = get(session, series_id)
        if series.status == SeriesStatus.OVER:
            raise _is_over()
        if called(session, series.id, wanted) is not None:
            raise _name_taken()
    return {"series": series.id, "name": wanted}


def enter_by_link(service: Service, token: str, name: str = "") -> SeriesPlayer:
    """Whoever has the mailed link enters the series that it is for: their address is proved.

    ``name``: another than the one they asked for, if it was taken meanwhile. Idempotent, as long as
    they are in it. NotFound for a link that is not valid; else as ``enter``.
    """
    now = service.now()
    with service.database.write("series.enter") as session:
        link = proofs.find(session, service.keys, token, MailKind.SERIES_ENTER, now)
        about = proofs.about(link)
        try:
            person = proofs.use(session, link, now)
        except NotPossible:
            there = entered(session, link)
            if there is None or there.place == SeriesPlace.OUT:
                raise
            return there
        wanted = name.strip() or about["name"]
        entered_now = enter(session, about["series"], person, wanted, now)
    service.ring("post")
    return entered_now


def entered(session: Session, link: AddressLink) -> SeriesPlayer | None:
    """The player whom the address of a mailed link is in its series; None if it has not entered."""
    person = persons.of_address(session, link.address)
    return _player(session, proofs.about(link)["series"], person.id or 0) if person else None


def enter_as(service: Service, series_id: str, person: Person, name: str) -> SeriesPlayer:
    """Somebody who is signed in enters: as ``enter``."""
    with service.database.write("series.enter") as session:
        entered_now = enter(session, series_id, person, name, service.now())
    service.ring("post")
    return entered_now
