"""The databases of these tests lie in memory where the machine allows it.

Processes die here and machines do not, so nothing is lost by it; and hundreds of commits that wait
for a disk would make the suite slow.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def sqlite_url(_sqlite_template: Path) -> Iterator[str]:
    """A fresh SQLite file with all tables."""
    where = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="pbem-faults-", dir=where) as folder:
        path = Path(folder) / "pbem.sqlite3"
        shutil.copy(_sqlite_template, path)
        yield f"sqlite:///{path}"
