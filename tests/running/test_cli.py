"""The command line: what is there, its statuses, and sentences instead of tracebacks."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click
import msgspec
import psycopg
import pytest
from argon2 import PasswordHasher

from engine.games.dogs_of_war.box.components import catalogue
from engine.games.registry import find
from pbem.cli import main, root
from pbem.commands import bench, option_value


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    written = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, written.out, written.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    status, out, said = run(capsys, *arguments, "--json")
    assert status == 0, out + said
    return json.loads(out)


PROMISED = (
    "up doctor games match stalled remedy verify replay simulate bench backup restore".split()
)


@pytest.mark.parametrize("name", PROMISED)
def test_every_promised_command_is_there_and_has_help(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    status, out, _ = run(capsys, name, "--help")

    assert status == 0
    assert f"Usage: pbem {name}" in out


def test_every_command_takes_json() -> None:
    context = root.make_context("pbem", ["games"])
    for name in root.list_commands(context):  # type: ignore[attr-defined]
        command = root.get_command(context, name)  # type: ignore[attr-defined]
        for inner in getattr(command, "commands", {"": command}).values():
            options = [option for parameter in inner.params for option in parameter.opts]
            assert "--json" in options, name


def test_every_option_of_every_command_is_explained() -> None:
    context = root.make_context("pbem", ["games"])
    for name in root.list_commands(context):  # type: ignore[attr-defined]
        command = root.get_command(context, name)  # type: ignore[attr-defined]
        for inner in getattr(command, "commands", {"": command}).values():
            silent = [
                one.name
                for one in inner.params
                if isinstance(one, click.Option) and not (one.help or one.hidden)
            ]
            assert (name, silent) == (name, [])


def test_an_unknown_command_or_option_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "nothing")[0] == 2
    assert run(capsys, "games", "--nothing")[0] == 2


@pytest.mark.process
@pytest.mark.parametrize("how", [(), ("--json",)])
def test_an_answer_for_which_there_is_no_room_is_status_1_and_a_sentence(
    how: tuple[str, ...],
) -> None:
    """In JSON there was no room for the sentence either, and a traceback came of that."""
    if not Path("/dev/full").exists():
        pytest.skip("/dev/full is not on this machine")

    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "pbem", "games", *how],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )

    assert (ended.returncode, ended.stderr) == (1, "Error: The disk is full.\n")


def test_wrong_settings_are_status_2_and_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text("prot = 1")

    status, out, err = run(capsys, "doctor", "--home", str(tmp_path))
    in_json = run(capsys, "doctor", "--home", str(tmp_path), "--json")

    assert (status, out) == (2, "")
    assert "Did you mean port?" in err
    assert "Did you mean port?" in json.loads(in_json[1])["error"]


def test_the_games_are_listed_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    games = {game["name"]: game for game in answer(capsys, "games")["games"]}

    assert 4 in games["dog"]["seats"]
    assert "discard" in games["dog"]["options"]
    told = run(capsys, "games")[1]
    assert told.startswith("dog: Dog")
    assert all(f"    {name} = " in told for game in games.values() for name in game["options"])


def test_whole_matches_are_simulated_and_the_same_seed_plays_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["simulate", "dog", "--seats", "4", "--games", "2", "--seed", "7"]

    first, second = answer(capsys, *arguments), answer(capsys, *arguments)

    assert first["ended"] == 2
    assert sum(first["outcomes"].values()) == 2
    assert first["plies"] > 100
    for measured in ("seconds", "plies_per_second"):
        del first[measured], second[measured]
    assert first == second


def test_an_option_reaches_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(capsys, *"simulate dog --seats 4 --games 1 --option canadian-seven=true".split())

    assert told["options"]["canadian_seven"] is True


def test_an_option_can_be_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    box = msgspec.to_builtins(catalogue("pbem-1").components)
    file = tmp_path / "ours.json"
    file.write_text(json.dumps({**box, "name": "ours"}))
    arguments = "simulate dogs-of-war --seats 3 --games 1 --option".split()

    told = answer(capsys, *arguments, f"components=@{file}")

    assert told["options"]["components"]["name"] == "ours"
    assert option_value(f"components=@{file}")[1]["name"] == "ours"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is not JSON"),
        ("[" * 50_000, "is not JSON"),
        (" " * 200_001, "is longer than 200,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_an_option_is_status_2_and_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str | None, words: str
) -> None:
    file = tmp_path / "ours.json"
    if text is not None:
        file.write_text(text)
    arguments = "simulate dogs-of-war --seats 3 --games 1 --option".split()

    status, _, err = run(capsys, *arguments, f"components=@{file}")

    assert status == 2
    assert words in " ".join(err.split())


def test_a_data_file_without_an_end_is_refused() -> None:
    """What a device or a pipe has to say is not known beforehand."""
    with pytest.raises(click.ClickException, match="/dev/zero is longer than 200,000 bytes"):
        option_value("components=@/dev/zero")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["god"], "There is no game called god."),
        (["dog", "--seats", "9"], "Dog is for"),
        (["dog", "--option", "canadian_seven"], "KEY=VALUE"),
        (["dog", "--option", "nothing=1"], "Dog has no option called nothing. It has:"),
        (["dog", "--option", "canadian_seven=perhaps"], "It can be: true, false."),
        (["skirmish", "--option", "points=many"], "points must be a whole number."),
        (["dog", "--option", "pawns_in=4"], "pawns_in cannot have this value. It can be: 0, 1,"),
        (["dog", "--games", "0"], "--games"),
        (["dog", "--players", "nobody"], "random, easy, steady"),
        (["dog", "--players", "random,easy"], "Name one player or 3"),
        (["dog", "--pairings"], "no openings"),
    ],
)
def test_what_cannot_be_simulated_is_status_2_and_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    status, _, err = run(capsys, "simulate", *arguments)

    assert status == 2
    assert words in err


def test_bots_play_as_well_each_seat_by_its_player(capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(capsys, *"simulate skirmish --games 1 --players random,easy".split())

    assert told["players"] == ["random", "easy"]
    assert told["ended"] == 1
    assert told["moves"]["Build"] == 2
    assert told["events"]["ForceShown"] == 2


def test_each_opening_plays_each_in_every_seat(capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(
        capsys, *"simulate skirmish --pairings --games 2 --option points=100 --players easy".split()
    )

    assert [figures["pairing"] for figures in told] == [
        ["militia", "militia"],
        ["militia", "civilians"],
        ["civilians", "civilians"],
    ]
    assert all(figures["ended"] == 2 for figures in told)
    assert sum(told[0]["opening_wins"].values()) <= 2


def test_people_read_of_pairings_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys, *"simulate skirmish --pairings --games 1 --option points=50".split()
    )

    assert status == 0
    assert "civilians : civilians" in out
    assert "1 of 1 matches ended" in out
    assert "Never happened: OrderTaken" in out


def test_a_match_with_a_flaw_has_not_ended_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = type(find("dog"))
    monkeypatch.setattr(game, "flaws", lambda *_: ["a marble is lost"], raising=False)

    status, out, _ = run(capsys, "simulate", "dog", "--games", "1", "--json")

    assert status == 1
    assert "a marble is lost" in out


def test_people_read_how_the_matches_ended(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "simulate", "dog", "--games", "1")

    assert status == 0
    assert "1 of 1 matches of dog" in out


def test_a_database_is_brought_to_this_version_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first = answer(capsys, "migrate", "--home", str(tmp_path / "home"))
    second = answer(capsys, "migrate", "--home", str(tmp_path / "home"))

    assert first["before"] is None
    assert second["before"] == second["now"] == first["now"]


def test_a_backup_goes_there_and_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old, new, kept = str(tmp_path / "old"), str(tmp_path / "new"), str(tmp_path / "kept.tar.gz")
    answer(capsys, "migrate", "--home", old)

    made = answer(capsys, "backup", kept, "--home", old)
    restored = answer(capsys, "restore", kept, "--home", new)

    assert made["files"] == restored["files"]
    assert run(capsys, "restore", kept, "--home", new)[0] == 1


def test_a_password_becomes_a_hash_that_the_settings_take(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = answer(capsys, "hash-password", "--password", "correct horse battery")
    (tmp_path / "config.toml").write_text(
        f'[operator]\npassword_hash = "{told["password_hash"]}"\n'
    )

    status, out, _ = run(capsys, "doctor", "--home", str(tmp_path), "--json")

    assert status == 1
    assert "there is no password" not in out
    assert run(capsys, "hash-password", "--password", "short")[0] == 2


def test_a_password_can_come_from_another_program(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("correct horse battery\n"))

    told = answer(capsys, "hash-password")
    status, _, said = run(capsys, "hash-password")

    assert PasswordHasher().verify(told["password_hash"], "correct horse battery")
    assert (status, said) == (2, "Error: The password needs 12 characters or more.\n")


@pytest.fixture
def little_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benches measure as little as they can."""
    monkeypatch.setattr("pbem.bench.growth.LOGS", (10, 20))
    monkeypatch.setattr("pbem.bench.growth.TURNS", (10, 20))
    monkeypatch.setattr("pbem.bench.growth.MAILS", (10, 20))
    monkeypatch.setattr("pbem.bench.due.MATCHES", {"dog": 2})
    monkeypatch.setattr("pbem.bench.mails.MATCHES", 1)
    monkeypatch.setattr("pbem.bench.moves.MOVES", 2)
    monkeypatch.setattr("pbem.bench.moves.MOVES_EACH", 2)
    monkeypatch.setattr("pbem.bench.pages.MATCHES", 2)
    monkeypatch.setattr("pbem.bench.pages.TABLES", 2)
    monkeypatch.setattr("pbem.bench.pages.TIMES", 2)
    monkeypatch.setattr("pbem.bench.service.MOVES", 4)
    monkeypatch.setattr("pbem.bench.service.MOVES_EACH", 1)
    monkeypatch.setattr("pbem.bench.service.QUIET", 0)


