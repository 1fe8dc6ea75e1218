"""What the pages say is there is there: links, commands, settings, names."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pkgutil
import re
import runpy
import shlex
import sys
from functools import reduce
from pathlib import Path
from typing import Any

import click
import pytest

from engine.games.registry import BUILT_IN
from pbem import acts
from pbem.acts import deliverability
from pbem.acts.remedies import REMEDIES
from pbem.cli import root
from pbem.commands.remedy import NAMES
from pbem.config import leaves
from pbem.metrics import exposition
from pbem.store.names import Actor
from tests.docs import who_may
from tests.docs.pages import FENCE, ROOT, anchors, commands, name, pages

PAGES = pytest.mark.parametrize("page", pages(), ids=name)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@PAGES
def test_every_link_to_a_file_or_heading_leads_there(page: Path) -> None:
    text = FENCE.sub("", page.read_text())

    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert not heading or heading in anchors(file.read_text()), target


@PAGES
def test_every_command_and_option_exists(page: Path) -> None:
    for line in commands(page.read_text(), "pbem"):
        refuse_unknown(line)


def test_the_commands_of_a_page_are_found_in_it() -> None:
    found = list(commands((ROOT / "docs/operators.md").read_text(), "pbem"))

    assert {"doctor", "replay --all", "up --home /srv/pbem", "remedy MATCH retry"} <= set(found)


def test_a_command_that_does_not_exist_would_be_noticed() -> None:
    for line in ("remedies", "remedy MATCH cure", "stalled --now", "match close", "up --fast"):
        with pytest.raises(AssertionError):
            refuse_unknown(line)


def refuse_unknown(line: str) -> None:
    """Fails where the command line names something that pbem does not have."""
    command: click.Command = root
    context = click.Context(root)
    words = shlex.split(line.replace("...", ""))
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"pbem {line}: there is no {words[0]}"
        command, words = found, words[1:]
    parameters = command.get_params(context)
    options = {text for one in parameters for text in one.opts}
    for word in words:
        assert not word.startswith("-") or word.split("=")[0] in options, f"pbem {line}: {word}"
    # an argument that is one of several words must be one of them: pbem remedy MATCH WORD
    arguments = [one for one in parameters if isinstance(one, click.Argument)]
    given = [word for word in words if not word.startswith("-")]
    for argument, word in zip(arguments, given, strict=False):
        if isinstance(argument.type, click.Choice):
            assert word in argument.type.choices, f"pbem {line}: {word}"


def test_every_remedy_is_shown_to_operators_and_told_to_hosts() -> None:
    operators, hosts = ((ROOT / f"docs/{one}.md").read_text() for one in ("operators", "hosts"))
    known = [(str(one.label), Actor.HOST in one.who) for one in REMEDIES.values()]
    table = hosts.split("| the remedy |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (\(the operator\) )?([A-Z][^|]+) \|", table, re.M)

    assert [one for one in NAMES if f"pbem remedy MATCH {one}" not in operators] == []
    assert {label for label, of_host in known if not of_host and label not in operators} == set()
    assert [(label, not alone) for alone, label in rows] == known


def test_hosts_are_told_what_they_may_do_as_the_matrix_says() -> None:
    shown = who_may.parts(who_may.PAGE.read_text())[1]

    assert shown == who_may.table(), "python -m tests.docs.who_may writes it"


@PAGES
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M))

    for line in commands(page.read_text(), "make"):
        assert set(line.split()[:1]) <= targets, line


def test_the_readme_shows_how_to_run_and_test_it() -> None:
    shown = list(commands((ROOT / "README.md").read_text(), "make"))

    assert "up" in shown
    assert "test" in shown


def test_every_setting_is_explained_to_operators() -> None:
    explained = (ROOT / "docs/operators.md").read_text() + (
        ROOT / "config.example.toml"
    ).read_text()

    missing = [
        key
        for key in leaves()
        if key not in explained and not re.search(rf"^(# )?{key.split('.')[-1]} =", explained, re.M)
    ]

    assert missing == []


@PAGES
def test_every_setting_that_is_named_exists(page: Path) -> None:
    sections = {key.partition(".")[0] for key in leaves() if "." in key}
    text = FENCE.sub("", page.read_text())
    named = re.findall(rf"`((?:{'|'.join(sorted(sections))})\.[a-z_]+)`", text)
    # a module of the code may have a section's name, as in pbem/mail: `mail.wanted`
    modules = {f"{path.parent.name}.{path.stem}" for path in (ROOT / "pbem").glob("*/*.py")}

    assert [key for key in named if key not in set(leaves()) | modules] == []


def test_every_number_for_prometheus_that_is_named_exists() -> None:
    named = set(re.findall(r"`(pbem_[a-z_]+)", (ROOT / "docs/operators.md").read_text()))
    there = set(re.findall(r"^# TYPE (\w+)", exposition()[0].decode(), re.M))

    assert len(named) > 5
    assert {one for one in named if one not in there} == set()


# --- the glossary and the architecture ---

GLOSSARY = (ROOT / "docs/glossary.md").read_text()
WORDS = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([\w.]+)` \|$", GLOSSARY, re.M)


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word[0])
def test_every_word_of_the_glossary_is_in_the_code(word: tuple[str, str]) -> None:
    assert is_there(word[1])


def test_every_name_on_the_glossary_s_page_is_in_the_code() -> None:
    named = set(re.findall(r"`((?:engine|pbem|tests|workers)\.[\w.]+)`", GLOSSARY))

    assert len(named) > len(WORDS)
    assert {one for one in named if not is_there(one)} == set()


def test_the_glossary_has_the_words_a_newcomer_meets() -> None:
    words = {word for word, _ in WORDS}

    assert {"game", "match", "seat", "turn", "move", "order", "ply", "link", "outbox"} <= words
    assert len(words) == len(WORDS)


def test_a_name_that_is_not_there_is_noticed() -> None:
    assert not is_there("pbem.store.models.Match.colour")
    assert not is_there("pbem.nothing")


def is_there(path: str) -> bool:
    """Whether a dotted path names a module, or an attribute, field or annotation inside one."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return reduce(_inside, parts[length:], module) is not None
    return False


