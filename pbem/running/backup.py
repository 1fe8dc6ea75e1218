"""Backup and restore: database, keys and settings in one archive.

A gzipped tar file, mode 0600: ``manifest.json`` (the schema's revision, the SHA-256 of each file),
then ``database.sqlite3`` or ``database.dump`` (pg_dump's own format), ``secrets.toml`` and, if
there is one, ``config.toml``. SQLite is copied by its online backup and PostgreSQL by pg_dump: the
service may run meanwhile.
"""

from __future__ import annotations

import errno
import filecmp
import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import redis
from sqlalchemy import make_url

from pbem import fitness
from pbem.config import Settings
from pbem.errors import NotInOrder
from pbem.running import heartbeats
from pbem.running.supervisor import Home
from pbem.store import db

MANIFEST = "manifest.json"
FORMAT = 1
#: The only names an archive may contain, and the largest file, in bytes, that is unpacked.
NAMES = ("database.sqlite3", "database.dump", "secrets.toml", "config.toml")
LARGEST = 1 << 40
#: Seconds until a process that ended no longer has the database open.
LEAVING_SECONDS = 2.0


class BackupError(NotInOrder):
    """A backup that could not be made or must not be restored; the sentence says why."""


@contextmanager
def _scratch(prefix: str) -> Iterator[Path]:
    """A folder for the files of an archive. Raises BackupError if there is no room for them."""
    try:
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            yield Path(folder)
    except OSError as error:
        # without a name: no folder for temporary files can be written at all
        if not _is_full(error) and error.filename is not None:
            raise
        raise BackupError(
            f"There is no room for temporary files: {error.strerror}. TMPDIR in the environment "
            "can name a folder on another disk."
        ) from None


def _is_full(error: Exception) -> bool:
    """Whether a file could not be written because the disk, or what may be used of it, is full."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def make(settings: Settings, archive: Path, config: Path | None = None) -> dict[str, Any]:
    """Writes the archive and returns its manifest. An existing file is not overwritten."""
    if archive.exists():
        raise BackupError(f"{archive} is there already; it is not overwritten.")
    path = db.sqlite_path(settings.database_url)
    if path is not None and not path.exists():
        raise BackupError(f"There is no database {path}: there is nothing to keep.")
    with closing(db.Database(settings.database_url)) as database, fitness.answering(database):
        revision = database.revision()
    if revision is None:
        raise BackupError("The database has no tables: there is nothing to keep.")
    config = config or settings.home / "config.toml"
    with _scratch("pbem-backup-") as folder:
        _copy_database(settings, folder)
        for source, name in ((settings.secrets_file, "secrets.toml"), (config, "config.toml")):
            if source.is_file():
                shutil.copy(source, folder / name)
        manifest = {
            "format": FORMAT,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "database": "sqlite" if settings.is_sqlite else "postgresql",
            "revision": revision,
            "files": {path.name: _digest(path) for path in sorted(folder.iterdir())},
        }
        _pack(archive, folder, manifest)
    return manifest


def _copy_database(settings: Settings, folder: Path) -> None:
    path = db.sqlite_path(settings.database_url)
    if path is None:
        _run_pg("pg_dump", settings, "--format=custom", f"--file={folder / 'database.dump'}")
        return
    try:
        with (
            closing(sqlite3.connect(path, timeout=30)) as source,
            closing(sqlite3.connect(folder / "database.sqlite3")) as copy,
        ):
            source.backup(copy)
            # one file without a log beside it
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise BackupError(f"The database cannot be copied to {folder}: {error}.") from None


def _pack(archive: Path, folder: Path, manifest: Mapping[str, Any]) -> None:
    """Writes to a temporary file and renames it: a backup is complete or absent."""
    draft = archive.with_name(f".{archive.name}.{os.getpid()}")
    text = json.dumps(manifest, indent=2).encode()
    try:
        new = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(new, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz") as tar:
                entry = tarfile.TarInfo(MANIFEST)
                entry.size, entry.mode = len(text), 0o600
                tar.addfile(entry, io.BytesIO(text))
                for name in manifest["files"]:
                    tar.add(folder / name, arcname=name, filter=_for_its_owner)
            file.flush()
            os.fsync(new)
        draft.rename(archive)
    except OSError as error:
        raise BackupError(f"{archive} cannot be written: {error.strerror}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _for_its_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The entry of a file that nobody else may read, also when it is unpacked by hand."""
    entry.mode = 0o600
    return entry


def restore(settings: Settings, archive: Path, *, overwrite: bool = False) -> dict[str, Any]:
    """Restores an archive's database and keys to where the settings say; returns its manifest.

    1. Check the archive: exactly the files of the manifest, each with its digest.
    2. Refuse while the service runs, or to overwrite what is there unless that was asked for.
    3. Write all files beside their places: until they are there, what stood before stands.
    4. Put the database, with its tables brought to this version of pbem; then the keys, and the
       settings file as ``config.toml.restored``.
    """
    with _scratch("pbem-restore-") as folder:
        manifest = unpack(archive, folder)
        kind = "sqlite" if settings.is_sqlite else "postgresql"
        if manifest["database"] != kind:
            raise BackupError(
                f"The backup is of {manifest['database']}, and database_url names {kind}."
            )
        revision = str(manifest["revision"])
        fitness.refuse_newer(revision)
        _refuse_what_is_there(settings, overwrite)
        with _while_stopped(settings):
            _put(settings, folder, revision)
    return manifest


