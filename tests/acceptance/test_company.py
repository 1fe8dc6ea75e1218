"""Six people who know nothing but each other's table: they find it, play, talk, and meet again.

Everything goes through the doors: pages, programs' JSON, and the mails in the mailbox. Only the
clock is moved by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from pbem.mail.mailer import post_due
from pbem.people import sweep as company
from pbem.store.names import MatchStatus
from tests.parts.cast import address
from tests.parts.chance import draws
from tests.web.conftest import web_service
from tests.web.house import WebHouse

HOST, FOUR, LATE = "Ada", ("Ben", "Cleo", "Dan", "Eve"), "Fay"
JSON = {"Accept": "application/json"}


@pytest.fixture
def town(tmp_path: Path, sqlite_url: str) -> Iterator[WebHouse]:
    service = web_service(tmp_path, sqlite_url)
    yield WebHouse(replace(service, entropy=draws("a town")))
    service.database.close()


class Someone:
    """A person with a mailbox and a browser of their own."""

    def __init__(self, town: WebHouse, name: str) -> None:
        self.town = town
        self.name = name
        self.address = address(name)
        self.browser: FlaskClient = town.app.test_client()

    def mails(self) -> list[Any]:
        settle(self.town)
        found: list[Any] = self.browser.get(f"/dev/mail?to={self.address}&after=0").get_json()
        return found

    def link(self, part: str) -> str:
        """The path of the newest link with this in it."""
        for mail in reversed(self.mails()):
            for link in mail["links"]:
                if part in link:
                    return str(link).removeprefix(self.town.service.settings.base_url)
        raise AssertionError(f"{self.name} got no link with {part}")

    def sign_in(self) -> None:
        assert self.browser.post("/home", json={"email": self.address}).status_code == 202
        path = self.link("/home/")
        assert self.browser.get(path).status_code == 200
        assert self.browser.post(path).status_code in (200, 303)

    def home(self) -> Any:
        settle(self.town)
        return self.browser.get("/home", headers=JSON).get_json()

    def take_seat(self, match: str) -> int:
        asked = {"name": self.name, "email": self.address}
        status: int = self.browser.post(f"/open/{match}", json=asked).status_code
        if status == 202:
            path = self.link("/open/take/")
            assert self.browser.get(path).status_code == 200
            status = self.browser.post(path, data={"phrase": f"{self.name}'s words"}).status_code
        return status

    def answer(self, *lines: str) -> None:
        """Answers the newest mail of a turn."""
        mail = next(mail for mail in reversed(self.mails()) if mail["reply_to"].startswith("r+"))
        letter = (
            f"From: {self.address}\r\nTo: {mail['reply_to']}\r\nSubject: Re: {mail['subject']}\r\n"
            f"Message-ID: <{len(self.mails())}@{self.name}>\r\n\r\n" + "\r\n".join(lines) + "\r\n"
        )
        answer = self.browser.post("/dev/mail", data=letter, content_type="message/rfc822")
        assert answer.status_code < 300, answer.text


def settle(town: WebHouse) -> None:
    """The workers do what is due, and the mails go out."""
    town.work()
    while company.sweep(town.service) or post_due(town.service):
        town.work()


def play(town: WebHouse, match: str, away: str = "") -> None:
    """Everybody who is there plays until the match is over; the time of who is away runs out."""
    table = town.match(match)
    while town.match(match).status == MatchStatus.RUNNING:
        seats = town.table(table).seats
        there = [seat for seat in town.waiting(table) if seats[seat].name != away]
        if there:
            seat, ply = there[0], town.match(match).ply
            town.play(table, seat, town.good_order(table, seat), f"ply {ply}")
            town.work()
        else:
            town.wait(hours=12)


@pytest.mark.slow
def test_six_people_who_know_only_addresses_find_a_table_play_talk_and_meet_again(
    town: WebHouse,
) -> None:
    people = {name: Someone(town, name) for name in (HOST, *FOUR, LATE)}
    ada, ben, fay = people[HOST], people["Ben"], people[LATE]

    # one opens a table
    opened = ada.browser.post(
        "/api/matches",
        json={
            "game": "dogs-of-war",
            "name": "Tuesday night",
            "host": {"name": HOST, "email": ada.address},
            "seats": [{"name": HOST, "email": ada.address}, *[{"open": True}] * 4],
            "options": {"sudden_death": True},
            "clock": {"turn": "24h", "reserve": "0h", "grace": "15m"},
            "listed": True,
        },
    )
    assert opened.status_code == 201, opened.text
    match = opened.get_json()["match"]
    town.wait(minutes=5)
    ada.browser.post(ada.link("/j/"), data={"phrase": "Ada's words"})

    # four find it, and the next one comes too late
    for name in FOUR:
        listed = people[name].browser.get("/open?game=dogs-of-war", headers=JSON).get_json()
        assert [one["name"] for one in listed] == ["Tuesday night"]
        assert people[name].take_seat(match) == 201
    assert fay.take_seat(match) == 409
    assert fay.browser.get("/open", headers=JSON).get_json() == []

    # each comes home
    settle(town)
    for someone in people.values():
        someone.sign_in()
    turns = {name: someone.home()["turns"] for name, someone in people.items()}
    waiting = {name for name, found in turns.items() if found}
    assert waiting == {
        town.table(town.match(match)).seats[seat].name for seat in town.waiting(town.match(match))
    }
    assert [one["match"] for one in ada.home()["hosting"]] == [match]

    # they talk, by page and by mail, with a move and alone
    mover = people[sorted(waiting)[0]]
    path = mover.link("/t/")
    said = mover.browser.post(f"{path}/say", json={"to": "table", "text": "Good luck, all!"})
    assert said.status_code in (200, 201), said.text
    mover.answer("say And fair winds.")
    settle(town)
    other = next(one for name, one in people.items() if name != mover.name and one is not fay)
    heard = fay.browser.get(f"/m/{match}", headers=JSON).get_json()["talk"]
    assert [one["text"] for one in heard] == ["Good luck, all!", "And fair winds."]

    # one of them stays away; the match goes on, and ends
    play(town, match, away="Eve")
    settle(town)
    assert town.match(match).status == MatchStatus.FINISHED
    assert any("Good luck, all!" in mail["text"] for mail in other.mails())
    assert [one["match"] for one in ben.home()["finished"]] == [match]

    # where they stand, by the matches behind it, for those who want to be seen
    for name in (HOST, "Ben"):
        people[name].browser.post("/home/player", data={"public_name": f"{name} of the hills"})
    board = fay.browser.get("/standings/dogs-of-war?seats=5", headers=JSON).get_json()
    assert board["people"] == 5
    assert {one["name"] for one in board["players"]} == {"Ada of the hills", "Ben of the hills"}
    page = fay.browser.get("/players/Ben of the hills").text
    assert f"/m/{match}" in page
    assert ben.address not in page

    # all agree to play once more: each by one click in the last mail
    for name in (HOST, *FOUR):
        asked = {"game": "dogs-of-war", "answer": "yes"}
        said = people[name].browser.post(people[name].link("/rematch"), data=asked)
        assert said.status_code == 200
    settle(town)
    again = next(iter([*ben.home()["turns"], *ben.home()["waiting"]]))["match"]
    before, after = (town.table(town.match(one)).seats for one in (match, again))
    assert town.match(again).rematch_of == match
    first, *others = (seat.name for seat in before)
    assert [seat.name for seat in after] == [*others, first]
