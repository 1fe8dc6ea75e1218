"""Parts of the machine go away: the broker, the database, the room on the disk."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from pbem import create_app, failpoints
from pbem.config import load_settings
from pbem.errors import NotInOrder
from pbem.running import backup, doctor
from pbem.running.doorbell import bell
from pbem.running.heartbeats import readiness
from pbem.store import db
from pbem.store.db import Database
from pbem.store.keys import new_key
from tests.acceptance.people import Player, Up, wait_for
from tests.faults.forks import PROCESSES
from tests.faults.invariants import Acknowledged, check
from tests.faults.soak.disk import SmallDisk
from tests.parts.cast import House
from tests.parts.postfix_server import ONLY_ROOT
from tests.parts.postgres_server import PostgresServer
from tests.parts.redis_server import RedisServer
from tests.web.conftest import web_service
from tests.web.house import WebHouse, matches_of

#: The number of the user that owns nothing.
NOBODY = 65534


def web_house(home: Path, url: str, **over: object) -> WebHouse:
    service = web_service(home, url, **over)
    return WebHouse(service)


# --- the broker ---


@pytest.fixture
def belled(tmp_path: Path, sqlite_url: str, redis_server: RedisServer) -> Iterator[House]:
    """A house whose acts ring a real bell; nobody listens to it but the sweep."""
    service = web_service(tmp_path, sqlite_url, broker_url=redis_server.url)
    yield House(replace(service, ring=bell(service.settings)))
    service.database.close()


@pytest.mark.redis
@pytest.mark.parametrize("trouble", ["kill", "flush", "stop"])
def test_without_the_broker_moves_are_taken_and_the_sweep_does_the_rest(
    trouble: str, belled: House, redis_server: RedisServer
) -> None:
    match = belled.running()
    for seat in (0, 1):
        belled.play(match, seat)

    getattr(redis_server, trouble)()
    for seat in (2, 3):
        belled.play(match, seat)
    belled.wait(hours=1)

    check(belled.service)
    # it went on past the exchange; if nobody can play it is over at once, and the next one comes
    assert belled.table(match).match.ply >= 4
    assert belled.waiting(match)


# --- PostgreSQL ---


def restart(server: PostgresServer) -> None:
    server.stop_own_process()
    server.start_own_process()


@pytest.mark.postgres
@pytest.mark.parametrize("place", ["submit.before_commit", "submit.after_commit"])
def test_postgresql_is_restarted_around_the_commit_and_the_client_asks_again(
    place: str,
    tmp_path: Path,
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After the commit, its answer is lost with the connection: nobody knows whether it counts."""
    if postgres_server.folder is None:
        pytest.skip("PBEM_TEST_DATABASE_URL names a server that is not ours to restart")
    house = web_house(tmp_path, postgres_url)
    match = house.running()
    client, path, order = house.app.test_client(), house.turn_path(match, 0), ""
    order = house.orders(match, 0)[0]
    restarted: list[str] = []

    def pass_by(passing: str) -> None:
        if passing == place and not restarted:
            restarted.append(passing)
            restart(postgres_server)
            if passing.endswith("after_commit"):
                raise OperationalError("COMMIT", {}, Exception("server closed the connection"))

    monkeypatch.setattr(failpoints, "pass_by", pass_by)
    asked = {"order": order, "submission": "one"}
    first, again, third = (client.post(path, json=asked) for _ in range(3))

    assert restarted
    assert first.status_code == 503
    assert first.headers["Retry-After"]
    assert (again.status_code, third.status_code) == (200, 200)
    assert again.data == third.data
    house.work()
    told = again.get_json()
    check(house.service, [Acknowledged("one", told["ply"], told["order"])])
    assert house.match(match.id).ply == 1
    house.service.database.close()


@pytest.fixture
def freezing(postgres_server: PostgresServer) -> PostgresServer:
    """A server whose processes can be stopped."""
    if postgres_server.folder is None or not sys.platform.startswith("linux"):
        pytest.skip("it takes Linux, and a server of our own")
    return postgres_server


