"""What is imported is declared; what is declared is pinned, so every set-up installs the same."""

from __future__ import annotations

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
#: Packages of their own, with what they need beside them.
PLUG_INS = {"new_game", "plug_ins"}
OURS = {"engine", "pbem", "workers", "tests"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RUNTIME = [Requirement(line) for line in PROJECT["dependencies"]]
FOR_TESTS = [Requirement(line) for line in PROJECT["optional-dependencies"]["test"]]


def pins() -> dict[str, list[tuple[Requirement, Version]]]:
    """The lines of constraints.txt by distribution; one may have a line for each system."""
    found: dict[str, list[tuple[Requirement, Version]]] = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        pin = Requirement(line)
        (one,) = pin.specifier
        assert one.operator == "==", line
        found.setdefault(canonicalize_name(pin.name), []).append((pin, Version(one.version)))
    return found


def imported(*folders: str) -> set[str]:
    """The distributions that the modules of these folders import by name."""
    tops: set[str] = set()
    files = (file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    for path in files:
        if PLUG_INS & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                tops |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                tops.add(node.module.partition(".")[0])
    installed = packages_distributions()
    return {
        canonicalize_name(installed.get(top, [top])[0])
        for top in tops - set(sys.stdlib_module_names) - OURS
    }


def names(requirements: list[Requirement]) -> set[str]:
    return {canonicalize_name(one.name) for one in requirements}


def test_every_package_that_the_service_imports_is_declared() -> None:
    found = imported("engine", "pbem", "workers")

    assert "sqlmodel" in found
    assert found - names(RUNTIME) == set()


def test_every_package_that_the_tests_import_is_declared() -> None:
    assert imported("tests") - names(RUNTIME + FOR_TESTS) == set()


@pytest.mark.parametrize("needed", RUNTIME + FOR_TESTS, ids=lambda one: one.name)
def test_every_declared_package_is_pinned_to_a_version_that_will_do(needed: Requirement) -> None:
    pinned = pins()[canonicalize_name(needed.name)]

    assert [version for _, version in pinned if version not in needed.specifier] == []


def test_a_package_has_one_pin_on_one_system() -> None:
    here = {
        name: [version for pin, version in lines if pin.marker is None or pin.marker.evaluate()]
        for name, lines in pins().items()
    }

    assert {name: found for name, found in here.items() if len(found) > 1} == {}
