"""The web and the workers are killed before and after each of their commits; nothing gets lost.

After the kill the workers do what is due, and all must hold that ``invariants.check`` looks for,
though nobody has asked again. Then whoever was cut off asks again, the workers do what is due,
and all must hold once more. The mailer's kill points are in ``test_mailer``.
"""

from __future__ import annotations

import ast
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import pbem
from pbem.acts.due_work import LEASE
from pbem.acts.remedies import REMEDIES
from tests.faults import programs
from tests.faults.acts import ACTS
from tests.faults.invariants import check
from tests.faults.mutants import MUTANTS
from tests.faults.test_mailer import PLACES as OF_THE_MAILER
from tests.parts.chance import draws
from tests.web.conftest import web_service
from tests.web.house import WebHouse

POINTS = [
    (name, f"{commit}.{side}_commit")
    for name, act in ACTS.items()
    for commit in act.passes
    for side in ("before", "after")
]


class Scene:
    """A house at the moment before an act, whose programs can be killed."""

    def __init__(self, home: Path, url: str, act: str) -> None:
        self.home, self.url, self.act = home, url, act
        # the same matches each time: what is prepared needs certain moments of a round
        service = replace(web_service(home, url), entropy=draws(act))
        self.house = WebHouse(service)
        self.ledger = programs.Ledger(home / "told")
        self.given: dict[str, Any] = {}

    def prepare(self) -> None:
        self.given = ACTS[self.act].prepare(self.house)

    def kill_at(self, point: str, mutant: str = "") -> None:
        process = self._start(crash_at=point, mutant=mutant)
        process.join(200)
        assert process.exitcode == -signal.SIGKILL, f"{self.act} did not pass {point}"

    def ask_again(self, mutant: str = "") -> None:
        process = self._start(mutant=mutant)
        process.join(200)
        assert process.exitcode == 0, f"{self.act} does not work again"

    def _start(self, **how: str) -> Any:
        now = self.house.clock.now()
        return programs.start(self.home, self.url, now, self.act, self.given, **how)

    def settle(self) -> None:
        """A few minutes pass, and workers that live do what is due."""
        for _ in range(4):
            self.house.wait(seconds=LEASE.total_seconds() + 1)

    def go_on(self, mutant: str = "") -> None:
        """The workers go on; then whoever was cut off asks again. All holds both times."""
        self.settle()
        self.check()
        self.ask_again(mutant)
        self.settle()
        self.check()

    def check(self) -> None:
        check(self.house.service, self.ledger.acknowledged())

    def close(self) -> None:
        self.house.service.database.close()


@contextmanager
def scene(home: Path, url: str, act: str) -> Iterator[Scene]:
    made = Scene(home, url, act)
    try:
        yield made
    finally:
        made.close()