@pytest.fixture
def impatient(tmp_path: Path, postgres_url: str) -> Iterator[WebHouse]:
    """A house on PostgreSQL that waits for four seconds where the service waits for thirty."""
    service = web_service(tmp_path, postgres_url)
    service.database.close()
    with closing(Database(postgres_url, patience=4)) as database:
        yield WebHouse(replace(service, database=database))


@pytest.mark.postgres
def test_while_postgresql_keeps_still_pages_are_busy_and_then_all_goes_on(
    freezing: PostgresServer, impatient: WebHouse
) -> None:
    match = impatient.running()
    path, order = impatient.turn_path(match, 0), impatient.orders(match, 0)[0]
    asked, client = {"order": order, "submission": "one"}, impatient.app.test_client()

    with freezing.frozen():
        looked, posted = client.get(path), client.post(path, json=asked)
    then = client.post(path, json=asked)

    assert (looked.status_code, posted.status_code, then.status_code) == (503, 503, 200)
    assert looked.headers["Retry-After"]
    assert impatient.match(match.id).ply == 1


@pytest.mark.postgres
def test_postgresql_keeps_still_at_a_commit_and_the_client_asks_again(
    freezing: PostgresServer, impatient: WebHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It commits when it goes on; whoever waited has gone."""
    match = impatient.running()
    path, order = impatient.turn_path(match, 0), impatient.orders(match, 0)[0]
    asked, client = {"order": order, "submission": "one"}, impatient.app.test_client()
    with ExitStack() as held:

        def pass_by(passing: str) -> None:
            if passing == "submit.before_commit":
                held.enter_context(freezing.frozen())

        monkeypatch.setattr(failpoints, "pass_by", pass_by)
        first = client.post(path, json=asked)
        monkeypatch.undo()
    again, third = client.post(path, json=asked), client.post(path, json=asked)

    assert (first.status_code, again.status_code, third.status_code) == (503, 200, 200)
    assert again.data == third.data
    impatient.work()
    told = again.get_json()
    check(impatient.service, [Acknowledged("one", told["ply"], told["order"])])
    assert impatient.match(match.id).ply == 1


@pytest.mark.postgres
@pytest.mark.redis
def test_readyz_and_doctor_say_that_postgresql_keeps_still(
    freezing: PostgresServer, impatient: WebHouse, redis_url: str
) -> None:
    impatient.running()
    settings = impatient.service.settings.model_copy(update={"broker_url": redis_url})

    with freezing.frozen():
        told = readiness(settings)["parts"]["database"]
        (found,) = doctor.check_database(settings)

    assert not told["up"]
    assert "does not answer" in told["why"]
    assert found.state == "wrong"
    assert "does not answer" in found.found


#: What is done to a database of PostgreSQL, and what heals it.
ILLS = {
    "it takes no writes": (
        ['ALTER DATABASE "{name}" SET default_transaction_read_only = on'],
        ['ALTER DATABASE "{name}" RESET default_transaction_read_only'],
    ),
    "a right is gone": (
        [
            'CREATE ROLE "weak_{name}"',
            'GRANT ALL ON ALL TABLES IN SCHEMA public TO "weak_{name}"',
            'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO "weak_{name}"',
            'REVOKE INSERT ON ply, outbox FROM "weak_{name}"',
            'ALTER DATABASE "{name}" SET role = "weak_{name}"',
        ],
        [
            'ALTER DATABASE "{name}" RESET role',
            'DROP OWNED BY "weak_{name}"',
            'DROP ROLE "weak_{name}"',
        ],
    ),
    "a column has another name": (
        [f"ALTER TABLE {table} RENAME COLUMN match_id TO other" for table in ("ply", "outbox")],
        [f"ALTER TABLE {table} RENAME COLUMN other TO match_id" for table in ("ply", "outbox")],
    ),
}

#: What /readyz and the doctor say to each; tables are known by their version alone.
SAID = {
    "it takes no writes": "PostgreSQL takes no writes",
    "a right is gone": "may not read and write all tables: outbox, ply",
    "a column has another name": "",
}


def what_is_said(house: WebHouse) -> tuple[str, str]:
    """What /readyz and the doctor say is wrong with the database."""
    settings = house.service.settings
    told = readiness(settings)["parts"]["database"].get("why", "")
    wrong = [found for found in doctor.check_database(settings) if found.state == "wrong"]
    return told, " ".join(f"{found.found} {found.advice}" for found in wrong)


@contextmanager
def ill(house: WebHouse, what: str) -> Iterator[None]:
    """Inside the block the house's database, of PostgreSQL, is ill."""
    url = house.service.database.url
    name = make_url(url).database

    def run(statements: list[str]) -> None:
        # what is set for a database counts from the next connection
        house.service.database.close()
        plain = url.replace("postgresql+psycopg://", "postgresql://")
        able = "-c default_transaction_read_only=off -c role=none"
        with psycopg.connect(plain, options=able, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.format(name=name))

    falls, heals = ILLS[what]
    run(falls)
    try:
        yield
    finally:
        run(heals)


@pytest.mark.postgres
@pytest.mark.parametrize("what", ILLS)
def test_a_database_that_refuses_is_said_to_be_busy_and_no_match_is_blamed(
    what: str, tmp_path: Path, postgres_url: str
) -> None:
    """After three failures of its own a match would be set aside."""
    house = web_house(tmp_path, postgres_url)
    match, client = house.running(), house.app.test_client()
    path, order = house.turn_path(match, 0), house.orders(match, 0)[0]
    asked = {"order": order, "submission": "one"}
    due = house.open()

    with ill(house, what):
        full = client.post(path, json=asked)
        told, found = what_is_said(house)
        with pytest.raises(OperationalError):
            house.work()
    failures = house.match(due.id).advance_failures
    again = client.post(path, json=asked)
    # whoever took it on has its lease
    house.wait(hours=1)

    assert (full.status_code, again.status_code, failures) == (503, 200, 0)
    assert full.get_json()["error"]["code"] == "busy"
    assert house.waiting(house.match(due.id))
    assert SAID[what] in told
    assert SAID[what] in found
    check(house.service, [Acknowledged("one", again.get_json()["ply"], order)])
    house.service.database.close()


# --- a file that cannot be written ---


@contextmanager
def not_to_be_written(*files: Path) -> Iterator[None]:
    """Inside the block nobody can write the files, not even root."""
    before = os.getresuid()
    for file in files:
        file.chmod(0o444)
    if os.geteuid() == 0:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if os.getresuid() != before:
            os.setresuid(*before)
        for file in files:
            file.chmod(0o644)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody reaches."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


def test_a_file_that_could_not_be_written_for_a_while_is_written_again(open_folder: Path) -> None:
    """SQLite opens it to be read then, and a connection stays what it is."""
    file = open_folder / "pbem.sqlite3"
    db.upgrade(f"sqlite:///{file}")
    house = web_house(open_folder, f"sqlite:///{file}")
    match, client = house.running(), house.app.test_client()
    path, order = house.turn_path(match, 0), house.orders(match, 0)[0]
    asked = {"order": order, "submission": "one"}
    held = sqlite3.connect(file)
    held.execute("SELECT count(*) FROM match")
    house.service.database.close()

    with not_to_be_written(*open_folder.glob("pbem.sqlite3*")):
        looked, refused = client.get(path), client.post(path, json=asked)
        told, found = what_is_said(house)
    again = client.post(path, json=asked)

    assert "cannot be written" in told
    assert "cannot be written" in found
    assert (looked.status_code, refused.status_code, again.status_code) == (200, 503, 200)
    held.close()
    house.service.database.close()


# --- a full disk ---


def _hand_in_on_a_full_disk(home: Path, url: str, moves: list[tuple[str, str]]) -> None:
    """A web process that cannot make any file longer; later there is room again."""
    service = web_service(home, url)
    client = create_app(service).test_client()
    (path, order), *others = moves
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    # the database is opened, and its log as long as it is before the disk is full
    client.get(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, most[1]))
    full = client.post(path, json={"order": order, "submission": "one"})
    looked = client.get(path, headers={"Accept": "application/json"})
    resource.setrlimit(resource.RLIMIT_FSIZE, most)
    roomy = client.post(path, json={"order": order, "submission": "one"})
    rest = [
        client.post(other, json={"order": move, "submission": f"{number}"}).status_code
        for number, (other, move) in enumerate(others)
    ]
    well = (
        full.status_code == 503
        and "Retry-After" in full.headers
        and full.get_json()["error"]["code"] == "busy"
        and looked.status_code == 200
        and roomy.status_code == 200
        and rest == [200] * len(others)
    )
    (home / "told").write_text(f"{full.status_code} {looked.status_code} {roomy.data!r} {rest}")
    os._exit(0 if well else 3)


