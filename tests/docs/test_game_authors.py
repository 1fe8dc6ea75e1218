"""Plug-ins: that of docs/game-authors.md, what ``pbem new-game`` writes, and one made from it."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.game import Game, Meta
from pbem import new_game
from pbem.commands.new_game import command
from pbem.words.templating import GAME_FILES
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs/game-authors.md").read_text()
FILE = re.compile(r"^`([\w./]+)`[^\n]*\n(?:[^\n]+\n)*\n```\w+\n(.*?)^```", re.S | re.M)


#: A game with hidden hands, in which all decide at once: made with ``pbem new-game``.
SNATCH = ROOT / "tests/plug_ins/pbem-snatch"


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    """A folder in which the page's plug-in lies as an installer would have left it."""
    for name, text in FILE.findall(PAGE):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return installed(tmp_path)


@pytest.fixture
def snatch(tmp_path: Path) -> Path:
    shutil.copytree(SNATCH, tmp_path, dirs_exist_ok=True)
    return installed(tmp_path)


def installed(tmp_path: Path) -> Path:
    """The folder, with what an installer leaves beside a package."""
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    module = project["name"].replace("-", "_")
    installed = tmp_path / f"{module}-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (entry,) = project["entry-points"]["pbem.games"].items()
    (installed / "entry_points.txt").write_text(f"[pbem.games]\n{entry[0]} = {entry[1]}\n")
    return tmp_path


