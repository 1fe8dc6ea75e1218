"""Runs several programs as one: starts them in order, restarts what crashes, stops them in order.

Each part has a session of its own, so Ctrl-C reaches only the supervisor, which then stops the
parts one after the other, the last started first. If the supervisor itself is killed, the kernel
tells each part to end (``pbem.running.die_with_parent``).
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from pbem.errors import NotInOrder
from pbem.running import die_with_parent, forked

#: Seconds between two checks of the parts.
LOOK_SECONDS = 0.1
#: Seconds within which a part must be up.
START_SECONDS = 60.0
#: A part that crashed is restarted after 1, 2, 4, ... seconds, at most so many.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
#: Seconds a part must have run for its earlier crashes to be forgotten.
WELL_SECONDS = 60.0
#: Bytes after which a part's log is rotated; one old log is kept.
LOG_BYTES = 10_000_000


class StartError(NotInOrder):
    """A part could not be started; the sentence says which and what it wrote last."""


@dataclass(frozen=True)
class Part:
    """A program to run, and how to tell that it is up."""

    name: str
    command: Sequence[str]
    #: Polled until it is true: the part is up.
    is_up: Callable[[], bool]
    #: Whether the parts after it wait until it is up.
    awaited: bool = False
    #: Seconds it has to finish its work when it is told to end.
    stop_seconds: float = 20.0


class _Running:
    """A part's process, and how long it waits after its next crash."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.process: forked.Process | None = None
        self.started = 0.0
        self.pause = FIRST_PAUSE
        self.start_again_at: float | None = None


class HomeInUseError(NotInOrder):
    """Another service runs in this home directory."""


class Home:
    """Two locks on a home directory: one that only the supervisor holds, one that its parts share.

    So a second supervisor can distinguish one that runs from one that was killed and whose parts
    are still ending.
    """

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = home
        self._own = _file_to_lock(home / "up.lock")
        self._shared = _file_to_lock(home / "parts.lock")

    def take(self, patience: float = 30.0) -> None:
        """Takes both locks, or raises HomeInUseError.

        At once if another supervisor runs; after ``patience`` seconds if it was killed and its
        parts do not end.
        """
        if not _lock(self._own):
            raise HomeInUseError(
                f"pbem already runs in {self._path}. Stop it first, or take another home: "
                "PBEM_HOME=./other"
            )
        until = time.monotonic() + patience
        while not _lock(self._shared):
            if time.monotonic() > until:
                raise HomeInUseError(
                    f"A pbem that was killed left parts behind in {self._path} that do not end."
                )
            time.sleep(0.1)

    def release(self) -> None:
        self._own.close()
        self._shared.close()

    def leave_to_supervisor(self) -> None:
        """In the process of a part: keeps only the lock that parts share, and hands it on."""
        self._own.close()
        os.set_inheritable(self._shared.fileno(), True)


def _file_to_lock(path: Path) -> IO[str]:
    """A file to lock, made if it is not there. Others cannot read it: who reads it can lock it."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+")


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def stop_signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Inside the block the handler gets SIGTERM, SIGINT and SIGHUP.

    SIGHUP only if it was not ignored before: ``nohup`` asks for that.
    """
    before = {number: signal.getsignal(number) for number in forked.SIGNALS}
    if before[signal.SIGHUP] == signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


