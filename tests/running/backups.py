"""Services to be kept, and archives as no backup writes them."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from pbem.acts import demo
from pbem.config import Settings, load_settings
from pbem.running.backup import find_pg_program
from pbem.service import open_service
from pbem.store.db import Database
from pbem.store.models import Match


def with_a_match(home: Path, database_url: str) -> tuple[Settings, str]:
    """A service with one match, and the link to its open turn."""
    settings = load_settings(home=home, database_url=database_url)
    service = open_service(settings)
    link = demo.seed(service)
    service.database.close()
    assert link is not None
    return settings, link


def matches(settings: Settings) -> int:
    database = Database(settings.database_url)
    with database.read() as session:
        found = len(session.exec(select(Match)).all())
    database.close()
    return found


def needs_pg_dump() -> None:
    if find_pg_program("pg_dump") is None:
        pytest.skip("pg_dump is not on this machine (Debian: apt install postgresql-client)")


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


#: What a manifest says beside the names of its files.
HEAD = {
    "format": 1,
    "made_at": "2026-06-01T12:00:00+00:00",
    "database": "sqlite",
    "revision": "0001",
}


def made_up(path: Path, files: dict[str, bytes], **head: Any) -> Path:
    """An archive with the right digests, whatever its files hold; what is None is left out."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    manifest = {**HEAD, **head, "files": digests}
    said = {name: part for name, part in manifest.items() if part is not None}
    return archive(path, {"manifest.json": json.dumps(said).encode(), **files})