def run(plug_in: Path, program: str) -> str:
    """Runs a program with the plug-in installed; a process of its own forgets it afterwards."""
    paths = os.pathsep.join([str(plug_in), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        cwd=plug_in,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_names_everything_that_meta_can_say() -> None:
    optional = Meta.__struct_fields__[-len(Meta.__struct_defaults__) :]

    assert set(re.findall(r"^\| `meta\.(\w+)` \|", PAGE, re.M)) == set(optional)


def test_the_page_shows_the_plug_in_that_new_game_writes() -> None:
    shown = dict(FILE.findall(PAGE))

    assert len(shown) == 7
    assert shown == new_game.files("nim", "Nim")


def test_the_page_names_every_file_that_the_service_looks_for() -> None:
    table = dict(re.findall(r"^\| `([\w.]+)` \| (.*?) \|$", PAGE, re.M))

    assert {name: table.get(name) for name in GAME_FILES} == GAME_FILES


def test_the_page_names_whatever_a_game_can_be_asked() -> None:
    asked = {name: value for name, value in vars(Game).items() if inspect.isfunction(value)}
    tables = dict(re.findall(r"^\| `(\w+)(\(.*?\))?` \|", PAGE, re.M))

    assert set(tables) == {"meta", *asked}
    for name, function in asked.items():
        given = [one for one in inspect.signature(function).parameters if one != "self"]
        assert tables[name] == f"({', '.join(given)})", name


def test_the_example_keeps_the_laws(plug_in: Path) -> None:
    run(plug_in, LAWS)


LAWS = """
import runpy
runpy.run_path("tests/test_laws.py")["test_the_laws_hold"]()
"""


def test_the_example_is_found_and_simulated_by_the_commands(plug_in: Path) -> None:
    listed = run(plug_in, "from pbem.cli import main; main(['games'])")
    played = run(plug_in, "from pbem.cli import main; main(['simulate', 'nim', '--games', '20'])")

    assert "nim: Nim, rules 1" in listed
    assert "20 of 20 matches of nim" in played


@pytest.mark.parametrize("own_page", [False, True])
def test_the_example_is_played_on_its_pages(plug_in: Path, own_page: bool) -> None:
    """With and without a page of its own for choosing a move; there is no script for it."""
    if own_page:
        (plug_in / "pbem_nim/templates/turn.html").write_text("<p>Choose a heap.</p>")

    told = run(
        plug_in,
        """
        from pathlib import Path
        from sqlmodel import select
        from pbem import create_app
        from pbem.acts import advance, matches
        from pbem.store import db, links
        from pbem.config import load_settings
        from pbem.mail.mailer import post_due
        from pbem.store.models import Link
        from pbem.store.names import Purpose
        from pbem.service import open_service

        settings = load_settings(home=Path("home").absolute())
        settings.home.mkdir()
        db.upgrade(settings.database_url)
        service = open_service(settings)
        ann = matches.Person("Ann", "ann@example.org")
        match = matches.create(service, matches.NewMatch(
            game="nim", host=ann, language="es", confirmed=True,
            seats=[matches.NewSeat("Ann", ann.email), matches.NewSeat(bot="easy")],
        ))
        while advance.advance(service, match.id):
            pass
        while post_due(service):
            pass
        with service.database.read() as session:
            link = session.exec(select(Link).where(Link.purpose == Purpose.TURN)).first()
        path = "/t/" + links.token(service.keys, link)
        client = create_app(service).test_client()
        print(client.get(path, headers={"Accept": "text/html"}).text)
        print(client.get("/dev/mail?to=ann@example.org").get_json()[-1]["text"])
        order = client.get(path, headers={"Accept": "application/json"}).get_json()["orders"][0]
        move = {"order": order, "submission": "1"}
        print(client.post(path, json=move).get_json())
        print(client.get("/m/" + match.id, headers={"Accept": "text/html"}).text)
        service.database.close()
        """,
    )

    assert "Montón 1: " in told
    assert "viewBox=" in told
    assert "Ann toma 1 del montón 1." in told
    assert "'accepted': True" in told
    assert ("Choose a heap." in told) == own_page


# --- what new-game writes ---


def written(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--into", str(folder)])


def test_a_new_game_plays_under_its_own_name(tmp_path: Path) -> None:
    done = written(tmp_path, "blind-auction", "--title", "The blind auction")

    whole = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    made = installed(tmp_path / "pbem-blind-auction")
    assert done.exit_code == 0
    run(made, LAWS)
    assert "blind-auction: The blind auction, rules 1" in run(
        made, "from pbem.cli import main; main(['games'])"
    )
    assert not re.search("nim", whole.replace("animate", ""), re.I)


def test_a_new_game_can_have_a_name_that_holds_that_of_the_example(tmp_path: Path) -> None:
    done = written(tmp_path, "hex-nim", "--title", "Nim on hexes")

    project = (tmp_path / "pbem-hex-nim" / "pyproject.toml").read_text()
    assert done.exit_code == 0
    assert 'name = "pbem-hex-nim"' in project
    assert 'hex-nim = "pbem_hex_nim:GAME"' in project


@pytest.mark.parametrize("name", ["dog", "Blind", "blind_auction", "-x", "a" * 31, "../up", ""])
def test_a_name_that_no_game_can_have_is_refused(tmp_path: Path, name: str) -> None:
    done = CliRunner().invoke(command, ["--into", str(tmp_path), "--", name])

    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_title_cannot_break_the_files_it_is_written_into(tmp_path: Path) -> None:
    assert written(tmp_path, "auction", "--title", 'Au"ction').exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    written(tmp_path, "auction")

    assert written(tmp_path, "auction").exit_code == 1


# --- a game of another shape ---


def test_a_game_of_hidden_hands_keeps_the_laws(snatch: Path) -> None:
    run(snatch, LAWS)


def test_what_holds_for_every_game_holds_with_a_plug_in_installed(snatch: Path) -> None:
    """The laws, the pages that list games, the doors, and two worlds: with one game more."""
    (snatch / "tests/test_laws.py").unlink()
    (snatch / "tests").rmdir()

    told = run(
        snatch,
        f"""
        import os, pytest, sys
        os.chdir({str(ROOT)!r})
        sys.exit(pytest.main([
            "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist",
            "tests/engine/test_laws.py", "tests/web/test_first_page.py",
            "tests/web/test_opening.py",
            "-k", "snatch or page or first or opening",
        ]))
        """,
    )

    assert "PASSED tests/engine/test_laws.py" in told
    assert "snatch" in told


def test_the_script_and_the_stylesheet_of_a_plug_in_are_served(snatch: Path) -> None:
    (snatch / "pbem_snatch/templates/turn.js").write_text("// chosen by script")
    (snatch / "pbem_snatch/templates/look.css").write_text("b { color: red }")

    told = run(
        snatch,
        """
        from pathlib import Path
        from pbem import create_app
        from pbem.store import db
        from pbem.config import load_settings
        from pbem.service import open_service

        settings = load_settings(home=Path("home").absolute())
        settings.home.mkdir()
        db.upgrade(settings.database_url)
        client = create_app(open_service(settings)).test_client()
        answer = client.get("/games/snatch/turn.js")
        print(answer.status_code, answer.text, answer.headers["Content-Security-Policy"])
        print(client.get("/games/snatch/look.css").text)
        print(client.get("/games/nothing/turn.js").status_code)
        """,
    )

    assert "200 // chosen by script default-src" in told
    assert "b { color: red }" in told
    assert "404" in told
