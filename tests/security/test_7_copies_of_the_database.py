"""Threats 7.1 to 7.4: whoever has a copy of the database reads it, and gets in nowhere."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

from flask.testing import FlaskClient
from sqlalchemy import inspect, literal_column, table
from sqlalchemy import select as select_rows
from sqlmodel import select

from pbem import fitness
from pbem.acts import demo
from pbem.config import load_settings
from pbem.running.supervisor import Home
from pbem.service import open_service
from pbem.store import links
from pbem.store.keys import Keys
from pbem.store.models import Link
from pbem.store.names import DOORS, Purpose
from tests.web.conftest import world_of
from tests.web.house import WebHouse

#: Where a door's forms go, if not to the link itself.
POSTS = {"t": "/confirm", "h": "/apply"}


def test_a_dump_of_either_database_holds_no_key_and_no_link(any_web: WebHouse) -> None:
    """Threat 7.1: after a lobby, a match, a demo, mails and a login."""
    web = any_web
    web.open(confirmed=False)
    web.play_on(web.running(), plies=12)
    client = web.app.test_client()
    web.log_in(client)
    client.post("/home", data={"email": "alice@example.org"})
    cookie = client.get_cookie("pbem_operator")
    assert cookie is not None

    dump = everything(web)

    keys = web.service.keys
    derived = [
        key for purpose in [*Purpose, "session", "return-path"] for key in keys.of(str(purpose))
    ]
    for key in (*keys.main, *derived):
        assert key not in dump
        assert key.hex().encode() not in dump
    with web.service.database.read() as session:
        rows = session.exec(select(Link)).all()
    assert len(rows) > 15
    for row in rows:
        assert links.token(keys, row).partition("-")[2].encode() not in dump
    assert cookie.value.encode() not in dump


def everything(web: WebHouse) -> bytes:
    """Every value of every row of every table, but for the mailbox that stands for a relay."""
    parts = []
    with web.service.database.engine.connect() as connection:
        names = inspect(connection).get_table_names()
        assert len(names) > 10
        for name in names:
            if name == "received_mail":
                continue
            rows = select_rows(literal_column("*")).select_from(table(name))
            for row in connection.execute(rows):
                parts += [
                    value if isinstance(value, bytes) else str(value).encode() for value in row
                ]
    return b"\n".join(parts)


def test_links_made_from_a_copy_open_nothing_at_the_service(
    web: WebHouse, client: FlaskClient, tmp_path: Path
) -> None:
    """Threat 7.1: every link of the copy, signed with a key of the thief's own, at its own door."""
    match = web.play_on(web.running(), plies=6)
    before = web.dump()
    with world_of(web, tmp_path / "copy.sqlite3") as copy:
        thief = WebHouse(replace(copy.service, keys=Keys((b"t" * 32,))))
        with thief.service.database.read() as session:
            rows = [row for row in session.exec(select(Link)).all() if row.purpose in DOORS]
        doors = [f"/{DOORS[Purpose(row.purpose)]}/{thief.token(row)}" for row in rows]
        turn = thief.turn_path(match, thief.waiting(match)[0])
        at_home = thief.app.test_client().get(turn)

    answers = [client.get(door) for door in doors]
    answers += [
        client.post(door + POSTS.get(door[1], ""), data={"do": "mail", "sure": "yes"})
        for door in doors
    ]

    # what is refused is the key: with the copy beside it the same link opens
    assert at_home.status_code == 200
    assert turn in doors
    assert {answer.status_code for answer in answers} == {404}
    assert web.dump() == before


def test_a_copy_alone_shows_every_hand_and_the_seed(web: WebHouse, tmp_path: Path) -> None:
    """Threat 7.2: nothing is encrypted in the database, and this page must not say otherwise."""
    match = web.running()

    with world_of(web, tmp_path / "copy.sqlite3") as copy:
        read = copy.table(match)

    assert read.state.hands == web.table(match).state.hands
    assert read.match.seed == web.match(match.id).seed
    assert {seat.email for seat in read.seats} >= {"alice@example.org", "bob@example.org"}


def test_another_user_of_the_machine_can_open_none_of_the_files(tmp_path: Path) -> None:
    """Threat 7.4: in a home that everybody may enter. To hold a lock it is enough to read it."""
    tmp_path.chmod(0o755)
    settings = load_settings(home=tmp_path)
    umask = os.umask(0o022)
    try:
        Home(tmp_path).release()
        fitness.migrate(settings)
        service = open_service(settings)
        demo.seed(service)
        open_to = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
        service.database.close()
    finally:
        os.umask(umask)

    assert {"pbem.sqlite3-lock", "pbem.sqlite3-wal", "secrets.toml", "up.lock"} < set(open_to)
    assert {name: oct(mode) for name, mode in open_to.items() if mode & 0o077} == {}
