"""Open tables, and agreeing on a rematch."""

from __future__ import annotations

from sqlmodel import select

from pbem.acts import matches
from pbem.people import open_tables, persons, proofs, rematches, watches
from pbem.store.models import AddressLink, Watch
from pbem.store.names import MailKind, Purpose
from tests.faults.acts.moments import (
    CLOCK,
    Act,
    Given,
    Place,
    finished,
    keep_company,
    over,
    posting,
)
from tests.parts import remedies
from tests.parts.cast import NAMES, address
from tests.web.house import WebHouse


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
        watches.add(session, erin, open_tables.TableFilter("dog"), now)
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


def _list_table(place: Place, given: Given) -> None:
    open_tables.show(place.service, given["match"], listed=True)


ACTS: dict[str, Act] = {
    "take an open seat": Act(
        ("take_seat", "start"), open_table, posting(phrase="five words", zone="", language="")
    ),
    "list a table": Act(("open_table",), open_table, _list_table),
    "a table is off the list": Act(("open_table.forget",), listed_table_that_ended, keep_company),
    "hear of tables": Act(("watch.add",), wants_to_watch, posting()),
    "people hear of a table": Act(("watch.tell",), watched, keep_company),
    "hear of tables no more": Act(("watch.end",), watched, posting()),
    "ask for an animated picture": Act(("animation.ask",), over, posting()),
    "agree on a rematch": Act(
        ("rematch.say", "create", "start", "rematch.settle"),
        all_but_one_agreed,
        posting(game="dog", answer="yes"),
    ),
}
