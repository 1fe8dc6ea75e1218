"""The acts of the web and of the workers, each with the commits it passes.

``prepare`` brings a house to the moment before; ``do`` is what the program does that is killed,
started again, and must do no harm when it is done twice. Times are in hours of a clock of 10 h.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from flask import Flask
from msgspec import structs
from sqlmodel import select

from pbem import beacon, create_app
from pbem.acts import (
    absence,
    deliverability,
    going_back,
    housekeeping,
    invitees,
    matches,
    permissions,
    standing_orders,
    vacations,
    whole_table,
)
from pbem.acts import lobby as lobbies
from pbem.acts.remedies import answer, carry_out
from pbem.acts.remedy import Asked
from pbem.acts.sweep import sweep
from pbem.errors import NotPossible, Refused
from pbem.mail import gateway, return_path
from pbem.mail.doors import webhook
from pbem.mail.mailer import post_due
from pbem.people import (
    open_tables,
    persons,
    privacy,
    proofs,
    rematches,
    settings,
    standing,
    talk,
    watches,
)
from pbem.people import sweep as company
from pbem.people.series import acts as of_series
from pbem.people.series import rounds
from pbem.people.series.acts import NewSeries
from pbem.service import Service
from pbem.store.models import (
    AddressLink,
    Link,
    Mail,
    Match,
    OperatorSession,
    Person,
    Proposal,
    Series,
    SeriesMatch,
    StandingMatch,
    StandingPool,
    StandingResult,
    Watch,
)
from pbem.store.names import Actor, MailKind, Purpose
from pbem.web import devices
from tests.parts import remedies
from tests.parts.cast import NAMES, address
from tests.parts.finished import over_for_long
from tests.parts.older import with_names_in_the_log
from tests.web.conftest import HOOK_KEY
from tests.web.house import PASSWORD, WebHouse, secret

Given = dict[str, Any]
CLOCK = {"turn": "10h", "grace": "1h"}


@dataclass(frozen=True)
class Place:
    """Where a program works: a service, its doors, and whom it tells what was acknowledged."""

    service: Service
    note: Callable[[dict[str, Any]], None]

    @cached_property
    def app(self) -> Flask:
        return create_app(self.service)

    def post(self, path: str, **form: str) -> None:
        answer = self.app.test_client().post(path, data=form)
        assert answer.status_code < 400 or answer.status_code == 409, (path, answer.text[:2000])

    def link(self, number: int) -> Link:
        with self.service.database.read() as session:
            return session.exec(select(Link).where(Link.id == number)).one()


@dataclass(frozen=True)
class Act:
    """``passes``: the names of the commits on its way."""

    passes: tuple[str, ...]
    prepare: Callable[[WebHouse], Given]
    do: Callable[[Place, Given], None]


# --- ready-made moments ---


def running(house: WebHouse, **asked: Any) -> Given:
    match = house.running(**{"clock": CLOCK, **asked})
    return {"match": match.id}


def lobby(house: WebHouse) -> Given:
    """All but Dave have joined."""
    match = house.open(confirmed=False, clock=CLOCK)
    for seat in (0, 1, 2):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), matches.Joining())
    link = house.link(match, Purpose.JOIN, 3)
    return {"match": match.id, "path": f"/j/{house.token(link)}", "link": link.id}


def two_matches(house: WebHouse) -> Given:
    """Bob plays in two matches, of which one holds names in its log, and has a person's row."""
    house.play_on(house.running(), plies=5)
    with_names_in_the_log(house, house.play_on(house.running(), plies=5))
    return somebody(house)


def _forget(place: Place, given: Given) -> None:
    privacy.forget(place.service, address("bob"), Actor.PLAYER)
    with place.service.database.read() as session:
        assert not privacy.matches_of(session, address("bob"))
        assert persons.of_address(session, address("bob")) is None


def over_for_years(house: WebHouse) -> Given:
    match = over_for_long(house, plies=5)
    house.clock.move(timedelta(days=400))
    return {"match": match.id}


