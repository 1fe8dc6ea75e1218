"""An archive that is not whole, or was made up, replaces nothing."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tarfile
from pathlib import Path

import pytest

from pbem.config import load_settings
from pbem.fitness import NotFit
from pbem.running import backup
from pbem.running.backup import BackupError
from tests.running.backups import HEAD, archive, made_up, matches, with_a_match


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "database.sqlite3/x", "other"])
def test_a_name_that_no_backup_has_is_refused(tmp_path: Path, name: str) -> None:
    bad = archive(tmp_path / "bad.tar.gz", {name: b"x"})

    with pytest.raises(BackupError, match="which no backup has"):
        backup.restore(load_settings(home=tmp_path / "new"), bad)


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as tar:
        entry = tarfile.TarInfo("secrets.toml")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(entry)

    with pytest.raises(BackupError, match="which no backup has"):
        backup.restore(load_settings(home=tmp_path / "new"), tmp_path / "bad.tar.gz")


def test_a_changed_file_in_an_archive_is_refused(tmp_path: Path) -> None:
    manifest = {"format": 1, "database": "sqlite", "files": {"database.sqlite3": "0" * 64}}
    bad = archive(
        tmp_path / "bad.tar.gz",
        {"manifest.json": json.dumps(manifest).encode(), "database.sqlite3": b"x"},
    )

    with pytest.raises(BackupError, match="not those of its manifest"):
        backup.restore(load_settings(home=tmp_path / "new"), bad)


@pytest.mark.parametrize("content", [b"", b"not a tar file", b"\x1f\x8b\x08" + b"\x00" * 40])
def test_a_file_that_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad").write_bytes(content)

    with pytest.raises(BackupError, match=r"not a backup|no manifest"):
        backup.restore(load_settings(home=tmp_path / "new"), tmp_path / "bad")


def test_a_truncated_backup_is_refused_and_changes_nothing(tmp_path: Path, sqlite_url: str) -> None:
    settings, _ = with_a_match(tmp_path / "old", sqlite_url)
    kept = tmp_path / "kept.tar.gz"
    backup.make(settings, kept)
    kept.write_bytes(kept.read_bytes()[: kept.stat().st_size // 2])

    new = load_settings(home=tmp_path / "new")
    with pytest.raises(BackupError):
        backup.restore(new, kept)

    assert not (tmp_path / "new").exists()


def a_database(path: Path, *statements: str) -> bytes:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path.read_bytes()


@pytest.mark.parametrize(
    "kept", ["none", "empty", "no database", "cut off", "another's", "without tables"]
)
def test_a_database_in_a_backup_that_is_not_whole_replaces_nothing(
    tmp_path: Path, sqlite_url: str, kept: str
) -> None:
    settings, _ = with_a_match(tmp_path / "home", sqlite_url)
    whole = Path(sqlite_url.removeprefix("sqlite:///")).read_bytes()
    versions = "CREATE TABLE alembic_version (version_num VARCHAR(32))"
    files = {
        "none": {},
        "empty": {"database.sqlite3": b""},
        "no database": {"database.sqlite3": b"no database" * 1000},
        "cut off": {"database.sqlite3": whole[: len(whole) // 2]},
        "another's": {"database.sqlite3": a_database(tmp_path / "a", "CREATE TABLE one (two)")},
        "without tables": {"database.sqlite3": a_database(tmp_path / "b", versions)},
    }[kept]
    bad = made_up(tmp_path / "bad.tar.gz", files)

    with pytest.raises(BackupError, match="The database in the backup is damaged: "):
        backup.restore(settings, bad, overwrite=True)

    assert matches(settings) == 1


def test_a_newer_database_under_an_older_manifest_replaces_nothing(
    tmp_path: Path, sqlite_url: str
) -> None:
    settings, _ = with_a_match(tmp_path / "home", sqlite_url)
    newer = a_database(
        tmp_path / "newer",
        "CREATE TABLE alembic_version (version_num VARCHAR(32))",
        "INSERT INTO alembic_version VALUES ('9999')",
    )
    bad = made_up(tmp_path / "bad.tar.gz", {"database.sqlite3": newer})

    with pytest.raises(NotFit, match="a newer one made them"):
        backup.restore(settings, bad, overwrite=True)

    assert matches(settings) == 1


@pytest.mark.parametrize("part", ["made_at", "database", "revision"])
def test_a_manifest_that_lacks_a_part_is_refused(
    tmp_path: Path, sqlite_url: str, part: str
) -> None:
    settings, _ = with_a_match(tmp_path / "home", sqlite_url)
    bad = made_up(tmp_path / "bad.tar.gz", {}, **{part: None})

    with pytest.raises(BackupError, match="its manifest is not whole"):
        backup.restore(settings, bad, overwrite=True)


def test_a_backup_with_a_damaged_byte_is_refused_or_whole(tmp_path: Path) -> None:
    data = "".join(hashlib.sha256(bytes([number % 250])).hexdigest() for number in range(2000))
    digests = {"database.sqlite3": hashlib.sha256(data.encode()).hexdigest()}
    manifest = json.dumps({**HEAD, "files": digests})
    files = {"manifest.json": manifest.encode(), "database.sqlite3": data.encode()}
    good = archive(tmp_path / "good.tar.gz", files).read_bytes()
    bad, refused = tmp_path / "bad.tar.gz", 0
    folder = tmp_path / "folder"
    folder.mkdir()

    for place in range(0, len(good), 50):
        bad.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        try:
            backup.unpack(bad, folder)
        except BackupError:
            refused += 1
        else:
            # the byte was one of those between and after the files
            assert (folder / "database.sqlite3").read_text() == data

    assert refused > 20