def test_a_full_disk_is_said_to_be_busy_and_nothing_is_broken(
    tmp_path: Path, sqlite_url: str
) -> None:
    house = web_house(tmp_path, sqlite_url)
    match = house.running()
    moves = [(house.turn_path(match, seat), house.orders(match, seat)[0]) for seat in range(4)]

    process = PROCESSES.Process(
        target=_hand_in_on_a_full_disk, args=(tmp_path, sqlite_url, moves), daemon=True
    )
    process.start()
    process.join(200)

    assert process.exitcode == 0, (tmp_path / "told").read_text()
    house.work()
    check(house.service)
    assert [ply.seat for ply in house.plies(match)][:5] == [None, 0, 1, 2, 3]
    assert integrity(house) == "ok"
    house.service.database.close()


def integrity(house: WebHouse) -> str:
    with house.service.database.engine.connect() as connection:
        return str(connection.exec_driver_sql("PRAGMA integrity_check").scalar())


def _ask_on_a_full_disk(folder: Path) -> None:
    """A service on a disk of its own, whose pages are asked for while there is no room on it."""
    disk = SmallDisk(folder)
    up = Up(folder / "home")
    try:
        match = up.open(["Alice", "bot", "bot", "bot"], confirmed=True)
        alice = Player(up, "Alice")
        wait_for(lambda: any("/t/" in x["text"] for x in alice.look()), "no turn came")
        link = alice.turn_links[0]
        move = {"order": up.get(link).json["orders"][0], "submission": "one"}
        pages = ["/", "/home", "/rules/dog", "/rules/skirmish", f"/m/{match}", link]
        disk.fill()
        looked = [up.get(page, "text/html").status for page in pages]
        full = up.post(link, move).status
        disk.free()
        again = up.post(link, move).status
        (folder.parent / "told").write_text(f"{looked} {full} {again}")
    finally:
        up.stop()


