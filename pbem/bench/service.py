"""The service as it runs: people play by mail, over HTTP, while workers carry their matches on.

``pbem up`` runs in a home of its own and hands its mails, with their pictures, to a relay. A client
is everybody in one match, of the games in turn; of fewer clients than games each plays several. It
waits for a mail, opens the page of the link in it as a browser does, and hands in one of the orders
that the page offers as a program does. A go ends when all is done that follows from its moves:
matches are carried on, and the relay has the mails.

In turns with it goes a floor: the least service takes as many moves, and for each of them a plain
loop with smtplib gives the relay a mail of the same size.
"""

from __future__ import annotations

import json
import queue
import random
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from smtplib import SMTP
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import aliased
from sqlmodel import col, func, select

from pbem.bench import _floor, _processes, _relay
from pbem.bench._clients import Client, Late, connected
from pbem.bench._copies import GAMES, Copies, Waiting, open_match
from pbem.bench._places import place
from pbem.bench._rounds import (
    BenchOptions,
    Figures,
    Round,
    in_turns,
    quantiles,
    shared_out,
    summary,
    timed,
    with_clients,
)
from pbem.bench._servers import Server, up, web
from pbem.mail.render import render
from pbem.service import Service
from pbem.store.models import UNPAID_MAILS, Mail, Match, Ply, Submission, Turn
from pbem.store.names import MadeBy, MailKind

#: Moves of one go: so many, or so many for each client if that is more.
MOVES, MOVES_EACH = 40, 8
#: Seconds within which the next mail must come.
PATIENCE = 60
#: Seconds without a request before processes are looked at.
QUIET = 2


def measure(asked: BenchOptions) -> Figures:
    """``summary`` of the service and of the floor, for each database and number of clients.

    Of the service also ``page_...``: how long a page takes; ``answer_...``: the answer to a move;
    ``turn_...``: from then until the next turn is open; ``mail_...``: until the relay has taken the
    mail about it; ``mails_a_second``; and ``PART_mb``: what the processes of a part need
    afterwards, besides the case ``idle`` before all others.
    """
    found: Figures = {}
    with _relay.running() as relay:
        for database in asked.databases:
            with ExitStack() as stack:
                here = stack.enter_context(place(database, asked.scratch))
                service = stack.enter_context(here.service(relay.port))
                beside = stack.enter_context(here.service())
                asked.say(f"{here.kind}: filling a database, starting the service")
                copies = Copies(service)
                copies.fill(asked.filled)
                copies.owe(asked.owed)
                server = stack.enter_context(up(service.settings))
                least = stack.enter_context(web(beside.settings, _floor.APPLICATION))
                floor = _Floor(
                    least, Copies(beside), relay, [_a_mail(beside, game) for game in GAMES]
                )
                ours = [server.process, *here.processes]
                theirs = [least.process, *here.processes]
                found[f"{here.kind}, idle"] = _memory(server)
                # whoever comes first meets processes that have not drawn any board yet
                most = max(asked.clients)
                first = _People(service, server, relay, most)
                first.play(_moves(most), ours)
                first.leave()
                for clients in asked.clients:
                    case = with_clients(here.kind, clients)
                    moves = _moves(clients)
                    people = _People(service, server, relay, clients, asked.thinking)
                    goes = {
                        "service": partial(people.play, moves, ours),
                        "least": partial(floor.take, clients, moves, theirs),
                    }
                    taken = in_turns(asked, case, goes)
                    people.leave()
                    figures = summary(taken["service"], taken["least"]) | people.figures()
                    found[f"{case}: service"] = figures | _memory(server)
                    found[f"{case}: least"] = summary(taken["least"])
    return found


def _moves(clients: int) -> int:
    """How many one go has."""
    return max(MOVES, MOVES_EACH * clients)


# --- people ---


