"""Celery's programs, forked from a process that has imported what they stand on.

``pbem up`` starts them like that, and each begins in a tenth of the time.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pbem.running import die_with_parent
from tests.faults.forks import PROCESSES


class CeleryProcess:
    """``celery`` with these words and this process's environment; what it writes goes to ``log``.

    It can be asked what a ``Popen`` can be asked.
    """

    def __init__(self, words: list[str], log: Path) -> None:
        self._process = PROCESSES.Process(
            target=_run, args=(words, log, dict(os.environ)), daemon=True
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, seconds: float | None = None) -> int | None:
        self._process.join(seconds)
        return self.returncode

    def terminate(self) -> None:
        self._process.terminate()


def _run(words: list[str], log: Path, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.setsid()
    with log.open("ab") as output:
        for number in (1, 2):
            os.dup2(output.fileno(), number)
    sys.exit(die_with_parent.run(os.getppid(), [sys.executable, "-m", "celery", *words], "celery"))
