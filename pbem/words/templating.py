"""Templates: where they are, and the one way to render them, for pages, mails and pictures.

Files that end in ``.html``, ``.svg`` or ``.xml`` escape their values; plain text does not. A name
that a template uses and that has no value is an error, not an empty string.

A game that was installed from outside brings its templates in a folder ``templates`` beside the
module its entry point names; they are found as ``games/GAME/...`` like those of the built-in games.
"""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

_ESCAPED = (".html", ".svg", ".xml")


def location() -> Path:
    """The folder of the templates: beside the package in a checkout, inside it in a wheel."""
    here = Path(__file__).parents[1]
    inside = here / "_templates"
    return inside if inside.is_dir() else here.parent / "templates"


class _Context(jinja2.runtime.Context):
    """The values that a template knows.

    Jinja looks at whatever a template calls: it may want the context. Here nothing does but macros,
    which would learn whether their caller escapes, and take themselves for escaped if it does.
    So a macro of a file of plain text put names into a page as they are. Now its text is escaped.
    """

    def call(
        self,
        called: Callable[..., Any],
        /,
        *args: Any,
        _block_vars: object = None,
        _loop_vars: object = None,
        **kwargs: Any,
    ) -> Any:
        return called(*args, **kwargs)


class _Compiled(jinja2.FileSystemBytecodeCache):
    """What templates were compiled to, kept in ``__pycache__`` as Python keeps its modules.

    To compile all of them takes a process five seconds, to read them a fifth of one. Where nothing
    can be written, each process compiles for itself.
    """

    def __init__(self) -> None:
        super().__init__(str(Path(importlib.util.cache_from_source(__file__)).parent))
        # Jinja works out at once what a filter makes of a constant: this file has a part in it
        self._maker = jinja2.__version__ + Path(__file__).read_text("utf-8")

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        # one file for each name, in whatever folder a game from outside lies
        return super().get_cache_key(name)

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(self._maker + source)

    def load_bytecode(self, bucket: Bucket) -> None:
        # what is there and cannot be read is compiled, too
        with suppress(Exception):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


@cache
def environment() -> jinja2.Environment:
    """The environment that all templates share."""
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.FileSystemLoader(location()), jinja2.FunctionLoader(_from_plug_in)]
        ),
        autoescape=lambda name: name is not None and name.endswith(_ESCAPED),  # noqa: S701
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=_Compiled(),
    )
    made.context_class = _Context
    # pictures of boards need trigonometry, which templates do not have; of angles in whole turns
    made.globals |= {
        "cosine": lambda turns: math.cos(turns * math.tau),
        "sine": lambda turns: math.sin(turns * math.tau),
        "tangent": lambda turns: math.tan(turns * math.tau),
        "still": _still,
        "remembered": remembered,
    }
    made.filters["kind"] = kind_of
    made.filters["minus"] = minus
    # Jinja would make an encoder for each value
    made.policies["json.dumps_function"] = json.JSONEncoder(sort_keys=True).encode
    made.policies["json.dumps_kwargs"] = {}
    return made


def kind_of(value: Any) -> str:
    """The tag of an event's or a move's type; in templates ``value | kind``."""
    return str(type(value).__struct_config__.tag)


def minus(number: float | str) -> str:
    """A number as people read it, with a true minus sign; in templates ``number | minus``.

    Of a text, its first sign: ``"%+d" | format(number) | minus``.
    """
    text = str(number)
    return f"−{text[1:]}" if text.startswith("-") else text


