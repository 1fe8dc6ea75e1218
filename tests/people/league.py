"""A league to its end, by real acts under a clock that is moved: ``python -m tests.people.league``.

A third of the players cannot be relied on. Some never use the link that enters them, some never
move, some move for a round and then never again, some resign, some withdraw. All others play what a
bot would. Nobody looks after the league: what has to happen, the sweeps find.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import click
from sqlmodel import col, select

from pbem.acts import absence
from pbem.people import persons, pools, proofs
from pbem.people.series import acts, rounds
from pbem.people.series.acts import NewSeries
from pbem.people.series.rows import Rows, read
from pbem.store import db
from pbem.store.models import AddressLink, Match, Series, SeriesMatch
from pbem.store.names import MailKind, MatchStatus, Purpose
from tests.conftest import MEMORY
from tests.parts.cast import House, make_service
from tests.people.quick import company, snatch_installed

#: How somebody cannot be relied on.
WAYS = ("never clicks", "never moves", "moves in the first round", "resigns", "withdraws")


@dataclass
class League:
    """A series with its people, on a house."""

    house: House
    series: Series
    seed: str
    #: What each name does, if it cannot be relied on.
    ways: dict[str, str] = field(default_factory=dict)

    def rows(self) -> Rows:
        with self.house.service.database.read() as session:
            return read(session, self.series.id)

    def matches(self, *states: MatchStatus) -> list[Match]:
        ids = select(SeriesMatch.match_id).where(SeriesMatch.series_id == self.series.id)
        query = select(Match).where(col(Match.id).in_(ids))
        with self.house.service.database.read() as session:
            found = session.exec(query.order_by(col(Match.created_at), col(Match.id))).all()
        return [match for match in found if not states or match.status in states]

    # --- what people do ---

    def enter(self, name: str) -> None:
        """Somebody asks for the link by mail, and uses it unless that is not their way."""
        service = self.house.service
        address = f"{name.lower()}@example.org"
        wish = acts.wish_to_enter(service, self.series.id, name)
        proofs.owe(service, MailKind.SERIES_ENTER, address, "en", wish)
        if self.ways.get(name) == "never clicks":
            return
        with service.database.read() as session:
            link = session.exec(select(AddressLink).where(AddressLink.address == address)).one()
        acts.enter_by_link(service, proofs.token(service.keys, link))

    def play(self) -> int:
        """Who moves at all plays until none of them is asked; returns how many moves."""
        moves = 0
        for match in self.matches(MatchStatus.RUNNING):
            moves += self._play(match)
        self.house.work()
        return moves

    def _play(self, match: Match) -> int:
        moves = 0
        while self.house.match(match.id).status == MatchStatus.RUNNING:
            table = self.house.table(match)
            asked = [
                seat for seat in sorted(table.open_turns) if self._moves(table.seats[seat].name)
            ]
            if not asked:
                break
            seat = asked[0]
            if self.ways.get(table.seats[seat].name) == "resigns":
                absence.resign(self.house.service, self.house.link(match, Purpose.SEAT, seat))
            else:
                order = self.house.good_order(match, seat)
                self.house.play(match, seat, order, f"{table.match.ply}")
                moves += 1
            self.house.work()
        return moves

    def _moves(self, name: str) -> bool:
        way = self.ways.get(name, "")
        if way == "moves in the first round":
            return self.rows().series.round == 1
        return way != "never moves"

    def withdraw(self) -> None:
        for player in self.rows().players:
            if self.ways.get(player.name) == "withdraws":
                acts.withdraw(self.house.service, self.series.id, player.person_id)

    def to_its_end(self) -> None:
        """Days pass until the series is over."""
        for _day in range(400):
            company(self.house)
            self.house.work()
            self.play()
            company(self.house)
            rows = self.rows()
            if rows.series.status == acts.SeriesStatus.OVER:
                return
            if rows.series.round == 1:
                self.withdraw()
            self.house.wait(hours=25)
        raise AssertionError("the league does not end")


def begun(house: House, players: int, seed: str, **asked: Any) -> League:
    """A league that so many people want to enter, a third of whom cannot be relied on."""
    chance = random.Random(seed)
    with house.service.database.write("test") as session:
        host = persons.known(session, "host@example.org", house.clock.now())
    new = NewSeries(
        **{
            "name": "Harbour League",
            "game": "snatch",
            "seats": 4,
            "rounds": 4,
            "clock": {"turn": "24h", "reserve": "0h", "host_time": "24h"},
            **asked,
        }
    )
    league = League(house, acts.create(house.service, new, host), seed)
    names = [f"P{number:02}" for number in range(1, players + 1)]
    league.ways = dict(zip(chance.sample(names, players // 3), cycle(WAYS), strict=False))
    for name in names:
        league.enter(name)
    rounds.go_on(house.service, league.series.id)
    return league


@click.command()
@click.option("--players", default=64, show_default=True)
@click.option("--rounds", "number", default=5, show_default=True)
@click.option("--kind", type=click.Choice(["groups", "swiss"]), default="swiss", show_default=True)
@click.option("--seats", default=4, show_default=True)
@click.option("--seed", default="a league", show_default=True)
def main(players: int, number: int, kind: str, seats: int, seed: str) -> None:
    """Play a league to its end and say how it went."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        home = Path(folder)
        url = f"sqlite:///{home / 'pbem.sqlite3'}"
        db.upgrade(url)
        with snatch_installed(home):
            house = House(make_service(home, url))
            league = begun(house, players, seed, rounds=number, kind=kind, seats=seats)
            league.to_its_end()
            tell(league, time.monotonic() - began)
            house.service.database.close()


def tell(league: League, seconds: float) -> None:
    rows = league.rows()
    names = {player.number: player.name for player in rows.players}
    meetings = Counter(
        tuple(sorted((one.player, other.player)))
        for table in rows.tables().values()
        for one in table
        for other in table
        if one.player < other.player
    )
    click.echo(f"{len(names)} entered; unreliable: {dict(Counter(league.ways.values()))}")
    click.echo(f"matches: {dict(Counter(match.status for match in league.matches()))}")
    click.echo(f"tables: {dict(Counter(len(table) for table in rows.tables().values()))} by size")
    click.echo(
        f"met: {dict(Counter(meetings.values()))} pairs by times; byes: "
        f"{sum(not seat.number for seat in rows.seats)}"
    )
    click.echo(
        f"left early: {sum(seat.left_early for seat in rows.seats)} seats; "
        f"places: {dict(Counter(player.place for player in rows.players))}"
    )
    worked_out = pools.recompute(league.house.service)
    rated = sum(one.matches for one in worked_out)
    changed = sum(one.changed for one in worked_out)
    click.echo(f"{rated} matches rated; worked out again, {changed} numbers changed")
    days = (rows.series.ended_at or rows.series.created_at) - rows.series.created_at
    click.echo(f"{days.days} days of the league's time, {seconds:.0f} s")
    for stand in rows.standing()[:8]:
        way = league.ways.get(names[stand.player], "")
        click.echo(
            f"{stand.rank:3}  {names[stand.player]}  {stand.points / 10:5.1f} "
            f"{stand.opponents / 10:6.1f} {stand.wins}  {way}"
        )


if __name__ == "__main__":
    main()
