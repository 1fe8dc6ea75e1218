"""The pages of threats and faults name tests that are there; this folder follows the threats."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
THREATS = (ROOT / "docs/threats.md").read_text()
FAULTS = (ROOT / "tests/faults/README.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
#: A line of the page: its number, who and which, and all that stands in it.
LINE = re.compile(r"^\| ((\d+)\.\d+) \|(.*)$", re.M)
FILES = sorted(Path(__file__).parent.glob("test_[0-9]_*.py"))


def names_in(file: Path) -> set[str]:
    return {
        node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)
    }


def cited(text: str) -> set[str]:
    """The lines of the page that this text names: ``Threat 1.2``, ``Threats 1.2 to 1.4``."""
    return {
        number
        for found in re.findall(r"Threats? (\d+\.\d+(?:(?:,| and| to) \d+\.\d+)*)", text)
        for number in re.findall(r"\d+\.\d+", found)
    }


@pytest.mark.parametrize(("page", "least"), [(THREATS, 100), (FAULTS, 30)])
def test_every_test_that_a_page_names_is_there(page: str, least: int) -> None:
    named = NAMED.findall(page)

    assert len(named) > least
    assert [f"{file}::{name}" for file, name in named if name not in names_in(ROOT / file)] == []


def test_every_line_has_its_number_and_a_test() -> None:
    lines = LINE.findall(THREATS)

    numbers = [tuple(map(int, number.split("."))) for number, _, _ in lines]

    assert [part for part, _ in numbers] == sorted(part for part, _ in numbers)
    assert {part for part, _ in numbers} == set(range(1, 9))
    for part in range(1, 9):
        own = [line for which, line in numbers if which == part]
        assert own == list(range(1, len(own) + 1))
    assert [number for number, _, line in lines if not NAMED.search(line)] == []
    # number, five cells of text and one of tests
    assert [number for number, _, line in lines if line.count("|") != 5] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_this_folder_belongs_to_the_part_that_it_names(file: Path) -> None:
    part = file.name.split("_")[1]
    docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
    of_part = [line for _, which, line in LINE.findall(THREATS) if which == part]

    assert {number.split(".")[0] for number in cited(docstring)} == {part}
    assert any(file.name in line for line in of_part)


def test_no_test_names_a_line_that_is_not_there() -> None:
    there = {number for number, _, _ in LINE.findall(THREATS)}

    named = {
        (str(file.relative_to(ROOT)), number)
        for file in (ROOT / "tests").rglob("*.py")
        if "threats" not in file.name
        for number in cited(file.read_text())
    }

    assert len(named) > 30
    assert [one for one in named if one[1] not in there] == []


def test_every_file_of_this_folder_with_tests_has_the_number_of_its_part() -> None:
    tests = set(Path(__file__).parent.glob("test_*.py")) - {Path(__file__)}

    assert tests == set(FILES)