def open_table(house: WebHouse) -> Given:
    """All seats but one are taken; Erin has a link that takes the last one, which is open."""
    seats = [matches.NewSeat(name=name, email=address(name)) for name in NAMES[:3]]
    match = house.open(seats=[*seats, matches.NewSeat(open=True)], clock=CLOCK)
    about = {"match": match.id, "name": "Erin"}
    proofs.owe(house.service, MailKind.TAKE_SEAT, address("erin"), "en", about)
    with house.service.database.read() as session:
        link = session.exec(select(AddressLink)).one()
        token = proofs.token(house.service.keys, link)
    return {"match": match.id, "path": f"/open/take/{token}"}


def listed_table_that_ended(house: WebHouse) -> Given:
    given = open_table(house)
    open_tables.show(house.service, given["match"], listed=True)
    remedies.abort(house.service, given["match"], actor="host")
    house.clock.move(open_tables.LISTED)
    return given


def watched(house: WebHouse) -> Given:
    """Erin wants to hear of tables, and one is listed."""
    given = open_table(house)
    with house.service.database.write("test") as session:
        now = house.clock.now()
        erin = persons.known(session, address("erin"), now)
        watches.add(session, erin, open_tables.Wanted("dog"), now)
        watch = session.exec(select(Watch)).one()
        off = f"/open/off/{watches.token(house.service.keys, watch)}"
    open_tables.show(house.service, given["match"], listed=True)
    return {**given, "path": off}


def wants_to_watch(house: WebHouse) -> Given:
    """Erin has the link by which somebody hears of tables."""
    about: dict[str, str | int] = {"game": "dog", "seats": 4, "language": ""}
    proofs.owe(house.service, MailKind.WATCH, address("erin"), "en", about)
    with house.service.database.read() as session:
        token = proofs.token(house.service.keys, session.exec(select(AddressLink)).one())
    return {"path": f"/open/watch/{token}"}


def all_but_one_agreed(house: WebHouse) -> Given:
    """A match that is over; Dave alone has not said yet that he would like another."""
    given = finished(house)
    match = house.match(given["match"])
    for seat in range(3):
        rematches.say(house.service, house.link(match, Purpose.SEAT, seat), "dog")
    path = house.path(match, Purpose.SEAT, 3)
    return {**given, "path": f"{path}/rematch", "link": house.link(match, Purpose.SEAT, 3).id}


def unproved(house: WebHouse) -> Given:
    """Nobody is invited yet."""
    seats = [matches.NewSeat(name=name, email=address(name)) for name in NAMES]
    host = matches.Person("Gina", address("gina"))
    new = matches.NewMatch(game="dog", host=host, seats=seats)
    return {"match": matches.create(house.service, new, proved=False).id}


def lobby_that_insists(house: WebHouse) -> Given:
    """All but Dave have joined, and the host insists on the beacon, which cannot be reached."""
    given = lobby(house)
    with house.service.database.write("test") as session:
        match = session.get(Match, given["match"])
        assert match is not None
        match.beacon_required = True
    return given


def waits_for_round(house: WebHouse) -> Given:
    """All have joined, and the host insists on the beacon."""
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


def seat_page(house: WebHouse) -> Given:
    given = running(house)
    return {**given, "path": house.path(house.match(given["match"]), Purpose.SEAT, 1)}


def moves(house: WebHouse) -> Given:
    """Four players with a move each to hand in."""
    given = running(house)
    match = house.match(given["match"])
    given["moves"] = [
        (house.turn_path(match, seat), house.orders(match, seat)[0]) for seat in range(4)
    ]
    return given


def moved(house: WebHouse) -> Given:
    """One has moved and may take it back; nobody has acted since."""
    match, seat, _ = house.before_a_choice()
    house.play(match, seat, house.good_order(match, seat))
    return {"match": match.id, "link": house.link(match, Purpose.SEAT, seat).id}


def moved_on(house: WebHouse) -> Given:
    """One has moved and the next one has, too: all must agree now."""
    match, seat, following = house.before_a_choice()
    house.play(match, seat, house.good_order(match, seat))
    house.work()
    house.play(match, following, house.good_order(match, following))
    house.work()
    return {"match": match.id, "link": house.link(match, Purpose.SEAT, seat).id}


def agreed_but_one(house: WebHouse) -> Given:
    given = moved_on(house)
    with house.service.database.read() as session:
        link = session.exec(select(Link).where(Link.id == given["link"])).one()
    proposal = going_back.propose(house.service, link)
    asked = sorted({0, 1, 2, 3} - {proposal.seat})
    match = house.match(given["match"])
    found = [house.link(match, Purpose.CONSENT, seat) for seat in asked]
    for one in found[:-1]:
        going_back.answer(house.service, one, agreed=True)
    return {"match": given["match"], "link": found[-1].id}


