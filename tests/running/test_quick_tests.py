"""``make check`` starts no process: a test that does so without its mark fails there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
TESTS = """
import subprocess, sys
import pytest

def test_unmarked():
    subprocess.run([sys.executable, "-c", ""], check=True)

@pytest.mark.process
def test_marked():
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_redis(redis_url):
    pass

def test_nothing():
    pass
"""


def run(file: Path, *options: str) -> str:
    plug_ins = ["-p", "tests.conftest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "pyproject.toml", *plug_ins, *options, file],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout


def test_who_starts_a_process_without_the_mark_fails_in_make_check(tmp_path: Path) -> None:
    file = tmp_path / "test_them.py"
    file.write_text(TESTS)

    quick = run(file, "-m", "not process and not slow")
    whole = run(file, "-k", "marked")

    assert "Mark it with pytest.mark.process: it starts subprocess.Popen" in quick
    assert "1 failed, 1 passed, 2 deselected" in quick
    assert "2 passed, 2 deselected" in whole