@pytest.mark.slow
@pytest.mark.redis
def test_on_a_full_disk_pages_are_shown_and_a_move_is_to_come_again(tmp_path: Path) -> None:
    """What processes write for themselves, their metrics, must not end them."""
    if os.geteuid() != 0:
        pytest.skip(f"a disk of its own: {ONLY_ROOT}")
    folder = tmp_path / "disk"
    folder.mkdir()

    process = PROCESSES.Process(target=_ask_on_a_full_disk, args=(folder,), daemon=True)
    process.start()
    process.join(200)

    assert (tmp_path / "told").read_text() == f"{[200] * 6} 503 200"
    assert process.exitcode == 0


def _restore_on_a_full_disk(folder: Path, kept: Path) -> None:
    """Puts a backup back where there is only room for it as it is, not for tables added since."""
    disk = SmallDisk(folder)
    url = f"sqlite:///{folder}/pbem.sqlite3"
    db.upgrade(url)
    house = web_house(folder, url)
    settings = house.service.settings
    house.running()
    house.service.database.close()
    disk.fill()
    disk.leave(os.path.getsize(kept.with_suffix("")))
    try:
        backup.restore(settings, kept, overwrite=True)
    except NotInOrder as error:
        drafts = [str(draft) for draft in folder.rglob("*.restoring")]
        (folder.parent / "told").write_text(f"{error} {len(matches_of(house))} {drafts}")


