"""The Makefile's promises, with stand-ins for Python where a real set-up would take a minute."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    found = shutil.which("make")
    if found is None:
        pytest.skip("make is not on this machine")
    return subprocess.run(
        [found, *arguments], cwd=checkout, capture_output=True, text=True, check=False
    )


def stand_in(checkout: Path, text: str) -> str:
    """A program that is called as Python would be, and notes how it was called."""
    path = checkout / "stand-in"
    path.write_text(f'#!/bin/sh\necho "$@" >> {checkout}/calls\n{text}\n')
    path.chmod(0o755)
    return str(path)


#: As ``python -m venv`` does: makes a .venv whose python is a stand-in too.
MAKES_A_VENV = """
case "$*" in
  --version) echo Python 3.12.0;;
  "-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python && cp "$0" .venv/bin/pbem;;
  *runs*) echo runs;;
esac
"""


def test_bare_make_says_what_there_is(checkout: Path) -> None:
    told = make(checkout).stdout

    for target in ("setup", "up", "check", "test", "format", "lock", "clean"):
        assert f"make {target}" in told


def test_without_a_new_enough_python_a_sentence_says_so(checkout: Path) -> None:
    done = make(checkout, "setup", f"PYTHON={stand_in(checkout, 'exit 1')}")

    assert done.returncode != 0
    assert "pbem needs Python 3.11 or newer" in done.stderr
    assert "make setup PYTHON=" in done.stderr


def test_without_the_venv_module_a_sentence_says_what_to_install(checkout: Path) -> None:
    python = stand_in(checkout, 'case "$*" in *ensurepip*) exit 1;; esac')

    done = make(checkout, "setup", f"PYTHON={python}")

    assert done.returncode != 0
    assert "apt install python3-venv" in done.stderr


def test_setup_installs_once_and_again_when_the_project_changed(checkout: Path) -> None:
    python = f"PYTHON={stand_in(checkout, MAKES_A_VENV)}"

    assert make(checkout, "setup", python).returncode == 0
    first = (checkout / "calls").read_text()
    assert "--constraint constraints.txt --editable .[test]" in first
    assert make(checkout, "setup", python).returncode == 0
    assert "--editable" not in (checkout / "calls").read_text().removeprefix(first)

    text = (checkout / "pyproject.toml").read_text()
    (checkout / "pyproject.toml").write_text(text + "\n# changed\n")
    (checkout / ".venv/complete").touch()
    os.utime(checkout / ".venv/complete", (1, 1))
    assert make(checkout, "setup", python).returncode == 0
    assert "--editable" in (checkout / "calls").read_text().removeprefix(first)


def test_a_setup_that_failed_is_not_taken_for_complete(checkout: Path) -> None:
    failing = MAKES_A_VENV.replace("*runs*", "*install*) exit 1;;\n  *runs*")
    python = f"PYTHON={stand_in(checkout, failing)}"

    assert make(checkout, "setup", python).returncode != 0

    assert not (checkout / ".venv/complete").exists()


@pytest.mark.parametrize("target", ["check", "test"])
def test_all_checks_run_and_one_that_fails_fails_the_run(checkout: Path, target: str) -> None:
    python = f"PYTHON={stand_in(checkout, MAKES_A_VENV)}"
    make(checkout, "setup", python)
    bins = checkout / ".venv/bin"
    for name in ("ruff", "djangofmt", "oxfmt", "oxlint", "mypy", "lint-imports"):
        shutil.copy(bins / "python", bins / name)
    (bins / "mypy").write_text("#!/bin/sh\nexit 1\n")

    done = make(checkout, target, python)

    calls = (checkout / "calls").read_text()
    assert done.returncode != 0
    assert "Failed: mypy" in done.stderr
    assert "check ." in calls
    assert "format --check ." in calls
    assert "-m pytest" in calls


def test_clean_takes_the_venv_and_leaves_the_matches(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / "var").mkdir()

    make(checkout, "clean")

    assert not (checkout / ".venv").exists()
    assert (checkout / "var").exists()
