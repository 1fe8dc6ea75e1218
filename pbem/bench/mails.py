"""What a turn mail costs: from the row in the outbox to its bytes, in matches that are played on.

Each mail that falls due is made as the mailer makes it, with its picture, but not sent. The first
mails of a match, for which its board is drawn, count as the others do.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from sqlmodel import col, select

from pbem.acts import advance, matches, turns
from pbem.bench.turns import open_link, scratch_service
from pbem.looks import match_look
from pbem.mail.render import render
from pbem.service import Service
from pbem.store.models import Link, Mail
from pbem.store.names import Actor, MailKind

#: Each game with its usual number of players.
GAMES = {"dog": 4, "dogs-of-war": 4, "skirmish": 2}
PEOPLE = ("Alice", "Bob", "Carol", "Dave")


def measure(scratch: Path, seconds: float) -> dict[str, float]:
    """For each game ``GAME_mail_p50_ms`` and ``_p90_ms`` of processor time, and ``_mail_kb``.

    The games take turns, so that what else the machine does meets all of them.
    """
    service = scratch_service(scratch)
    made: dict[str, list[tuple[float, int]]] = {game: [] for game in GAMES}
    running = {game: _mails(service, game) for game in GAMES}
    begun = time.perf_counter()
    while not all(made.values()) or time.perf_counter() - begun < seconds:
        for game, mails in running.items():
            made[game].append(_made(service, next(mails)))
    service.database.close()
    figures: dict[str, float] = {}
    for game, each in made.items():
        name, spent = game.replace("-", "_"), sorted(ms for ms, _ in each)
        figures[f"{name}_mails"] = len(each)
        figures[f"{name}_mail_p50_ms"] = round(median(spent), 1)
        figures[f"{name}_mail_p90_ms"] = round(spent[len(spent) * 9 // 10], 1)
        figures[f"{name}_mail_kb"] = round(median(weight for _, weight in each) / 1000)
    return figures


def _made(service: Service, mail: Mail) -> tuple[float, int]:
    """Milliseconds of processor time that the mail takes, and its bytes."""
    before = time.process_time()
    content = render(service, mail).content
    return 1000 * (time.process_time() - before), len(content)


def _mails(service: Service, game: str) -> Iterator[Mail]:
    """The turn mails of one match after another, each while its turn is open."""
    while True:
        match_id = _opened(service, game)
        heard = 0
        while link := open_link(service, match_id):
            with service.database.read() as session:
                mails = session.exec(
                    select(Mail)
                    .where(
                        Mail.match_id == match_id,
                        Mail.kind == MailKind.YOUR_TURN,
                        col(Mail.id) > heard,
                    )
                    .order_by(col(Mail.id))
                ).all()
            for mail in mails:
                heard = mail.id or heard
                yield mail
            _play(service, link)


def _opened(service: Service, game: str) -> str:
    people = PEOPLE[: GAMES[game]]
    match = matches.create(
        service,
        matches.NewMatch(
            game=game,
            host=matches.Person(name="Alice", email="alice@example.org"),
            seats=[
                matches.NewSeat(name=name, email=f"{name.lower()}@example.org", confirmed=True)
                for name in people
            ],
        ),
        actor=Actor.SERVICE,
    )
    while advance.advance(service, match.id):
        pass
    return match.id


def _play(service: Service, link: Link) -> None:
    """One of the orders that the page gives as examples, each in its turn."""
    look = match_look.turn(service, link)
    ply = look.table.match.ply
    order = look.example_orders[ply % len(look.example_orders)]
    turns.submit(service, link, order, f"{link.match_id} {ply}")
    while advance.advance(service, link.match_id):
        pass