def _inside(holder: Any, part: str) -> Any:
    if holder is None:
        return None
    return getattr(holder, part, getattr(holder, "__annotations__", {}).get(part))


#: A page may leave out where a module stands.
PREFIXES = (
    *("", "engine.", "engine.game.", "workers.", "pbem."),
    *(f"{module}." for module in BUILT_IN.values()),
    *(f"pbem.{room.parent.name}." for room in sorted((ROOT / "pbem").glob("*/__init__.py"))),
)
FILE = re.compile(r"[\w./*-]+(?:/|\.(?:py|po|md|toml|txt|html|svg|css|js))|\.ci/run")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
CODE_NAMES = re.compile(r"`([a-z_]+\.(?:[A-Za-z_]+\.)*[A-Za-z_]+)`")


@pytest.mark.parametrize(
    "page",
    [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        *(name(page) for page in sorted((ROOT / "docs/decisions").glob("*.md"))),
    ],
)
def test_every_function_that_is_named_exists(page: str) -> None:
    named = set(CODE_NAMES.findall((ROOT / page).read_text()))
    files = {one for one in named if FILE.fullmatch(one)}

    missing = [
        one
        for one in sorted(named - files - set(leaves()))
        if not any(is_there(prefix + one) for prefix in PREFIXES)
    ]

    assert missing == []


def test_the_architecture_lists_every_module_of_the_acts() -> None:
    part = ARCHITECTURE.split("## One write path")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", part, re.M)
    named = [name for cell in cells for name in re.findall(r"`([a-z_]+)/?`", cell)]
    folder = [module.name for module in pkgutil.iter_modules(acts.__path__)]

    assert sorted(named) == sorted(folder)


def test_the_act_that_the_architecture_shows_is_in_the_code() -> None:
    [shown] = [code for kind, code in FENCE.findall(ARCHITECTURE) if kind == "python"]
    there = ast.parse(inspect.getsource(deliverability.unmute)).body[0]
    assert isinstance(there, ast.FunctionDef)
    # shown without its docstring and its types
    there.body, there.returns = there.body[1:], None
    for argument in there.args.args:
        argument.annotation = None

    assert ast.unparse(there) == ast.unparse(ast.parse(shown))


# --- CONTRIBUTING: what it sends a newcomer to ---

#: A list item, a row of a table or a paragraph: a name in it is one of the files beside it.
PARTS = re.split(r"\n(?=\d+\. |- |\|)|\n\n", FENCE.sub("", (ROOT / "CONTRIBUTING.md").read_text()))
#: A file of NAME is one that at least one of them has.
GAMES = ("dog", "dogs_of_war", "dogs-of-war", "skirmish")