def outdated(house: WebHouse) -> Given:
    """The table was asked, and then somebody moved."""
    given = moved_on(house)
    with house.service.database.read() as session:
        link = session.exec(select(Link).where(Link.id == given["link"])).one()
    going_back.propose(house.service, link)
    match = house.match(given["match"])
    (waiting,) = house.waiting(match)
    house.play(match, waiting, house.good_order(match, waiting))
    return given


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


def packing(house: WebHouse) -> Given:
    """A player with days of vacation, by the link of their seat."""
    match = house.running(clock={**CLOCK, "vacation_days": 3})
    return {"match": match.id, "link": house.link(match, Purpose.SEAT, 1).id}


def paused(house: WebHouse) -> Given:
    given = running(house)
    remedies.pause(house.service, given["match"], "5h", actor="host")
    return given


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


def bot_holds(house: WebHouse) -> Given:
    given = seat_page(house)
    remedies.put_bot(house.service, given["match"], 1, actor="operator")
    house.work()
    return given


def broken(house: WebHouse) -> Given:
    """A match whose state cannot be read any more, and which is due."""
    given = moves(house)
    with house.service.database.write("test") as session:
        row = session.exec(select(Match).where(Match.id == given["match"])).one()
        row.state_json, row.advance_due_at = '{"no": "state"}', house.clock.now()
        session.add(row)
    return given


def set_aside(house: WebHouse) -> Given:
    given = running(house)
    with house.service.database.write("test") as session:
        row = session.exec(select(Match).where(Match.id == given["match"])).one()
        row.set_aside_at, row.set_aside_error = house.clock.now(), "a bug in a rule"
        session.add(row)
    return given


def finished(house: WebHouse) -> Given:
    match = house.open(bots=0, clock=CLOCK)
    remedies.abort(house.service, match.id, actor="host")
    return {"match": match.id}


# --- what the programs do ---


def hand_in(place: Place, given: Given) -> None:
    """Every player's program hands its move in, and notes each receipt."""
    client = place.app.test_client()
    for number, (path, order) in enumerate(given["moves"]):
        asked = {"order": order, "submission": f"program {number}"}
        answer = client.post(path, json=asked)
        assert answer.status_code == 200, answer.text
        told = answer.get_json()
        place.note({"submission": asked["submission"], "ply": told["ply"], "order": told["order"]})


def open_match(place: Place, _: Given) -> None:
    people = [{"name": name, "email": f"{name.lower()}@example.org"} for name in ("Ann", "Ben")]
    asked = {
        "game": "dog",
        "host": people[0],
        "seats": [{**one, "confirmed": True} for one in people] + [{"bot": "easy"}] * 2,
    }
    answer = place.app.test_client().post("/api/matches", json=asked)
    assert answer.status_code == 201, answer.text


def log_in_and_out(place: Place, _: Given) -> None:
    client = place.app.test_client()
    page = client.get("/operator/login")
    form = {"name": "operator", "password": PASSWORD, "csrf_token": secret(page)}
    assert client.post("/operator/login", data=form).status_code == 303
    token = secret(client.get("/operator"))
    client.post("/operator/logout", data={"csrf_token": token})


def work(place: Place, _: Given) -> None:
    for _number in range(100):
        if not sweep(place.service):
            return
    raise AssertionError("the sweep finds no end")


def watchful_work(place: Place, given: Given) -> None:
    absence.notice_outage(place.service)
    work(place, given)


def posting(**form: str) -> Callable[[Place, Given], None]:
    return lambda place, given: place.post(given["path"], **form)


def on_link(act: Callable[[Service, Link], Any]) -> Callable[[Place, Given], None]:
    """An act on the link that was prepared. Done twice, it may find that nothing is left to do."""

    def do(place: Place, given: Given) -> None:
        with suppress(Refused):
            act(place.service, place.link(given["link"]))

    return do


def remedy(asked: Asked) -> Callable[[Place, Given], None]:
    def do(place: Place, given: Given) -> None:
        # the second time it may find that it was done before
        with suppress(NotPossible):
            carry_out(place.service, given["match"], asked, Actor.OPERATOR)

    return do


