"""What a finished match and a sent mail cost in bytes: python -m tests.bench.disk [POSTGRESQL-URL]

Matches of each game are played to their end by people who hand in every move, on a SQLite database
of its own, or in the PostgreSQL database that is named, an empty one that may be filled. Every mail
that is owed is marked as taken by a relay. Bytes are those of the pages of each table with its
indexes, more than before the matches were opened: then, and when they are packed.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import event, text
from sqlmodel import func, select

from pbem.acts import matches, outbox, packing
from pbem.bench._copies import GAMES
from pbem.bench._people import Person
from pbem.bench._trial import Trial
from pbem.clock import ManualClock
from pbem.config import Settings
from pbem.mail import message_ids
from pbem.service import Service
from pbem.store import db
from pbem.store.db import Database, sqlite_path
from pbem.store.keys import Keys
from pbem.store.models import Mail

START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
MATCHES = 3
TABLES = ("submission", "ply", "turn", "link", "outbox", "audit")


def open_service(home: Path, url: str) -> Service:
    settings = Settings(home=home, database_url=url)
    db.upgrade(settings.database_url)
    # VACUUM FULL takes long
    database = Database(settings.database_url, patience=None)
    if database.is_sqlite:
        for engine in (database._writer, database._reader):
            event.listen(engine, "connect", lambda it, _: it.execute("PRAGMA synchronous = OFF"))
    entropy = random.Random("disk").randbytes
    return Service(settings, database, Keys((b"k" * 32,)), ManualClock(START), entropy=entropy)


def play(service: Service, game: str, key: str) -> str:
    """A match to its end, with all its mails sent; returns its id."""
    clock = service.clock
    assert isinstance(clock, ManualClock)
    people = [
        matches.NewSeat(name=f"Player {seat}", email=f"player{seat}@example.org")
        for seat in range(GAMES[game])
    ]
    host = matches.Person(name="Player 0", email="player0@example.org")
    new = matches.NewMatch(game=game, host=host, seats=people, confirmed=True)
    match = matches.create(service, new)
    trial = Trial(service, clock, match.id, tuple(Person(0.5) for _ in people), key)
    with service.database.read() as session:
        # mails of other matches are not its people's
        trial._heard = session.exec(select(func.max(Mail.id))).one() or 0
    trial.run(clock.now() + timedelta(days=3000))
    assert trial.is_over()
    while mails := outbox.lease_due(service, 200):
        for mail in mails:
            address = f"player{max(0, mail.seat or 0)}@example.org"
            name = message_ids.message_id(service.keys, "example.org", mail.dedupe)
            outbox.enter_doubt(service, mail, name, address)
            outbox.mark_sent(service, mail)
    return match.id


def sizes(service: Service) -> dict[str, int]:
    """Bytes of each table with its indexes."""
    file = sqlite_path(service.database.url)
    if file is not None:
        service.database.close()
        connection = sqlite3.connect(file)
        connection.execute("VACUUM")
        rows = connection.execute(
            "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat AS s "
            "JOIN sqlite_master AS m ON m.name = s.name GROUP BY m.tbl_name"
        ).fetchall()
        connection.close()
        return dict(rows)
    with service.database.engine.connect().execution_options(
        isolation_level="AUTOCOMMIT"
    ) as server:
        server.execute(text("VACUUM FULL"))
        found = server.execute(
            text(
                "SELECT relname, pg_total_relation_size(oid) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            )
        )
        return {row.relname: row.pg_total_relation_size for row in found}


def pack_all(service: Service) -> None:
    """A newer match is opened, and all the others have been over for long."""
    clock = service.clock
    assert isinstance(clock, ManualClock)
    clock.move(timedelta(days=40))
    while packing.pack_due(service, 50):
        pass


def counts(service: Service, match_id: str) -> dict[str, int]:
    """Rows of a match."""
    with service.database.read() as session:
        found = {
            name: session.execute(
                text(f"SELECT count(*) FROM {name} WHERE match_id = :id"), {"id": match_id}
            ).scalar_one()
            for name in TABLES[1:]
        }
        found["submission"] = session.execute(
            text(
                "SELECT count(*) FROM submission WHERE turn_id IN "
                "(SELECT id FROM turn WHERE match_id = :id)"
            ),
            {"id": match_id},
        ).scalar_one()
    return found


def show(title: str, now: dict[str, int], before: dict[str, int], rows: dict[str, int]) -> None:
    more = {name: now[name] - before.get(name, 0) for name in now}
    print(f"{title}: {sum(more.values()) // MATCHES:,} bytes each")
    for name, size in sorted(more.items(), key=lambda item: -item[1]):
        if size:
            count = rows.get(name)
            each = f" in {count:,} rows, {size / count:,.0f} each" if count else ""
            print(f"  {name:16} {size:>10,}{each}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", default="", help="of an empty PostgreSQL database")
    url = parser.parse_args().url
    for game in GAMES:
        with tempfile.TemporaryDirectory(prefix="pbem-disk-") as home:
            service = open_service(Path(home), url)
            play(service, "dogs-of-war", "first")
            pack_all(service)
            before = sizes(service)
            played = [play(service, game, f"{game} {number}") for number in range(MATCHES)]
            rows = {name: sum(counts(service, one)[name] for one in played) for name in TABLES}
            over = sizes(service)
            pack_all(service)
            packed = sizes(service)
            show(f"{game}, {MATCHES} matches that are over", over, before, rows)
            show(f"{game}, the same when they are packed", packed, before, {})
            service.database.close()


if __name__ == "__main__":
    main()
