"""The game of docs/game-authors.md, taken out of the page, installed as a plug-in and played."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from engine.game import Game
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs/game-authors.md").read_text()
FILE = re.compile(r"^`([\w./]+)`[^\n]*\n(?:[^\n]+\n)*\n```\w+\n(.*?)^```", re.S | re.M)


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    """A folder in which the plug-in lies as an installer would have left it."""
    for name, text in FILE.findall(PAGE):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    installed = tmp_path / "pbem_nim-1.0.dist-info"
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


def test_the_page_holds_a_whole_plug_in(plug_in: Path) -> None:
    files = {name for name, _ in FILE.findall(PAGE)}

    assert files == {
        "pyproject.toml",
        "pbem_nim/__init__.py",
        *(
            f"pbem_nim/templates/{name}"
            for name in ("sentences.txt", "board.txt", "board.svg", "es.po")
        ),
    }


def test_the_page_names_whatever_a_game_can_be_asked() -> None:
    asked = {name: value for name, value in vars(Game).items() if inspect.isfunction(value)}
    tables = dict(re.findall(r"^\| `(\w+)(\(.*?\))?` \|", PAGE, re.M))

    assert set(tables) == {"meta", *asked}
    for name, function in asked.items():
        given = [one for one in inspect.signature(function).parameters if one != "self"]
        assert tables[name] == f"({', '.join(given)})", name


def test_the_example_keeps_the_laws(plug_in: Path) -> None:
    (test,) = re.findall(r"^```python\n(from engine.testing.*?)^```", PAGE, re.S | re.M)

    run(plug_in, test + "\n\ntest_the_laws_hold()\n")


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
        from pbem import advance, create_app, db, links, matches
        from pbem.config import load_settings
        from pbem.mail.post import post_due
        from pbem.models import Link, Purpose
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
