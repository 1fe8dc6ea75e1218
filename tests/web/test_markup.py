"""Templates, scripts and styles hold markup and no more, and can be read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from pbem.words import templating
from tests.web.extraction import ROOT

#: Longest line, in characters.
WIDEST = 160
KINDS = {".html", ".txt", ".svg", ".xml", ".js", ".css"}
CHANGES = {"append", "extend", "insert", "pop", "remove", "update", "setdefault", "clear"}
#: Where a move is chosen: also the files that a game's ``turn.html`` takes in.
CHOOSING = re.compile(r"turn.*\.html|choices\.txt|help\.txt")


def files() -> list[Path]:
    """All of ours: pages, mails, games' templates, the plug-in to begin with, and static files."""
    folders = (ROOT / "templates", ROOT / "pbem/new_game", ROOT / "pbem/web/static")
    found = (file for folder in folders for file in sorted(folder.rglob("*")))
    others = {"vendor", "fonts"}
    return [file for file in found if file.suffix in KINDS and others.isdisjoint(file.parts)]


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


def tree(text: str) -> nodes.Template:
    environment: jinja2.Environment = templating.environment()
    return environment.parse(text)


def templates() -> list[Path]:
    return [file for file in files() if file.suffix not in (".js", ".css")]


def long_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if len(line) > WIDEST]


def changes(text: str) -> Iterator[str]:
    """Calls that change a list or a mapping, and names that are set to be thrown away."""
    found = tree(text)
    for call in found.find_all(nodes.Call):
        if isinstance(call.node, nodes.Getattr) and call.node.attr in CHANGES:
            yield call.node.attr
    for made in found.find_all(nodes.Assign):
        if isinstance(made.target, nodes.Name) and made.target.name.startswith("_"):
            yield made.target.name


def put_together(text: str) -> Iterator[str]:
    """Words that ``~``, ``%`` or ``format`` put together with something.

    Signs between are none, nor are the beginnings of fields' names: ``east-``.
    """
    found = tree(text)
    # the name of a file is no order
    found.body = [one for one in found.body if not isinstance(one, nodes.Include)]
    made = [
        *(part for one in found.find_all(nodes.Concat) for part in one.nodes),
        *(one.left for one in found.find_all(nodes.Mod)),
        *(one.node for one in found.find_all(nodes.Filter) if one.name == "format"),
    ]
    for part in made:
        said = str(part.value) if isinstance(part, nodes.Const) else ""
        if re.search(r"(?<!%)[a-z]{2}", said) and not re.fullmatch(r"[a-z-]+-", said):
            yield said


def test_no_attribute_goes_on_in_the_next_line() -> None:
    """Formatters move what stands there, and a value has its spaces moved, too."""
    goes_on = {name(file) for file in templates() if re.search(r'="\n', file.read_text())}

    assert not goes_on


def test_no_attribute_begins_with_a_second_space() -> None:
    """Formatters put one before it."""
    twice = r'<[a-z][^>]* \{\{ " [a-z-]+" if'

    assert not {name(file) for file in templates() if re.search(twice, file.read_text())}


def test_no_attribute_stands_at_the_end_of_the_one_before_it() -> None:
    """Of what is before a block that begins with a dash the spaces are taken away."""
    joined = r'\{%- if [^%]*%\}[a-z-]+="'

    assert not {name(file) for file in templates() if re.search(joined, file.read_text())}


def test_no_line_is_longer_than_the_widest() -> None:
    long = {name(file) for file in files() if long_lines(file.read_text())}

    assert long == set()


def test_no_template_changes_a_list() -> None:
    changing = {name(file) for file in templates() if any(changes(file.read_text()))}

    assert changing == set()


def test_what_is_kept_names_nobody() -> None:
    """A name that ``still`` were given would stay in memory when its player is forgotten."""
    found = [
        name(file)
        for file in templates()
        for call in tree(file.read_text()).find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name == "still"
        if any(used.name == "names" for used in call.find_all(nodes.Name))
    ]

    assert not found


def test_no_template_in_which_a_move_is_chosen_writes_an_order() -> None:
    """What is handed in stands in the options that the game lists, as its notation writes it."""
    games = [file for file in templates() if "games" in file.parts]
    choosing = [file for file in games if CHOOSING.fullmatch(file.name)]
    writing = {name(file) for file in choosing if any(put_together(file.read_text()))}

    assert len(choosing) > 2
    assert writing == set()


def test_the_words_of_a_script_stand_in_one_block_of_the_page() -> None:
    saying = {name(file) for file in files() if re.search("data-say|[.]say[A-Z]", file.read_text())}

    assert saying == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{% set rows = [] %}{% set _x = rows.append(1) %}", ["append", "_x"]),
        ("{{ all.update({}) }}", ["update"]),
        ("{% set first, second = pair %}{{ first.items() }}", []),
    ],
)
def test_changes_are_found(text: str, found: list[str]) -> None:
    assert list(changes(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        '<input value="{{ man ~ " fire" }}">',
        '<input value="{{ "give token to %d" % number }}">',
        '{{ choice("%s fire %s" | format(man, other)) }}',
    ],
)
def test_orders_that_a_template_puts_together_are_found(text: str) -> None:
    assert list(put_together(text))
    assert not list(put_together('<input value="{{ option.order }}"> {{ " (%s)" | format(why) }}'))


def test_a_hint_beside_a_field_has_an_id_by_which_the_field_names_it() -> None:
    """Whether it does is looked at in a browser. What stands beside a button needs none."""
    hints = [
        (name(file), "id=" in hint)
        for file in templates()
        for hint in re.findall(r'<span\b[^>]*\bclass="hint"[^>]*>', file.read_text())
    ]

    assert len(hints) > 10
    assert [file for file, has_id in hints if not has_id] == ["templates/web/remedying.html"]


def test_regions_that_scroll_have_names_of_their_own() -> None:
    for file in templates():
        text = file.read_text()

        regions = re.findall(
            r'tabindex="0" role="group" aria-label="([^"]*\{\{.*?\}\}[^"]*)"', text
        )

        assert len(regions) == len(set(regions)), name(file)