#: The files of a game's folder that the service looks for, and what each is for. All are optional;
#: a game may have more, for its own files to import.
GAME_FILES = {
    "sentences.txt": "a macro for each kind of event, named by its tag: what happened, in words",
    "board.txt": "the table in words, for mails and for whoever cannot see a picture",
    "board.svg": "the picture of the table, for pages and (in pixels) for mails",
    "frame.html": "what stands around the picture on pages; it puts `board` where it belongs",
    "choices.txt": "what can be decided and how, where a list of orders does not help",
    "help.txt": "what can be done now, for who asks by mail with a question mark",
    "turn.html": "fields to choose a move by, in place of the list of orders",
    "turn.js": "a script for `turn.html`; without it the page must work as well",
    "board.js": "a script for the picture wherever a page shows it, to move and enlarge it",
    "cover.svg": "its picture on the first page; `board` is a table in the middle of a match",
    "letter.svg": "the large picture of the first page; `board` as in its cover",
    "look.css": "how its drawing and its fields look on pages, and the colours they add",
    "preview.html": "what a move would do, beside the sentences",
    "options.txt": "macros `NAME` and `NAME__VALUE`: what options and their values are called",
    "rules.html": "the page of the rules, a fragment of HTML",
    "tables.html": "tables beside the rules, drawn from `reference`: of the game, or of one match",
    "es.po": "all of it in Spanish",
}


def of_game(game: str, name: str) -> str | None:
    """The template's name for one of a game's ``GAME_FILES``; None if the game has no such file."""
    assert name in GAME_FILES, name
    file = f"games/{game}/{name}"
    return file if source(file) is not None else None


@cache
def source(name: str) -> str | None:
    """The text of a template (or of another file of a game's folder), or None."""
    loader = environment().loader
    assert loader is not None  # environment() sets it
    try:
        return loader.get_source(environment(), name)[0]
    except jinja2.TemplateNotFound:
        return None


def render(name: str, words: Any, /, **values: Any) -> str:
    """A rendered template. ``words`` is the Translator behind ``_`` and ``ngettext``."""
    return environment().get_template(name).render(spoken(words) | values)


def macros(name: str, words: Any, /, **values: Any) -> Any:
    """The macros of a file, as attributes; all of them can use ``values``."""
    return environment().get_template(name).make_module(spoken(words) | values)


def spoken(words: Any) -> dict[str, Any]:
    return {"_": words.text, "ngettext": words.plural, "words": words}


# a kilobyte each or so; the spaces of Dogs of War, free in two languages and taken, are some 1,500
@lru_cache(maxsize=2048)
def _still(name: str, words: Any = None, **values: Any) -> Markup:
    """A part that depends on these values only, and on the language of ``words`` if it has texts.

    The result is cached.
    """
    known = values if words is None else spoken(words) | values
    return Markup(environment().get_template(name).render(known))  # noqa: S704 - it escapes


class _Remembered:
    """The macros of a file, as attributes. What each made of its arguments is cached."""

    def __init__(self, name: str, words: Any) -> None:
        self._made = (
            environment().get_template(name).make_module(None if words is None else spoken(words))
        )

    def __getattr__(self, macro: str) -> Callable[..., Any]:
        # typed: 1 and 1.0 are the same to a dictionary, and not in a drawing; the pawns of four, at
        # all their places for each reader, are 1,152 of some 300 bytes
        found = lru_cache(maxsize=4096, typed=True)(getattr(self._made, macro))
        setattr(self, macro, found)
        return found


@cache
def remembered(name: str, words: Any = None) -> _Remembered:
    """The macros of a file that need no value of the page, only their arguments.

    If they have texts, also the language of ``words``.
    """
    return _Remembered(name, words)


def _from_plug_in(name: str) -> tuple[str, str | None, Callable[[], bool] | None] | None:
    kind, _, rest = name.partition("/")
    game, _, file = rest.partition("/")
    if kind != "games" or not file or ".." in file.split("/"):
        return None
    folder = _plug_in_folder(game)
    path = folder / file if folder else None
    if path is None or not path.is_file():
        return None
    return path.read_text(encoding="utf-8"), str(path), None


@cache
def _plug_in_folder(game: str) -> Path | None:
    for entry in entry_points(group="pbem.games", name=game):
        spec = importlib.util.find_spec(entry.module)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent / "templates"
    return None
