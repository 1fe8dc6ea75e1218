"""A backup holds all that is needed to live again, and a restore destroys nothing unasked."""

from __future__ import annotations

import os
import re
import resource
import sqlite3
import stat
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from pbem.acts import demo
from pbem.cli import main
from pbem.config import Settings, load_settings
from pbem.fitness import NotFit
from pbem.running import backup
from pbem.running.backup import BackupError
from pbem.running.heartbeats import Heart
from pbem.service import open_service
from pbem.store.db import newest_revision, revision_of, upgrade
from tests.parts.postgres_server import PostgresServer
from tests.running.backups import made_up, matches, needs_pg_dump, with_a_match


def test_what_was_kept_lives_again_with_the_same_links(tmp_path: Path, sqlite_url: str) -> None:
    settings, link = with_a_match(tmp_path / "old", sqlite_url)
    backup.make(settings, tmp_path / "kept.tar.gz")

    new = load_settings(home=tmp_path / "new")
    backup.restore(new, tmp_path / "kept.tar.gz")
    service = open_service(new)

    assert matches(new) == 1
    assert demo.seed(service) == link
    service.database.close()


def test_keys_are_put_back_into_a_folder_that_is_not_there_yet(
    tmp_path: Path, sqlite_url: str
) -> None:
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    backup.make(settings, tmp_path / "kept.tar.gz")

    new = load_settings(home=tmp_path / "new", secrets_file=tmp_path / "safe/secrets.toml")
    backup.restore(new, tmp_path / "kept.tar.gz")

    assert new.keys() == settings.keys()


@pytest.mark.postgres
def test_what_was_kept_of_postgresql_lives_again_in_another_database(
    tmp_path: Path, postgres_url: str, postgres_server: PostgresServer
) -> None:
    needs_pg_dump()
    settings, link = with_a_match(tmp_path / "old", postgres_url)
    backup.make(settings, tmp_path / "kept.tar.gz")

    with postgres_server.database() as other:
        new = load_settings(home=tmp_path / "new", database_url=other)
        with pytest.raises(BackupError, match="has tables already"):
            backup.restore(new, tmp_path / "kept.tar.gz")
        backup.restore(new, tmp_path / "kept.tar.gz", overwrite=True)
        service = open_service(new)
        assert matches(new) == 1
        assert demo.seed(service) == link
        service.database.close()


@pytest.mark.postgres
def test_a_backup_from_before_an_upgrade_replaces_tables_that_came_with_it(
    tmp_path: Path, postgres_url: str, postgres_server: PostgresServer
) -> None:
    needs_pg_dump()
    with postgres_server.database(empty=True) as older:
        upgrade(older, "0020")
        before = load_settings(home=tmp_path / "before", database_url=older)
        backup.make(before, tmp_path / "before.tar.gz")
    settings, _ = with_a_match(tmp_path / "home", postgres_url)

    backup.restore(settings, tmp_path / "before.tar.gz", overwrite=True)

    assert matches(settings) == 0
    assert revision_of(settings.database_url) == newest_revision()


def dumped(settings: Settings, folder: Path) -> bytes:
    """What pg_dump makes of a database."""
    file = folder / "other.dump"
    backup._run_pg("pg_dump", settings, "--format=custom", f"--file={file}")
    return file.read_bytes()


def execute(url: str, *statements: str) -> None:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


def tables_of(url: str) -> set[str]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {name for (name,) in found}


@pytest.mark.postgres
@pytest.mark.parametrize("kept", ["none", "empty", "another's", "older", "newer"])
def test_a_dump_that_is_not_what_its_manifest_says_replaces_nothing(
    tmp_path: Path, postgres_url: str, postgres_server: PostgresServer, kept: str
) -> None:
    needs_pg_dump()
    settings, _ = with_a_match(tmp_path / "home", postgres_url)
    files = {"none": {}, "empty": {"database.dump": b""}}.get(kept)
    if files is None:
        with postgres_server.database(empty=True) as other:
            execute(other, "CREATE TABLE one (two INTEGER)")
            if kept != "another's":
                version = {"older": "0020", "newer": "9999"}[kept]
                execute(
                    other,
                    "CREATE TABLE alembic_version (version_num VARCHAR(32))",
                    f"INSERT INTO alembic_version VALUES ('{version}')",
                )
            there = load_settings(home=tmp_path, database_url=other)
            files = {"database.dump": dumped(there, tmp_path)}
    newest = newest_revision()
    bad = made_up(tmp_path / "bad.tar.gz", files, database="postgresql", revision=newest)
    before = tables_of(postgres_url)

    with pytest.raises(BackupError, match=r"pg_restore failed|is not one of pbem at"):
        backup.restore(settings, bad, overwrite=True)

    assert tables_of(postgres_url) == before
    assert matches(settings) == 1


