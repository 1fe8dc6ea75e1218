"""What hosts and the operator do, and what players answer them."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import select

from pbem.acts import matches, permissions, whole_table
from pbem.acts.remedies import answer, carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.service import Service
from pbem.store.models import Link, Match
from pbem.store.names import Actor, Purpose
from tests.faults.acts.moments import (
    Act,
    Given,
    Place,
    finished,
    lobby,
    moved_on,
    on_link,
    paused,
    posting,
    remedy,
    running,
    work,
)
from tests.parts.cast import NAMES, address
from tests.web.house import PASSWORD, WebHouse, secret


def unproved(house: WebHouse) -> Given:
    """Nobody is invited yet."""
    seats = [matches.NewSeat(name=name, email=address(name)) for name in NAMES]
    host = matches.Person("Gina", address("gina"))
    new = matches.NewMatch(game="dog", host=host, seats=seats)
    return {"match": matches.create(house.service, new, proved=False).id}


def set_aside(house: WebHouse) -> Given:
    given = running(house)
    with house.service.database.write("test") as session:
        row = session.exec(select(Match).where(Match.id == given["match"])).one()
        row.set_aside_at, row.set_aside_error = house.clock.now(), "a bug in a rule"
        session.add(row)
    return given


def log_in_and_out(place: Place, _: Given) -> None:
    client = place.app.test_client()
    page = client.get("/operator/login")
    form = {"name": "operator", "password": PASSWORD, "csrf_token": secret(page)}
    assert client.post("/operator/login", data=form).status_code == 303
    token = secret(client.get("/operator"))
    client.post("/operator/logout", data={"csrf_token": token})


def _ask_bob(place: Place, given: Given) -> None:
    asked = RemedyRequest("correct-address", 1, email="bob@example.net")
    carry_out(place.service, given["match"], asked, Actor.HOST)


def bob_is_asked(house: WebHouse, after: timedelta = timedelta(0)) -> Given:
    """The host has asked for another address of Bob's, so long ago."""
    given = running(house, clock={"turn": "30d"})
    asked = RemedyRequest("correct-address", 1, email="bob@example.net")
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


def _look(place: Place, given: Given) -> None:
    whole_table.look(place.service, given["match"], "somebody asked")


ACTS: dict[str, Act] = {
    "invite": Act(("invite",), unproved, _send_invitations),
    "look at the whole table": Act(("look",), running, _look),
    "log in and out": Act(("login", "logout"), lambda _: {}, log_in_and_out),
    "ask a player": Act(("permission",), running, _ask_bob),
    "a player says no": Act(("permission",), bob_is_asked, posting(answer="no")),
    "a player says yes": Act(("permission", "remedy"), bob_is_asked, on_link(_permit)),
    "what was permitted is done": Act(("remedy",), permitted, work),
    "a player is silent": Act(
        ("permission",), lambda house: bob_is_asked(house, timedelta(days=7, hours=1)), work
    ),
    "extend": Act(("remedy",), running, remedy(RemedyRequest("extend", 1, by="24h"))),
    "remind": Act(("remedy",), running, remedy(RemedyRequest("remind", 1))),
    "invite again": Act(("remedy",), lobby, remedy(RemedyRequest("remind", 3))),
    "default": Act(("play_default",), running, remedy(RemedyRequest("default", 1))),
    "bot": Act(("remedy",), running, remedy(RemedyRequest("bot", 1))),
    "a bot in the lobby": Act(("remedy", "start"), lobby, remedy(RemedyRequest("bot", 3))),
    "replace": Act(
        ("remedy",),
        running,
        remedy(RemedyRequest("replace", 1, name="Frank", email="frank@example.org")),
    ),
    "reissue": Act(("remedy",), running, remedy(RemedyRequest("reissue", 1))),
    "correct-address": Act(
        ("remedy",), running, remedy(RemedyRequest("correct-address", 1, email="bob@example.net"))
    ),
    "resign": Act(("remedy",), running, remedy(RemedyRequest("resign", 1))),
    "retry": Act(("remedy",), set_aside, remedy(RemedyRequest("retry"))),
    "pause": Act(("remedy",), running, remedy(RemedyRequest("pause", by="5h"))),
    "resume": Act(("resume",), paused, remedy(RemedyRequest("resume"))),
    "roll-back": Act(("go_back",), moved_on, remedy(RemedyRequest("roll-back", ply=2))),
    "rematch": Act(("create",), finished, remedy(RemedyRequest("rematch"))),
    "reissue-host": Act(("remedy",), running, remedy(RemedyRequest("reissue-host"))),
    "correct-host-address": Act(
        ("remedy",),
        running,
        remedy(RemedyRequest("correct-host-address", email="alice@example.net")),
    ),
    "abort": Act(("remedy",), running, remedy(RemedyRequest("abort"))),
}