def unpack(archive: Path, folder: Path) -> dict[str, Any]:
    """Unpacks an archive into ``folder`` and checks that it is complete; returns its manifest."""
    try:
        with tarfile.open(archive, mode="r:gz") as tar:
            for entry in tar:
                if not entry.isfile() or entry.name not in (MANIFEST, *NAMES):
                    raise BackupError(f"{archive} holds {entry.name!r}, which no backup has.")
                if entry.size > LARGEST:
                    raise BackupError(f"{archive}: {entry.name} is too large.")
                content = tar.extractfile(entry)
                assert content is not None  # it is a file
                with (folder / entry.name).open("wb") as file:
                    shutil.copyfileobj(content, file)
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        listed = manifest["files"]
        (folder / MANIFEST).unlink()
    except FileNotFoundError:
        raise BackupError(f"{archive} is not there, or holds no manifest.") from None
    except (
        tarfile.TarError,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
    ) as error:
        if _is_full(error):
            raise
        raise BackupError(f"{archive} is not a backup of pbem, or damaged: {error}.") from None
    if manifest.get("format") != FORMAT:
        raise BackupError(f"{archive} was made by another version of pbem.")
    found = {path.name: _digest(path) for path in folder.iterdir()}
    if found != listed:
        raise BackupError(f"{archive} is damaged: its files are not those of its manifest.")
    if not manifest.keys() >= {"made_at", "database", "revision"}:
        raise BackupError(f"{archive} is damaged: its manifest is not whole.")
    return manifest


def _refuse_what_is_there(settings: Settings, overwrite: bool) -> None:
    if overwrite:
        return
    path = db.sqlite_path(settings.database_url)
    if path is not None and path.exists():
        raise BackupError(f"There is a database in {path} already.")
    if path is None and db.revision_of(settings.database_url) is not None:
        raise BackupError("The database has tables already.")
    if settings.secrets_file.exists():
        raise BackupError(f"There are keys in {settings.secrets_file} already.")


@contextmanager
def _while_stopped(settings: Settings) -> Iterator[None]:
    """Refuses while a part of the service runs; inside, no `pbem up` can start in this home."""
    lock = Home(settings.home)
    try:
        lock.take(patience=0)
        _refuse_while_it_runs(settings)
        yield
    finally:
        lock.release()


def _refuse_while_it_runs(settings: Settings) -> None:
    """A running part would mix old and new data."""
    try:
        beating = [
            f"{part} {who}" for part, all_ in heartbeats.hearts(settings).items() for who in all_
        ]
    except (redis.RedisError, OSError):
        beating = []  # no broker, no heartbeats; the check of the database below still finds them
    if beating:
        raise BackupError(f"The service still runs: {', '.join(beating)}. Stop it first.")
    until = time.monotonic() + LEAVING_SECONDS
    while db.is_in_use(settings.database_url):
        if time.monotonic() > until:
            raise BackupError(
                "The service, or another program, still has the database open. Stop it first."
            )
        time.sleep(0.1)


#: Takes our tables and functions out of the schema, but no extension's: ``pg_restore --clean``
#: knows only what is in the dump, and a version of pbem after it may have added others.
_TAKE_OUT = """
SET client_min_messages = warning;
DO $$
DECLARE one record;
BEGIN
  FOR one IN
    SELECT format('DROP TABLE IF EXISTS %s CASCADE', oid::regclass) AS statement
    FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
    AND pg_get_userbyid(relowner) = current_user
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
    UNION ALL
    SELECT format('DROP FUNCTION IF EXISTS %s CASCADE', oid::regprocedure)
    FROM pg_proc WHERE prokind = 'f' AND pronamespace = current_schema()::regnamespace
    AND pg_get_userbyid(proowner) = current_user
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  LOOP
    EXECUTE one.statement;
  END LOOP;
END $$;
"""


#: Ends the transaction unless the tables are those that the manifest tells of.
_LOOK = """
RESET search_path;
DO $$
DECLARE restored text;
BEGIN
  IF to_regclass('alembic_version') IS NOT NULL THEN
    SELECT version_num INTO restored FROM alembic_version;
  END IF;
  IF restored IS DISTINCT FROM 'REVISION' THEN
    RAISE EXCEPTION 'the database in the backup is not one of pbem at REVISION';
  END IF;
END $$;
"""