def _ask_bob(place: Place, given: Given) -> None:
    asked = Asked("correct-address", 1, email="bob@example.net")
    carry_out(place.service, given["match"], asked, Actor.HOST)


def bob_is_asked(house: WebHouse, after: timedelta = timedelta(0)) -> Given:
    """The host has asked for another address of Bob's, so long ago."""
    given = running(house, clock={"turn": "30d"})
    asked = Asked("correct-address", 1, email="bob@example.net")
    carry_out(house.service, given["match"], asked, Actor.HOST)
    house.clock.move(after)
    link = house.link(house.match(given["match"]), Purpose.PERMIT, 1)
    return {**given, "link": link.id, "path": f"/y/{house.token(link)}"}


def permitted(house: WebHouse) -> Given:
    """Bob has said yes, and whoever took it has died."""
    given = bob_is_asked(house)
    permissions.answer(
        house.service, house.link(house.match(given["match"]), Purpose.PERMIT, 1), True
    )
    return given


def _permit(service: Service, link: Link) -> None:
    answer(service, link, True)


def _send_invitations(place: Place, given: Given) -> None:
    matches.send_invitations(place.service, given["match"])


def _list_table(place: Place, given: Given) -> None:
    open_tables.show(place.service, given["match"], listed=True)


def _leave_orders(service: Service, link: Link) -> None:
    standing_orders.leave(service, link, ["give 2", "give 3"])


def _cancel_orders(service: Service, link: Link) -> None:
    for row in standing_orders.of_seat(service, link.match_id, link.seat):
        standing_orders.cancel(service, link, row.id or 0)


def _go_away(service: Service, link: Link) -> None:
    today = service.now().date()
    vacations.announce(service, link, today, today + timedelta(days=1))


def _agree(service: Service, link: Link) -> None:
    going_back.answer(service, link, agreed=True)


def _mute_and_unmute(service: Service, link: Link) -> None:
    deliverability.mute(service, link)
    deliverability.unmute(service, link)


def seat_link(house: WebHouse) -> Given:
    given = running(house)
    return {**given, "link": house.link(house.match(given["match"]), Purpose.SEAT, 1).id}


def orders_left(house: WebHouse) -> Given:
    given = moves(house)
    match = house.match(given["match"])
    house.play(match, 1)
    given["link"] = house.link(match, Purpose.SEAT, 1).id
    with house.service.database.read() as session:
        link = session.exec(select(Link).where(Link.id == given["link"])).one()
    _leave_orders(house.service, link)
    return given


def proposal_of(place: Place, match_id: str) -> Proposal | None:
    with place.service.database.read() as session:
        return session.exec(select(Proposal).where(Proposal.match_id == match_id)).first()


def _letter(place: Place, _: Given) -> None:
    letter = b"To: a@example.org\r\nFrom: b@example.org\r\nSubject: Hello\r\n\r\nHello"
    assert place.app.test_client().post("/dev/mail", data=letter).status_code == 202


def answerable(house: WebHouse) -> Given:
    """Bob's open turn, its reply address, and an order of his to answer with."""
    given = running(house)
    match = house.match(given["match"])
    given["address"] = gateway.reply_address(house.service, house.link(match, Purpose.REPLY, 1))
    given["order"] = house.orders(match, 1)[0]
    return given


def returned(house: WebHouse) -> Given:
    """A mail to Bob came back, so his clock stands; he has a question all the same."""
    given = answerable(house)
    deliverability.mail_refused(
        house.service, given["match"], 1, "bob@example.org", "550", came_back=True
    )
    return {**given, "order": "help"}


def answerable_on_vacation(house: WebHouse) -> Given:
    match = house.match(packing(house)["match"])
    address = gateway.reply_address(house.service, house.link(match, Purpose.REPLY, 1))
    today = house.clock.now().date()
    return {
        "match": match.id,
        "address": address,
        "order": f"away {today + timedelta(days=1)} to {today + timedelta(days=2)}",
    }


def _answer(given: Given) -> bytes:
    return (
        f"To: {given['address']}\r\nFrom: bob@example.org\r\nSubject: Re: your turn\r\n"
        f"Message-ID: <one@mail.example.org>\r\n\r\n{given['order']}\r\n"
    ).encode()


