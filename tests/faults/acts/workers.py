"""What is due in matches, and is done by the workers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from msgspec import structs
from sqlmodel import select

from pbem import beacon
from pbem.acts import absence, deliverability, housekeeping, vacations
from pbem.acts.remedy import RemedyRequest
from pbem.mail import animations
from pbem.service import Service
from pbem.store.models import Link, Match, OperatorSession
from tests.faults.acts.moments import (
    CLOCK,
    Act,
    Given,
    Place,
    lobby,
    moves,
    on_link,
    over,
    packing,
    paused,
    remedy,
    running,
    work,
)
from tests.parts.finished import over_for_long
from tests.web.house import WebHouse


def over_for_years(house: WebHouse) -> Given:
    match = over_for_long(house, plies=5)
    house.clock.move(timedelta(days=400))
    return {"match": match.id}


def waits_for_round(house: WebHouse) -> Given:
    """All have joined, and the host insists on the beacon."""
    house.use_beacon()
    return {"match": house.open(clock=CLOCK, beacon="required").id}


def waits_in_vain(house: WebHouse) -> Given:
    """All have joined a match whose host does not insist; the round has been out for long."""
    given = waits_for_round(house)
    with house.service.database.write("test") as session:
        match = session.get(Match, given["match"])
        assert match is not None
        waits = beacon.read(match.beacon_json)
        assert waits is not None
        match.beacon_json = beacon.written(structs.replace(waits, required=False))
    house.clock.move(timedelta(minutes=10))
    return given


def several(house: WebHouse) -> Given:
    """Three matches, all of whose turns were opened at once."""
    given = running(house)
    return {**given, "others": [running(house)["match"] for _ in range(2)]}


def later(hours: float, before: Callable[[WebHouse], Given] = running) -> Callable[..., Given]:
    """A moment, and so many hours more."""

    def prepare(house: WebHouse) -> Given:
        given = before(house)
        house.clock.move(timedelta(hours=hours))
        return given

    return prepare


def missed(times: int, others: int = 0) -> Callable[[WebHouse], Given]:
    """Carol has missed so many turns, and the next one runs out; with it those of other matches."""

    def prepare(house: WebHouse) -> Given:
        given = running(house)
        match = house.match(given["match"])
        while house.seat(match, 2).missed < times:
            house.play_on(match, without=2)
            house.wait(hours=11, seconds=1)
        house.play_on(match, without=2)
        given["others"] = [running(house)["match"] for _ in range(others)]
        house.clock.move(timedelta(hours=11, seconds=1))
        return given

    return prepare


def unreached(days: int) -> Callable[[WebHouse], Given]:
    """Mail to Bob has been refused for so many days, and everybody waits for him."""

    def prepare(house: WebHouse) -> Given:
        given = running(house)
        deliverability.mail_refused(house.service, given["match"], 1, "bob@example.org", "550")
        house.play_on(house.match(given["match"]), without=1)
        if days > 7:
            house.wait(days=7, seconds=1)
        house.clock.move(timedelta(days=7, seconds=1))
        return given

    return prepare


def on_vacation(house: WebHouse) -> Given:
    return running(house, clock={**CLOCK, "vacation_days": 3})


def swept(house: WebHouse) -> Given:
    """The sweep has run."""
    given = running(house)
    absence.notice_outage(house.service)
    return given


def after_outage(house: WebHouse) -> Given:
    given = swept(house)
    house.clock.move(timedelta(days=1))
    absence.notice_outage(house.service)
    return given


def ended_login(house: WebHouse) -> Given:
    now = house.clock.now()
    with house.service.database.write("test") as session:
        session.add(
            OperatorSession(id="x" * 64, name="o", created_at=now, seen_at=now, expires_at=now)
        )
    return {}


def long_over(house: WebHouse) -> Given:
    return {"match": over_for_long(house, plies=3).id}


def broken(house: WebHouse) -> Given:
    """A match whose state cannot be read any more, and which is due."""
    given = moves(house)
    with house.service.database.write("test") as session:
        row = session.exec(select(Match).where(Match.id == given["match"])).one()
        row.state_json, row.advance_due_at = '{"no": "state"}', house.clock.now()
        session.add(row)
    return given


def watchful_work(place: Place, given: Given) -> None:
    absence.notice_outage(place.service)
    work(place, given)


def _go_away(service: Service, link: Link) -> None:
    today = service.now().date()
    vacations.announce(service, link, today, today + timedelta(days=1))


def asked_for(house: WebHouse) -> Given:
    """Somebody would like the animated picture of a match that is over."""
    given = over(house)
    animations.ask(house.service, given["match"])
    return given


def _animate(place: Place, _: Given) -> None:
    animations.make_due(place.service)


def _keep_house(place: Place, _: Given) -> None:
    housekeeping.sweep(place.service)


ACTS: dict[str, Act] = {
    "first turns": Act(
        ("advance.take", "advance"), lambda house: {"match": house.open(clock=CLOCK).id}, work
    ),
    "bots alone": Act(
        ("advance.take", "advance"), lambda house: {"match": house.open(bots=3).id}, work
    ),
    "reminders": Act(("care.take", "remind"), later(5.1), work),
    "time out": Act(("care.take", "play_default"), later(11.1), work),
    # each of these commits writes what is due in all three matches
    "reminders in several matches": Act(("remind",), later(5.1, several), work),
    "time outs in several matches": Act(("play_default", "advance"), later(11.1, several), work),
    # in one match the host is asked, in the others the default move is played
    "time outs of two kinds": Act(("play_default", "time_out"), missed(1, others=2), work),
    "ask the host": Act(("time_out",), missed(1), work),
    "announce a vacation": Act(("announce_vacation",), packing, on_link(_go_away)),
    "vacation": Act(("vacation",), later(11.1, on_vacation), work),
    "mail is refused for a week": Act(("unreached",), unreached(7), work),
    "mail is refused for two": Act(("unreached",), unreached(14), work),
    "pause ends": Act(("resume",), later(5.1, paused), work),
    "notice an outage": Act(("notice_outage",), later(24, swept), watchful_work),
    "credit an outage": Act(("credit",), after_outage, work),
    "a round is not there": Act(("beacon.wait",), later(0.1, waits_for_round), work),
    "a round does not come": Act(("start", "advance.take", "advance"), waits_in_vain, work),
    "begin": Act(("remedy", "start"), later(0.1, waits_for_round), remedy(RemedyRequest("begin"))),
    "lobby reminders": Act(("lobby",), later(25, lobby), work),
    "lobby closes": Act(("lobby",), later(15 * 24, lobby), work),
    "set aside": Act(("advance.failed",), broken, work),
    "housekeeping": Act(("housekeeping",), ended_login, _keep_house),
    "an animated picture": Act(("animation.begin", "animation.end"), asked_for, _animate),
    "pack": Act(("pack",), long_over, _keep_house),
    "addresses go": Act(("addresses",), over_for_years, _keep_house),
}