class Supervisor:
    """The parts of one service, in the order in which they start."""

    def __init__(
        self,
        parts: Sequence[Part],
        home: Home,
        logs: Path,
        say: Callable[[str], None],
    ) -> None:
        self._parts = [_Running(part) for part in parts]
        self._home = home
        self._logs = logs
        self._say = say
        self._stop_asked = False

    def run(self, when_up: Callable[[], None]) -> None:
        """Starts everything, calls ``when_up``, and returns after an orderly stop.

        - Those of ``stop_signals`` ask for the stop.
        - If a part ends before it was ever up, the start fails with StartError.
        - If a part ends later, it is restarted after a pause that grows with each crash.
        """
        with stop_signals(self._ask_to_stop):
            self._logs.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                self._start_all()
                if not self._stop_asked:
                    when_up()
                while not self._stop_asked:
                    self._care()
                    time.sleep(LOOK_SECONDS)
            finally:
                self._stop_all()

    def _ask_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_asked = True

    # --- starting ---

    def _start_all(self) -> None:
        waiting: list[_Running] = []
        for running in self._parts:
            if self._stop_asked:
                return
            self._start(running)
            waiting.append(running)
            if running.part.awaited:
                self._wait_until_up(waiting)
                waiting = []
        self._wait_until_up(waiting)

    def _start(self, running: _Running) -> None:
        part, supervisor = running.part, os.getpid()

        def run() -> int:
            self._home.leave_to_supervisor()
            return die_with_parent.run(supervisor, part.command, f"pbem-{part.name}")

        with self._log_of(part).open("ab") as log:
            running.process = forked.fork(run, log)
        running.started = time.monotonic()
        running.start_again_at = None

    def _wait_until_up(self, waiting: list[_Running]) -> None:
        waiting = list(waiting)
        while waiting and not self._stop_asked:
            running = waiting[0]
            if running.process is not None and running.process.poll() is not None:
                raise StartError(self._last_words(running, "ended while it was starting"))
            if running.part.is_up():
                waiting.pop(0)
            elif time.monotonic() - running.started > START_SECONDS:
                raise StartError(self._last_words(running, "does not answer"))
            else:
                time.sleep(LOOK_SECONDS)

    def _last_words(self, running: _Running, what: str) -> str:
        log = self._log_of(running.part)
        lines = log.read_text(errors="replace").splitlines()[-15:]
        return "\n".join([f"The {running.part.name} {what}. The end of {log}:", *lines])

    # --- while it runs ---

    def _care(self) -> None:
        for running in self._parts:
            now = time.monotonic()
            if running.start_again_at is not None:
                if now >= running.start_again_at:
                    self._start_again(running)
                continue
            assert running.process is not None  # started, and no pause set
            status = running.process.poll()
            if status is None:
                self._shorten_log(running.part)
                continue
            # its children, which would go on without it
            _kill_group(running.process.pid)
            if now - running.started > WELL_SECONDS:
                running.pause = FIRST_PAUSE
            self._restart_later(running, _how_it_ended(status))

    def _start_again(self, running: _Running) -> None:
        try:
            self._start(running)
        except OSError as error:
            # too many processes, a log that cannot be opened: the other parts go on
            self._restart_later(running, f"could not be started ({error})")

    def _restart_later(self, running: _Running, how: str) -> None:
        """Has a part start again after its pause, and says so; the next pause is longer."""
        pause = min(running.pause, LONGEST_PAUSE)
        running.pause = 2 * pause
        running.start_again_at = time.monotonic() + pause
        self._tell(
            f"The {running.part.name} {how}; it starts again in {pause:.0f} s. "
            f"What it wrote: {self._log_of(running.part)}"
        )

    def _tell(self, text: str) -> None:
        """Says it if it can be said: a full disk, or a pipe that nobody reads, must not end us."""
        with suppress(OSError):
            self._say(text)

    def _log_of(self, part: Part) -> Path:
        return self._logs / f"{part.name}.log"

    def _shorten_log(self, part: Part) -> None:
        """Truncates a long log in place, because the part keeps the file open."""
        log = self._log_of(part)
        # somebody may have moved it away, or its disk became read only
        with suppress(OSError):
            if log.stat().st_size > LOG_BYTES:
                with suppress(OSError):
                    log.with_suffix(".log.1").write_bytes(log.read_bytes())
                # without a copy as well: a full disk needs the room
                os.truncate(log, 0)

    # --- stopping ---

    def _stop_all(self) -> None:
        """Stops one part after the other, the last started first, each with its own timeout."""
        for running in reversed(self._parts):
            process = running.process
            if process is None or running.start_again_at is not None:
                continue
            if process.poll() is None:
                process.terminate()
                if process.wait(running.part.stop_seconds) is None:
                    self._tell(f"The {running.part.name} does not end; it is killed.")
            _kill_group(process.pid)
            process.wait(running.part.stop_seconds)


def _kill_group(leader: int) -> None:
    """Kills all processes of a part's session; its leader may be gone already."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _how_it_ended(status: int) -> str:
    if status < 0:
        # real-time signals have no names
        names = {number.value: number.name for number in signal.Signals}
        return f"was ended by {names.get(-status, f'signal {-status}')}"
    return f"ended with status {status}"