def _answer_by_mail(place: Place, given: Given) -> None:
    gateway.arrived(place.service, _answer(given))


def _answer_by_hook(place: Place, given: Given) -> None:
    """A mail service posts the answer, and posts it again as long as it is not told 200."""
    letter, timestamp = _answer(given), str(int(place.service.now().timestamp()))
    code = webhook.signature(HOOK_KEY, timestamp, letter)
    headers = {webhook.TIMESTAMP: timestamp, webhook.SIGNATURE: code}
    answer = place.app.test_client().post("/hooks/mail", data=letter, headers=headers)
    assert answer.status_code == 200, answer.text


def sent(house: WebHouse) -> Given:
    """Bob's turn was mailed; where the mail comes back to."""
    given = running(house)
    while post_due(house.service):
        pass
    with house.service.database.read() as session:
        mail = session.exec(select(Mail).where(Mail.kind == "your_turn", Mail.seat == 1)).one()
    given["back"] = return_path.address(house.service, mail, "bob@example.org")
    return given


def _bounce(place: Place, given: Given) -> None:
    letter = (
        f"To: {given['back']}\r\nFrom: MAILER-DAEMON@mx.example.org\r\n"
        "Subject: failure notice\r\n\r\n550 5.1.1 There is no such mailbox.\r\n"
    )
    gateway.arrived(place.service, letter.encode())


def _vacation(place: Place, given: Given) -> None:
    letter = (
        f"To: {given['back']}\r\nFrom: bob@example.org\r\nSubject: Away\r\n"
        "Auto-Submitted: auto-replied\r\n\r\nUntil Monday.\r\n"
    )
    gateway.arrived(place.service, letter.encode())


def _look(place: Place, given: Given) -> None:
    whole_table.look(place.service, given["match"], "somebody asked")


def _mail_my_turn(place: Place, given: Given) -> None:
    place.post(f"{given['moves'][0][0]}/mail")


def _keep_house(place: Place, _: Given) -> None:
    housekeeping.sweep(place.service)


def sign_in_link(house: WebHouse) -> Given:
    proofs.owe(house.service, MailKind.SIGN_IN, "bob@example.org", "en")
    with house.service.database.read() as session:
        link = session.exec(select(AddressLink)).all()[-1]
    return {"path": f"/home/{proofs.token(house.service.keys, link)}"}


def signed_in(house: WebHouse) -> Given:
    client = house.app.test_client()
    client.post(sign_in_link(house)["path"])
    return {"person": 1}


def signed_in_long_ago(house: WebHouse) -> Given:
    given = signed_in(house)
    house.clock.move(devices.LIFE)
    return given


def somebody_signed_in(house: WebHouse) -> Given:
    house.running()
    return signed_in(house)


def _person(place: Place, given: Given) -> Person:
    with place.service.database.read() as session:
        person = session.get(Person, given["person"])
    assert person is not None
    return person


def _set_all(place: Place, given: Given) -> None:
    wished = settings.Wished(zone="Europe/Madrid", mails="digest", digest_hour=9)
    settings.save(place.service, _person(place, given), wished)


def _keep_group(place: Place, given: Given) -> None:
    settings.set_group(place.service, _person(place, given), "Friends", "Bob bob@example.org")


def waiting_for_a_digest(house: WebHouse) -> Given:
    given = somebody_signed_in(house)
    with house.service.database.read() as session:
        person = session.get(Person, given["person"])
    assert person is not None
    settings.save(house.service, person, settings.Wished(mails="digest", digest_hour=9))
    house.clock.move(timedelta(hours=24))
    return given


def _sign_out(place: Place, given: Given) -> None:
    with place.app.test_request_context():
        devices.sign_out(_person(place, given))


def _count_a_stranger(place: Place, _: Given) -> None:
    stranger = AddressLink(kind="sign_in", address="stranger@example.org", language="en")
    proofs.may_mail(place.service, stranger)


def old_link(house: WebHouse) -> Given:
    proofs.owe(house.service, MailKind.SIGN_IN, "bob@example.org", "en")
    house.clock.move(proofs.LIFE + proofs.KEPT)
    return {}