class _Player:
    """Everybody in one match of some games: opens what comes by mail, and plays."""

    def __init__(
        self, name: str, games: Sequence[str], port: int, thinking: float, chance: random.Random
    ) -> None:
        self.service, self._thinking = Client(port), thinking
        self._name, self._games, self._chance = name, games, chance
        #: By their games.
        self._matches: dict[str, str] = {}
        #: Links of turns to look at; "" for a mail that asks for nothing.
        self.inbox: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.pages: list[float] = []
        self.answers: list[float] = []
        #: When moves were answered, by the id of their turn and their submission.
        self.answered: dict[tuple[int, str], float] = {}

    def open_matches(self) -> None:
        """Opens a match of each of its games, unless one is being played."""
        for game in self._games:
            if game in self._matches and not self._is_over(self._matches[game]):
                continue
            people = [
                {"name": f"P{seat}", "email": f"{self._name}.{game}.{seat}@example.org"}
                for seat in range(GAMES[game])
            ]
            everybody = [{**person, "confirmed": True} for person in people]
            new = {"game": game, "host": people[0], "seats": everybody}
            self._matches[game] = json.loads(self.service.post("/api/matches", new))["match"]

    def _is_over(self, match_id: str) -> bool:
        return json.loads(self.service.get(f"/m/{match_id}"))["outcome"] is not None

    def move(self, _job: object) -> None:
        """One move, as soon as somebody is asked for one."""
        while True:
            link = self.inbox.get(timeout=PATIENCE)
            if not link:
                self.open_matches()
                continue
            asked = json.loads(self.service.get(link))
            if asked["status"] == "open" and self._answer(link, asked):
                return

    def _answer(self, link: str, asked: dict[str, Any]) -> bool:
        """Opens the page and hands in a move; whether it was taken."""
        begun = time.perf_counter()
        self.service.get(link, "text/html")
        self.pages.append(time.perf_counter() - begun)
        time.sleep(self._thinking * self._chance.uniform(0.5, 1.5))
        order, submission = self._chance.choice(asked["example_orders"]), f"{asked['ply']}"
        begun = time.perf_counter()
        try:
            self.service.post(link, {"order": order, "submission": submission})
        except Late:
            # the workers were still carrying the match on
            return False
        self.answers.append(time.perf_counter() - begun)
        self.answered[asked["turn"], submission] = time.time()
        # the same turn may ask for more, after those of the other matches
        self.inbox.put(link)
        return True


