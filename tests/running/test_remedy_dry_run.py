"""``pbem remedy``: what it would do with ``--dry-run``, and then doing it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from pbem.acts import advance, matches
from pbem.config import load_settings
from pbem.service import Service, open_service
from pbem.store.models import Match
from pbem.store.table import load
from tests.running.test_cli import run


@dataclass
class Place:
    """A home with a match of Dog that waits for four players."""

    home: Path
    service: Service
    match: Match

    def deadline(self, seat: int) -> datetime:
        with self.service.database.read() as session:
            due_at = load(session, self.match.id).open_turns[seat].due_at
        assert due_at is not None
        return due_at

    def revision(self) -> int:
        with self.service.database.read() as session:
            return load(session, self.match.id).match.revision


@pytest.fixture
def place(tmp_path: Path, _sqlite_template: Path) -> Iterator[Place]:
    settings = load_settings(None, home=str(tmp_path))
    shutil.copy(_sqlite_template, tmp_path / "pbem.sqlite3")
    service = open_service(settings)
    people = [matches.NewSeat(name=f"P{n}", email=f"p{n}@example.org") for n in range(4)]
    host = matches.Person(name="P0", email="p0@example.org")
    new = matches.NewMatch(game="dog", host=host, seats=people, confirmed=True)
    match = matches.create(service, new)
    while advance.advance(service, match.id):
        pass
    yield Place(tmp_path, service, match)
    service.database.close()


def test_a_dry_run_says_what_would_happen_and_does_nothing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    extend = (place.match.id, "extend", "--seat", "1", "--by", "24h", "--home", str(place.home))
    before = place.revision()

    status, out, _ = run(capsys, "remedy", *extend, "--dry-run")
    told = json.loads(run(capsys, "remedy", *extend, "--dry-run", "--json")[1])
    unchanged = place.revision() == before
    done = run(capsys, "remedy", *extend)[0]

    assert (status, done, unchanged) == (0, 0, True)
    assert "P1 has until" in out
    assert "Nothing was done" in out
    assert "example.org" not in out
    (clock,) = told["effect"]["clocks"]
    assert clock["due_at"] == place.deadline(1).isoformat()


def test_which_bot_takes_the_seat_can_be_said(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = ("remedy", place.match.id, "bot", "--seat", "3", "--home", str(place.home), "--bot")

    unknown, known = run(capsys, *bot, "nobody")[0], run(capsys, *bot, "easy")[0]

    assert (unknown, known) == (2, 0)
    with place.service.database.read() as session:
        assert load(session, place.match.id).seats[3].bot == "easy"


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["resume"], 1, "not paused"),
        (["rematch"], 1, "not over"),
        (["roll-back"], 2, "needs --ply"),
        (["roll-back", "--ply", "99"], 1, "cannot go back"),
        (["extend", "--seat", "1", "--by", "soon"], 2, "by must be a length of time"),
        (["remind", "--seat", "host"], 2, "Only reissue"),
        (["remind", "--seat", "first"], 2, "numbered from 0"),
    ],
)
def test_what_cannot_be_done_is_said_with_and_without_dry_run(
    place: Place,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    sentence: str,
) -> None:
    command = ["remedy", place.match.id, *arguments, "--home", str(place.home)]

    for extra in ([], ["--dry-run"]):
        got, _, err = run(capsys, *command, *extra)
        assert got == status
        assert sentence in err
