"""Writers of a SQLite file go one after another, across threads and processes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from pbem.store import db
from pbem.store.turnstile import TooLongError, Turnstile
from tests.parts.cast import make_service

pytestmark = pytest.mark.process

#: More than anybody here waits on a machine with other things to do.
PATIENCE = 30
BEGIN = """
import os, sys, threading, time
from pathlib import Path
from pbem.store.turnstile import Turnstile
file = Path(sys.argv[1])
turnstile = Turnstile(file)
def note(what):
    with open(file.with_name("notes"), "ab", buffering=0) as notes:
        notes.write(f"{what} {os.getpid()}.{threading.get_ident()}\\n".encode())
"""
HOLD = BEGIN + 'with turnstile.passed(30):\n    print("in", flush=True)\n    time.sleep(600)\n'
FORK = BEGIN + (
    "with turnstile.passed(30):\n"
    "    if os.fork():\n        os._exit(0)\n"
    '    print("child", flush=True)\n    os.close(1)\n    time.sleep(60)\n'
)
#: Four threads, each so many times in and out.
WRITE = (
    BEGIN
    + """
def write():
    for _ in range(int(sys.argv[2])):
        note("asks")
        with turnstile.passed(60):
            note("in")
            time.sleep(0.004)
            note("out")
threads = [threading.Thread(target=write) for _ in range(int(sys.argv[3]))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
)


def program(code: str, *given: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *(str(one) for one in given)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=PATIENCE)
    return process.returncode


@contextmanager
def holder(file: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is inside and stays there."""
    process = program(HOLD, file)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        yield process
    finally:
        process.kill()
        ended(process)


def notes(file: Path) -> list[tuple[str, str]]:
    lines = file.with_name("notes").read_text().splitlines()
    return [(what, who) for what, who in (line.split() for line in lines)]


def test_threads_of_several_processes_are_never_inside_together(tmp_path):
    file = tmp_path / "pbem.sqlite3"

    for process in [program(WRITE, file, 10, 4) for _ in range(3)]:
        assert ended(process) == 0

    inside = [one for one in notes(file) if one[0] != "asks"]
    assert len(inside) == 2 * 3 * 4 * 10
    for (come, who), (gone, same) in zip(inside[::2], inside[1::2], strict=True):
        assert (come, gone, who) == ("in", "out", same)


def test_a_busy_process_does_not_keep_another_out(tmp_path):
    """Eight threads of one process are always waiting; the other's one thread gets every other."""
    file = tmp_path / "pbem.sqlite3"

    busy, other = program(WRITE, file, 60, 8), program(WRITE, file, 20, 1)
    pid = str(other.pid)
    assert ended(other) == 0
    assert ended(busy) == 0

    between, waited, asking = 0, [], False
    for what, who in notes(file):
        if who.startswith(f"{pid}."):
            if what == "in":
                waited.append(between)
            asking, between = what == "asks", 0
        elif asking and what == "in":
            between += 1
    assert len(waited) == 20
    assert sum(waited) <= 20 * 4, waited


def test_who_is_killed_inside_keeps_nobody_out(tmp_path):
    file = tmp_path / "pbem.sqlite3"
    with holder(file) as process:
        with pytest.raises(TooLongError), Turnstile(file).passed(0.1):
            pass
        process.kill()
        process.wait()

        with Turnstile(file).passed(PATIENCE):
            pass


def test_a_child_does_not_keep_what_its_parent_had(tmp_path):
    """The parent dies inside, and the child it forked there lives on."""
    file = tmp_path / "pbem.sqlite3"
    parent = program(FORK, file)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "child\n"
    assert ended(parent) == 0

    with Turnstile(file).passed(PATIENCE):
        pass


def test_threads_go_in_the_order_in_which_they_came(tmp_path):
    turnstile, order, threads = Turnstile(tmp_path / "pbem.sqlite3"), [], []

    def write(number: int) -> None:
        with turnstile.passed(PATIENCE):
            order.append(number)

    with turnstile.passed(PATIENCE):
        for number in range(12):
            threads.append(threading.Thread(target=write, args=(number,)))
            threads[-1].start()
            while len(turnstile._line._waiting) <= number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()

    assert order == list(range(12))


def test_who_waited_too_long_hears_what_sqlite_says_and_the_next_one_gets_in(
    tmp_path, sqlite_url, monkeypatch
):
    service = make_service(tmp_path, sqlite_url)
    monkeypatch.setattr(db, "BUSY_SECONDS", 0.1)
    with holder(Path(sqlite_url.removeprefix("sqlite:///"))):
        with (
            pytest.raises(OperationalError, match="database is locked"),
            service.database.write("test"),
        ):
            pass
        with service.database.read():
            pass  # nobody who reads waits

    monkeypatch.setattr(db, "BUSY_SECONDS", PATIENCE)
    with service.database.write("test"):
        pass
    service.database.close()


def test_where_files_cannot_be_locked_only_the_order_is_lost(tmp_path):
    code = BEGIN.replace("import os", "import sys; sys.modules['fcntl'] = None; import os")
    code += 'with turnstile.passed(1):\n    print("in", flush=True)\n'

    process = program(code, tmp_path / "pbem.sqlite3")

    assert process.communicate(timeout=PATIENCE)[0] == "in\n"
    assert process.returncode == 0


def test_where_nobody_may_write_files_the_line_is_of_threads_alone(tmp_path):
    with Turnstile(tmp_path / "no such folder" / "pbem.sqlite3").passed(1):
        pass