class _People:
    """So many players at the service, and what they had to wait for."""

    def __init__(
        self,
        service: Service,
        server: Server,
        relay: _relay.Relay,
        clients: int,
        thinking: float = 0.0,
    ) -> None:
        self._service, self._relay = service, relay
        case = secrets.token_hex(4)
        # each game at least once, each client with at least one
        games = list(islice(cycle(GAMES), max(clients, len(GAMES))))
        self._players = {
            f"p{case}.{number}": _Player(
                f"p{case}.{number}",
                games[number::clients],
                server.port,
                thinking,
                random.Random(number),
            )
            for number in range(clients)
        }
        self._mails, self._seconds = 0, 0.0
        #: From the answer to a move to the next turn, and to its mail.
        self._turns: list[float] = []
        self._sent: list[float] = []
        relay.hear = self._hear
        for player in self._players.values():
            player.open_matches()
        self._wait_for_the_workers()
        self._seen = self._newest_mail()

    def _hear(self, address: str, link: str) -> None:
        name = ".".join(address.split(".")[:2])
        if name in self._players:
            self._players[name].inbox.put(link)

    def play(self, moves: int, servers: Sequence[int]) -> Round:
        """One go."""
        before = self._relay.taken
        found = timed(lambda: self._play(moves), servers, [self._relay.process])
        self._mails += self._relay.taken - before
        self._seconds += found.seconds
        self._look_back()
        return found

    def _play(self, moves: int) -> list[float]:
        free = iter(list(self._players.values()))
        waits = shared_out(range(moves), len(self._players), lambda: nullcontext(next(free).move))
        self._wait_for_the_workers()
        return waits

    def _wait_for_the_workers(self) -> None:
        """Until everything is done that follows from what was done so far."""
        to_advance = select(Match.id).where(
            col(Match.advance_due_at).is_not(None), col(Match.set_aside_at).is_(None)
        )
        to_send = select(Mail.id).where(Mail.kind == MailKind.YOUR_TURN, text(UNPAID_MAILS))
        until = time.monotonic() + PATIENCE
        while True:
            with self._service.database.read() as session:
                if not any(session.exec(one.limit(1)).first() for one in (to_advance, to_send)):
                    return
            if time.monotonic() > until:
                raise OSError("The workers do not get done what is due.")
            time.sleep(0.02)

    def _newest_mail(self) -> int:
        with self._service.database.read() as session:
            return session.exec(select(func.max(Mail.id))).one() or 0

    def _look_back(self) -> None:
        """Notes, for each turn of the last go, how long after the answer to the move that led to it
        it was open, and its mail was sent. One that was open before the answer came took no time.
        """
        last = (
            select(func.max(Ply.ply))
            .where(
                Ply.match_id == Turn.match_id,
                Ply.made_by == MadeBy.LINK,
                Ply.ply <= Turn.opened_ply,
            )
            .scalar_subquery()
        )
        before = aliased(Turn)
        about = (
            select(Turn.opened_at, Mail.sent_at, Submission.turn_id, Submission.key)
            .join(Mail, col(Mail.turn_id) == col(Turn.id))
            .join(before, col(before.match_id) == col(Turn.match_id))
            .join(
                Submission,
                (col(Submission.turn_id) == col(before.id)) & (col(Submission.ply) == last),
            )
            .where(col(Mail.id) > self._seen, Mail.kind == MailKind.YOUR_TURN)
        )
        answered = {
            move: at for player in self._players.values() for move, at in player.answered.items()
        }
        with self._service.database.read() as session:
            rows = session.exec(about).all()
        self._seen = self._newest_mail()
        for opened_at, sent_at, turn_id, submission in rows:
            at = answered[turn_id, submission]
            self._turns.append(max(0.0, opened_at.timestamp() - at))
            if sent_at is not None:
                self._sent.append(max(0.0, sent_at.timestamp() - at))

    def figures(self) -> dict[str, float]:
        players = self._players.values()
        return {
            **quantiles("page_", [wait for player in players for wait in player.pages]),
            **quantiles("answer_", [wait for player in players for wait in player.answers]),
            **quantiles("turn_", self._turns),
            **quantiles("mail_", self._sent),
            "mails_a_second": round(self._mails / self._seconds, 1),
        }

    def leave(self) -> None:
        for player in self._players.values():
            player.service.close()


def _memory(server: Server) -> dict[str, float]:
    """Megabytes of each part of the service, after a while without a request; ``all_mb``."""
    time.sleep(QUIET)
    sizes = defaultdict[str, float](float)
    for process in _processes.family(server.process):
        log = _processes.log_of(process)
        part = log.stem if log and log.parent.name == "log" else "supervisor"
        sizes[part] += _processes.megabytes(process)
    sizes["all"] = sum(sizes.values())
    return {f"{part}_mb": round(size, 1) for part, size in sizes.items() if size}


# --- the floor ---


@dataclass(frozen=True)
class _Floor:
    """The least service with a database of its own, and a plain loop that sends mails."""

    server: Server
    copies: Copies
    relay: _relay.Relay
    #: A mail of each game, as the service makes it.
    mails: Sequence[bytes]

    def take(self, clients: int, moves: int, servers: Sequence[int]) -> Round:
        """One go."""
        jobs = list(zip(self.copies.waiting(moves), cycle(self.mails), strict=False))

        @contextmanager
        def client() -> Iterator[Callable[[tuple[Waiting, bytes]], None]]:
            with connected(self.server.port) as to, SMTP("127.0.0.1", self.relay.port) as relay:

                def take(job: tuple[Waiting, bytes]) -> None:
                    copy, mail = job
                    to.post(f"/t/{copy.number}", copy.move)
                    relay.sendmail("pbem@example.org", ["somebody@example.org"], mail)

                yield take

        return timed(lambda: shared_out(jobs, clients, client), servers, [self.relay.process])


def _a_mail(service: Service, game: str) -> bytes:
    """The first turn mail of a match."""
    match_id = open_match(service, game)
    with service.database.read() as session:
        mail = session.exec(
            select(Mail).where(Mail.match_id == match_id, Mail.kind == MailKind.YOUR_TURN).limit(1)
        ).one()
    return render(service, mail).content
