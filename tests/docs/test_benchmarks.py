"""docs/benchmarks.md: its tables and charts are those of docs/benchmarks.json."""

from __future__ import annotations

import copy
import json
from typing import Any
from xml.etree import ElementTree

import pytest

from pbem.bench._rounds import with_clients
from pbem.commands import bench
from tests.bench import benchmarks
from tests.bench.benchmarks import FIGURES, IMAGES, PAGE

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def told() -> Any:
    return json.loads(FIGURES.read_text())


def test_the_tables_say_what_was_measured(told: Any) -> None:
    page = PAGE.read_text()

    assert benchmarks.page(told, page) == page, "python -m tests.bench.benchmarks"


def test_the_charts_show_what_was_measured(told: Any) -> None:
    made = {f"{name}.svg": chart for name, chart in benchmarks.charts(told["figures"])}

    assert {file.name for file in IMAGES.glob("bench-*.svg")} == set(made)
    for name, chart in made.items():
        assert (IMAGES / name).read_text() == benchmarks.drawn(chart), name
        assert f"images/{name}" in PAGE.read_text()


def test_a_figure_that_differs_is_noticed(told: Any) -> None:
    other = copy.deepcopy(told)
    other["figures"]["moves"]["sqlite, 8 clients: service"]["a_second"] *= 2

    before, after = (dict(benchmarks.charts(each["figures"])) for each in (told, other))

    page = PAGE.read_text()
    assert benchmarks.page(other, page) != page
    assert benchmarks.drawn(before["bench-moves"]) != benchmarks.drawn(after["bench-moves"])


def test_everything_that_the_page_promises_was_measured(told: Any) -> None:
    assert set(told["figures"]) == set(bench.names()) - {bench.DAYS}
    wanted = {with_clients(database, n) for database in benchmarks.DATABASES for n in (1, 8, 32)}
    for name in ("moves", "service"):
        assert set(benchmarks.clients(told["figures"][name])) == wanted


def test_a_chart_can_be_read_without_its_colours_and_in_the_dark() -> None:
    for file in IMAGES.glob("bench-*.svg"):
        root = ElementTree.parse(file).getroot()

        assert root.find(f"{SVG}title").text  # type: ignore[union-attr]
        assert root.find(f"{SVG}desc").text  # type: ignore[union-attr]
        assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text  # type: ignore
        assert not root.findall(f".//{SVG}script")
        bars = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") != "paper"]
        labels = [text for text in root.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
        assert len(bars) == len(labels) > 0
        assert all(label.text for label in labels)
