"""Every command says a sentence where the service is not there, and leaves nothing behind.

The commands are found by walking the group: one that comes later is tried like the others.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from engine.games.registry import games
from pbem.bench import pace
from pbem.cli import main, root
from pbem.running import doctor_mail, own_web
from tests.parts.processes import obeying_modes

#: What a command is told where it cannot do without; who is not here is told "nothing".
WORDS = {
    "game": "dog",
    "address": "alice@example.org",
    "host": "Alice <alice@example.org>",
    "seats": "Alice <alice@example.org>",
    "password": "correct horse battery",
    "mode": "100",
}
#: What some are told besides, so that they have something to do, and that little.
BESIDES = {
    ("replay",): ["--all"],
    ("bench",): ["pace", "--seconds", "0.1"],
    ("simulate",): ["--games", "1"],
    ("hash-password",): ["--password", WORDS["password"]],
    ("remedy",): ["--seat", "0"],
    ("new-game",): ["--into", os.devnull],
    ("person", "forget"): ["--yes"],
}
#: They read no settings, so nothing that is missing here concerns them.
NEED_NO_SERVICE = {("bench",), ("games",), ("hash-password",), ("simulate",), ("verify",)}
#: They are there to make what is missing; the first goes on where it can, and must not run here.
MAKE_A_HOME = {("up",), ("migrate",)}


@dataclass(frozen=True)
class Place:
    """Where commands are run: the folder they stand in, and the home they are told of."""

    folder: Path
    home: Path | None
    #: Nothing can be made here, whoever tries.
    barred: bool = False


def commands() -> dict[tuple[str, ...], click.Command]:
    """Every command with its path: ``("match", "new")``."""
    found: dict[tuple[str, ...], click.Command] = {}

    def walk(group: click.Group, path: tuple[str, ...]) -> None:
        context = click.Context(group, info_name="pbem")
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            if isinstance(command, click.Group):
                walk(command, (*path, name))
            else:
                found[*path, name] = command

    assert isinstance(root, click.Group)
    walk(root, ())
    return found


ALL = commands()


def words_for(path: tuple[str, ...], command: click.Command, folder: Path) -> list[str]:
    """The command with whatever it cannot do without."""
    words = [*path]
    for parameter in command.params:
        if not parameter.required:
            continue
        kind = parameter.type
        if isinstance(kind, click.Choice):
            value = str(kind.choices[0])
        elif isinstance(kind, click.Path):
            file = folder.parent / "given"
            if kind.exists:
                file.write_text("{}")
            value = str(file)
        elif isinstance(kind, click.types.IntParamType):
            value = "1"
        else:
            value = WORDS.get(parameter.name or "", "nothing")
        words += [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]
    return words + BESIDES.get(path, [])


# --- the places ---


@pytest.fixture
def taken_port() -> Iterator[int]:
    """Whatever opens a port would run for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def folder(tmp_path: Path, _sqlite_template: Path) -> Path:
    """An empty folder; beside it lies a whole database."""
    shutil.copy(_sqlite_template, tmp_path / "whole.sqlite3")
    found = tmp_path / "here"
    found.mkdir()
    return found


def without_a_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(folder, None)


def without_an_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("PBEM_DATABASE_URL", "postgresql://pbem:hunter2@127.0.0.1:1/pbem")
    return Place(folder, None)


def without_tables(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    (folder / "pbem.sqlite3").touch()
    return Place(folder, folder)


def with_another_file_as_database(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    (folder / "pbem.sqlite3").write_text("This is a letter and no database. " * 100)
    return Place(folder, folder)


def below_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    (folder / "file").touch()
    return Place(folder, folder / "file" / "home", barred=True)


def where_nothing_may_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A whole database, and whoever runs this may read it and no more."""
    shutil.copy(folder.parent / "whole.sqlite3", folder / "pbem.sqlite3")
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    return Place(folder, folder, barred=True)


PLACES = (
    where_nothing_may_be_written,
    without_a_home,
    without_an_answer,
    without_tables,
    with_another_file_as_database,
    below_a_file,
)


def left_behind(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_a_command_without_its_service_says_a_sentence_and_leaves_nothing_behind(
    path: tuple[str, ...],
    place: object,
    folder: Path,
    taken_port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PBEM_PORT", str(taken_port))
    monkeypatch.setenv("PBEM_INCOMING_LMTP_PORT", str(taken_port))
    # nobody answers at that port, and one need not wait for it as an operator would
    monkeypatch.setattr(own_web, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(doctor_mail, "WAIT_SECONDS", 0.1)
    # a bench of one game says as much
    monkeypatch.setattr(pace, "games", lambda: {"dog": games()["dog"]})
    where: Place = place(folder, monkeypatch)  # type: ignore[operator]
    if where.home is not None:
        monkeypatch.setenv("PBEM_HOME", str(where.home))
    before = left_behind(folder)

    for as_json in (False, True):
        words = words_for(path, ALL[path], folder) + (["--json"] if as_json else [])
        with pytest.raises(SystemExit) as ended, obeying_modes():
            main(words)
        said = capsys.readouterr()

        assert ended.value.code in expected(path, where, place)
        assert "Traceback" not in said.out + said.err
        assert "hunter2" not in said.out + said.err
        assert "[SQL" not in said.out + said.err
        if as_json:
            json.loads(said.out)
        elif ended.value.code:
            assert said.err.strip() or path == ("doctor",) or path in NEED_NO_SERVICE

    if path not in MAKE_A_HOME or where.barred:
        assert left_behind(folder) == before


def expected(path: tuple[str, ...], where: Place, place: object) -> set[int]:
    if path == ("verify",):
        return {1}
    if path in NEED_NO_SERVICE:
        return {0}
    if path == ("migrate",) and place in (without_a_home, without_tables):
        return {0}
    return {1}
