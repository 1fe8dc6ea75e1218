"""One process parses letter after letter, each in a child, and is replaced when it has gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbem.errors import Busy
from pbem.mail import letter, parsing
from tests.mail.correspondence import written
from tests.parts.processes import wait_until

MOST = 100_000
pytestmark = pytest.mark.process

#: Reads a letter, says who parses the next one, and is gone without a word.
READS_ONE = """
import os
from pbem.mail import letter, parsing
letter.read(b"From: a@b\\n\\ngive A\\n", 1000)
print(parsing._idle[0].pid, flush=True)
os._exit(1)
"""


@pytest.fixture(autouse=True)
def _none_waits() -> None:
    parsing._end_idle()


def test_letters_one_after_another_are_parsed_by_one_process() -> None:
    pids = set()
    for order in ("give A", "give 2", "give 3"):
        assert said(order) == (order,)
        pids |= waiting()

    assert len(pids) == 1


def test_a_process_that_was_killed_while_it_waited_is_replaced() -> None:
    said("give A")
    (killed,) = waiting()
    os.kill(killed, signal.SIGKILL)

    assert said("give 2") == ("give 2",)
    assert waiting() != {killed}


def test_a_machine_too_busy_to_read_a_letter_loses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    said("give A")
    (stopped,) = waiting()
    os.kill(stopped, signal.SIGSTOP)

    with monkeypatch.context() as patched:
        patched.setattr(letter, "WALL_SECONDS", 0.01)
        with pytest.raises(Busy):
            said("give 2")

    assert not is_running(stopped)
    assert said("give 2") == ("give 2",)


@pytest.mark.parametrize(
    ("where", "what", "instead"),
    [(sys, "executable", "/nowhere/python"), (parsing, "_PROGRAM", "raise SystemExit")],
    ids=["it cannot be started", "it ends at once"],
)
def test_a_machine_that_has_no_process_for_a_letter_loses_none(
    where: object, what: str, instead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(where, what, instead)
        with pytest.raises(Busy):
            said("give A")

    assert said("give A") == ("give A",)


def test_letters_that_come_at_once_are_answered_each_with_its_own_lines() -> None:
    orders = [f"give {number}" for number in range(40)]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(said, orders))

    assert found == [(order,) for order in orders]
    assert len(waiting()) <= parsing.MOST_IDLE


def test_a_forked_process_has_a_parser_of_its_own() -> None:
    said("give A")
    before = waiting()

    child = os.fork()
    if not child:
        wrong = waiting() or said("give 2") != ("give 2",)
        parsing._end_idle()
        os._exit(1 if wrong else 0)
    _, status = os.waitpid(child, 0)

    assert status == 0
    assert said("give 3") == ("give 3",)
    assert waiting() == before


def test_a_parser_ends_when_nobody_is_left_to_ask_it() -> None:
    done = subprocess.run([sys.executable, "-c", READS_ONE], stdout=subprocess.PIPE, check=False)

    wait_until(lambda: not is_running(int(done.stdout)), "the parser is still there")


def said(order: str) -> tuple[str, ...]:
    return letter.read(written(order, "a@b", "c@d"), MOST).lines


def waiting() -> set[int]:
    """The processes that wait for a letter."""
    return {parser.pid for parser in parsing._idle}


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