@pytest.mark.redis
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_benches_give_figures_of_the_service_and_its_floors(
    capsys: pytest.CaptureFixture[str], little_to_measure: None
) -> None:
    asked = "bench all --seconds 0.1 --database sqlite --clients 2 --log 12 --filled 1".split()

    told = answer(capsys, *asked)

    figures = told["figures"]
    assert set(figures) == set(bench.names()) - {bench.DAYS}
    assert all(case for measured in figures.values() for case in measured.values())
    four = {f"sqlite, 2 clients: {name}" for name in ("service", "least", "route", "inserts")}
    assert set(figures["moves"]) == four
    for name in ("moves", "service"):
        ours = figures[name]["sqlite, 2 clients: service"]
        assert 0 < ours["share_least"] <= ours["share"] <= ours["share_most"]
        assert ours["a_second"] > 0
    assert figures["service"]["sqlite, 2 clients: service"]["mail_p50_ms"] > 0
    assert figures["mails"]["skirmish: made"]["kb"] > 10
    assert figures["pages"]["sqlite, home, 2 turns, JSON"]["kb"] > 0.5
    assert figures["growth"]["sqlite, log of 20"]["move_ms"] > 0
    assert told["clients_processor_seconds"] >= 0


def test_a_bench_refuses_what_none_of_those_named_reads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for wrong in ("nothing", "--matches 3", "--clients 3", "moves --database abacus"):
        assert run(capsys, "bench", *wrong.split())[0] == 2, wrong


@pytest.mark.postgres
def test_a_bench_makes_its_databases_on_a_server_and_drops_them(
    capsys: pytest.CaptureFixture[str], little_to_measure: None, postgres_url: str
) -> None:
    told = answer(capsys, "bench", "growth", "--seconds", "0.1", "--database", postgres_url)

    assert set(told["figures"]["growth"]) >= {"postgres, log of 10", "postgres, 20 open turns"}
    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        there = "SELECT datname FROM pg_database WHERE datname LIKE 'pbem_bench_%'"
        assert connection.execute(there).fetchall() == []


def test_the_bench_of_days_plays_matches_with_people_on_a_clock(
    capsys: pytest.CaptureFixture[str],
) -> None:
    figures = answer(
        capsys, "bench", "days", "--matches", "1", "--seed", "a", "--clock", "default"
    )["figures"]

    measured = figures["days"]["default"]
    assert measured["matches"] == 1
    assert measured["own_decisions_a_match"] > 20
    assert run(capsys, "bench", "days", "--clock", "sundial")[0] == 2