def told_of(part: str) -> tuple[list[Path], list[str]]:
    """The files that a part of the page names, and the other names in it.

    A file without a folder stands beside one of those named before it.
    """
    files: list[Path] = []
    others: list[str] = []
    for text in re.findall(r"`([^`\n]+)`", part):
        if not FILE.fullmatch(text):
            others.append(text)
            continue
        text = re.sub(r"\bKIND\b", "your_turn", text.rstrip("/"))
        beside = [place for file in files for place in (file, file.parent) if place.is_dir()]
        names = {re.sub(r"\b(NAME|GAME)\b", game, text) for game in GAMES}
        found = {file for place in [ROOT, *beside] for one in names for file in place.glob(one)}
        files += sorted(found) or [ROOT / text]
    return files, others


def missing_in(part: str) -> list[str]:
    """What a part of the page names and is not there."""
    files, others = told_of(part)
    # made by the commands, and no part of the repository
    made = (ROOT / ".gitignore").read_text().split()
    missing = [
        str(file.relative_to(ROOT))
        for file in files
        if not file.exists() and f"/{file.relative_to(ROOT)}/" not in made
    ]
    code = [file.read_text() for file in files if file.is_file() and file.suffix == ".py"]
    for text in others:
        module = re.fullmatch(r"python -m ([\w.]+)", text)
        name = re.match(r"[A-Za-z_][\w.]*(?=$|\(| = |=)", text)
        if module is not None:
            missing += [] if importlib.util.find_spec(module[1]) else [text]
        elif name is not None and "." in name[0]:
            missing += [] if any(is_there(prefix + name[0]) for prefix in PREFIXES) else [text]
        elif name is not None and code:
            missing += [] if any(re.search(rf"\b{name[0]}\b", one) for one in code) else [text]
    return missing


def test_newcomers_are_told_of_every_folder_of_tests() -> None:
    table = re.findall(r"^\| (`tests/[^|]+) \|", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    named = [name for cell in table for name in re.findall(r"`(?:tests/)?(\w+)/`", cell)]
    folders = [folder.name for folder in (ROOT / "tests").iterdir() if folder.is_dir()]

    assert sorted(named) == sorted(set(folders) - {"__pycache__"})


def test_newcomers_are_told_which_folders_make_check_runs() -> None:
    quick = re.findall(r"^QUICK := (.*)$", (ROOT / "Makefile").read_text(), re.M)
    (told,) = [part for part in PARTS if part.strip().startswith("`make check` runs")]

    assert set(re.findall(r"`(tests/\w+)/`", told)) == set(quick[0].split())


def test_every_file_and_name_for_newcomers_is_there() -> None:
    assert [one for part in PARTS for one in missing_in(part)] == []


def test_the_files_and_names_for_newcomers_are_found() -> None:
    seen = [told_of(part) for part in PARTS]

    files = {str(file.relative_to(ROOT)) for found, _ in seen for file in found}
    assert len(files) > 60
    assert {"engine/games/dog/sevens.py", "templates/mail/your_turn/body.html"} <= files
    assert {"REMEDY", "OF_A_MATCH", "make lock"} <= {one for _, names in seen for one in names}


MODULES = {
    command.split()[0]
    for page in pages()
    for command in commands(page.read_text(), "python -m")
    if command.startswith("tests.")
}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_command_of_the_tests_says_what_it_does_and_does_nothing(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [module, "--help"])
    # other tests may have it already
    monkeypatch.delitem(sys.modules, module, raising=False)

    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")

    usage, about, *_ = capsys.readouterr().out.split("\n\n")
    assert ended.value.code == 0
    assert usage.lower().startswith("usage:")
    assert re.match(r"\s*[A-Z].{20}", about)


def test_what_is_not_there_for_newcomers_is_noticed() -> None:
    for gone in (
        "`pbem/mail/nothing.py`: a file",
        "`pbem/mail/kinds/__init__.py`: its line in `OF_NOTHING`",
        "`engine/games/NAME/rules.py` (`nothing.py` for turns)",
        "`outbox.nothing(session)` in the act",
        "`python -m tests.nothing` writes it",
    ):
        assert missing_in(gone) != [], gone


#: Doors of the service whose paths begin like a folder of a machine.
OUR_OWN = r"(?!TOKEN|settings|away|groups|devices|link|next|player|data|forget)"


@PAGES
def test_no_page_names_a_path_of_one_machine(page: Path) -> None:
    assert not re.search(rf"/(?:home/{OUR_OWN}|(?:Users|root|work|tmp)/)", page.read_text())


def test_pictures_are_light_enough_to_carry() -> None:
    for picture in (ROOT / "docs/images").iterdir():
        assert picture.stat().st_size <= 150_000, picture.name