def test_a_restore_onto_a_full_disk_says_so_and_leaves_what_was_there(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip(f"a disk of its own: {ONLY_ROOT}")
    older, folder = tmp_path / "older", tmp_path / "disk"
    folder.mkdir()
    db.upgrade(f"sqlite:///{older}", "0020")
    before = load_settings(home=tmp_path, database_url=f"sqlite:///{older}")
    backup.make(before, older.with_suffix(".gz"))

    process = PROCESSES.Process(
        target=_restore_on_a_full_disk, args=(folder, older.with_suffix(".gz")), daemon=True
    )
    process.start()
    process.join(200)

    place = folder / "pbem.sqlite3"
    full = "cannot be written: No space left on device. Nothing was replaced."
    assert (tmp_path / "told").read_text() == f"{place} {full} 1 []"


# --- files that are mounted by themselves, as into a container ---


def _restore_over_mounts(folder: Path, kept: Path) -> None:
    """Puts a backup back where the keys are mounted, then with its keys, then over a database."""
    SmallDisk(folder)
    url = f"sqlite:///{folder}/pbem.sqlite3"
    db.upgrade(url)
    house = web_house(folder, url)
    settings = house.service.settings
    house.running()
    house.service.database.close()
    keys, told = folder / "secrets.toml", []

    def restore() -> None:
        try:
            backup.restore(settings, kept, overwrite=True)
        except NotInOrder as error:
            told.append(str(error))
        told.append(f"{len(matches_of(house))}")
        house.service.database.close()

    keys.write_text(f'keys = ["{new_key()}"]')
    _mount_by_itself(keys)
    restore()
    with tarfile.open(kept) as archive:
        archive.extract("secrets.toml", folder / "unpacked", filter="data")
    keys.write_bytes((folder / "unpacked" / "secrets.toml").read_bytes())
    restore()
    house.running()
    house.service.database.close()
    _mount_by_itself(folder / "pbem.sqlite3")
    restore()
    (folder.parent / "told").write_text("\n".join(told))


def _mount_by_itself(file: Path) -> None:
    real = file.with_name(f"mounted {file.name}")
    real.write_bytes(file.read_bytes())
    subprocess.run(["mount", "--bind", real, file], check=True)


def test_a_restore_over_files_that_are_mounted_says_so_and_replaces_nothing(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip(f"a mount of its own: {ONLY_ROOT}")
    older, folder = tmp_path / "older", tmp_path / "disk"
    folder.mkdir()
    db.upgrade(f"sqlite:///{older}")
    before = load_settings(home=tmp_path, database_url=f"sqlite:///{older}")
    before.keys()
    backup.make(before, older.with_suffix(".gz"))

    process = PROCESSES.Process(
        target=_restore_over_mounts, args=(folder, older.with_suffix(".gz")), daemon=True
    )
    process.start()
    process.join(200)

    says = "is mounted by itself and cannot be replaced. Nothing was replaced."
    write = "Write secrets.toml of the archive into it, then restore again."
    assert (tmp_path / "told").read_text().splitlines() == [
        f"{folder}/secrets.toml {says} {write}",
        "1",
        "0",
        f"{folder}/pbem.sqlite3 {says} Mount its folder: SQLite keeps files beside it.",
        "1",
    ]
