"""Which texts there are to translate, read from the sources themselves.

``python -m tests.web.extraction`` lists those that lack a Spanish translation, as lines of a .po
file.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2.ext import babel_extract

from engine import errors as engine_errors
from engine.games.registry import BUILT_IN
from pbem import errors as service_errors
from pbem.words import templating

ROOT = Path(__file__).parents[2]

#: Calls whose first text is shown to people: the catalogue's own, sentences, and errors.
SPEAKING = {
    "_",
    "Sentence",
    *(name for name, _ in inspect.getmembers(engine_errors, inspect.isclass)),
    *(
        name
        for name, kind in inspect.getmembers(service_errors, inspect.isclass)
        # those are for the operator, in English
        if not issubclass(kind, service_errors.NotInOrder)
    ),
    *("Doubtful", "ForeignOrigin", "NotJson", "NotLoggedIn"),
}
Message = str | tuple[str, str]


def service_messages() -> set[Message]:
    """All texts of the service: its code, its pages and its mails."""
    found: set[Message] = set()
    folders = [(ROOT / "pbem").rglob, (ROOT / "engine").glob, (ROOT / "engine" / "games").glob]
    for file in sorted(file for folder in folders for file in folder("*.py")):
        # the plug-in to begin with brings its own catalogue
        if {"migrations", "new_game"} & set(file.parts):
            continue
        found |= set(_calls(ast.parse(file.read_text())))
    for folder in ("web", "mail"):
        found |= _in_templates(templating.location() / folder)
    return found


def game_messages(game: str) -> set[Message]:
    """All texts of a game: whatever in its package reads like words, and its templates."""
    package = ROOT / Path(*BUILT_IN[game].split("."))
    found: set[Message] = set()
    for file in sorted(package.rglob("*.py")):
        tree = ast.parse(file.read_text())
        found |= set(_words(tree))
        # a word alone reads like a name, unless it is said
        found |= {text for text in _calls(tree) if re.search("[a-z]{2}", _outside(_first(text)))}
    for file in sorted(package.glob("data/*.json")):
        # a designation as AK-47 is the same in every language
        found |= {title for title in _titles(json.loads(file.read_text())) if WORD.search(title)}
    for file in sorted(package.glob("data/tables/*.json")):
        # “tree 7” is said as the word and the number
        features = json.loads(file.read_text())["features"]
        found |= {feature["name"].rstrip("0123456789").strip() for feature in features}
    return found | _in_templates(templating.location() / "games" / game)


def _in_templates(folder: Path) -> set[Message]:
    found: set[Message] = set()
    for file in sorted(folder.rglob("*")):
        if file.suffix not in (".html", ".txt", ".svg", ".xml"):
            continue
        with file.open("rb") as lines:
            for _, function, message, _ in babel_extract(lines, ("_", "ngettext"), [], OPTIONS):
                if function == "ngettext":
                    found.add(message[:2])
                elif message is not None and _first(message) is not None:
                    # else what is said comes from elsewhere, where it is found
                    found.add(_first(message))
    return found


OPTIONS = {"trimmed": "true"}
WORD = re.compile("[a-z]{3}")


def _titles(data: Any) -> Iterator[str]:
    """Every title in a data file of a game."""
    if isinstance(data, dict):
        if isinstance(title := data.get("title"), str):
            yield title
        data = list(data.values())
    if isinstance(data, list):
        for part in data:
            yield from _titles(part)


def _first(message: str | tuple[str, ...]) -> str:
    return message if isinstance(message, str) else message[0]


def _calls(tree: ast.AST) -> Iterator[Message]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        function = node.func
        name = function.id if isinstance(function, ast.Name) else ""
        method = function.attr if isinstance(function, ast.Attribute) else ""
        if name in SPEAKING or method in SPEAKING or method in ("text", "__init__"):
            yield from _texts(node.args[0])
        elif method == "plural":
            one, many = node.args[:2]
            if isinstance(one, ast.Constant) and isinstance(many, ast.Constant):
                yield str(one.value), str(many.value)


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts an argument can be: a constant, or either side of a condition."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def _outside(text: str) -> str:
    """A text without its named places."""
    return re.sub(r"\{\w+\}", "", text)


def _words(tree: ast.AST) -> Iterator[str]:
    """Texts of several words, but for docstrings and the names of dice rolls."""
    silent: set[int] = set()
    for node in ast.walk(tree):
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and (_name(node.func.value) == "dice" or node.func.attr in ("compile", "startswith"))
        ):
            silent |= {id(inner) for inner in ast.walk(node)}
        if isinstance(node, ast.JoinedStr):
            silent |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in silent or not isinstance(node, ast.Constant):
            continue
        text = node.value.strip() if isinstance(node.value, str) else ""
        if re.search(r"\w[:.,;]? \S", text) and re.search(r"[a-z]{2}", text):
            yield text


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    from pbem.words.i18n import translator

    for game in (None, *BUILT_IN):
        known = translator("es", game)._messages
        wanted = game_messages(game) if game else service_messages()
        print(f"# --- {game or 'service'}")
        for message in sorted(wanted, key=str):
            if _first(message) in known:
                continue
            if isinstance(message, tuple):
                print(f"msgid {quoted(message[0])}\nmsgid_plural {quoted(message[1])}")
                print('msgstr[0] ""\nmsgstr[1] ""\n')
            else:
                print(f'msgid {quoted(message)}\nmsgstr ""\n')


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


if __name__ == "__main__":
    main()
