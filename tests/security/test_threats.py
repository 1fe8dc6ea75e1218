"""The table of what is refused and survived names tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = (Path(__file__).parent / "README.md").read_text()


def names_in(file: Path) -> set[str]:
    return {
        node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)
    }


def test_every_test_that_the_table_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", TABLE)

    assert len(named) > 50
    assert [f"{file}::{name}" for file, name in named if name not in names_in(ROOT / file)] == []


def test_every_line_of_what_is_refused_has_a_test() -> None:
    lines = re.findall(r"^\| (\d+)\. .*`tests/", TABLE, re.M)

    numbers = [int(number) for number in lines]

    assert numbers == sorted(set(numbers))
    assert set(numbers) >= set(range(1, 21))
