"""``pbem series``: made, started, carried on, shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.people import persons
from pbem.people.series import acts
from tests.parts.cast import KEYS, House, address
from tests.running.test_cli import answer, run

NEW = (
    "series new dog --name Harbour --seats 3 --rounds 2 --kind swiss --turn 36h "
    "--option discard=one"
).split()


@pytest.fixture
def home(house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> House:
    """The command works on the database of this house, with its keys."""
    monkeypatch.setenv("PBEM_DATABASE_URL", house.service.settings.database_url)
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    secrets = house.service.settings.secrets_file
    secrets.write_text(f'keys = ["{KEYS.main[0].hex()}"]')
    secrets.chmod(0o600)
    return house


def made(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = answer(capsys, *NEW, "--host", "Ann <ann@example.org>")
    return found


def test_a_series_is_made_listed_shown_and_carried_on(
    home: House, capsys: pytest.CaptureFixture[str]
) -> None:
    series = made(capsys)["series"]
    too_few = run(capsys, "series", "start", series)
    needs = run(capsys, "series", "show", series)
    for name in ("Ann", "Bob", "Carol"):
        with home.service.database.write("test") as session:
            person = persons.known(session, address(name), home.clock.now())
        acts.enter_as(home.service, series, person, name)

    started = answer(capsys, "series", "start", series)
    again = run(capsys, "series", "start", series)
    following = answer(capsys, "series", "next", series)
    gone = run(capsys, "series", "withdraw", series, "bob")
    shown = run(capsys, "series", "show", series)
    off = run(capsys, "series", "call-off", series)
    shown_at_last = run(capsys, "series", "show", series)
    listed = answer(capsys, "series", "list")

    assert too_few[0] == 1
    assert "It needs 3 players to begin: 3 more have to enter." in needs[1]
    assert (started["round"], following["round"]) == (1, 2)
    assert (started["options"]["discard"], started["clock"]["turn"]) == ("one", 36 * 3600)
    assert again[0] == 1
    assert "Bob will not be paired again." in gone[1]
    assert "round 2 of 2, 3 players" in shown[1]
    assert "Harbour is called off" in off[1]
    assert f"Harbour ({series}): called off" in shown_at_last[1]
    assert [(one["series"], one["called_off"]) for one in listed["series"]] == [(series, True)]


def test_what_is_not_there_is_status_1_and_what_is_wrong_2(
    home: House, capsys: pytest.CaptureFixture[str]
) -> None:
    series = made(capsys)["series"]

    for words in (
        ("show", "nothing"),
        ("start", "nothing"),
        ("call-off", "nothing"),
        ("withdraw", series, "Zoe"),
    ):
        status, _, said = run(capsys, "series", *words)
        assert (status, bool(said)) == (1, True), words
    assert run(capsys, *NEW, "--host", "nobody")[0] == 2
    assert run(capsys, *NEW, "--host", "Ann <ann@example.org>", "--rounds", "99")[0] == 2
    wrong = run(capsys, "series", "show", "nothing", "--json")
    assert "error" in json.loads(wrong[1])
