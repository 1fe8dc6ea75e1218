"""``pbem new-game NAME``: writes a plug-in that plays, as a start for a game of one's own."""

from __future__ import annotations

import re
from pathlib import Path

import click

from engine.games.registry import BUILT_IN
from pbem import new_game
from pbem.commands import NotWell, WrongUse, json_option, print_json


@click.command()
@click.argument("name")
@click.option("--title", help="As people say it; the name with capitals where it is not given.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The folder to make the plug-in's own folder in; here where it is not given.",
)
@json_option
def command(name: str, title: str | None, into: Path, as_json: bool) -> None:
    """Write a plug-in called NAME that plays already, with its tests, a board, a bot and Spanish.

    It is the game of the guide for authors, under your name: change it step by step.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or len(name) > 30:
        raise WrongUse(
            f"{name[:40]!r} cannot be a game's name: write small letters and digits, words joined"
            " by hyphens, as in blind-auction."
        )
    if name in BUILT_IN:
        raise WrongUse(f"{name} comes with pbem. Choose another name.")
    if title is not None and not re.fullmatch(r"[^\W_][^\"\\\n{}]{0,59}", title):
        raise WrongUse("A title has 1 to 60 characters, without quotes, braces or backslashes.")
    folder = into / f"pbem-{name}"
    if folder.exists():
        raise NotWell(f"{folder} is there already, and is left as it is.")
    files = new_game.files(name, title or name.replace("-", " ").title())
    try:
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise NotWell(f"{folder} cannot be written: {error.strerror}.") from None
    if as_json:
        print_json({"folder": str(folder), "files": sorted(files)})
        return
    click.echo(f"{folder} holds a game that plays. Next:")
    for line in (
        f"pip install --editable '{folder}[test]'",
        f"python -m pytest {folder}",
        f"pbem simulate {name} --games 100",
        "pbem up",
    ):
        click.echo(f"  {line}")