def entered(house: WebHouse) -> Given:
    """A match that the standings know and have not rated yet."""
    match = finished(house)["match"]
    with house.service.database.write("test") as session:
        people = [persons.known(session, address(name), house.clock.now()) for name in NAMES[:2]]
        session.add(StandingPool(game="dog", seats=4))
        session.add(StandingMatch(match_id=match, game="dog", seats=4, ended_at=house.clock.now()))
        session.flush()
        for seat, person in enumerate(people):
            session.add(
                StandingResult(
                    match_id=match, seat=seat, person_id=person.id, team=seat, rank=1 + seat
                )
            )
    return {}


def somebody(house: WebHouse, email: str = "bob@example.org") -> Given:
    with house.service.database.write("test") as session:
        return {"person": persons.known(session, email, house.clock.now()).id}


def _publish(place: Place, given: Given) -> None:
    standing.publish(place.service, given["person"], "Bob")


def a_series(house: WebHouse, **asked: Any) -> Given:
    """A series of Dog that three have entered."""
    new = NewSeries(**{"name": "Friday Cup", "game": "dog", "seats": 3, "rounds": 1, **asked})
    with house.service.database.write("test") as session:
        people = [persons.known(session, address(name), house.clock.now()) for name in NAMES[:3]]
    series = of_series.create(house.service, new, people[0])
    for name, person in zip(NAMES, people, strict=False):
        of_series.enter_as(house.service, series.id, person, name)
    return {"series": series.id, "people": [person.id for person in people]}


def drawn(house: WebHouse, **asked: Any) -> Given:
    given = a_series(house, **asked)
    rounds.go_on(house.service, given["series"])
    return given


def round_over(house: WebHouse) -> Given:
    """The only match of a series was ended."""
    given = drawn(house)
    company.sweep(house.service)
    with house.service.database.read() as session:
        (opened,) = session.exec(select(SeriesMatch))
    remedies.abort(house.service, opened.match_id, actor="operator")
    return given


def left_by_all(house: WebHouse) -> Given:
    """The next round's time has come, nobody is there to play it, and a match goes on."""
    given = drawn(house, rounds=2, round_days=1)
    company.sweep(house.service)
    for person in given["people"]:
        of_series.withdraw(house.service, given["series"], person)
    house.clock.move(timedelta(days=1))
    return given


def unknown_game(house: WebHouse) -> Given:
    given = a_series(house, enter_days=1)
    with house.service.database.write("test") as session:
        row = session.get_one(Series, given["series"])
        row.game = "gone"
        session.add(row)
    house.clock.move(timedelta(days=1))
    return given


def _make_series(place: Place, _: Given) -> None:
    host = of_series.host(place.service, "Alice", "alice@example.org")
    new = NewSeries(name="Friday Cup", game="dog", seats=3, rounds=1)
    of_series.create(place.service, new, host)


def _enter_series(place: Place, given: Given) -> None:
    with place.service.database.read() as session:
        person = session.get_one(Person, given["person"])
    of_series.enter_as(place.service, given["series"], person, "Dave")


def series_and_somebody(house: WebHouse) -> Given:
    return {**a_series(house), **somebody(house, "dave@example.org")}


def _withdraw(place: Place, given: Given) -> None:
    of_series.withdraw(place.service, given["series"], given["people"][0])


def _draw_round(place: Place, given: Given) -> None:
    rounds.go_on(place.service, given["series"], 0)


def _keep_company(place: Place, _: Given) -> None:
    company.sweep(place.service)


def talking(house: WebHouse) -> Given:
    match = house.running(clock=CLOCK)
    talk.allow(house.service, match.id, True, actor=Actor.HOST)
    return {"match": match.id}


def after_words(house: WebHouse) -> Given:
    given = talking(house)
    talk.say(house.service, given["match"], 1, "table", "Insults", "1")
    return {**given, "message": 1}


def a_day_after_words(house: WebHouse) -> Given:
    given = after_words(house)
    house.clock.move(talk.PATIENCE)
    return given


def _say(place: Place, given: Given) -> None:
    talk.say(place.service, given["match"], 1, "table", "Hello", "once")


def _hide(place: Place, given: Given) -> None:
    message = given["message"]
    talk.hide(place.service, given["match"], message, "Insults", actor=Actor.HOST)


def _note(place: Place, given: Given) -> None:
    talk.write_note(place.service, given["match"], 1, "Keep the 7")


def _refuse_mail(place: Place, given: Given) -> None:
    deliverability.mail_refused(place.service, given["match"], 1, "bob@example.org", "550 no")