_prepared: dict[str, tuple[Path, dict[str, Any], datetime]] = {}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the moments before each act are kept: both sides of a commit begin there."""
    _prepared.clear()
    return tmp_path_factory.mktemp("moments")


def at_the_moment(shelf: Path, home: Path, url: str, act: str) -> Scene:
    """A scene at the moment before an act, which is made once and copied."""
    file = Path(url.removeprefix("sqlite:///"))
    if act not in _prepared:
        with scene(home, url, act) as first:
            first.prepare()
            kept = first.given, first.house.clock.now()
        place = shelf / f"{len(_prepared)}.sqlite3"
        shutil.copy(file, place)
        _prepared[act] = (place, *kept)
    place, given, now = _prepared[act]
    shutil.copy(place, file)
    made = Scene(home, url, act)
    made.given = given
    made.house.clock.set(now)
    return made


@pytest.mark.parametrize(("act", "point"), POINTS)
def test_killed_at_any_commit_nothing_is_lost_or_done_twice(
    act: str, point: str, tmp_path: Path, sqlite_url: str, shelf: Path
) -> None:
    killed = at_the_moment(shelf, tmp_path, sqlite_url, act)
    try:
        killed.kill_at(point)

        killed.go_on()
    finally:
        killed.close()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("act", "point"),
    [
        ("join", "join.after_commit"),
        ("hand in", "submit.before_commit"),
        ("hand in", "submit.after_commit"),
        ("agree", "answer.after_commit"),
        ("first turns", "advance.take.after_commit"),
        ("first turns", "advance.before_commit"),
        ("time out", "play_default.after_commit"),
        ("reminders in several matches", "remind.before_commit"),
        ("time outs in several matches", "play_default.before_commit"),
        ("time outs in several matches", "play_default.after_commit"),
        ("time outs in several matches", "advance.before_commit"),
        ("time outs of two kinds", "time_out.before_commit"),
    ],
)
def test_killed_on_postgresql_nothing_is_lost_or_done_twice(
    act: str, point: str, tmp_path: Path, postgres_url: str
) -> None:
    with scene(tmp_path, postgres_url, act) as killed:
        killed.prepare()
        killed.kill_at(point)

        killed.go_on()


@pytest.mark.parametrize("times", [2, 3, 4])
def test_killed_after_some_of_the_receipts_the_others_are_handed_in_again(
    times: int, tmp_path: Path, sqlite_url: str
) -> None:
    with scene(tmp_path, sqlite_url, "hand in") as killed:
        killed.prepare()
        killed.kill_at(f"submit.after_commit:{times}")
        assert len(killed.ledger.acknowledged()) == times - 1

        killed.ask_again()
        killed.settle()

        killed.check()
        assert {one.submission for one in killed.ledger.acknowledged()} == {
            f"program {number}" for number in range(4)
        }
        assert [ply.seat for ply in killed.house.plies(killed.house.match(killed.given["match"]))][
            :5
        ] == [None, 0, 1, 2, 3]


def test_a_match_that_cannot_be_read_is_set_aside_and_stops_no_other(
    tmp_path: Path, sqlite_url: str
) -> None:
    with scene(tmp_path, sqlite_url, "set aside") as broken:
        broken.prepare()
        healthy = broken.house.open()

        for _ in range(6):
            broken.house.clock.move(timedelta(minutes=5))
            broken.house.work()

        assert broken.house.waiting(healthy) == [0, 1, 2, 3]
        aside = broken.house.match(broken.given["match"])
        assert aside.set_aside_error
        assert [mail.match_id for mail in broken.house.mails("stalled")] == [aside.id]


# --- nothing is left out ---


#: What opens a transaction of a service, and which of its arguments is the name of the commit.
OPENS = {".database.write": 0, "writing": 2, "opening": 2, "outbox.owe_now": 1}


def commits_in_the_code() -> set[str]:
    """The names that transactions are given, in the service's own code."""
    found = set()
    for file in Path(pbem.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                for opens, place in OPENS.items():
                    if called == opens or (opens[0] == "." and called.endswith(opens)):
                        name = node.args[place]
                        constant = isinstance(name, ast.Constant)
                        found.add(name.value if constant else ast.unparse(name))
    # what these are given by those who call them is counted there
    return found - {"bench", "name", "*names"}


def test_every_commit_of_the_service_is_a_kill_point_here() -> None:
    tried = {name for act in ACTS.values() for name in act.passes}
    # the login and the logout of the operator share a transaction, which takes their name
    named = {"act"} | (tried - {"login", "logout"})
    of_the_mailer = {name for name in OF_THE_MAILER if not name.startswith("smtp.")}

    assert commits_in_the_code() == named | of_the_mailer


def test_every_remedy_is_killed() -> None:
    assert set(REMEDIES) <= set(ACTS)


# --- the suite notices when a barrier is gone ---

CRASHES = {
    "forgets submissions": ("hand in", "submit.after_commit:4"),
    "writes in two transactions": ("hand in", "submit.before_commit"),
    "takes matches for ever": ("first turns", "advance.before_commit"),
    "owes without a key": ("first turns", "advance.after_commit"),
}


@pytest.mark.parametrize("mutant", CRASHES)
def test_without_one_barrier_the_check_fails_after_a_kill(
    mutant: str, tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, point = CRASHES[mutant]
    with scene(tmp_path, sqlite_url, act) as killed:
        killed.prepare()
        MUTANTS[mutant](monkeypatch)
        killed.kill_at(point, mutant)

        with pytest.raises(AssertionError):
            killed.go_on(mutant)
