"""``pbem match``: everything a host can set can be said, and lists are for other programs, too."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click
import pytest

from pbem.acts import advance
from pbem.cli import main, root
from pbem.clocks.deadlines import PARTS
from pbem.commands import match as of_matches
from pbem.commands import option_value
from pbem.config import load_settings
from pbem.people import open_tables
from pbem.service import open_service
from pbem.store.db import Database
from pbem.store.models import Match

ALICE = "Alice <alice@example.org>"
SEATS = ["--seat", ALICE, *(["--seat", "bot:easy"] * 3)]


@pytest.fixture
def home(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PBEM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PBEM_DATABASE_URL", sqlite_url)
    return tmp_path / "home"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["match", *words])
    written = capsys.readouterr()
    return ended.value.code, written.out, written.err


def opened(capsys: pytest.CaptureFixture[str], *words: str) -> Match:
    status, out, err = run(capsys, "new", "dog", "--host", ALICE, *SEATS, *words, "--json")
    assert status == 0, out + err
    database = Database(load_settings().database_url)
    with database.read() as session:
        match = session.get(Match, json.loads(out)["match"])
    database.close()
    assert match is not None
    return match


def test_each_part_of_a_clock_has_an_option_with_help() -> None:
    assert set(of_matches.CLOCK) == set(PARTS)

    assert isinstance(root, click.Group)
    group = root.get_command(click.Context(root), "match")
    assert isinstance(group, click.Group)
    options = [one for one in group.commands["new"].params if isinstance(one, click.Option)]
    assert {one.name for one in options} >= set(PARTS)
    assert all(one.help for one in options)


def test_a_whole_clock_can_be_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = opened(
        capsys,
        *("--clock", "bank", "--turn", "12h", "--reserve", "5d", "--cap", "9d", "--grace", "1h"),
        *("--quiet", "22:00-08:00", "--weekends", "--vacation-days", "10", "--host-time", "6h"),
        *("--zone", "Europe/Madrid", "--language", "es", "--option", "canadian_seven=true"),
    )

    clock = json.loads(match.clock_json)
    assert clock == clock | {
        "kind": "bank",
        "turn": 12 * 3600,
        "reserve": 5 * 86400,
        "cap": 9 * 86400,
        "grace": 3600,
        "quiet": [22 * 60, 8 * 60],
        "weekends": True,
        "vacation_days": 10,
        "host_time": 6 * 3600,
    }
    assert (match.zone, match.language) == ("Europe/Madrid", "es")
    assert json.loads(match.options_json)["canadian_seven"] is True


@pytest.mark.usefixtures("home")
def test_times_are_written_as_everywhere_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    match = opened(capsys, "--confirmed")
    service = open_service(load_settings())
    while advance.advance(service, match.id):
        pass

    shown = json.loads(run(capsys, "show", match.id, "--json")[1])

    service.database.close()
    assert "T" in shown["created_at"]
    assert "T" in shown["seats"][0]["due_at"]


@pytest.mark.usefixtures("home")
def test_names_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """What looks like the markup of a terminal's colours, or like the name of an emoji, is text."""
    names = ("[/b]", "[red]Ann :dog:")
    seats = [f"--seat={name} <{number}@example.org>" for number, name in enumerate(names)]
    bots = ["--seat", "bot:easy", "--seat", "bot:easy"]
    status, out, _ = run(capsys, "new", "dog", "--host", ALICE, *seats, *bots, "--json")
    assert status == 0

    status, out, err = run(capsys, "show", json.loads(out)["match"])

    assert status == 0, err
    assert all(name in out for name in names)