@pytest.mark.postgres
def test_tables_of_somebody_else_are_not_replaced_by_ours_of_the_same_name(
    tmp_path: Path, postgres_url: str, postgres_server: PostgresServer
) -> None:
    needs_pg_dump()
    settings, _ = with_a_match(tmp_path / "old", postgres_url)
    backup.make(settings, tmp_path / "kept.tar.gz")

    with postgres_server.database(empty=True) as other:
        execute(other, "CREATE TABLE heartbeat (of_another_program INTEGER)")
        new = load_settings(home=tmp_path / "new", database_url=other)
        with pytest.raises(BackupError, match='relation "heartbeat" already exists'):
            backup.restore(new, tmp_path / "kept.tar.gz")

        assert tables_of(other) == {"heartbeat"}


#: Every sign that means something else in a URL.
HARD_PASSWORD = "p@ss/w%rd:41?x#y z"


@pytest.fixture
def commands_of_pg(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What other users of the machine could read in the list of processes."""
    started: list[str] = []
    run = subprocess.run

    def noting(command: Any, **named: Any) -> Any:
        started.append(" ".join(map(str, command)))
        return run(command, **named)

    monkeypatch.setattr(subprocess, "run", noting)
    return started


@pytest.mark.postgres
def test_a_database_behind_a_password_is_kept_and_put_back(
    tmp_path: Path, postgres_server: PostgresServer, commands_of_pg: list[str]
) -> None:
    needs_pg_dump()
    if postgres_server.folder is None:
        pytest.skip("PostgreSQL: only a server of our own can be told to ask for a password")
    with postgres_server.behind_a_password(HARD_PASSWORD) as url:
        with pytest.raises(OperationalError, match="password"):
            matches(load_settings(home=tmp_path, database_url=re.sub(r":[^/:@]*@", ":no@", url)))
        settings, _ = with_a_match(tmp_path / "old", url)

        backup.make(settings, tmp_path / "kept.tar.gz")
        with postgres_server.database() as other:
            elsewhere = url.replace(make_url(url).database or "", make_url(other).database or "")
            new = load_settings(home=tmp_path / "new", database_url=elsewhere)
            backup.restore(new, tmp_path / "kept.tar.gz", overwrite=True)
            assert matches(new) == 1

    assert [command.split()[0].rpartition("/")[2] for command in commands_of_pg] == [
        "pg_dump",
        "pg_restore",
        "psql",
    ]
    assert not any("p@ss" in unquote(command) for command in commands_of_pg)


def test_a_program_of_postgresql_that_fails_does_not_tell_the_password(tmp_path: Path) -> None:
    needs_pg_dump()
    url = f"postgresql://pbem:{quote(HARD_PASSWORD, safe='')}@127.0.0.1:1/pbem"

    with pytest.raises(BackupError) as refused:
        backup._run_pg("pg_dump", load_settings(home=tmp_path, database_url=url))

    assert "Connection refused" in str(refused.value)
    assert "p@ss" not in unquote(str(refused.value))


def test_a_backup_is_for_its_owner_only_and_overwrites_nothing(
    tmp_path: Path, sqlite_url: str
) -> None:
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    kept = tmp_path / "kept.tar.gz"

    backup.make(settings, kept)

    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with tarfile.open(kept) as archive:
        assert {entry.mode for entry in archive} == {0o600}
    with pytest.raises(BackupError, match="not overwritten"):
        backup.make(settings, kept)


def test_the_settings_file_that_was_named_is_kept(tmp_path: Path, sqlite_url: str) -> None:
    with_a_match(tmp_path / "old", sqlite_url)
    named, kept = tmp_path / "mine.toml", tmp_path / "kept.tar.gz"
    named.write_text(f'database_url = "{sqlite_url}"\nlanguage = "es"\n')

    with pytest.raises(SystemExit) as ended:
        main(["backup", str(kept), "--home", str(tmp_path / "old"), "--config", str(named)])

    assert ended.value.code == 0
    with tarfile.open(kept) as archive:
        file = archive.extractfile("config.toml")
        assert file is not None
        assert file.read() == named.read_bytes()


def test_a_restore_overwrites_nothing_unless_told(tmp_path: Path, sqlite_url: str) -> None:
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    kept = tmp_path / "kept.tar.gz"
    backup.make(settings, kept)

    with pytest.raises(BackupError, match="a database in"):
        backup.restore(settings, kept)

    keys_only = load_settings(home=tmp_path / "new")
    keys_only.keys()
    with pytest.raises(BackupError, match="keys in"):
        backup.restore(keys_only, kept)

    backup.restore(settings, kept, overwrite=True)
    assert matches(settings) == 1


def test_nothing_is_restored_onto_a_service_that_runs(tmp_path: Path, database_url: str) -> None:
    if database_url.startswith("postgres"):
        needs_pg_dump()
    settings, link = with_a_match(tmp_path / "old", database_url)
    kept = tmp_path / "kept.tar.gz"
    backup.make(settings, kept)
    running = open_service(settings)

    with pytest.raises(BackupError, match=r"still has the database open. Stop it first."):
        backup.restore(settings, kept, overwrite=True)

    assert demo.seed(running) == link
    running.database.close()
    backup.restore(settings, kept, overwrite=True)
    assert matches(settings) == 1


def test_nothing_is_restored_while_a_worker_shows_its_heart(
    tmp_path: Path, sqlite_url: str, redis_url: str
) -> None:
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    kept = tmp_path / "kept.tar.gz"
    backup.make(settings, kept)
    with_broker = load_settings(home=settings.home, database_url=sqlite_url, broker_url=redis_url)
    heart = Heart(with_broker, "worker")
    heart.beat()

    with pytest.raises(BackupError, match="The service still runs: worker "):
        backup.restore(with_broker, kept, overwrite=True)

    heart.stop()
    backup.restore(with_broker, kept, overwrite=True)


def test_a_backup_of_a_newer_pbem_replaces_nothing(tmp_path: Path, sqlite_url: str) -> None:
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    connection = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    backup.make(settings, tmp_path / "kept.tar.gz")

    with pytest.raises(NotFit, match="a newer one made them"):
        backup.restore(load_settings(home=tmp_path / "new"), tmp_path / "kept.tar.gz")

    assert not (tmp_path / "new").exists()


def test_keys_that_cannot_be_put_back_leave_the_database_as_it_was(
    tmp_path: Path, sqlite_url: str
) -> None:
    there, _ = with_a_match(tmp_path / "home", sqlite_url)
    upgrade(f"sqlite:///{tmp_path}/empty.sqlite3")
    empty = load_settings(home=tmp_path, database_url=f"sqlite:///{tmp_path}/empty.sqlite3")
    empty.keys()
    backup.make(empty, tmp_path / "kept.tar.gz")
    (tmp_path / "file").touch()
    keys = tmp_path / "file/secrets.toml"
    elsewhere = load_settings(home=there.home, database_url=sqlite_url, secrets_file=keys)

    with pytest.raises(BackupError, match=r"file/secrets.toml .* Nothing was replaced."):
        backup.restore(elsewhere, tmp_path / "kept.tar.gz", overwrite=True)

    assert matches(there) == 1
    assert not list(tmp_path.rglob("*.restoring"))


@contextmanager
def little_room() -> Iterator[None]:
    """No file of this process can be longer than 100 kB, as on a disk that is full then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_without_room_for_temporary_files_nothing_is_kept_or_replaced(
    tmp_path: Path, sqlite_url: str
) -> None:
    settings, _ = with_a_match(tmp_path / "home", sqlite_url)
    kept, more = tmp_path / "kept.tar.gz", tmp_path / "more.tar.gz"
    backup.make(settings, kept)

    with little_room(), pytest.raises(BackupError, match="database cannot be copied to "):
        backup.make(settings, more)
    with little_room(), pytest.raises(BackupError, match="no room for temporary files"):
        backup.restore(settings, kept, overwrite=True)

    assert not more.exists()
    assert matches(settings) == 1


def test_settings_are_kept_and_put_beside(tmp_path: Path, sqlite_url: str) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/config.toml").write_text('language = "es"')
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    backup.make(settings, tmp_path / "kept.tar.gz")

    backup.restore(load_settings(home=tmp_path / "new"), tmp_path / "kept.tar.gz")

    assert (tmp_path / "new/config.toml.restored").read_text() == 'language = "es"'


def test_there_is_nothing_to_keep_of_a_service_that_never_ran(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="nothing to keep"):
        backup.make(load_settings(home=tmp_path), tmp_path / "kept.tar.gz")


@pytest.fixture
def whole_when_renamed(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """The names that files were given, and whether all of each was on the disk before.

    Else a power cut right after it can leave an empty file.
    """
    rename, on_disk, renamed = Path.rename, set[tuple[int, int]](), dict[str, bool]()

    def state(found: os.stat_result) -> tuple[int, int]:
        return found.st_ino, found.st_size

    def noted(draft: Path, place: Path) -> None:
        renamed[place.name] = state(draft.stat()) in on_disk
        rename(draft, place)

    monkeypatch.setattr(os, "fsync", lambda file: on_disk.add(state(os.fstat(file))))
    monkeypatch.setattr(Path, "rename", noted)
    return renamed


def test_what_is_kept_or_restored_is_on_the_disk_before_it_takes_its_place(
    tmp_path: Path, sqlite_url: str, whole_when_renamed: dict[str, bool]
) -> None:
    settings, _ = with_a_match(tmp_path / "home", sqlite_url)
    whole_when_renamed.clear()

    backup.make(settings, tmp_path / "kept.tar.gz")
    backup.restore(settings, tmp_path / "kept.tar.gz", overwrite=True)

    assert whole_when_renamed == {"kept.tar.gz": True, "pbem.sqlite3": True, "secrets.toml": True}


def test_a_backup_of_one_database_does_not_go_into_the_other_kind(
    tmp_path: Path, sqlite_url: str
) -> None:
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    backup.make(settings, tmp_path / "kept.tar.gz")
    other = load_settings(home=tmp_path / "new", database_url="postgresql://nobody@127.0.0.1:1/x")

    with pytest.raises(BackupError, match="database_url names postgresql"):
        backup.restore(other, tmp_path / "kept.tar.gz")
