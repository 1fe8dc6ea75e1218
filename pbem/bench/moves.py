"""Moves over HTTP to the web alone, beside floors.

Four take turns, on one database: the web under gunicorn (``service``); the least service that could
take these moves (``least``, ``pbem.bench._floor``) and an empty route (``route``), both in one
Flask application under the same gunicorn; and the rows of a move, written without a web
(``inserts``). Every client sends one move after another, each to an open turn of another match, and
waits for the receipt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pbem.bench import _floor
from pbem.bench._clients import connected
from pbem.bench._copies import Copies, Waiting
from pbem.bench._places import free_port, place
from pbem.bench._rounds import (
    BenchOptions,
    Figures,
    Round,
    in_turns,
    shared_out,
    summary,
    timed,
    with_clients,
)
from pbem.bench._servers import Server, bells, web
from pbem.service import Service

#: Moves of one go: so many, or so many for each client if that is more.
MOVES, MOVES_EACH = 120, 10


def measure(asked: BenchOptions) -> Figures:
    """``summary`` of each of the four, for each database and number of clients.

    ``share`` is the service's rate by that of the least service.
    """
    found: Figures = {}
    for database in asked.databases:
        with ExitStack() as stack:
            here = stack.enter_context(place(database, asked.scratch))
            service = stack.enter_context(here.service())
            asked.say(f"{here.kind}: filling a database")
            copies = Copies(service, asked.log)
            copies.fill(asked.filled)
            stack.enter_context(bells(service.settings))
            ours = stack.enter_context(web(service.settings))
            beside = service.settings.model_copy(update={"port": free_port()})
            floor = stack.enter_context(web(beside, _floor.APPLICATION))
            four = _Four(service, copies, asked.log, ours, floor, here.processes)
            for warm_up in four.goes().values():
                warm_up()
            for clients in asked.clients:
                four = replace(four, clients=clients, moves=max(MOVES, MOVES_EACH * clients))
                case = with_clients(here.kind, clients)
                taken = in_turns(asked, case, four.goes())
                for name, rounds in taken.items():
                    least = taken["least"] if name == "service" else ()
                    found[f"{case}: {name}"] = summary(rounds, least)
    return found


@dataclass(frozen=True)
class _Four:
    """Those that take turns, each with so many clients and moves in one go."""

    service: Service
    copies: Copies
    log: int
    web: Server
    floor: Server
    #: Processes of the database.
    database: Sequence[int]
    clients: int = 1
    moves: int = 10

    def goes(self) -> dict[str, Callable[[], Round]]:
        return {
            "service": lambda: self._posts(self.web, lambda copy: f"/t/{copy.token}"),
            "least": lambda: self._posts(self.floor, lambda copy: f"/t/{copy.number}"),
            "route": self._route,
            "inserts": self._inserts,
        }

    def _posts(self, server: Server, path: Callable[[Waiting], str]) -> Round:
        jobs = [(path(copy), copy.move) for copy in self.copies.waiting(self.moves, self.log)]

        @contextmanager
        def client() -> Iterator[Callable[[tuple[str, dict[str, Any]]], object]]:
            with connected(server.port) as to:
                yield lambda job: to.post(*job)

        servers = [server.process, *self.database]
        return timed(lambda: shared_out(jobs, self.clients, client), servers)

    def _route(self) -> Round:
        @contextmanager
        def client() -> Iterator[Callable[[str], object]]:
            with connected(self.floor.port) as to:
                yield to.get

        jobs = ["/healthz"] * self.moves
        return timed(lambda: shared_out(jobs, self.clients, client), [self.floor.process])

    def _inserts(self) -> Round:
        now = datetime.now(UTC)
        jobs = []
        for copy in self.copies.waiting(self.moves, self.log):
            match, given = self.copies.match(copy), copy.move
            receipt = {"accepted": True, "ply": match.ply, "order": given["order"], "events": []}
            rows = _floor.new_rows(match, copy.link, given, receipt, now)
            jobs.append([row.model_dump(exclude={"id"}) for row in rows])
        engine = self.service.database.engine

        def write(rows: list[dict[str, Any]]) -> None:
            with engine.begin() as connection:
                _floor.write(connection, rows)

        def client() -> nullcontext[Callable[[list[dict[str, Any]]], None]]:
            return nullcontext(write)

        return timed(lambda: shared_out(jobs, self.clients, client), self.database)
