"""The supervisor: order, crashes, and that nothing is left behind however it ends."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbem.running import die_with_parent, forked
from pbem.running.supervisor import LOG_BYTES
from tests.parts.processes import wait_until

ROOT = Path(__file__).parents[2]


class Little:
    """A little service that runs in its own process."""

    def __init__(self, home: Path, *more: str) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.running.little_service", str(home), *more],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    def say(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def told(self, what: str) -> list[tuple[str, int]]:
        lines = [line.split() for line in (self.home / "told").read_text().splitlines()]
        return [(name, int(number)) for first, name, number in lines if first == what]

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)

    def processes(self) -> list[int]:
        return [number for what in ("starts", "child") for _, number in self.told(what)]


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def little(tmp_path: Path) -> Iterator[Little]:
    service = Little(tmp_path)
    assert service.say() == "all up"
    yield service
    if service.process.poll() is None:
        service.process.kill()
        service.process.wait()
    # first of all, or what is left open here fails whichever test comes next
    assert service.process.stdout is not None
    service.process.stdout.close()
    wait_until(lambda: not any(map(lives, service.processes())), "parts were left behind")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_the_parts_the_last_started_first(
    little: Little, number: signal.Signals
) -> None:
    started = [name for name, _ in little.told("starts")]

    status = little.end(number)

    assert status == 0
    assert started == ["first", "second"]
    assert [name for name, _ in little.told("ends")] == ["second", "first"]
    # a part's guardian goes a moment after its part
    wait_until(lambda: not any(map(lives, little.processes())), "parts were left behind")


@pytest.fixture
def _nohup() -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("_nohup")
def test_who_started_it_with_nohup_can_leave_the_terminal(tmp_path: Path) -> None:
    little = Little(tmp_path)
    assert little.say() == "all up"

    little.process.send_signal(signal.SIGHUP)

    os.kill(little.told("starts")[1][1], signal.SIGKILL)
    went_on = little.say()
    little.end(signal.SIGTERM)
    assert little.process.stdout is not None
    little.process.stdout.close()
    assert went_on.startswith("The second was ended by SIGKILL")


def test_a_supervisor_that_is_killed_leaves_no_orphans(little: Little) -> None:
    little.end(signal.SIGKILL)

    wait_until(lambda: not any(map(lives, little.processes())), "orphans are left")
    assert sorted(name for name, _ in little.told("ends")) == ["first", "second"]


def test_a_part_that_crashes_starts_again_and_its_children_are_gone(little: Little) -> None:
    (name, process) = little.told("starts")[1]
    child = little.told("child")[1][1]

    os.kill(process, signal.SIGKILL)

    assert little.say().startswith(f"The {name} was ended by SIGKILL; it starts again in 1 s.")
    wait_until(lambda: len(little.told("starts")) == 3, "it did not start again")
    assert little.told("starts")[2][0] == name
    assert not lives(child)


def test_a_part_ended_by_a_signal_without_a_name_starts_again(little: Little) -> None:
    (name, process) = little.told("starts")[1]
    number = signal.SIGRTMIN + 5

    os.kill(process, number)

    assert little.say().startswith(f"The {name} was ended by signal {number}; it starts again")
    wait_until(lambda: len(little.told("starts")) == 3, "it did not start again")


def test_a_supervisor_whose_words_cannot_be_written_goes_on(little: Little) -> None:
    """As with its output on a full disk: here, in a pipe that nobody reads."""
    assert little.process.stdout is not None
    little.process.stdout.close()

    os.kill(little.told("starts")[1][1], signal.SIGKILL)

    wait_until(lambda: len(little.told("starts")) == 3, "it did not start again")
    assert little.process.poll() is None


def test_a_long_log_that_cannot_be_copied_is_cut_all_the_same(little: Little) -> None:
    """As on a full disk, which gets room by it."""
    log = little.home / "log" / "second.log"
    log.with_suffix(".log.1").mkdir()

    os.truncate(log, LOG_BYTES + 1)

    wait_until(lambda: log.stat().st_size == 0, "the log is as long as it was")
    assert little.process.poll() is None


def test_a_long_log_that_cannot_be_cut_ends_nothing(little: Little, tmp_path: Path) -> None:
    """As on a disk that became read only: here, it is a program that runs."""
    long = shutil.copy("/bin/sleep", tmp_path / "sleep")
    os.truncate(long, LOG_BYTES + 1)
    log = little.home / "log" / "first.log"

    with subprocess.Popen([long, "60"]) as program:
        try:
            long.rename(log)
            wait_until(log.with_suffix(".log.1").exists, "nobody tried to cut it")
            os.kill(little.told("starts")[1][1], signal.SIGKILL)
            wait_until(lambda: len(little.told("starts")) == 3, "it did not start again")
            assert log.stat().st_size > LOG_BYTES
        finally:
            program.kill()


def test_a_log_that_is_moved_away_ends_nothing(little: Little) -> None:
    log = little.home / "log" / "first.log"

    log.unlink()

    # who looks after the second has looked at the first before
    os.kill(little.told("starts")[1][1], signal.SIGKILL)
    assert little.say().startswith("The second was ended by SIGKILL")
    wait_until(lambda: len(little.told("starts")) == 3, "it did not start again")
    assert little.process.poll() is None


def test_a_part_that_cannot_be_started_again_waits_for_its_next_try(little: Little) -> None:
    """As without room for a process: here, its log cannot be opened."""
    log = little.home / "log" / "second.log"
    log.unlink()
    log.mkdir()

    os.kill(little.told("starts")[1][1], signal.SIGKILL)

    assert little.say().startswith("The second was ended by SIGKILL; it starts again in 1 s.")
    told = little.say()
    assert told.startswith("The second could not be started (")
    assert "Is a directory" in told
    assert "; it starts again in 2 s." in told
    log.rmdir()
    wait_until(lambda: len(little.told("starts")) == 3, "it did not start again")


def test_a_part_that_ends_while_it_starts_stops_the_start_with_its_last_words(
    tmp_path: Path,
) -> None:
    service = Little(tmp_path, "ending")

    words = service.process.communicate(timeout=20)[0]

    assert service.process.returncode == 1
    assert "The ending ended while it was starting." in words
    assert "I cannot find my table" in words
    wait_until(lambda: not any(map(lives, service.processes())), "no part is left behind")


def test_a_home_is_for_one_service(little: Little) -> None:
    second = Little(little.home)

    words = second.process.communicate(timeout=20)[0]

    assert second.process.returncode == 1
    assert f"pbem already runs in {little.home}." in words


def test_a_home_is_free_again_after_a_kill(little: Little) -> None:
    little.end(signal.SIGKILL)
    second = Little(little.home)

    assert second.say() == "all up"
    assert second.end(signal.SIGTERM) == 0
    assert second.process.stdout is not None
    second.process.stdout.close()


def test_without_the_kernels_help_a_leash_ends_its_command_with_its_parent(
    tmp_path: Path,
) -> None:
    """As on macOS: the process in between looks whether its parent is still there."""
    code = (
        "import os, subprocess, sys, time\n"
        "inner = 'import sys; sys.path.insert(0, sys.argv[1]); '"
        "'from pbem.running import die_with_parent; '"
        "'die_with_parent.watch(int(sys.argv[2]), [sys.executable, \"-c\", sys.argv[3]])'\n"
        "told = sys.argv[2]\n"
        'sleeper = f\'import os, time; open({told!r}, "w").write(str(os.getpid())); '
        "time.sleep(60)'\n"
        "subprocess.Popen([sys.executable, '-c', inner, sys.argv[1], str(os.getpid()), sleeper])\n"
        "time.sleep(60)\n"
    )
    told = tmp_path / "told"
    parent = subprocess.Popen([sys.executable, "-c", code, str(ROOT), str(told)])
    wait_until(lambda: told.exists() and told.read_text() != "", "the command did not start")
    command = int(told.read_text())

    parent.kill()
    parent.wait()

    wait_until(lambda: not lives(command), "the command outlives its parent")


def test_a_leash_hands_signals_on_and_gives_the_status_back(tmp_path: Path) -> None:
    parent, command = os.getpid(), [sys.executable, "-c", "import sys; sys.exit(7)"]

    process = forked.fork(lambda: die_with_parent.watch(parent, command))

    assert process.wait(20) == 7


def test_a_leash_whose_parent_is_gone_already_starts_nothing(tmp_path: Path) -> None:
    told = tmp_path / "told"

    process = forked.fork(lambda: die_with_parent.run(1, ["touch", str(told)], "touch"))

    assert process.wait(20) == 1
    assert not told.exists()


def test_a_module_that_is_forked_finds_what_its_parent_has_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "little_part.py").write_text(
        "import sys\nprint(__name__, 'pytest' in sys.modules, sys.argv[1:])\nsys.exit(3)\n"
    )
    parent, command = os.getpid(), [sys.executable, "-m", "little_part", "--loud"]

    with (tmp_path / "log").open("ab") as log:
        process = forked.fork(lambda: die_with_parent.run(parent, command, "little"), log)

    assert process.wait(20) == 3
    assert (tmp_path / "log").read_text() == "__main__ True ['--loud']\n"


def test_a_forked_process_that_fails_says_why_and_goes_no_further(tmp_path: Path) -> None:
    def fail() -> int:
        raise ValueError("I cannot find my table")

    with (tmp_path / "log").open("ab") as log:
        failed = forked.fork(fail, log)
        refused = forked.fork(lambda: sys.exit("No table, no part."), log)

    assert failed.wait(20) == refused.wait(20) == 1
    told = (tmp_path / "log").read_text()
    assert "ValueError: I cannot find my table" in told
    assert "No table, no part." in told


def test_a_forked_process_that_can_write_nothing_ends_all_the_same() -> None:
    """It must not go on with what its parent does, on a full disk either."""
    here = os.getpid()

    with Path("/dev/full").open("ab", buffering=0) as full:
        process = forked.fork(lambda: sys.exit("No table, no part."), full)

    assert os.getpid() == here
    assert process.wait(20) == 1


def test_where_no_process_can_be_forked_signals_are_heard_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_room() -> int:
        raise BlockingIOError("no room for a process")

    monkeypatch.setattr(os, "fork", no_room)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    with pytest.raises(BlockingIOError):
        forked.fork(lambda: None)

    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_a_forked_process_is_told_to_end_and_its_signal_is_its_status(tmp_path: Path) -> None:
    with (tmp_path / "log").open("ab") as log:
        process = forked.fork(lambda: time.sleep(60), log)

    assert process.wait(0.05) is None
    process.terminate()

    assert process.wait(20) == -signal.SIGTERM
    assert process.poll() == -signal.SIGTERM


def test_a_process_that_has_loaded_what_it_needs_is_seldom_stopped_to_find_garbage(
    tmp_path: Path,
) -> None:
    def work() -> None:
        # as every process begins; these tests have others
        gc.set_threshold(700, 10, 10)
        forked.keep_shared()
        before = gc.get_stats()[2]["collections"]
        kept: list[list[int]] = [[] for _ in range(500_000)]
        again = gc.get_stats()[2]["collections"] - before
        print(
            f"{len(kept)} new objects, {again} full collections, {gc.get_freeze_count()} left alone"
        )

    with (tmp_path / "log").open("ab") as log:
        assert forked.fork(work, log).wait(20) == 0

    told = (tmp_path / "log").read_text()
    assert "500000 new objects, 0 full collections" in told
    assert ", 0 left alone" not in told


def test_what_a_process_allocates_copies_no_memory_that_it_shares(tmp_path: Path) -> None:
    """Blocks of many sizes are freed between others before the fork; none of them is used again.

    What another thread has allocated, and this one freed, lies in another heap and is used first.
    """

    def work() -> None:
        c = ctypes.CDLL(None)
        if not hasattr(c, "malloc_trim"):
            print("0 in holes")
            return
        c.malloc.restype, c.malloc.argtypes = ctypes.c_size_t, [ctypes.c_size_t]
        c.free.argtypes = [ctypes.c_size_t]
        blocks = [c.malloc(32 + number % 1500) for number in range(20_000)]
        for block in blocks[::2]:
            c.free(block)
        holes = set(blocks[::2])
        for block in [c.malloc(600) for _ in range(6)]:
            holes.discard(block)
        with ThreadPoolExecutor(1) as other:
            theirs = other.submit(lambda: [c.malloc(600) for _ in range(6)]).result()
        for block in theirs:
            c.free(block)
        forked.keep_shared()
        forked.fill_holes()
        used = sum(c.malloc(32 + number % 1500) in holes for number in range(1_000))
        print(f"{used} in holes")

    with (tmp_path / "log").open("ab") as log:
        assert forked.fork(work, log).wait(20) == 0

    assert "\n0 in holes" in "\n" + (tmp_path / "log").read_text()


def test_no_memory_is_taken_that_lies_far_from_the_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another allocator in place of the C library's may give blocks below its heap for ever."""
    taken = []

    def malloc(size: int) -> int:
        taken.append(size)
        assert len(taken) < 1_000
        return 0x0200_0000_0000

    system = SimpleNamespace(
        malloc_trim=lambda pad: 0, sbrk=lambda more: 0x5500_0000_0000, malloc=malloc
    )
    monkeypatch.setattr(ctypes, "CDLL", lambda name: system)

    forked.fill_holes()

    assert sum(taken) < 1_000_000
