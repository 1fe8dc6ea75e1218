"""Every route of the doors, with living links put in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlmodel import col, select
from werkzeug.routing import Rule

from pbem.mail import mailbox
from pbem.people import open_tables, persons, proofs, watches
from pbem.people.series import acts
from pbem.people.series.acts import NewSeries
from pbem.store import links
from pbem.store.models import AddressLink, Match, Watch
from pbem.store.names import DOORS, MailKind, Purpose
from tests.web.house import WebHouse


def tokens(web: WebHouse, match: Match) -> dict[str, str]:
    """A living token of every purpose that has a door, by its letter."""
    found = {}
    table = web.table(match)
    with web.service.database.write("test") as session:
        for purpose in DOORS:
            seat = None if purpose == Purpose.HOST else table.seats[0]
            turn = table.open_turns[0].id or 0 if purpose == Purpose.TURN else 0
            link = links.make(session, purpose, match, seat, web.clock.now(), turn)
            found[DOORS[purpose]] = links.token(web.service.keys, link)
    return found


def address_link(web: WebHouse, kind: MailKind, about: dict[str, str | int]) -> str:
    """The token of a living link that proves Erin's address."""
    proofs.owe(web.service, kind, "erin@example.org", "en", about)
    with web.service.database.read() as session:
        newest = select(AddressLink).order_by(col(AddressLink.id).desc())
        link = session.exec(newest).first()
    assert link is not None
    return proofs.token(web.service.keys, link)


def a_series(web: WebHouse) -> str:
    """The id of a series that Alice hosts."""
    with web.service.database.write("test") as session:
        host = persons.known(session, "alice@example.org", web.service.now())
    new = NewSeries(name="Friday Cup", game="dog", seats=4, rounds=2)
    return acts.create(web.service, new, host).id


def paths(web: WebHouse, match: Match, method: str) -> Iterator[tuple[Rule, str]]:
    """Every route that takes this method, with living tokens and ids put in."""
    known = tokens(web, match)
    proofs.owe(web.service, MailKind.SIGN_IN, "bob@example.org", "en")
    with web.service.database.read() as session:
        proof = session.exec(select(AddressLink)).all()[-1]
    series = a_series(web)
    entry = address_link(web, MailKind.SERIES_ENTER, {"series": series, "name": "Erin"})
    mail = mailbox.receive(web.service, b"To: a@example.org\r\nFrom: b@example.org\r\n\r\nHello")
    seat = address_link(web, MailKind.TAKE_SEAT, {"match": match.id, "name": "Erin"})
    kind: dict[str, str | int] = {"game": "dog", "seats": 4, "language": ""}
    watch = address_link(web, MailKind.WATCH, kind)
    with web.service.database.write("test") as session:
        erin = persons.known(session, "erin@example.org", web.clock.now())
        watches.add(session, erin, open_tables.TableFilter("dog", 4), web.clock.now())
        watched = session.exec(select(Watch)).one()
        off = watches.token(web.service.keys, watched)
    for rule in sorted(web.app.url_map.iter_rules(), key=str):
        if method not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        path = str(rule)
        path = re.sub("^/([a-z])/<token>", lambda found: f"/{found[1]}/{known[found[1]]}", path)
        path = path.replace("/home/<token>", f"/home/{proofs.token(web.service.keys, proof)}")
        path = path.replace("/open/take/<token>", f"/open/take/{seat}")
        path = path.replace("/series/enter/<token>", f"/series/enter/{entry}")
        path = path.replace("<series_id>", series)
        path = path.replace("/open/watch/<token>", f"/open/watch/{watch}")
        path = path.replace("/open/off/<token>", f"/open/off/{off}")
        path = path.replace("<match_id>", match.id).replace("<int:number>", str(mail))
        path = path.replace("<game>", "dog").replace("<cid>", "board")
        path = path.replace("<name>", "verify_dice.html")
        path = re.sub(r'<any\("?([\w.]+)[^)]*\):\w+>', r"\1", path).replace("<language>", "en")
        assert "<" not in path, path
        yield rule, path