def _put(settings: Settings, folder: Path, revision: str) -> None:
    places = {
        "config.toml": settings.home / "config.toml.restored",
        "secrets.toml": settings.secrets_file,
    }
    if _is_mounted(settings.secrets_file):
        kept = folder / "secrets.toml"
        if kept.is_file() and not filecmp.cmp(kept, settings.secrets_file, shallow=False):
            advice = "Write secrets.toml of the archive into it, then restore again."
            raise _mounted(settings.secrets_file, advice)
        del places["secrets.toml"]
    path = db.sqlite_path(settings.database_url)
    if path is not None:
        if _is_mounted(path):
            raise _mounted(path, "Mount its folder: SQLite keeps files beside it.")
        source = folder / "database.sqlite3"
        _check_sqlite(source)
        fitness.migrate(settings.model_copy(update={"database_url": f"sqlite:///{source}"}))
        places[source.name] = path
    with ExitStack() as beside:
        for name, place in places.items():
            if (folder / name).is_file():
                beside.enter_context(_beside(folder / name, place))
        if path is None:
            _put_postgresql(settings, folder, revision)
        else:
            for suffix in ("-wal", "-shm"):
                # SQLite would apply the old database's write-ahead log to the new one
                path.with_name(path.name + suffix).unlink(missing_ok=True)
    if path is None:
        fitness.migrate(settings)


def _is_mounted(place: Path) -> bool:
    """Whether a file is mounted by itself, as into a container: it cannot be replaced."""
    draft = place.with_name(f".{place.name}.restoring")
    try:
        draft.unlink(missing_ok=True)
        # changes nothing, and fails at once
        os.link(place, draft)
    except OSError as error:
        return error.errno == errno.EXDEV
    draft.unlink()
    return False


def _mounted(place: Path, advice: str) -> BackupError:
    found = f"{place} is mounted by itself and cannot be replaced. Nothing was replaced."
    return BackupError(f"{found} {advice}")


@contextmanager
def _beside(source: Path, place: Path) -> Iterator[None]:
    """Writes a copy beside a place, for its owner only, which takes the place after the block.

    If anything fails until then, nothing is left of it.
    """
    draft = place.with_name(f".{place.name}.restoring")
    try:
        _copy(source, place, draft)
        yield
        draft.rename(place)
    finally:
        with suppress(OSError):
            draft.unlink()


def _copy(source: Path, place: Path, draft: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.unlink(missing_ok=True)
        new = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with source.open("rb") as kept, os.fdopen(new, "wb") as out:
            shutil.copyfileobj(kept, out)
            out.flush()
            os.fsync(new)
    except OSError as error:
        raise BackupError(
            f"{place} cannot be written: {error.strerror}. Nothing was replaced."
        ) from None


def _put_postgresql(settings: Settings, folder: Path, revision: str) -> None:
    """Replaces what is there by the dump of this revision, in one transaction."""
    before, script, after = (folder / f"{name}.sql" for name in ("before", "database", "after"))
    # a database without tables of ours may hold somebody else's
    ours = db.revision_of(settings.database_url) is not None
    before.write_text(_TAKE_OUT if ours else "")
    after.write_text(_LOOK.replace("REVISION", revision))
    clean = ("--clean", "--if-exists") if ours else ()
    _run("pg_restore", *clean, "--no-owner", f"--file={script}", str(folder / "database.dump"))
    _run_pg(
        "psql", settings, "--no-psqlrc", "--quiet", "--single-transaction",
        "--set=ON_ERROR_STOP=1", f"--file={before}", f"--file={script}", f"--file={after}",
    )  # fmt: skip


def _check_sqlite(source: Path) -> None:
    """Raises BackupError if the file is no whole database of pbem, NotFit if it is a newer one's.

    A file that is empty or absent would be an empty database to SQLite, and so replace a full one.
    """
    try:
        with closing(sqlite3.connect(source)) as connection:
            state = connection.execute("PRAGMA integrity_check").fetchone()[0]
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise BackupError(f"The database in the backup is damaged: {error}.") from None
    if state != "ok":
        raise BackupError(f"The database in the backup is damaged: {state}")
    if found is None:
        raise BackupError("The database in the backup is damaged: it has no tables.")
    fitness.refuse_newer(found[0])


def _run_pg(program: str, settings: Settings, *arguments: str) -> None:
    """Runs one of PostgreSQL's programs on the database.

    The password is passed in the environment, which process lists do not show.
    """
    # not at the top: it takes as long as all the rest, and backups of SQLite do without
    from psycopg.conninfo import make_conninfo

    # the parameters that the service gives its driver: no URL is written and parsed again
    url = make_url(settings.database_url)
    _, where = url.get_dialect()().create_connect_args(url)
    password = where.pop("password", None)
    _run(program, f"--dbname={make_conninfo(**where)}", *arguments, password=password)


def _run(program: str, *arguments: str, password: str | None = None) -> None:
    found = find_pg_program(program)
    if found is None:
        raise BackupError(
            f"{program} is not on this machine (Debian: apt install postgresql-client)."
        )
    done = subprocess.run(  # noqa: S603 - our own command
        [found, *arguments],
        env={**os.environ, **({"PGPASSWORD": password} if password else {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BackupError(f"{program} failed: {done.stderr.strip()[:500]}")


def find_pg_program(program: str) -> str | None:
    """On the path, or where Debian keeps it."""
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return shutil.which(program) or (str(debian[-1]) if debian else None)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