ACTS: dict[str, Act] = {
    # the web
    "open": Act(("create", "start"), lambda _: {}, open_match),
    "join and wait for a round": Act(
        ("join", "beacon.fix"), lobby_that_insists, posting(phrase="five words", name="", zone="")
    ),
    "join": Act(("join", "start"), lobby, posting(phrase="five words", name="", zone="")),
    "take an open seat": Act(
        ("take_seat", "start"), open_table, posting(phrase="five words", zone="", language="")
    ),
    "list a table": Act(("open_table",), open_table, _list_table),
    "a table is off the list": Act(("open_table.forget",), listed_table_that_ended, _keep_company),
    "hear of tables": Act(("watch.add",), wants_to_watch, posting()),
    "people hear of a table": Act(("watch.tell",), watched, _keep_company),
    "hear of tables no more": Act(("watch.end",), watched, posting()),
    "agree on a rematch": Act(
        ("rematch.say", "create", "start", "rematch.settle"),
        all_but_one_agreed,
        posting(game="dog", answer="yes"),
    ),
    "decline": Act(("decline",), lobby, on_link(lobbies.decline)),
    "hand in": Act(("submit",), moves, hand_in),
    "settings": Act(
        ("preferences",), seat_page, posting(do="settings", zone="Europe/Zurich", language="es")
    ),
    "never invited again": Act(("invitees",), lobby, on_link(invitees.never)),
    "invite": Act(("invite",), unproved, _send_invitations),
    "a letter fails its check": Act(
        ("letter_refused",), seat_link, on_link(deliverability.letter_refused)
    ),
    "mute": Act(("mute",), seat_link, on_link(deliverability.mute)),
    "unmute": Act(("mute",), seat_link, on_link(_mute_and_unmute)),
    "come back": Act(("come_back",), bot_holds, posting(do="come-back")),
    "give the seat up": Act(("resign",), seat_link, on_link(absence.resign)),
    "leave orders": Act(("standing",), seat_link, on_link(_leave_orders)),
    "cancel orders": Act(("standing",), orders_left, on_link(_cancel_orders)),
    "take back": Act(("go_back",), moved, on_link(going_back.take_back)),
    "ask to take back": Act(("propose",), moved_on, on_link(going_back.propose)),
    "agree": Act(("answer", "go_back"), agreed_but_one, on_link(_agree)),
    "a question is outdated": Act(("end_proposal",), outdated, work),
    "mail my turn": Act(("resend",), moves, _mail_my_turn),
    "ask to sign in": Act(
        ("proof",), lambda _: {"path": "/home"}, posting(email="alice@example.org")
    ),
    "vacation by mail": Act(
        ("announce_vacation", "gateway.answer"), answerable_on_vacation, _answer_by_mail
    ),
    "letter": Act(("mailbox.receive",), lambda _: {}, _letter),
    "answer by mail": Act(("submit", "gateway.answer"), answerable, _answer_by_mail),
    "a sign of life by mail": Act(("gateway.answer", "was_there"), returned, _answer_by_mail),
    "answer by a mail service": Act(("submit", "gateway.answer"), answerable, _answer_by_hook),
    "bounce": Act(("mail_refused", "came_back"), sent, _bounce),
    "vacation answer": Act(("came_back",), sent, _vacation),
    "look at the whole table": Act(("look",), running, _look),
    "log in and out": Act(("login", "logout"), lambda _: {}, log_in_and_out),
    "ask a player": Act(("permission",), running, _ask_bob),
    "a player says no": Act(("permission",), bob_is_asked, posting(answer="no")),
    "a player says yes": Act(("permission", "remedy"), bob_is_asked, on_link(_permit)),
    "what was permitted is done": Act(("remedy",), permitted, work),
    "a player is silent": Act(
        ("permission",), lambda house: bob_is_asked(house, timedelta(days=7, hours=1)), work
    ),
    # remedies, by their names
    "extend": Act(("remedy",), running, remedy(Asked("extend", 1, by="24h"))),
    "remind": Act(("remedy",), running, remedy(Asked("remind", 1))),
    "invite again": Act(("remedy",), lobby, remedy(Asked("remind", 3))),
    "default": Act(("play_default",), running, remedy(Asked("default", 1))),
    "bot": Act(("remedy",), running, remedy(Asked("bot", 1))),
    "a bot in the lobby": Act(("remedy", "start"), lobby, remedy(Asked("bot", 3))),
    "replace": Act(
        ("remedy",), running, remedy(Asked("replace", 1, name="Frank", email="frank@example.org"))
    ),
    "reissue": Act(("remedy",), running, remedy(Asked("reissue", 1))),
    "correct-address": Act(
        ("remedy",), running, remedy(Asked("correct-address", 1, email="bob@example.net"))
    ),
    "resign": Act(("remedy",), running, remedy(Asked("resign", 1))),
    "retry": Act(("remedy",), set_aside, remedy(Asked("retry"))),
    "pause": Act(("remedy",), running, remedy(Asked("pause", by="5h"))),
    "resume": Act(("resume",), paused, remedy(Asked("resume"))),
    "roll-back": Act(("go_back",), moved_on, remedy(Asked("roll-back", ply=2))),
    "rematch": Act(("create",), finished, remedy(Asked("rematch"))),
    "reissue-host": Act(("remedy",), running, remedy(Asked("reissue-host"))),
    "correct-host-address": Act(
        ("remedy",), running, remedy(Asked("correct-host-address", email="alice@example.net"))
    ),
    "abort": Act(("remedy",), running, remedy(Asked("abort"))),
    "mail_refused": Act(("mail_refused",), running, _refuse_mail),
    # the workers
    "first turns": Act(
        ("advance.take", "advance"), lambda house: {"match": house.open(clock=CLOCK).id}, work
    ),
    "bots alone": Act(
        ("advance.take", "advance"), lambda house: {"match": house.open(bots=3).id}, work
    ),
    "reminders": Act(("remind",), later(5.1), work),
    "time out": Act(("play_default",), later(11.1), work),
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
    "begin": Act(("remedy", "start"), later(0.1, waits_for_round), remedy(Asked("begin"))),
    "lobby reminders": Act(("lobby",), later(25, lobby), work),
    "lobby closes": Act(("lobby",), later(15 * 24, lobby), work),
    "set aside": Act(("advance.failed",), broken, work),
    "housekeeping": Act(("housekeeping",), ended_login, _keep_house),
    "pack": Act(("pack",), long_over, _keep_house),
    # people, beside their matches
    "say something": Act(("talk.say",), talking, _say),
    "hide a message": Act(("talk.order",), after_words, _hide),
    "keep a note": Act(("talk.own",), talking, _note),
    "sign in": Act(("sign_in",), sign_in_link, posting()),
    "sign out": Act(("sign_out",), signed_in, _sign_out),
    "a stranger is counted": Act(("proof.count",), lambda _: {}, _count_a_stranger),
    "settings for all matches": Act(("settings.save", "preferences"), somebody_signed_in, _set_all),
    "a group": Act(("settings.group",), somebody_signed_in, _keep_group),
    "a digest": Act(("digest",), waiting_for_a_digest, _keep_company),
    "devices go": Act(("devices.forget",), signed_in_long_ago, _keep_company),
    "words that no mail has brought": Act(("talk.digest",), a_day_after_words, _keep_company),
    "old links go": Act(("proof.forget",), old_link, _keep_company),
    "a match is entered into the standings": Act(("standing.enter",), finished, _keep_company),
    "a match is rated": Act(("standing.rate",), entered, _keep_company),
    "addresses go": Act(("addresses",), over_for_years, _keep_house),
    "be forgotten": Act(
        ("forget.ask", "forget", "forget.rows", "forget.done"), two_matches, _forget
    ),
    "a page of one's own": Act(("standing.publish",), somebody, _publish),
    "make a series": Act(("series.host", "series.create"), lambda _: {}, _make_series),
    "enter a series": Act(("series.enter",), series_and_somebody, _enter_series),
    "withdraw from a series": Act(("series.withdraw",), a_series, _withdraw),
    "draw a round": Act(("series.draw",), a_series, _draw_round),
    "tables of a round open": Act(("create", "series.open"), drawn, _keep_company),
    "a series ends": Act(("series.score", "series.end"), round_over, _keep_company),
    "nobody is there for a round": Act(("series.wait",), left_by_all, _keep_company),
    "a round cannot be drawn": Act(("series.failed",), unknown_game, _keep_company),
}
