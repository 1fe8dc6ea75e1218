"""What of a board stands still is drawn once and kept; rows that templates get are found."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pytest

from engine.games.dogs_of_war.box.components import Space
from pbem.store.models import Seat
from pbem.words import templating
from pbem.words.i18n import translator

SPACE = "games/dogs-of-war/space.svg"
SHOWN = {"house": "talbot", "side": 0, "width": 65, "height": 52, "taken": False}


def test_what_stands_still_is_what_it_would_be_if_it_were_drawn_anew() -> None:
    """In each drawing and for each value, by many threads at once, and more than are kept."""
    templating._still.cache_clear()
    asked = [(prefix, number) for number in range(1200) for prefix in ("board", "after")] * 2

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(_kept, asked))

    assert found == [_drawn(one) for one in asked]
    assert templating._still.cache_info().currsize < len(set(asked))


def test_what_stands_still_is_drawn_once() -> None:
    templating._still.cache_clear()

    assert _kept(("after", 6)) is _kept(("after", 6))


def test_what_a_macro_made_of_its_arguments_is_kept_and_is_what_it_would_make_anew() -> None:
    """Also of numbers that are equal and are written differently."""
    file = "games/dogs-of-war/signs.svg"
    anew = templating.environment().get_template(file).module

    for x in (1, 1.0, True, 2):
        assert templating.remembered(file).use("board", "coin", x, 0, 9) == anew.use(
            "board", "coin", x, 0, 9
        )

    use = templating.remembered(file).use
    assert use("board", "coin", 1, 0, 9) is use("board", "coin", 1, 0, 9)


def test_what_one_process_compiled_the_next_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the template is another, or what compiles it."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    first = compiling(tmp_path)

    first.get_template(SPACE)

    source = templating.source(SPACE) or ""
    assert is_read(compiling(tmp_path), source)
    assert not is_read(compiling(tmp_path), source + " ")
    monkeypatch.setattr(jinja2, "__version__", "99")
    assert not is_read(compiling(tmp_path), source)


@pytest.mark.parametrize("length", [0, 3, 14, 40, 400])
def test_a_compiled_template_that_is_cut_off_is_compiled_anew(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    compiling(tmp_path).get_template(SPACE)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:length])

    compiling(tmp_path).get_template(SPACE)

    assert len(file.read_bytes()) == len(whole)


def test_where_nothing_can_be_written_templates_are_compiled_all_the_same(tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    assert compiling(gone).get_template(SPACE).name == SPACE
    assert not gone.exists()


def compiling(folder: Path) -> jinja2.Environment:
    """The environment of a process that begins, with its compiled templates in a folder."""
    made = templating.environment.__wrapped__()
    made.bytecode_cache.directory = str(folder)
    return made


def is_read(environment: jinja2.Environment, source: str) -> bool:
    assert environment.bytecode_cache is not None
    return environment.bytecode_cache.get_bucket(environment, SPACE, None, source).code is not None


@dataclass(frozen=True)
class Seated:
    seats: dict[str, list[Seat]]


def test_a_row_in_what_a_template_is_given_is_found(rows_in_templates: list[str]) -> None:
    """Else the fixture of all tests that looks for rows could not fail."""
    seat = Seat(match_id="m1", number=0, name="Alice", zone="UTC", language="en")

    _drawn(("board", 6), table=Seated({"own": [seat]}))
    found = list(rows_in_templates)
    rows_in_templates.clear()

    assert found == [f"{SPACE}: table.seats['own'][0] is a Seat"]


def _kept(asked: tuple[str, int]) -> str:
    prefix, number = asked
    return templating._still(SPACE, prefix=prefix, space=Space(), number=number, **SHOWN)


def _drawn(asked: tuple[str, int], **more: Any) -> str:
    prefix, number = asked
    words = translator("en", "dogs-of-war")
    shown = {**SHOWN, **more}
    return templating.render(SPACE, words, prefix=prefix, space=Space(), number=number, **shown)
