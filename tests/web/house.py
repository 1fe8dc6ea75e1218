"""What tests of the doors say in a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select
from werkzeug.test import TestResponse

from pbem import create_app
from pbem.config.sections import BeaconRounds
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts.cast import NO_BEACON, House, sensible_order

PASSWORD = "correct horse battery staple"
DOORS = {"j": Purpose.JOIN, "t": Purpose.TURN, "s": Purpose.SEAT, "h": Purpose.HOST}


@dataclass
class WebHouse(House):
    """A house with doors."""

    @cached_property
    def app(self) -> Flask:
        """Made when a door is first used: that takes a while, and not all go through one."""
        return create_app(self.service)

    def use_beacon(self) -> None:
        """From now on the beacon goes into the dice. Nothing listens at its only server."""
        rounds = BeaconRounds(enabled=True, urls=NO_BEACON.urls)
        settings = self.service.settings.model_copy(update={"beacon": rounds})
        self.service = self.app.extensions["pbem"] = replace(self.service, settings=settings)

    @property
    def file(self) -> Path:
        return Path(self.service.settings.database_url.removeprefix("sqlite:///"))

    def dump(self) -> str:
        """All there is in the database, as text."""
        with self.service.database.read() as session:
            # the service's own: a new connection reads the schema first, which takes longer
            asked: Any = session.connection().connection.driver_connection
            tables = asked.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            rows = (
                (name, *row)
                for (name,) in tables
                for row in asked.execute(f'SELECT * FROM "{name}"')
            )
            return "\n".join(map(str, rows))

    def path(self, match: Match, purpose: Purpose, seat: int) -> str:
        """The path of the newest link of this purpose."""
        letter = {kind: letter for letter, kind in DOORS.items()}[purpose]
        return f"/{letter}/{self.token(self.link(match, purpose, seat))}"

    def turn_path(self, match: Match, seat: int) -> str:
        return self.path(match, Purpose.TURN, seat)

    def decisions(self, match: Match) -> Iterator[tuple[int, str, int]]:
        """Those of a match that is played on, one after the other: seat, order, ply."""
        while (table := self.table(match)).match.status == "running":
            seat, ply = min(table.open_turns), table.match.ply
            order = sensible_order(table, seat)
            yield seat, order, ply
            self.play(match, seat, order, f"ply {ply}")
            self.work()

    def log_in(self, client: FlaskClient) -> TestResponse:
        page = client.get("/operator/login")
        form = {"name": "operator", "password": PASSWORD, "csrf_token": secret(page)}
        return client.post("/operator/login", data=form)


def secret(page: TestResponse) -> str:
    """The form's own secret on a page."""
    return found(page, r'name="csrf_token" value="([^"]+)"')


def found(page: TestResponse, pattern: str) -> str:
    match = re.search(pattern, page.text)
    assert match, f"{pattern} is not in {page.text[:3000]}"
    return match[1]


def hidden(page: TestResponse) -> dict[str, Any]:
    """The hidden fields of a page."""
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text))


def matches_of(web: WebHouse) -> list[Match]:
    """All matches there are."""
    with web.service.database.read() as session:
        return list(session.exec(select(Match)))
