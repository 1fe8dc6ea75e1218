"""Moves over HTTP, beside the least service that could take them (``pbem.bench._floor``).

Both serve under gunicorn with the same settings, on one database. Rounds alternate, so that
whatever else the machine does falls on both. In a round every client sends one move after another,
each to an open turn of another match, and waits for the receipt.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlmodel import SQLModel, col, select

from pbem.acts import advance, turns
from pbem.bench._postgres import binaries, running
from pbem.bench.turns import open_link, open_match
from pbem.config import Settings, load_settings
from pbem.looks import match_look
from pbem.running import broker
from pbem.service import Service, open_service
from pbem.store import db, links
from pbem.store.models import Link, Match, Ply, Seat, Turn, rows_of

CLIENTS = (1, 8)
#: How many entries the log of each match has, and more: the first turn after so many is played.
LOG = 10
#: Moves of a client in one round.
MOVES = 40
#: Ids of copied rows begin here.
COPIES = 1_000_000
SQLITE, POSTGRES = "sqlite", "postgres"

#: The command line of gunicorn for these settings and this application, and its environment.
Serve = Callable[[Settings, str], tuple[list[str], dict[str, str]]]
SERVICE, FLOOR = "pbem:create_app()", "pbem.bench._floor:create_app()"


def databases() -> list[str]:
    """Those that this machine has programs for."""
    return [SQLITE, POSTGRES] if binaries() else [SQLITE]


def measure(
    scratch: Path,
    seconds: float,
    *,
    wanted: Sequence[str],
    clients: Sequence[int],
    log: int,
    serve: Serve,
    progress: Callable[[str, dict[str, float]], None],
) -> dict[str, dict[str, float]]:
    """Figures for each database (``sqlite``, ``postgres``, or the URL of an empty one) and number
    of clients, measured for so many seconds each. ``log``: entries in the log of each match.

    ``share`` is moves a second by those of the floor: the median of the rounds, the least and the
    most. ``progress`` is called with the name of the case and its figures so far.
    """
    found = {}
    for place, database in enumerate(wanted):
        home = scratch / str(place)
        home.mkdir()
        with _both(home, database, serve) as (service, ports):
            matches = Matches(service, log)
            for number in clients:
                kind = SQLITE if service.database.is_sqlite else POSTGRES
                name = f"{kind}, {number} client{'s' * (number > 1)}"
                found[name] = _case(matches, ports, number, seconds, partial(progress, name))
    return found


# --- the two services ---


@contextmanager
def _both(home: Path, database: str, serve: Serve) -> Iterator[tuple[Service, dict[str, int]]]:
    """The service on a fresh database, and the ports at which it and the floor answer."""
    with ExitStack() as stack:
        url = {SQLITE: "", POSTGRES: ""}.get(database, database)
        if database == POSTGRES:
            programs = binaries()
            assert programs is not None
            url = stack.enter_context(running(programs))
        ports = {application: _free_port() for application in (SERVICE, FLOOR)}
        settings = load_settings(home=home, database_url=url or None)
        db.upgrade(settings.database_url)
        service = open_service(settings)
        stack.callback(service.database.close)
        settings.broker_socket.parent.mkdir(parents=True, exist_ok=True)
        (home / "metrics").mkdir()
        own = broker.server_command(broker.find_server(), home, settings.broker_socket)
        started = [stack.enter_context(_program(own, {}, home))]
        for application, port in ports.items():
            command, given = serve(settings.model_copy(update={"port": port}), application)
            # mail that is sent: in mailbox mode this machine's requests are not counted
            given |= {"PBEM_DATABASE_URL": settings.database_url, "PBEM_MAIL_MODE": "smtp"}
            given |= {"PBEM_LIMITS_REQUESTS_PER_MINUTE": "1000000"}
            started.append(stack.enter_context(_program(command, given, home)))
        while not (broker.answers(settings.broker) and all(map(_answers, ports.values()))):
            if any(program.poll() is not None for program in started):
                raise OSError(f"A server ended by itself: {(home / 'log').read_text()[-2000:]}")
            time.sleep(0.05)
        yield service, ports


@contextmanager
def _program(
    command: list[str], given: Mapping[str, str], home: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that runs until the block ends; its output goes to a file in ``home``."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    with (home / "log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own commands
            command, cwd=home, env={**ours, **given}, stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


# --- matches ---


class Matches:
    """Any number of matches that wait for the same move: copies of one that was played so far."""

    def __init__(self, service: Service, log: int) -> None:
        self._service = service
        match_id, link, self._move = _played(service, LOG)
        with service.database.read() as session:
            self._match = session.exec(select(Match).where(Match.id == match_id)).one()
            self._seats = session.exec(select(Seat).where(Seat.match_id == match_id)).all()
            self._turn = session.get_one(Turn, link.turn_id)
            self._link = session.get_one(Link, link.id)
            plies = session.exec(
                select(Ply).where(Ply.match_id == match_id).order_by(col(Ply.ply))
            ).all()
        self._plies = _stretched([ply.model_dump() | {"turn_id": None} for ply in plies], log)
        last = self._plies[-1]["ply"]
        at = {"ply": last, "public_ply": last}
        self._match = self._match.model_copy(update=at)
        self._turn = self._turn.model_copy(update={"asked_ply": last, "opened_ply": last})
        self._number = count(COPIES)

    def waiting(self, how_many: int) -> list[tuple[tuple[str, str], bytes]]:
        """So many new matches: the path of each open turn at the service and at the floor, and
        the move.
        """
        new: dict[type[SQLModel], list[dict[str, Any]]] = {
            Match: [],
            Seat: [],
            Turn: [],
            Link: [],
            Ply: [],
        }
        found = []
        for number in (next(self._number) for _ in range(how_many)):
            match = {"match_id": f"copy{number}"}
            new[Match].append(self._match.model_dump() | {"id": match["match_id"]})
            for seat in self._seats:
                own = {"id": number * len(self._seats) + seat.number}
                new[Seat].append(seat.model_dump() | match | own)
            new[Turn].append(self._turn.model_dump() | match | {"id": number})
            link = self._link.model_copy(update=match | {"id": number, "turn_id": number})
            new[Link].append(link.model_dump())
            new[Ply] += [ply | match for ply in self._plies]
            token = links.token(self._service.keys, link)
            found.append(((f"/t/{token}", f"/t/{number}"), self._body(number)))
        with self._service.database.write("bench") as session:
            for model, rows in new.items():
                session.connection().execute(insert(rows_of(model)), rows)
        return found

    def _body(self, number: int) -> bytes:
        move = {"order": self._move, "submission": f"s{number}", "ply": self._match.counted}
        return json.dumps(move).encode()


def _played(service: Service, log: int) -> tuple[str, Link, str]:
    """A match with so many entries in its log at least, whose only open turn is a seat's ordinary
    one; the link to it, and a move.
    """
    match_id, number = open_match(service), 0
    while True:
        link = open_link(service, match_id)
        assert link is not None
        look = match_look.turn(service, link)
        order = look.example_orders[0]
        if look.table.match.ply >= log and len(look.table.open_turns) == 1:
            return match_id, link, order
        turns.submit(service, link, order, f"bench {number}")
        number += 1
        while advance.advance(service, match_id):
            pass


def _stretched(plies: list[dict[str, Any]], log: int) -> list[dict[str, Any]]:
    """The lines of a log, the last one repeated until there are so many."""
    last = plies[-1]
    more = range(last["ply"] + 1, log + 1)
    return plies + [last | {"ply": number, "public_ply": number} for number in more]


# --- clients ---


@dataclass
class Rounds:
    """What one of the two services did."""

    #: Moves a second, of each round.
    rates: list[float] = field(default_factory=list)
    #: The seconds of each answer, of all rounds.
    waits: list[float] = field(default_factory=list)

    def quantile_ms(self, percent: int) -> float:
        order = sorted(self.waits)
        return round(1000 * order[len(order) * percent // 100], 2)


def _case(
    matches: Matches,
    ports: Mapping[str, int],
    clients: int,
    seconds: float,
    progress: Callable[[dict[str, float]], None],
) -> dict[str, float]:
    """Alternates rounds at the service and at the floor."""
    told: dict[str, float] = {}
    ours, floor = Rounds(), Rounds()
    _round(matches, ports, clients, 2)
    until = time.monotonic() + seconds
    while not told or time.monotonic() < until:
        for rounds, (rate, waits) in zip(
            (ours, floor), _round(matches, ports, clients, MOVES), strict=True
        ):
            rounds.rates.append(rate)
            rounds.waits += waits
        told = _figures(ours, floor)
        progress(told)
    return told


def _figures(ours: Rounds, floor: Rounds) -> dict[str, float]:
    shares = [one / other for one, other in zip(ours.rates, floor.rates, strict=True)]
    return {
        "rounds": len(shares),
        "moves_a_second": round(statistics.median(ours.rates), 1),
        "floor_moves_a_second": round(statistics.median(floor.rates), 1),
        "share": round(statistics.median(shares), 3),
        "share_least": round(min(shares), 3),
        "share_most": round(max(shares), 3),
        "p50_ms": ours.quantile_ms(50),
        "p99_ms": ours.quantile_ms(99),
        "p99_by_p50": round(ours.quantile_ms(99) / ours.quantile_ms(50), 2),
        "floor_p50_ms": floor.quantile_ms(50),
        "floor_p99_ms": floor.quantile_ms(99),
        "floor_p99_by_p50": round(floor.quantile_ms(99) / floor.quantile_ms(50), 2),
    }


def _round(
    matches: Matches, ports: Mapping[str, int], clients: int, moves: int
) -> list[tuple[float, list[float]]]:
    """Moves a second and the waits, of the service and of the floor."""
    found = []
    for place, application in enumerate((SERVICE, FLOOR)):
        asked = [(paths[place], body) for paths, body in matches.waiting(clients * moves)]
        found.append(_sent(ports[application], clients, asked))
    return found


def _sent(
    port: int, clients: int, requests: Sequence[tuple[str, bytes]]
) -> tuple[float, list[float]]:
    """Posts moves (path and body) over so many connections; moves a second, the wait for each."""
    waits: list[float] = []
    failed: list[int] = []
    left = iter(requests)

    def play() -> None:
        connection = HTTPConnection("127.0.0.1", port)
        for path, body in left:
            before = time.perf_counter()
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            waits.append(time.perf_counter() - before)
            if answer.status != 200:
                failed.append(answer.status)
        connection.close()

    players = [threading.Thread(target=play) for _ in range(clients)]
    begun = time.perf_counter()
    for player in players:
        player.start()
    for player in players:
        player.join()
    spent = time.perf_counter() - begun
    if failed or len(waits) < len(requests):
        raise OSError(f"{len(failed)} of {len(requests)} moves were refused: {set(failed)}")
    return len(waits) / spent, waits
