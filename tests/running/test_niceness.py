"""How much the web lets others go first; the workers have tests in ``test_workers``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pbem.config import load_settings
from pbem.running.doorbell import QUEUES
from pbem.running.web_process import web_answers, web_command
from pbem.store import db
from tests.parts.ports import free_port
from tests.parts.processes import start, stop, wait_until


def test_the_web_is_as_nice_as_mails_and_so_is_what_it_forks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings(home=tmp_path, port=free_port())
    db.upgrade(settings.database_url)
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    monkeypatch.setenv("PBEM_PORT", str(settings.port))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))

    process = start(web_command(settings), tmp_path / "web.log")
    try:
        wait_until(lambda: web_answers(settings), "the web does not answer", 60)

        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        expected = min(19, os.getpriority(os.PRIO_PROCESS, 0) + QUEUES["post"])
        nice = [os.getpriority(os.PRIO_PROCESS, pid) for pid in (process.pid, *map(int, children))]
        assert children
        assert set(nice) == {expected}
    finally:
        stop(process)