def test_a_disk_that_is_full_is_told_in_a_sentence(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("/dev/full is not on this machine")
    match = opened(capsys)

    assert run(capsys, "export", match.id, "--output", "/dev/full") == (
        1,
        "",
        "Error: The disk is full.\n",
    )


def test_a_number_that_no_program_reads_is_text() -> None:
    assert option_value(f"pawns_in={'9' * 5000}") == ("pawns_in", "9" * 5000)


def test_an_option_can_be_a_list_in_json() -> None:
    assert option_value('dogs=["stormcrow", "conqueror"]') == (
        "dogs",
        ["stormcrow", "conqueror"],
    )
    with pytest.raises(click.ClickException, match="dogs is not JSON"):
        option_value("dogs=[stormcrow]")


def test_a_daily_hour_can_be_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clock = json.loads(opened(capsys, "--clock", "daily", "--daily-at", "19:30").clock_json)

    assert (clock["kind"], clock["daily_at"]) == ("daily", 19 * 60 + 30)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--daily-at", "20:00"], "A clock of the kind turn has no daily_at."),
        (["--clock", "turn", "--cap", "9d"], "A clock of the kind turn has no cap."),
        (["--reserve", "soon"], "reserve"),
        (["--quiet", "late"], "22:00-08:00"),
        (["--clock", "sundial"], "'sundial'"),
        (["--language", "de"], "'de'"),
        (["--vacation-days", "100"], "from 0 to 60"),
    ],
)
def test_a_clock_that_cannot_be_is_status_2_and_a_sentence(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    status, _, err = run(capsys, "new", "dog", "--host", ALICE, *SEATS, *words)

    assert status == 2
    assert said in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chess"], "There is no game called chess."),
        ([""], "There is no game called (nothing)."),
        (["dog", "--option", "loud=true"], "Dog has no option called loud."),
    ],
)
def test_a_game_that_cannot_be_played_is_status_2_for_a_match_and_for_a_series(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    league = ["--name", "League", "--seats", "4", "--rounds", "2", "--kind", "swiss"]
    for command in (["match", "new", *SEATS], ["series", "new", *league]):
        with pytest.raises(SystemExit) as ended:
            main([*command, *words, "--host", ALICE])

        assert ended.value.code == 2
        assert said in capsys.readouterr().err


def test_what_goes_to_another_program_is_not_folded(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row is a line, however long: 80 columns are a terminal's."""
    match = opened(capsys, "--option", "canadian_seven=true")

    out = run(capsys, "list")[1]

    [row] = [line for line in out.splitlines() if match.id in line]
    assert match.title in row
    assert row.rstrip().endswith("UTC")
    assert len(out.splitlines()) == 2
    assert len(row.rstrip()) > 80


@pytest.mark.parametrize("command", [("show", "nothing"), ("export", "nothing")])
def test_a_match_that_is_not_there_is_named_and_no_link_is_blamed(
    home: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, str]
) -> None:
    opened(capsys)

    status, _, err = run(capsys, *command)

    assert (status, "link" in err) == (1, False)
    assert "There is no match nothing. `pbem match list` shows the newest." in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["match", "show", ""], "There is no match (nothing)."),
        (["series", "show", ""], "There is no series (nothing)."),
        (["match", "new", "dog", "--host", "", *SEATS], "(nothing) names nobody"),
        (
            ["match", "new", "dog", "--host", "Ann <ann@example.org>", "--seat", "easy"],
            "easy is no seat: write 'Ann <ann@example.org>', bot:easy or open.",
        ),
    ],
)
def test_a_name_that_names_nothing_is_told_to_be_none(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    opened(capsys)

    with pytest.raises(SystemExit):
        main(words)

    assert said in capsys.readouterr().err


def test_other_commands_name_a_match_that_is_not_there_as_well(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = opened(capsys)
    for words in (["remedy", "nothing", "abort"], ["replay", "nothing"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 1
        assert "There is no match nothing." in capsys.readouterr().err

    with pytest.raises(SystemExit) as ended:
        main(["remedy", here.id, "bot", "--seat", "9"])
    assert ended.value.code == 2
    assert "The seats of this match are 0 to 3." in capsys.readouterr().err


def test_a_match_is_shown_by_its_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, told, _ = run(capsys, "new", "dog", "--host", ALICE, *SEATS, "--name", "Friday table")
    _, listed, _ = run(capsys, "list", "--json")
    [match] = json.loads(listed)["matches"]

    shown = [told, run(capsys, "list")[1], run(capsys, "show", match["match"])[1]]

    assert match["name"] == "Friday table"
    for text in shown:
        assert "Friday table · Dog" in text


def test_a_seat_can_be_left_open(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seats = ["--seat", ALICE, "--seat", "bot:easy", "--seat", "open", "--seat", "open", "--listed"]
    _, out, _ = run(capsys, "new", "dog", "--host", ALICE, *seats, "--json")

    _, shown, _ = run(capsys, "show", json.loads(out)["match"], "--json")

    assert [seat["open"] for seat in json.loads(shown)["seats"]] == [False, False, True, True]
    service = open_service(load_settings())
    listed = open_tables.newest(service).tables
    service.database.close()
    assert [one.match.id for one in listed] == [json.loads(out)["match"]]
    assert run(capsys, "new", "dog", "--host", ALICE, *SEATS, "--listed")[0] == 2


FILES = Path("/proc/self/fd")


@pytest.mark.skipif(not FILES.exists(), reason="this system does not tell which files are open")
@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "words", ["match list", "series list", "stalled", "replay --all", "standings recompute"]
)
def test_a_command_closes_the_database_that_it_opened(
    capsys: pytest.CaptureFixture[str], words: str
) -> None:
    """Python 3.13 and newer warn of a connection to SQLite that is dropped open."""
    opened(capsys)

    with pytest.raises(SystemExit):
        main(words.split())

    now_open = {os.readlink(file) for file in FILES.iterdir() if file.is_symlink()}
    assert load_settings().database_url.removeprefix("sqlite:///") not in now_open
